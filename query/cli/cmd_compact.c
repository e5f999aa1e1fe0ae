/* cmd_compact.c: `bitsift compact`: arguments and output; bs_index_compact does the work. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/bitsift/build.h"
#include "core/bitsift/index_build.h"
#include "query/cli/cmd_progress.h"
#include "query/cli/commands.h"
#include "query/options/shared_options.h"

struct compact_arguments {
	const char *index;
	uint64_t memory_bytes, n_threads;
	bool wait, quiet;
};

static const struct bs_option compact_options[] = {
	BS_SHARED_INDEX(struct compact_arguments, index),
	BS_SHARED_MEMORY(struct compact_arguments, memory_bytes),
	BS_SHARED_JOBS(struct compact_arguments, n_threads, "threads [one per processor]"),
	BS_SHARED_WAIT(struct compact_arguments, wait),
	BS_SHARED_QUIET(struct compact_arguments, quiet),
	{0},
};

static const char *const compact_examples[] = {
	"bitsift compact",
	"the index here or above",
	NULL,
};

struct display {
	struct bs_progress progress; /* First member, for bs_progress_show. */
	uint64_t n_unread;
};

#define LISTED_UNREAD 20

/* Prints a notice about an unreadable file or a source without consent; compacting skips nothing
 * else. */
static void show_skip(void *context, enum bs_skip reason, const char *message)
{
	struct display *display = context;
	display->n_unread += reason == BS_SKIP_UNREADABLE;
	if (display->n_unread > LISTED_UNREAD)
		return;
	bs_progress_clear(&display->progress);
	fprintf(stderr, "bitsift: %s\n", message);
}

static void show_summary(const struct bs_build_report *report, const char *index)
{
	struct bs_error refresh;
	const char *docs = BS_THINGS(report->n_docs, "document"),
		   *bytes = BS_BYTES(report->index_bytes);
	if (report->n_compacted == 0)
		fprintf(stderr, "nothing to compact: %s, %s\n", docs, bytes);
	else
		fprintf(stderr, "compacted %s into %llu in %.2f s: %s, %s\n",
		        BS_THINGS(report->n_compacted, "segment"),
		        (unsigned long long)report->n_segments, (double)report->elapsed_ns / 1e9,
		        docs, bytes);
	if (report->n_stayed == 0)
		return;
	docs = BS_THINGS(report->n_stayed, "document");
	if (report->skipped[BS_SKIP_UNTRUSTED])
		fprintf(stderr,
		        "  not compacted: %s that changed since indexing, cannot be read, would "
		        "take more --memory, or whose source is not trusted\n",
		        docs);
	else
		fprintf(stderr,
		        "  not compacted: %s that changed since indexing, cannot be read (run `%s` "
		        "first), or would take more --memory\n",
		        docs, bs_cmd_refresh_command(index, &refresh));
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	const struct compact_arguments *arguments = set;
	struct bs_build_report report = {0};
	struct display display = {.progress = {.verb = "compacting"}};
	char *dir = NULL;
	(void)operands;
	mallopt(M_MMAP_THRESHOLD, 1 << 20); /* See cmd_index.c. */
	enum bs_status status = bs_cmd_locate(arguments->index, &dir, err);
	struct bs_build_request request = {.dir = dir,
	                                   .write.memory_bytes = arguments->memory_bytes,
	                                   .write.n_threads = (uint32_t)arguments->n_threads,
	                                   .write.wait = arguments->wait,
	                                   .host.consent = consent,
	                                   .callbacks.progress = bs_progress_show,
	                                   .callbacks.skipped = show_skip,
	                                   .callbacks.context = &display};
	const struct bs_limits limits = bs_interrupt_catch();
	request.limits = &limits;
	if (!status)
		status = bs_index_compact(&request, &report, err);
	free(dir);
	bs_progress_clear(&display.progress);
	if (!status || status == BS_STOPPED)
		bs_interrupt_end(!status);
	if (!status && !arguments->quiet)
		show_summary(&report, arguments->index);
	if (!status && display.n_unread > 0)
		fprintf(stderr, "bitsift: %llu document%s or folder%s could not be read\n",
		        (unsigned long long)display.n_unread, display.n_unread == 1 ? "" : "s",
		        display.n_unread == 1 ? "" : "s");
	if (status)
		return -1;
	return report.skipped[BS_SKIP_UNTRUSTED] > 0 || display.n_unread > 0 ? 2 : 0;
}

const struct bs_command bs_command_compact = {
	.name = "compact",
	.summary = "Merge the segments of an index; drop deleted documents.",
	.usage = "[OPTION]...",
	.options = compact_options,
	.examples = compact_examples,
	.no_operands = true,
	.arguments_bytes = sizeof(struct compact_arguments),
	.run = run,
};
