/*
 * test_gram_sketch.c: the row of a text has exactly the bits of its grams. Rows of texts of all
 * sizes and kinds, and all kernels of this machine, are compared with naive versions.
 */
#include "core/simd/kernels.h"
#include "core/text/grams.h"
#include "indexer/batch/gram_sketch.h"
#include "tests/rigs/core_rig.h"

#define MAX_KERNELS 8

/* ---- kernels ---- */

#define MOST_PLACES 600u
#define MOST_LOG    12u

/* The specification of find_grams. */
static size_t find_grams_naively(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits,
                                 const uint32_t *frequent, const uint32_t *states,
                                 uint32_t *trigrams_out)
{
	size_t n = 0;
	for (size_t at = 0; at < n_places; at++) {
		uint32_t trigram = (uint32_t)bs_gram_key(text + at, 3) & 0xffffff;
		uint64_t key = bs_gram_key(text + at, BS_GRAM_LONG_BYTES);
		uint32_t bucket = bs_gram_bucket(bs_gram_hash(key, 0));
		for (uint32_t i = 0; i < (frequent[bucket / 32] >> (bucket % 32) & 1 ? 1 : 2);
		     i++) {
			uint32_t bit = bs_gram_hash(key, i) % (32u << log);
			bits[bit / 64] |= UINT64_C(1) << (bit % 64);
		}
		if (bs_gram_state(states, trigram))
			trigrams_out[n++] = trigram;
	}
	return n;
}

static void test_find_grams(void **state)
{
	static uint32_t wanted[MOST_PLACES], found[MOST_PLACES + 8];
	static uint64_t wanted_bits[1 << (MOST_LOG - 1)], bits[1 << (MOST_LOG - 1)];
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	FREED uint32_t *states = calloc(BS_GRAM_TRIGRAMS / BS_GRAM_STATES_A_WORD, sizeof(*states));
	FREED uint32_t *frequent = calloc(BS_GRAM_BUCKETS / 32, sizeof(*frequent));
	uint64_t random = 3;
	for (int i = 0; i < 2000; i++) {
		size_t n_places = (size_t)random_below(&random, i % 2 ? 20 : MOST_PLACES + 1);
		uint32_t log = (uint32_t)random_below(&random, MOST_LOG) + 1;
		FREED uint8_t *text = malloc(n_places + BS_GRAM_REACH);
		for (size_t at = 0; at < n_places + BS_GRAM_REACH; at++)
			text[at] = (uint8_t)(i % 3 ? 'a' + random_below(&random, 4)
			                           : random_below(&random, 256));
		for (size_t at = 0; at < n_places; at += 2)
			states[((uint32_t)bs_gram_key(text + at, 3) & 0xffffff) /
			       BS_GRAM_STATES_A_WORD] ^= (uint32_t)next_random(&random);
		for (size_t at = 0; at < n_places; at += 3) {
			uint32_t bucket = bs_gram_bucket(
				bs_gram_hash(bs_gram_key(text + at, BS_GRAM_LONG_BYTES), 0));
			frequent[bucket / 32] ^= (uint32_t)next_random(&random);
		}
		memset(wanted_bits, 0, sizeof(wanted_bits));
		size_t n_wanted = find_grams_naively(text, n_places, log, wanted_bits, frequent,
		                                     states, wanted);
		for (size_t k = 0; k < n_kernels; k++) {
			memset(bits, 0, sizeof(bits));
			assert_int_equal(kernels[k]->text.find_grams(text, n_places, log, bits,
			                                             frequent, states, found),
			                 n_wanted);
			assert_memory_equal(found, wanted, n_wanted * sizeof(*found));
			assert_memory_equal(bits, wanted_bits, sizeof(bits));
		}
	}
}

/* fill_gram_row must move each bit to the position of bs_gram_column. */
static void test_fill_gram_row(void **state)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	uint64_t random = 4;
	for (uint32_t n = 4; n <= 7; n++) {
		for (uint32_t log = BS_GRAM_LEAST_LOG; log < 9; log++) {
			uint64_t bits[16 << 3];
			uint8_t wanted[7 << 6] = {0};
			for (size_t i = 0; i < (size_t)1 << (log - 1); i++)
				bits[i] = next_random(&random) & next_random(&random) &
				          next_random(&random);
			for (uint32_t hash = 0; hash < 32u << log; hash++) {
				uint32_t column = bs_gram_column(hash, n << log);
				wanted[column / 8] |= (uint8_t)((bits[hash / 64] >> (hash % 64) & 1)
				                                << (column % 8));
			}
			for (size_t k = 0; k < n_kernels; k++) {
				FREED uint8_t *row = malloc(n << (log - 3));
				kernels[k]->text.fill_gram_row(bits, (size_t)1 << (log - 3), n,
				                               row);
				assert_memory_equal(row, wanted, n << (log - 3));
			}
		}
	}
}

/* ---- rows ---- */

static bool is_listed(const struct bs_gram_plan *plan, enum bs_gram_tier tier, uint32_t value)
{
	uint32_t n;
	const uint32_t *listed = bs_gram_plan_list(plan, tier, &n);
	for (uint32_t i = 0; i < n; i++)
		if (listed[i] == value)
			return true;
	return false;
}

static enum bs_gram_tier tier_of(const struct bs_gram_plan *plan, uint64_t key)
{
	if (bs_gram_bytes(key) == BS_GRAM_LONG_BYTES)
		return is_listed(plan, BS_GRAM_LONG_FREQUENT, bs_gram_bucket(bs_gram_hash(key, 0)))
		               ? BS_GRAM_LONG_FREQUENT
		               : BS_GRAM_LONG;
	for (uint32_t tier = 0; tier < BS_GRAM_RARE; tier++)
		if (is_listed(plan, (enum bs_gram_tier)tier, (uint32_t)key & 0xffffff))
			return (enum bs_gram_tier)tier;
	return BS_GRAM_RARE;
}

static void set_columns(uint64_t *row, uint32_t m, uint64_t key, uint32_t n_hashes)
{
	for (uint32_t i = 0; i < n_hashes; i++) {
		uint32_t column = bs_gram_column(bs_gram_hash(key, i), m);
		row[column / 64] |= UINT64_C(1) << (column % 64);
	}
}

static uint64_t count_bits(const uint64_t *row, uint32_t n_words)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < n_words; i++)
		n += (uint64_t)__builtin_popcountll(row[i]);
	return n;
}

/* A text that is read in pieces of any size. */
struct pieces {
	const uint8_t *text;
	size_t n_bytes, at;
};

static void rewind_pieces(void *context)
{
	((struct pieces *)context)->at = 0;
}

static void next_piece(void *context, const uint8_t **bytes_out, size_t *n_bytes_out)
{
	static uint64_t random = 7;
	struct pieces *pieces = context;
	size_t left = pieces->n_bytes - pieces->at,
	       n = 1 + (size_t)random_below(&random, random_below(&random, 2) ? 6 : 9000);
	*bytes_out = pieces->text + pieces->at;
	*n_bytes_out = n < left ? n : left;
	pieces->at += *n_bytes_out;
}

/* Compares the row of a text, which is also read in pieces, with a naive version. Returns the share
 * of its bits that are set. */
static double check_text(struct bs_gram_sketch *sketch, const struct bs_gram_plan *plan,
                         const uint8_t *text, size_t n_bytes)
{
	AUTO(bs_buffer_deinit) struct bs_buffer folded = {0};
	struct pieces pieces = {text, n_bytes, 0};
	struct bs_text_stream stream = {
		.context = &pieces, .rewind = rewind_pieces, .next = next_piece};
	struct bs_gram_sum sum, again;
	/* The copy ends with the text, so that a sanitizer detects reads past the end. */
	uint8_t *copy = malloc(n_bytes + 1);
	if (n_bytes)
		memcpy(copy + 1, text, n_bytes);
	ok(bs_gram_sketch_take(sketch, NULL, copy + 1, n_bytes, &sum, ERR));
	free(copy);
	uint32_t n_words = bs_gram_row_words(sum.size_class),
		 m = bs_gram_size_class_columns(sum.size_class);
	FREED uint64_t *row = malloc((size_t)n_words * 8 + 8),
		       *wanted = calloc((size_t)n_words + 1, 8);
	bs_gram_sketch_row(sketch, row);
	ok(bs_grams_fold(text, n_bytes, &folded, ERR));
	for (size_t at = 0; at + 3 <= folded.used_bytes; at++) {
		uint64_t key = bs_gram_key(folded.data + at, 3);
		enum bs_gram_tier tier = tier_of(plan, key);
		assert_true(m > 0 || plan->n_hashes[tier] == 0);
		set_columns(wanted, m, key, plan->n_hashes[tier]);
		if (at + BS_GRAM_LONG_BYTES > folded.used_bytes)
			continue;
		key = bs_gram_key(folded.data + at, BS_GRAM_LONG_BYTES);
		set_columns(wanted, m, key, plan->n_hashes[tier_of(plan, key)]);
	}
	assert_memory_equal(row, wanted, (size_t)n_words * 8);
	ok(bs_gram_sketch_take(sketch, &stream, NULL, n_bytes, &again, ERR));
	assert_int_equal(again.n_bits, sum.n_bits);
	assert_int_equal(again.size_class, sum.size_class);
	bs_gram_sketch_row(sketch, row);
	assert_memory_equal(row, wanted, (size_t)n_words * 8);
	return m ? (double)count_bits(row, n_words) / m : 0;
}

static size_t write_random(uint8_t *text, size_t n_bytes, uint64_t *random)
{
	static const char *const items[] = {
		"a",      "B",      "c",          "D",  " ",    "\n",   "\u00c4",   "\u1e9e",
		"\u212a", "\u023a", "\U00010400", "\0", "\xff", "\xe2", "\xf0\x90", "\x80"};
	size_t at = 0;
	while (at + 4 <= n_bytes) {
		const char *item = items[random_below(random, random_below(random, 3) ? 6 : 16)];
		memcpy(text + at, item, item[0] ? strlen(item) : 1);
		at += item[0] ? strlen(item) : 1;
	}
	return at;
}

static uint32_t trigram_of(const char *bytes)
{
	return (uint32_t)bs_gram_key((const uint8_t *)bytes, 3) & 0xffffff;
}

static void add_grams(struct bs_gram_plan *plan, enum bs_gram_tier tier, const uint32_t *grams,
                      uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ok(bs_gram_plan_add(plan, tier, grams[i], ERR));
}

static void make_plan(struct bs_gram_plan *plan)
{
	const uint32_t left_out[] = {trigram_of("aaa"), trigram_of("aba")},
		       common[] = {trigram_of("baa"), trigram_of("   ")};
	const uint32_t middling[] = {trigram_of("bab"), trigram_of("cab"), trigram_of("cac")};
	bs_gram_plan_init(plan);
	add_grams(plan, BS_GRAM_LEFT_OUT, left_out, 2);
	add_grams(plan, BS_GRAM_COMMON, common, 2);
	add_grams(plan, BS_GRAM_MIDDLING, middling, 3);
	uint32_t buckets[8];
	for (uint32_t i = 0; i < 8; i++) {
		const uint8_t text[BS_GRAM_LONG_BYTES] = {'a', (uint8_t)('a' + i), 'b', 'c', 'a'};
		buckets[i] = bs_gram_bucket(bs_gram_hash(bs_gram_key(text, BS_GRAM_LONG_BYTES), 0));
	}
	add_grams(plan, BS_GRAM_LONG_FREQUENT, buckets, 8);
}

static void test_rows(void **state)
{
	static uint8_t text[40000];
	AUTO(bs_gram_plan_deinit) struct bs_gram_plan plan;
	struct bs_gram_sketch *sketch;
	uint64_t random = 1;
	make_plan(&plan);
	ok(bs_gram_sketch_new(&plan, &sketch, ERR));
	for (int i = 0; i < 4000; i++) {
		size_t most = i % 100 == 0 ? sizeof(text) : i % 10 == 0 ? 3000 : 60;
		size_t n_bytes = write_random(text, (size_t)random_below(&random, most), &random);
		(void)check_text(sketch, &plan, text, n_bytes);
	}
	assert_true(check_text(sketch, &plan, (const uint8_t *)"aaabaaa", 5) > 0);
	/* the plan omits the gram aaa */
	assert_true(check_text(sketch, &plan, (const uint8_t *)"AAAA", 4) == 0);
	/* Texts that end shortly before or after the end of a piece. */
	for (size_t n_bytes = 4080; n_bytes < 4115; n_bytes++) {
		memset(text, 'x', n_bytes);
		memcpy(text + n_bytes - 9, "Q\xf0\x90\x90\x80qRs", 8);
		(void)check_text(sketch, &plan, text, n_bytes);
	}
	bs_gram_sketch_free(sketch);
}

/* Slightly more than half of the bits are set, even if the text has far more distinct grams than
 * first estimated. */
static void test_density(void **state)
{
	static uint8_t text[1 << 18];
	AUTO(bs_gram_plan_deinit) struct bs_gram_plan plan;
	struct bs_gram_sketch *sketch;
	uint64_t random = 2;
	make_plan(&plan);
	ok(bs_gram_sketch_new(&plan, &sketch, ERR));
	for (uint32_t n_kinds = 3; n_kinds <= 256; n_kinds = n_kinds * 3 / 2) {
		for (size_t n_bytes = 300; n_bytes <= sizeof(text); n_bytes = n_bytes * 5 / 3) {
			for (size_t i = 0; i < n_bytes; i++)
				text[i] = (uint8_t)('a' + random_below(&random, n_kinds));
			double density = check_text(sketch, &plan, text, n_bytes);
			assert_true(density > 0.5 && density < 0.66);
		}
	}
	bs_gram_sketch_free(sketch);
}

/* The result does not depend on previous texts, nor on the sketch object. */
static void test_again(void **state)
{
	static uint8_t text[5000];
	AUTO(bs_gram_plan_deinit) struct bs_gram_plan plan;
	struct bs_gram_sketch *sketches[2];
	struct bs_gram_sum sums[2];
	uint64_t random = 9;
	make_plan(&plan);
	for (int i = 0; i < 2; i++)
		ok(bs_gram_sketch_new(&plan, &sketches[i], ERR));
	for (int i = 0; i < 50; i++) {
		size_t n_bytes =
			write_random(text, (size_t)random_below(&random, sizeof(text)), &random);
		ok(bs_gram_sketch_take(sketches[0], NULL, text, n_bytes, &sums[0], ERR));
	}
	ok(bs_gram_sketch_take(sketches[0], NULL, text, 4000, &sums[0], ERR));
	ok(bs_gram_sketch_take(sketches[1], NULL, text, 4000, &sums[1], ERR));
	assert_int_equal(sums[0].size_class, sums[1].size_class);
	assert_int_equal(sums[0].n_bits, sums[1].n_bits);
	for (uint32_t tier = 0; tier < BS_GRAM_TRIGRAM_TIERS; tier++) {
		assert_int_equal(sums[0].n_trigrams[tier], sums[1].n_trigrams[tier]);
		assert_memory_equal(sums[0].trigrams[tier], sums[1].trigrams[tier],
		                    sums[0].n_trigrams[tier] * sizeof(uint32_t));
	}
	assert_int_equal(sums[0].n_trigrams[BS_GRAM_LEFT_OUT], 0);
	for (int i = 0; i < 2; i++)
		bs_gram_sketch_free(sketches[i]);
}

RUN_TESTS(test_find_grams, test_fill_gram_row, test_rows, test_density, test_again)
