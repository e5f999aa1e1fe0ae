/*
 * tokenizer_nfc.h: the text that words are cut from: a piece of UTF-8 -> UTF-16 in NFC, and where
 * in the piece its units stand; and normalizing in time that is linear even for text that ICU takes
 * quadratic time for. Private to the words_*.c files.
 */
#pragma once

#include "core/text/tokenizer_state.h"

/* text[start..end), between two safe cuts -> words->normal.window, with its place at the beginning.
 * An invalid sequence becomes one or more U+FFFD. Needs bs_tokenizer_need_icu. BS_UNSUPPORTED (too
 * long), BS_NO_MEMORY, or what a deadline says. */
enum bs_status bs_tokenizer_decode(struct bs_analysis *analysis, size_t start, size_t end,
                                   struct bs_tokenizer_window *window_out) BS_WARN_UNUSED;

/* For bs_tokenizer_span: moves the place to a unit, over text without edits, or also over edits;
 * the byte of that unit. Within an edit the place stays where that begins, and the byte is that of
 * its beginning or end. */
void bs_tokenizer_find_edit(struct bs_tokenizer_window *window);
void bs_tokenizer_step(struct bs_tokenizer_window *window, int32_t unit);
size_t bs_tokenizer_step_over_edits(struct bs_tokenizer_window *window, int32_t unit, bool is_end);

static inline size_t bs_tokenizer_byte_of(struct bs_tokenizer_window *window, int32_t unit,
                                          bool is_end)
{
	if (window->edit_unit < unit)
		return bs_tokenizer_step_over_edits(window, unit, is_end);
	bs_tokenizer_step(window, unit);
	return window->at_byte;
}

/* Where units [start, end) stand in the text. Code points that composing has mixed count as one.
 * Moves the place to end, which must not be before it; so must start not be. */
static inline struct bs_byte_span bs_tokenizer_span(struct bs_tokenizer_window *window,
                                                    int32_t start, int32_t end)
{
	struct bs_byte_span span = {.start_byte = bs_tokenizer_byte_of(window, start, false)};
	span.end_byte = bs_tokenizer_byte_of(window, end, true);
	return span;
}

/* to = from in that form. The units are to->data, n_units_out of them, until the next use of that
 * buffer. Recurs to words->normal.ordered for text of many marks. */
enum bs_status bs_tokenizer_normalize(struct bs_tokenizer *tokenizer, const UNormalizer2 *form,
                                      const UChar *from, int32_t from_units, struct bs_buffer *to,
                                      int32_t *n_units_out, struct bs_error *err) BS_WARN_UNUSED;
