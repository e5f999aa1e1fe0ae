/*
 * grep_options.h: what `bitsift grep` was asked for, after all options have been weighed against each other. Filled by
 * grep_arguments.c; read by matcher, searcher and printers, none of which know an option's name.
 */
#ifndef BS_QUERY_GREP_GREP_OPTIONS_H
#define BS_QUERY_GREP_GREP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/regex/pattern.h"

#define BS_GREP_NO_LIMIT UINT64_MAX

/* What is done with a NUL byte. */
enum bs_grep_binary {
	BS_GREP_BINARY_QUIT,    /* ends the search of the file: the rule for files found by walking */
	BS_GREP_BINARY_CONVERT, /* is a line's end; that the file matches is said instead of the lines: files named */
	BS_GREP_BINARY_TEXT,    /* is a byte as any other: -a */
};

enum bs_grep_format {
	BS_GREP_LINES,
	BS_GREP_JSON,
	BS_GREP_COUNT,
	BS_GREP_COUNT_MATCHES,
	BS_GREP_FILES_WITH,
	BS_GREP_FILES_WITHOUT,
	BS_GREP_QUIET,
};

/* How lines are found. */
struct bs_grep_search {
	bool invert;
	bool passthru;
	bool crlf;
	bool line_numbers;
	uint8_t line_end;
	uint64_t before;
	uint64_t after;
};

/* A colour as the bytes that switch it on; "" for none. */
struct bs_grep_colors {
	char path[96], line[96], column[96], match[96];
};

/* How they are shown. */
struct bs_grep_output {
	enum bs_grep_format format;
	bool with_path;
	bool heading;
	bool line_numbers;
	bool columns;
	bool byte_offsets;
	bool only_matching;
	bool per_match;
	bool trim;
	bool max_columns_preview;
	bool include_zero;
	bool use_color;
	bool is_terminal; /* standard output: paths are escaped */
	bool nul_after_path; /* -0 */
	bool crlf;
	uint8_t line_end;
	uint64_t max_columns; /* 0: none */
	uint64_t max_count;
	uint64_t after; /* lines of context after a match */
	struct bs_grep_colors colors;
	const char *replacement; /* NULL: none */
	size_t replacement_bytes;
	/* Bytes between fields, between groups of lines (NULL: nothing), between files (NULL: nothing). */
	const char *match_separator, *context_separator, *group_separator, *file_separator;
};

#endif
