/*
 * manual.h: manual pages and shell completions, made from the same tables as the parser and --help, for main.c's --generate.
 *
 * The markup of bs_command's description, and of a topic's: paragraphs are separated by empty lines; one that begins with "# " is a
 * heading, with "- " a point of a list, with four spaces an example as it stands. `x` is set in bold.
 */
#ifndef BS_QUERY_MANUAL_MANUAL_H
#define BS_QUERY_MANUAL_MANUAL_H

#include <stddef.h>
#include <stdio.h>

#include "query/cli/command_line.h"

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

/* A topic as text, at most 80 columns. */
void bs_docs_text_topic(const struct bs_topic *topic, FILE *out);

/* Manual pages in roff, with the man macros: bitsift(1), bitsift-COMMAND(1) and bitsift-TOPIC(7). */
void bs_docs_man_program(const struct bs_program *program, FILE *out);
void bs_docs_man_command(const struct bs_program *program, const struct bs_command *command, FILE *out);
void bs_docs_man_topic(const struct bs_program *program, const struct bs_topic *topic, FILE *out);

/* Completions, of all commands. */
void bs_docs_bash(const struct bs_program *program, FILE *out);
void bs_docs_zsh(const struct bs_program *program, FILE *out);
void bs_docs_fish(const struct bs_program *program, FILE *out);

#endif
