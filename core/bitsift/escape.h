/*
 * escape.h: untrusted text character by character, and escaped for a terminal or for JSON. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_ESCAPE_H
#define BITSIFT_ESCAPE_H

#include "api.h"

BS_BEGIN_DECLS

/* Text of strangers on its way to a terminal or into JSON. bs_utf8_next: the code point at *at < text_bytes, and *at
 * moved past it; negative for an invalid sequence, which it moves over as a whole. bs_is_terminal_control: control
 * characters (C0, DEL, C1), and the marks that show what follows in another direction. bs_escape_next: puts the
 * next character into out, as it is, or, where a terminal might obey it, as \xNN for each of its bytes, and returns how
 * many bytes that are; bytes that are not UTF-8 stay, unless they are C1 by themselves. */
#define BS_MAX_ESCAPE_BYTES 16
BS_API int32_t bs_utf8_next(const uint8_t *text, size_t text_bytes, size_t *at);
BS_API bool bs_is_terminal_control(int32_t code_point);
BS_API size_t bs_escape_next(const uint8_t *text, size_t text_bytes, size_t *at,
                                     char out[BS_MAX_ESCAPE_BYTES + 1]);

BS_END_DECLS
#endif
