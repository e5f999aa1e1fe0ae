/* cmd_index.c: `bitsift index`: arguments, progress and summary; bs_index_build does the work. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/build.h"
#include "core/bitsift/index_build.h"
#include "core/bitsift/index_locate.h"
#include "query/cli/cmd_progress.h"
#include "query/cli/commands.h"
#include "query/format/hit_format.h"
#include "query/options/shared_options.h"

struct index_arguments {
	const char *index;
	struct bs_build_request request;
	struct bs_word_list globs, records, text_fields, weights, forget;
	uint64_t n_threads;
	bool quiet, verbose;
	char *text; /* A copy of the argument of --text, split at commas. */
};

static enum bs_status take_text(void *to, const struct bs_option *option, const char *argument,
                                struct bs_error *err);
static enum bs_status take_density(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err);
static enum bs_status take_summary(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err);

#define SETS(kind, field) BS_OPTION_SETS(kind, struct index_arguments, field)

static const struct bs_option index_options[] = {
	{0, "index", "DIR", "the index [the nearest .bitsift upward, or a new one here]",
         SETS(ONCE, index)},
	{0, "words", NULL, "index words, for `bitsift query` [words and grams]",
         SETS(FLAG, request.index.words)},
	{0, "grams", NULL, "index the files' grams, for `bitsift grep` [words and grams]",
         SETS(FLAG, request.index.grams)},
	{0, "stem", "LANG", "index word stems (Snowball: english, german, ...)",
         SETS(STRING, request.index.stem_language)},
	{0, "store", NULL, "store the texts, so that queries need not read files",
         SETS(FLAG, request.rules.store)},
	{0, "fold-accents", NULL, "ignore accents: cafe finds caf\xc3\xa9",
         SETS(FLAG, request.index.fold_accents)},
	{0, "split-identifiers", NULL, "also index the parts of names such as HTTPServer2",
         SETS(FLAG, request.index.split_identifiers)},
	{0, "id", "FIELD", "JSONL: the field that names a record [id]",
         SETS(STRING, request.rules.id_field)},
	{0, "text", "F,G", "JSONL: fields to index, as in title,author.name [all]",
         .kind = BS_OPTION_CALL, .take = take_text},
	{0, "weight", "F=W",
         "JSONL: words of field F count W times in scores (1 to 100); repeatable",
         SETS(LIST, weights)},
	{0, "density", "D",
         "share of set bits, 0.05 to 0.6; a lower share makes queries faster and the index larger "
         "[0.3]",
         .kind = BS_OPTION_CALL, .take = take_density},
	{0, "summary", "RATE", "false positive rate of the summary for words; 0: no summary [0.01]",
         .kind = BS_OPTION_CALL, .take = take_summary},
	{0, "max-document", "SIZE", "skip larger files and records, with a notice [256M]",
         SETS(SIZE, request.rules.max_document_bytes), .least = 1, .most = BS_MAX_DOCUMENT_BYTES},
	BS_SHARED_MEMORY(struct index_arguments, request.write.memory_bytes),
	BS_SHARED_JOBS(struct index_arguments, n_threads,
                       "threads [one per processor]; the index does not depend on it"),
	{0, "hidden", NULL, "hidden files and folders too", SETS(FLAG, request.rules.hidden)},
	{0, "no-ignore", NULL, "do not apply .gitignore, .ignore and .rgignore",
         SETS(FLAG, request.rules.no_ignore)},
	BS_SHARED_GLOB(struct index_arguments, globs),
	{0, "records", "GLOB",
         "read matching files of folders as collections; !GLOB excludes; repeatable",
         SETS(LIST, records)},
	{0, "no-records", NULL, "read *.jsonl and *.ndjson in folders as files",
         SETS(FLAG, request.rules.no_records)},
	{'a', "binary", NULL, "index files with NUL bytes, too",
         SETS(FLAG, request.rules.binary_as_text)},
	{0, "strict", NULL, "stop at the first bad JSONL record", SETS(FLAG, request.strict)},
	{0, "rebuild", NULL,
         "index everything again, with new options or after damage; with SOURCE, only these "
         "sources",
         SETS(FLAG, request.rebuild)},
	{0, "forget", "SOURCE", "drop this source and its documents; repeatable",
         SETS(LIST, forget)},
	BS_SHARED_WAIT(struct index_arguments, request.write.wait),
	{0, "shared", NULL, "let other users read the index, if they may read every source",
         SETS(FLAG, request.shared)},
	BS_SHARED_QUIET(struct index_arguments, quiet),
	{'v', "verbose", NULL, "name everything left out: binary, hidden, ignored files, symlinks",
         SETS(FLAG, verbose)},
	{0},
};

static const char *const index_examples[] = {
	"bitsift index .",
	"this folder, into ./.bitsift",
	"bitsift index mail.jsonl",
	"one document per line",
	"zcat a.jsonl.gz | bitsift index -",
	"from a pipe; the text is stored",
	"bitsift index",
	"refresh the recorded sources",
	"bitsift index --rebuild mail.jsonl",
	"read a source again, even if unchanged",
	"bitsift index --forget mail.jsonl",
	"drop a source and its documents",
	NULL,
};

#define LISTED_SKIPS 20 /* The most notices for one reason, unless --verbose. */

struct display {
	struct bs_progress progress; /* First member, for bs_progress_show. */
	bool verbose;
	uint64_t n_listed[BS_SKIP_REASONS]; /* The skipped files so far, by reason. */
};

/* Whether skipping for this reason is normal. Without --verbose, such files are only counted. */
static bool is_expected(enum bs_skip reason)
{
	return reason == BS_SKIP_BINARY || reason == BS_SKIP_LINK || reason == BS_SKIP_SPECIAL ||
	       reason >= BS_SKIP_HIDDEN;
}

static void show_skip(void *context, enum bs_skip reason, const char *message)
{
	struct display *display = context;
	if (++display->n_listed[reason] > LISTED_SKIPS && !display->verbose)
		return;
	if (is_expected(reason) && !display->verbose)
		return;
	bs_progress_clear(&display->progress);
	fprintf(stderr, "bitsift: skipped: %s\n", message);
}

static void show_notice(void *context, const char *message)
{
	struct display *display = context;
	bs_progress_clear(&display->progress);
	fprintf(stderr, "bitsift: %s\n", message);
}

/* Whether a notice named every skipped file. */
static bool has_named_all(const struct display *display, const struct bs_build_report *report)
{
	for (int reason = 0; reason < BS_SKIP_REASONS && !display->verbose; reason++)
		if (report->skipped[reason] >
		    (is_expected((enum bs_skip)reason) ? 0 : LISTED_SKIPS))
			return false;
	return true;
}

static void show_index_line(const struct bs_build_report *report, const char *dir, bool with_ratios)
{
	struct bs_error place;
	(void)bs_fail(&place, BS_OK, "%s", dir);
	fprintf(stderr, "  index     %s", BS_BYTES(report->index_bytes));
	with_ratios &= report->text_bytes >= BS_LEAST_BYTES_FOR_RATIO;
	if (with_ratios)
		fprintf(stderr, ", %.1f %% of the text",
		        (double)report->index_bytes * 100 / (double)report->text_bytes);
	if (with_ratios && report->n_postings > 0)
		fprintf(stderr, ", %.1f bits a posting",
		        (double)report->index_bytes * 8 / (double)report->n_postings);
	fprintf(stderr, ", in %s (%s)\n", place.text, BS_THINGS(report->n_segments, "segment"));
}

static void show_made(const struct bs_build_report *report, const char *dir)
{
	fprintf(stderr, "indexed %s, %s, in %.2f s", BS_THINGS(report->n_docs, "document"),
	        BS_BYTES(report->text_bytes), (double)report->elapsed_ns / 1e9);
	if (report->text_bytes >= BS_LEAST_BYTES_FOR_RATIO)
		fprintf(stderr, " (%.0f MB/s)",
		        report->elapsed_ns
		                ? (double)report->text_bytes * 1e3 / (double)report->elapsed_ns
		                : 0);
	fprintf(stderr, "\n  terms     %s distinct, %s\n", BS_COUNT(report->n_terms),
	        BS_THINGS(report->n_postings, "posting"));
	show_index_line(report, dir, true);
	if (report->n_replaced > 0)
		fprintf(stderr, "  replaced  %s by a later one with the same ID\n",
		        BS_THINGS(report->n_replaced, "earlier record"));
	if (report->n_excluded > 0)
		fprintf(stderr, "  deleted   %s stay%s so (bitsift delete --undo brings %s back)\n",
		        BS_THINGS(report->n_excluded, "document"),
		        report->n_excluded == 1 ? "s" : "",
		        report->n_excluded == 1 ? "it" : "them");
}

static void show_refreshed(const struct bs_build_report *report, const char *dir)
{
	uint64_t n_old =
		report->n_changed + report->n_renewed + report->n_replaced + report->n_kept_out;
	fprintf(stderr, "refreshed %s in %.2f s: %s new, %s changed, %s removed\n",
	        BS_THINGS(report->n_docs, "document"), (double)report->elapsed_ns / 1e9,
	        BS_COUNT(report->n_indexed > n_old ? report->n_indexed - n_old : 0),
	        BS_COUNT(report->n_changed), BS_COUNT(report->n_removed));
	show_index_line(report, dir, false);
	if (report->n_compacted > 0)
		fprintf(stderr, "  compacted %s: %s, %s written\n",
		        BS_THINGS(report->n_compacted, "segment"),
		        BS_THINGS(report->n_moved, "document"), BS_BYTES(report->compacted_bytes));
}

static void show_summary(const struct display *display, const struct bs_build_report *report,
                         const char *dir)
{
	if (report->is_refresh)
		show_refreshed(report, dir);
	else
		show_made(report, dir);
	if (*report->warning)
		fprintf(stderr, "  %s\n", report->warning);
	if (bs_format_skipped(report->skipped, report->binary, "  left out  ", stderr))
		fputs(has_named_all(display, report) ? "\n" : " (-v names them)\n", stderr);
}

static void show_unread(const struct bs_build_report *report)
{
	fprintf(stderr, "bitsift: %s of the files, folders and sources could not be read%s\n",
	        BS_COUNT(report->n_unread),
	        report->is_refresh ? "; their documents stay in the index" : "");
}

/* Splits the argument of --text, "F,G", into a list. */
static enum bs_status take_text(void *to, const struct bs_option *option, const char *argument,
                                struct bs_error *err)
{
	struct index_arguments *arguments = to;
	enum bs_status status = BS_OK;
	(void)option;
	free(arguments->text);
	arguments->text_fields.n = 0;
	arguments->text = strdup(argument);
	if (!arguments->text)
		return bs_fail_memory(err, "options", strlen(argument));
	char *rest = arguments->text;
	for (char *field = strsep(&rest, ","); field && !status; field = strsep(&rest, ","))
		if (*field)
			status = bs_word_list_add(&arguments->text_fields, field, err);
	if (!status && arguments->text_fields.n == 0)
		return bs_fail(err, BS_INVALID, "--text needs the name of a field");
	return status;
}

/* Parses a number in least..most, or 0 if may_be_zero. */
static bool parse_number(const char *argument, double least, double most, bool may_be_zero,
                         double *number_out)
{
	char *end;
	double number = *number_out = strtod(argument, &end);
	return end != argument && !*end && number <= most &&
	       (number >= least || (may_be_zero && number == 0));
}

static enum bs_status take_density(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_build_request *request = &((struct index_arguments *)to)->request;
	(void)option;
	if (parse_number(argument, BS_MIN_DENSITY, BS_MAX_DENSITY, false, &request->index.density))
		return BS_OK;
	return bs_fail(err, BS_INVALID, "--density %s: not a number from %g to %g", argument,
	               BS_MIN_DENSITY, BS_MAX_DENSITY);
}

static enum bs_status take_summary(void *to, const struct bs_option *option, const char *argument,
                                   struct bs_error *err)
{
	struct bs_build_request *request = &((struct index_arguments *)to)->request;
	(void)option;
	if (!parse_number(argument, BS_MIN_SUMMARY_RATE, BS_MAX_SUMMARY_RATE, true,
	                  &request->index.summary_rate))
		return bs_fail(err, BS_INVALID, "--summary %s: not a number from %f to %g, nor 0",
		               argument, BS_MIN_SUMMARY_RATE, BS_MAX_SUMMARY_RATE);
	request->index.summary_rate =
		request->index.summary_rate > 0 ? request->index.summary_rate : -1;
	return BS_OK;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	struct index_arguments *arguments = set;
	struct display display = {.verbose = arguments->verbose, .progress = {.verb = "indexing"}};
	struct bs_build_report report = {0};
	struct bs_build_request *request = &arguments->request;
	/* With a fixed threshold, large blocks return to the system when freed. glibc would raise
	 * the threshold with the first large file and keep later blocks, up to 100 MB more than
	 * --memory allows. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	request->dir = arguments->index ? arguments->index : bs_cmd_environment_index();
	const char *dir = request->dir ? request->dir : ".bitsift";
	char *above = NULL;
	struct stat here;
	if (!request->dir && lstat(dir, &here) != 0 && bs_index_locate(&above, NULL) == BS_OK) {
		dir = above;
		if (!arguments->quiet)
			fprintf(stderr,
			        "bitsift: the index is %s (--index .bitsift makes one here)\n",
			        above);
	}
	request->sources = (const char *const *)operands->list;
	request->n_sources = operands->n;
	request->rules.globs = arguments->globs.list;
	request->rules.records = arguments->records.list;
	request->rules.text_fields = arguments->text_fields.list;
	request->index.weights = arguments->weights.list;
	request->forget = arguments->forget.list;
	request->n_forget = arguments->forget.n;
	request->callbacks.notice = show_notice;
	request->host.consent = consent;
	request->write.n_threads = (uint32_t)arguments->n_threads;
	request->callbacks.names_hidden = arguments->verbose;
	request->callbacks.progress = bs_progress_show;
	request->callbacks.skipped = show_skip;
	request->callbacks.context = &display;
	const struct bs_limits limits = bs_interrupt_catch();
	request->limits = &limits;
	enum bs_status status = bs_index_build(request, &report, err);
	bs_progress_clear(&display.progress);
	if (!status || status == BS_STOPPED)
		bs_interrupt_end(!status);
	if (!status && request->shared && !report.is_shared)
		fputs("bitsift: the index stays private: neither its group nor "
		      "others may read every source\n",
		      stderr);
	if (!status && !arguments->quiet)
		show_summary(&display, &report, dir);
	if (!status && report.n_unread > 0)
		show_unread(&report);
	free(above);
	if (status)
		return -1;
	bool is_whole = !report.skipped[BS_SKIP_UNTRUSTED] && !report.skipped[BS_SKIP_GONE] &&
	                !report.n_unread;
	return is_whole ? 0 : 2;
}

static void release(void *of_options)
{
	struct index_arguments *arguments = of_options;
	free(arguments->text);
	bs_word_list_deinit(&arguments->text_fields);
}

const struct bs_command bs_command_index = {
	.name = "index",
	.summary = "Index files, folders (as ripgrep sees them) and JSONL collections.",
	.usage = "[OPTION]... [SOURCE]...",
	.options = index_options,
	.examples = index_examples,
	.arguments_bytes = sizeof(struct index_arguments),
	.run = run,
	.release = release,
};
