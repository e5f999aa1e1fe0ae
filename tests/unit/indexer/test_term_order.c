/*
 * test_term_order.c: compares the radix sort of terms with qsort, for terms that are hard to
 * distinguish: zero bytes, long common prefixes, terms that are prefixes of others.
 */
#include "core/base/hash.h"
#include "indexer/segment/term_order.h"
#include "tests/rigs/core_rig.h"

static const struct bs_term_table *sorted_terms; /* qsort passes no context to compare() */

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	uint32_t x_bytes = sorted_terms->entries[x].n_bytes;
	uint32_t y_bytes = sorted_terms->entries[y].n_bytes;
	int order = memcmp(bs_term_table_key(sorted_terms, x), bs_term_table_key(sorted_terms, y),
	                   x_bytes < y_bytes ? x_bytes : y_bytes);
	return order ? order : (x_bytes > y_bytes) - (x_bytes < y_bytes);
}

static void intern(struct bs_term_table *terms, const uint8_t *bytes, uint32_t n_bytes)
{
	uint32_t number;
	ok(bs_term_table_intern(terms, bytes, n_bytes, bs_hash_slot(bytes, n_bytes), &number, NULL,
	                        ERR));
}

static void expect_order(struct bs_term_table *terms)
{
	FREED uint32_t *wanted = must_malloc(((size_t)terms->n_terms + 1) * sizeof(*wanted));
	FREED uint32_t *sorted = must_malloc(((size_t)terms->n_terms + 1) * sizeof(*sorted));
	for (uint32_t i = 0; i < terms->n_terms; i++)
		wanted[i] = i;
	sorted_terms = terms;
	if (terms->n_terms > 0)
		qsort(wanted, terms->n_terms, sizeof(*wanted), compare);
	for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
		ok(bs_term_order(terms, n_threads, sorted, ERR));
		assert_memory_equal(sorted, wanted, terms->n_terms * sizeof(*sorted));
	}
	bs_term_table_deinit(terms);
}

/* Bytes with few values, including 0 and 0xff, so that many terms share prefixes. */
static void test_random(void **state)
{
	static const uint8_t values[] = {0, 'a', 'b', 0xff};
	uint64_t random = 1;
	for (uint32_t n_values = 1; n_values <= 4; n_values++) {
		struct bs_term_table terms = {0};
		for (uint32_t i = 0; i < 150000u / (5 - n_values); i++) {
			uint8_t bytes[40];
			uint32_t n_bytes = (uint32_t)random_below(
				&random, 1 + random_below(&random, sizeof(bytes)));
			for (uint32_t b = 0; b < n_bytes; b++)
				bytes[b] = values[random_below(&random, n_values)];
			intern(&terms, bytes, n_bytes);
		}
		expect_order(&terms);
	}
}

/* The empty term, terms of 1, 2, ... 3,000 equal bytes, and for each of these a term whose last
 * byte differs. */
static void test_long_beginnings(void **state)
{
	struct bs_term_table terms = {0};
	uint8_t bytes[3001];
	memset(bytes, 'x', sizeof(bytes));
	for (uint32_t n_bytes = 0; n_bytes < sizeof(bytes); n_bytes++) {
		intern(&terms, bytes, n_bytes);
		if (n_bytes == 0)
			continue;
		bytes[n_bytes - 1] = (uint8_t)(n_bytes * 37);
		intern(&terms, bytes, n_bytes);
		bytes[n_bytes - 1] = 'x';
	}
	expect_order(&terms);
	expect_order(&terms); /* no terms */
}

RUN_TESTS(test_random, test_long_beginnings)
