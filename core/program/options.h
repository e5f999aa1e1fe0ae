/*
 * options.h: additions of bitsift's program and Python module to the requests of the library. This
 * header is not installed, and the structs may change with any commit. The functions that take them
 * are declared in the other headers of this folder.
 *
 * A zero-initialised struct of options has no effect.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Escape sequences that switch on a colour; "" for no colour. */
struct bs_grep_colors {
	char path[96], line[96], column[96], match[96];
	char highlight[96]; /* the text around the matches of a line */
};

/* Statistics of searched files, as rg counts them. */
struct bs_grep_sums {
	unsigned long long elapsed_ns, searches, searches_with_match;
	/* printed_bytes: without escape sequences */
	unsigned long long searched_bytes, printed_bytes, matched_lines, matches;
};

/* Tasks of the program that do not search. Such a task replaces the task of the request and prints
 * with the callback `write` of the request. */
enum bs_grep_program_task {
	BS_GREP_AS_REQUESTED = 0,
	/* --type-list: the file types, as modified by the request. */
	BS_GREP_LIST_TYPES,
	BS_GREP_SHOW_PCRE2_VERSION,   /* --pcre2-version */
	BS_GREP_SHOW_ENGINE_VERSIONS, /* the lines of --version about PCRE2, Hyperscan and RE2 */
};

/* Passed in addition to a struct bs_grep_request. */
struct bs_grep_program {
	enum bs_grep_program_task task;
	struct bs_grep_colors colors;
	/* If paths have a colour, paths and the fields before a line (line number, column, byte
	 * offset) become terminal links to this URL. {path}, {line} and {column} are replaced; {{
	 * and }} are braces. The path is resolved, absolute and percent-encoded. NULL: no links. */
	const char *hyperlink;
	bool has_path_separator;
	char path_separator; /* replaces each slash in paths, except in JSON */
	/* The output is a terminal: terminal controls in paths and JSON are escaped, and
	 * BS_GREP_BUFFER_AUTO flushes after each line. */
	bool is_terminal;
	/* Called about once in a millisecond after the first output, if the request has
	 * BS_GREP_BUFFER_AUTO and the callback `flush`. True: the output has no reader any more, so
	 * the search ends as after a `write` that returns 1. Nullable. */
	bool (*is_closed)(void *context);
	void *closed_context;
	/* The regular file that receives the output; 0: none. A walk of a folder skips this file.
	 * If the user names it, it is searched up to the size that it has when it is opened. */
	uint64_t output_device, output_inode;
	/* The sums over all files are added here. Then BS_GREP_QUIET and BS_GREP_FILES_WITH do not
	 * end a search at the first match. NULL: not counted. */
	struct bs_grep_sums *sums;
	/* The JSON summary is written even if the format is not BS_GREP_JSON. `sums` must be
	 * set. */
	bool json_summary;
};

/* Passed in addition to a struct bs_search_request. */
struct bs_search_program {
	uint32_t snippet_columns; /* width of a snippet in terminal columns; 0: 160 */
	/* The texts passed to the callback `explain` contain a bar chart, for a terminal. */
	bool explain_bars;
};
