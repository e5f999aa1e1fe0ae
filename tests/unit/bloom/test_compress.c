/* test_compress.c: compares codes with the entropy, plans with the tables of the paper, and deltas
 * with their entropy. */
#include <math.h>

#include "core/bitsift/bloom.h"
#include "core/bloom/bit_code.h"
#include "core/bloom/plain.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_bloom, bs_bloom_free)

/* log2 of the number of ways to choose t of n. */
static double log2_choices(double n, double t)
{
	return (lgamma(n + 1) - lgamma(t + 1) - lgamma(n - t + 1)) / M_LN2;
}

static uint8_t *random_bits(uint64_t n_bits, double density, uint64_t *random, uint64_t *n_set_out)
{
	uint8_t *bits = must_calloc(1, bs_bits_bytes(n_bits) + 8);
	for (uint64_t i = 0; i < n_bits; i++)
		if ((double)(next_random(random) >> 11) * 0x1p-53 < density)
			bits[i / 8] |= (uint8_t)(1 << i % 8);
	*n_set_out = bs_bits_count(bits, bs_bits_bytes(n_bits));
	return bits;
}

/* Encodes the bits, checks that the code decodes to them, and returns its size. */
static size_t code_bytes(const uint8_t *bits, uint64_t n_bits, uint64_t n_set)
{
	AUTO(bs_buffer_deinit) struct bs_buffer code = {0};
	ok(bs_bit_encode(bits, n_bits, n_set, &code, ERR));
	FREED uint8_t *copy = must_calloc(1, bs_bits_bytes(n_bits) + 8);
	assert_true(bs_bit_decode(code.data, code.used_bytes, n_bits, n_set, copy));
	assert_memory_equal(copy, bits, bs_bits_bytes(n_bits));
	return code.used_bytes;
}

/* The code takes at most 0.1 % (and 16 bits) more than the entropy, from one set bit in 100,000 to
 * all but one in 10,000. */
static void test_code_takes_the_entropy(void **state)
{
	static const double densities[] = {0.00001, 0.0001, 0.001, 0.003, 0.01,  0.0316,
	                                   0.1,     0.2,    0.3,   0.4,   0.5,   0.6,
	                                   0.7,     0.9,    0.97,  0.99,  0.999, 0.9999};
	uint64_t random = 3, n_set;
	for (size_t i = 0; i < COUNT(densities); i++) {
		uint64_t n_bits = densities[i] < 0.001 || densities[i] > 0.999 ? 10000000 : 1000000;
		FREED uint8_t *bits = random_bits(n_bits, densities[i], &random, &n_set);
		double entropy = (double)n_bits * bs_bloom_entropy((double)n_set / (double)n_bits);
		double coded = 8 * (double)code_bytes(bits, n_bits, n_set);
		print_message("density %-7g %12.0f bits of entropy, %12.0f coded, %+.4f %%\n",
		              densities[i], entropy, coded, 100 * (coded / entropy - 1));
		assert_true(coded <= entropy * 1.001 + 16);
	}
}

static void test_code_of_every_size(void **state)
{
	uint64_t random = 11, n_set;
	assert_int_equal(code_bytes((const uint8_t *)"", 0, 0), 0);
	for (uint64_t n_bits = 1; n_bits < 700; n_bits += n_bits < 200 ? 1 : 37) {
		for (double density = 0; density <= 1; density += 0.125) {
			FREED uint8_t *bits = random_bits(n_bits, density, &random, &n_set);
			size_t n_bytes = code_bytes(bits, n_bits, n_set);
			assert_true(n_set != 0 || n_bytes == 0);
			assert_true(n_set != n_bits || n_bytes == 0);
			assert_true(
				8 * (double)n_bytes <=
				(double)n_bits * bs_bloom_entropy((double)n_set / (double)n_bits) +
					16);
		}
	}
	/* A single set bit among 1,000,000 takes at most 6 bytes, wherever it is. */
	for (uint64_t at = 0; at < 1000000; at = at * 3 + 1) {
		FREED uint8_t *bits = must_calloc(1, bs_bits_bytes(1000000));
		bits[at / 8] = (uint8_t)(1 << at % 8);
		assert_in_range(code_bytes(bits, 1000000, 1), 1, 6);
	}
}

/* Bits that are not random, such as runs, are decoded correctly, too, although the code is made for
 * random bits. */
static void test_code_of_runs(void **state)
{
	uint64_t random = 17;
	for (int round = 0; round < 200; round++) {
		uint64_t n_bits = random_below(&random, 100000) + 1, n_set = 0;
		FREED uint8_t *bits = must_calloc(1, bs_bits_bytes(n_bits));
		for (uint64_t i = 0; i < n_bits;) {
			uint64_t gap = random_below(&random, 5000),
				 end = i + gap + random_below(&random, 300);
			for (i += gap; i < end && i < n_bits; i++, n_set++)
				bits[i / 8] |= (uint8_t)(1 << i % 8);
		}
		code_bytes(bits, n_bits, n_set);
	}
}

/*
 * Compressed filters in Mitzenmacher, "Compressed Bloom Filters": bits of memory and sent bits per
 * key, rate, hashes. In tables 1 and 2 two of them send about as many bits as the best plain
 * filter, in tables 3 and 4 two of them have about its false-positive rate.
 */
static const struct {
	double memory, sent, rate;
	uint32_t n_hashes;
} published[] = {
	{14, 7.923, 0.0177, 2},      {92, 7.923, 0.0108, 1},    {28, 15.846, 0.000314, 4},
	{48, 15.829, 0.000222, 3},   {12.6, 7.582, 0.0216, 2},  {46, 6.891, 0.0215, 1},
	{37.5, 14.666, 0.000454, 3}, {93, 13.815, 0.000453, 2},
};

static void test_published_tables(void **state)
{
	for (size_t i = 0; i < COUNT(published); i++) {
		const uint64_t n = 1000000, m = (uint64_t)(published[i].memory * 1e6);
		double rate = bs_bloom_false_rate(m, published[i].n_hashes, n);
		double sent = published[i].memory *
		              bs_bloom_entropy(bs_bloom_density(m, published[i].n_hashes, n));
		assert_true(fabs(rate / published[i].rate - 1) < 0.005);
		assert_true(fabs(sent / published[i].sent - 1) < 0.001);
		/* With the published memory and sent bits, or memory and rate, as limits, the plan
		 * is at least as good as the published filter. */
		struct bs_bloom_plan plan;
		ok(bs_bloom_plan_for_size(n, sent, published[i].memory, &plan, ERR));
		assert_true(plan.false_rate <= rate * 1.0001);
		assert_true(plan.sent_bits <= sent && (double)plan.n_bits <= (double)m);
		ok(bs_bloom_plan_for_rate(n, rate, published[i].memory * 1.00001, &plan, ERR));
		assert_true(plan.sent_bits <= sent * 1.0001);
		assert_true(plan.false_rate <= rate * 1.0000001);
	}
}

/* Builds a filter of n keys by the plan; measures the sent bits, and the rate with n_absent absent
 * keys. */
static double measure(const struct bs_bloom_plan *plan, uint64_t n, uint64_t n_absent,
                      double *sent_out)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom, *copy;
	FREED uint8_t *bytes;
	size_t n_bytes;
	uint64_t n_found = 0;
	ok(bs_bloom_new(plan->n_bits, plan->n_hashes, &bloom, ERR));
	for (uint64_t i = 0; i < n; i++)
		bs_bloom_add(bloom, bs_bloom_key_of_hash(i));
	ok(bs_bloom_compress(bs_bloom_look(bloom), &bytes, &n_bytes, ERR));
	ok(bs_bloom_decompress(bytes, n_bytes, plan->n_bits, &copy, ERR));
	struct bs_bloom_view view = bs_bloom_look(copy);
	assert_memory_equal(view.bits, bs_bloom_look(bloom).bits, bs_bits_bytes(plan->n_bits));
	for (uint64_t i = 0; i < n_absent; i++)
		n_found += bs_bloom_has(view, bs_bloom_key_of_hash(n + i));
	*sent_out = 8 * (double)(n_bytes - 64) / (double)n;
	return (double)n_found / (double)n_absent;
}

/* Checks plans with real filters: for rows of the published tables, whose memory and sent bits are
 * the limits, and for a rate of one in a thousand, for which a plain filter sends 14.38 bits. */
static void test_plans_by_measurement(void **state)
{
	static const struct {
		bool is_for_rate;
		double memory, sent, rate;
	} wanted[] = {{false, 8, 8, 0.0216},           {false, 14, 8, 0.0177},
	              {false, 92.5, 8, 0.0108},        {false, 16, 16, 0.000459},
	              {false, 28, 16, 0.000314},       {false, 48, 16, 0.000222},
	              {true, 64, 0.89 * 14.38, 0.001}, {true, 0, 0.80 * 14.38, 0.001}};
	const uint64_t n = 1000000;
	for (size_t i = 0; i < COUNT(wanted); i++) {
		struct bs_bloom_plan plan;
		double sent, memory = wanted[i].memory;
		ok(wanted[i].is_for_rate
		           ? bs_bloom_plan_for_rate(n, wanted[i].rate, memory, &plan, ERR)
		           : bs_bloom_plan_for_size(n, wanted[i].sent, memory, &plan, ERR));
		double rate = measure(&plan, n, 10000000, &sent);
		print_message("%4.1f bits of memory, %2" PRIu32
		              " hashes, %.3f bits sent (%.3f by plan): rate %.3g wanted, %.3g "
		              "planned, %.3g measured\n",
		              (double)plan.n_bits / 1e6, plan.n_hashes, sent, plan.sent_bits,
		              wanted[i].rate, plan.false_rate, rate);
		/* At most 1 % above the rate of the paper. */
		assert_true(plan.false_rate <= wanted[i].rate * 1.01);
		assert_true(fabs(rate / plan.false_rate - 1) < 0.05);
		assert_true(!wanted[i].is_for_rate || fabs(rate / wanted[i].rate - 1) < 0.05);
		assert_true(sent <= wanted[i].sent * (wanted[i].is_for_rate ? 1 : 1.005));
		assert_true(fabs(sent / plan.sent_bits - 1) < 0.01);
		assert_true(memory == 0 || (double)plan.n_bits <= memory * (double)n);
	}
}

static void test_plans_that_cannot_be(void **state)
{
	struct bs_bloom_plan plan;
	static const double sizes[][2] = {{0, 0}, {-1, 0}, {NAN, 0}, {8, -1}, {8, NAN}};
	for (size_t i = 0; i < COUNT(sizes); i++)
		expect_status(bs_bloom_plan_for_size(100, sizes[i][0], sizes[i][1], &plan, ERR),
		              BS_INVALID);
	expect_status(bs_bloom_plan_for_size(1, 1e-9, 0, &plan, ERR), BS_INVALID);
	static const double rates[][2] = {{0, 0},     {1, 0},      {-1, 0},   {NAN, 0},
	                                  {0.01, -1}, {0.01, NAN}, {0.01, 9}, {1e-300, 1000}};
	for (size_t i = 0; i < COUNT(rates); i++)
		expect_status(bs_bloom_plan_for_rate(100, rates[i][0], rates[i][1], &plan, ERR),
		              BS_INVALID);
	expect_status(bs_bloom_plan_for_rate(UINT64_MAX, 0.01, 0, &plan, ERR), BS_INVALID);
	/* The smallest and the largest plans are possible. */
	ok(bs_bloom_plan_for_rate(0, 0.01, 0, &plan, ERR));
	ok(bs_bloom_plan_for_rate(1, 0.01, 0, &plan, ERR));
	ok(bs_bloom_plan_for_size(1, 1e9, 0, &plan, ERR));
	ok(bs_bloom_plan_for_size(100000000, 8, 0, &plan, ERR));
	assert_true(plan.n_bits <= UINT32_MAX && plan.sent_bits <= 8);
}

static struct bs_bloom *filter_of(uint64_t n_bits, uint32_t n_hashes, uint64_t first, uint64_t end)
{
	struct bs_bloom *bloom;
	ok(bs_bloom_new(n_bits, n_hashes, &bloom, ERR));
	for (; first < end; first++)
		bs_bloom_add(bloom, bs_bloom_key_of_hash(first));
	return bloom;
}

/* Returns the entropy in bits of the changes, given the old filter. */
static double delta_entropy(struct bs_bloom_view from, struct bs_bloom_view to,
                            uint64_t *n_changed_out)
{
	uint64_t n_ones = bs_bloom_n_set(from), n_raised = 0, n_cleared = 0;
	for (size_t i = 0; i < bs_bits_bytes(from.n_bits); i++) {
		n_raised += bs_count_bits((uint8_t)(to.bits[i] & ~from.bits[i]));
		n_cleared += bs_count_bits((uint8_t)(from.bits[i] & ~to.bits[i]));
	}
	*n_changed_out = n_raised + n_cleared;
	double zeros = (double)(from.n_bits - n_ones), ones = (double)n_ones;
	return log2_choices(zeros, (double)n_raised) + log2_choices(ones, (double)n_cleared);
}

/* The old filter has 1,000,000 keys. The new one lacks some of these and has some others. */
static void test_deltas_take_their_entropy(void **state)
{
	static const struct {
		uint64_t n_gone, n_new;
	} cases[] = {{0, 0},           {0, 1},       {1, 0},       {0, 100},
	             {100, 100},       {1000, 1000}, {0, 10000},   {10000, 10000},
	             {100000, 100000}, {200000, 0},  {0, 1000000}, {1000000, 1000000}};
	const uint64_t n = 1000000, m = bs_bloom_optimal_bits(n, 0.01);
	AUTO(bs_bloom_free_at) struct bs_bloom *from = filter_of(m, 7, 0, n);
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(bs_bloom_free_at)
		struct bs_bloom *copy, *to = filter_of(m, 7, cases[i].n_gone, n + cases[i].n_new);
		uint64_t n_changed;
		FREED uint8_t *bytes;
		size_t n_bytes;
		double entropy = delta_entropy(bs_bloom_look(from), bs_bloom_look(to), &n_changed);
		ok(bs_bloom_delta(bs_bloom_look(from), bs_bloom_look(to), &bytes, &n_bytes, ERR));
		double coded = 8 * (double)(n_bytes - 96);
		print_message("-%" PRIu64 " +%" PRIu64 " keys: %" PRIu64
		              " bits changed, %.0f bits of entropy, %.0f coded, %+.3f %%\n",
		              cases[i].n_gone, cases[i].n_new, n_changed, entropy, coded,
		              entropy > 0 ? 100 * (coded / entropy - 1) : 0);
		assert_true(coded <= entropy * (n_changed < 5000 ? 1.02 : 1.001) + 32);
		ok(bs_bloom_copy(bs_bloom_look(from), &copy, ERR));
		ok(bs_bloom_apply(copy, bytes, n_bytes, ERR));
		assert_memory_equal(bs_bloom_look(copy).bits, bs_bloom_look(to).bits,
		                    bs_bits_bytes(m));
	}
}

/* Deltas between filters of random sizes and densities, in both directions. */
static void test_deltas_of_every_size(void **state)
{
	uint64_t random = 23;
	for (int round = 0; round < 3000; round++) {
		uint64_t n_bits = random_below(&random, round < 2000 ? 300 : 5000) + 1;
		AUTO(bs_bloom_free_at)
		struct bs_bloom *a = filter_of(n_bits, 3, 0, random_below(&random, n_bits)), *b,
				*copy;
		uint64_t first = random_below(&random, n_bits);
		b = filter_of(n_bits, 3, first, first + random_below(&random, n_bits));
		ok(bs_bloom_copy(bs_bloom_look(a), &copy, ERR));
		for (int back = 0; back < 2; back++) {
			struct bs_bloom_view from = bs_bloom_look(back ? b : a),
					     to = bs_bloom_look(back ? a : b);
			FREED uint8_t *bytes;
			size_t n_bytes;
			ok(bs_bloom_delta(from, to, &bytes, &n_bytes, ERR));
			ok(bs_bloom_apply(copy, bytes, n_bytes, ERR));
			assert_memory_equal(bs_bloom_look(copy).bits, to.bits,
			                    bs_bits_bytes(n_bits));
		}
	}
}

static void test_deltas_of_others(void **state)
{
	AUTO(bs_bloom_free_at)
	struct bs_bloom *a = filter_of(1000, 3, 0, 100), *b = filter_of(1000, 3, 50, 150),
			*larger = filter_of(1001, 3, 0, 100), *more = filter_of(1000, 4, 0, 100);
	FREED uint8_t *bytes, *none;
	size_t n_bytes;
	ok(bs_bloom_delta(bs_bloom_look(a), bs_bloom_look(b), &bytes, &n_bytes, ERR));
	expect_status(bs_bloom_apply(b, bytes, n_bytes, ERR), BS_INVALID);
	expect_status(bs_bloom_apply(larger, bytes, n_bytes, ERR), BS_INVALID);
	expect_status(bs_bloom_apply(more, bytes, n_bytes, ERR), BS_INVALID);
	expect_status(bs_bloom_delta(bs_bloom_look(a), bs_bloom_look(larger), &none, &n_bytes, ERR),
	              BS_INVALID);
	assert_null(none);
	expect_status(bs_bloom_delta(bs_bloom_look(a), bs_bloom_look(more), &none, &n_bytes, ERR),
	              BS_INVALID);
	assert_null(none);
}

static void test_sizes_are_limited(void **state)
{
	AUTO(bs_bloom_free_at)
	struct bs_bloom *large = filter_of(UINT64_C(1) << 30, 2, 1, 2), *back;
	FREED uint8_t *bytes;
	size_t n_bytes;
	ok(bs_bloom_compress(bs_bloom_look(large), &bytes, &n_bytes, ERR));
	assert_in_range(n_bytes, 64, 80);
	expect_status(bs_bloom_decompress(bytes, n_bytes, 1 << 20, &back, ERR), BS_INVALID);
	assert_null(back);
	ok(bs_bloom_decompress(bytes, n_bytes, 0, &back, ERR));
	assert_int_equal(bs_bloom_n_set(bs_bloom_look(back)), bs_bloom_n_set(bs_bloom_look(large)));
}

RUN_TESTS(test_code_takes_the_entropy, test_code_of_every_size, test_code_of_runs,
          test_published_tables, test_plans_by_measurement, test_plans_that_cannot_be,
          test_deltas_take_their_entropy, test_deltas_of_every_size, test_deltas_of_others,
          test_sizes_are_limited)
