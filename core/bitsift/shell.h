/*
 * shell.h: commands quoted for a shell. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_SHELL_H
#define BITSIFT_SHELL_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The words of a command, NULL-ended, quoted for a shell where that is necessary ($'...' for bytes that a terminal might
 * obey) and joined by spaces, so that what a message proposes can be pasted. Returns how many bytes that takes without
 * the NUL; writes nothing but a NUL if they and it do not fit in to_bytes. to may be NULL if to_bytes is 0. */
BS_API size_t bs_shell_command(const char *const *words, char *to, size_t to_bytes);
/* Appends lead ("; to forget it: ") and such a command to the message in err (nullable), or nothing if both do not fit: part of
 * a command may name something else. */
BS_API void bs_advise(struct bs_error *err, const char *lead, const char *const *words);

#ifdef __cplusplus
}
#endif
#endif
