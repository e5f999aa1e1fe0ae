/*
 * options.h: what bitsift's own program and bindings add to the requests of the library. Private:
 * it is not installed, and the structs may change with any commit. The functions that take them are
 * in the other headers of this folder.
 *
 * Zero-initialise a struct for what the library does without it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Escape sequences that switch a colour on; "": no colour. */
struct bs_grep_colors {
	char path[96], line[96], column[96], match[96];
};

/* Tasks that search nothing: they replace the task of the request, and print by its callback
 * `write`. */
enum bs_grep_program_task {
	BS_GREP_AS_REQUESTED = 0,
	BS_GREP_LIST_TYPES,  /* --type-list: the types of files, as the request changes them */
	BS_GREP_TELL_ENGINE, /* --pcre2-version */
};

/* Next to a struct bs_grep_request. */
struct bs_grep_program {
	enum bs_grep_program_task task;
	struct bs_grep_colors colors;
	/* If paths have a colour, paths and the fields before a line become terminal links to this
	 * URL, in which {path}, {line} and {column} are replaced; {{ and }} are braces. The path is
	 * real, absolute and percent-encoded. NULL: no links. */
	const char *hyperlink;
	char path_separator; /* replaces each slash in paths, except in JSON; 0: a slash */
	/* The output goes to a terminal: in paths and JSON, characters that it might obey are
	 * escaped; BS_GREP_BUFFER_AUTO flushes at each line. */
	bool is_terminal;
	/* The regular file that the output goes to; 0: none. Below a folder it is not searched. If
	 * it is named, it is searched up to the size that it has when it is opened. */
	uint64_t output_device, output_inode;
};

/* Next to a struct bs_search_request. */
struct bs_search_program {
	uint32_t snippet_columns; /* of a terminal: the longest line of a snippet; 0: 160 */
	/* the texts passed to the callback `explain` have bars, for a terminal */
	bool explain_bars;
};
