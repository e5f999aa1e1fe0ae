/* grep_arguments.h: the options of `bitsift grep`: those of rg and additional ones. Part of the
 * command-line program: it reads pattern files, and checks whether standard output is a
 * terminal. */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/program/options.h"
#include "query/options/command_line.h"

/* The kind of output. The last option that sets the mode counts. */
enum bs_grep_mode {
	BS_GREP_MODE_LINES,
	BS_GREP_MODE_COUNT,
	BS_GREP_MODE_COUNT_MATCHES,
	BS_GREP_MODE_FILES_WITH,
	BS_GREP_MODE_FILES_WITHOUT,
	BS_GREP_MODE_JSON,
	BS_GREP_MODE_LIST_FILES, /* This mode and the following ones search nothing. */
	BS_GREP_MODE_LIST_TYPES,
	BS_GREP_MODE_GENERATE,
};

enum bs_grep_stats {
	BS_GREP_STATS_NONE,
	BS_GREP_STATS_TEXT, /* --stats: rg's, on standard output */
	BS_GREP_STATS_JSON, /* --stats=json: bitsift's own, on standard error */
};

struct bs_grep_arguments {
	/* The request made from the options, without callback functions. */
	struct bs_grep_request request;
	/* Settings that are not in the library's public request; the output file is not set yet. */
	struct bs_grep_program program;
	struct bs_limits limits;
	bool no_messages, explain;
	int stats;                /* enum bs_grep_stats */
	struct bs_grep_sums sums; /* the sums for --stats and --json */
	/* The path of the catalog; "": the user's catalog; NULL: no catalog. */
	const char *catalog;
	bool partial;
	/* The members below are set while options are parsed, and used by
	 * bs_grep_arguments_decide. */
	uint64_t after, before, context; /* UINT64_MAX: option not given. */
	uint64_t n_threads, max_depth;
	/* Receives the values of options about rg's regex engines, which are ignored. */
	uint64_t engine_bytes;
	int mode; /* enum bs_grep_mode */
	int bounds, binary, scope, color, n_unrestricted;
	int line_number, column, with_filename, heading; /* -1: option not given. */
	bool vimgrep, passthru;
	bool glob_caseless, no_vcs, no_dot, no_global, no_exclude, no_parent, no_files;
	bool patterns_from_stdin, quiet, candidates, pcre2_version, version;
	/* The arguments of --generate, --hyperlink-format and --hostname-bin; NULL: not given. */
	const char *generate, *hyperlink, *hostname_command;
	/* Memory that the request points to, and what it is made from. */
	size_t *pattern_bytes;
	struct bs_word_list patterns, globs, iglobs, ands, nots, type_changes, colors, paths, owned,
		pre_globs, ignore_files, pattern_sources;
};

/* The table of options, which set a struct bs_grep_arguments. Ends with a NULL name. --help shows
 * the first BS_GREP_N_IN_HELP. */
extern const struct bs_option bs_grep_option_table[];
#define BS_GREP_N_IN_HELP 36
extern const struct bs_grep_arguments bs_grep_defaults;

/* Makes the request from all options and operands together. BS_INVALID, BS_NO_MEMORY, and failures
 * of reading pattern files (BS_IO, BS_DEADLINE). */
enum bs_status bs_grep_arguments_decide(struct bs_grep_arguments *arguments,
                                        const struct bs_operands *operands,
                                        struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_arguments_release(void *arguments);
