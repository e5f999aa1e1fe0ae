/* manual_pages.h: manual pages, and topics on the screen. */
#ifndef BS_QUERY_MANUAL_MANUAL_PAGES_H
#define BS_QUERY_MANUAL_MANUAL_PAGES_H

#include <stdio.h>

#include "query/manual/manual.h"

/* A topic as text, at most 80 columns. */
void bs_docs_text_topic(const struct bs_topic *topic, FILE *out);

/* Manual pages in roff, with the man macros: bitsift(1), bitsift-COMMAND(1) and bitsift-TOPIC(7).
 * */
void bs_docs_man_program(const struct bs_program *program, FILE *out);
void bs_docs_man_command(const struct bs_program *program, const struct bs_command *command, FILE *out);
void bs_docs_man_topic(const struct bs_program *program, const struct bs_topic *topic, FILE *out);

#endif
