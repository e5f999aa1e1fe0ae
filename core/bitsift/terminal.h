/*
 * terminal.h: cutting text for display, and commands in messages. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_TERMINAL_H
#define BITSIFT_TERMINAL_H

#include "escape.h"
#include "status.h"

BS_BEGIN_DECLS

/* Returns an offset where a text may be cut without splitting an extended grapheme cluster (what a
 * reader sees as one character): the last such offset at or before `at`, or with is_forward the
 * first one at or after it. If there is none within BS_MAX_CLUSTER_BYTES, or if ICU cannot be
 * loaded, returns the start of the code point at text[at]. */
#define BS_MAX_CLUSTER_BYTES 1024u
BS_API size_t bs_cluster_boundary(const uint8_t *text, size_t text_bytes, size_t at,
                                  bool is_forward);

/* Writes a command to `to`, for messages that propose one. words is NULL-ended. Each word is quoted
 * for a shell where necessary ($'...' for bytes that a terminal might interpret), so that the
 * command can be pasted. Returns the length without the NUL. If the command and a NUL do not fit
 * into to_bytes, writes only a NUL. to may be NULL if to_bytes is 0. */
BS_API size_t bs_shell_command(const char *const *words, char *to, size_t to_bytes);
/* Appends `lead` (for example "; to forget it: ") and a command, quoted as by bs_shell_command, to
 * the message in err (nullable). Appends nothing unless both fit, because a part of a command could
 * do something else. */
BS_API void bs_advise(struct bs_error *err, const char *lead, const char *const *words);

BS_END_DECLS
#endif
