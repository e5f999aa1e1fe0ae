/* grep_request.h: the request and the result of bs_grep (bitsift/grep.h). Part of the public
 * interface; see bitsift.h. */
#ifndef BITSIFT_GREP_REQUEST_H
#define BITSIFT_GREP_REQUEST_H

#include "host.h"
#include "limits.h"
#include "skip.h"

BS_BEGIN_DECLS

/* Line search, as `bitsift grep` does it. The structs below hold its options, under the names that
 * bitsift-grep(1) has for them. Zero is ripgrep's default. */
enum bs_grep_case {
	BS_GREP_CASE_SENSITIVE = 0,
	BS_GREP_CASE_INSENSITIVE, /* -i */
	BS_GREP_CASE_SMART,       /* -S: insensitive unless a pattern has an upper-case letter */
};

/* When Hyperscan or RE2 is used in addition to PCRE2. The lines found are the same, but without RE2
 * the search is given up for some patterns and lines. */
enum bs_grep_engine_use {
	/* Hyperscan: after 1 MiB has been searched. RE2: for long lines; after PCRE2 has given up a
	 * line, for all lines; and for patterns that repeat a part that may be empty. */
	BS_GREP_ENGINE_AUTO = 0,
	BS_GREP_ENGINE_ALWAYS, /* where it can be used */
	BS_GREP_ENGINE_NEVER
};

struct bs_grep_pattern {
	/* in UTF-8; in the syntax of Rust's regex crate, with lookaround and back references, or of
	 * PCRE2 (is_pcre2). A line matches if one of the patterns matches; without patterns, no
	 * line matches. */
	const char *const *patterns;
	const size_t *pattern_bytes;
	size_t n_patterns;
	enum bs_grep_case letter_case;
	bool is_fixed, is_word, is_line; /* -F; -w or -x, not both */
	bool is_multi_line, dot_all;     /* -U: a match may span lines; --multiline-dotall */
	bool crlf, null_data, no_unicode;
	bool is_pcre2; /* -P: the patterns have the syntax of PCRE2 */
	bool is_brute; /* searches line by line and without the index; the answer is the same */
	/* line_filter: for a pattern without a good literal, lines that may match are found first,
	 * by a sequence of byte classes or by Hyperscan. BS_GREP_ENGINE_NEVER turns off both.
	 * linear_engine: RE2 matches lines that take PCRE2 too long. */
	enum bs_grep_engine_use line_filter, linear_engine;
	uint64_t reserved[3];
};

/* Further patterns, in NULL-ended lists, or NULL. The letter case and the other flags of struct
 * bs_grep_pattern apply to them, too. A line is found if struct bs_grep_pattern matches it, every
 * pattern in all_of matches it, and no pattern in none_of matches it. (With is_multi_line, the
 * conditions apply to the lines of a match together.) `invert` selects the lines that are not
 * found. */
struct bs_grep_conditions {
	const char *const *all_of, *const *none_of;
	/* the conditions apply to whole files; files that do not satisfy them are not searched */
	bool by_file;
	uint64_t reserved[4];
};

/* How NUL bytes are detected. ripgrep detects them differently in files that it maps (a few named
 * files) and in files that it reads (files of folders). */
enum bs_grep_maps {
	BS_GREP_MAPS_AS_RG = 0, /* in each file as ripgrep does */
	BS_GREP_MAPS_ALL,       /* in every file as ripgrep does in files that it maps */
	BS_GREP_MAPS_NONE       /* in every file as ripgrep does in files that it reads */
};

/* The order of all files together. Files with equal times are ordered by path, folder by folder;
 * files whose time is unknown come last. */
enum bs_grep_sort {
	BS_GREP_SORT_PATH = 0,
	BS_GREP_SORT_MODIFIED,
	BS_GREP_SORT_ACCESSED,
	BS_GREP_SORT_CREATED
};

/* Lists end with NULL; NULL: none. */
struct bs_grep_files {
	/* "-" is file descriptor 0. n_paths 0: the working directory; paths are then printed
	 * without "./". */
	const char *const *paths;
	size_t n_paths;
	bool hidden, no_ignore, follow; /* follow: symlinks */
	bool ignores_outside_git;       /* reads git's ignore files outside a repository, too */
	bool caseless_ignore_files;     /* ASCII letters in ignore files match in either case */
	/* does not enter a folder on another file system than that of the path in `paths` */
	bool one_file_system;
	/* BS_WALK_NO_... flags (skip.h): kinds of ignore files that are not read */
	unsigned no_ignore_kinds;
	/* additional ignore files, which are read even if no_ignore is set */
	const char *const *ignore_files;
	bool has_max_depth, has_max_file_bytes;
	uint32_t max_depth;
	uint64_t max_file_bytes; /* applies to files found in folders */
	const char *const *globs, *const *iglobs;
	/* First the known file types are changed: --type-clear, --type-add. Then -t and -T select
	 * files. For another order, use type_changes. */
	const char *const *cleared_types, *const *added_types, *const *types,
								       *const *excluded_types;
	const char *encoding; /* -E; NULL: by byte order mark, otherwise raw bytes */
	bool is_text;         /* -a: NUL is an ordinary byte */
	bool search_binary;   /* --binary */
	enum bs_grep_maps maps;
	bool no_rule_notices; /* no notices about invalid rules in ignore files */
	/* -z: decompresses compressed files, recognised by the ending of the name */
	bool search_zip;
	/* --pre: a program, looked up in PATH. It is called for each file, with the path as its
	 * argument and the file on its standard input; its output is searched instead of the file.
	 * --pre-glob (preprocessor_globs): it is called only for files that match. */
	const char *preprocessor;
	const char *const *preprocessor_globs;
	enum bs_grep_sort sort;
	/* reverses the order of all files, including that of the paths in `paths` */
	bool is_reversed;
	/* Further changes and selections of file types, each a string "KIND=VALUE", such as
	 * "type-add=web:*.html". KIND is type-clear, type-add, type or type-not, which have the
	 * effects of cleared_types, added_types, types and excluded_types. The strings are applied
	 * one after the other, after those four lists. */
	const char *const *type_changes;
	uint64_t reserved[5];
};

/* The index that rules files out by their grams. */
struct bs_grep_index {
	const char *dir; /* NULL: none, unless is_optional */
	/* If the index cannot be used, gives a notice and searches everything. If dir is NULL, uses
	 * the index of bs_index_locate. */
	bool is_optional;
	/* Trusts the index: files that it rules out are not checked for changes. If false, they are
	 * checked, and searched if they have changed. */
	bool no_stat;
	uint64_t reserved[2];
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

/* When callbacks.flush is called. */
enum bs_grep_buffering {
	/* after the first output; when output has waited for a millisecond; and before the search
	 * waits for input from a pipe. (For `bitsift grep` on a terminal: as
	 * BS_GREP_BUFFER_LINES) */
	BS_GREP_BUFFER_AUTO = 0,
	BS_GREP_BUFFER_LINES,  /* --line-buffered: after each line */
	BS_GREP_BUFFER_BLOCKS, /* --block-buffered: never */
};

/* A separator is any bytes. bytes NULL: the default separator. */
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
	/* --enclosing: also the line of the function or section that a match is in */
	bool show_function;
	bool nul_after_path; /* -0 */
	enum bs_grep_buffering buffering;
	uint64_t before, after; /* -B, -A: lines of context */
	uint64_t max_count;     /* -m: matching lines of each file; 0: all */
	/* --max-results: the most results of all files together. A result is a line, or a file if
	 * the format or the task lists files. Results beyond this number are counted, but not
	 * shown. 0: all results are shown. */
	uint64_t max_results;
	/* --after: a resume token of struct bs_grep_results, from the same search. Results up to it
	 * are skipped and not counted. NULL: none. */
	const char *resume_token;
	/* For one search that is made in several calls, with max_results. before_this: the results
	 * that the previous call reported. This call adds its numbers to them, so that its own
	 * results cover all calls. NULL: this is the first call. resume_name: this call puts the
	 * name and a colon before the tokens that it returns; resume_token must be passed without
	 * them. NULL: no name. */
	const struct bs_grep_results *before_this;
	const char *resume_name;
	uint64_t max_columns;    /* -M; 0: unlimited */
	const char *replacement; /* -r; NULL: none */
	size_t replacement_bytes;
	/* match_separator and context_separator are written after path, number and so on: ":" on
	 * matching lines, "-" on context lines by default. group_separator is written between
	 * groups of lines: "--" by default. */
	struct bs_grep_separator match_separator, context_separator, group_separator;
	/* --stop-on-nonmatch: the search of a file ends at the first line without a match that
	 * follows a match. Not with is_multi_line. */
	bool stop_on_nonmatch;
	uint64_t reserved[5];
};

enum bs_grep_task {
	BS_GREP_SEARCH = 0,
	BS_GREP_LIST_FILES, /* --files: the files that would be searched */
	/* --candidates: the files that are searched because the index does not rule them out */
	BS_GREP_LIST_CANDIDATES,
	BS_GREP_CHECK, /* checks the request, its pattern and its index; reads no file */
};

/* Bytes [start, end) of a line. A match may end in a later line. */
struct bs_grep_span {
	size_t start, end;
};

struct bs_grep_line {
	const char *path; /* as printed; "<stdin>" */
	/* The line with its line end; with is_multi_line perhaps several lines. NULL: `path` is a
	 * listed file. */
	const char *text;
	size_t text_bytes;
	uint64_t number;   /* from 1; 0: lines are not numbered (output.line_numbers) */
	uint64_t byte_off; /* offset of text in the decoded file */
	const struct bs_grep_span *matches; /* byte ranges of text, ascending */
	size_t n_matches;
	bool is_context;
	/* With show_function: the last line up to this one that begins a function or a section.
	 * NULL: none, or is_context. */
	const char *function;
	size_t function_bytes;
	uint64_t function_number;
	uint64_t reserved[4];
};

/* The results of a search with max_results: those after its resume token; with before_this, those
 * of all its calls. A result is a line (with is_multi_line: a match), or a file. */
struct bs_grep_results {
	uint64_t n_shown, n_found; /* n_found: shown or only counted */
	uint64_t n_files;          /* files with results */
	/* token to resume after the last result shown; NULL: there are no more results */
	const char *resume_token;
	/* token of the last result shown, even if there are no more; NULL: nothing was shown */
	const char *last_token;
	uint64_t reserved[4];
};

/* Called on any thread, one at a time. Files are in the order of files.paths, and below each of
 * these paths in the order of path components. With files.sort or files.is_reversed, all files
 * together are in the order that these ask for. A callback that is NULL is not called. */
struct bs_grep_callbacks {
	/* The output that the program would print, in pieces of any size. The output of the first
	 * unfinished file arrives while that file is searched; that of later files is kept until it
	 * is their turn. Return 0 to continue. */
	int (*write)(void *context, const void *bytes, size_t n_bytes);
	/* Called when everything written so far should be passed on to its reader. */
	void (*flush)(void *context);
	/* Replaces `write`: gets each listed file or, with BS_GREP_LINES, each line that would be
	 * printed. Files with NUL bytes are treated as with --json. Return 0 to continue. Any other
	 * value ends the search; has_match then covers only the results up to this one. */
	int (*line)(void *context, const struct bs_grep_line *line);
	/* Called once, at the end, if max_results is set, the format is not BS_GREP_QUIET, and the
	 * search was not ended early. */
	void (*results)(void *context, const struct bs_grep_results *results);
	/* Called with a line about something that cannot be read or searched, or about an invalid
	 * rule in an ignore file; n_notices does not count the latter. */
	void (*notice)(void *context, const char *message);
	/* like `explain` of struct bs_search_callbacks, but called once for each line of the
	 * explanation */
	void (*explain)(void *context, const char *text, size_t text_bytes);
	void *context;
	/* `explain` is also called for each file and folder that rules leave out */
	bool explain_left_out;
	uint64_t reserved[4];
};

struct bs_grep_request {
	struct bs_grep_pattern pattern;
	struct bs_grep_conditions conditions;
	struct bs_grep_files files;
	struct bs_grep_index index;
	struct bs_grep_output output;
	enum bs_grep_task task;
	const char *kernel;                 /* as in struct bs_open_request */
	uint32_t n_threads;                 /* 0: one for each processor; at most 256 */
	struct bs_grep_callbacks callbacks; /* `write` or `line` is required for any output */
	struct bs_host host;                /* only consent and log are used */
	const struct bs_limits *limits;     /* NULL: none */
	uint64_t reserved[6];
};

struct bs_grep_result {
	bool has_match; /* a line matched, or a file was listed */
	/* a limit ended the search (bs_limits.partial): not everything was searched */
	bool is_partial;
	uint64_t n_files; /* searched */
	uint64_t n_with_match;
	/* Files that the index ruled out. With no_stat the number may be too low, but it is 0 only
	 * if no file was ruled out. */
	uint64_t n_ruled_out;
	uint64_t n_notices; /* 0: everything was searched */
	uint64_t read_bytes;
	uint64_t elapsed_ns;
	/* sources that are not followed; the index could not rule out their files */
	uint64_t n_unfollowed;
	uint64_t reserved[7];
};

BS_END_DECLS
#endif
