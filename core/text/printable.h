/*
 * printable.h: escapes untrusted text for a terminal, so that nothing in it acts as a control
 * sequence, and measures text. Callers do not escape names that must stay exact, for example in
 * output to a pipe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Unicode White_Space. Beyond ASCII it needs bs_icu_load (icu.h). */
bool bs_is_white_space(int32_t code_point);

/* Terminal columns of a code point: 2 if it is wide; 0 if it combines with the one before, or is a
 * format character from U+0300 on; otherwise 1 (also for code points shown as U+FFFD).
 * bs_display_columns_beyond is the part for code points >= U+0300, and needs bs_icu_load. */
size_t bs_display_columns_beyond(int32_t code_point);
static inline size_t bs_display_columns(int32_t code_point)
{
	return code_point < 0x300 ? 1 : bs_display_columns_beyond(code_point);
}

/* Sets *end_out to the offset of the end of the n-th user-perceived character of a text, or of the
 * text if it is shorter. BS_UNSUPPORTED: ICU cannot be loaded, or fails. */
enum bs_status bs_utf8_characters(const uint8_t *text, size_t text_bytes, uint64_t n,
                                  size_t *end_out, struct bs_error *err) BS_WARN_UNUSED;

/* Appends a text, escaped by bs_escape_next. BS_NO_MEMORY. */
enum bs_status bs_escape_append(struct bs_buffer *out, const void *text, size_t text_bytes,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Appends a code point as UTF-8. Control characters and invalid code points (negative, as from
 * U8_NEXT) become U+FFFD. BS_NO_MEMORY. */
enum bs_status bs_printable_append(struct bs_buffer *out, int32_t code_point,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Appends a NUL-terminated string of this library or program verbatim; NULL appends nothing.
 * BS_NO_MEMORY. */
enum bs_status bs_printable_append_own(struct bs_buffer *out, const char *text,
                                       struct bs_error *err) BS_WARN_UNUSED;
