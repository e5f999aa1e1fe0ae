/*
 * grep_arguments.c: see grep_arguments.h. First every option is noted as it comes, by its row of the table; later ones undo
 * earlier ones where rg has it so. Then, when all are known, what they mean together.
 */
#include "query/cli/grep_arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/cli/grep_color.h"

#define MAX_THREADS 256
/* A file of patterns has this much at most: far more than can be compiled. */
#define MOST_PATTERN_BYTES ((size_t)16 << 20)

enum { BOUNDS_NONE, BOUNDS_WORD, BOUNDS_LINE };
enum { COUNT_NONE, COUNT_LINES, COUNT_MATCHES };
enum { FILES_ALL, FILES_WITH, FILES_WITHOUT };
enum { CONTEXT_AFTER, CONTEXT_BEFORE, CONTEXT_BOTH, CONTEXT_ALL };
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_ANSI, COLOR_NEVER };

static const char *const color_whens[] = {"auto", "always", "ansi", "never", NULL};
static const char *const sort_keys[] = {"path", "none", NULL};

/* What is noted while options come in. */
struct noted {
	struct bs_grep_arguments to;
	uint64_t after, before, context, n_threads;
	int letter_case, bounds, count, which_files, color, sort, n_unrestricted;
	int line_number, column, with_filename; /* -1: not said */
	int maps;
	bool wants_none, has_context, json, vimgrep, passthru, heading, pretty;
	bool ignores_nothing, glob_caseless, no_vcs, no_dot, no_global, no_exclude, no_parent;
	bool has_pattern_option, patterns_from_stdin, quiet, files, candidates, type_list;
};

static enum bs_status own(struct bs_grep_arguments *arguments, char *text, struct bs_error *err)
{
	enum bs_status status = text ? bs_word_list_add(&arguments->owned, text, err) : bs_fail_memory(err, "an option", 0);
	if (status)
		free(text);
	return status;
}

static enum bs_status add_pattern(struct bs_grep_arguments *arguments, const char *text, size_t n, struct bs_error *err)
{
	size_t n_before = arguments->patterns.n;
	if ((n_before & (n_before - 1)) == 0) { /* none, or a power of two of them: the room is at an end */
		size_t *grown = realloc(arguments->pattern_bytes, (n_before ? n_before * 2 : 1) * sizeof(n));
		if (!grown)
			return bs_fail_memory(err, "patterns", n_before * 2 * sizeof(n));
		arguments->pattern_bytes = grown;
	}
	arguments->pattern_bytes[n_before] = n;
	return bs_word_list_add(&arguments->patterns, text, err);
}

/* The bytes of a file or, if path is "-", of standard input; *bytes_out is on the heap, also after a failure.
 * Zeros before. */
static enum bs_status read_patterns(const char *path, char **bytes_out, size_t *n_out, struct bs_error *err)
{
	size_t room = 0, n = 1;
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (!file)
		return bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));
	for (; n > 0 && *n_out <= MOST_PATTERN_BYTES; *n_out += n) {
		if (*n_out == room) {
			room = room ? room * 2 : 4096;
			char *grown = realloc(*bytes_out, room);
			if (!grown)
				return bs_fail_memory(err, "patterns", room);
			*bytes_out = grown;
		}
		n = fread(*bytes_out + *n_out, 1, room - *n_out, file);
	}
	int error_number = ferror(file) ? errno : 0;
	if (file != stdin)
		fclose(file);
	if (error_number)
		return bs_fail(err, BS_IO, "%s: %s", path, strerror(error_number));
	if (*n_out > MOST_PATTERN_BYTES)
		return bs_fail(err, BS_INVALID, "%s: longer than %zu bytes", path, MOST_PATTERN_BYTES);
	return BS_OK;
}

/* Every line of a file is a pattern. */
static enum bs_status take_file(void *to, const struct bs_option *option, const char *path, struct bs_error *err)
{
	struct noted *noted = to;
	char *bytes = NULL;
	size_t end = 0;
	(void)option;
	noted->has_pattern_option = true;
	noted->patterns_from_stdin |= strcmp(path, "-") == 0;
	enum bs_status status = read_patterns(path, &bytes, &end, err);
	if (status) {
		free(bytes);
		return status;
	}
	status = own(&noted->to, bytes, err);
	for (size_t at = 0, next; at < end && !status; at = next) {
		const char *feed = memchr(bytes + at, '\n', end - at);
		size_t n = (feed ? (size_t)(feed - bytes) : end) - at;
		next = at + n + 1;
		if (feed && n > 0 && bytes[at + n - 1] == '\r')
			n--;
		status = add_pattern(&noted->to, bytes + at, n, err);
	}
	return status;
}

/* \n, \t, \x00 and so on in a separator. */
static enum bs_status unescape(struct bs_grep_arguments *arguments, const char *value, const char **out, struct bs_error *err)
{
	static const char letters[] = "nrt0\\", bytes[] = "\n\r\t\0\\";
	char *text = strdup(value), *to = text;
	enum bs_status status = own(arguments, text, err);
	for (const char *from = value; !status && *from; from++) {
		const char *letter = from[0] == '\\' && from[1] ? strchr(letters, from[1]) : NULL;
		unsigned code;
		if (letter) {
			*to++ = bytes[letter - letters];
			from++;
		} else if (from[0] == '\\' && from[1] == 'x' && sscanf(from + 2, "%2x", &code) == 1 && strlen(from) >= 4) {
			*to++ = (char)code;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	if (!status)
		*to = '\0';
	*out = text;
	return status;
}

static enum bs_status take_regexp(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct noted *noted = to;
	(void)option;
	noted->has_pattern_option = true;
	return add_pattern(&noted->to, argument, strlen(argument), err);
}

/* -A, -B, -C, --passthru: each undoes what does not go with it. */
static enum bs_status take_context(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct noted *noted = to;
	uint64_t *const counts[] = {&noted->after, &noted->before, &noted->context};
	char name[32];
	noted->has_context = option->value == CONTEXT_BOTH;
	noted->passthru = option->value == CONTEXT_ALL;
	if (option->value >= CONTEXT_BOTH)
		noted->after = noted->before = 0;
	if (option->value != CONTEXT_BOTH)
		noted->context = 0;
	if (option->value == CONTEXT_ALL)
		return BS_OK;
	snprintf(name, sizeof(name), "--%s", option->name);
	return bs_parse_number(name, argument, 0, UINT64_MAX - 1, counts[option->value], err);
}

static enum bs_status take_depth(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct bs_grep_files *files = &((struct noted *)to)->to.request.files;
	uint64_t number = 0;
	(void)option;
	enum bs_status status = bs_parse_number("--max-depth", argument, 0, UINT32_MAX, &number, err);
	files->max_depth = (uint32_t)number;
	files->has_max_depth = true;
	return status;
}

static enum bs_status take_file_size(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct bs_grep_files *files = &((struct noted *)to)->to.request.files;
	(void)option;
	files->has_max_file_bytes = true;
	return bs_parse_size("--max-filesize", argument, &files->max_file_bytes, err);
}

/* 0: no line is wanted. */
static enum bs_status take_count(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct noted *noted = to;
	uint64_t *most = &noted->to.request.output.max_count;
	(void)option;
	enum bs_status status = bs_parse_number("--max-count", argument, 0, UINT64_MAX, most, err);
	noted->wants_none = *most == 0;
	return status;
}

/* --crlf, --no-crlf, --null-data: how lines end. */
static enum bs_status take_line_end(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct bs_grep_pattern *pattern = &((struct noted *)to)->to.request.pattern;
	bool is_nul = strcmp(option->name, "null-data") == 0;
	(void)argument, (void)err;
	pattern->crlf = option->value;
	if (is_nul || pattern->crlf)
		pattern->null_data = is_nul;
	return BS_OK;
}

static enum bs_status take_separator(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct noted *noted = to;
	if (option->offset == offsetof(struct noted, to.request.output.group_separator))
		noted->to.request.output.no_group_separator = false;
	return unescape(&noted->to, argument, (const char **)(void *)((char *)to + option->offset), err);
}

#define SETS(kind, field) BS_OPTION_SETS(kind, struct noted, field)
#define CALL(function)    .kind = BS_OPTION_CALL, .take = (function)

/* First those that --help shows; what a script may pass because rg takes it, or what undoes another, is on the man page. */
const struct bs_option bs_grep_option_table[] = {
	{'e', "regexp", "PATTERN", "a pattern; repeatable", CALL(take_regexp)},
	{'f', "file", "FILE", "patterns, one per line (- is standard input); repeatable", CALL(take_file)},
	{'i', "ignore-case", NULL, "in any letter case", SETS(CHOICE, letter_case), .value = BS_GREP_CASE_INSENSITIVE},
	{'S', "smart-case", NULL, "-i unless the pattern has an upper-case letter",
	 SETS(CHOICE, letter_case), .value = BS_GREP_CASE_SMART},
	{'w', "word-regexp", NULL, "whole words", SETS(CHOICE, bounds), .value = BOUNDS_WORD},
	{'x', "line-regexp", NULL, "whole lines", SETS(CHOICE, bounds), .value = BOUNDS_LINE},
	{'F', "fixed-strings", NULL, "patterns are literal text", SETS(FLAG, to.request.pattern.is_fixed)},
	{'v', "invert-match", NULL, "lines that do not match", SETS(FLAG, to.request.output.invert)},
	{'U', "multiline", NULL, "matches may span lines", SETS(FLAG, to.request.pattern.is_multi_line)},
	{'n', "line-number", NULL, "line numbers [on a terminal]", SETS(CHOICE, line_number), .value = 1},
	{'o', "only-matching", NULL, "only the matches, each on its line", SETS(FLAG, to.request.output.only_matching)},
	{'r', "replace", "TEXT", "show TEXT for each match; $1 and $name are groups", SETS(STRING, to.request.output.replacement)},
	{'A', "after-context", "N", "N lines after each match", CALL(take_context), .value = CONTEXT_AFTER},
	{'B', "before-context", "N", "N lines before each match", CALL(take_context), .value = CONTEXT_BEFORE},
	{'C', "context", "N", "N lines before and after", CALL(take_context), .value = CONTEXT_BOTH},
	{'c', "count", NULL, "how many lines of each file match", SETS(CHOICE, count), .value = COUNT_LINES},
	{'l', "files-with-matches", NULL, "only paths of files that match", SETS(CHOICE, which_files), .value = FILES_WITH},
	{'q', "quiet", NULL, "print nothing, only set the exit status", SETS(FLAG, quiet)},
	{'m', "max-count", "N", "at most N matching lines of each file", CALL(take_count)},
	{0, "json", NULL, "JSON lines, as rg's", SETS(FLAG, json)},
	{'a', "text", NULL, "search binary files as if they were text", SETS(FLAG, to.request.files.is_text)},
	{'g', "glob", "GLOB", "only files that match; !GLOB leaves out; repeatable", SETS(LIST, to.globs)},
	{'t', "type", "TYPE", "only files of the type; repeatable", SETS(LIST, to.types)},
	{'T', "type-not", "TYPE", "no files of the type; repeatable", SETS(LIST, to.type_nots)},
	{'.', "hidden", NULL, "hidden files too", SETS(FLAG, to.request.files.hidden)},
	{0, "no-ignore", NULL, "also what .gitignore and the like leave out", SETS(FLAG, ignores_nothing)},
	{'L', "follow", NULL, "follow symbolic links", SETS(FLAG, to.request.files.follow)},
	{0, "index", "DIR", "the index [the nearest .bitsift upward, if any]", SETS(STRING, to.request.index)},
	{0, "no-stat", NULL, "trust the index: open only files that may match", SETS(FLAG, to.request.no_stat)},
	{0, "candidates", NULL, "print the files that may match, without searching them", SETS(FLAG, candidates)},
	{'j', "jobs", "N", "threads [one per processor]", SETS(NUMBER, n_threads), .most = MAX_THREADS},
	/* The others. */
	{'s', "case-sensitive", NULL, "undo -i and -S", SETS(CHOICE, letter_case), .value = BS_GREP_CASE_SENSITIVE},
	{0, "no-fixed-strings", NULL, "undo -F", SETS(UNFLAG, to.request.pattern.is_fixed)},
	{0, "no-multiline", NULL, "undo -U", SETS(UNFLAG, to.request.pattern.is_multi_line)},
	{0, "multiline-dotall", NULL, "with -U, a dot matches a line's end too", SETS(FLAG, to.request.pattern.dot_all)},
	{0, "no-multiline-dotall", NULL, "undo --multiline-dotall", SETS(UNFLAG, to.request.pattern.dot_all)},
	{'P', "pcre2", NULL, "as rg -P: bytes that are not UTF-8 are shown and matched as U+FFFD",
	 SETS(FLAG, to.request.pattern.is_pcre2)},
	{0, "no-pcre2", NULL, "undo -P", SETS(UNFLAG, to.request.pattern.is_pcre2)},
	{'N', "no-line-number", NULL, "no line numbers", SETS(CHOICE, line_number), .value = 0},
	{'H', "with-filename", NULL, "paths [with more than one file]", SETS(CHOICE, with_filename), .value = 1},
	{'I', "no-filename", NULL, "no paths", SETS(CHOICE, with_filename), .value = 0},
	{0, "column", NULL, "column of the first match, in bytes", SETS(CHOICE, column), .value = 1},
	{0, "no-column", NULL, "undo --column", SETS(CHOICE, column), .value = 0},
	{'b', "byte-offset", NULL, "byte offset in the file of what is printed", SETS(FLAG, to.request.output.byte_offsets)},
	{0, "passthru", NULL, "all lines, matching or not", CALL(take_context), .value = CONTEXT_ALL},
	{0, "passthrough", NULL, "the same", CALL(take_context), .value = CONTEXT_ALL},
	{0, "count-matches", NULL, "how many matches each file has", SETS(CHOICE, count), .value = COUNT_MATCHES},
	{0, "files-without-match", NULL, "only paths of files that do not match", SETS(CHOICE, which_files), .value = FILES_WITHOUT},
	{0, "no-json", NULL, "undo --json", SETS(UNFLAG, json)},
	{0, "vimgrep", NULL, "each match on its own line, with path, line and column", SETS(FLAG, vimgrep)},
	{0, "color", "WHEN", "auto, always, ansi or never [auto]", SETS(NAME, color), .names = color_whens},
	{0, "colors", "SPEC", "as rg's: path, line, column or match, then :fg:COLOR and so on; repeatable",
	 SETS(LIST, to.colors)},
	{'0', "null", NULL, "NUL after each path", SETS(FLAG, to.request.output.nul_after_path)},
	{'M', "max-columns", "N", "leave out lines longer than N bytes [0: no limit]", SETS(NUMBER, to.request.output.max_columns)},
	{0, "max-columns-preview", NULL, "show the start of such lines", SETS(FLAG, to.request.output.max_columns_preview)},
	{0, "no-max-columns-preview", NULL, "undo --max-columns-preview", SETS(UNFLAG, to.request.output.max_columns_preview)},
	{0, "trim", NULL, "no white space at the start of lines", SETS(FLAG, to.request.output.trim)},
	{0, "no-trim", NULL, "undo --trim", SETS(UNFLAG, to.request.output.trim)},
	{0, "heading", NULL, "the path once, above the lines of its file", SETS(FLAG, heading)},
	{0, "no-heading", NULL, "the path on every line; always so without --heading", SETS(UNFLAG, heading)},
	{'p', "pretty", NULL, "line numbers, and colour even without a terminal", SETS(FLAG, pretty)},
	{0, "include-zero", NULL, "with -c, files without a match too", SETS(FLAG, to.request.output.include_zero)},
	{0, "context-separator", "TEXT", "between lines that do not follow each other [--]",
	 CALL(take_separator), .offset = offsetof(struct noted, to.request.output.group_separator)},
	{0, "no-context-separator", NULL, "nothing between them", SETS(FLAG, to.request.output.no_group_separator)},
	{0, "field-match-separator", "TEXT", "between path, number and line [:]",
	 CALL(take_separator), .offset = offsetof(struct noted, to.request.output.match_separator)},
	{0, "field-context-separator", "TEXT", "the same on lines of context [-]",
	 CALL(take_separator), .offset = offsetof(struct noted, to.request.output.context_separator)},
	{0, "no-text", NULL, "undo -a", SETS(UNFLAG, to.request.files.is_text)},
	{0, "binary", NULL, "search binary files, and say that they match", SETS(FLAG, to.request.files.search_binary)},
	{0, "no-binary", NULL, "undo --binary", SETS(UNFLAG, to.request.files.search_binary)},
	{'E', "encoding", "NAME", "auto, none, utf-8, utf-16, utf-16le, utf-16be or latin1 [auto]",
	 SETS(STRING, to.request.files.encoding)},
	{0, "crlf", NULL, "lines may end in CR LF", CALL(take_line_end), .value = true},
	{0, "no-crlf", NULL, "undo --crlf", CALL(take_line_end)},
	{0, "null-data", NULL, "lines end in NUL", CALL(take_line_end)},
	{0, "no-unicode", NULL, "patterns match bytes", SETS(FLAG, to.request.pattern.no_unicode)},
	{0, "no-pcre2-unicode", NULL, "the same", SETS(FLAG, to.request.pattern.no_unicode)},
	{0, "unicode", NULL, "undo --no-unicode", SETS(UNFLAG, to.request.pattern.no_unicode)},
	{0, "pcre2-unicode", NULL, "the same", SETS(UNFLAG, to.request.pattern.no_unicode)},
	{0, "iglob", "GLOB", "as -g, in any letter case; repeatable", SETS(LIST, to.iglobs)},
	{0, "glob-case-insensitive", NULL, "treat -g as --iglob", SETS(FLAG, glob_caseless)},
	{0, "type-add", "SPEC", "add NAME:GLOB, or NAME:include:OTHER; repeatable", SETS(LIST, to.type_adds)},
	{0, "type-clear", "TYPE", "forget the globs of a type; repeatable", SETS(LIST, to.type_clears)},
	{0, "type-list", NULL, "list the types", SETS(FLAG, type_list)},
	{0, "files", NULL, "list the files that would be searched", SETS(FLAG, files)},
	{0, "no-hidden", NULL, "undo --hidden", SETS(UNFLAG, to.request.files.hidden)},
	{0, "ignore", NULL, "undo --no-ignore", SETS(UNFLAG, ignores_nothing)},
	{0, "no-ignore-vcs", NULL, "do not read git's ignore files", SETS(FLAG, no_vcs)},
	{0, "no-ignore-dot", NULL, "do not read .ignore", SETS(FLAG, no_dot)},
	{0, "no-ignore-global", NULL, "do not read git's global excludes", SETS(FLAG, no_global)},
	{0, "no-ignore-exclude", NULL, "do not read .git/info/exclude", SETS(FLAG, no_exclude)},
	{0, "no-ignore-parent", NULL, "do not read ignore files of parent folders", SETS(FLAG, no_parent)},
	{0, "no-require-git", NULL, "use git's ignore files outside repositories too",
	 SETS(FLAG, to.request.files.ignores_outside_git)},
	{'u', "unrestricted", NULL, "--no-ignore; -uu: --hidden too; -uuu: --binary too",
	 SETS(ADD, n_unrestricted)},
	{0, "no-follow", NULL, "undo -L", SETS(UNFLAG, to.request.files.follow)},
	{0, "max-depth", "N", "at most N folders deep", CALL(take_depth)},
	{0, "maxdepth", "N", "the same", CALL(take_depth)},
	{0, "max-filesize", "SIZE", "no files larger than this", CALL(take_file_size)},
	{0, "sort", "KEY", "path or none; both sort by path", SETS(NAME, sort), .names = sort_keys},
	{0, "mmap", NULL, "treat NUL bytes as rg does in files that it maps", SETS(CHOICE, maps), .value = BS_GREP_MAPS_ALL},
	{0, "no-mmap", NULL, "treat NUL bytes as rg does in files that it reads", SETS(CHOICE, maps), .value = BS_GREP_MAPS_NONE},
	{0, "no-messages", NULL, "no messages about files that cannot be read", SETS(FLAG, to.no_messages)},
	{0, "messages", NULL, "undo --no-messages", SETS(UNFLAG, to.no_messages)},
	{0, "no-config", NULL, "accepted for scripts; no configuration file is ever read", .kind = BS_OPTION_NOTHING},
	{0, "line-buffered", NULL, "accepted for scripts; does nothing", .kind = BS_OPTION_NOTHING},
	{0, "block-buffered", NULL, "accepted for scripts; does nothing", .kind = BS_OPTION_NOTHING},
	{0, "no-ignore-messages", NULL, "accepted for scripts; does nothing", .kind = BS_OPTION_NOTHING},
	{0, "threads", "N", "the same", SETS(NUMBER, n_threads), .most = MAX_THREADS},
	{0, "brute", NULL, "use no index and match line by line: slow, for comparing", SETS(FLAG, to.request.pattern.is_brute)},
	{0, "kernel", "NAME", "the SIMD code to use; `list` prints the choices", SETS(STRING, to.request.kernel)},
	{0, "stats", NULL, "end with a line of statistics in JSON, on stderr", SETS(FLAG, to.stats)},
	{0, "explain", NULL, "explain on stderr how lines are found", SETS(FLAG, to.explain)},
	{0},
};

static bool stdin_is_readable(void)
{
	struct stat found;
	return fstat(STDIN_FILENO, &found) == 0 && (S_ISREG(found.st_mode) || S_ISFIFO(found.st_mode));
}

static bool is_folder(const char *path)
{
	struct stat found;
	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* The first operand is the pattern unless -e or -f gave one; the others are paths. */
static enum bs_status take_operands(struct noted *noted, char **operands, size_t n, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = &noted->to;
	struct bs_grep_request *request = &arguments->request;
	enum bs_status status = BS_OK;
	bool wants_pattern = !noted->has_pattern_option && !noted->files && !noted->type_list;
	if (wants_pattern && n == 0)
		return bs_fail(err, BS_INVALID, "a pattern is missing; see `bitsift grep --help`");
	if (wants_pattern)
		status = add_pattern(arguments, operands[0], strlen(operands[0]), err);
	for (size_t i = wants_pattern; i < n && !status; i++)
		status = bs_word_list_add(&arguments->paths, operands[i], err);
	if (!status && n <= (size_t)wants_pattern && stdin_is_readable() && !noted->patterns_from_stdin && !noted->files)
		status = bs_word_list_add(&arguments->paths, "-", err);
	request->files.paths = arguments->paths.list;
	request->files.n_paths = arguments->paths.n;
	request->pattern.patterns = arguments->patterns.list;
	request->pattern.n_patterns = arguments->patterns.n;
	request->pattern.pattern_bytes = arguments->pattern_bytes;
	return status;
}

static enum bs_status decide_files(struct noted *noted, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = &noted->to;
	struct bs_grep_files *files = &arguments->request.files;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < arguments->globs.n && noted->glob_caseless && !status; i++)
		status = bs_word_list_add(&arguments->iglobs, arguments->globs.list[i], err);
	files->iglobs = arguments->iglobs.list;
	files->globs = noted->glob_caseless ? NULL : arguments->globs.list;
	files->types = arguments->types.list;
	files->type_nots = arguments->type_nots.list;
	files->type_adds = arguments->type_adds.list;
	files->type_clears = arguments->type_clears.list;
	files->no_ignore = noted->ignores_nothing || noted->n_unrestricted >= 1;
	files->hidden |= noted->n_unrestricted >= 2;
	files->search_binary |= noted->n_unrestricted >= 3;
	files->no_ignore_kinds = (noted->no_dot ? BS_WALK_NO_DOT : 0) | (noted->no_parent ? BS_WALK_NO_PARENT : 0) |
	                         (noted->no_vcs ? BS_WALK_NO_VCS : 0) |
	                         (noted->no_vcs || noted->no_global ? BS_WALK_NO_GLOBAL : 0) |
	                         (noted->no_vcs || noted->no_exclude ? BS_WALK_NO_EXCLUDE : 0);
	files->maps = (enum bs_grep_maps)noted->maps;
	return status;
}

static enum bs_grep_format decide_format(const struct noted *noted)
{
	const struct bs_grep_output *output = &noted->to.request.output;
	bool count_matches = noted->count == COUNT_MATCHES, count = noted->count == COUNT_LINES;
	if (noted->quiet)
		return BS_GREP_QUIET;
	if (noted->json)
		return BS_GREP_JSON;
	if (count_matches && output->invert) {
		count = true;
		count_matches = false;
	} else if (count && output->only_matching) {
		count_matches = true;
	}
	if (count_matches || count)
		return count_matches ? BS_GREP_COUNT_MATCHES : BS_GREP_COUNT;
	return noted->which_files == FILES_WITH      ? BS_GREP_FILES_WITH
	       : noted->which_files == FILES_WITHOUT ? BS_GREP_FILES_WITHOUT
	                                             : BS_GREP_LINES;
}

static bool is_only_stdin(const struct bs_grep_files *files)
{
	return files->n_paths == 1 && strcmp(files->paths[0], "-") == 0;
}

static bool wants_path(const struct noted *noted)
{
	const struct bs_grep_files *files = &noted->to.request.files;
	if (noted->with_filename >= 0)
		return noted->with_filename;
	return noted->vimgrep || files->n_paths != 1 || (!is_only_stdin(files) && is_folder(files->paths[0]));
}

static bool wants_line_numbers(const struct noted *noted)
{
	enum bs_grep_format format = noted->to.request.output.format;
	if ((format != BS_GREP_LINES && format != BS_GREP_JSON) || noted->line_number == 0)
		return false;
	return format == BS_GREP_JSON || noted->line_number == 1 || noted->column == 1 || noted->pretty || noted->vimgrep ||
	       (isatty(STDOUT_FILENO) && !is_only_stdin(&noted->to.request.files));
}

static bool wants_color(const struct noted *noted)
{
	const char *term = getenv("TERM");
	if (noted->to.request.output.format == BS_GREP_JSON || noted->color == COLOR_NEVER)
		return false;
	if (noted->color != COLOR_AUTO)
		return true;
	if (noted->vimgrep)
		return false;
	return (isatty(STDOUT_FILENO) || noted->pretty) && term && strcmp(term, "dumb") != 0 && !getenv("NO_COLOR");
}

static enum bs_status decide_output(struct noted *noted, struct bs_error *err)
{
	struct bs_grep_output *output = &noted->to.request.output;
	struct bs_grep_colors colors;
	output->format = decide_format(noted);
	output->is_terminal = isatty(STDOUT_FILENO);
	output->after = noted->has_context ? noted->context : noted->after;
	output->before = noted->has_context ? noted->context : noted->before;
	output->passthru = noted->passthru;
	output->with_path = wants_path(noted);
	output->line_numbers = wants_line_numbers(noted);
	output->columns = noted->column >= 0 ? noted->column : noted->vimgrep;
	output->per_match = noted->vimgrep;
	output->heading = !noted->vimgrep && noted->heading && output->format == BS_GREP_LINES;
	output->replacement_bytes = output->replacement ? strlen(output->replacement) : 0;
	enum bs_status status = bs_grep_colors_set(&colors, noted->to.colors.list, noted->to.colors.n, err);
	if (!status && wants_color(noted))
		output->colors = colors;
	return status;
}

static enum bs_grep_task decide_task(const struct noted *noted)
{
	return noted->type_list    ? BS_GREP_LIST_TYPES
	       : noted->files      ? BS_GREP_LIST_FILES
	       : noted->candidates ? BS_GREP_LIST_CANDIDATES
	       : noted->wants_none ? BS_GREP_CHECK
	                           : BS_GREP_SEARCH;
}

/* What the noted options mean together; the operands are patterns and paths. */
static enum bs_status decide(struct noted *noted, const struct bs_operands *operands, struct bs_error *err)
{
	struct bs_grep_request *request = &noted->to.request;
	const char *environment = getenv("BITSIFT_INDEX");
	request->pattern.letter_case = (enum bs_grep_case)noted->letter_case;
	request->pattern.is_word = noted->bounds == BOUNDS_WORD;
	request->pattern.is_line = noted->bounds == BOUNDS_LINE;
	request->task = decide_task(noted);
	request->n_threads = (uint32_t)noted->n_threads;
	request->try_index = !request->index;
	if (!request->index && environment && *environment)
		request->index = environment;
	enum bs_status status = take_operands(noted, operands->list, operands->n, err);
	if (!status && noted->json && (noted->count != COUNT_NONE || noted->which_files != FILES_ALL))
		status = bs_fail(err, BS_INVALID,
		                 "--json does not go with -c, --count-matches, -l or --files-without-match");
	if (!status)
		status = decide_files(noted, err);
	return status ? status : decide_output(noted, err);
}

enum bs_status bs_grep_arguments_parse(const struct bs_command *command, int argc, char **argv,
                                       struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct noted noted = {.to = *arguments, .line_number = -1, .column = -1, .with_filename = -1};
	struct bs_operands operands;
	enum bs_status status = bs_command_parse(command, argc, argv, &noted, &operands, err);
	const char *kernel = noted.to.request.kernel;
	noted.to.help = operands.help;
	noted.to.lists_kernels = kernel && strcmp(kernel, "list") == 0;
	if (!status && !operands.help && !noted.to.lists_kernels)
		status = decide(&noted, &operands, err);
	*arguments = noted.to;
	return status;
}

void bs_grep_arguments_deinit(struct bs_grep_arguments *arguments)
{
	for (size_t i = 0; i < arguments->owned.n; i++)
		free((char *)(uintptr_t)arguments->owned.list[i]);
	free(arguments->pattern_bytes);
	struct bs_word_list *lists[] = {&arguments->patterns, &arguments->globs,       &arguments->iglobs, &arguments->types,
	                                &arguments->type_nots, &arguments->type_adds,   &arguments->type_clears,
	                                &arguments->colors,    &arguments->paths,       &arguments->owned};
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		bs_word_list_deinit(lists[i]);
}
