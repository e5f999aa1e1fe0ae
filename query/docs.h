/*
 * docs.h: manual pages and shell completions, made from the same tables as the parser and --help. Pure functions that
 * append to a buffer; main.c's --generate writes it out. Part of the program, not of the library.
 *
 * The markup of bs_command's description: paragraphs are separated by empty lines; one that begins with "# " is a
 * heading, with "- " a point of a list, with four spaces an example as it stands. `x` is set in bold.
 */
#ifndef BS_QUERY_DOCS_H
#define BS_QUERY_DOCS_H

#include <stddef.h>

#include "core/buffer.h"
#include "core/command_line.h"
#include "core/status.h"

struct bs_program {
	const char *version;
	const struct bs_command *const *commands;
	size_t n_commands;
};

/* Manual pages in roff, with the man macros: bitsift(1), and bitsift-COMMAND(1). BS_NO_MEMORY. */
enum bs_status bs_docs_man_program(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
	BS_WARN_UNUSED;
enum bs_status bs_docs_man_command(const struct bs_program *program, const struct bs_command *command,
                                   struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;

/* Completions, of all commands. BS_NO_MEMORY. */
enum bs_status bs_docs_bash(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
	BS_WARN_UNUSED;
enum bs_status bs_docs_zsh(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
	BS_WARN_UNUSED;
enum bs_status bs_docs_fish(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
