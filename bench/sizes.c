/*
 * sizes.c: see sizes.h. Compares only the indexes of words. For bitsift: n_words_bytes
 * (core/store/index_stats.h), no ids, places in sources, stored text, values, summary, checksums or
 * manifest. The other engines have no ids, places or texts; all their bytes count.
 */
#include "bench/sizes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/build.h"
#include "bench/tool.h"
#include "core/store/index_stats.h"
#include "core/store/snapshot.h"

#define MAX_KINDS 32

/* An index that has been built. */
struct built {
	const struct index_kind *kind;
	struct build_times times;
	uint64_t bytes;       /* size of the whole index */
	uint64_t words_bytes; /* size of the index of words */
};

static bool is_bitsift(const struct index_kind *kind)
{
	return strncmp(kind->name, "bitsift", 7) == 0;
}

/* Reads the statistics of an index. Returns false if it no longer exists: indexes that are built
 * only to measure the build rate are removed. */
static bool read_stats(const struct corpus *corpus, const struct index_kind *kind,
                       struct bs_index_stats *stats_out)
{
	struct bs_snapshot snapshot;
	struct bs_dir dir;
	struct bs_error err;
	char *path = text_of("%s/%s", corpus->dir, kind->name);
	bool is_there = bs_dir_open(&dir, path, NULL, NULL, &err) == BS_OK &&
	                bs_snapshot_open(&dir, &snapshot, &err) == BS_OK;
	free(path);
	if (!is_there) {
		bs_dir_close(&dir);
		return false;
	}
	if (bs_index_stats_read(&snapshot, stats_out, &err))
		die("%s", err.text);
	bs_snapshot_deinit(&snapshot);
	bs_dir_close(&dir);
	return true;
}

static size_t find_built(const struct corpus *corpus, struct built *built)
{
	size_t n = 0;
	for (const struct index_kind *kind = index_kinds; kind->name && n < MAX_KINDS; kind++) {
		struct bs_index_stats stats;
		char *path = text_of("%s/%s", corpus->dir, kind->name);
		bool is_built = build_times_read(path, &built[n].times, &built[n].bytes);
		free(path);
		if (!is_built)
			continue;
		built[n].kind = kind;
		built[n].words_bytes = built[n].bytes;
		if (is_bitsift(kind) && read_stats(corpus, kind, &stats)) {
			built[n].words_bytes = stats.n_words_bytes;
			bs_index_stats_deinit(&stats);
		}
		n++;
	}
	return n;
}

static double seconds_of(const struct built *built)
{
	return (double)(built->times.main_ns + built->times.finish_ns) / 1e9;
}

static void print_corpus(const struct corpus *corpus, FILE *file)
{
	fprintf(file, "### Corpus\n\n| | |\n|---|--:|\n");
	fprintf(file, "| documents | %" PRIu64 " |\n", corpus->n_docs);
	fprintf(file, "| text, MB | %.1f |\n", (double)corpus->text_bytes / 1e6);
	fprintf(file, "| words in it | %" PRIu64 " |\n", corpus->n_tokens);
	fprintf(file, "| distinct words | %" PRIu64 " |\n", corpus->n_terms);
	fprintf(file, "| postings (document, distinct word) | %" PRIu64 " |\n", corpus->n_postings);
	fprintf(file, "| of them a document | %.1f |\n",
	        (double)corpus->n_postings / (double)corpus->n_docs);
}

static void print_sizes(const struct corpus *corpus, const struct built *built, size_t n,
                        FILE *file)
{
	fprintf(file, "\n### Size\n\nMB of the index of the words. For bitsift, this is without "
	              "ids, places in the sources, stored text, values, the summary, checksums "
	              "and the manifest; for the others, it is all bytes.\n\n");
	fprintf(file, "| index | MB | %% of the text | bits a posting | times bitsift "
	              "|\n|---|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < n; i++) {
		double bytes = (double)built[i].words_bytes;
		if (!built[i].kind->is_rate_only)
			fprintf(file, "| %s | %.1f | %.1f | %.2f | %.2f |\n",
			        built[i].kind->description, bytes / 1e6,
			        100 * bytes / (double)corpus->text_bytes,
			        8 * bytes / (double)corpus->n_postings,
			        bytes / (double)built[0].words_bytes);
	}
}

static void print_parts(const struct corpus *corpus, const struct index_kind *kind, FILE *file)
{
	struct bs_index_stats stats;
	if (!is_bitsift(kind) || !read_stats(corpus, kind, &stats))
		return;
	fprintf(file,
	        "\n%s, by part:\n\n| part | MB | %% of the text | bits a posting "
	        "|\n|---|--:|--:|--:|\n",
	        kind->description);
	for (int part = 0; part <= BS_PARTS; part++) {
		uint64_t bytes = part == BS_PARTS ? stats.n_bytes : stats.parts[part];
		if (part == BS_FIRST_GRAM_PART)
			fprintf(file, "| **index of the words** | %.1f | %.1f | %.2f |\n",
			        (double)stats.n_words_bytes / 1e6,
			        100 * (double)stats.n_words_bytes / (double)corpus->text_bytes,
			        8 * (double)stats.n_words_bytes / (double)corpus->n_postings);
		if (bytes)
			fprintf(file, "| %s | %.1f | %.1f | %.2f |\n",
			        part == BS_PARTS ? "**all**" : bs_part_name((enum bs_part)part),
			        (double)bytes / 1e6,
			        100 * (double)bytes / (double)corpus->text_bytes,
			        8 * (double)bytes / (double)corpus->n_postings);
	}
	bs_index_stats_deinit(&stats);
}

static void print_builds(const struct corpus *corpus, const struct built *built, size_t n,
                         FILE *file)
{
	fprintf(file, "\n### Building\n\nbitsift: from JSON or files, its tokenizer included. The "
	              "others: from ready tokens, "
	              "unless it says \"on the text\".\n\n"
	              "| index | seconds | of them merging | CPU seconds | MB of text/s | peak MB "
	              "| times bitsift's rate |\n"
	              "|---|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < n; i++) {
		double seconds = seconds_of(&built[i]);
		fprintf(file, "| %s | %.1f | %.1f | %.1f | %.1f | %.0f | %.3f |\n",
		        built[i].kind->description, seconds, (double)built[i].times.finish_ns / 1e9,
		        (double)built[i].times.cpu_ns / 1e9,
		        (double)corpus->text_bytes / 1e6 / seconds,
		        (double)built[i].times.peak_bytes / 1e6, seconds_of(&built[0]) / seconds);
	}
}

void sizes_report(const struct corpus *corpus, FILE *file, FILE *summary)
{
	struct built built[MAX_KINDS];
	size_t n = find_built(corpus, built);
	print_corpus(corpus, file);
	if (n == 0)
		return;
	print_sizes(corpus, built, n, file);
	for (size_t i = 0; i < n; i++)
		print_parts(corpus, built[i].kind, file);
	print_builds(corpus, built, n, file);
	for (size_t i = 0; i < n && summary; i++)
		fprintf(summary, "index\t%s\t%" PRIu64 "\t%" PRIu64 "\t%.3f\t%.3f\t%" PRIu64 "\n",
		        built[i].kind->name, built[i].bytes, built[i].words_bytes,
		        seconds_of(&built[i]), (double)built[i].times.cpu_ns / 1e9,
		        built[i].times.peak_bytes);
}
