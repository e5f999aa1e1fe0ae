/* cmd_compact.c: `bitsift compact`. Arguments and output; the work is compact.c's. */
#include "indexer/cmd_compact.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/index_dir.h"
#include "indexer/indexer.h"

enum compact_option {
	OPTION_INDEX = 1,
	OPTION_MEMORY,
	OPTION_JOBS,
	OPTION_WAIT,
	OPTION_QUIET,
};

static const struct bs_option compact_options[] = {
	{OPTION_INDEX, 0, "index", "DIR", "the index [the nearest .bitsift upward]"},
	{OPTION_MEMORY, 0, "memory", "SIZE", "memory to work with [1G]"},
	{OPTION_JOBS, 'j', "jobs", "N", "threads [one a processor]"},
	{OPTION_WAIT, 0, "wait", NULL, "wait for another bitsift that is writing the index"},
	{OPTION_QUIET, 'q', "quiet", NULL, "no summary"},
	{0},
};

static const char *const compact_examples[] = {
	"bitsift compact", "the index here or above",
	NULL,
};

static const char compact_description[] =
	"Merges the segments of an index into as few as there can be, without the documents that were deleted or replaced. "
	"`bitsift index` does so by itself, a little with every refresh; this does all of it, for the smallest index and the "
	"fastest queries.\n\n"
	"The texts are read again from their sources. A document whose source has changed since it was indexed stays as it is, "
	"and is counted; `bitsift index` refreshes it. What a query finds is the same before, during and after; scores may "
	"move, since documents that were deleted no longer count.";

const struct bs_command bs_command_compact = {
	.name = "compact",
	.summary = "Merge the segments of an index, without what was deleted.",
	.usage = "[OPTION]...",
	.description = compact_description,
	.options = compact_options,
	.examples = compact_examples,
	.exit_status = "0 when done, 2 when it could not be: then the index is as it was.",
};

struct compact_arguments {
	struct bs_index_job job;
	bool quiet;
	bool help;
};

static enum bs_status take_option(struct compact_arguments *arguments, int id, const char *value, struct bs_error *err)
{
	uint64_t number = 0;
	enum bs_status status = BS_OK;
	switch (id) {
	case BS_OPTION_HELP:
		arguments->help = true;
		break;
	case OPTION_INDEX:
		arguments->job.dir = value;
		break;
	case OPTION_MEMORY:
		return bs_parse_size("--memory", value, &arguments->job.memory_bytes, err);
	case OPTION_JOBS:
		status = bs_parse_number("-j", value, 1, 64, &number, err);
		arguments->job.n_threads = (uint32_t)number;
		break;
	case OPTION_WAIT:
		arguments->job.wait = true;
		break;
	case OPTION_QUIET:
		arguments->quiet = true;
		break;
	}
	return status;
}

static enum bs_status parse_arguments(struct compact_arguments *arguments, int argc, char **argv, struct bs_error *err)
{
	struct bs_arguments walk = {.command = &bs_command_compact, .argc = argc, .argv = argv};
	int id;
	const char *value;
	char **operands;
	enum bs_status status;
	while ((status = bs_arguments_next(&walk, &id, &value, err)) == BS_OK && id) {
		status = take_option(arguments, id, value, err);
		if (status)
			return status;
	}
	if (!status && !arguments->help && bs_arguments_operands(&walk, &operands) > 0)
		status = bs_fail(err, BS_INVALID, "%s: `compact` takes no arguments; the index is named by --index DIR", *operands);
	return status;
}

/* A line that is drawn anew, on a terminal, for work over a second. */
static int show_progress(void *context, const struct bs_index_report *report)
{
	bool *is_drawn = context;
	static uint64_t last_drawn_ns;
	char docs[32];
	if (!isatty(STDERR_FILENO) || report->elapsed_ns < 1000000000u || report->elapsed_ns - last_drawn_ns < 100000000u)
		return 0;
	last_drawn_ns = report->elapsed_ns;
	bs_format_count(report->n_indexed, docs);
	fprintf(stderr, "\r\033[Kcompacting: %s documents \xc2\xb7 %.0f MB/s", docs,
	        (double)report->text_bytes * 1e3 / (double)report->elapsed_ns);
	fflush(stderr);
	*is_drawn = true;
	return 0;
}

/* Of a source that is not followed; no other reason comes up. */
static void show_skip(void *context, enum bs_skip reason, const char *message)
{
	bool *is_drawn = context;
	(void)reason;
	fprintf(stderr, "%sbitsift: %s\n", *is_drawn ? "\r\033[K" : "", message);
	*is_drawn = false;
}

static void show_summary(const struct bs_index_report *report)
{
	char docs[32], bytes[24], count[32];
	bs_format_count(report->n_docs, docs);
	bs_format_bytes(report->index_bytes, bytes);
	if (report->n_compacted == 0)
		fprintf(stderr, "nothing to compact: %s documents, %s\n", docs, bytes);
	else
		fprintf(stderr, "compacted %llu segment%s into %llu in %.2f s: %s documents, %s\n",
		        (unsigned long long)report->n_compacted, report->n_compacted == 1 ? "" : "s", (unsigned long long)report->n_segments,
		        (double)report->elapsed_ns / 1e9, docs, bytes);
	if (report->n_stayed > 0) {
		bs_format_count(report->n_stayed, count);
		fprintf(stderr, "  left      %s document%s that %s\n", count, report->n_stayed == 1 ? "" : "s",
		        report->skipped[BS_SKIP_UNTRUSTED] ? "changed since indexing, or whose source is not followed"
		                                           : "changed since indexing; run `bitsift index` first");
	}
}

static enum bs_status compact(struct compact_arguments *arguments, bool *is_whole_out, struct bs_error *err)
{
	const char *environment = getenv("BITSIFT_INDEX");
	struct bs_index_report report = {0};
	bool is_drawn = false;
	char *found = NULL;
	enum bs_status status = BS_OK;
	if (!arguments->job.dir && environment && *environment)
		arguments->job.dir = environment;
	if (!arguments->job.dir) {
		status = bs_index_find(&found, err);
		arguments->job.dir = found;
	}
	arguments->job.progress = show_progress;
	arguments->job.skipped = show_skip;
	arguments->job.context = &is_drawn;
	if (!status)
		status = bs_compact_run(&arguments->job, &report, err);
	if (is_drawn)
		fputs("\r\033[K", stderr);
	if (!status && !arguments->quiet)
		show_summary(&report);
	*is_whole_out = report.skipped[BS_SKIP_UNTRUSTED] == 0;
	free(found);
	return status;
}

static int show_help(void)
{
	struct bs_buffer text = {0};
	if (bs_command_help(&bs_command_compact, &text, NULL) == BS_OK)
		fwrite(text.data, 1, text.used_bytes, stdout);
	bs_buffer_deinit(&text);
	return 0;
}

int bs_cmd_compact(int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct compact_arguments arguments = {.job = {.consent = consent}};
	bool is_whole = true;
	enum bs_status status = parse_arguments(&arguments, argc, argv, &err);
	if (!status && arguments.help)
		return show_help();
	if (!status)
		status = compact(&arguments, &is_whole, &err);
	if (!status)
		return is_whole ? 0 : 2;
	fprintf(stderr, "bitsift: %s\n", err.text);
	return 2;
}
