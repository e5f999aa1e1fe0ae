/*
 * manual.h: the sources of manual pages (manual_pages.h) and shell completions
 * (manual_completions.h): the tables of the parser and of --help, and the texts in docs/man and
 * docs/completions.
 *
 * A file of docs/man is a manual page in mdoc. These lines of it are replaced:
 *
 *   .Os             .Os with the program's name and version
 *   .Nd             .Nd with the first sentence of the summary
 *   .\" @synopsis   the usage of the command or program
 *   .\" @options    the options of the command
 *   .\" @examples   the examples of the command
 *   .\" @commands   all commands, with their summaries
 *   .\" @see also   references to the other pages
 *
 * `.Dd "" "" ""` omits the date, so that a page is the same on every day. (For a missing or invalid
 * date groff prints "Epoch" or the present day.)
 *
 * `bitsift help TOPIC` prints the page of a topic as plain text. Such a page has no other macros
 * than .Sh, .Ss, .Pp, .Bl -bullet, .It, .El, .Bd -literal and .Ed, and on lines of their own, with
 * punctuation after them, .Ql, .Nm, .Fl and .Xr. Its lines have fewer than 512 bytes.
 */
#pragma once

#include <stddef.h>

#include "query/options/command_line.h"

/* A file of docs/man or docs/completions. The build generates the table of these files, which ends
 * with a NULL name. */
struct bs_manual_text {
	const char *name, *text;
};
extern const struct bs_manual_text bs_manual_texts[];

/* A subject that concerns several commands, with a page of its own: `bitsift help TOPIC`,
 * bitsift-TOPIC(7). */
struct bs_topic {
	const char *name;
	const char *summary; /* The subject of the page in one sentence. */
};

struct bs_program {
	const char *version;
	const char *summary, *usage; /* As in struct bs_command. */
	const struct bs_command *const *commands;
	size_t n_commands;
	const struct bs_topic *topics;
	size_t n_topics;
};
