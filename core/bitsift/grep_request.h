/* grep_request.h: what bs_grep (bitsift/grep.h) is asked, and what it returns. Part of the public interface; see bitsift.h. */
#ifndef BITSIFT_GREP_REQUEST_H
#define BITSIFT_GREP_REQUEST_H

#include "host.h"
#include "limits.h"
#include "skip.h"

BS_BEGIN_DECLS

/* Lines that match, as `bitsift grep` finds and prints them. The structs are its options, by the names that
 * bitsift-grep(1) has for them, weighed against each other. Zero is ripgrep's default. */
enum bs_grep_case {
	BS_GREP_CASE_SENSITIVE = 0,
	BS_GREP_CASE_INSENSITIVE, /* -i */
	BS_GREP_CASE_SMART,       /* -S: insensitive unless a pattern holds an upper-case letter */
};

struct bs_grep_pattern {
	const char *const *patterns; /* of PCRE2, in UTF-8; any of them may match. None: nothing matches */
	const size_t *pattern_bytes;
	size_t n_patterns;
	enum bs_grep_case letter_case;
	bool is_fixed, is_word, is_line; /* -F: literal text, -w, -x */
	bool is_multi_line, dot_all;     /* -U: a match may span lines, and a dot match their ends */
	bool crlf, null_data, no_unicode;
	bool is_pcre2; /* -P: what is not UTF-8 is searched as U+FFFD */
	bool is_brute; /* line by line, without the index: the same answer, for comparison */
	uint64_t reserved[4];
};

/* More patterns, each by itself, in NULL-ended lists, or NULL; what struct bs_grep_pattern says of letter case and so on
 * is said of them too. Found is a line that its patterns match if each of ands matches it, too, and none of nots. (With
 * is_multi_line: the lines of a match.) What invert asks for are the other lines. */
struct bs_grep_conditions {
	const char *const *ands, *const *nots;
	bool by_file; /* they choose files instead: others are not searched, and nothing is said of them */
	uint64_t reserved[4];
};

/* Whether NUL bytes are looked for as rg does in files that it maps (few that are named and no folder), or that it
 * reads. */
enum bs_grep_maps { BS_GREP_MAPS_AS_RG = 0, BS_GREP_MAPS_ALL, BS_GREP_MAPS_NONE };

/* By what the entries of each folder come in order, files and folders alike; equal ones by name. */
enum bs_grep_sort { BS_GREP_SORT_PATH = 0, BS_GREP_SORT_MODIFIED, BS_GREP_SORT_ACCESSED, BS_GREP_SORT_CREATED };

struct bs_grep_files {
	const char *const *paths; /* "-": file descriptor 0. None: the working directory, shown without "./" */
	size_t n_paths;
	bool hidden, no_ignore, follow; /* follow: symbolic links */
	bool ignores_outside_git;       /* git's ignore files count outside a repository too */
	bool caseless_ignore_files;     /* ASCII letters in ignore files match in either case */
	bool one_file_system;           /* folders on another device than the path that they lie below are left out */
	unsigned no_ignore_kinds;       /* BS_WALK_NO_... that are not read */
	const char *const *ignore_files; /* NULL-ended: more of them, of any name, whatever no_ignore says; or NULL */
	bool has_max_depth, has_max_file_bytes;
	uint32_t max_depth;
	uint64_t max_file_bytes; /* of files below folders */
	/* NULL-ended lists, or NULL. Types of files are cleared and added to before they are chosen or left out. */
	const char *const *globs, *const *iglobs;
	const char *const *type_clears, *const *type_adds, *const *types, *const *type_nots;
	const char *encoding; /* as -E; NULL: by a byte order mark; without one, bytes as they are */
	bool is_text;         /* -a: NUL is a byte as any other */
	bool search_binary;   /* --binary */
	enum bs_grep_maps maps;
	bool no_rule_notices; /* nothing is said of ignore rules below the paths that make no sense */
	/* -z: what is compressed, by the ending of its name, is searched as it was. --pre: a program, looked for in PATH; it is run with a
	 * path as its argument and the file on its standard input, and what it prints is searched; --pre-glob, NULL-ended: for which
	 * files, as globs. NULL: no program; all files. */
	bool search_zip;
	const char *preprocessor;
	const char *const *preprocessor_globs;
	enum bs_grep_sort sort;
	bool is_reversed; /* the last of each folder first */
	uint64_t reserved[6];
};

enum bs_grep_format {
	BS_GREP_LINES = 0,
	BS_GREP_JSON,
	BS_GREP_COUNT,
	BS_GREP_COUNT_MATCHES,
	BS_GREP_FILES_WITH,
	BS_GREP_FILES_WITHOUT,
	BS_GREP_QUIET, /* ends with the first match */
};

/* When flush is called, because what was written is to be passed on at once. */
enum bs_grep_buffering {
	BS_GREP_BUFFER_AUTO = 0, /* before the search waits for a pipe; `bitsift grep` on a terminal: LINES */
	BS_GREP_BUFFER_LINES,    /* --line-buffered: at each line */
	BS_GREP_BUFFER_BLOCKS,   /* --block-buffered: never */
};

/* Of any bytes; NULL: the usual. */
struct bs_grep_separator {
	const char *bytes;
	size_t n_bytes;
};

struct bs_grep_output {
	enum bs_grep_format format;
	bool invert, passthru;
	bool line_numbers, columns, byte_offsets, with_path, heading;
	bool only_matching, per_match; /* -o, --vimgrep */
	bool trim, include_zero, max_columns_preview, no_group_separator;
	bool enclosing;         /* --enclosing: the line of the function, or the heading, around a match */
	bool nul_after_path;    /* -0 */
	enum bs_grep_buffering buffering;
	uint64_t before, after; /* -B, -A: lines of context */
	uint64_t max_count;     /* -m: matching lines of each file; 0: all */
	/* --max-results: of all files together; lines, or files where the format or the task is about files. What is beyond
	 * is counted. 0: all */
	uint64_t max_results;
	const char *cursor;     /* --after: one of struct bs_grep_results, of the same search: what is found up to there is
	                         * passed over, and not counted. NULL: nothing is */
	/* Of several searches that are one, with max_results: what those before this one came to, which it goes on with, so that results
	 * are of all so far. NULL: none was. And what stands before the cursors of this one, and a colon; a cursor that is given is
	 * without. NULL: nothing. */
	const struct bs_grep_results *before_this;
	const char *cursor_name;
	uint64_t max_columns;   /* -M; 0: any number */
	const char *replacement; /* -r; NULL: none */
	size_t replacement_bytes;
	/* Behind path, number ... (":"), the same on lines of context ("-"), between lines that do not follow each other
	 * ("--"; no_group_separator: nothing). */
	struct bs_grep_separator match_separator, context_separator, group_separator;
	uint64_t reserved[6];
};

enum bs_grep_task {
	BS_GREP_SEARCH = 0,
	BS_GREP_LIST_FILES,      /* --files: those that would be searched */
	BS_GREP_LIST_CANDIDATES, /* --candidates: those that the index does not rule out */
	BS_GREP_CHECK,           /* the request, its pattern and its index; no file is looked at */
};

/* Of a line, or of a match from one into the next: bytes [start, end). */
struct bs_grep_span {
	size_t start, end;
};

struct bs_grep_line {
	const char *path;    /* as it is shown; "<stdin>" */
	const char *text;    /* with its end; with is_multi_line perhaps several lines. NULL: a file is listed */
	size_t text_bytes;
	uint64_t number;     /* from 1; 0: not counted (line_numbers) */
	uint64_t byte_off;   /* of text in the file, as it was decoded */
	const struct bs_grep_span *matches; /* in text, in order */
	size_t n_matches;
	bool is_context;
	/* The last line up to this one that begins a function or the like; enclosing NULL: there is none, or it is not asked
	 * for, or this is_context. */
	const char *enclosing;
	size_t enclosing_bytes;
	uint64_t enclosing_number;
	uint64_t reserved[4];
};

/* What a search with max_results came to, from its cursor on. */
struct bs_grep_results {
	uint64_t n_shown, n_found; /* lines (with is_multi_line: lines of a match, as one), or files */
	uint64_t n_files;          /* in which they are found */
	const char *cursor;        /* behind the last one shown; NULL: there are no more */
	const char *last;          /* the same, though there are no more; NULL: none was shown */
	uint64_t reserved[4];
};

struct bs_grep_request {
	struct bs_grep_pattern pattern;
	struct bs_grep_conditions conditions;
	struct bs_grep_files files;
	struct bs_grep_output output;
	enum bs_grep_task task;

	const char *index;    /* the directory of an index, to rule files out by their grams; NULL: none */
	bool try_index;       /* what is wrong with it is a notice, and all is searched. NULL: bs_index_locate's */
	bool no_stat;         /* trust it: look at no file that it rules out. Else files that changed are searched */
	const struct bs_consent *consent;
	const struct bs_limits *limits; /* NULL: none */
	const struct bs_log *log;       /* NULL: none */
	const char *kernel;   /* as that of bs_index_open */
	uint32_t n_threads;   /* 0: one a processor; more than 256 count as 256 */

	/* The callbacks come on any thread, but one at a time; files in the order of paths, below a folder by path
	 * component or as sort says. write gets what the program would print, in pieces of any size, that of the file
	 * which is next in order while it is searched. If line is set, that gets instead each file that is listed or, where the format is
	 * BS_GREP_LINES, each line; of files with NUL bytes as --json. Both return 0 to go on; has_match then says what
	 * was found until they did not. flush, if set, is told when whoever reads what was written is to have it. */
	int (*write)(void *context, const void *bytes, size_t n_bytes);
	void (*flush)(void *context);
	int (*line)(void *context, const struct bs_grep_line *line);
	/* Once, in the end, if there is max_results, the format is not BS_GREP_QUIET, and no callback stopped the search.
	 * NULL: not called. */
	void (*results)(void *context, const struct bs_grep_results *results);
	/* A line about what cannot be read or searched, and so is not; or about an ignore rule that makes no sense and does
	 * not count, which does not count as a notice either. NULL: not called. */
	void (*notice)(void *context, const char *message);
	void (*explain)(void *context, const char *text, size_t text_bytes); /* as that of bs_search, a line at a time */
	bool explain_left_out; /* explain is called for each file and folder that the rules leave out, too */
	void *context;
	uint64_t reserved[6];
};

struct bs_grep_result {
	bool has_match;       /* or a file was listed */
	bool is_partial;      /* a limit ended it (partial): not everything was searched */
	uint64_t n_files;     /* searched */
	uint64_t n_with_match;
	uint64_t n_ruled_out; /* by the index; if it is trusted, only whether there are some */
	uint64_t n_notices;   /* 0: everything was searched */
	uint64_t read_bytes;
	uint64_t elapsed_ns;
	uint64_t n_unfollowed; /* sources of the index that was not asked about their files: they are not followed */
	uint64_t reserved[7];
};

BS_END_DECLS
#endif
