/* grep_arguments.h: the options of `bitsift grep`: rg's, and our own. Part of the program: it reads pattern files and looks
 * whether standard output is a terminal. */
#ifndef BS_QUERY_CLI_GREP_ARGUMENTS_H
#define BS_QUERY_CLI_GREP_ARGUMENTS_H

#include "query/cli/command_line.h"

struct bs_grep_arguments {
	struct bs_grep_request request; /* without callbacks */
	bool help, lists_kernels, no_messages, stats, explain;
	/* What the request borrows. */
	size_t *pattern_bytes;
	struct bs_word_list patterns, globs, iglobs, types, type_nots, type_adds, type_clears, colors, paths,
		owned;
};

/* NULL name ends it; the first BS_GREP_N_IN_HELP are those of --help. */
extern const struct bs_option bs_grep_option_table[];
#define BS_GREP_N_IN_HELP 28

/* Zero-initialise. command's options are the table above. BS_INVALID, or BS_IO for a pattern file: one line in err. */
enum bs_status bs_grep_arguments_parse(const struct bs_command *command, int argc, char **argv,
                                       struct bs_grep_arguments *arguments, struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_arguments_deinit(struct bs_grep_arguments *arguments);

#endif
