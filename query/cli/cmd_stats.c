/* cmd_stats.c: `bitsift stats`: arguments; core/store/index_stats.c computes the numbers, and
 * stats_format.c prints them. This is the only command that includes internal headers of the
 * library, because it shows the internals of an index, which have no public interface. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/bitsift/host.h"
#include "core/bitsift/skip.h"
#include "core/store/index_stats.h"
#include "corpus/changes/fresh.h"
#include "query/cli/commands.h"
#include "query/format/stats_format.h"
#include "query/format/stats_svg.h"
#include "query/options/shared_options.h"

struct stats_arguments {
	const char *index;
	const char *svg;
	bool json;
	bool verbose;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct stats_arguments, field)

static const struct bs_option stats_options[] = {
	BS_SHARED_INDEX(struct stats_arguments, index),
	{'v', "verbose", NULL, "also print shards, columns, densities and bytes",
         SETS(FLAG, verbose)},
	{0, "json", NULL, "one JSON object", SETS(FLAG, json)},
	{0, "svg", "FILE", "draw bytes and shards into FILE; - for standard output",
         SETS(STRING, svg)},
	{0},
};

static const char *const stats_examples[] = {
	"bitsift stats",
	"the index here or above",
	"bitsift stats -v",
	"also each shard and the use of bytes",
	"bitsift stats --svg index.svg",
	"as a picture",
	"bitsift stats --json --index DIR",
	"another, as JSON",
	NULL,
};

/* The age of the manifest, that is, of the last commit. */
static int64_t age_seconds(const struct bs_dir *dir)
{
	struct stat info;
	if (fstatat(dir->fd, "manifest", &info, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	int64_t age = (int64_t)time(NULL) - (int64_t)info.st_mtime;
	return age > 0 ? age : 0;
}

static void tell_unread(void *context, enum bs_skip reason, const char *message)
{
	bool *is_incomplete = context;
	if (reason != BS_SKIP_UNREADABLE && reason != BS_SKIP_UNTRUSTED)
		return;
	*is_incomplete = true;
	fprintf(stderr, "bitsift: %s\n", message);
}

/* Finds what changed in the sources: opens the index a second time, and checks the sources like
 * --fresh. */
static enum bs_status look_at_sources(const struct bs_dir *dir, struct bs_fresh_counts *since_out,
                                      bool *is_incomplete_out, struct bs_error *err)
{
	struct bs_snapshot snapshot = {0};
	enum bs_status status = bs_snapshot_open(dir, &snapshot, err);
	if (!status)
		status = bs_snapshot_add_fresh(&snapshot, tell_unread, is_incomplete_out, since_out,
		                               err);
	bs_snapshot_deinit(&snapshot);
	return status;
}

static enum bs_status draw(const char *path, const struct bs_snapshot *snapshot,
                           const struct bs_index_stats *stats, struct bs_error *err)
{
	bool is_stdout = strcmp(path, "-") == 0;
	FILE *out = is_stdout ? stdout : fopen(path, "we");
	if (!out)
		return bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));
	bs_format_stats_svg(snapshot, stats, out);
	if (is_stdout)
		return BS_OK;
	bool is_good = fflush(out) == 0 && !ferror(out);
	is_good = fclose(out) == 0 && is_good;
	return is_good ? BS_OK : bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));
}

static enum bs_status show_opened(const struct stats_arguments *arguments,
                                  const struct bs_snapshot *snapshot,
                                  const struct bs_index_stats *stats, bool *is_incomplete_out,
                                  struct bs_error *err)
{
	struct bs_fresh_counts since;
	enum bs_status status = BS_OK;
	if (arguments->svg)
		return draw(arguments->svg, snapshot, stats, err);
	if (arguments->json) {
		bs_format_stats_json(snapshot, stats, stdout);
	} else {
		status = look_at_sources(snapshot->dir, &since, is_incomplete_out, err);
		if (!status)
			bs_format_stats_summary(snapshot, stats, age_seconds(snapshot->dir), &since,
			                        arguments->verbose, stdout);
		if (!status && arguments->verbose)
			bs_format_stats_text(snapshot, stats, stdout);
	}
	return status;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	const struct stats_arguments *arguments = set;
	struct bs_snapshot snapshot = {0};
	struct bs_index_stats stats = {0};
	struct bs_dir dir = {.fd = -1};
	bool is_incomplete = false;
	char *path = NULL;
	(void)operands;
	enum bs_status status = bs_cmd_locate(arguments->index, &path, err);
	if (!status)
		status = bs_dir_open(&dir, path, NULL, consent, err);
	free(path);
	if (!status)
		status = bs_snapshot_open(&dir, &snapshot, err);
	if (!status)
		status = bs_index_stats_read(&snapshot, &stats, err);
	if (!status)
		status = show_opened(arguments, &snapshot, &stats, &is_incomplete, err);
	bs_index_stats_deinit(&stats);
	bs_snapshot_deinit(&snapshot);
	bs_dir_close(&dir);
	return status ? -1 : is_incomplete ? 2 : 0;
}

const struct bs_command bs_command_stats = {
	.name = "stats",
	.summary = "Show what an index holds, how large it is, and how fresh.",
	.usage = "[OPTION]...",
	.options = stats_options,
	.examples = stats_examples,
	.no_operands = true,
	.arguments_bytes = sizeof(struct stats_arguments),
	.run = run,
};
