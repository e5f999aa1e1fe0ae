/* utf8.h: reading UTF-8 backwards, and validation. Reading forwards is public: bitsift/escape.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the code point before *at > 0 and moves *at to its start. If the bytes before *at are
 * invalid, returns -1 and moves by one byte. (bs_utf8_next of bitsift/escape.h, in contrast, moves
 * over a maximal subpart of an invalid sequence, which counts as one U+FFFD.) *at must not lie
 * inside a character. */
int32_t bs_utf8_previous(const uint8_t *text, size_t *at);

/* True if the whole text is valid UTF-8. */
bool bs_text_is_utf8(const uint8_t *text, size_t n_bytes);
