/*
 * grep_arguments.c: see grep_arguments.h. First every option is noted as it comes, later ones undoing earlier ones where rg
 * has it so; then, when all are known, what they mean together.
 */
#include "query/grep_arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpus/file_types.h"
#include "query/grep_color.h"
#include "query/grep_option_list.h"

/* rg maps files into memory if at most this many are named and nothing else. */
#define MAPS_MAX_FILES 10
#define MAX_THREADS    256

/* What is noted while options come in. */
struct noted {
	struct bs_grep_arguments *arguments;
	uint64_t after, before, context;
	bool has_context;
	int line_number, column, with_filename; /* -1: not said */
	bool count, count_matches, files_with, files_without, json, vimgrep, passthru, heading, pretty;
	bool ignores_nothing, glob_caseless, no_vcs, no_dot, no_global, no_exclude, no_parent;
	unsigned n_unrestricted;
	const char *color;
	int mmap; /* -1: not said */
	bool has_pattern_option, patterns_from_stdin, has_coding;
	const char *context_separator, *match_field, *context_field;
	bool no_context_separator;
};

/* ---- lists of words ---- */

static enum bs_status words_add(struct bs_grep_words *words, const char *word, struct bs_error *err)
{
	return bs_buffer_append(&words->list, &word, sizeof(word), err);
}

static const char *const *words_of(const struct bs_grep_words *words, size_t *n_out)
{
	*n_out = words->list.used_bytes / sizeof(const char *);
	return (const char *const *)(const void *)words->list.data;
}

static enum bs_status own(struct bs_grep_arguments *arguments, char *text, struct bs_error *err)
{
	enum bs_status status = text ? words_add(&arguments->owned, text, err) : bs_fail_memory(err, "an option", 0);
	if (status)
		free(text);
	return status;
}

static enum bs_status add_pattern(struct bs_grep_arguments *arguments, const char *text, size_t n, struct bs_error *err)
{
	enum bs_status status = words_add(&arguments->patterns, text, err);
	return status ? status : bs_buffer_append(&arguments->pattern_bytes.list, &n, sizeof(n), err);
}

/* Every line of a file is a pattern. */
static enum bs_status add_pattern_file(struct noted *noted, const char *path, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = noted->arguments;
	struct bs_grep_text text = {.had_mark = false};
	struct bs_grep_reading as_is = {.coding = BS_GREP_CODING_NONE, .most_bytes = BS_GREP_PATTERN_BYTES};
	struct bs_error why = {""};
	bool is_stdin = strcmp(path, "-") == 0;
	noted->patterns_from_stdin |= is_stdin;
	enum bs_status status = bs_grep_text_read(&text, is_stdin ? NULL : path, &as_is, &why);
	if (status) {
		bs_grep_text_deinit(&text);
		return bs_fail(err, status, "%s: %s", path, why.text);
	}
	status = bs_buffer_append(&text.bytes, "", 1, err);
	size_t end = text.bytes.used_bytes ? text.bytes.used_bytes - 1 : 0;
	if (!status)
		status = own(arguments, (char *)text.bytes.data, err);
	const char *data = (const char *)text.bytes.data;
	for (size_t at = 0; at < end && !status;) {
		const char *feed = memchr(data + at, '\n', end - at);
		size_t n = (feed ? (size_t)(feed - data) : end) - at;
		size_t next = at + n + 1;
		if (feed && n > 0 && data[at + n - 1] == '\r')
			n--;
		status = add_pattern(arguments, data + at, n, err);
		at = next;
	}
	bs_buffer_deinit(&text.raw);
	bs_buffer_deinit(&text.pieces);
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

/* ---- noting ---- */

static enum bs_status note_choice(const char *option, const char *value, const char *const *choices, const char *list,
                                  struct bs_error *err)
{
	for (; *choices; choices++)
		if (strcmp(value, *choices) == 0)
			return BS_OK;
	return bs_fail(err, BS_INVALID, "%s %s: it can be %s", option, value, list);
}

static enum bs_status note_number(const char *option, const char *value, uint64_t *to, struct bs_error *err)
{
	return bs_parse_number(option, value, 0, UINT64_MAX - 1, to, err);
}

static void note_kind(struct noted *noted, int id)
{
	/* Of each pair the later one counts. */
	if (id == OPTION_COUNT || id == OPTION_COUNT_MATCHES) {
		noted->count = id == OPTION_COUNT;
		noted->count_matches = id == OPTION_COUNT_MATCHES;
	} else {
		noted->files_with = id == OPTION_FILES_WITH;
		noted->files_without = id == OPTION_FILES_WITHOUT;
	}
}

static enum bs_status note_context(struct noted *noted, int id, const char *value, struct bs_error *err)
{
	if (id == OPTION_CONTEXT) {
		noted->after = noted->before = 0;
		noted->has_context = true;
		noted->passthru = false;
		return note_number("--context", value, &noted->context, err);
	}
	noted->has_context = false;
	noted->passthru = false;
	noted->context = 0;
	if (id == OPTION_AFTER)
		return note_number("--after-context", value, &noted->after, err);
	return note_number("--before-context", value, &noted->before, err);
}

static enum bs_status note_pattern_option(struct noted *noted, int id, const char *value, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = noted->arguments;
	struct bs_grep_pattern *pattern = &arguments->pattern;
	switch (id) {
	case OPTION_REGEXP:
		noted->has_pattern_option = true;
		return add_pattern(arguments, value, strlen(value), err);
	case OPTION_FILE:
		noted->has_pattern_option = true;
		return add_pattern_file(noted, value, err);
	case OPTION_IGNORE_CASE:
		pattern->letter_case = BS_GREP_CASE_INSENSITIVE;
		break;
	case OPTION_SMART_CASE:
		pattern->letter_case = BS_GREP_CASE_SMART;
		break;
	case OPTION_CASE_SENSITIVE:
		pattern->letter_case = BS_GREP_CASE_SENSITIVE;
		break;
	case OPTION_WORD:
	case OPTION_LINE:
		pattern->is_word = id == OPTION_WORD;
		pattern->is_line = id == OPTION_LINE;
		break;
	case OPTION_FIXED:
	case OPTION_NO_FIXED:
		pattern->is_fixed = id == OPTION_FIXED;
		break;
	case OPTION_MULTILINE:
	case OPTION_NO_MULTILINE:
		pattern->is_multi_line = id == OPTION_MULTILINE;
		break;
	case OPTION_MULTILINE_DOTALL:
	case OPTION_NO_MULTILINE_DOTALL:
		pattern->dot_all = id == OPTION_MULTILINE_DOTALL;
		break;
	case OPTION_PCRE2:
	case OPTION_NO_PCRE2:
		pattern->is_pcre2 = id == OPTION_PCRE2;
		break;
	case OPTION_CRLF:
	case OPTION_NO_CRLF:
		pattern->crlf = id == OPTION_CRLF;
		if (pattern->crlf)
			pattern->line_end = '\n';
		break;
	case OPTION_NULL_DATA:
		pattern->line_end = '\0';
		pattern->crlf = false;
		break;
	case OPTION_NO_UNICODE:
	case OPTION_UNICODE:
		pattern->no_unicode = id == OPTION_NO_UNICODE;
		break;
	case OPTION_BRUTE:
		pattern->is_brute = true;
		break;
	default:
		break;
	}
	return BS_OK;
}

static enum bs_status note_output_option(struct noted *noted, int id, const char *value, struct bs_error *err)
{
	static const char *const whens[] = {"auto", "always", "ansi", "never", NULL};
	struct bs_grep_arguments *arguments = noted->arguments;
	struct bs_grep_output *output = &arguments->output;
	switch (id) {
	case OPTION_INVERT:
		arguments->search.invert = true;
		break;
	case OPTION_LINE_NUMBER:
	case OPTION_NO_LINE_NUMBER:
		noted->line_number = id == OPTION_LINE_NUMBER;
		break;
	case OPTION_WITH_FILENAME:
	case OPTION_NO_FILENAME:
		noted->with_filename = id == OPTION_WITH_FILENAME;
		break;
	case OPTION_COLUMN:
	case OPTION_NO_COLUMN:
		noted->column = id == OPTION_COLUMN;
		break;
	case OPTION_BYTE_OFFSET:
		output->byte_offsets = true;
		break;
	case OPTION_ONLY_MATCHING:
		output->only_matching = true;
		break;
	case OPTION_REPLACE:
		output->replacement = value;
		output->replacement_bytes = strlen(value);
		break;
	case OPTION_AFTER:
	case OPTION_BEFORE:
	case OPTION_CONTEXT:
		return note_context(noted, id, value, err);
	case OPTION_PASSTHRU:
		noted->passthru = true;
		noted->after = noted->before = noted->context = 0;
		break;
	case OPTION_COUNT:
	case OPTION_COUNT_MATCHES:
	case OPTION_FILES_WITH:
	case OPTION_FILES_WITHOUT:
		note_kind(noted, id);
		break;
	case OPTION_QUIET:
		arguments->quiet = true;
		break;
	case OPTION_MAX_COUNT:
		return note_number("--max-count", value, &output->max_count, err);
	case OPTION_JSON:
	case OPTION_NO_JSON:
		noted->json = id == OPTION_JSON;
		break;
	case OPTION_VIMGREP:
		noted->vimgrep = true;
		break;
	case OPTION_COLOR:
		noted->color = value;
		return note_choice("--color", value, whens, "auto, always, ansi or never", err);
	case OPTION_COLORS:
		return words_add(&arguments->colors, value, err);
	case OPTION_NULL:
		output->nul_after_path = true;
		break;
	case OPTION_MAX_COLUMNS:
		return note_number("--max-columns", value, &output->max_columns, err);
	case OPTION_MAX_COLUMNS_PREVIEW:
	case OPTION_NO_MAX_COLUMNS_PREVIEW:
		output->max_columns_preview = id == OPTION_MAX_COLUMNS_PREVIEW;
		break;
	case OPTION_TRIM:
	case OPTION_NO_TRIM:
		output->trim = id == OPTION_TRIM;
		break;
	case OPTION_HEADING:
	case OPTION_NO_HEADING:
		noted->heading = id == OPTION_HEADING;
		break;
	case OPTION_PRETTY:
		noted->pretty = true;
		break;
	case OPTION_INCLUDE_ZERO:
		output->include_zero = true;
		break;
	case OPTION_CONTEXT_SEPARATOR:
		noted->no_context_separator = false;
		return unescape(arguments, value, &noted->context_separator, err);
	case OPTION_NO_CONTEXT_SEPARATOR:
		noted->no_context_separator = true;
		break;
	case OPTION_FIELD_MATCH_SEPARATOR:
		return unescape(arguments, value, &noted->match_field, err);
	case OPTION_FIELD_CONTEXT_SEPARATOR:
		return unescape(arguments, value, &noted->context_field, err);
	default:
		return note_pattern_option(noted, id, value, err);
	}
	return BS_OK;
}

static enum bs_status note_option(struct noted *noted, int id, const char *value, struct bs_error *err)
{
	static const char *const keys[] = {"path", "none", NULL};
	struct bs_grep_arguments *arguments = noted->arguments;
	struct bs_walk_options *walk = &arguments->source.walk;
	uint64_t number = 0;
	enum bs_status status = BS_OK;
	switch (id) {
	case BS_OPTION_HELP:
		arguments->help = true;
		break;
	case OPTION_TEXT:
	case OPTION_NO_TEXT:
		arguments->is_text = id == OPTION_TEXT;
		break;
	case OPTION_BINARY:
	case OPTION_NO_BINARY:
		arguments->search_binary = id == OPTION_BINARY;
		break;
	case OPTION_ENCODING:
		noted->has_coding = true;
		return bs_grep_coding_find(value, &arguments->coding, err);
	case OPTION_GLOB:
		return words_add(&arguments->globs, value, err);
	case OPTION_IGLOB:
		return words_add(&arguments->iglobs, value, err);
	case OPTION_GLOB_CASELESS:
		noted->glob_caseless = true;
		break;
	case OPTION_TYPE:
		return words_add(&arguments->types, value, err);
	case OPTION_TYPE_NOT:
		return words_add(&arguments->type_nots, value, err);
	case OPTION_TYPE_ADD:
		return words_add(&arguments->type_adds, value, err);
	case OPTION_TYPE_CLEAR:
		return words_add(&arguments->type_clears, value, err);
	case OPTION_TYPE_LIST:
		arguments->type_list = true;
		break;
	case OPTION_FILES:
		arguments->files = true;
		break;
	case OPTION_HIDDEN:
	case OPTION_NO_HIDDEN:
		walk->hidden = id == OPTION_HIDDEN;
		break;
	case OPTION_NO_IGNORE:
	case OPTION_IGNORE:
		noted->ignores_nothing = id == OPTION_NO_IGNORE;
		break;
	case OPTION_NO_IGNORE_VCS:
		noted->no_vcs = true;
		break;
	case OPTION_NO_IGNORE_DOT:
		noted->no_dot = true;
		break;
	case OPTION_NO_IGNORE_GLOBAL:
		noted->no_global = true;
		break;
	case OPTION_NO_IGNORE_EXCLUDE:
		noted->no_exclude = true;
		break;
	case OPTION_NO_IGNORE_PARENT:
		noted->no_parent = true;
		break;
	case OPTION_NO_REQUIRE_GIT:
		walk->ignores_outside_git = true;
		break;
	case OPTION_UNRESTRICTED:
		noted->n_unrestricted++;
		break;
	case OPTION_FOLLOW:
	case OPTION_NO_FOLLOW:
		walk->follow = id == OPTION_FOLLOW;
		break;
	case OPTION_MAX_DEPTH:
		status = bs_parse_number("--max-depth", value, 0, UINT32_MAX, &number, err);
		walk->max_depth = (uint32_t)number;
		arguments->source.only_files = number == 0;
		break;
	case OPTION_MAX_FILESIZE:
		return bs_parse_size("--max-filesize", value, &arguments->source.max_file_bytes, err);
	case OPTION_SORT:
		return note_choice("--sort", value, keys, "path or none", err);
	case OPTION_MMAP:
	case OPTION_NO_MMAP:
		noted->mmap = id == OPTION_MMAP;
		break;
	case OPTION_NO_MESSAGES:
	case OPTION_MESSAGES:
		arguments->no_messages = id == OPTION_NO_MESSAGES;
		break;
	case OPTION_THREADS:
		status = bs_parse_number("--jobs", value, 0, MAX_THREADS, &number, err);
		arguments->n_threads = (unsigned)number;
		break;
	case OPTION_KERNEL:
		arguments->kernel = value;
		break;
	case OPTION_INDEX:
		arguments->index = value;
		break;
	case OPTION_NO_STAT:
	case OPTION_CANDIDATES:
	case OPTION_STATS:
	case OPTION_EXPLAIN:
		arguments->trust |= id == OPTION_NO_STAT;
		arguments->candidates |= id == OPTION_CANDIDATES;
		arguments->stats |= id == OPTION_STATS;
		arguments->explain |= id == OPTION_EXPLAIN;
		break;
	default:
		return note_output_option(noted, id, value, err);
	}
	return status;
}

/* ---- what they mean together ---- */

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

static bool is_file(const char *path)
{
	struct stat found;
	return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* The first operand is the pattern unless -e or -f gave one; the others are paths. */
static enum bs_status take_operands(struct noted *noted, char **operands, size_t n, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = noted->arguments;
	enum bs_status status = BS_OK;
	bool wants_pattern = !noted->has_pattern_option && !arguments->files && !arguments->type_list;
	if (wants_pattern && n == 0)
		return bs_fail(err, BS_INVALID, "a pattern is missing; see `bitsift grep --help`");
	if (wants_pattern)
		status = add_pattern(arguments, operands[0], strlen(operands[0]), err);
	for (size_t i = wants_pattern; i < n && !status; i++)
		status = words_add(&arguments->paths, operands[i], err);
	if (!status && n <= (size_t)wants_pattern) {
		bool walks = !stdin_is_readable() || noted->patterns_from_stdin || arguments->files;
		arguments->source.is_default_path = walks;
		status = words_add(&arguments->paths, walks ? "./" : "-", err);
	}
	arguments->source.paths = words_of(&arguments->paths, &arguments->source.n_paths);
	arguments->pattern.patterns = words_of(&arguments->patterns, &arguments->pattern.n_patterns);
	arguments->pattern.pattern_bytes = (const size_t *)(const void *)arguments->pattern_bytes.list.data;
	return status;
}

static enum bs_status decide_types(struct bs_grep_arguments *arguments, struct bs_error *err)
{
	const struct bs_grep_words *lists[] = {&arguments->type_clears, &arguments->type_adds, &arguments->types,
	                                       &arguments->type_nots};
	bool is_chosen = false, is_asked = arguments->type_list;
	for (size_t list = 0; list < 4; list++)
		is_asked |= lists[list]->list.used_bytes > 0;
	/* The table is long, and a search that is soon over would notice. */
	enum bs_status status = is_asked ? bs_file_types_new(&arguments->file_types, err) : BS_OK;
	for (size_t list = 0; list < 4 && !status; list++) {
		size_t n;
		const char *const *names = words_of(lists[list], &n);
		is_chosen |= list >= 2 && n > 0;
		for (size_t i = 0; i < n && !status; i++) {
			if (list == 0)
				bs_file_types_clear(arguments->file_types, names[i]);
			else if (list == 1)
				status = bs_file_types_add(arguments->file_types, names[i], err);
			else
				status = bs_file_types_choose(arguments->file_types, names[i], list == 3, err);
		}
	}
	arguments->source.walk.types = is_chosen ? arguments->file_types : NULL;
	return status;
}

static enum bs_status decide_walk(struct noted *noted, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = noted->arguments;
	struct bs_walk_options *walk = &arguments->source.walk;
	struct bs_grep_words *caseless = noted->glob_caseless ? &arguments->globs : &arguments->iglobs;
	enum bs_status status = BS_OK;
	size_t n;
	const char *const *iglobs = words_of(&arguments->iglobs, &n);
	for (size_t i = 0; i < n && noted->glob_caseless && !status; i++)
		status = words_add(&arguments->globs, iglobs[i], err);
	walk->caseless_globs = words_of(caseless, &walk->n_caseless_globs);
	if (!noted->glob_caseless)
		walk->globs = words_of(&arguments->globs, &walk->n_globs);
	walk->no_ignore = noted->ignores_nothing || noted->n_unrestricted >= 1;
	walk->hidden |= noted->n_unrestricted >= 2;
	arguments->search_binary |= noted->n_unrestricted >= 3;
	walk->no_ignore_kinds = (noted->no_dot ? BS_WALK_NO_DOT : 0) | (noted->no_parent ? BS_WALK_NO_PARENT : 0) |
	                        (noted->no_vcs ? BS_WALK_NO_VCS : 0) |
	                        (noted->no_vcs || noted->no_global ? BS_WALK_NO_GLOBAL : 0) |
	                        (noted->no_vcs || noted->no_exclude ? BS_WALK_NO_EXCLUDE : 0);
	return status ? status : decide_types(arguments, err);
}

static enum bs_grep_format decide_format(const struct noted *noted)
{
	bool count_matches = noted->count_matches, count = noted->count;
	if (noted->arguments->quiet)
		return BS_GREP_QUIET;
	if (noted->json)
		return BS_GREP_JSON;
	if (count_matches && noted->arguments->search.invert) {
		count = true;
		count_matches = false;
	} else if (count && noted->arguments->output.only_matching) {
		count_matches = true;
	}
	if (count_matches || count)
		return count_matches ? BS_GREP_COUNT_MATCHES : BS_GREP_COUNT;
	return noted->files_with ? BS_GREP_FILES_WITH : noted->files_without ? BS_GREP_FILES_WITHOUT : BS_GREP_LINES;
}

static bool wants_path(const struct noted *noted)
{
	const struct bs_grep_walk_options *source = &noted->arguments->source;
	if (noted->with_filename >= 0)
		return noted->with_filename;
	return noted->vimgrep || source->n_paths > 1 || (strcmp(source->paths[0], "-") != 0 && is_folder(source->paths[0]));
}

static bool wants_line_numbers(const struct noted *noted)
{
	const struct bs_grep_walk_options *source = &noted->arguments->source;
	enum bs_grep_format format = noted->arguments->output.format;
	bool is_only_stdin = source->n_paths == 1 && strcmp(source->paths[0], "-") == 0;
	if ((format != BS_GREP_LINES && format != BS_GREP_JSON) || noted->line_number == 0)
		return false;
	return format == BS_GREP_JSON || noted->line_number == 1 || noted->column == 1 || noted->pretty || noted->vimgrep ||
	       (isatty(STDOUT_FILENO) && !is_only_stdin);
}

static bool wants_color(const struct noted *noted)
{
	const char *term = getenv("TERM");
	if (noted->arguments->output.format == BS_GREP_JSON || strcmp(noted->color, "never") == 0)
		return false;
	if (strcmp(noted->color, "auto") != 0)
		return true;
	if (noted->vimgrep)
		return false;
	return (isatty(STDOUT_FILENO) || noted->pretty) && term && strcmp(term, "dumb") != 0 && !getenv("NO_COLOR");
}

static enum bs_status decide_output(struct noted *noted, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = noted->arguments;
	struct bs_grep_output *output = &arguments->output;
	struct bs_grep_search *search = &arguments->search;
	size_t n_colors;
	const char *const *colors = words_of(&arguments->colors, &n_colors);
	output->format = decide_format(noted);
	search->after = noted->has_context ? noted->context : noted->after;
	search->before = noted->has_context ? noted->context : noted->before;
	search->passthru = noted->passthru;
	output->after = search->after;
	output->with_path = wants_path(noted);
	search->line_numbers = wants_line_numbers(noted);
	output->line_numbers = search->line_numbers;
	output->columns = noted->column >= 0 ? noted->column : noted->vimgrep;
	output->per_match = noted->vimgrep;
	output->heading = !noted->vimgrep && noted->heading && output->format == BS_GREP_LINES;
	output->use_color = wants_color(noted);
	search->line_end = output->line_end = arguments->pattern.line_end;
	search->crlf = output->crlf = arguments->pattern.crlf;
	output->match_separator = noted->match_field ? noted->match_field : ":";
	output->context_separator = noted->context_field ? noted->context_field : "-";
	output->group_separator = noted->no_context_separator ? NULL : noted->context_separator ? noted->context_separator : "--";
	if (output->format == BS_GREP_LINES && output->heading)
		output->file_separator = "";
	else if (output->format == BS_GREP_LINES && (search->after > 0 || search->before > 0))
		output->file_separator = output->group_separator;
	return bs_grep_colors_set(&output->colors, colors, n_colors, err);
}

static void decide_reading(struct noted *noted)
{
	struct bs_grep_arguments *arguments = noted->arguments;
	bool all_files = arguments->source.n_paths <= MAPS_MAX_FILES;
	/* Where NUL ends lines, it is no sign of a binary file. */
	arguments->is_text |= arguments->pattern.line_end == '\0';
	for (size_t i = 0; i < arguments->source.n_paths; i++)
		all_files &= is_file(arguments->source.paths[i]);
	arguments->maps_files = noted->mmap >= 0 ? noted->mmap : all_files;
	if (arguments->pattern.is_pcre2 && !arguments->pattern.no_unicode && !noted->has_coding)
		arguments->coding = BS_GREP_CODING_UTF8;
	if (arguments->n_threads == 0) {
		long n = sysconf(_SC_NPROCESSORS_ONLN);
		arguments->n_threads = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
	}
}

static enum bs_status check(const struct noted *noted, struct bs_error *err)
{
	bool is_summary = noted->count || noted->count_matches || noted->files_with || noted->files_without;
	if (noted->json && is_summary)
		return bs_fail(err, BS_INVALID, "--json does not go with -c, --count-matches, -l or --files-without-match");
	return BS_OK;
}

enum bs_status bs_grep_arguments_parse(const struct bs_command *command, int argc, char **argv,
                                       struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct bs_arguments walk = {.command = command, .argc = argc, .argv = argv};
	struct noted noted = {.arguments = arguments,
	                      .line_number = -1,
	                      .column = -1,
	                      .with_filename = -1,
	                      .mmap = -1,
	                      .color = "auto"};
	enum bs_status status;
	int id;
	const char *value;
	char **operands;
	arguments->pattern.line_end = '\n';
	arguments->output.max_count = BS_GREP_NO_LIMIT;
	arguments->source.max_file_bytes = UINT64_MAX;
	while ((status = bs_arguments_next(&walk, &id, &value, err)) == BS_OK && id) {
		status = note_option(&noted, id, value, err);
		if (status)
			return status;
	}
	if (status || arguments->help)
		return status;
	size_t n = bs_arguments_operands(&walk, &operands);
	if (!arguments->kernel || strcmp(arguments->kernel, "list") != 0)
		status = take_operands(&noted, operands, n, err);
	if (!status)
		status = check(&noted, err);
	if (!status)
		status = decide_walk(&noted, err);
	if (!status && arguments->source.n_paths > 0) {
		status = decide_output(&noted, err);
		decide_reading(&noted);
	}
	return status;
}

void bs_grep_arguments_deinit(struct bs_grep_arguments *arguments)
{
	size_t n;
	const char *const *owned = words_of(&arguments->owned, &n);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)owned[i]);
	struct bs_grep_words *lists[] = {&arguments->patterns,  &arguments->pattern_bytes, &arguments->globs,
	                                 &arguments->iglobs,    &arguments->types,         &arguments->type_nots,
	                                 &arguments->type_adds, &arguments->type_clears,   &arguments->colors,
	                                 &arguments->paths,     &arguments->owned};
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		bs_buffer_deinit(&lists[i]->list);
	bs_file_types_free(arguments->file_types);
}
