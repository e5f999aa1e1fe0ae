/* manual_pages.h: prints manual pages, and topics as text. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "query/manual/manual.h"

/* The command of that name; NULL if unknown. */
const struct bs_command *bs_program_command(const struct bs_program *program, const char *name);

/* The content of the file with that name, which must exist. */
const char *bs_manual_text(const char *name);

/* Prints the manual page of a command or topic, or of the program (NULL), in mdoc. False: unknown
 * name. */
bool bs_docs_man(const struct bs_program *program, const char *name, FILE *out);

/* Prints the page of a topic as text of at most 80 columns. False: unknown topic. */
bool bs_docs_text_topic(const struct bs_program *program, const char *name, FILE *out);
