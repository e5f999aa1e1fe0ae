/*
 * test_check.c: indexes with valid checksums and invalid contents: `check` must report the error
 * and its place. Each case changes a few numbers of the small index of index_rig.h and recomputes
 * the checksums. This file has the manifest and other files; test_check_segment.c has segments.
 */
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/bitsift/index.h"
#include "core/check/check.h"
#include "core/file/segment_sections.h"
#include "core/store/index_dir.h"
#include "core/store/index_stats.h"
#include "core/store/summary_make.h"
#include "tests/rigs/check_rig.h"

/* ---- the valid index ---- */

static void test_sound(void **state)
{
	struct bs_check_report sum;
	make_small_index();
	ok(check_index(&sum, ERR));
	assert_int_equal(sum.n_docs, 40);
	assert_int_equal(sum.n_segments, 2);
	/* The report's n_bytes and the sum of the statistics' parts equal the sum of the file
	 * sizes, without "lock" and "CACHEDIR.TAG". */
	uint64_t n_bytes = 0;
	glob_t files;
	assert_int_equal(glob("index/[!lC]*", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct stat file;
		assert_int_equal(stat(files.gl_pathv[i], &file), 0);
		n_bytes += (uint64_t)file.st_size;
	}
	globfree(&files);
	assert_int_equal(sum.n_bytes, n_bytes);
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	AUTO(bs_index_stats_deinit) struct bs_index_stats stats;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	ok(bs_index_stats_read(&snapshot, &stats, ERR));
	assert_int_equal(stats.n_bytes, n_bytes);
	for (int part = 0; part < BS_PARTS; part++)
		assert_true(stats.parts[part] > 0);
	const struct bs_shard_stats *shard = &stats.segments[0].shards[MATRIX];
	for (uint32_t l = 0; l < 3; l++)
		assert_true(shard->density[l] > 0.05 && shard->density[l] < 0.8);
	assert_true(shard->n_exact > 0 && shard->n_exact_postings >= 10 * shard->n_exact);
	assert_int_equal(stats.segments[0].shards[LISTS].n_levels, 0);
	assert_true(stats.segments[0].shards[LISTS].n_forward_postings >= 90);
	assert_int_equal(bs_check_dir(dir_at("."), NULL, &(struct bs_check_sums){0}, ERR),
	                 BS_NOT_FOUND);
}

/* check accepts whatever the indexer makes. */
static void test_every_shape(void **state)
{
	uint64_t random = 20;
	for (int i = 0; i < 60; i++) {
		static const uint32_t n_docs[] = {0, 1, 7, 511, 512, 513, 1024, 3000, 5000};
		struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
		policy.is_forced = random_below(&random, 2);
		policy.use_false_positives = random_below(&random, 2);
		policy.force[0] = (uint8_t)(1 + random_below(&random, 4));
		policy.force[1] = (uint8_t)random_below(&random, 3);
		policy.force[2] = (uint8_t)random_below(&random, 3);
		policy.density = 0.1 + (double)random_below(&random, 5) / 10;
		policy.exact_share = (double)random_below(&random, 4) / 50;
		struct bs_build_tuning tuning = {
			.policy = &policy,
			.max_shard_blocks = (uint32_t)random_below(&random, 12),
			.max_segment_docs = random_below(&random, 3) ? 0 : 1000,
			.forward_mode = (enum bs_forward_mode)random_below(&random, 3)};
		struct bs_build_request request = {.dir = "index",
		                                   .index.words = true,
		                                   .rebuild = i > 0,
		                                   .write.n_threads = 1,
		                                   .tuning = &tuning};
		write_documents(&random, n_docs[random_below(&random, COUNT(n_docs))]);
		index_sources(&request, (const char *const[]){"c.jsonl", NULL}, NULL);
		enum bs_status status = check_index(NULL, ERR);
		if (status)
			fail_msg("index %d: %s", i, said.text);
	}
}

static void count_calls(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	uint64_t *last = context;
	assert_true(done_bytes >= *last && done_bytes <= total_bytes);
	*last = done_bytes;
}

static void test_progress(void **state)
{
	struct bs_check_sums sum;
	uint64_t last = 0;
	const struct bs_check_options options = {.progress = count_calls, .context = &last};
	make_small_index();
	ok(bs_check_dir(dir_at("index"), &options, &sum, ERR));
	assert_true(last > sum.n_bytes / 2);
}

/* ---- files ---- */

static void test_containers(void **state)
{
	make_small_index();
	EXPECT_REFUSED("seg", 0, "format version 3, this bitsift knows version 4",
	               {WHOLE_FILE, 0, 8, 4, SET, 3});
	EXPECT_REFUSED("seg", 0, "rebuild it with `bitsift index --rebuild`",
	               {WHOLE_FILE, 0, 8, 4, SET, 5});
	EXPECT_REFUSED("seg", 0, "it has summaries, which only a newer bitsift knows",
	               {WHOLE_FILE, 0, 36, 4, SET, 4});
	EXPECT("seg", 0, "reserved bytes of the head", {WHOLE_FILE, 0, 48, 8, SET, 1});
	EXPECT("seg", 1, "a file of kind 1", {WHOLE_FILE, 0, 12, 4, SET, 1});
	/* The first section follows the head; a gap follows the first section. */
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	uint64_t n_bytes;
	FREED char *path = index_file("seg", 0);
	read_bytes(path, &bytes);
	uint8_t *first = section_in(bytes.data, BS_SECTION_TERMS, 0, &n_bytes);
	int64_t gap = first - bytes.data + (int64_t)n_bytes;
	assert_true(gap % 64 != 0);
	EXPECT("seg", 0, "between sections, is not zero", {WHOLE_FILE, 0, gap, 1, SET, 1});
	/* A section of an unknown number is skipped; a duplicate section is an error. */
	int64_t table = (int64_t)bs_load_u64(bytes.data + 24);
	int64_t fields = table;
	while (bs_load_u32(bytes.data + fields) != BS_SECTION_FIELD_TEXTS)
		fields += 32;
	const struct edit unknown = {WHOLE_FILE, 0, fields, 4, SET, 99};
	expect_damage("seg", 0, &unknown, 1, BS_OK, "");
	EXPECT("seg", 0, "two sections are number 35, instance 0",
	       {WHOLE_FILE, 0, fields, 4, SET, BS_SECTION_DOC_NAMES});
}

/* Edits of the manifest that contradict another file, and the expected message about that file. */
struct wrong_manifest {
	struct edit edit;
	const char *what;
};

static void expect_wrong_manifest(const struct wrong_manifest *cases, size_t n)
{
	AUTO(bs_buffer_deinit) struct bs_buffer good = {0}, bad = {0};
	read_bytes("index/manifest", &good);
	for (size_t i = 0; i < n; i++) {
		copy_bytes(&bad, &good);
		apply_edit(bad.data, bad.used_bytes, &cases[i].edit);
		write_resealed("index/manifest", &bad);
		expect_status(check_index(NULL, ERR), BS_CORRUPT);
		if (!strstr(said.text, cases[i].what))
			fail_msg("\"%s\" wanted, but check says: %s", cases[i].what, said.text);
	}
	write_bytes("index/manifest", good.data, good.used_bytes);
}

static void test_manifest(void **state)
{
	make_small_index();
	DAMAGE_MANIFEST(OPTIONS, 0, 8, SET, 0, "commit number 0");
	DAMAGE_MANIFEST(OPTIONS, 8, 8, SET, 3, "file number 3 is not below the next one, 3");
	DAMAGE_MANIFEST(SOURCES, 1, 4, SET, 6, "a source of unknown kind 6");
	DAMAGE_MANIFEST(SOURCES, 1, 4, SET, 0, "a source of unknown kind 0");
	/* Renames the last source from "-" to "d". Its record ends with the label and the path,
	 * each after its length. */
	DAMAGE_MANIFEST(SOURCES, -3, 1, SET, 'd', "two sources are named \"d\"");
	/* A segment record: number, tombstones, documents, deleted documents and bytes, of eight
	 * bytes each, and four bytes of flags; one byte with their number precedes the records. */
	EXPECT("manifest", 0, "file number 1 is used twice", {MANIFEST_SEGMENTS, 0, 45, 8, SET, 1},
	       {MANIFEST_SEGMENTS, 0, 45 + 8, 8, SET, 0},
	       {MANIFEST_SEGMENTS, 0, 45 + 24, 8, SET, 0});
	DAMAGE_MANIFEST(SUMMARY, 16, 8, SET, 0,
	                "a summary or its counts without the other, file 6");
	DAMAGE_MANIFEST(SUMMARY, 0, 8, SET, 0, "a summary or its counts without the other, file 7");
	DAMAGE_MANIFEST(SUMMARY, 16, 8, SET, 6, "file number 6 is used twice");
	EXPECT("counts", 0, "counts of another summary", {1, 0, 0, 1, ADD, 1});
	EXPECT("counts", 0, "it has other bytes than its lists", {1, 0, 8, 8, ADD, 1000});
	EXPECT("counts", 0, "coded numbers of section 1 do not decode", {1, 0, 32, 8, ADD, 1000});
	EXPECT("counts", 0, "its counts are not those of its segments", {1, 0, 56, 1, ADD, 1});
	DAMAGE_MANIFEST(SEGMENTS, 9, 8, SET, 0,
	                "documents or tombstones do not fit its deleted documents, 1");
	DAMAGE_MANIFEST(SEGMENTS, 45 + 24, 8, SET, 0,
	                "documents or tombstones do not fit its deleted documents, 0");
	static const struct wrong_manifest cases[] = {
		{{MANIFEST_SEGMENTS, 0, 41, 4, SET, 3},
	         "seg-000001: corrupt: words in a segment of rows"},
		{{MANIFEST_SEGMENTS, 0, 33, 8, ADD, 1}, "seg-000001: corrupt: "},
		{{MANIFEST_SEGMENTS, 0, 33, 8, ADD, 1}, " bytes where the manifest has "},
		{{MANIFEST_SEGMENTS, 0, 17, 8, ADD, 1}, "38 documents where the manifest has 39"},
		{{MANIFEST_SEGMENTS, 0, 25, 8, ADD, 1},
	         "del-000004: corrupt: 1 deleted documents where the manifest has 2"},
		{{MANIFEST_SEGMENTS, 0, 1, 8, SET, 77},
	         "file number 77 is not below the next one, 8"},
		{{MANIFEST_SEGMENTS, 0, 9, 8, SET, 78},
	         "file number 78 is not below the next one, 8"},
	};
	expect_wrong_manifest(cases, COUNT(cases));
	static const char *const needed[] = {"index/seg-000001", "index/del-000004"};
	for (size_t i = 0; i < COUNT(needed); i++) {
		assert_int_equal(rename(needed[i], "elsewhere"), 0);
		expect_error(check_index(NULL, ERR), BS_CORRUPT, needed[i]);
		assert_non_null(
			strstr(said.text, ": corrupt: the manifest names it, but it is missing"));
		assert_int_equal(rename("elsewhere", needed[i]), 0);
	}
}

static void test_tombstones(void **state)
{
	make_small_index();
	/* 38 documents: five bytes, whose last two bits are unused. */
	EXPECT("del", 0, "2 deleted documents where the manifest has 1",
	       {TOMBSTONE_BITS, 0, 2, 1, SET, 1});
	EXPECT("del", 0, "bits past the last of 38 documents",
	       {TOMBSTONE_BITS, 0, 4, 1, ADD, 0x40});
}

/* ---- exclusions ---- */

/* Excludes a document of each source of the small index: record file, folder, standard input. */
static void exclude_some(void)
{
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	AUTO(bs_doc_table_builder_deinit) struct bs_doc_table_builder records = {0};
	static const struct bs_doc_record excluded[] = {
		{.source = 0, .name = (const uint8_t *)"r1", .name_bytes = 2, .checksum = 1},
		{.source = 1, .name = (const uint8_t *)"gone.txt", .name_bytes = 8, .checksum = 2},
		{.source = 2,
	         .name = (const uint8_t *)"",
	         .flags = BS_DOC_NAMED_BY_LINE,
	         .place = {0, 9, 7, 3},
	         .checksum = 3},
	};
	ok(bs_manifest_read(dir_at("index"), &manifest, ERR));
	for (size_t i = 0; i < COUNT(excluded); i++)
		ok(bs_doc_table_add(&records, &excluded[i], ERR));
	manifest.generation++;
	manifest.exclusions.number = manifest.next_number++;
	manifest.exclusions.n_docs = records.n_docs;
	ok(bs_exclusions_write(dir_at("index"), manifest.exclusions.number, &records, ERR));
	/* makes the counts include the exclusions */
	ok(bs_summary_update(dir_at("index"), NULL, NULL, UINT64_MAX, &manifest, ERR));
	ok(bs_manifest_write(dir_at("index"), &manifest, ERR));
}

static void test_exclusions(void **state)
{
	struct bs_check_report with, without;
	AUTO(bs_buffer_deinit) struct bs_buffer file = {0};
	make_small_index();
	ok(check_index(&without, ERR));
	exclude_some();
	FREED char *path = index_file("exc", 0);
	read_bytes(path, &file);
	ok(check_index(&with, ERR));
	assert_int_equal(with.n_docs, without.n_docs);
	assert_int_equal(with.n_bytes, without.n_bytes + file.used_bytes);
	EXPECT("exc", 0, "a file of kind 3", {WHOLE_FILE, 0, 12, 4, SET, 3});
	EXPECT("exc", 0, "range 0 of documents is of source 3 of 3",
	       {BS_SECTION_SOURCE_RANGES, 0, 0, 4, SET, 3});
	EXPECT("exc", 0, "range 1 of documents is of source 3 of 3",
	       {BS_SECTION_SOURCE_RANGES, 0, 8, 4, SET, 3});
	/* In DOC_NAMES "gone.txt" follows "r1". */
	EXPECT("exc", 0, "the name of exclusion 1 leads out of its source",
	       {BS_SECTION_DOC_NAMES, 0, 5, 3, SET, 0x2f2e2e});
	EXPECT("exc", 0, "the name of exclusion 1 leads out of its source",
	       {BS_SECTION_DOC_NAMES, 0, 5, 1, SET, '/'});
	EXPECT("exc", 0, "names of documents: from 0 to",
	       {BS_SECTION_DOC_NAME_OFFSETS, 0, -1, 0, PACKED_ADD, (uint64_t)-1});
	EXPECT("exc", 0, "the names of documents 0 to 2 do not decode",
	       {BS_SECTION_DOC_NAMES, 0, 0, 1, SET, 100});
	EXPECT("exc", 0, "section 34 ends after", {BS_SECTION_DOC_NAME_OFFSETS, 0, -8, 8, ADD, 1});
	EXPECT("exc", 0, "section 31 ends after", {BS_SECTION_DOC_LENGTHS, 0, -8, 8, ADD, 1});
}

/* The changed section of the manifest ends with two numbers: that of the exclusion file, and how
 * many entries it has. The files are: segments 1, 2 and 3, tombstones 4 and 5, exclusions 8, the
 * summary 9, its counts 10. */
static void test_exclusions_and_manifest(void **state)
{
	static const struct wrong_manifest cases[] = {
		{{MANIFEST_SEGMENTS, 0, -8, 8, SET, 2},
	         "exc-000008: corrupt: the document table does not hold 2 documents"},
		{{MANIFEST_SEGMENTS, 0, -8, 8, SET, 4},
	         "exc-000008: corrupt: the document table does not hold 4 documents"},
		{{MANIFEST_SEGMENTS, 0, -16, 8, SET, 77},
	         "file number 77 is not below the next one, 11"},
	};
	make_small_index();
	exclude_some();
	expect_wrong_manifest(cases, COUNT(cases));
	assert_int_equal(rename("index/exc-000008", "index/exc-000005"), 0);
	DAMAGE_MANIFEST(SEGMENTS, -16, 8, SET, 5, "file number 5 is used twice");
	expect_error(check_index(NULL, ERR), BS_CORRUPT,
	             "exc-000008: corrupt: the manifest names it, but it is missing");
	assert_int_equal(rename("index/exc-000005", "index/exc-000008"), 0);
	DAMAGE_MANIFEST(SEGMENTS, -16, 8, SET, 11, "file number 11 is not below the next one, 11");
}

RUN_FOLDER_TESTS(test_sound, test_every_shape, test_progress, test_containers, test_manifest,
                 test_tombstones, test_exclusions, test_exclusions_and_manifest)
