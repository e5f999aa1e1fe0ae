/* cmd_index.c: `bitsift index`. Argument parsing, progress and summary; the work is indexer.c's. */
#include "indexer/cmd_index.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/command_line.h"
#include "indexer/indexer.h"

enum index_option {
	OPTION_INDEX = 1,
	OPTION_WORDS,
	OPTION_GRAMS,
	OPTION_STEM,
	OPTION_FOLD_ACCENTS,
	OPTION_ID,
	OPTION_TEXT,
	OPTION_DENSITY,
	OPTION_MAX_DOCUMENT,
	OPTION_MEMORY,
	OPTION_JOBS,
	OPTION_HIDDEN,
	OPTION_NO_IGNORE,
	OPTION_GLOB,
	OPTION_BINARY,
	OPTION_STRICT,
	OPTION_REBUILD,
	OPTION_WAIT,
	OPTION_QUIET,
	OPTION_VERBOSE,
};

static const struct bs_option index_options[] = {
	{OPTION_INDEX, 0, "index", "DIR", "where the index is or will be [.bitsift]"},
	{OPTION_WORDS, 0, "words", NULL, "index words, for `bitsift query`"},
	{OPTION_GRAMS, 0, "grams", NULL, "index the files' grams, for `bitsift grep` [both]"},
	{OPTION_STEM, 0, "stem", "LANG", "index word stems (Snowball: english, german, ...)"},
	{OPTION_FOLD_ACCENTS, 0, "fold-accents", NULL, "let cafe find caf\xc3\xa9"},
	{OPTION_ID, 0, "id", "FIELD", "JSONL: the field that names a record [id]"},
	{OPTION_TEXT, 0, "text", "F,G", "JSONL: fields to index [every top-level string]"},
	{OPTION_DENSITY, 0, "density", "D", "share of set bits, 0.05 to 0.6: less is faster and larger [0.3]"},
	{OPTION_MAX_DOCUMENT, 0, "max-document", "SIZE", "pass over larger files and records, with a notice [256M]"},
	{OPTION_MEMORY, 0, "memory", "SIZE", "memory to work with [1G]"},
	{OPTION_JOBS, 'j', "jobs", "N", "threads [one a processor]; the index is the same"},
	{OPTION_HIDDEN, 0, "hidden", NULL, "hidden files and folders too"},
	{OPTION_NO_IGNORE, 0, "no-ignore", NULL, "do not heed .gitignore, .ignore, .rgignore"},
	{OPTION_GLOB, 'g', "glob", "GLOB", "only files that match; !GLOB leaves out; repeatable"},
	{OPTION_BINARY, 'a', "binary", NULL, "files with NUL bytes too"},
	{OPTION_STRICT, 0, "strict", NULL, "stop at the first bad JSONL record"},
	{OPTION_REBUILD, 0, "rebuild", NULL, "index everything again, with new options or after damage"},
	{OPTION_WAIT, 0, "wait", NULL, "wait for another bitsift that is writing the index"},
	{OPTION_QUIET, 'q', "quiet", NULL, "no summary"},
	{OPTION_VERBOSE, 'v', "verbose", NULL, "name every skipped file"},
	{0},
};

static const char *const index_examples[] = {
	"bitsift index .", "the files below here, into ./.bitsift",
	"bitsift index mail.jsonl", "one document a line",
	"zcat a.jsonl.gz | bitsift index -", "from a pipe; the text is stored",
	"bitsift index", "again: what was recorded",
	NULL,
};

static const char index_description[] =
	"Reads every SOURCE and makes an index of it: a directory, `.bitsift` unless told otherwise, that `bitsift query` "
	"searches. The sources are recorded. On an index that exists, the command adds new sources and refreshes all; without "
	"SOURCE it refreshes those recorded.\n\n"
	"A refresh reads what is new or changed. A file is unchanged if its size, times and inode are what they were, and older "
	"than the run that read it. A collection that was appended to is read on from where reading ended, if a checksum says "
	"that what was read is still the same; otherwise it is read from the start. What is gone from the sources goes from "
	"the index. Records on standard input are added to those that came before, and replace those of the same id. A document "
	"that was taken out by `bitsift delete` stays out until it changes. Now and then a refresh merges small segments of the "
	"index; `bitsift compact` does all of that at once.\n\n"
	"The texts stay where they are and are read again when a document has to be verified or shown. Only what came from "
	"standard input is kept in the index.\n\n"
	"# Sources and ids\n\n"
	"- A folder: every file below it, as ripgrep sees it: hidden and binary files are left out, and what `.gitignore`, "
	"`.ignore`, `.rgignore` and git's global excludes name. A file's id is its path below the folder, after the SOURCE as "
	"given and a slash; for `.` it is the path alone.\n\n"
	"- A file: its id is the SOURCE as given.\n\n"
	"- A collection: a file named *.jsonl or *.ndjson, of which each line is a JSON object and a document. Its id is the "
	"field `id`: a string as it is, an integer in decimal; a record without one is named by its line, as in "
	"mail.jsonl:812. Its text is every other string at its top level, each a field that a query can name. Of records "
	"with one id the last counts.\n\n"
	"- `-`: a collection on standard input.\n\n"
	"# Words and grams\n\n"
	"An index is of words, for `bitsift query`, and of grams, short strings of the bytes of files, for `bitsift grep`; "
	"with `--words` or `--grams` alone, of nothing else. Collections have words only. Files that are left out because they "
	"are binary are remembered, since a search of the files must look into them: those in which a match may stand before the "
	"first NUL byte.\n\n"
	"Text is UTF-8, or UTF-16 with a byte order mark; bytes that are neither belong to no word. Words are found by the Unicode rules for word boundaries, and folded so "
	"that case and compatibility forms make no difference. `don't`, `foo_bar` and `3.14` are one word each; obj.method and "
	"a@example.com are cut into words at the dot and the @. Of scripts written without spaces (Chinese, Japanese, Thai, "
	"Lao, Khmer, Burmese) every character can be found, alone and in any sequence. Emoji are words.\n\n"
	"# Options that are kept\n\n"
	"`--words`, `--grams`, `--stem`, `--fold-accents`, `--id`, `--text`, `--density`, `--max-document`, `--hidden`, `--no-ignore`, `--glob` and "
	"`--binary` are recorded with the index and hold for every refresh. To give other ones is an error unless `--rebuild` "
	"says that everything is to be indexed again with them.\n\n"
	"# Limits and memory\n\n"
	"A file or a record of more than `--max-document` bytes is passed over, counted and named; `bitsift grep` looks into such files "
	"all the same. So is a file of UTF-16 that is larger as UTF-8. The line of a record that is too long is never held as a whole.\n\n"
	"`--memory` is for what is gathered before a segment is written. Beside it the program takes up to 128 MiB with one or two "
	"threads, some 20 MiB more for each further one, and what the largest documents need: each thread holds the one that it reads, "
	"and of each some 100 bytes for each distinct word, and 25 to 250 more for each that stands there more than once. "
	"A file of 100 MB that is nothing but distinct words takes 1 GiB, one of 100 MB of prose or code about 200 MiB. Who cannot be "
	"sure of that much memory chooses a lower `--max-document`.\n\n"
	"Of a file of ignore rules the first 4 MiB and 65,536 rules count.\n\n"
	"# Safety\n\n"
	"The new index replaces the old one in one step at the end. If the run fails or is killed before, the old index stays "
	"as it was; queries that run meanwhile go on with what they opened. One `bitsift index` at a time writes an index; "
	"with `--wait` another one waits for it. Equal input and options make equal files of a new index, whatever the number of threads.\n\n"
	"What could not be indexed (unreadable files, malformed records) is counted, and listed on standard error.";

const struct bs_command bs_command_index = {
	.name = "index",
	.summary = "Index files, folders (as ripgrep sees them) and JSONL collections.",
	.usage = "[OPTION]... [SOURCE]...",
	.description = index_description,
	.options = index_options,
	.examples = index_examples,
	.exit_status = "0 when done, even if documents were skipped (they are counted and listed); 2 when nothing could be done.",
};

/* ---- what the user sees while it runs ---- */

#define LISTED_SKIPS 20 /* of one reason, unless --verbose */

struct display {
	bool is_terminal;
	bool is_drawn;
	bool verbose;
	uint64_t last_drawn_ns;
	uint64_t n_listed[BS_SKIP_REASONS];
};

static void clear_bar(struct display *display)
{
	if (display->is_drawn)
		fputs("\r\033[K", stderr);
	display->is_drawn = false;
}

static void show_skip(void *context, enum bs_skip reason, const char *message)
{
	struct display *display = context;
	if (++display->n_listed[reason] > LISTED_SKIPS && !display->verbose)
		return;
	/* That a binary file or a link is passed over is expected; it is counted in the summary. */
	bool is_expected = reason == BS_SKIP_BINARY || reason == BS_SKIP_LINK || reason == BS_SKIP_SPECIAL;
	if (is_expected && !display->verbose)
		return;
	clear_bar(display);
	fprintf(stderr, "bitsift: skipped: %s\n", message);
}

static double megabytes_a_second(uint64_t n_bytes, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)n_bytes * 1e3 / (double)elapsed_ns : 0;
}

static int show_progress(void *context, const struct bs_index_report *report)
{
	struct display *display = context;
	char bytes[24], docs[32], left[64] = "";
	bool is_due = report->is_writing || report->elapsed_ns - display->last_drawn_ns >= 100000000u;
	if (!display->is_terminal || report->elapsed_ns < 1000000000u || !is_due)
		return 0;
	display->last_drawn_ns = report->elapsed_ns;
	bs_format_bytes(report->text_bytes, bytes);
	bs_format_count(report->n_indexed + report->n_unchanged, docs);
	if (report->is_writing) {
		snprintf(left, sizeof(left), " \xc2\xb7 writing the index");
	} else if (report->source_total > 0 && report->source_bytes > 0) {
		double share = (double)report->source_bytes / (double)report->source_total;
		double seconds = (double)report->elapsed_ns / 1e9 * (1 / share - 1);
		snprintf(left, sizeof(left), " \xc2\xb7 %.0f %% \xc2\xb7 %.0f s left", share * 100, seconds);
	}
	fprintf(stderr, "\r\033[Kindexing: %s documents \xc2\xb7 %s \xc2\xb7 %.0f MB/s%s", docs, bytes,
	        megabytes_a_second(report->text_bytes, report->elapsed_ns), left);
	fflush(stderr);
	display->is_drawn = true;
	return 0;
}

static void show_skipped(const struct display *display, const struct bs_index_report *report)
{
	char count[32];
	for (int reason = 0; reason < BS_SKIP_REASONS; reason++) {
		if (report->skipped[reason] == 0)
			continue;
		bs_format_count(report->skipped[reason], count);
		bool is_listed = display->verbose || (reason > BS_SKIP_SPECIAL && report->skipped[reason] <= LISTED_SKIPS);
		fprintf(stderr, "  skipped   %s %s%s\n", count, bs_skip_name((enum bs_skip)reason),
		        is_listed ? "" : " (--verbose names them)");
	}
}

static void show_index_line(const struct bs_index_report *report, const char *dir, bool with_ratios)
{
	char index[24];
	bs_format_bytes(report->index_bytes, index);
	fprintf(stderr, "  index     %s", index);
	if (with_ratios && report->text_bytes > 0)
		fprintf(stderr, ", %.1f %% of the text", (double)report->index_bytes * 100 / (double)report->text_bytes);
	if (with_ratios && report->n_postings > 0)
		fprintf(stderr, ", %.1f bits a posting", (double)report->index_bytes * 8 / (double)report->n_postings);
	fprintf(stderr, ", in %s (%llu segment%s)\n", dir, (unsigned long long)report->n_segments,
	        report->n_segments == 1 ? "" : "s");
}

static void show_made(const struct bs_index_report *report, const char *dir)
{
	char docs[32], terms[32], postings[32], text[24], replaced[32];
	bs_format_count(report->n_docs, docs);
	bs_format_count(report->n_terms, terms);
	bs_format_count(report->n_postings, postings);
	bs_format_bytes(report->text_bytes, text);
	fprintf(stderr, "indexed %s documents, %s, in %.2f s (%.0f MB/s)\n", docs, text, (double)report->elapsed_ns / 1e9,
	        megabytes_a_second(report->text_bytes, report->elapsed_ns));
	fprintf(stderr, "  terms     %s distinct, %s postings\n", terms, postings);
	show_index_line(report, dir, true);
	if (report->n_replaced > 0) {
		bs_format_count(report->n_replaced, replaced);
		fprintf(stderr, "  replaced  %s earlier record%s by a later one of the same id\n", replaced,
		        report->n_replaced == 1 ? "" : "s");
	}
}

static void show_refreshed(const struct bs_index_report *report, const char *dir)
{
	char docs[32], added[32], changed[32], removed[32], text[24];
	uint64_t n_old = report->n_changed + report->n_renewed + report->n_replaced + report->n_kept_out;
	bs_format_count(report->n_docs, docs);
	bs_format_count(report->n_indexed > n_old ? report->n_indexed - n_old : 0, added);
	bs_format_count(report->n_changed, changed);
	bs_format_count(report->n_removed, removed);
	fprintf(stderr, "refreshed %s documents in %.2f s: %s new, %s changed, %s removed\n", docs,
	        (double)report->elapsed_ns / 1e9, added, changed, removed);
	show_index_line(report, dir, false);
	if (report->n_compacted > 0) {
		bs_format_bytes(report->compacted_bytes, text);
		bs_format_count(report->n_moved, docs);
		fprintf(stderr, "  compacted %llu segment%s: %s document%s, %s written\n",
		        (unsigned long long)report->n_compacted, report->n_compacted == 1 ? "" : "s", docs,
		        report->n_moved == 1 ? "" : "s", text);
	}
	if (*report->warning)
		fprintf(stderr, "  %s\n", report->warning);
}

static void show_summary(const struct display *display, const struct bs_index_report *report, const char *dir)
{
	if (report->is_refresh)
		show_refreshed(report, dir);
	else
		show_made(report, dir);
	show_skipped(display, report);
}

/* ---- arguments ---- */

struct index_arguments {
	struct bs_index_job job;
	struct display display;
	bool quiet;
	bool help;
	bool has_options; /* one that is recorded with the index */
	bool has_words;   /* --words, --grams: neither is both */
	bool has_grams;
	char **globs;     /* into argv, NULL-ended */
	size_t n_globs;
	char *text;       /* --text's list, cut up */
	char **text_fields;
};

/* "F,G" -> a NULL-ended list. */
static enum bs_status take_fields(struct index_arguments *arguments, const char *value, struct bs_error *err)
{
	free(arguments->text);
	free(arguments->text_fields);
	arguments->text = strdup(value);
	arguments->text_fields = calloc(strlen(value) + 2, sizeof(char *));
	if (!arguments->text || !arguments->text_fields)
		return bs_fail_memory(err, "options", strlen(value));
	size_t n = 0;
	char *rest = arguments->text;
	for (char *field = strsep(&rest, ","); field; field = strsep(&rest, ","))
		if (*field)
			arguments->text_fields[n++] = field;
	if (n == 0)
		return bs_fail(err, BS_INVALID, "--text needs the name of a field");
	arguments->job.options.text_fields = arguments->text_fields;
	return BS_OK;
}

static enum bs_status take_density(struct index_arguments *arguments, const char *value, struct bs_error *err)
{
	char *end;
	double density = strtod(value, &end);
	if (end == value || *end || !(density >= 0.05 && density <= 0.6))
		return bs_fail(err, BS_INVALID, "--density %s: not a number from 0.05 to 0.6", value);
	arguments->job.options.density = density;
	return BS_OK;
}

static enum bs_status take_max_document(struct index_arguments *arguments, const char *value, struct bs_error *err)
{
	uint64_t *max_document = &arguments->job.options.max_document;
	enum bs_status status = bs_parse_size("--max-document", value, max_document, err);
	if (!status && (*max_document == 0 || *max_document > BS_MOST_MAX_DOCUMENT))
		status = bs_fail(err, BS_INVALID, "--max-document %s: not a size from 1 to 4095M", value);
	return status;
}

/* Options that are recorded with the index. */
static enum bs_status take_recorded(struct index_arguments *arguments, int id, const char *value, struct bs_error *err)
{
	struct bs_index_options *options = &arguments->job.options;
	arguments->has_options = true;
	switch (id) {
	case OPTION_WORDS:
		arguments->has_words = true;
		return BS_OK;
	case OPTION_GRAMS:
		arguments->has_grams = true;
		return BS_OK;
	case OPTION_STEM:
		options->stem_language = (char *)(uintptr_t)value;
		return BS_OK;
	case OPTION_FOLD_ACCENTS:
		options->fold_accents = true;
		return BS_OK;
	case OPTION_ID:
		options->id_field = (char *)(uintptr_t)value;
		return BS_OK;
	case OPTION_TEXT:
		return take_fields(arguments, value, err);
	case OPTION_DENSITY:
		return take_density(arguments, value, err);
	case OPTION_MAX_DOCUMENT:
		return take_max_document(arguments, value, err);
	case OPTION_HIDDEN:
		options->hidden = true;
		return BS_OK;
	case OPTION_NO_IGNORE:
		options->no_ignore = true;
		return BS_OK;
	case OPTION_GLOB:
		arguments->globs[arguments->n_globs++] = (char *)(uintptr_t)value;
		options->globs = arguments->globs;
		return BS_OK;
	case OPTION_BINARY:
		options->binary_as_text = true;
		return BS_OK;
	}
	return BS_OK;
}

static enum bs_status take_option(struct index_arguments *arguments, int id, const char *value, struct bs_error *err)
{
	uint64_t number = 0;
	enum bs_status status;
	switch (id) {
	case BS_OPTION_HELP:
		arguments->help = true;
		return BS_OK;
	case OPTION_INDEX:
		arguments->job.dir = value;
		return BS_OK;
	case OPTION_MEMORY:
		return bs_parse_size("--memory", value, &arguments->job.memory_bytes, err);
	case OPTION_JOBS:
		status = bs_parse_number("-j", value, 1, 64, &number, err);
		arguments->job.n_threads = (uint32_t)number;
		return status;
	case OPTION_STRICT:
		arguments->job.strict = true;
		return BS_OK;
	case OPTION_REBUILD:
		arguments->job.rebuild = true;
		return BS_OK;
	case OPTION_WAIT:
		arguments->job.wait = true;
		return BS_OK;
	case OPTION_QUIET:
		arguments->quiet = true;
		return BS_OK;
	case OPTION_VERBOSE:
		arguments->display.verbose = true;
		return BS_OK;
	default:
		return take_recorded(arguments, id, value, err);
	}
}

static enum bs_status parse_arguments(struct index_arguments *arguments, int argc, char **argv, struct bs_error *err)
{
	struct bs_arguments walk = {.command = &bs_command_index, .argc = argc, .argv = argv};
	int id;
	const char *value;
	enum bs_status status;
	arguments->globs = calloc((size_t)argc + 1, sizeof(char *));
	if (!arguments->globs)
		return bs_fail_memory(err, "options", (unsigned)argc * sizeof(char *));
	while ((status = bs_arguments_next(&walk, &id, &value, err)) == BS_OK && id) {
		status = take_option(arguments, id, value, err);
		if (status)
			return status;
	}
	if (status)
		return status;
	char **operands;
	arguments->job.n_sources = bs_arguments_operands(&walk, &operands);
	arguments->job.sources = (const char *const *)operands;
	return BS_OK;
}

static int show_help(void)
{
	struct bs_buffer text = {0};
	if (bs_command_help(&bs_command_index, &text, NULL) == BS_OK)
		fwrite(text.data, 1, text.used_bytes, stdout);
	bs_buffer_deinit(&text);
	return 0;
}

int bs_cmd_index(int argc, char **argv)
{
	/* A fixed threshold: large blocks go back to the system when freed. glibc would raise it with the first large file
	 * and keep what came after, up to 100 MB more than --memory allows. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	struct bs_error err = {""};
	struct bs_index_report report = {0};
	struct index_arguments arguments = {.job = {.options = {.density = BS_DEFAULT_DENSITY}}};
	const char *environment = getenv("BITSIFT_INDEX");
	arguments.job.dir = environment && *environment ? environment : ".bitsift";
	arguments.job.context = &arguments.display;
	arguments.job.progress = show_progress;
	arguments.job.skipped = show_skip;
	arguments.display.is_terminal = isatty(STDERR_FILENO);
	int exit_status = 2;
	enum bs_status status = parse_arguments(&arguments, argc, argv, &err);
	if (status)
		goto out;
	if (arguments.help) {
		exit_status = show_help();
		goto out;
	}
	arguments.job.options.words = arguments.has_words || !arguments.has_grams;
	arguments.job.options.grams = arguments.has_grams || !arguments.has_words;
	/* No option means "as it was made"; to go back to the defaults, --rebuild. */
	arguments.job.use_recorded_options = !arguments.has_options && !arguments.job.rebuild;
	status = bs_index_run(&arguments.job, &report, &err);
	clear_bar(&arguments.display);
	if (!status && !arguments.quiet)
		show_summary(&arguments.display, &report, arguments.job.dir);
out:
	if (status)
		fprintf(stderr, "bitsift: %s\n", err.text);
	else
		exit_status = 0;
	free(arguments.globs);
	free(arguments.text);
	free(arguments.text_fields);
	return exit_status;
}
