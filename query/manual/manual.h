/*
 * manual.h: what manual pages (manual_pages.h) and shell completions (manual_completions.h) are
 * made of: the tables of the parser and of --help, and topics.
 *
 * The markup of bs_command's description, and of a topic's: paragraphs are separated by empty
 * lines; one that begins with "# " is a heading, with "- " a point of a list, with four spaces an
 * example as it stands. `x` is set in bold.
 */
#ifndef BS_QUERY_MANUAL_MANUAL_H
#define BS_QUERY_MANUAL_MANUAL_H

#include <stddef.h>

#include "query/options/command_line.h"

/* What more than one command is about: `bitsift help TOPIC`, bitsift-TOPIC(7). */
struct bs_topic {
	const char *name;
	const char *summary; /* one sentence */
	const char *text;
};
extern const struct bs_topic bs_topic_bloom;

struct bs_program {
	const char *version;
	const struct bs_command *const *commands;
	size_t n_commands;
	const struct bs_topic *const *topics;
	size_t n_topics;
};

#endif
