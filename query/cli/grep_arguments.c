/* grep_arguments.c: see grep_arguments.h. First each option is stored as its row of the table says;
 * later options override earlier ones, as in rg. Then the request is made from all options
 * together. */
#include "query/cli/grep_arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/cli/cmd_input.h"
#include "query/cli/commands.h"
#include "query/cli/grep_style.h"
#include "query/options/shared_options.h"

enum {
	BOUNDS_NONE,
	BOUNDS_WORD,
	BOUNDS_LINE
};
enum {
	COUNT_NONE,
	COUNT_LINES,
	COUNT_MATCHES
};
enum {
	FILES_ALL,
	FILES_WITH,
	FILES_WITHOUT
};
enum {
	CONTEXT_AFTER,
	CONTEXT_BEFORE,
	CONTEXT_BOTH,
	CONTEXT_ALL
};
enum {
	BINARY_SKIP,
	BINARY_TEXT,
	BINARY_SEARCH
};
enum {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_ANSI,
	COLOR_NEVER
};

static const char *const color_whens[] = {"auto", "always", "ansi", "never", NULL};
enum {
	ENGINE_DEFAULT,
	ENGINE_PCRE2,
	ENGINE_AUTO
};
static const char *const engines[] = {"default", "pcre2", "auto", NULL};
static const char *const scopes[] = {"line", "file", NULL};
/* In the order of enum bs_grep_sort, which has no "none": that is the default order, by path. */
static const char *const sort_keys[] = {"path", "modified", "accessed", "created", "none", NULL};

static enum bs_status own(struct bs_grep_arguments *arguments, char *text, struct bs_error *err)
{
	enum bs_status status = text ? bs_word_list_add(&arguments->owned, text, err)
	                             : bs_fail_memory(err, "an option", 0);
	if (status)
		free(text);
	return status;
}

static enum bs_status add_pattern(struct bs_grep_arguments *arguments, const char *text, size_t n,
                                  struct bs_error *err)
{
	size_t n_before = arguments->patterns.n;
	/* The array has room for a power of two of patterns, so it is full if n_before is 0 or a
	 * power of two. */
	if ((n_before & (n_before - 1)) == 0) {
		size_t *grown = realloc(arguments->pattern_bytes,
		                        (n_before ? n_before * 2 : 1) * sizeof(n));
		if (!grown)
			return bs_fail_memory(err, "patterns", n_before * 2 * sizeof(n));
		arguments->pattern_bytes = grown;
	}
	arguments->pattern_bytes[n_before] = n;
	return bs_word_list_add(&arguments->patterns, text, err);
}

/* Adds every line of a file as a pattern. */
static enum bs_status add_file(struct bs_grep_arguments *arguments, const char *path,
                               const struct bs_timer *timer, struct bs_error *err)
{
	char *bytes;
	size_t n_bytes;
	enum bs_status status = bs_input_read_file(path, timer, &bytes, &n_bytes, err);
	if (!status)
		status = own(arguments, bytes, err);
	const char *at = bytes, *line;
	size_t n;
	while (!status && (line = bs_input_line(&at, bytes + n_bytes, &n)))
		status = add_pattern(arguments, line, n, err);
	return status;
}

/* Stores the path of a pattern file. It is read when all options are known, because its patterns
 * come after those of -e, as in rg. */
static enum bs_status take_file(void *to, const struct bs_option *option, const char *path,
                                struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	(void)option;
	arguments->has_pattern_option = true;
	arguments->patterns_from_stdin |= strcmp(path, "-") == 0;
	return bs_word_list_add(&arguments->pattern_files, path, err);
}

/* Replaces the escapes \n, \r, \t, \\ and \x00 of a separator. Other escapes stay as they are, as
 * in rg. */
static enum bs_status unescape(struct bs_grep_arguments *arguments, const char *value,
                               struct bs_grep_separator *out, struct bs_error *err)
{
	static const char letters[] = "nrt\\", bytes[] = "\n\r\t\\";
	char *text = strdup(value), *to = text;
	enum bs_status status = own(arguments, text, err);
	for (const char *from = value; !status && *from; from++) {
		const char *letter = from[0] == '\\' && from[1] ? strchr(letters, from[1]) : NULL;
		bool is_hex = from[0] == '\\' && from[1] == 'x' &&
		              isxdigit((unsigned char)from[2]) && isxdigit((unsigned char)from[3]);
		unsigned code = 0;
		if (letter) {
			*to++ = bytes[letter - letters];
			from++;
		} else if (is_hex && sscanf(from + 2, "%2x", &code) == 1) {
			*to++ = (char)code;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*out = (struct bs_grep_separator){text, status ? 0 : (size_t)(to - text)};
	return status;
}

static enum bs_status take_regexp(void *to, const struct bs_option *option, const char *argument,
                                  struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	(void)option;
	arguments->has_pattern_option = true;
	return add_pattern(arguments, argument, strlen(argument), err);
}

/* -A, -B, -C, --passthru: each resets the options it conflicts with. */
static enum bs_status take_context(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	uint64_t *const counts[] = {&arguments->after, &arguments->before, &arguments->context};
	arguments->has_context = option->value == CONTEXT_BOTH;
	arguments->passthru = option->value == CONTEXT_ALL;
	if (option->value >= CONTEXT_BOTH)
		arguments->after = arguments->before = 0;
	if (option->value != CONTEXT_BOTH)
		arguments->context = 0;
	if (option->value == CONTEXT_ALL)
		return BS_OK;
	return bs_parse_number(option->name, argument, 0, UINT64_MAX - 1, counts[option->value],
	                       err);
}

/* --crlf, --no-crlf, --null-data: how lines end. */
static enum bs_status take_line_end(void *to, const struct bs_option *option, const char *argument,
                                    struct bs_error *err)
{
	struct bs_grep_pattern *pattern = &((struct bs_grep_arguments *)to)->request.pattern;
	bool is_nul = strcmp(option->name, "null-data") == 0;
	(void)argument, (void)err;
	pattern->crlf = option->value;
	if (is_nul || pattern->crlf)
		pattern->null_data = is_nul;
	return BS_OK;
}

static enum bs_status take_separator(void *to, const struct bs_option *option, const char *argument,
                                     struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	if (option->offset == offsetof(struct bs_grep_arguments, request.output.group_separator))
		arguments->request.output.no_group_separator = false;
	return unescape(arguments, argument,
	                (struct bs_grep_separator *)(void *)((char *)to + option->offset), err);
}

/* --sort, --sortr, --sort-files: the last one counts. */
static enum bs_status take_sort(void *to, const struct bs_option *option, const char *argument,
                                struct bs_error *err)
{
	struct bs_grep_files *files = &((struct bs_grep_arguments *)to)->request.files;
	int key = 0;
	enum bs_status status =
		argument ? bs_parse_name(option->name, argument, sort_keys, &key, err) : BS_OK;
	bool is_none = key > BS_GREP_SORT_CREATED;
	files->sort = is_none ? BS_GREP_SORT_PATH : (enum bs_grep_sort)key;
	files->is_reversed = option->value && !is_none;
	return status;
}

/* --no-ignore and --ignore: options like --ignore-vcs. Further ones may undo parts of them. */
static enum bs_status take_ignore(void *to, const struct bs_option *option, const char *argument,
                                  struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	(void)argument, (void)err;
	arguments->no_dot = arguments->no_exclude = arguments->no_global = arguments->no_parent =
		arguments->no_vcs = option->value;
	return BS_OK;
}

/* -u: each use adds one option, which later options may undo. */
static enum bs_status take_unrestricted(void *to, const struct bs_option *option,
                                        const char *argument, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	switch (++arguments->n_unrestricted) {
	case 1:
		return take_ignore(to, option, argument, err);
	case 2:
		arguments->request.files.hidden = true;
		break;
	case 3:
		arguments->binary = BINARY_SEARCH;
		break;
	default:
		return bs_fail(err, BS_INVALID, "--%s is given more than three times",
		               option->name);
	}
	return BS_OK;
}

/* -t, -T, --type-add, --type-clear: their order counts. */
static enum bs_status take_type(void *to, const struct bs_option *option, const char *argument,
                                struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	char *change;
	if (asprintf(&change, "%s=%s", option->name, argument) < 0)
		change = NULL;
	enum bs_status status = own(arguments, change, err);
	return status ? status : bs_word_list_add(&arguments->type_changes, change, err);
}

/* --engine: bitsift has one engine. With pcre2, it treats invalid UTF-8 as rg's pcre2 engine
 * does. */
static enum bs_status take_engine(void *to, const struct bs_option *option, const char *argument,
                                  struct bs_error *err)
{
	struct bs_grep_pattern *pattern = &((struct bs_grep_arguments *)to)->request.pattern;
	int engine = 0;
	enum bs_status status =
		argument ? bs_parse_name(option->name, argument, engines, &engine, err) : BS_OK;
	pattern->is_pcre2 = engine == ENGINE_PCRE2;
	return status;
}

static enum bs_status take_no_encoding(void *to, const struct bs_option *option,
                                       const char *argument, struct bs_error *err)
{
	(void)option, (void)argument, (void)err;
	((struct bs_grep_arguments *)to)->request.files.encoding = "auto";
	return BS_OK;
}

/* --pre COMMAND, --no-pre, -z: the last of --pre and -z counts. */
static enum bs_status take_reading(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_grep_files *files = &((struct bs_grep_arguments *)to)->request.files;
	(void)err;
	files->preprocessor = argument && *argument ? argument : NULL;
	if (argument || option->value)
		files->search_zip = option->value;
	return BS_OK;
}

static enum bs_status take_path_separator(void *to, const struct bs_option *option,
                                          const char *argument, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	struct bs_grep_separator separator;
	enum bs_status status = unescape(arguments, argument, &separator, err);
	if (!status && separator.n_bytes > 1)
		status = bs_fail(err, BS_INVALID, "--%s %s: it can be one byte", option->name,
		                 argument);
	if (!status)
		arguments->program.path_separator = separator.n_bytes ? *separator.bytes : '\0';
	return status;
}

static enum bs_status take_hyperlink(void *to, const struct bs_option *option, const char *argument,
                                     struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	char *format;
	(void)option;
	enum bs_status status = bs_grep_hyperlink_format(argument, &format, err);
	if (!status)
		status = own(arguments, format, err);
	if (!status)
		arguments->program.hyperlink = *format ? format : NULL;
	return status;
}

#define SETS(kind, field) BS_OPTION_SETS(kind, struct bs_grep_arguments, field)
#define CALL(function)    .kind = BS_OPTION_CALL, .take = (function)

/* The options that --help shows are first. The others, which rg accepts in scripts or which undo an
 * option, are only on the man page. */
const struct bs_option bs_grep_option_table[] = {
	{'e', "regexp", "PATTERN", "a pattern; repeatable", CALL(take_regexp), .takes_dash = true},
	{'f', "file", "FILE", "patterns, one per line (- is standard input); repeatable",
         CALL(take_file), .takes_dash = true},
	{'i', "ignore-case", NULL, "ignore letter case", SETS(CHOICE, request.pattern.letter_case),
         .value = BS_GREP_CASE_INSENSITIVE},
	{'S', "smart-case", NULL, "-i unless the pattern has an upper-case letter",
         SETS(CHOICE, request.pattern.letter_case), .value = BS_GREP_CASE_SMART},
	{'w', "word-regexp", NULL, "whole words", SETS(CHOICE, bounds), .value = BOUNDS_WORD},
	{'x', "line-regexp", NULL, "whole lines", SETS(CHOICE, bounds), .value = BOUNDS_LINE},
	{'F', "fixed-strings", NULL, "patterns are literal text",
         SETS(FLAG, request.pattern.is_fixed)},
	{0, "and", "PATTERN", "lines that also match PATTERN; repeatable", SETS(LIST, ands),
         .takes_dash = true},
	{0, "not", "PATTERN", "lines that do not match PATTERN; repeatable", SETS(LIST, nots),
         .takes_dash = true},
	{'v', "invert-match", NULL, "lines that do not match", SETS(FLAG, request.output.invert)},
	{'U', "multiline", NULL, "matches may span lines",
         SETS(FLAG, request.pattern.is_multi_line)},
	{'n', "line-number", NULL, "line numbers [on a terminal]", SETS(CHOICE, line_number),
         .value = 1},
	{'o', "only-matching", NULL, "only the matches, each on its line",
         SETS(FLAG, request.output.only_matching)},
	{'r', "replace", "TEXT", "show TEXT for each match; $1 and $name are groups",
         SETS(STRING, request.output.replacement), .takes_dash = true},
	{'A', "after-context", "N", "N lines after each match", CALL(take_context),
         .value = CONTEXT_AFTER},
	{'B', "before-context", "N", "N lines before each match", CALL(take_context),
         .value = CONTEXT_BEFORE},
	{'C', "context", "N", "N lines before and after", CALL(take_context),
         .value = CONTEXT_BOTH},
	{0, "enclosing", NULL, "the line of the function, or the heading, around a match",
         SETS(FLAG, request.output.show_function)},
	{'c', "count", NULL, "number of matching lines per file", SETS(CHOICE, count),
         .value = COUNT_LINES},
	{'l', "files-with-matches", NULL, "only paths of files that match",
         SETS(CHOICE, which_files), .value = FILES_WITH},
	{'q', "quiet", NULL, "print nothing, only set the exit status", SETS(FLAG, quiet)},
	{'m', "max-count", "N", "at most N matching lines of each file",
         SETS(NUMBER, request.output.max_count)},
	{0, "max-results", "N", "at most N lines of all files; prints the exact total",
         SETS(NUMBER, request.output.max_results), .least = 1, .takes_dash = true},
	{0, "json", NULL, "JSON lines, as rg's", SETS(FLAG, json)},
	{'a', "text", NULL, "search binary files as if they were text", SETS(CHOICE, binary),
         .value = BINARY_TEXT},
	BS_SHARED_GLOB(struct bs_grep_arguments, globs),
	{'t', "type", "TYPE", "only files of the type; repeatable", CALL(take_type)},
	{'T', "type-not", "TYPE", "no files of the type; repeatable", CALL(take_type)},
	{'.', "hidden", NULL, "hidden files too", SETS(FLAG, request.files.hidden)},
	{0, "no-ignore", NULL, "do not apply .gitignore and similar files", CALL(take_ignore),
         .value = true},
	{'L', "follow", NULL, "follow symlinks", SETS(FLAG, request.files.follow)},
	{0, "index", "DIR", "the index [the nearest .bitsift upward, if any]",
         SETS(ONCE, request.index.dir), .takes_dash = true},
	BS_SHARED_CATALOG(struct bs_grep_arguments, catalog,
                          "search all indexes of a catalog [the user's]"),
	{0, "no-stat", NULL, "trust the index: open only files that may match",
         SETS(FLAG, request.index.no_stat)},
	{0, "candidates", NULL, "print the files that may match, without searching them",
         SETS(FLAG, candidates)},
	{'j', "jobs", "N", "threads [one per processor]", SETS(NUMBER, n_threads)},
	/* Options that --help does not show. */
	{0, "after", "CURSOR", "continue after the last --max-results",
         SETS(STRING, request.output.resume_token), .takes_dash = true},
	{0, "partial", NULL, "with --catalog: skip indexes that cannot be reached",
         SETS(FLAG, partial)},
	{0, "time-limit", "TIME", "stop after 250ms, 2s, ..., with a notice",
         SETS(DURATION, limits.deadline_ns), .takes_dash = true},
	{0, "scope", "SCOPE", "what --and and --not select: line or file [line]", SETS(NAME, scope),
         .names = scopes, .takes_dash = true},
	{'s', "case-sensitive", NULL, "undo -i and -S", SETS(CHOICE, request.pattern.letter_case),
         .value = BS_GREP_CASE_SENSITIVE},
	{0, "no-fixed-strings", NULL, "undo -F", SETS(UNFLAG, request.pattern.is_fixed)},
	{0, "no-multiline", NULL, "undo -U", SETS(UNFLAG, request.pattern.is_multi_line)},
	{0, "multiline-dotall", NULL, "with -U, . also matches line ends",
         SETS(FLAG, request.pattern.dot_all)},
	{0, "no-multiline-dotall", NULL, "undo --multiline-dotall",
         SETS(UNFLAG, request.pattern.dot_all)},
	{'P', "pcre2", NULL, "as rg -P: print and match bytes that are not UTF-8 as U+FFFD",
         SETS(FLAG, request.pattern.is_pcre2)},
	{0, "no-pcre2", NULL, "undo -P", SETS(UNFLAG, request.pattern.is_pcre2)},
	{0, "engine", "NAME", "pcre2 is -P; default and auto undo it", CALL(take_engine)},
	{0, "auto-hybrid-regex", NULL, "undo -P", CALL(take_engine)},
	{0, "no-auto-hybrid-regex", NULL, "undo -P", CALL(take_engine)},
	{0, "regex-size-limit", "SIZE", "accepted, and ignored", SETS(SIZE_AS_RG, engine_bytes)},
	{0, "dfa-size-limit", "SIZE", "accepted, and ignored", SETS(SIZE_AS_RG, engine_bytes)},
	{'N', "no-line-number", NULL, "no line numbers", SETS(CHOICE, line_number), .value = 0},
	{'H', "with-filename", NULL, "paths [with more than one file]", SETS(CHOICE, with_filename),
         .value = 1},
	{'I', "no-filename", NULL, "no paths", SETS(CHOICE, with_filename), .value = 0},
	{0, "column", NULL, "column of the first match, in bytes", SETS(CHOICE, column),
         .value = 1},
	{0, "no-column", NULL, "undo --column", SETS(CHOICE, column), .value = 0},
	{'b', "byte-offset", NULL, "byte offset of each line or match",
         SETS(FLAG, request.output.byte_offsets)},
	{0, "passthru", NULL, "all lines, matching or not", CALL(take_context),
         .value = CONTEXT_ALL},
	{0, "passthrough", NULL, "--passthru", CALL(take_context), .value = CONTEXT_ALL},
	{0, "count-matches", NULL, "number of matches per file", SETS(CHOICE, count),
         .value = COUNT_MATCHES},
	{0, "files-without-match", NULL, "only paths of files that do not match",
         SETS(CHOICE, which_files), .value = FILES_WITHOUT},
	{0, "no-json", NULL, "undo --json", SETS(UNFLAG, json)},
	{0, "vimgrep", NULL, "each match on its own line, with path, line and column",
         SETS(FLAG, vimgrep)},
	{0, "color", "WHEN", "auto, always, ansi or never [auto]", SETS(NAME, color),
         .names = color_whens},
	{0, "colors", "SPEC",
         "as rg's: path, line, column or match, then :fg:COLOR and so on; repeatable",
         SETS(LIST, colors)},
	{'0', "null", NULL, "NUL after each path", SETS(FLAG, request.output.nul_after_path)},
	{'M', "max-columns", "N", "leave out lines longer than N bytes [0: no limit]",
         SETS(NUMBER, request.output.max_columns)},
	{0, "path-separator", "BYTE", "replace slashes in paths", CALL(take_path_separator)},
	{0, "hyperlink-format", "FORMAT",
         "with colour, print paths as links: file, kitty, vscode or another name of rg 14, or a "
         "URL with {path}, {line}, {column}, {host}, {wslprefix}",
         CALL(take_hyperlink)},
	{0, "max-columns-preview", NULL, "with -M, print the start of long lines",
         SETS(FLAG, request.output.max_columns_preview)},
	{0, "no-max-columns-preview", NULL, "undo --max-columns-preview",
         SETS(UNFLAG, request.output.max_columns_preview)},
	{0, "trim", NULL, "remove white space at line starts", SETS(FLAG, request.output.trim)},
	{0, "no-trim", NULL, "undo --trim", SETS(UNFLAG, request.output.trim)},
	{0, "heading", NULL, "the path once, above the lines of its file", SETS(FLAG, heading)},
	{0, "no-heading", NULL, "the path on every line; always so without --heading",
         SETS(UNFLAG, heading)},
	{'p', "pretty", NULL, "line numbers, and colour even without a terminal",
         SETS(FLAG, pretty)},
	{0, "include-zero", NULL, "with -c, files without a match too",
         SETS(FLAG, request.output.include_zero)},
	{0, "context-separator", "TEXT", "between lines that are not adjacent [--]",
         CALL(take_separator),
         .offset = offsetof(struct bs_grep_arguments, request.output.group_separator)},
	{0, "no-enclosing", NULL, "undo --enclosing", SETS(UNFLAG, request.output.show_function)},
	{0, "no-context-separator", NULL, "no context separator",
         SETS(FLAG, request.output.no_group_separator)},
	{0, "field-match-separator", "TEXT", "between path, number and line [:]",
         CALL(take_separator),
         .offset = offsetof(struct bs_grep_arguments, request.output.match_separator)},
	{0, "field-context-separator", "TEXT", "between path, number and line of context [-]",
         CALL(take_separator),
         .offset = offsetof(struct bs_grep_arguments, request.output.context_separator)},
	{0, "no-text", NULL, "undo -a and --binary", SETS(CHOICE, binary), .value = BINARY_SKIP},
	{0, "binary", NULL, "search binary files; print if they match", SETS(CHOICE, binary),
         .value = BINARY_SEARCH},
	{0, "no-binary", NULL, "undo --binary and -a", SETS(CHOICE, binary), .value = BINARY_SKIP},
	{'z', "search-zip", NULL,
         "search compressed files: .gz, .bz2, .xz, .lzma, .lz4, .zst, .br, .Z", CALL(take_reading),
         .value = 1},
	{0, "no-search-zip", NULL, "undo -z", SETS(UNFLAG, request.files.search_zip)},
	{0, "pre", "COMMAND", "search the output of COMMAND, run for each path",
         CALL(take_reading)},
	{0, "no-pre", NULL, "undo --pre", CALL(take_reading)},
	{0, "pre-glob", "GLOB", "use --pre only for files that match; !GLOB excludes; repeatable",
         SETS(LIST, pre_globs), .takes_dash = true},
	{'E', "encoding", "NAME",
         "auto, none, or a name of the web: utf-16, latin1, shift_jis ... [auto]",
         SETS(STRING, request.files.encoding)},
	{0, "no-encoding", NULL, "undo -E; keep invalid UTF-8, even with -P",
         CALL(take_no_encoding)},
	{0, "crlf", NULL, "lines may end in CR LF", CALL(take_line_end), .value = true},
	{0, "no-crlf", NULL, "undo --crlf", CALL(take_line_end)},
	{0, "null-data", NULL, "lines end in NUL", CALL(take_line_end)},
	{0, "no-unicode", NULL, "patterns match bytes", SETS(FLAG, request.pattern.no_unicode)},
	{0, "no-pcre2-unicode", NULL, "--no-unicode", SETS(FLAG, request.pattern.no_unicode)},
	{0, "unicode", NULL, "undo --no-unicode", SETS(UNFLAG, request.pattern.no_unicode)},
	{0, "pcre2-unicode", NULL, "--unicode", SETS(UNFLAG, request.pattern.no_unicode)},
	{0, "iglob", "GLOB", "as -g, ignoring case; repeatable", SETS(LIST, iglobs),
         .takes_dash = true},
	{0, "glob-case-insensitive", NULL, "treat -g as --iglob", SETS(FLAG, glob_caseless)},
	{0, "no-glob-case-insensitive", NULL, "undo --glob-case-insensitive",
         SETS(UNFLAG, glob_caseless)},
	{0, "type-add", "SPEC", "add NAME:GLOB, or NAME:include:OTHER; repeatable",
         CALL(take_type)},
	{0, "type-clear", "TYPE", "forget the globs of a type; repeatable", CALL(take_type)},
	{0, "type-list", NULL, "list the types", SETS(FLAG, type_list)},
	{0, "files", NULL, "list the files that would be searched", SETS(FLAG, files)},
	{0, "no-hidden", NULL, "undo --hidden", SETS(UNFLAG, request.files.hidden)},
	{0, "ignore", NULL, "undo --no-ignore and all --no-ignore-... but --no-ignore-files",
         CALL(take_ignore)},
	{0, "no-ignore-vcs", NULL, "do not read git's ignore files", SETS(FLAG, no_vcs)},
	{0, "ignore-vcs", NULL, "undo --no-ignore-vcs", SETS(UNFLAG, no_vcs)},
	{0, "no-ignore-dot", NULL, "do not read .ignore and .rgignore", SETS(FLAG, no_dot)},
	{0, "ignore-dot", NULL, "undo --no-ignore-dot", SETS(UNFLAG, no_dot)},
	{0, "no-ignore-global", NULL, "do not read git's global excludes", SETS(FLAG, no_global)},
	{0, "ignore-global", NULL, "undo --no-ignore-global", SETS(UNFLAG, no_global)},
	{0, "no-ignore-exclude", NULL, "do not read .git/info/exclude", SETS(FLAG, no_exclude)},
	{0, "ignore-exclude", NULL, "undo --no-ignore-exclude", SETS(UNFLAG, no_exclude)},
	{0, "no-ignore-parent", NULL, "do not read ignore files of parent folders",
         SETS(FLAG, no_parent)},
	{0, "ignore-parent", NULL, "undo --no-ignore-parent", SETS(UNFLAG, no_parent)},
	{0, "ignore-file", "PATH",
         "a further ignore file, relative to the working directory; repeatable",
         SETS(LIST, ignore_files), .takes_dash = true},
	{0, "no-ignore-files", NULL, "undo --ignore-file", SETS(FLAG, no_files)},
	{0, "ignore-files", NULL, "undo --no-ignore-files", SETS(UNFLAG, no_files)},
	{0, "ignore-file-case-insensitive", NULL, "match ignore rules in any case of ASCII letters",
         SETS(FLAG, request.files.caseless_ignore_files)},
	{0, "no-ignore-file-case-insensitive", NULL, "undo --ignore-file-case-insensitive",
         SETS(UNFLAG, request.files.caseless_ignore_files)},
	{0, "require-git", NULL, "undo --no-require-git",
         SETS(UNFLAG, request.files.ignores_outside_git)},
	{0, "one-file-system", NULL, "skip folders on other file systems than their PATH",
         SETS(FLAG, request.files.one_file_system)},
	{0, "no-one-file-system", NULL, "undo --one-file-system",
         SETS(UNFLAG, request.files.one_file_system)},
	{0, "no-require-git", NULL, "use git's ignore files outside repositories too",
         SETS(FLAG, request.files.ignores_outside_git)},
	{'u', "unrestricted", NULL, "--no-ignore; -uu: --hidden too; -uuu: --binary too",
         CALL(take_unrestricted), .value = true},
	{0, "no-follow", NULL, "undo -L", SETS(UNFLAG, request.files.follow)},
	{'d', "max-depth", "N", "at most N folders deep", SETS(NUMBER, max_depth),
         .most = UINT32_MAX},
	{0, "maxdepth", "N", "--max-depth", SETS(NUMBER, max_depth), .most = UINT32_MAX},
	{0, "max-filesize", "SIZE", "skip larger files",
         SETS(SIZE_AS_RG, request.files.max_file_bytes)},
	{0, "sort", "KEY", "path, modified, accessed or created [path]", CALL(take_sort)},
	{0, "sortr", "KEY", "--sort, in reverse order", CALL(take_sort), .value = 1},
	{0, "sort-files", NULL, "--sort path", CALL(take_sort)},
	{0, "no-sort-files", NULL, "--sort path", CALL(take_sort)},
	{0, "mmap", NULL, "treat NUL bytes as rg does in files that it maps",
         SETS(CHOICE, request.files.maps), .value = BS_GREP_MAPS_ALL},
	{0, "no-mmap", NULL, "treat NUL bytes as rg does in files that it reads",
         SETS(CHOICE, request.files.maps), .value = BS_GREP_MAPS_NONE},
	{0, "no-messages", NULL, "no messages about files that cannot be read",
         SETS(FLAG, no_messages)},
	{0, "messages", NULL, "undo --no-messages", SETS(UNFLAG, no_messages)},
	{0, "no-config", NULL, "do not read the file that BITSIFT_CONFIG_PATH names",
         .kind = BS_OPTION_NOTHING},
	{0, "line-buffered", NULL, "write each line at once [on a terminal]",
         SETS(CHOICE, request.output.buffering), .value = BS_GREP_BUFFER_LINES},
	{0, "no-line-buffered", NULL, "undo --line-buffered",
         SETS(CHOICE, request.output.buffering), .value = BS_GREP_BUFFER_AUTO},
	{0, "block-buffered", NULL, "write lines only in large blocks",
         SETS(CHOICE, request.output.buffering), .value = BS_GREP_BUFFER_BLOCKS},
	{0, "no-block-buffered", NULL, "undo --block-buffered",
         SETS(CHOICE, request.output.buffering), .value = BS_GREP_BUFFER_AUTO},
	{0, "no-ignore-messages", NULL, "no messages about invalid ignore rules",
         SETS(FLAG, request.files.no_rule_notices)},
	{0, "ignore-messages", NULL, "undo --no-ignore-messages",
         SETS(UNFLAG, request.files.no_rule_notices)},
	{0, "threads", "N", "--jobs", SETS(NUMBER, n_threads)},
	{0, "brute", NULL, "use no index and match line by line: slow, for comparing",
         SETS(FLAG, request.pattern.is_brute)},
	BS_SHARED_KERNEL(struct bs_grep_arguments, request.kernel),
	BS_SHARED_STATS(struct bs_grep_arguments, stats),
	{0, "no-stats", NULL, "undo --stats", SETS(UNFLAG, stats)},
	{0, "explain", NULL, "explain on stderr how lines are found", SETS(FLAG, explain)},
	{0, "debug", NULL, "--explain, and name what the rules leave out",
         SETS(FLAG, request.callbacks.explain_left_out)},
	{0, "trace", NULL, "--debug", SETS(FLAG, request.callbacks.explain_left_out)},
	{0, "pcre2-version", NULL, "print the version of PCRE2", SETS(FLAG, pcre2_version)},
	{'V', "version", NULL, "print the version", SETS(FLAG, version)},
	{0},
};

static bool stdin_is_readable(void)
{
	struct stat found;
	return fstat(STDIN_FILENO, &found) == 0 &&
	       (S_ISREG(found.st_mode) || S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode));
}

static bool is_folder(const char *path)
{
	struct stat found;
	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Stores the operands. The first one is the pattern, unless -e or -f gave one; the others are
 * paths. */
static enum bs_status take_operands(struct bs_grep_arguments *arguments, char **operands, size_t n,
                                    struct bs_error *err)
{
	struct bs_grep_request *request = &arguments->request;
	enum bs_status status = BS_OK;
	struct bs_timer timer;
	bs_timer_start(&timer, arguments->limits.deadline_ns);
	bool wants_pattern = !arguments->has_pattern_option && !arguments->files &&
	                     !arguments->type_list && !arguments->pcre2_version;
	if (wants_pattern && n == 0)
		return bs_fail(err, BS_INVALID, "a pattern is missing; see `bitsift grep --help`");
	if (wants_pattern)
		status = add_pattern(arguments, operands[0], strlen(operands[0]), err);
	for (size_t i = 0; i < arguments->pattern_files.n && !status; i++)
		status = add_file(arguments, arguments->pattern_files.list[i], &timer, err);
	/* The time spent on reading pattern files counts for the time limit of the search. */
	arguments->limits.deadline_ns = bs_timer_left(&timer);
	for (size_t i = wants_pattern; i < n && !status; i++)
		status = bs_word_list_add(&arguments->paths, operands[i], err);
	if (!status && n <= (size_t)wants_pattern && !arguments->catalog && stdin_is_readable() &&
	    !arguments->patterns_from_stdin && !arguments->files)
		status = bs_word_list_add(&arguments->paths, "-", err);
	request->files.paths = arguments->paths.list;
	request->files.n_paths = arguments->paths.n;
	request->pattern.patterns = arguments->patterns.list;
	request->pattern.n_patterns = arguments->patterns.n;
	request->pattern.pattern_bytes = arguments->pattern_bytes;
	return status;
}

static enum bs_status decide_files(struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct bs_grep_files *files = &arguments->request.files;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < arguments->globs.n && arguments->glob_caseless && !status; i++)
		status = bs_word_list_add(&arguments->iglobs, arguments->globs.list[i], err);
	files->ignore_files = arguments->no_files ? NULL : arguments->ignore_files.list;
	files->preprocessor_globs = arguments->pre_globs.list;
	files->iglobs = arguments->iglobs.list;
	files->globs = arguments->glob_caseless ? NULL : arguments->globs.list;
	files->type_changes = arguments->type_changes.list;
	files->is_text = arguments->binary == BINARY_TEXT;
	files->search_binary = arguments->binary == BINARY_SEARCH;
	/* These kinds are all ignore files that there are, except --ignore-file. */
	files->no_ignore = arguments->no_dot && arguments->no_vcs;
	files->no_ignore_kinds =
		files->no_ignore
			? 0
			: (arguments->no_dot ? BS_WALK_NO_DOT : 0) |
				  (arguments->no_parent ? BS_WALK_NO_PARENT : 0) |
				  (arguments->no_vcs ? BS_WALK_NO_VCS : 0) |
				  (arguments->no_vcs || arguments->no_global ? BS_WALK_NO_GLOBAL
	                                                                     : 0) |
				  (arguments->no_vcs || arguments->no_exclude ? BS_WALK_NO_EXCLUDE
	                                                                      : 0);
	files->has_max_depth = arguments->max_depth != UINT64_MAX;
	files->max_depth = (uint32_t)arguments->max_depth;
	files->has_max_file_bytes = files->max_file_bytes != UINT64_MAX;
	return status;
}

static enum bs_grep_format decide_format(const struct bs_grep_arguments *arguments)
{
	const struct bs_grep_output *output = &arguments->request.output;
	bool count_matches = arguments->count == COUNT_MATCHES,
	     count = arguments->count == COUNT_LINES;
	if (arguments->quiet)
		return BS_GREP_QUIET;
	if (arguments->json)
		return BS_GREP_JSON;
	if (count_matches && output->invert) {
		count = true;
		count_matches = false;
	} else if (count && output->only_matching) {
		count_matches = true;
	}
	if (count_matches || count)
		return count_matches ? BS_GREP_COUNT_MATCHES : BS_GREP_COUNT;
	return arguments->which_files == FILES_WITH      ? BS_GREP_FILES_WITH
	       : arguments->which_files == FILES_WITHOUT ? BS_GREP_FILES_WITHOUT
	                                                 : BS_GREP_LINES;
}

static bool is_only_stdin(const struct bs_grep_files *files)
{
	return files->n_paths == 1 && strcmp(files->paths[0], "-") == 0;
}

static bool wants_path(const struct bs_grep_arguments *arguments)
{
	const struct bs_grep_files *files = &arguments->request.files;
	if (arguments->with_filename >= 0)
		return arguments->with_filename;
	return arguments->vimgrep || files->n_paths != 1 ||
	       (!is_only_stdin(files) && is_folder(files->paths[0]));
}

static bool wants_line_numbers(const struct bs_grep_arguments *arguments)
{
	enum bs_grep_format format = arguments->request.output.format;
	if ((format != BS_GREP_LINES && format != BS_GREP_JSON) || arguments->line_number == 0)
		return false;
	return format == BS_GREP_JSON || arguments->line_number == 1 || arguments->column == 1 ||
	       arguments->pretty || arguments->vimgrep ||
	       (isatty(STDOUT_FILENO) && !is_only_stdin(&arguments->request.files));
}

static bool wants_color(const struct bs_grep_arguments *arguments)
{
	const char *term = getenv("TERM");
	if (arguments->request.output.format == BS_GREP_JSON || arguments->color == COLOR_NEVER)
		return false;
	if (arguments->color != COLOR_AUTO)
		return true;
	if (arguments->vimgrep)
		return false;
	return (isatty(STDOUT_FILENO) || arguments->pretty) && term && strcmp(term, "dumb") != 0 &&
	       !getenv("NO_COLOR");
}

static enum bs_status decide_output(struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct bs_grep_output *output = &arguments->request.output;
	struct bs_grep_colors colors;
	output->format = decide_format(arguments);
	arguments->program.is_terminal = isatty(STDOUT_FILENO);
	output->after = arguments->has_context ? arguments->context : arguments->after;
	output->before = arguments->has_context ? arguments->context : arguments->before;
	output->passthru = arguments->passthru;
	output->with_path = wants_path(arguments);
	output->line_numbers = wants_line_numbers(arguments);
	output->columns = arguments->column >= 0 ? arguments->column : arguments->vimgrep;
	output->per_match = arguments->vimgrep;
	output->heading =
		!arguments->vimgrep && arguments->heading && output->format == BS_GREP_LINES;
	output->replacement_bytes = output->replacement ? strlen(output->replacement) : 0;
	/* As in rg, --colors is not checked if the output never has colours. */
	bool checks = arguments->request.task == BS_GREP_CHECK && !arguments->program.task;
	bool is_plain = output->format == BS_GREP_JSON || arguments->type_list || checks;
	enum bs_status status = is_plain ? BS_OK
	                                 : bs_grep_colors_set(&colors, arguments->colors.list,
	                                                      arguments->colors.n, err);
	if (!status && !is_plain && wants_color(arguments))
		arguments->program.colors = colors;
	return status;
}

static void decide_task(struct bs_grep_arguments *arguments)
{
	arguments->program.task = arguments->type_list       ? BS_GREP_LIST_TYPES
	                          : arguments->pcre2_version ? BS_GREP_ENGINE_VERSION
	                                                     : BS_GREP_AS_REQUESTED;
	/* Like BS_GREP_CHECK, the tasks that only the program has (enum bs_grep_program_task)
	 * search no file. */
	arguments->request.task = arguments->program.task ? BS_GREP_CHECK
	                          : arguments->files      ? BS_GREP_LIST_FILES
	                          : arguments->candidates ? BS_GREP_LIST_CANDIDATES
	                          : arguments->request.output.max_count == 0 ? BS_GREP_CHECK
	                                                                     : BS_GREP_SEARCH;
}

/* If all patterns begin with (?-u), removes that and turns Unicode off, as --no-unicode does. Not
 * for PCRE2, which cannot turn Unicode off within a pattern. */
static void find_bytes_mark(struct bs_grep_arguments *arguments)
{
	static const char mark[] = "(?-u)";
	struct bs_grep_pattern *pattern = &arguments->request.pattern;
	size_t n = sizeof(mark) - 1, n_marked = 0;
	/* With -w, rg uses Unicode's definition of words even then. */
	if (pattern->is_fixed || pattern->is_pcre2 || pattern->is_word)
		return;
	while (n_marked < pattern->n_patterns && strncmp(pattern->patterns[n_marked], mark, n) == 0)
		n_marked++;
	if (n_marked == 0 || n_marked < pattern->n_patterns)
		return;
	for (size_t i = 0; i < n_marked; i++) {
		arguments->patterns.list[i] += n;
		arguments->pattern_bytes[i] -= n;
	}
	pattern->no_unicode = true;
}

/* Rejects combinations that rg rejects, so that no option is silently ignored. */
static enum bs_status refuse_together(const struct bs_grep_arguments *arguments, size_t n_operands,
                                      struct bs_error *err)
{
	const char *why = NULL;
	const struct bs_grep_conditions *conditions = &arguments->request.conditions;
	bool has_pattern =
		arguments->has_pattern_option || conditions->all_of || conditions->none_of;
	if (arguments->type_list && (arguments->files || has_pattern || n_operands > 0))
		why = "--type-list does not go with a pattern, -e, -f, --and, --not or --files";
	else if (arguments->files && has_pattern)
		why = "--files does not go with -e, -f, --and or --not";
	else if (arguments->json && (arguments->files || arguments->count != COUNT_NONE ||
	                             arguments->which_files != FILES_ALL))
		why = "--json does not go with -c, --count-matches, -l, --files-without-match or "
		      "--files";
	else if (arguments->catalog &&
	         (arguments->request.index.dir ||
	          n_operands > (arguments->has_pattern_option || arguments->files ? 0 : 1)))
		why = "--catalog does not go with a PATH or --index: the catalog says what is "
		      "searched";
	else if (arguments->partial && !arguments->catalog)
		why = BS_SHARED_PARTIAL_ALONE;
	return why ? bs_fail(err, BS_INVALID, "%s", why) : BS_OK;
}

const struct bs_grep_arguments bs_grep_defaults = {
	.max_depth = UINT64_MAX,
	.line_number = -1,
	.column = -1,
	.with_filename = -1,
	.request = {.output = {.max_count = UINT64_MAX}, .files = {.max_file_bytes = UINT64_MAX}},
};

enum bs_status bs_grep_arguments_decide(struct bs_grep_arguments *arguments,
                                        const struct bs_operands *operands, struct bs_error *err)
{
	struct bs_grep_request *request = &arguments->request;
	request->pattern.is_word = arguments->bounds == BOUNDS_WORD;
	request->pattern.is_line = arguments->bounds == BOUNDS_LINE;
	request->conditions = (struct bs_grep_conditions){.all_of = arguments->ands.list,
	                                                  .none_of = arguments->nots.list,
	                                                  .by_file = arguments->scope};
	decide_task(arguments);
	if (request->output.max_count == UINT64_MAX)
		request->output.max_count = 0;
	request->n_threads =
		arguments->n_threads < UINT32_MAX ? (uint32_t)arguments->n_threads : UINT32_MAX;
	request->index.is_optional = !request->index.dir && !arguments->catalog;
	if (!request->index.dir && !arguments->catalog)
		request->index.dir = bs_cmd_environment_index();
	enum bs_status status = refuse_together(arguments, operands->n, err);
	if (!status)
		status = take_operands(arguments, operands->list, operands->n, err);
	if (!status)
		find_bytes_mark(arguments);
	if (!status)
		status = decide_files(arguments, err);
	return status ? status : decide_output(arguments, err);
}

void bs_grep_arguments_release(void *of_options)
{
	struct bs_grep_arguments *arguments = of_options;
	for (size_t i = 0; i < arguments->owned.n; i++)
		free((char *)(uintptr_t)arguments->owned.list[i]);
	free(arguments->pattern_bytes);
	bs_word_list_deinit(&arguments->owned);
	bs_word_list_deinit(&arguments->patterns);
	bs_word_list_deinit(&arguments->pattern_files);
	bs_word_list_deinit(&arguments->paths);
}
