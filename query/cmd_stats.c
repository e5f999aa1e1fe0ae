/* cmd_stats.c: `bitsift stats`. Arguments; the numbers are core/index_stats.c's, the looks present_stats.c's. */
#include "query/cmd_stats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/index_stats.h"
#include "query/cmd_shared.h"
#include "query/present_stats.h"

enum stats_option {
	OPTION_INDEX = 1,
	OPTION_JSON,
};

static const struct bs_option stats_options[] = {
	{OPTION_INDEX, 0, "index", "DIR", "the index [the nearest .bitsift upward]"},
	{OPTION_JSON, 0, "json", NULL, "one JSON object"},
	{0},
};

static const char *const stats_examples[] = {
	"bitsift stats", "the index here or above",
	"bitsift stats --json --index DIR", "another, for a program",
	NULL,
};

static const char stats_description[] =
	"Prints what an index is made of: its documents, options and sources; of each segment the slabs, with the number of "
	"columns of each level and their density (the share of set bits), and the exact columns; how many columns a word gets "
	"by the number of documents it is in; and what the bytes are spent on. `words index` is what searching words needs; "
	"what is below it would be there without it. A posting is a pair of a document and a word in it.\n\n"
	"Whether the files are sound is another question: see bitsift-check(1).";

const struct bs_command bs_command_stats = {
	.name = "stats",
	.summary = "Say what an index is made of: documents, slabs, densities, bytes.",
	.usage = "[OPTION]...",
	.description = stats_description,
	.options = stats_options,
	.examples = stats_examples,
	.exit_status = "0 when the index could be read, 2 when not.",
};

struct stats_arguments {
	const char *index;
	bool json;
	bool help;
};

static enum bs_status parse_arguments(struct stats_arguments *arguments, int argc, char **argv, struct bs_error *err)
{
	struct bs_arguments walk = {.command = &bs_command_stats, .argc = argc, .argv = argv};
	int id;
	const char *value;
	char **operands;
	enum bs_status status;
	while ((status = bs_arguments_next(&walk, &id, &value, err)) == BS_OK && id) {
		if (id == OPTION_INDEX)
			arguments->index = value;
		else if (id == OPTION_JSON)
			arguments->json = true;
		else
			arguments->help = true;
	}
	if (!status && !arguments->help && bs_arguments_operands(&walk, &operands) > 0)
		status = bs_fail(err, BS_INVALID, "%s: `stats` takes no arguments; the index is named by --index DIR", *operands);
	return status;
}

static enum bs_status show(const struct stats_arguments *arguments, const struct bs_consent *consent, struct bs_error *err)
{
	struct bs_snapshot snapshot = {0};
	struct bs_index_stats stats = {0};
	struct bs_buffer text = {0};
	struct bs_dir dir;
	enum bs_status status = bs_cmd_open(arguments->index, consent, &dir, err);
	if (!status)
		status = bs_snapshot_open(&dir, &snapshot, err);
	if (!status)
		status = bs_index_stats_read(&snapshot, &stats, err);
	if (!status)
		status = arguments->json ? bs_present_stats_json(&snapshot, &stats, &text, err)
		                         : bs_present_stats_text(&snapshot, &stats, &text, err);
	if (!status && (fwrite(text.data, 1, text.used_bytes, stdout) != text.used_bytes || fflush(stdout) != 0))
		status = bs_fail(err, BS_IO, "standard output: %s", strerror(errno));
	bs_buffer_deinit(&text);
	bs_index_stats_deinit(&stats);
	bs_snapshot_deinit(&snapshot);
	bs_dir_close(&dir);
	return status;
}

int bs_cmd_stats(int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct stats_arguments arguments = {0};
	enum bs_status status = parse_arguments(&arguments, argc, argv, &err);
	if (!status && arguments.help)
		return bs_cmd_show_help(&bs_command_stats);
	if (!status)
		status = show(&arguments, consent, &err);
	if (!status)
		return 0;
	fprintf(stderr, "bitsift: %s\n", err.text);
	return 2;
}
