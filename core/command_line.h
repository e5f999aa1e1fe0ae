/*
 * command_line.h: one definition of a command's options, from which its parser, its --help, its man page and the shell
 * completions are made. Pure functions: nothing here reads the environment or prints.
 */
#ifndef BS_CORE_COMMAND_LINE_H
#define BS_CORE_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/status.h"

struct bs_option {
	int id;               /* the command's own, > 0; 0 ends the list */
	char short_name;      /* 'j', or 0 */
	const char *name;     /* "memory", without dashes */
	const char *argument; /* "SIZE", or NULL if it takes none */
	const char *help;     /* one line, lower case, no full stop */
};

struct bs_command {
	const char *name;                 /* "index" */
	const char *summary;              /* one line */
	const char *usage;                /* what follows "bitsift index " */
	const char *description;          /* for the man page; markup: query/docs.h */
	const struct bs_option *options;
	size_t n_in_help;                 /* of the options, the first that --help shows: it has to fit a screen. 0: all */
	const char *const *examples;      /* command, explanation, command, explanation, ..., NULL */
	const char *exit_status;          /* for the man page */
};

/* Options every command has. */
#define BS_OPTION_HELP 1000

/* The i-th option of a command, the common ones last; NULL past the end. */
const struct bs_option *bs_command_option(const struct bs_command *command, size_t i);

/* Walks the arguments after the command's name. Zero-initialise but for command, argc, argv (argv[0] the name). */
struct bs_arguments {
	const struct bs_command *command;
	int argc;
	char **argv;
	bool started;
};

/*
 * The next option: its id in *id_out (0 at the end) and its argument in *value_out. GNU rules: options and operands in
 * any order, "--" ends the options, long names may be shortened. BS_INVALID for an unknown or incomplete one.
 */
enum bs_status bs_arguments_next(struct bs_arguments *arguments, int *id_out, const char **value_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* After the end: the operands. Returns how many. */
size_t bs_arguments_operands(const struct bs_arguments *arguments, char ***operands_out);

/* Appends the --help text: usage, options, examples; at most 80 columns. */
enum bs_status bs_command_help(const struct bs_command *command, struct bs_buffer *text, struct bs_error *err)
	BS_WARN_UNUSED;

/* "64M", "1.5GiB", "4096": bytes; k, m, g, t are powers of 1024. BS_INVALID names the option. */
enum bs_status bs_parse_size(const char *option, const char *value, uint64_t *bytes_out, struct bs_error *err)
	BS_WARN_UNUSED;
/* A whole number in least..most. BS_INVALID names the option. */
enum bs_status bs_parse_number(const char *option, const char *value, uint64_t least, uint64_t most,
                               uint64_t *number_out, struct bs_error *err) BS_WARN_UNUSED;

/* Bytes for a person: "812 B", "64.2 KiB", "1.31 GiB". */
void bs_format_bytes(uint64_t n_bytes, char out[24]);
/* A whole number with thousands apart: "1,048,576". */
void bs_format_count(uint64_t n, char out[32]);

#endif
