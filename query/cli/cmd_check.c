/* cmd_check.c: `bitsift check`: arguments and output; bs_index_check does the work. */
#include <stdio.h>
#include <stdlib.h>

#include "core/bitsift/index_check.h"
#include "query/cli/cmd_input.h"
#include "query/cli/cmd_progress.h"
#include "query/cli/commands.h"

/* The struct of arguments is a single const char *: the index. */
static const struct bs_option check_options[] = {
	{0, "index", "DIR", "the index [the nearest .bitsift upward]", .kind = BS_OPTION_ONCE},
	{0},
};

static const char *const check_examples[] = {
	"bitsift check",
	"the index here or above",
	NULL,
};

struct display {
	struct bs_progress progress;
	uint64_t start_ns;
};

static void show_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct display *display = context;
	uint64_t elapsed_ns = bs_timer_now_ns() - display->start_ns;
	if (done_bytes == 0 || !bs_progress_begin(&display->progress, elapsed_ns))
		return;
	double seconds = (double)elapsed_ns / 1e9, share = (double)done_bytes / (double)total_bytes;
	fprintf(stderr, "%s of %s \xc2\xb7 %.0f MB/s \xc2\xb7 %.0f %% \xc2\xb7 %.0f s left",
	        BS_BYTES(done_bytes), BS_BYTES(total_bytes), (double)done_bytes / 1e6 / seconds,
	        share * 100, seconds * (1 / share - 1));
	fflush(stderr);
}

static int run(void *arguments, const struct bs_operands *operands,
               const struct bs_consent *consent, struct bs_error *err)
{
	struct display display = {.progress = {.verb = "checking"}, .start_ns = bs_timer_now_ns()};
	struct bs_check_request request = {
		.host.consent = consent, .progress = show_progress, .context = &display};
	struct bs_check_report report;
	char *dir = NULL;
	(void)operands;
	enum bs_status status = bs_cmd_locate(*(const char **)arguments, &dir, err);
	request.dir = dir;
	if (!status)
		status = bs_index_check(&request, &report, err);
	free(dir);
	bs_progress_clear(&display.progress);
	if (status)
		return -1;
	printf("ok: %s in %s, %s verified in %.2f s\n", BS_THINGS(report.n_docs, "document"),
	       BS_THINGS(report.n_segments, "segment"), BS_BYTES(report.n_bytes),
	       (double)(bs_timer_now_ns() - display.start_ns) / 1e9);
	return 0;
}

const struct bs_command bs_command_check = {
	.name = "check",
	.summary = "Verify every byte of an index and name the first inconsistency.",
	.usage = "[OPTION]...",
	.options = check_options,
	.examples = check_examples,
	.no_operands = true,
	.arguments_bytes = sizeof(const char *),
	.run = run,
};
