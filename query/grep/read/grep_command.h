/*
 * grep_command.h: what a command prints, as an input. It is run without a shell, with the file as
 * its standard input; what it says on standard error is heard, and told if it fails.
 */
#pragma once

#include "query/grep/read/grep_input.h"

/*
 * argv is NULL-ended; its first is looked for in PATH. Closes fd, the file. BS_IO: it cannot be
 * run, BS_NO_MEMORY. That the command fails is an error of the last read, or of close; but not, as
 * in ripgrep, where it is closed before its end and the command has nothing to say.
 */
enum bs_status bs_grep_command_open(const char *const *argv, int fd, struct bs_grep_wait wait,
                                    struct bs_grep_input **input_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
