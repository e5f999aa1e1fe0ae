/*
 * terminal.h: escapes untrusted text for a terminal or for JSON, and quotes it for a shell. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_TERMINAL_H
#define BITSIFT_TERMINAL_H

#include "escape.h"
#include "status.h"

BS_BEGIN_DECLS

/* Where a text may be cut so that what a reader takes for one character (an extended grapheme cluster) stays whole: the last
 * such place at or before `at`, or with is_forward the first at or after it. One that is further away than
 * BS_MAX_CLUSTER_BYTES bytes does not count: then it is where the code point begins that text[at] is of. So it is, too, if
 * ICU cannot be loaded. */
#define BS_MAX_CLUSTER_BYTES 1024u
BS_API size_t bs_cluster_boundary(const uint8_t *text, size_t text_bytes, size_t at, bool is_forward);

/* The words of a command, NULL-ended, quoted for a shell where that is necessary ($'...' for bytes that a terminal might
 * obey) and joined by spaces, so that what a message proposes can be pasted. Returns how many bytes that takes without
 * the NUL; writes nothing but a NUL if they and it do not fit in to_bytes. to may be NULL if to_bytes is 0. */
BS_API size_t bs_shell_command(const char *const *words, char *to, size_t to_bytes);
/* Appends lead ("; to forget it: ") and such a command to the message in err (nullable), or nothing if both do not fit: part of
 * a command may name something else. */
BS_API void bs_advise(struct bs_error *err, const char *lead, const char *const *words);

BS_END_DECLS
#endif
