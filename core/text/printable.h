/*
 * printable.h: untrusted text on its way to a terminal or to people, so that nothing in it is
 * obeyed. Names that must stay exact, as in a pipe, do not pass through here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Unicode White_Space. Of others than ASCII, after bs_icu_load (icu.h). */
bool bs_is_white_space(int32_t code_point);

/* How many of a terminal a code point takes: 2 if it is wide, 0 if it is drawn upon the one before,
 * 1 for what is shown as U+FFFD. After bs_icu_load. */
size_t bs_display_columns_beyond(int32_t code_point); /* from U+0300 on */
static inline size_t bs_display_columns(int32_t code_point)
{
	return code_point < 0x300 ? 1 : bs_display_columns_beyond(code_point);
}

/* Where the n-th character of a text, as a reader counts them, ends; or the text. BS_UNSUPPORTED
 * (ICU has no data for it). */
enum bs_status bs_utf8_characters(const uint8_t *text, size_t text_bytes, uint64_t n,
                                  size_t *end_out, struct bs_error *err) BS_WARN_UNUSED;

/* Appends a whole text by bs_escape_next. */
enum bs_status bs_escape_append(struct bs_buffer *out, const void *text, size_t text_bytes,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Appends a code point as UTF-8. Control characters and what is none (negative, as from U8_NEXT)
 * become U+FFFD. */
enum bs_status bs_printable_append(struct bs_buffer *out, int32_t code_point,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* The same for a NUL-ended string of ours, as it is; NULL appends nothing. */
enum bs_status bs_printable_append_own(struct bs_buffer *out, const char *text,
                                       struct bs_error *err) BS_WARN_UNUSED;
