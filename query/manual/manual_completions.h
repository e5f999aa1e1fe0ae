/* manual_completions.h: shell completions, of all commands. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "query/manual/manual.h"

/* The completions for bash, zsh or fish. False: shell is another. */
bool bs_docs_completion(const struct bs_program *program, const char *shell, FILE *out);
