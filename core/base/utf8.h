/* utf8.h: UTF-8 character by character. See bitsift/escape.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * As bs_utf8_next (bitsift/escape.h; it moves over a maximal subpart of an invalid sequence, one
 * U+FFFD) backwards: the code point before *at > 0, over a byte of an invalid sequence. Not for a
 * place inside a character.
 */
int32_t bs_utf8_previous(const uint8_t *text, size_t *at);

/* Whether all of a text is valid UTF-8. */
bool bs_text_is_utf8(const uint8_t *text, size_t n_bytes);
