/*
 * test_matrix.c: bitsift/matrix.h as programs use it, for an index with columns and one with
 * forward indexes. Rows and documents correspond one to one; the columns of a term contain all its
 * documents, exact columns no others; candidates are the hits of a search.
 */
#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/query.h>
#include <bitsift/writer.h>

#include "tests/rigs/library_rig.h"

#define N_DOCS 5000
#define N_FEW  200

static struct rig {
	char folder[FOLDER_BYTES];
	struct bs_index *index[2];
	struct bs_searcher *searcher[2];
} rig;

/* Document d has the word "all", a word nN for each N from 2 to 59 that divides d, and two rare
 * words. */
static void write_records(const char *path, int n_docs)
{
	FILE *file = must_fopen(path, "w");
	for (int d = 1; d <= n_docs; d++) {
		fprintf(file, "{\"id\": \"%d\", \"text\": \"all", d);
		for (int n = 2; n < 60; n++)
			if (d % n == 0)
				fprintf(file, " n%d", n);
		fprintf(file, " own%d alone%d\"}\n", d, d / 3);
	}
	assert_int_equal(fclose(file), 0);
}

static int setup(void **state)
{
	enter_new_folder(rig.folder);
	for (int i = 0; i < 2; i++) {
		const char *records = i ? "few.jsonl" : "docs.jsonl", *dir = i ? "few" : "docs";
		const char *ids[] = {"30", "31"};
		write_records(records, i == 0 ? N_DOCS : N_FEW);
		struct bs_build_request build = {.dir = dir, .sources = &records, .n_sources = 1};
		struct bs_delete_request delete = {.dir = dir, .ids = ids, .n_ids = 2};
		ok(bs_index_build(&build, NULL, ERR));
		ok(bs_index_delete(&delete, NULL, ERR));
		ok(bs_index_open(dir, &rig.index[i], ERR));
		ok(bs_searcher_new(rig.index[i], &rig.searcher[i], ERR));
	}
	return 0;
}

static int teardown(void **state)
{
	for (int i = 0; i < 2; i++) {
		bs_searcher_free(rig.searcher[i]);
		bs_index_close(rig.index[i]);
	}
	remove_folder(rig.folder);
	return 0;
}

static bool has_bit(const uint64_t *words, uint64_t i)
{
	return words[i / 64] >> (i % 64) & 1;
}

/* Returns the id of a document, a number from 1, given its number in the matrix. */
static int id_of(int i, uint64_t document)
{
	struct bs_hit hit;
	char id[16];
	ok(bs_matrix_name(rig.searcher[i], document, &hit, ERR));
	snprintf(id, sizeof(id), "%.*s", (int)hit.id_bytes, hit.id);
	return atoi(id);
}

static struct bs_matrix_shard shard_of(int i, uint32_t shard)
{
	struct bs_matrix_shard shape;
	ok(bs_matrix_shard_at(rig.index[i], 0, shard, &shape, ERR));
	return shape;
}

/* The documents of the rows of a shard. */
static uint64_t *documents_of(int i, uint32_t shard, uint32_t n_rows)
{
	uint64_t *documents = must_calloc(n_rows, sizeof(*documents));
	ok(bs_matrix_documents(rig.index[i], 0, shard, documents, ERR));
	return documents;
}

/* The only segment of an index. */
static struct bs_matrix_segment segment_of(int i)
{
	struct bs_matrix_segment segment;
	ok(bs_matrix_segment_at(rig.index[i], 0, &segment, ERR));
	return segment;
}

static void test_shapes(void **state)
{
	bool is_matrix = false, is_lists = false;
	for (int i = 0; i < 2; i++) {
		uint64_t n_rows = 0, n_deleted = 0;
		assert_int_equal(bs_matrix_n_segments(rig.index[i]), 1);
		struct bs_matrix_segment segment = segment_of(i);
		assert_int_equal(segment.n_docs, i == 0 ? N_DOCS : N_FEW);
		assert_int_equal(segment.n_deleted, 2);
		assert_true(segment.density >= 0.05 && segment.density <= 0.6);
		FREED uint8_t *seen = must_calloc(segment.n_docs, 1);
		for (uint32_t s = 0; s < segment.n_shards; s++) {
			struct bs_matrix_shard shard = shard_of(i, s);
			FREED uint64_t *documents = documents_of(i, s, shard.n_rows);
			for (uint32_t row = 0; row < shard.n_rows; row++) {
				assert_true(documents[row] < segment.n_docs);
				assert_int_equal(seen[documents[row]]++, 0);
				int id = id_of(i, documents[row]);
				assert_int_equal(bs_matrix_is_deleted(rig.index[i], documents[row]),
				                 id == 30 || id == 31);
				n_deleted += bs_matrix_is_deleted(rig.index[i], documents[row]);
			}
			n_rows += shard.n_rows;
			is_matrix |= !shard.is_lists;
			is_lists |= shard.is_lists;
		}
		assert_int_equal(n_rows, segment.n_docs);
		assert_int_equal(n_deleted, 2);
	}
	assert_true(is_matrix && is_lists);
}

static void check_columns(int i, uint32_t s, enum bs_matrix_level level)
{
	struct bs_matrix_shard shard = shard_of(i, s);
	const struct bs_matrix_columns *columns = &shard.levels[level];
	const uint64_t *words;
	uint64_t n_set = 0;
	FREED uint32_t *counts = must_calloc(columns->n_columns + 1, sizeof(*counts));
	ok(bs_matrix_words(rig.index[i], 0, s, level, 0, columns->n_columns, &words, ERR));
	ok(bs_matrix_popcounts(rig.index[i], 0, s, level, 0, columns->n_columns, counts, ERR));
	for (uint32_t c = 0; c < columns->n_columns; c++, words += columns->column_words) {
		uint32_t n = 0;
		for (uint64_t lane = 0; lane < columns->column_words * UINT64_C(64); lane++) {
			bool is_set = has_bit(words, lane);
			n += is_set;
			assert_true(lane < columns->n_lanes || !is_set);
		}
		assert_int_equal(counts[c], n);
		n_set += n;
	}
	assert_int_equal(n_set, columns->n_set);
	if (columns->n_columns == 0)
		return;
	assert_int_equal((shard.n_rows + columns->lane_rows - 1) / columns->lane_rows,
	                 columns->n_lanes);
	/* The density is about the requested one; in such a small matrix rounding may change it by
	 * a factor of two. */
	double density = (double)n_set / columns->n_columns / columns->n_lanes,
	       wanted = segment_of(i).density;
	assert_true(level != BS_MATRIX_DOCUMENT || (density > wanted / 2 && density < wanted * 2));
}

static void test_columns_count_what_they_say(void **state)
{
	for (int i = 0; i < 2; i++)
		for (uint32_t s = 0; s < segment_of(i).n_shards; s++)
			for (int l = 0; l < BS_MATRIX_LEVELS; l++)
				check_columns(i, s, (enum bs_matrix_level)l);
}

static void check_term(int i, int n)
{
	char term[16];
	struct bs_matrix_segment segment = segment_of(i);
	struct bs_matrix_term found;
	struct bs_matrix_term_treatment treatment;
	snprintf(term, sizeof(term), "n%d", n);
	ok(bs_matrix_find_term(rig.index[i], 0, term, strlen(term), &found, ERR));
	assert_int_equal(found.df, segment.n_docs / (uint64_t)n);
	ok(bs_matrix_term_treatment_at(rig.index[i], 0, found.treatment, &treatment, ERR));
	assert_true(found.df >= treatment.min_df);
	for (uint32_t s = 0; s < segment.n_shards; s++) {
		struct bs_matrix_shard shard = shard_of(i, s);
		struct bs_matrix_term_columns has;
		ok(bs_matrix_find_columns(rig.index[i], 0, s, term, strlen(term), &has, ERR));
		FREED uint64_t *documents = documents_of(i, s, shard.n_rows);
		bool is_exact = has.n_columns[BS_MATRIX_EXACT] == 1;
		if (shard.is_lists || is_exact)
			assert_int_equal(has.n_columns[BS_MATRIX_DOCUMENT], 0);
		else
			assert_true(has.n_columns[BS_MATRIX_DOCUMENT] > 0);
		for (int l = 0; l < BS_MATRIX_LEVELS; l++) {
			for (uint32_t k = 0; k < has.n_columns[l]; k++) {
				const uint64_t *words;
				ok(bs_matrix_words(rig.index[i], 0, s, (enum bs_matrix_level)l,
				                   has.columns[l][k], 1, &words, ERR));
				for (uint32_t row = 0; row < shard.n_rows; row++) {
					bool is_set =
						has_bit(words, row / shard.levels[l].lane_rows);
					bool is_there = id_of(i, documents[row]) % n == 0;
					assert_true(is_set || !is_there);
					assert_true(!is_exact || is_set == is_there);
				}
			}
		}
	}
}

static void test_columns_of_terms(void **state)
{
	static const int numbers[] = {2, 3, 7, 23, 59};
	for (int i = 0; i < 2; i++)
		for (size_t n = 0; n < COUNT(numbers); n++)
			check_term(i, numbers[n]);
}

struct walk {
	uint64_t n, n_postings;
	char last[64];
};

static int walk_term(void *context, const struct bs_matrix_term *term)
{
	struct walk *walk = context;
	char text[64];
	snprintf(text, sizeof(text), "%.*s", (int)term->term_bytes, term->term);
	assert_int_equal(term->ordinal, walk->n);
	assert_true(strcmp(walk->last, text) < 0);
	strcpy(walk->last, text);
	walk->n++;
	walk->n_postings += term->df;
	return strcmp(text, "n2") == 0;
}

/* Terms have no false-positive lists up to some df; all terms above it have them. */
static void test_treatments(void **state)
{
	struct bs_matrix_segment segment = segment_of(0);
	struct bs_matrix_term_treatment before, treatment;
	assert_true(segment.n_treatments > 1);
	ok(bs_matrix_term_treatment_at(rig.index[0], 0, 0, &before, ERR));
	assert_int_equal(before.min_df, 0);
	assert_false(before.has_false_positives);
	for (uint32_t t = 1; t < segment.n_treatments; t++, before = treatment) {
		ok(bs_matrix_term_treatment_at(rig.index[0], 0, t, &treatment, ERR));
		assert_true(treatment.min_df > before.min_df);
		assert_true(treatment.has_false_positives >= before.has_false_positives);
	}
	assert_true(before.has_false_positives);
}

/* Stores a hit's document number, which must be that of the matrix, whatever the segment. */
static int take_number(void *context, const struct bs_hit *hit)
{
	*(uint64_t *)context = hit->document;
	return 0;
}

static void test_numbers_of_segments(void **state)
{
	struct bs_memory_index *memory;
	struct bs_writer *writer;
	ok(bs_memory_index_new(&memory, ERR));
	struct bs_writer_request request = {.memory = memory, .write.n_threads = 1};
	struct bs_open_request open = {.memory = memory};
	ok(bs_writer_open(&request, &writer, ERR));
	for (int i = 0; i < 2; i++) {
		struct bs_text text = {"", 0, &"ab"[i], 1};
		ok(bs_writer_add(writer, text.text, 1, &text, 1, ERR));
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	bs_writer_close(writer);
	AUTO(bs_index_close_at) struct bs_index *index = must_open_with(&open);
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	assert_int_equal(bs_matrix_n_segments(index), 2);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t number, found = UINT64_MAX;
		struct bs_search_request find = {.query.text = &"ab"[i],
		                                 .query.text_bytes = 1,
		                                 .output.mode = BS_SEARCH_IDS,
		                                 .callbacks.hit = take_number,
		                                 .callbacks.context = &found};
		ok(bs_search(searcher, &find, NULL, ERR));
		ok(bs_matrix_documents(index, i, 0, &number, ERR));
		assert_int_equal(number, found);
		assert_int_equal(number >> 32, i);
	}
	bs_memory_index_free(memory);
}

static void test_terms_are_walked_in_order(void **state)
{
	struct walk walk = {0};
	assert_int_equal(bs_matrix_terms(rig.index[1], 0, "", 0, walk_term, &walk, NULL),
	                 BS_STOPPED);
	assert_string_equal(walk.last, "n2");
	walk = (struct walk){.n = walk.n};
	ok(bs_matrix_terms(rig.index[1], 0, "n20", 3, walk_term, &walk, ERR));
	struct bs_matrix_segment segment = segment_of(1);
	assert_int_equal(walk.n, segment.n_terms);
}

struct asked {
	int i, ids[N_DOCS];
	uint64_t n, n_sure;
};

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int hear_candidates(void *context, const struct bs_matrix_candidates *candidates)
{
	struct asked *asked = context;
	FREED uint64_t *documents = documents_of(asked->i, candidates->shard, candidates->n_rows);
	uint64_t n = 0;
	for (uint64_t row = 0; row < candidates->n_words * 64; row++) {
		if (!has_bit(candidates->words, row))
			continue;
		assert_true(row < candidates->n_rows);
		asked->ids[asked->n + n++] = id_of(asked->i, documents[row]);
	}
	assert_int_equal(n, candidates->n_set);
	asked->n += n;
	asked->n_sure += candidates->n_sure;
	return 0;
}

static int hear_hit(void *context, const struct bs_hit *hit)
{
	struct asked *asked = context;
	asked->ids[asked->n++] = id_of(asked->i, hit->document);
	return 0;
}

static void test_candidates_are_hits(void **state)
{
	static const char *const queries[] = {"n2",    "n3 n5",   "n6 OR n35", "n2 -n4",
	                                      "own77", "nothing", "-n2"};
	FREED struct asked *candidates = must_calloc(1, sizeof(*candidates)),
			   *hits = must_calloc(1, sizeof(*hits));
	for (int i = 0; i < 2; i++) {
		for (size_t q = 0; q < COUNT(queries); q++) {
			struct bs_search_request find = {
				QUERY(queries[q]), .output.mode = BS_SEARCH_IDS,
				.callbacks.hit = hear_hit, .callbacks.context = hits};
			*candidates = *hits = (struct asked){.i = i};
			ok(bs_matrix_query(rig.searcher[i], &find, hear_candidates, candidates,
			                   NULL, ERR));
			/* A separate searcher finds the hits, with their ids. */
			struct bs_searcher *searcher = must_searcher(rig.index[i]);
			ok(bs_search(searcher, &find, NULL, ERR));
			bs_searcher_free(searcher);
			qsort(candidates->ids, candidates->n, sizeof(int), by_number);
			qsort(hits->ids, hits->n, sizeof(int), by_number);
			assert_int_equal(candidates->n, hits->n);
			assert_int_equal(candidates->n_sure, hits->n);
			assert_memory_equal(candidates->ids, hits->ids, hits->n * sizeof(int));
		}
		/* No candidate of a phrase is certain to be a hit. */
		struct bs_search_request find = {QUERY("\"own12 alone4\"")};
		*candidates = (struct asked){.i = i};
		ok(bs_matrix_query(rig.searcher[i], &find, hear_candidates, candidates, NULL, ERR));
		assert_true(candidates->n > 0 && candidates->n_sure == 0);
	}
}

static int never(void *context, const struct bs_matrix_candidates *candidates)
{
	return 1;
}

static void test_refusals(void **state)
{
	const struct bs_index *index = rig.index[0];
	struct bs_matrix_segment segment;
	struct bs_matrix_shard shard;
	struct bs_matrix_term term;
	struct bs_matrix_term_treatment treatment;
	struct bs_hit hit;
	const uint64_t *words;
	size_t error_byte;
	assert_int_equal(bs_matrix_segment_at(index, 1, &segment, NULL), BS_INVALID);
	ok(bs_matrix_segment_at(index, 0, &segment, ERR));
	assert_int_equal(bs_matrix_shard_at(index, 0, segment.n_shards, &shard, NULL), BS_INVALID);
	assert_int_equal(
		bs_matrix_term_treatment_at(index, 0, segment.n_treatments, &treatment, NULL),
		BS_INVALID);
	shard = shard_of(0, 0);
	const uint32_t n_columns = shard.levels[0].n_columns,
		       wrong[][2] = {{n_columns, 1}, {1, UINT32_MAX}, {n_columns + 1, 1}};
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(bs_matrix_words(index, 0, 0, BS_MATRIX_DOCUMENT, wrong[i][0],
		                                 wrong[i][1], &words, NULL),
		                 BS_INVALID);
	assert_int_equal(bs_matrix_words(index, 0, 0, (enum bs_matrix_level)9, 0, 1, &words, NULL),
	                 BS_INVALID);
	assert_int_equal(bs_matrix_find_term(index, 0, "nowhere", 7, &term, NULL), BS_NOT_FOUND);
	assert_int_equal(bs_matrix_find_term(index, 0, "", 0, &term, NULL), BS_NOT_FOUND);
	assert_int_equal(bs_matrix_name(rig.searcher[0], N_DOCS, &hit, NULL), BS_INVALID);
	assert_true(bs_matrix_is_deleted(index, UINT64_MAX));
	struct bs_search_request find = {QUERY("n2 +++"), .query.strict = true};
	assert_int_equal(bs_matrix_query(rig.searcher[0], &find, never, NULL, &error_byte, NULL),
	                 BS_INVALID);
	assert_int_equal(error_byte, 3);
	find = (struct bs_search_request){QUERY("n2")};
	assert_int_equal(bs_matrix_query(rig.searcher[0], &find, never, NULL, &error_byte, NULL),
	                 BS_STOPPED);
	assert_int_equal(error_byte, SIZE_MAX);
}

RUN_TESTS_WITH(setup, teardown, test_shapes, test_columns_count_what_they_say,
               test_columns_of_terms, test_treatments, test_numbers_of_segments,
               test_terms_are_walked_in_order, test_candidates_are_hits, test_refusals)
