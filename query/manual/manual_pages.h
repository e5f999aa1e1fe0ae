/* manual_pages.h: manual pages, and topics on the screen. */
#ifndef BS_QUERY_MANUAL_MANUAL_PAGES_H
#define BS_QUERY_MANUAL_MANUAL_PAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "query/manual/manual.h"

/* The command of that name; NULL: there is none. */
const struct bs_command *bs_program_command(const struct bs_program *program, const char *name);

/* The text of that name, which there must be. */
const char *bs_manual_text(const char *name);

/* The manual page of the command or topic of that name, or of the program (NULL), in roff with the man macros. False:
 * there is none. */
bool bs_docs_man(const struct bs_program *program, const char *name, FILE *out);

/* What the page of a topic says, as text of at most 80 columns. False: there is no such topic. */
bool bs_docs_text_topic(const struct bs_program *program, const char *name, FILE *out);

#endif
