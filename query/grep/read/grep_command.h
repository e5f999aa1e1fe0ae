/*
 * grep_command.h: the output of a command as an input. The command is run without a shell, with the
 * file as its standard input. If it fails, the error message has the start of its standard error.
 */
#pragma once

#include "query/grep/read/grep_input.h"

/* Starts a command with the file fd as its standard input, and opens its output as an input. argv
 * is NULL-terminated; argv[0] is looked up in PATH. Closes fd, also after a failure. BS_IO: the
 * command cannot be run. BS_NO_MEMORY. A failure of the command is an error of the last read, or of
 * close. As in ripgrep, a failure is ignored if the caller closes the input before its end and the
 * command has printed nothing on its standard error. */
enum bs_status bs_grep_command_open(const char *const *argv, int fd, struct bs_grep_wait wait,
                                    struct bs_grep_input **input_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
