/*
 * visible.h: text of strangers on its way to a terminal. Inside query/ only.
 */
#ifndef BS_QUERY_VISIBLE_H
#define BS_QUERY_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/status.h"

/*
 * The code point at *at < text_bytes, or before *at > 0, and *at moved past it: forward over the whole of an invalid
 * sequence (a maximal subpart, one U+FFFD), backward over a byte of it. Negative for an invalid one. Not for a place
 * inside a character.
 */
int32_t bs_visible_next(const uint8_t *text, size_t text_bytes, size_t *at);
int32_t bs_visible_previous(const uint8_t *text, size_t *at);

/* Unicode White_Space. Of others than ASCII, after bs_icu_load (icu.h). */
bool bs_visible_is_space(int32_t code_point);

/* Appends a code point as UTF-8. Control characters and what is none (negative, as from U8_NEXT) become U+FFFD. */
enum bs_status bs_visible_append(struct bs_buffer *out, int32_t code_point, struct bs_error *err) BS_WARN_UNUSED;

/* The same for a NUL-ended string of ours, as it is; NULL appends nothing. */
enum bs_status bs_visible_append_own(struct bs_buffer *out, const char *text, struct bs_error *err) BS_WARN_UNUSED;

#endif
