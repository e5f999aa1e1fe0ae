/* manual_completions.h: shell completions, of all commands. */
#ifndef BS_QUERY_MANUAL_MANUAL_COMPLETIONS_H
#define BS_QUERY_MANUAL_MANUAL_COMPLETIONS_H

#include <stdio.h>

#include "query/manual/manual.h"

void bs_docs_bash(const struct bs_program *program, FILE *out);
void bs_docs_zsh(const struct bs_program *program, FILE *out);
void bs_docs_fish(const struct bs_program *program, FILE *out);

#endif
