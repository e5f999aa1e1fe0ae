/*
 * manual.h: the sources of manual pages (manual_pages.h) and shell completions
 * (manual_completions.h): the tables of the parser and of --help, and the texts in docs/man and
 * docs/completions.
 *
 * The markup of manual pages, a subset of Markdown: empty lines separate paragraphs, whose lines
 * may end anywhere. A paragraph that begins with "# " or "## " is a heading, with "- " a list item,
 * with four spaces an example, verbatim. A line followed by one that begins with ": " is a term and
 * its explanation. `x` is bold. "@synopsis", "@options", "@examples" and "@commands" are replaced
 * by the contents of the tables.
 */
#pragma once

#include <stddef.h>

#include "query/options/command_line.h"

/* A file of docs/man, without the ".md" of its name, or of docs/completions. The build makes the
 * table; name NULL ends it. */
struct bs_manual_text {
	const char *name, *text;
};
extern const struct bs_manual_text bs_manual_texts[];

/* What more than one command is about: `bitsift help TOPIC`, bitsift-TOPIC(7). */
struct bs_topic {
	const char *name;
	const char *summary; /* one sentence */
};

struct bs_program {
	const char *version;
	const char *summary, *usage; /* as of a command */
	const struct bs_command *const *commands;
	size_t n_commands;
	const struct bs_topic *topics;
	size_t n_topics;
};
