/*
 * cmd_stats.c: `bitsift stats`. Arguments; the numbers are core/store/index_stats.c's, the looks present_stats.c's. With that, the
 * one command that looks behind bitsift.h: it shows how an index is made, which is nobody's interface.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/index_stats.h"
#include "query/cli/commands.h"
#include "query/cli/present_stats.h"

struct stats_arguments {
	const char *index;
	bool json;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct stats_arguments, field)

static const struct bs_option stats_options[] = {
	{0, "index", "DIR", "the index [the nearest .bitsift upward]", SETS(STRING, index)},
	{0, "json", NULL, "one JSON object", SETS(FLAG, json)},
	{0},
};

static const char *const stats_examples[] = {
	"bitsift stats", "the index here or above",
	"bitsift stats --json --index DIR", "another, for a program",
	NULL,
};

static const char stats_description[] =
	"Prints what an index is made of: its documents, options and sources; of each segment the slabs, with the number "
	"of columns of each level and their density (the share of set bits), and the exact columns; how many columns a "
	"word gets by the number of documents it is in; and what the bytes are spent on. `words index` is the part that "
	"searching for words needs; the lines below it serve other purposes. A posting is one word in one document.\n\n"
	"bitsift-check(1) verifies that the files are sound.";

static enum bs_status show(const struct stats_arguments *arguments, const struct bs_consent *consent, struct bs_error *err)
{
	struct bs_snapshot snapshot = {0};
	struct bs_index_stats stats = {0};
	struct bs_dir dir = {.fd = -1};
	char *path = NULL;
	enum bs_status status = bs_cmd_locate(arguments->index, &path, err);
	if (!status)
		status = bs_dir_open(&dir, path, consent, err);
	free(path);
	if (!status)
		status = bs_snapshot_open(&dir, &snapshot, err);
	if (!status)
		status = bs_index_stats_read(&snapshot, &stats, err);
	if (!status && arguments->json)
		bs_present_stats_json(&snapshot, &stats, stdout);
	else if (!status)
		bs_present_stats_text(&snapshot, &stats, stdout);
	if (!status && (fflush(stdout) != 0 || ferror(stdout)))
		status = bs_fail(err, BS_IO, "standard output: %s", strerror(errno));
	bs_index_stats_deinit(&stats);
	bs_snapshot_deinit(&snapshot);
	bs_dir_close(&dir);
	return status;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent, struct bs_error *err)
{
	(void)operands;
	return show(set, consent, err) ? -1 : 0;
}

const struct bs_command bs_command_stats = {
	.name = "stats",
	.summary = "Show what an index is made of: documents, slabs, densities, bytes.",
	.usage = "[OPTION]...",
	.description = stats_description,
	.options = stats_options,
	.examples = stats_examples,
	.exit_status = "0 when the index could be read, 2 when not.",
	.no_operands = true,
	.arguments_bytes = sizeof(struct stats_arguments),
	.run = run,
};
