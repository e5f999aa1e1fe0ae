/*
 * summary_main.c: bitsift-bench-summary BASE BEFORE AFTER [FOLDER]: compares two ways of making the
 * summary of a commit: updating the last commit's summary by its counters, and making it from
 * scratch. Measures the median CPU time of bs_summary_update, which writes both files of the
 * summary. BASE, BEFORE and AFTER are indexes; the latter two are of some of BASE's sources and
 * have one segment each. Each of the measured commits has the segments of BASE and perhaps one of
 * these two, which is called the lent segment. All files are in memory or, with a FOLDER, which
 * must be empty, in that folder. The first update of each measurement is verified against the
 * segments. Prints lines of a table, for summary.sh.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/bitsift/writer.h"
#include "core/lexicon/lexicon.h"
#include "core/store/index_dir.h"
#include "core/store/summary_make.h"

#define MOST_ROUNDS  101
#define ROUNDS_NS    2e9      /* approximate time of one measurement */
#define FIRST_NUMBER 1000000u /* the number of the first copied segment */

static struct bs_error err;

static void must(enum bs_status status)
{
	if (status) {
		fprintf(stderr, "%s: %s\n", bs_status_name(status), err.text);
		exit(1);
	}
}

/* The index that has the segments of all three indexes. */
static struct bs_memory_index *memory; /* NULL: its files are in the FOLDER */
static struct bs_dir dir;
static struct bs_manifest all; /* the segments of BASE, BEFORE and AFTER, in this order */
static uint32_t n_base;        /* the number of segments of BASE */
static uint64_t next_number = FIRST_NUMBER;
/* The words of the segments of BEFORE and AFTER. A real writer also has a segment's words in memory
 * after writing it. */
static struct bs_summary_cache cache;

static void copy_file(const struct bs_dir *from, const char *name, const char *name_here)
{
	struct stat found;
	int fd, to;
	must(bs_dir_open_file(from, name, &fd, &found, &err));
	uint8_t *bytes = malloc((size_t)found.st_size + 1);
	if (!bytes || read(fd, bytes, (size_t)found.st_size) != found.st_size)
		exit(1);
	close(fd);
	if (memory) {
		must(bs_memory_index_put(memory, name_here, bytes, (size_t)found.st_size, &err));
	} else {
		must(bs_dir_create_file(&dir, name_here, &to, &err));
		if (write(to, bytes, (size_t)found.st_size) != found.st_size || close(to))
			exit(1);
	}
	free(bytes);
}

static void take_segments(const char *path)
{
	char name[BS_INDEX_NAME_BYTES], name_here[BS_INDEX_NAME_BYTES];
	struct bs_dir from;
	struct bs_manifest manifest;
	must(bs_dir_open(&from, path, NULL, NULL, &err));
	must(bs_manifest_read(&from, &manifest, &err));
	if (all.n_segments == 0)
		must(bs_manifest_copy_head(&manifest, &all, &err));
	for (uint32_t i = 0; i < manifest.n_segments; i++) {
		struct bs_segment_record record = manifest.segments[i];
		record.number = next_number++;
		copy_file(&from, bs_index_file_name("seg", manifest.segments[i].number, name),
		          bs_index_file_name("seg", record.number, name_here));
		must(bs_manifest_add_segment(&all, &record, &err));
	}
	bs_manifest_deinit(&manifest);
	bs_dir_close(&from);
}

static void learn_words(uint64_t number)
{
	struct bs_segment segment;
	char name[BS_INDEX_NAME_BYTES];
	size_t before = bs_vector_n(&cache.hashes);
	bool end = false;
	must(bs_segment_open(&segment, &dir, bs_index_file_name("seg", number, name), &err));
	struct bs_lexicon_cursor cursor = {.lexicon = &segment.terms.lexicon};
	must(bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, &err));
	while (bs_lexicon_cursor_next(&cursor, &end, &err) == BS_OK && !end &&
	       cursor.term.data[0] != BS_KEY_COMPOUND) {
		uint64_t hash = bs_hash_term(cursor.term.data, cursor.term.used_bytes);
		must(bs_vector_append(&cache.hashes, &hash, &err));
	}
	struct bs_summary_segment words = {number, bs_vector_n(&cache.hashes) - before};
	must(bs_vector_append(&cache.segments, &words, &err));
	bs_lexicon_cursor_deinit(&cursor);
	bs_segment_deinit(&segment);
}

/* Makes a manifest without a summary, of the segments of BASE and a lent one. lent: NONE, BEFORE or
 * AFTER. */
static void begin_commit(int lent, struct bs_manifest *manifest)
{
	must(bs_manifest_copy_head(&all, manifest, &err));
	for (uint32_t i = 0; i < all.n_segments; i++)
		if (i < n_base || (int)(i - n_base) == lent)
			must(bs_manifest_add_segment(manifest, &all.segments[i], &err));
	manifest->next_number = next_number;
	manifest->summary.number = manifest->summary.counts_number = 0;
}

static void end_commit(struct bs_manifest *manifest)
{
	char name[BS_INDEX_NAME_BYTES];
	next_number = manifest->next_number;
	if (manifest->summary.number) {
		bs_dir_remove(&dir, bs_index_file_name("summary", manifest->summary.number, name));
		bs_dir_remove(&dir,
		              bs_index_file_name("counts", manifest->summary.counts_number, name));
	}
	bs_manifest_deinit(manifest);
}

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Checks that an updated summary has the words of the segments. */
static void verify(struct bs_manifest *manifest)
{
	struct bs_snapshot snapshot;
	struct bs_manifest copy;
	must(bs_manifest_copy_head(manifest, &copy, &err));
	copy.summary.number = manifest->summary.number;
	copy.summary.counts_number = manifest->summary.counts_number;
	for (uint32_t i = 0; i < manifest->n_segments; i++)
		must(bs_manifest_add_segment(&copy, &manifest->segments[i], &err));
	must(bs_snapshot_open_as(&dir, &copy, &snapshot, &err));
	must(bs_summary_verify(&snapshot, NULL, &err));
	bs_snapshot_deinit(&snapshot);
}

/* The median CPU time in ms of making the summary of a commit that has BASE's segments and, unless
 * `lent` is NONE, the segment of BEFORE or AFTER. old: the previous commit; if it has no summary,
 * the new one is made from scratch. */
static double time_settling(const struct bs_snapshot *old, int lent, uint64_t *n_bytes_out)
{
	double times[MOST_ROUNDS], spent = 0;
	int n = 0;
	while (n < MOST_ROUNDS && (n < 5 || spent < ROUNDS_NS)) {
		struct bs_manifest manifest;
		begin_commit(lent, &manifest);
		double begin = now_ns();
		must(bs_summary_update(&dir, old, &cache, UINT64_MAX, &manifest, &err));
		times[n] = now_ns() - begin;
		spent += times[n++];
		if (n == 1 && old->manifest.summary.number)
			verify(&manifest);
		char name[BS_INDEX_NAME_BYTES];
		*n_bytes_out = bs_dir_file_bytes(
			&dir, bs_index_file_name("summary", manifest.summary.number, name));
		end_commit(&manifest);
	}
	qsort(times, (size_t)n, sizeof(*times), compare_doubles);
	return times[n / 2] / 1e6;
}

static void open_with_summary(int lent, const struct bs_snapshot *before,
                              struct bs_snapshot *snapshot_out)
{
	struct bs_manifest manifest;
	begin_commit(lent, &manifest);
	must(bs_summary_update(&dir, before, &cache, UINT64_MAX, &manifest, &err));
	next_number = manifest.next_number;
	must(bs_snapshot_open_as(&dir, &manifest, snapshot_out, &err));
}

static uint64_t count_terms(uint32_t first, uint32_t end)
{
	uint64_t n = 0;
	char name[BS_INDEX_NAME_BYTES];
	for (uint32_t i = first; i < end; i++) {
		struct bs_segment segment;
		must(bs_segment_open(&segment, &dir,
		                     bs_index_file_name("seg", all.segments[i].number, name),
		                     &err));
		n += segment.meta.n_terms;
		bs_segment_deinit(&segment);
	}
	return n;
}

enum {
	NONE = -1,
	BEFORE = 0,
	AFTER = 1
};

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		/* Three commits, by the segment that each has in addition to BASE's: NONE, BEFORE
		 * or AFTER. The summary of `first` is made from scratch. The summary of `from` is
		 * updated from that of `first` if the two differ in their segments, otherwise it is
		 * made from scratch. The update from `from` to `to` is measured. */
		int first, from, to;
	} changes[] = {
		{"comes", NONE, NONE, AFTER},
		{"goes", BEFORE, BEFORE, NONE},
		{"goes and comes", BEFORE, BEFORE, AFTER},
		{"came, goes", NONE, BEFORE, NONE},
		{"came, goes and comes", NONE, BEFORE, AFTER},
	};
	if (argc < 4 || argc > 5) {
		fputs("usage: bitsift-bench-summary BASE BEFORE AFTER [FOLDER]\n", stderr);
		return 2;
	}
	if (argc == 4)
		must(bs_memory_index_new(&memory, &err));
	must(bs_dir_open(&dir, argc == 5 ? argv[4] : NULL, memory, NULL, &err));
	take_segments(argv[1]);
	n_base = all.n_segments;
	take_segments(argv[2]);
	take_segments(argv[3]);
	if (all.n_segments != n_base + 2) {
		fputs("BEFORE and AFTER are to have one segment each\n", stderr);
		return 2;
	}
	learn_words(all.segments[n_base].number);
	learn_words(all.segments[n_base + 1].number);
	uint64_t n_terms = count_terms(0, n_base), n_lent = count_terms(n_base + 1, n_base + 2);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct bs_snapshot first, from, none;
		open_with_summary(changes[i].first, NULL, &first);
		open_with_summary(changes[i].from,
		                  changes[i].first == changes[i].from ? NULL : &first, &from);
		none = from;
		none.manifest.summary.number = none.manifest.summary.counts_number = 0;
		uint64_t n_bytes, n_least_bytes;
		double by_counters = time_settling(&from, changes[i].to, &n_bytes);
		double from_scratch = time_settling(&none, changes[i].to, &n_least_bytes);
		printf("%9" PRIu64 " %4" PRIu32 " %12" PRIu64
		       "  %-20s %9.3f %9.3f %6.1f %9.1f %9.1f\n",
		       n_terms, n_base, n_lent, changes[i].name, by_counters, from_scratch,
		       from_scratch / by_counters, (double)n_bytes / 1e3,
		       (double)n_least_bytes / 1e3);
		fflush(stdout);
		bs_snapshot_deinit(&first);
		bs_snapshot_deinit(&from);
	}
	bs_summary_cache_deinit(&cache);
	bs_manifest_deinit(&all);
	bs_dir_close(&dir);
	bs_memory_index_free(memory);
	return 0;
}
