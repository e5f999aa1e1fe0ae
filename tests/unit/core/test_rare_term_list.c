/* test_rare_term_list.c: lists of rare terms of all shapes give the right answer for every document
 * and term; damage is detected or harmless. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"
#include "core/matrix/rare_term_list.h"
#include "tests/rigs/core_rig.h"

#define MOST_TERMS 4000u
#define MOST_LISTS 40u
#define LAST       (UINT32_MAX - 1) /* the largest ordinal that a segment can have */

struct list {
	struct bs_rare_term terms[MOST_TERMS];
	size_t n;
};

struct truth {
	struct list lists[MOST_LISTS];
	uint64_t n_lists, n_docs;
	uint32_t docs_log2;
};

static uint32_t draw_docs(const struct truth *truth, uint64_t *random)
{
	uint32_t n_sets = 1u << (1u << truth->docs_log2);
	return random_below(random, 2) ? 1 : 1 + (uint32_t)random_below(random, n_sets - 1);
}

/* Draws a list of terms with ascending ordinals. Steps of one make runs; the other gaps have any
 * length. */
static void draw_list(const struct truth *truth, struct list *list, uint64_t *random)
{
	static const uint32_t counts[] = {0, 1, 2, 64, 65, 300, MOST_TERMS};
	size_t n = counts[random_below(random, COUNT(counts))];
	uint64_t most_gap = UINT64_C(1) << random_below(random, 33),
		 in_run = random_below(random, 100);
	uint64_t at = random_below(random, 2) ? 0 : random_below(random, most_gap);
	uint32_t docs = 1;
	list->n = 0;
	for (size_t i = 0; i < n && at <= LAST; i++) {
		bool is_in_run = i > 0 && random_below(random, 100) < in_run;
		docs = is_in_run && random_below(random, 20) ? docs : draw_docs(truth, random);
		list->terms[list->n++] = (struct bs_rare_term){(uint32_t)at, docs};
		at += is_in_run ? 1 : 1 + random_below(random, most_gap);
	}
}

static void draw(struct truth *truth, uint64_t *random)
{
	truth->docs_log2 = (uint32_t)random_below(random, BS_RARE_MOST_DOCS_LOG2 + 1);
	truth->n_lists = random_below(random, MOST_LISTS + 1);
	truth->n_docs = truth->n_lists << truth->docs_log2;
	for (uint64_t i = 0; i < truth->n_lists; i++)
		draw_list(truth, &truth->lists[i], random);
}

/* Writes all lists, with codes made from the counts of the first n_counted lists. */
static void write_lists(const struct truth *truth, uint64_t n_counted)
{
	static struct bs_rare_counts counts;
	struct bs_rare_codes codes;
	AUTO(vector_deinit) struct bs_u64s offsets = {0};
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	memset(&counts, 0, sizeof(counts));
	for (uint64_t i = 0; i < n_counted; i++)
		bs_rare_count(&counts, truth->lists[i].terms, truth->lists[i].n);
	ok(bs_rare_codes_make(&codes, &counts, truth->docs_log2, ERR));
	unlink("file");
	struct bs_file_writer *writer = new_file("file");
	bs_rare_term_lists_begin(&codes, writer);
	for (uint64_t i = 0, end = 0; i <= truth->n_lists; i++) {
		ok(bs_vector_append(&offsets, &end, ERR));
		if (i < truth->n_lists)
			ok(bs_rare_term_list_append(&codes, truth->lists[i].terms,
			                            truth->lists[i].n, &bytes, ERR));
		end = bytes.used_bytes;
	}
	bs_file_writer_bytes(writer, bytes.data, bytes.used_bytes);
	bs_rare_term_lists_end(&offsets, writer);
	finish_file(writer);
}

/* The set of documents of the list that have the term. */
static uint32_t docs_of(const struct list *list, uint32_t ordinal)
{
	size_t place;
	BS_BINARY_SEARCH(place, i, 0, list->n, list->terms[i].ordinal < ordinal);
	return place < list->n && list->terms[place].ordinal == ordinal ? list->terms[place].docs
	                                                                : 0;
}

static void check_term(const struct bs_rare_term_lists *lists, const struct truth *truth,
                       uint64_t i, uint32_t ordinal)
{
	uint32_t docs = docs_of(&truth->lists[i], ordinal);
	for (uint32_t which = 0; which < 1u << truth->docs_log2; which++) {
		uint32_t document = (uint32_t)(i << truth->docs_log2) + which;
		bool has;
		bs_packed_prefetch(&lists->offsets, bs_rare_term_list_of(lists, document));
		bs_packed_prefetch_target(&lists->offsets, bs_rare_term_list_of(lists, document),
		                          &lists->bytes);
		ok(bs_rare_term_lists_find(lists, document, ordinal, &has, ERR));
		assert_int_equal(has, docs >> which & 1);
	}
}

static void check_list(const struct bs_rare_term_lists *lists, const struct truth *truth,
                       uint64_t i, uint64_t *random)
{
	const struct list *list = &truth->lists[i];
	AUTO(vector_deinit) struct bs_rare_terms terms = {0};
	ok(bs_rare_term_lists_check(lists, i, (uint64_t)LAST + 1, &terms, ERR));
	assert_int_equal(bs_vector_n(&terms), list->n);
	if (list->n > 0) {
		assert_memory_equal(terms.items, list->terms, list->n * sizeof(*list->terms));
		expect_status(bs_rare_term_lists_check(lists, i, list->terms[list->n - 1].ordinal,
		                                       &terms, ERR),
		              BS_CORRUPT);
	}
	for (size_t t = 0; t < list->n; t += 1 + (size_t)random_below(random, 1 + list->n / 40)) {
		uint32_t ordinal = list->terms[t].ordinal;
		check_term(lists, truth, i, ordinal);
		check_term(lists, truth, i, ordinal > 0 ? ordinal - 1 : 0);
		check_term(lists, truth, i, ordinal < LAST ? ordinal + 1 : LAST);
	}
	for (int t = 0; t < 20; t++)
		check_term(lists, truth, i,
		           (uint32_t)(next_random(random) >> random_below(random, 32) >> 32));
	check_term(lists, truth, i, LAST);
}

static void check_lists(const struct truth *truth, uint64_t *random)
{
	AUTO(bs_rare_term_lists_deinit) struct bs_rare_term_lists lists;
	bool has;
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	ok(bs_rare_term_lists_open(&lists, file, truth->n_docs, ERR));
	assert_int_equal(lists.n_lists, truth->n_lists);
	for (uint64_t i = 0; i < truth->n_lists; i++)
		check_list(&lists, truth, i, random);
	expect_status(bs_rare_term_lists_find(&lists, (uint32_t)truth->n_docs, 0, &has, ERR),
	              BS_CORRUPT);
	bs_packed_prefetch_target(&lists.offsets, bs_rare_term_list_of(&lists, UINT32_MAX),
	                          &lists.bytes);
}

static void test_random_lists(void **state)
{
	uint64_t random = 47;
	FREED struct truth *truth = must_calloc(1, sizeof(*truth));
	for (int i = 0; i < 150; i++) {
		draw(truth, &random);
		write_lists(truth, random_below(&random, truth->n_lists + 1));
		check_lists(truth, &random);
	}
}

/* The longest run, the largest gaps, a list with samples (entry points, one every 64 runs), and a
 * segment whose last list has fewer documents than the others. */
static void test_extremes(void **state)
{
	static const struct bs_rare_term ends[] = {
		{0, 255}, {1, 255}, {2, 128}, {LAST - 1, 1}, {LAST, 1}};
	uint64_t random = 53;
	FREED struct truth *truth = must_calloc(1, sizeof(*truth));
	*truth = (struct truth){.n_lists = 4, .n_docs = 29, .docs_log2 = 3};
	memcpy(truth->lists[0].terms, ends, sizeof(ends));
	truth->lists[0].n = COUNT(ends);
	truth->lists[1].terms[0] = (struct bs_rare_term){LAST, 255};
	truth->lists[1].n = 1;
	for (uint32_t i = 0; i < MOST_TERMS; i++) {
		truth->lists[2].terms[i] = (struct bs_rare_term){LAST - MOST_TERMS + 1 + i, 3};
		truth->lists[3].terms[i] = (struct bs_rare_term){
			(uint32_t)(i * (uint64_t)LAST / (MOST_TERMS - 1)), 1u << i % 5};
	}
	truth->lists[2].n = truth->lists[3].n = MOST_TERMS;
	for (uint64_t n_counted = 0; n_counted <= truth->n_lists; n_counted++) {
		write_lists(truth, n_counted);
		truth->n_docs = 29; /* the last list has 5 documents instead of 8 */
		AUTO(bs_rare_term_lists_deinit) struct bs_rare_term_lists lists;
		AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
		ok(bs_rare_term_lists_open(&lists, file, truth->n_docs, ERR));
		for (uint64_t i = 0; i < truth->n_lists; i++)
			check_list(&lists, truth, i, &random);
	}
}

/* Reads the lists by all functions that a search or a check uses. The file may be damaged. */
static void ask(const struct truth *truth, uint64_t *random)
{
	AUTO(bs_rare_term_lists_deinit) struct bs_rare_term_lists lists;
	AUTO(vector_deinit) struct bs_rare_terms terms = {0};
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	enum bs_status status = bs_rare_term_lists_open(&lists, file, truth->n_docs, ERR);
	assert_true(status == BS_OK || status == BS_CORRUPT);
	for (uint64_t i = 0; i < truth->n_lists && !status; i++) {
		const struct list *list = &truth->lists[i];
		for (int t = 0; t < 12; t++) {
			bool has;
			uint32_t document =
				(uint32_t)((i << truth->docs_log2) +
			                   random_below(random, 1u << truth->docs_log2));
			uint32_t ordinal =
				t % 3 && list->n > 0
					? list->terms[random_below(random, list->n)].ordinal
					: (uint32_t)next_random(random);
			bs_packed_prefetch_target(&lists.offsets,
			                          bs_rare_term_list_of(&lists, document),
			                          &lists.bytes);
			enum bs_status found =
				bs_rare_term_lists_find(&lists, document, ordinal, &has, ERR);
			assert_true(found == BS_OK || found == BS_CORRUPT);
		}
		enum bs_status read = bs_rare_term_lists_check(&lists, i, 1u << 20, &terms, ERR);
		assert_true(read == BS_OK || read == BS_CORRUPT);
	}
}

static void test_damage(void **state)
{
	static const uint32_t sections[] = {BS_SECTION_RARE_CODES, BS_SECTION_RARE_OFFSETS,
	                                    BS_SECTION_RARE_TERM_LISTS};
	uint64_t random = 59;
	FREED struct truth *truth = must_calloc(1, sizeof(*truth));
	for (int i = 0; i < 40; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer whole = {0}, bytes = {0};
		draw(truth, &random);
		write_lists(truth, truth->n_lists);
		read_bytes("file", &whole);
		for (size_t turn = 0; turn < 60; turn++) {
			uint64_t n_bytes;
			copy_bytes(&bytes, &whole);
			uint8_t *at = section_in(bytes.data, sections[turn % COUNT(sections)], 0,
			                         &n_bytes);
			for (uint64_t n = 1 + random_below(&random, 3); n > 0; n--)
				at[random_below(&random, n_bytes)] =
					(uint8_t)(next_random(&random) >> 9);
			write_resealed("file", &bytes);
			ask(truth, &random);
		}
	}
}

/* A list is refused if a code names documents after those of the list, because they belong to
 * another list. */
static void test_codes_of_others(void **state)
{
	FREED struct truth *truth = must_calloc(1, sizeof(*truth));
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	uint64_t n_bytes;
	*truth = (struct truth){.n_lists = 2, .n_docs = 16, .docs_log2 = 3};
	truth->lists[0].terms[0] = (struct bs_rare_term){7, 16};
	truth->lists[0].n = 1;
	write_lists(truth, 1);
	for (uint32_t docs_log2 = 0; docs_log2 <= 4; docs_log2++) {
		bs_buffer_clear(&bytes);
		read_bytes("file", &bytes);
		bs_store_u32(section_in(bytes.data, BS_SECTION_RARE_CODES, 0, &n_bytes), docs_log2);
		write_resealed("file", &bytes);
		AUTO(bs_rare_term_lists_deinit) struct bs_rare_term_lists lists;
		AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
		enum bs_status status =
			bs_rare_term_lists_open(&lists, file, UINT64_C(2) << docs_log2, ERR);
		assert_int_equal(status, docs_log2 == 3 ? BS_OK : BS_CORRUPT);
	}
}

RUN_FOLDER_TESTS(test_random_lists, test_extremes, test_damage, test_codes_of_others)
