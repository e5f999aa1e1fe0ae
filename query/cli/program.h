/* program.h: the list of the program's commands, its manual pages and its completions. */
#pragma once

#include <stdbool.h>

#include "query/manual/manual.h"

#define BS_CMD_MOST_COMMANDS 16

extern const struct bs_program bs_cmd_program;

/* Prints the manual page (kind "man") of a command or topic, or of the program (name NULL), or the
 * completions for a shell: "bash", "zsh", "fish", "powershell" (name NULL). False: unknown. */
bool bs_cmd_generate(const char *kind, const char *name);
