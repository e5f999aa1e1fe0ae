/* grep_arguments.h: the options of `bitsift grep`: rg's, and our own. Part of the program: it reads
 * pattern files and looks whether standard output is a terminal. */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/program/options.h"
#include "query/options/command_line.h"

struct bs_grep_arguments {
	struct bs_grep_request request; /* without callbacks */
	struct bs_grep_program program; /* next to the request; the output file is not set yet */
	struct bs_limits limits;
	bool no_messages, stats, explain;
	const char *catalog; /* "": the user's; NULL: none */
	bool partial;
	/* What is noted while options come in. */
	uint64_t after, before, context, n_threads, max_depth;
	uint64_t engine_bytes; /* of engines that are not here */
	int bounds, binary, scope, count, which_files, color, n_unrestricted;
	int line_number, column, with_filename; /* -1: not said */
	bool has_context, json, vimgrep, passthru, heading, pretty;
	bool ignores_nothing, glob_caseless, no_vcs, no_dot, no_global, no_exclude, no_parent,
		no_files;
	bool has_pattern_option, patterns_from_stdin, quiet, files, candidates, type_list,
		pcre2_version, version;
	/* What the request borrows. */
	size_t *pattern_bytes;
	struct bs_word_list patterns, globs, iglobs, ands, nots, types, type_nots, type_adds,
		type_clears, colors, paths, owned, pre_globs, ignore_files, pattern_files;
};

/* NULL name ends it; the first BS_GREP_N_IN_HELP are those of --help. They set a struct
 * bs_grep_arguments. */
extern const struct bs_option bs_grep_option_table[];
#define BS_GREP_N_IN_HELP 33
extern const struct bs_grep_arguments bs_grep_defaults;

/* What the options and operands mean together: makes the request. BS_INVALID, BS_NO_MEMORY. */
enum bs_status bs_grep_arguments_decide(struct bs_grep_arguments *arguments,
                                        const struct bs_operands *operands,
                                        struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_arguments_release(void *arguments);
