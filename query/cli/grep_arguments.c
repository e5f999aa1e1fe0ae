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

/* Adds every line of a file as a pattern; - is standard input, which can be read once. */
static enum bs_status add_file(struct bs_grep_arguments *arguments, const char *path,
                               const struct bs_timer *timer, struct bs_error *err)
{
	char *bytes;
	size_t n_bytes;
	bool is_stdin = strcmp(path, "-") == 0;
	if (is_stdin && arguments->patterns_from_stdin)
		return bs_fail(err, BS_INVALID, "-f -: standard input was already read");
	arguments->patterns_from_stdin |= is_stdin;
	enum bs_status status = bs_input_read_file(path, timer, &bytes, &n_bytes, err);
	if (!status)
		status = own(arguments, bytes, err);
	const char *at = bytes, *line;
	size_t n;
	while (!status && (line = bs_input_line(&at, bytes + n_bytes, &n)))
		status = add_pattern(arguments, line, n, err);
	return status;
}

/* Stores a pattern (-e) or the path of a pattern file (-f), preceded by the option's name. Files
 * are read when all options are known, because the time limit includes reading them. */
static enum bs_status take_pattern(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	enum bs_status status = bs_word_list_add(&arguments->pattern_sources, option->name, err);
	return status ? status : bs_word_list_add(&arguments->pattern_sources, argument, err);
}

/* Replaces the escapes \n, \r, \t, \\, \0 and \xNN of a separator. Other escapes are kept, as in
 * rg. */
static enum bs_status unescape(struct bs_grep_arguments *arguments, const char *value,
                               struct bs_grep_separator *out, struct bs_error *err)
{
	static const char letters[] = "nrt\\0", bytes[] = "\n\r\t\\";
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

/* -A, -B, -C, --passthru: -A and -B override their half of -C in any order; --passthru and these
 * options undo each other. */
static enum bs_status take_context(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	uint64_t *const counts[] = {&arguments->after, &arguments->before, &arguments->context};
	if (option->value == CONTEXT_ALL || arguments->passthru)
		arguments->after = arguments->before = arguments->context = UINT64_MAX;
	arguments->passthru = option->value == CONTEXT_ALL;
	if (option->value == CONTEXT_ALL)
		return BS_OK;
	enum bs_status status =
		bs_parse_number(option->name, argument, 0, UINT64_MAX, counts[option->value], err);
	/* UINT64_MAX means that the option was not given. */
	if (!status && *counts[option->value] == UINT64_MAX)
		*counts[option->value] = UINT64_MAX - 1;
	return status;
}

/* -U and --stop-on-nonmatch undo each other. */
static enum bs_status take_multiline(void *to, const struct bs_option *option, const char *argument,
                                     struct bs_error *err)
{
	struct bs_grep_request *request = &((struct bs_grep_arguments *)to)->request;
	(void)argument, (void)err;
	request->pattern.is_multi_line = option->value;
	request->output.stop_on_nonmatch = !option->value;
	return BS_OK;
}

static enum bs_status take_no_json(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	(void)option, (void)argument, (void)err;
	if (arguments->mode == BS_GREP_MODE_JSON)
		arguments->mode = BS_GREP_MODE_LINES;
	return BS_OK;
}

static enum bs_status take_pretty(void *to, const struct bs_option *option, const char *argument,
                                  struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	(void)option, (void)argument, (void)err;
	arguments->color = COLOR_ALWAYS;
	arguments->heading = 1;
	arguments->line_number = 1;
	return BS_OK;
}

static enum bs_status take_stats(void *to, const struct bs_option *option, const char *argument,
                                 struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	if (argument && strcmp(argument, "json") != 0)
		return bs_fail(err, BS_INVALID, "--%s=%s: it can be json", option->name, argument);
	arguments->stats = argument ? BS_GREP_STATS_JSON : BS_GREP_STATS_TEXT;
	return BS_OK;
}

static enum bs_status take_generate(void *to, const struct bs_option *option, const char *argument,
                                    struct bs_error *err)
{
	static const char *const kinds[] = {"man",           "complete-bash",       "complete-zsh",
	                                    "complete-fish", "complete-powershell", NULL};
	struct bs_grep_arguments *arguments = to;
	int kind;
	arguments->mode = BS_GREP_MODE_GENERATE;
	arguments->generate = argument;
	return bs_parse_name(option->name, argument, kinds, &kind, err);
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

/* --no-ignore and --ignore set several options such as --no-ignore-vcs at once. Later options may
 * undo some of them. */
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

/* --engine pcre2 is -P; --engine default and --engine auto undo -P. */
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
	arguments->program.has_path_separator = !status && separator.n_bytes > 0;
	if (arguments->program.has_path_separator)
		arguments->program.path_separator = *separator.bytes;
	return status;
}

/* The colours are made when all options are known, but an invalid one is always an error. */
static enum bs_status take_colors(void *to, const struct bs_option *option, const char *argument,
                                  struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	struct bs_grep_colors unused;
	(void)option;
	enum bs_status status = bs_grep_colors_set(&unused, &argument, 1, err);
	return status ? status : bs_word_list_add(&arguments->colors, argument, err);
}

/* The format is translated when all options are known, because it may contain the host's name,
 * which --hostname-bin affects. */
static enum bs_status take_hyperlink(void *to, const struct bs_option *option, const char *argument,
                                     struct bs_error *err)
{
	struct bs_grep_arguments *arguments = to;
	char *unused;
	(void)option;
	enum bs_status status = bs_grep_hyperlink_format(argument, "", &unused, err);
	if (!status)
		free(unused);
	arguments->hyperlink = argument;
	return status;
}

#define SETS(kind, field) BS_OPTION_SETS(kind, struct bs_grep_arguments, field)
#define CALL(function)    .kind = BS_OPTION_CALL, .take = (function)

/* The options that --help shows are first. The others are only on the man page. */
const struct bs_option bs_grep_option_table[] = {
	{'e', "regexp", "PATTERN", "a pattern; repeatable", CALL(take_pattern)},
	{'f', "file", "FILE", "patterns, one per line (- is standard input); repeatable",
         CALL(take_pattern)},
	{'i', "ignore-case", NULL, "ignore letter case", SETS(CHOICE, request.pattern.letter_case),
         .value = BS_GREP_CASE_INSENSITIVE},
	{'S', "smart-case", NULL, "-i unless the pattern has an upper-case letter",
         SETS(CHOICE, request.pattern.letter_case), .value = BS_GREP_CASE_SMART},
	{'w', "word-regexp", NULL, "whole words", SETS(CHOICE, bounds), .value = BOUNDS_WORD},
	{'x', "line-regexp", NULL, "whole lines", SETS(CHOICE, bounds), .value = BOUNDS_LINE},
	{'F', "fixed-strings", NULL, "patterns are literal text",
         SETS(FLAG, request.pattern.is_fixed)},
	{0, "and", "PATTERN", "lines that also match PATTERN; repeatable", SETS(LIST, ands)},
	{0, "not", "PATTERN", "lines that do not match PATTERN; repeatable", SETS(LIST, nots)},
	{'v', "invert-match", NULL, "lines that do not match", SETS(FLAG, request.output.invert)},
	{'U', "multiline", NULL, "matches may span lines", CALL(take_multiline), .value = true},
	{'n', "line-number", NULL, "line numbers [on a terminal]", SETS(CHOICE, line_number),
         .value = 1},
	{'o', "only-matching", NULL, "only the matches, each on its line",
         SETS(FLAG, request.output.only_matching)},
	{'r', "replace", "TEXT", "show TEXT for each match; $1 and $name are groups",
         SETS(STRING, request.output.replacement)},
	{'A', "after-context", "N", "N lines after each match", CALL(take_context),
         .value = CONTEXT_AFTER},
	{'B', "before-context", "N", "N lines before each match", CALL(take_context),
         .value = CONTEXT_BEFORE},
	{'C', "context", "N", "N lines before and after each match", CALL(take_context),
         .value = CONTEXT_BOTH},
	{0, "enclosing", NULL,
         "print the line that begins the function or section, before its matches",
         SETS(FLAG, request.output.show_function)},
	{'c', "count", NULL, "number of matching lines per file", SETS(CHOICE, mode),
         .value = BS_GREP_MODE_COUNT},
	{'l', "files-with-matches", NULL, "only paths of files that match", SETS(CHOICE, mode),
         .value = BS_GREP_MODE_FILES_WITH},
	{'q', "quiet", NULL, "print nothing, only set the exit status", SETS(FLAG, quiet)},
	{'m', "max-count", "N", "at most N matching lines of each file",
         SETS(NUMBER, request.output.max_count), .most = UINT64_MAX},
	{0, "max-results", "N", "print at most N lines in all, and the exact total",
         SETS(NUMBER, request.output.max_results), .least = 1},
	{0, "json", NULL, "JSON lines, as rg's", SETS(CHOICE, mode), .value = BS_GREP_MODE_JSON},
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
         SETS(ONCE, request.index.dir)},
	BS_SHARED_CATALOG(struct bs_grep_arguments, catalog,
                          "search all indexes of a catalog [your catalog]"),
	{0, "no-stat", NULL, "trust the index: open only files that may match",
         SETS(FLAG, request.index.no_stat)},
	{0, "candidates", NULL, "print the files that may match, without searching them",
         SETS(FLAG, candidates)},
	{'j', "jobs", "N", "threads [one per processor]", SETS(NUMBER, n_threads)},
	/* Options that --help does not show. */
	{0, "after", "CURSOR", "continue after the last --max-results",
         SETS(STRING, request.output.resume_token)},
	{0, "partial", NULL, "with --catalog: skip indexes that cannot be reached",
         SETS(FLAG, partial)},
	{0, "time-limit", "TIME", "stop after 250ms, 2s, ..., with a notice",
         SETS(DURATION, limits.deadline_ns)},
	{0, "scope", "SCOPE", "what --and and --not select: line or file [line]", SETS(NAME, scope),
         .names = scopes},
	{'s', "case-sensitive", NULL, "undo -i and -S", SETS(CHOICE, request.pattern.letter_case),
         .value = BS_GREP_CASE_SENSITIVE},
	{0, "no-fixed-strings", NULL, "undo -F", SETS(UNFLAG, request.pattern.is_fixed)},
	{0, "no-multiline", NULL, "undo -U", SETS(UNFLAG, request.pattern.is_multi_line)},
	{0, "stop-on-nonmatch", NULL,
         "stop searching a file at the first line without a match after a match",
         CALL(take_multiline), .value = false},
	{0, "no-invert-match", NULL, "undo -v", SETS(UNFLAG, request.output.invert)},
	{0, "multiline-dotall", NULL, "with -U, . also matches line ends",
         SETS(FLAG, request.pattern.dot_all)},
	{0, "no-multiline-dotall", NULL, "undo --multiline-dotall",
         SETS(UNFLAG, request.pattern.dot_all)},
	{'P', "pcre2", NULL, "read patterns as rg -P does", SETS(FLAG, request.pattern.is_pcre2)},
	{0, "no-pcre2", NULL, "undo -P", SETS(UNFLAG, request.pattern.is_pcre2)},
	{0, "engine", "NAME", "the regex engine: pcre2 is -P; default and auto undo it",
         CALL(take_engine)},
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
	{0, "no-byte-offset", NULL, "undo -b", SETS(UNFLAG, request.output.byte_offsets)},
	{0, "passthru", NULL, "all lines, matching or not", CALL(take_context),
         .value = CONTEXT_ALL},
	{0, "passthrough", NULL, "--passthru", CALL(take_context), .value = CONTEXT_ALL},
	{0, "count-matches", NULL, "number of matches per file", SETS(CHOICE, mode),
         .value = BS_GREP_MODE_COUNT_MATCHES},
	{0, "files-without-match", NULL, "only paths of files that do not match",
         SETS(CHOICE, mode), .value = BS_GREP_MODE_FILES_WITHOUT},
	{0, "no-json", NULL, "undo --json", CALL(take_no_json)},
	{0, "vimgrep", NULL, "each match on its own line, with path, line and column",
         SETS(FLAG, vimgrep)},
	{0, "color", "WHEN", "colours: auto, always, ansi or never [auto]", SETS(NAME, color),
         .names = color_whens},
	{0, "colors", "SPEC",
         "a part: path, line, column, match or highlight; then :fg:COLOR, :bg:COLOR, :style:STYLE "
         "or "
         ":none; repeatable",
         CALL(take_colors)},
	{'0', "null", NULL, "print a NUL byte after each path",
         SETS(FLAG, request.output.nul_after_path)},
	{'M', "max-columns", "N", "leave out lines longer than N bytes [0: no limit]",
         SETS(NUMBER, request.output.max_columns)},
	{0, "path-separator", "BYTE", "replace slashes in paths", CALL(take_path_separator)},
	{0, "hyperlink-format", "FORMAT",
         "with colour, print paths as links: file, kitty, vscode or another name of rg, or a "
         "URL with {path}, {line}, {column}, {host}, {wslprefix}",
         CALL(take_hyperlink)},
	{0, "hostname-bin", "COMMAND", "a program that prints {host} [the system's name]",
         SETS(STRING, hostname_command)},
	{0, "max-columns-preview", NULL, "with -M, print the start of long lines",
         SETS(FLAG, request.output.max_columns_preview)},
	{0, "no-max-columns-preview", NULL, "undo --max-columns-preview",
         SETS(UNFLAG, request.output.max_columns_preview)},
	{0, "trim", NULL, "remove white space at line starts", SETS(FLAG, request.output.trim)},
	{0, "no-trim", NULL, "undo --trim", SETS(UNFLAG, request.output.trim)},
	{0, "heading", NULL, "the path once, above the lines of its file [on a terminal]",
         SETS(CHOICE, heading), .value = 1},
	{0, "no-heading", NULL, "the path on every line [not on a terminal]", SETS(CHOICE, heading),
         .value = 0},
	{'p', "pretty", NULL, "--color always --heading -n", CALL(take_pretty)},
	{0, "include-zero", NULL, "with -c, files without a match too",
         SETS(FLAG, request.output.include_zero)},
	{0, "no-include-zero", NULL, "undo --include-zero",
         SETS(UNFLAG, request.output.include_zero)},
	{0, "context-separator", "TEXT", "the text between lines that are not adjacent [--]",
         CALL(take_separator),
         .offset = offsetof(struct bs_grep_arguments, request.output.group_separator)},
	{0, "no-enclosing", NULL, "undo --enclosing", SETS(UNFLAG, request.output.show_function)},
	{0, "no-context-separator", NULL, "no context separator",
         SETS(FLAG, request.output.no_group_separator)},
	{0, "field-match-separator", "TEXT", "the text between path, number and line [:]",
         CALL(take_separator),
         .offset = offsetof(struct bs_grep_arguments, request.output.match_separator)},
	{0, "field-context-separator", "TEXT",
         "the text between path, number and line of context [-]", CALL(take_separator),
         .offset = offsetof(struct bs_grep_arguments, request.output.context_separator)},
	{0, "no-text", NULL, "undo -a and --binary", SETS(CHOICE, binary), .value = BINARY_SKIP},
	{0, "binary", NULL, "search binary files, too; print whether they match",
         SETS(CHOICE, binary), .value = BINARY_SEARCH},
	{0, "no-binary", NULL, "undo --binary and -a", SETS(CHOICE, binary), .value = BINARY_SKIP},
	{'z', "search-zip", NULL,
         "search compressed files: .gz, .bz2, .xz, .lzma, .lz4, .zst, .br, .Z", CALL(take_reading),
         .value = 1},
	{0, "no-search-zip", NULL, "undo -z", SETS(UNFLAG, request.files.search_zip)},
	{0, "pre", "COMMAND", "search the output of COMMAND, run for each path",
         CALL(take_reading)},
	{0, "no-pre", NULL, "undo --pre", CALL(take_reading)},
	{0, "pre-glob", "GLOB", "use --pre only for files that match; !GLOB excludes; repeatable",
         SETS(LIST, pre_globs)},
	{'E', "encoding", "NAME",
         "encoding: auto, none, or a name of the WHATWG list: utf-16, latin1, shift_jis, ... "
         "[auto]",
         SETS(STRING, request.files.encoding)},
	{0, "no-encoding", NULL, "undo -E", CALL(take_no_encoding)},
	{0, "crlf", NULL, "lines may end in CR LF", CALL(take_line_end), .value = true},
	{0, "no-crlf", NULL, "undo --crlf", CALL(take_line_end)},
	{0, "null-data", NULL, "lines end in NUL", CALL(take_line_end)},
	{0, "no-unicode", NULL, "patterns match bytes", SETS(FLAG, request.pattern.no_unicode)},
	{0, "no-pcre2-unicode", NULL, "--no-unicode", SETS(FLAG, request.pattern.no_unicode)},
	{0, "unicode", NULL, "undo --no-unicode", SETS(UNFLAG, request.pattern.no_unicode)},
	{0, "pcre2-unicode", NULL, "--unicode", SETS(UNFLAG, request.pattern.no_unicode)},
	{0, "iglob", "GLOB", "as -g, ignoring case; repeatable", SETS(LIST, iglobs)},
	{0, "glob-case-insensitive", NULL, "treat -g as --iglob", SETS(FLAG, glob_caseless)},
	{0, "no-glob-case-insensitive", NULL, "undo --glob-case-insensitive",
         SETS(UNFLAG, glob_caseless)},
	{0, "type-add", "SPEC", "add NAME:GLOB, or NAME:include:OTHER; repeatable",
         CALL(take_type)},
	{0, "type-clear", "TYPE", "forget the globs of a type; repeatable", CALL(take_type)},
	{0, "type-list", NULL, "list the types", SETS(CHOICE, mode),
         .value = BS_GREP_MODE_LIST_TYPES},
	{0, "files", NULL, "list the files that would be searched", SETS(CHOICE, mode),
         .value = BS_GREP_MODE_LIST_FILES},
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
         SETS(LIST, ignore_files)},
	{0, "no-ignore-files", NULL, "undo --ignore-file", SETS(FLAG, no_files)},
	{0, "ignore-files", NULL, "undo --no-ignore-files", SETS(UNFLAG, no_files)},
	{0, "ignore-file-case-insensitive", NULL, "match ignore rules in any case of ASCII letters",
         SETS(FLAG, request.files.caseless_ignore_files)},
	{0, "no-ignore-file-case-insensitive", NULL, "undo --ignore-file-case-insensitive",
         SETS(UNFLAG, request.files.caseless_ignore_files)},
	{0, "require-git", NULL, "undo --no-require-git",
         SETS(UNFLAG, request.files.ignores_outside_git)},
	{0, "one-file-system", NULL,
         "do not enter folders on another file system than that of their PATH",
         SETS(FLAG, request.files.one_file_system)},
	{0, "no-one-file-system", NULL, "undo --one-file-system",
         SETS(UNFLAG, request.files.one_file_system)},
	{0, "no-require-git", NULL, "use git's ignore files outside repositories too",
         SETS(FLAG, request.files.ignores_outside_git)},
	{'u', "unrestricted", NULL, "-u: --no-ignore; -uu: also --hidden; -uuu: also --binary",
         CALL(take_unrestricted), .value = true},
	{0, "no-follow", NULL, "undo -L", SETS(UNFLAG, request.files.follow)},
	{'d', "max-depth", "N", "at most N folders deep", SETS(NUMBER, max_depth),
         .most = UINT32_MAX},
	{0, "maxdepth", "N", "--max-depth", SETS(NUMBER, max_depth), .most = UINT32_MAX},
	{0, "max-filesize", "SIZE", "skip larger files",
         SETS(SIZE_AS_RG, request.files.max_file_bytes)},
	{0, "sort", "KEY", "order: path, modified, accessed, created or none [path]",
         CALL(take_sort)},
	{0, "sortr", "KEY", "--sort, in reverse order", CALL(take_sort), .value = 1},
	{0, "sort-files", NULL, "--sort path", CALL(take_sort)},
	{0, "no-sort-files", NULL, "--sort path", CALL(take_sort)},
	{0, "mmap", NULL, "treat a NUL byte as rg does with --mmap",
         SETS(CHOICE, request.files.maps), .value = BS_GREP_MAPS_ALL},
	{0, "no-mmap", NULL, "treat a NUL byte as rg does with --no-mmap",
         SETS(CHOICE, request.files.maps), .value = BS_GREP_MAPS_NONE},
	{0, "no-messages", NULL, "no messages about files that cannot be read",
         SETS(FLAG, no_messages)},
	{0, "messages", NULL, "undo --no-messages", SETS(UNFLAG, no_messages)},
	{0, "no-config", NULL,
         "do not read the file that BITSIFT_CONFIG_PATH or RIPGREP_CONFIG_PATH names",
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
	{0, "no-line-filter", NULL, "match each line with PCRE2, without a filter: for comparing",
         SETS(CHOICE, request.pattern.line_filter), .value = BS_GREP_ENGINE_NEVER},
	{0, "no-linear-engine", NULL,
         "do not use RE2, so slow patterns are given up: for comparing",
         SETS(CHOICE, request.pattern.linear_engine), .value = BS_GREP_ENGINE_NEVER},
	{0, "linear-engine", NULL, "match all lines by RE2, if possible: for comparing",
         SETS(CHOICE, request.pattern.linear_engine), .value = BS_GREP_ENGINE_ALWAYS},
	{0, "line-filter", NULL, "find lines by Hyperscan from the first byte on: for comparing",
         SETS(CHOICE, request.pattern.line_filter), .value = BS_GREP_ENGINE_ALWAYS},
	BS_SHARED_KERNEL(struct bs_grep_arguments, request.kernel),
	{0, "stats", "json",
         "print rg's statistics after the results; =json: statistics of bitsift as JSON on stderr",
         CALL(take_stats), .is_optional = true},
	{0, "no-stats", NULL, "undo --stats", SETS(CHOICE, stats), .value = BS_GREP_STATS_NONE},
	{0, "explain", NULL, "explain on stderr how lines are found", SETS(FLAG, explain)},
	{0, "debug", NULL, "--explain, and name what the rules leave out",
         SETS(FLAG, request.callbacks.explain_left_out)},
	{0, "trace", NULL, "--debug", SETS(FLAG, request.callbacks.explain_left_out)},
	{0, "pcre2-version", NULL, "print the version of PCRE2", SETS(FLAG, pcre2_version)},
	{0, "generate", "KIND",
         "print man, complete-bash, complete-zsh, complete-fish or complete-powershell",
         CALL(take_generate)},
	{'V', "version", NULL, "print the version, and the engines that are available",
         SETS(FLAG, version)},
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

static bool searches(const struct bs_grep_arguments *arguments)
{
	return arguments->mode < BS_GREP_MODE_LIST_FILES && !arguments->pcre2_version &&
	       !arguments->version;
}

/* Adds the patterns of -e and -f, in the order of these options. */
static enum bs_status add_pattern_sources(struct bs_grep_arguments *arguments,
                                          const struct bs_timer *timer, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i + 1 < arguments->pattern_sources.n && !status; i += 2) {
		const char *source = arguments->pattern_sources.list[i + 1];
		bool is_file = strcmp(arguments->pattern_sources.list[i], "file") == 0;
		status = is_file ? add_file(arguments, source, timer, err)
		                 : add_pattern(arguments, source, strlen(source), err);
	}
	return status;
}

/* Adds the operands that are paths or, without any, standard input, if it can be read. */
static enum bs_status add_paths(struct bs_grep_arguments *arguments, char **paths, size_t n,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n && !status; i++) {
		if (arguments->patterns_from_stdin && strcmp(paths[i], "-") == 0)
			status = bs_fail(err, BS_INVALID,
			                 "-f - and the path -: standard input was already read");
		else
			status = bs_word_list_add(&arguments->paths, paths[i], err);
	}
	if (!status && n == 0 && !arguments->catalog && stdin_is_readable() &&
	    !arguments->patterns_from_stdin && searches(arguments))
		status = bs_word_list_add(&arguments->paths, "-", err);
	return status;
}

/* Stores the operands. The first one is the pattern, unless -e or -f gave one; the others are
 * paths. If nothing is searched, all of them are paths, and there are no patterns. */
static enum bs_status take_operands(struct bs_grep_arguments *arguments, char **operands, size_t n,
                                    struct bs_error *err)
{
	struct bs_grep_request *request = &arguments->request;
	enum bs_status status = BS_OK;
	struct bs_timer timer;
	bs_timer_start(&timer, arguments->limits.deadline_ns);
	bool wants_pattern = searches(arguments) && arguments->pattern_sources.n == 0;
	if (wants_pattern && n == 0)
		return bs_fail(err, BS_INVALID, "a pattern is missing; see `bitsift grep --help`");
	if (wants_pattern)
		status = add_pattern(arguments, operands[0], strlen(operands[0]), err);
	else if (searches(arguments))
		status = add_pattern_sources(arguments, &timer, err);
	/* The time spent on reading pattern files counts for the time limit of the search. */
	arguments->limits.deadline_ns = bs_timer_left(&timer);
	if (!status)
		status = add_paths(arguments, operands + wants_pattern, n - wants_pattern, err);
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
	/* Without .ignore and git's ignore files, only those of --ignore-file are left. */
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
	/* -q with --files-without-match prints nothing, but the first file without a match ends the
	 * search. */
	if (arguments->quiet && arguments->mode != BS_GREP_MODE_FILES_WITHOUT)
		return BS_GREP_QUIET;
	switch (arguments->mode) {
	case BS_GREP_MODE_COUNT:
		return output->only_matching && !output->invert ? BS_GREP_COUNT_MATCHES
		                                                : BS_GREP_COUNT;
	case BS_GREP_MODE_COUNT_MATCHES:
		return output->invert ? BS_GREP_COUNT : BS_GREP_COUNT_MATCHES;
	case BS_GREP_MODE_FILES_WITH:
		return BS_GREP_FILES_WITH;
	case BS_GREP_MODE_FILES_WITHOUT:
		return BS_GREP_FILES_WITHOUT;
	case BS_GREP_MODE_JSON:
		return BS_GREP_JSON;
	default:
		return BS_GREP_LINES;
	}
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
	if ((format != BS_GREP_LINES && format != BS_GREP_JSON) || arguments->line_number >= 0)
		return arguments->line_number > 0;
	return format == BS_GREP_JSON || arguments->column == 1 || arguments->vimgrep ||
	       (arguments->program.is_terminal && !is_only_stdin(&arguments->request.files));
}

static bool wants_color(const struct bs_grep_arguments *arguments)
{
	const char *term = getenv("TERM");
	if (arguments->request.output.format == BS_GREP_JSON || arguments->color == COLOR_NEVER)
		return false;
	if (arguments->color != COLOR_AUTO)
		return true;
	return arguments->program.is_terminal && term && strcmp(term, "dumb") != 0 &&
	       !getenv("NO_COLOR");
}

static bool wants_heading(const struct bs_grep_arguments *arguments)
{
	bool is_wanted =
		arguments->heading >= 0 ? arguments->heading : arguments->program.is_terminal;
	return is_wanted && !arguments->vimgrep &&
	       arguments->request.output.format == BS_GREP_LINES;
}

static uint64_t lines_of_context(const struct bs_grep_arguments *arguments, uint64_t half)
{
	uint64_t n_lines = half != UINT64_MAX ? half : arguments->context;
	return n_lines != UINT64_MAX ? n_lines : 0;
}

static enum bs_status decide_colors(struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct bs_grep_program *program = &arguments->program;
	char host[BS_GREP_HOST_BYTES] = "", *format;
	if (!wants_color(arguments))
		return BS_OK;
	enum bs_status status = bs_grep_colors_set(&program->colors, arguments->colors.list,
	                                           arguments->colors.n, err);
	if (status || !arguments->hyperlink)
		return status;
	bs_grep_host_name(arguments->hostname_command, host);
	status = bs_grep_hyperlink_format(arguments->hyperlink, host, &format, err);
	if (!status)
		status = own(arguments, format, err);
	if (!status)
		program->hyperlink = *format ? format : NULL;
	return status;
}

static enum bs_status decide_output(struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct bs_grep_output *output = &arguments->request.output;
	output->format = decide_format(arguments);
	arguments->program.is_terminal = isatty(STDOUT_FILENO);
	output->after = lines_of_context(arguments, arguments->after);
	output->before = lines_of_context(arguments, arguments->before);
	output->passthru = arguments->passthru;
	output->with_path = wants_path(arguments);
	output->line_numbers = wants_line_numbers(arguments);
	output->columns = arguments->column >= 0 ? arguments->column : arguments->vimgrep;
	output->per_match = arguments->vimgrep;
	output->heading = wants_heading(arguments);
	output->replacement_bytes = output->replacement ? strlen(output->replacement) : 0;
	return decide_colors(arguments, err);
}

static void decide_task(struct bs_grep_arguments *arguments)
{
	bool lists = arguments->mode == BS_GREP_MODE_LIST_FILES, is_search = searches(arguments);
	arguments->program.task = arguments->version         ? BS_GREP_SHOW_ENGINE_VERSIONS
	                          : arguments->pcre2_version ? BS_GREP_SHOW_PCRE2_VERSION
	                          : arguments->mode == BS_GREP_MODE_LIST_TYPES
	                                  ? BS_GREP_LIST_TYPES
	                                  : BS_GREP_AS_REQUESTED;
	/* Like BS_GREP_CHECK, the tasks that only the program has (enum bs_grep_program_task)
	 * search no file. */
	arguments->request.task = arguments->program.task ? BS_GREP_CHECK
	                          : lists                 ? BS_GREP_LIST_FILES
	                          : arguments->candidates ? BS_GREP_LIST_CANDIDATES
	                          : arguments->request.output.max_count == 0 ? BS_GREP_CHECK
	                                                                     : BS_GREP_SEARCH;
	/* -m 0 finds nothing. As in rg, the pattern is then not even checked. */
	if (is_search && arguments->request.output.max_count == 0)
		arguments->request.pattern.n_patterns = 0;
	bool wants_sums =
		is_search && !arguments->candidates &&
		(arguments->stats == BS_GREP_STATS_TEXT || arguments->mode == BS_GREP_MODE_JSON);
	arguments->program.sums = wants_sums ? &arguments->sums : NULL;
	arguments->program.json_summary = is_search && arguments->mode == BS_GREP_MODE_JSON;
}

/* Rejects combinations in which an option that rg lacks would be ignored silently: --and, --not,
 * --catalog or --partial. */
static enum bs_status refuse_together(const struct bs_grep_arguments *arguments, size_t n_operands,
                                      struct bs_error *err)
{
	const char *why = NULL;
	bool wants_pattern = searches(arguments) && arguments->pattern_sources.n == 0;
	bool has_conditions = arguments->ands.n + arguments->nots.n > 0;
	if (has_conditions && !searches(arguments))
		why = "--and and --not do not go with --files or --type-list";
	else if (arguments->catalog &&
	         (arguments->request.index.dir || n_operands > (size_t)wants_pattern))
		why = "--catalog cannot be combined with a PATH or --index: the catalog determines "
		      "what is searched";
	else if (arguments->partial && !arguments->catalog)
		why = BS_SHARED_PARTIAL_ALONE;
	return why ? bs_fail(err, BS_INVALID, "%s", why) : BS_OK;
}

const struct bs_grep_arguments bs_grep_defaults = {
	.max_depth = UINT64_MAX,
	.after = UINT64_MAX,
	.before = UINT64_MAX,
	.context = UINT64_MAX,
	.heading = -1,
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
	request->n_threads =
		arguments->n_threads < UINT32_MAX ? (uint32_t)arguments->n_threads : UINT32_MAX;
	request->index.is_optional = !request->index.dir && !arguments->catalog;
	if (!request->index.dir && !arguments->catalog)
		request->index.dir = bs_cmd_environment_index();
	enum bs_status status = refuse_together(arguments, operands->n, err);
	if (!status)
		status = take_operands(arguments, operands->list, operands->n, err);
	decide_task(arguments);
	if (request->output.max_count == UINT64_MAX)
		request->output.max_count = 0;
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
	bs_word_list_deinit(&arguments->pattern_sources);
	bs_word_list_deinit(&arguments->type_changes);
	bs_word_list_deinit(&arguments->colors);
	bs_word_list_deinit(&arguments->paths);
}
