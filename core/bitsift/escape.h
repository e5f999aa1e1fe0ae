/*
 * escape.h: escapes untrusted text for a terminal, one character at a time, and decodes UTF-8 for
 * callers that escape it in another way, for example for JSON. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_ESCAPE_H
#define BITSIFT_ESCAPE_H

#include "api.h"

BS_BEGIN_DECLS

#define BS_MAX_ESCAPE_BYTES 16
/* Returns the code point at offset *at, which must be less than text_bytes, and moves *at after it.
 * For invalid UTF-8 it returns a negative number, and moves *at over the bytes that count as one
 * U+FFFD (a maximal subpart, in Unicode's words). */
BS_API int32_t bs_utf8_next(const uint8_t *text, size_t text_bytes, size_t *at);
/* True for characters that a terminal interprets instead of showing them: control characters (C0,
 * DEL, C1) and direction marks. */
BS_API bool bs_is_terminal_control(int32_t code_point);
/* Writes the character at offset *at to out, and moves *at after it. The character is written
 * verbatim or, if bs_is_terminal_control is true of it, as \xNN for each of its bytes. Returns the
 * number of bytes written. Invalid UTF-8 is written verbatim, except that bytes 0x80 to 0x9f are
 * written as \xNN, because some terminals interpret them as C1. */
BS_API size_t bs_escape_next(const uint8_t *text, size_t text_bytes, size_t *at,
                             char out[BS_MAX_ESCAPE_BYTES + 1]);

BS_END_DECLS
#endif
