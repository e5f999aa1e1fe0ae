/* test_summary.c: after any change, the summary of an index must equal the summary of its segments,
 * must never exclude a present word, and must have the requested rate of false positives for absent
 * words. Tested for indexes of sources and of in-memory documents. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/check/check.h"
#include "core/lexicon/lexicon.h"
#include "core/store/index_dir.h"
#include "core/store/summary_make.h"
#include "core/text/grams.h"
#include "query/language/parse.h"
#include "query/plan/may_match.h"
#include "query/regex/prefilter/regex_grams.h"
#include "query/regex/regex_read.h"
#include "query/search/index_handle.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/index_rig.h"
#include "tests/rigs/library_rig.h"

#define N_WORDS 4000u

/* Writes word `number`. Some words have letters beyond ASCII. */
static void put_word(char *to, size_t n_bytes, uint64_t number)
{
	static const char *const kinds[] = {"w%llux", "Wort%llu", "\xc3\xa9t%llu",
	                                    "\xe6\x9d\xb1\xe4\xba\xac%llu"};
	snprintf(to, n_bytes, kinds[number % 4], (unsigned long long)number);
}

static void append_words(struct bs_buffer *text, uint64_t *random, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		char word[40];
		/* A few words are very common, most are very rare. */
		uint64_t below = UINT64_C(1) << random_below(random, 13);
		put_word(word, sizeof(word),
		         random_below(random, below < N_WORDS ? below + 1 : N_WORDS));
		append_string(text, word);
		append_bytes(text, i % 7 ? " " : ".\n", i % 7 ? 1 : 2);
	}
}

/* Trigrams that were looked up already; a set has a bit for each. */
struct seen {
	uint8_t bits[1 << 21];
};

/* Whether this is the first call with the trigram. */
static bool is_new(struct seen *seen, const uint8_t gram[3])
{
	uint32_t at = (uint32_t)gram[0] << 16 | (uint32_t)gram[1] << 8 | gram[2];
	bool was_seen = seen->bits[at / 8] >> at % 8 & 1;
	seen->bits[at / 8] |= (uint8_t)(1u << at % 8);
	return !was_seen;
}

static void index_source(const char *source, double rate)
{
	index_sources(&(struct bs_build_request){.dir = "index",
	                                         .write.n_threads = 1,
	                                         .index.summary_rate = rate},
	              (const char *const[]){source, NULL}, NULL);
}

static void expect_words(const struct bs_summary *summary, const struct bs_segment *segment)
{
	AUTO(bs_lexicon_cursor_deinit)
	struct bs_lexicon_cursor cursor = {.lexicon = &segment->terms.lexicon};
	FREED struct seen *seen = must_calloc(1, sizeof(*seen));
	bool end = segment->meta.n_terms == 0, may;
	if (!end)
		ok(bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, ERR));
	while (!end) {
		ok(bs_lexicon_cursor_next(&cursor, &end, ERR));
		const uint8_t *key = cursor.term.data;
		if (end || key[0] == BS_KEY_COMPOUND)
			break;
		ok(bs_summary_may_have_word(summary, bs_hash_term(key, cursor.term.used_bytes),
		                            &may, ERR));
		assert_true(may);
		for (size_t i = 2; i < cursor.term.used_bytes; i++) {
			if (!is_new(seen, key + i - 2))
				continue;
			ok(bs_summary_may_have_gram(summary, key + i - 2, &may, ERR));
			assert_true(may);
		}
	}
}

/* Checks whether the summary exists (is_there). A summary must equal one made from scratch, and it
 * and a copy of its bytes must contain every word. */
static void expect_sound(const struct bs_dir *dir, bool is_there)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	AUTO(bs_summary_file_close) struct bs_summary_file file;
	struct bs_summary copy;
	const uint8_t *bytes;
	ok(bs_snapshot_open(dir, &snapshot, ERR));
	ok(bs_summary_verify(&snapshot, &file, ERR));
	assert_int_equal(file.container != NULL, is_there);
	if (!is_there)
		return;
	const struct bs_summary *summary = &file.summary;
	assert_true(bs_summary_rate(summary) <= (double)summary->facts.rate / BS_SUMMARY_RATE_UNIT);
	assert_int_equal(summary->facts.n_docs, snapshot.totals.n_docs);
	assert_int_equal(summary->facts.n_positions, snapshot.totals.n_positions);
	ok(bs_summary_bytes(summary, &bytes, ERR));
	FREED uint8_t *own = malloc(summary->n_bytes);
	memcpy(own, bytes, summary->n_bytes);
	ok(bs_summary_open_bytes(own, summary->n_bytes, &copy, ERR));
	ok(bs_summary_check(&copy, ERR));
	for (uint32_t i = 0; i < snapshot.manifest.n_segments; i++) {
		expect_words(summary, &snapshot.segments[i]);
		expect_words(&copy, &snapshot.segments[i]);
	}
	/* Any changed byte must be detected. */
	uint64_t random = summary->n_bytes;
	for (int i = 0; i < 20; i++) {
		uint64_t at = random_below(&random, summary->n_bytes);
		own[at] ^= 0x10;
		assert_true(bs_summary_open_bytes(own, summary->n_bytes, &copy, NULL) ||
		            bs_summary_check(&copy, NULL));
		own[at] ^= 0x10;
	}
}

/* Returns the path of a document, in a static buffer. */
static const char *path_of(uint64_t number)
{
	static char path[40];
	snprintf(path, sizeof(path), "d/%" PRIu64 ".txt", number);
	return path;
}

static void write_document(uint64_t *random, uint64_t number)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_words(&text, random, 1 + random_below(random, 200));
	write_bytes(path_of(number), text.data, text.used_bytes);
}

static void expect_grams_of(const struct bs_summary *summary, const struct bs_segment *segment,
                            const char *path, struct seen *seen)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0}, folded = {0};
	bool may;
	read_bytes(path, &text);
	ok(bs_grams_fold(text.data, text.used_bytes, &folded, ERR));
	for (size_t at = 0; at + 3 <= folded.used_bytes; at++) {
		if (!is_new(seen, folded.data + at))
			continue;
		ok(bs_summary_may_have_gram(summary, folded.data + at, &may, ERR));
		assert_true(may);
		ok(bs_coded_section_has(&segment->trigrams.set, bs_summary_gram(folded.data + at),
		                        &may, ERR));
		assert_true(may);
	}
}

/* Checks for each file that the summary and the trigram set of the file's segment contain all
 * trigrams of the file. */
static void expect_grams(void)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	AUTO(bs_summary_file_close) struct bs_summary_file file;
	uint32_t n_files = 0, n_expected = 0;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	ok(bs_summary_file_open(dir_at("index"), &snapshot.manifest, &file, ERR));
	assert_true(file.summary.facts.has_text_grams);
	for (uint32_t s = 0; s < snapshot.manifest.n_segments; s++) {
		FREED struct seen *seen = must_calloc(1, sizeof(*seen));
		assert_true(snapshot.segments[s].trigrams.are_known);
		for (uint32_t d = 0; d < snapshot.manifest.segments[s].n_docs; d++) {
			struct bs_doc_record record;
			char path[40];
			if (bs_snapshot_is_deleted(&snapshot, s, d))
				continue;
			ok(bs_snapshot_record(&snapshot, (struct bs_doc_ref){s, d}, &record, ERR));
			snprintf(path, sizeof(path), "d/%.*s", (int)record.name_bytes,
			         (const char *)record.name);
			expect_grams_of(&file.summary, &snapshot.segments[s], path, seen);
			n_files++;
		}
	}
	for (uint64_t i = 0; i < 150; i++)
		n_expected += file_exists(path_of(i));
	assert_int_equal(n_files, n_expected);
}

static void expect_same_file(const char *prefix, uint64_t number, uint64_t other_number)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, other_bytes = {0};
	char path[64];
	snprintf(path, sizeof(path), "index/%s-%06llu", prefix, (unsigned long long)number);
	read_bytes(path, &bytes);
	snprintf(path, sizeof(path), "index/%s-%06llu", prefix, (unsigned long long)other_number);
	read_bytes(path, &other_bytes);
	assert_int_equal(unlink(path), 0);
	assert_buffers_equal(&bytes, &other_bytes);
}

static uint64_t n_made_again;

/* Repeats the last run's update of the summary, but in files, as if memory were short, and compares
 * both results byte by byte. d.saved has the summary files of the commit before that run.
 * from_scratch: the run did not use the summary of that commit. */
static void expect_same_in_files(const struct bs_snapshot *old, bool from_scratch)
{
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	ok(bs_manifest_read(dir_at("index"), &manifest, ERR));
	uint64_t summary = manifest.summary.number, counts = manifest.summary.counts_number;
	/* Skips runs in which a compaction made the summary once more. */
	if (summary != old->manifest.summary.number &&
	    manifest.generation == old->manifest.generation + 1) {
		assert_int_equal(system("cp d.saved/* index"), 0);
		manifest.next_number += 100;
		ok(bs_summary_update(dir_at("index"), from_scratch ? NULL : old, NULL, 0, &manifest,
		                     ERR));
		expect_same_file("summary", summary, manifest.summary.number);
		expect_same_file("counts", counts, manifest.summary.counts_number);
		assert_int_equal(system("for f in d.saved/*; do rm index/${f#*/}; done"), 0);
		n_made_again++;
	}
}

static void save_summary(struct bs_snapshot *old)
{
	ok(bs_snapshot_open(dir_at("index"), old, ERR));
	assert_int_equal(system("rm -rf d.saved && mkdir d.saved && cp index/summary-* "
	                        "index/counts-* d.saved"),
	                 0);
}

static void test_sources(void **state)
{
	struct bs_snapshot old;
	for (uint64_t seed = rounds.seed; seed < rounds.seed + rounds.n; seed++) {
		uint64_t random = seed;
		struct bs_build_tuning tuning = {.max_segment_docs = seed % 2 ? 40 : 0};
		struct bs_build_request request = {
			.dir = "index", .write.n_threads = 1, .tuning = &tuning};
		assert_int_equal(mkdir("d", 0700), 0);
		for (uint64_t i = 0; i < 100; i++)
			write_document(&random, i);
		index_sources(&request, (const char *const[]){"d", NULL}, NULL);
		expect_sound(dir_at("index"), true);
		for (int step = 0; step < 14; step++) {
			for (uint64_t i = random_below(&random, 12); i > 0; i--)
				write_document(&random, random_below(&random, 150));
			for (uint64_t i = random_below(&random, step == 7 ? 120 : 6); i > 0; i--)
				unlink(path_of(random_below(&random, 150)));
			request.index.summary_rate = step == 4 ? 0.1 : step == 9 ? 0.001 : 0;
			request.rebuild = step == 11;
			save_summary(&old);
			ok(bs_index_build(&request, NULL, ERR));
			expect_same_in_files(&old, request.rebuild);
			bs_snapshot_deinit(&old);
			expect_sound(dir_at("index"), true);
			expect_grams();
			if (step % 5 == 3) {
				save_summary(&old);
				ok(bs_index_compact(
					&(struct bs_build_request){.dir = "index",
				                                   .write.n_threads = 1},
					NULL, ERR));
				expect_same_in_files(&old, false);
				bs_snapshot_deinit(&old);
				expect_sound(dir_at("index"), true);
			}
		}
		assert_int_equal(system("rm -r d d.saved index"), 0);
	}
	assert_true(n_made_again > 10 * rounds.n);
}

static void give(struct bs_writer *writer, uint64_t *random, uint64_t number)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	char id[24];
	int id_bytes = snprintf(id, sizeof(id), "%llu", (unsigned long long)number);
	append_words(&text, random, 1 + random_below(random, 60));
	struct bs_text texts[] = {{"text", 4, (const char *)text.data, text.used_bytes}};
	ok(bs_writer_add(writer, id, (size_t)id_bytes, texts, 1, ERR));
}

static void test_given(void **state)
{
	for (uint64_t seed = rounds.seed; seed < rounds.seed + rounds.n; seed++) {
		struct bs_memory_index *memory = NULL;
		struct bs_writer *writer;
		struct bs_dir dir;
		uint64_t random = seed * 77;
		if (seed % 2)
			ok(bs_memory_index_new(&memory, ERR));
		struct bs_writer_request request = {
			.dir = memory ? NULL : "index", .memory = memory, .write.n_threads = 1};
		ok(bs_writer_open(&request, &writer, ERR));
		for (int step = 0; step < 40; step++) {
			for (uint64_t i = random_below(&random, step % 8 ? 20 : 400); i > 0; i--)
				give(writer, &random, random_below(&random, 600));
			for (uint64_t i = random_below(&random, step == 30 ? 600 : 10); i > 0;
			     i--) {
				char id[24];
				int id_bytes =
					snprintf(id, sizeof(id), "%llu",
				                 (unsigned long long)random_below(&random, 600));
				ok(bs_writer_delete(writer, id, (size_t)id_bytes, NULL, ERR));
			}
			ok(bs_writer_commit(writer, NULL, ERR));
			ok(bs_dir_open(&dir, memory ? NULL : "index", memory, NULL, ERR));
			expect_sound(&dir, true);
			bs_dir_close(&dir);
		}
		bs_writer_close(writer);
		bs_memory_index_free(memory);
		assert_int_equal(system("rm -rf index"), 0);
	}
}

static void index_words(uint64_t from, uint64_t to, double rate)
{
	FILE *file = must_fopen("words.jsonl", "a");
	for (uint64_t i = from; i < to; i++)
		fprintf(file, "{\"text\":\"present%" PRIu64 "\"}\n", i);
	assert_int_equal(fclose(file), 0);
	index_source("words.jsonl", rate);
	expect_sound(dir_at("index"), true);
}

static void expect_rate(double rate, double of)
{
	enum {
		N = 1000000
	};
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	AUTO(bs_summary_file_close) struct bs_summary_file file;
	uint64_t n_seem = 0;
	ok(bs_manifest_read(dir_at("index"), &manifest, ERR));
	ok(bs_summary_file_open(dir_at("index"), &manifest, &file, ERR));
	for (unsigned i = 0; i < N; i++) {
		char word[40];
		bool may;
		int n_bytes = snprintf(word, sizeof(word), "absent%u", i);
		ok(bs_summary_may_have_word(&file.summary, bs_hash_term(word, (size_t)n_bytes),
		                            &may, ERR));
		n_seem += may;
	}
	double measured = (double)n_seem / N;
	print_message("requested %g, stated %g, measured %g\n", rate,
	              bs_summary_rate(&file.summary), measured);
	assert_true(measured <= rate * 1.05 && measured >= rate * of);
}

/* Measures the rate of false positives with a million absent words: of a new summary, after little
 * growth, after so much growth that it is made anew, and with another requested rate. */
static void test_rate(void **state)
{
	index_words(0, 30000, 0);
	expect_rate(0.01, 0.85);
	index_words(30000, 31500, 0);
	expect_rate(0.01, 0.9);
	index_words(31500, 45000, 0);
	expect_rate(0.01, 0.85);
	index_words(45000, 45001, 0.001);
	expect_rate(0.001, 0.7);
}

static uint64_t count(struct bs_searcher *searcher, const char *query, bool brute)
{
	struct bs_search_request request = {QUERY(query), .output.mode = BS_SEARCH_COUNT,
	                                    .method.brute = brute};
	struct bs_search_result result;
	ok(bs_search(searcher, &request, &result, ERR));
	return result.n_hits;
}

static void spoil(const char *path)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	read_bytes(path, &bytes);
	bytes.data[bytes.used_bytes / 2] ^= 1;
	write_bytes(path, bytes.data, bytes.used_bytes);
}

static enum bs_status open_both(const struct bs_snapshot *snapshot)
{
	AUTO(bs_summary_file_close) struct bs_summary_file file;
	enum bs_status status =
		bs_summary_file_open(snapshot->dir, &snapshot->manifest, &file, NULL);
	if (!status)
		status = bs_summary_counts_open(snapshot->dir, &snapshot->manifest, &file, NULL);
	return status;
}

static uint64_t count_files(void)
{
	AUTO(bs_index_close_at) struct bs_index *index = must_open("index");
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	uint64_t n = count(searcher, "w0x OR absent", false);
	assert_int_equal(n, count(searcher, "w0x OR absent", true));
	return n;
}

/* One of the two files of the summary is missing, replaced by that of another index, or damaged.
 * Searches do without it, the check reports it by name, and the next commit makes both anew. */
static void test_lost(void **state)
{
	static const char *const prefixes[] = {"summary", "counts"}, *const ways[] = {"gone",
	                                                                              "another's",
	                                                                              "damaged"};
	struct bs_check_sums sum;
	struct bs_snapshot snapshot;
	struct bs_build_request request = {.dir = "index", .write.n_threads = 1};
	uint64_t random = 5;
	assert_int_equal(mkdir("d", 0700), 0);
	for (uint64_t i = 100; i < 104; i++)
		write_document(&random, i);
	index_sources(&request, (const char *const[]){"d", NULL}, NULL);
	for (unsigned i = 0; i < COUNT(prefixes) * COUNT(ways); i++) {
		const char *prefix = prefixes[i / COUNT(ways)], *way = ways[i % COUNT(ways)];
		FREED char *path = index_file(prefix, 0);
		uint64_t n_found = count_files();
		if (way == ways[0])
			assert_int_equal(rename(path, prefix), 0);
		else if (way == ways[1])
			assert_int_equal(rename(prefix, path), 0);
		else
			spoil(path);
		ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
		assert_int_equal(open_both(&snapshot), way == ways[0] ? BS_NOT_FOUND : BS_CORRUPT);
		uint64_t before = snapshot.manifest.summary.number;
		bs_snapshot_deinit(&snapshot);
		assert_int_equal(count_files(), n_found);
		expect_status(bs_check_dir(dir_at("index"), NULL, &sum, ERR), BS_CORRUPT);
		if (!strstr(said.text, path))
			fail_msg("%s of %s: %s", prefix, way, said.text);
		/* If the file was damaged, the next commit only deletes a document, so that it
		 * keeps the segments from which the damaged file was made. */
		if (way == ways[2])
			assert_int_equal(unlink(prefix == prefixes[0] ? "d/100.txt" : "d/101.txt"),
			                 0);
		else
			write_document(&random, i);
		ok(bs_index_build(&request, NULL, ERR));
		expect_sound(dir_at("index"), true);
		ok(bs_check_dir(dir_at("index"), NULL, &sum, ERR));
		ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
		assert_true(snapshot.manifest.summary.number > before &&
		            snapshot.manifest.summary.counts_number >
		                    snapshot.manifest.summary.number);
		assert_int_equal(open_both(&snapshot), BS_OK);
		bs_snapshot_deinit(&snapshot);
	}
	request.index.summary_rate = -1;
	ok(bs_index_build(&request, NULL, ERR));
	expect_sound(dir_at("index"), false);
	ok(bs_index_compact(&request, NULL, ERR));
	expect_sound(dir_at("index"), false);
	request.index.summary_rate = 0.02;
	ok(bs_index_build(&request, NULL, ERR));
	expect_sound(dir_at("index"), true);
}

/* Changes a byte of the summary, at one place after another. The next commit with a new document
 * must make the summary anew, and nothing may be lost. */
static void test_damaged(void **state)
{
	enum {
		STEPS = 12,
		WORDS = 9000
	};
	uint64_t n_bytes;
	index_words(0, WORDS, 0);
	for (uint64_t step = 0; step < STEPS; step++) {
		AUTO(bs_buffer_deinit) struct bs_buffer file = {0};
		FREED char *name = index_file("summary", 0);
		read_bytes(name, &file);
		uint8_t *summary = section_in(file.data, 1, 0, &n_bytes);
		summary[step * n_bytes / STEPS] ^= 0x20;
		assert_int_equal(unlink(name), 0);
		write_bytes(name, file.data, file.used_bytes);
		index_words(WORDS + step, WORDS + step + 1, 0);
	}
}

/* Words with equal hash prefixes, as an attacker can make them, must not take longer than others.
 * Comparing all pairs would exceed the time limit of a test. */
static void test_alike(void **state)
{
	enum {
		N = 400000
	};
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	AUTO(bs_summary_cache_deinit) struct bs_summary_cache cache = {.segments = {.items = NULL}};
	AUTO(bs_summary_file_close) struct bs_summary_file file;
	assert_int_equal(mkdir("d", 0700), 0);
	write_text("d/a.txt", "a word");
	index_source("d", 0);
	ok(bs_manifest_read(dir_at("index"), &manifest, ERR));
	struct bs_summary_segment segment = {manifest.segments[0].number, N};
	ok(bs_vector_append(&cache.segments, &segment, ERR));
	for (uint64_t i = 0; i < N; i++) {
		uint64_t hash = (UINT64_C(77) << 42) + (N - i) * 1000001;
		ok(bs_vector_append(&cache.hashes, &hash, ERR));
	}
	ok(bs_summary_update(dir_at("index"), NULL, &cache, UINT64_MAX, &manifest, ERR));
	ok(bs_summary_file_open(dir_at("index"), &manifest, &file, ERR));
	for (uint64_t i = 0; i < N; i += 997) {
		bool may;
		ok(bs_summary_may_have_word(&file.summary, (UINT64_C(77) << 42) + (N - i) * 1000001,
		                            &may, ERR));
		assert_true(may);
	}
}

/* In an index of many segments, the summary is asked for each word first; answers must equal those
 * of reading all texts. */
static void test_find(void **state)
{
	struct bs_build_tuning tuning = {.max_segment_docs = 25};
	struct bs_build_request request = {
		.dir = "index", .write.n_threads = 1, .tuning = &tuning, .index.summary_rate = 0.2};
	uint64_t random = 11, n_absent = 0;
	assert_int_equal(mkdir("d", 0700), 0);
	for (uint64_t i = 0; i < 250; i++)
		write_document(&random, i);
	index_sources(&request, (const char *const[]){"d", NULL}, NULL);
	AUTO(bs_index_close_at) struct bs_index *index = must_open("index");
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	assert_true(index->snapshot.totals.n_word_segments > 5 &&
	            index->snapshot.summary.container);
	for (int i = 0; i < 300; i++) {
		char query[160], words[3][40];
		static const char *const shapes[] = {"%s %s %s", "%s OR %s OR %s", "%s -%s %s",
		                                     "\"%s %s\" OR %s", "(%s OR %s) %s"};
		for (int w = 0; w < 3; w++)
			put_word(words[w], sizeof(words[w]),
			         random_below(&random, N_WORDS * 3 / 2));
		snprintf(query, sizeof(query), shapes[i % 5], words[0], words[1], words[2]);
		uint64_t n = count(searcher, query, false);
		if (n != count(searcher, query, true))
			fail_msg("%s: %llu", query, (unsigned long long)n);
		bool may;
		ok(bs_summary_may_have_word(&index->snapshot.summary.summary,
		                            bs_hash_term(words[0], strlen(words[0])), &may, ERR));
		n_absent += !may;
	}
	assert_true(n_absent > 30);
}

/* Queries for words that the summary excludes must not read a lexicon; others must. */
static void test_absent(void **state)
{
	static const char *const absent[] = {
		"zebra",  "zebra OR giraffe", "\"zebra giraffe\"", "zeb*",
		"z?krah", "qu*zeb",           "\"zebra gir*\"~3"};
	static const char *const present[] = {"quick", "bro*", "zebra OR fox", "\"quick brown\"",
	                                      "zebra~2"};
	assert_int_equal(mkdir("d", 0700), 0);
	write_text("d/a.txt", "The quick brown fox, yebra\n");
	index_source("d", 1e-6);
	for (size_t i = 0; i < COUNT(absent) + COUNT(present); i++) {
		bool is_absent = i < COUNT(absent);
		const char *query = is_absent ? absent[i] : present[i - COUNT(absent)];
		AUTO(bs_index_close_at) struct bs_index *index = must_open("index");
		AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
		assert_int_equal(index->snapshot.manifest.n_segments, 1);
		assert_int_equal(count(searcher, query, false), is_absent ? 0 : 1);
		if (is_absent != (*index->snapshot.segments[0].terms.lexicon.codes == NULL))
			fail_msg("%s", query);
	}
}

static bool query_may_match(const struct bs_summary *summary, const char *text)
{
	struct bs_tokenizer_options words_options = {.stem_language = NULL};
	struct bs_tokenizer *tokenizer;
	struct bs_query_tree *query;
	bool may;
	ok(bs_tokenizer_new(&words_options, &tokenizer, ERR));
	struct bs_query_options options = {
		.tokenizer = tokenizer, .own_share = 1, .has_file_names = true};
	ok(bs_query_parse((const uint8_t *)text, strlen(text), &options, &query, NULL, ERR));
	ok(bs_query_may_match(query, summary, &may, ERR));
	bs_query_tree_free(query);
	bs_tokenizer_free(tokenizer);
	return may;
}

static bool pattern_may_match(const struct bs_summary *summary, const char *pattern)
{
	struct bs_gram_tree *tree;
	struct bs_regex regex = {.root = 0};
	bool may;
	ok(bs_regex_read(&regex, (const uint8_t *)pattern, strlen(pattern), ERR));
	ok(bs_regex_grams(&regex, &tree, ERR));
	bs_regex_deinit(&regex);
	ok(bs_gram_tree_may_match(tree, &summary->grams, &may, ERR));
	bs_gram_tree_free(tree);
	return may;
}

static void test_trees(void **state)
{
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	AUTO(bs_summary_file_close) struct bs_summary_file file;
	static const char *const may[] = {
		"quick", "quick brown", "quick OR zebra", "quick -zebra", "\"quick brown\"",
		/* Expansions, and other operators. */
		"bro*", "br*", "b?own", "zebra~1", "name:zebra", "(zebra OR fox) quick",
		"-zebra fox", "qu*k", "\"the quick\"~3", "Caf\xc3\xa9"};
	static const char *const cannot[] = {
		"zebra", "quick zebra", "zebra OR giraffe", "zebra -quick", "\"quick zebra\"",
		/* Expansions, and other operators. */
		"zeb*", "zeb?a", "(zebra OR giraffe) quick", "qu*zeb", "\"quick zebra\"~5", "cafe"};
	static const char *const may_stand[] = {
		"quick", "QUICK", "br", "q.*fox", "(zebra|brown)", "", "caf\xc3\xa9", "[xyz]ebra"};
	static const char *const cannot_stand[] = {"zebra", "quick.*zebra", "(zebra|giraffe)",
	                                           "[xz]ebrax"};
	assert_int_equal(mkdir("d", 0700), 0);
	write_text("d/a.txt", "The quick brown fox. Caf\xc3\xa9 yebra\n");
	write_text("d/b.txt", "jumps over\n");
	index_source("d", 1e-6);
	ok(bs_manifest_read(dir_at("index"), &manifest, ERR));
	ok(bs_summary_file_open(dir_at("index"), &manifest, &file, ERR));
	assert_true(file.summary.facts.has_words && file.summary.facts.has_grams &&
	            file.summary.facts.has_text_grams);
	assert_int_equal(file.summary.facts.n_unknown_files, 0);
	assert_int_equal(file.summary.facts.most_nul_end, 0);
	for (size_t i = 0; i < COUNT(may); i++)
		if (!query_may_match(&file.summary, may[i]))
			fail_msg("%s cannot match", may[i]);
	for (size_t i = 0; i < COUNT(cannot); i++)
		if (query_may_match(&file.summary, cannot[i]))
			fail_msg("%s may match", cannot[i]);
	for (size_t i = 0; i < COUNT(may_stand); i++)
		if (!pattern_may_match(&file.summary, may_stand[i]))
			fail_msg("/%s/ cannot match", may_stand[i]);
	for (size_t i = 0; i < COUNT(cannot_stand); i++)
		if (pattern_may_match(&file.summary, cannot_stand[i]))
			fail_msg("/%s/ may match", cannot_stand[i]);
}

RUN_RANDOM_TESTS_EACH_WITH(2, 1, enter_folder, leave_folder, test_sources, test_given, test_rate,
                           test_lost, test_damaged, test_alike, test_trees, test_find, test_absent)
