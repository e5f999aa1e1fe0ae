/* manual_completions.h: shell completions for all commands. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "query/manual/manual.h"

/* Prints the completions for bash, zsh, fish or powershell. False: unknown shell. */
bool bs_docs_completion(const struct bs_program *program, const char *shell, FILE *out);
