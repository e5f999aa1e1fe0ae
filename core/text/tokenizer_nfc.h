/*
 * tokenizer_nfc.h: decodes a piece of UTF-8 into UTF-16 in NFC, from which words are cut, and maps
 * its units to bytes. Normalizes in linear time, also text for which ICU takes quadratic time.
 * Private to the tokenizer_*.c files.
 */
#pragma once

#include "core/text/tokenizer_state.h"

/* Decodes text[start..end), which lies between two safe cuts, into normal.window, and sets
 * *window_out to it. The window's place (at_unit, at_byte) is then its beginning. An invalid
 * sequence becomes one or more U+FFFD. Needs bs_tokenizer_need_icu. BS_UNSUPPORTED (too long),
 * BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_tokenizer_decode(struct bs_analysis *analysis, size_t start, size_t end,
                                   struct bs_tokenizer_window *window_out) BS_WARN_UNUSED;

/* Used by bs_tokenizer_span. An edit is a part of the text that NFC changed. bs_tokenizer_find_edit
 * sets edit_unit of the window, the unit of edit at_edit. bs_tokenizer_step moves the window's
 * place forward to a unit; no edit may be between them. bs_tokenizer_step_over_edits also moves
 * across edits, and returns the byte of the unit. For a unit within an edit, the place becomes the
 * beginning of the edit, and the byte is that of the edit's beginning or, with is_end, of its
 * end. */
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

/* The bytes of units [start, end). Code points that composition has merged count as one. Moves the
 * window's place to end. The place must not be after start; start <= end. */
static inline struct bs_byte_span bs_tokenizer_span(struct bs_tokenizer_window *window,
                                                    int32_t start, int32_t end)
{
	struct bs_byte_span span = {.start_byte = bs_tokenizer_byte_of(window, start, false)};
	span.end_byte = bs_tokenizer_byte_of(window, end, true);
	return span;
}

/* Normalizes `from` to `form`. The result is n_units_out units in to->data, valid until the next
 * use of that buffer. Uses normal.ordered for text with many marks. BS_NO_MEMORY, BS_UNSUPPORTED,
 * BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_tokenizer_normalize(struct bs_tokenizer *tokenizer, const UNormalizer2 *form,
                                      const UChar *from, int32_t from_units, struct bs_buffer *to,
                                      int32_t *n_units_out, struct bs_error *err) BS_WARN_UNUSED;
