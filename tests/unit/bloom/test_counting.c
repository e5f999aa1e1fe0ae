/* test_counting.c: compares the counting filter with the plain filter of its keys, and its overflow
 * with the published bound, exact values and a simulation. */
#include <math.h>

#include "core/bitsift/bloom.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_bloom, bs_bloom_free)
AUTO_OF(struct bs_counting, bs_counting_free)

static struct bs_counting *new_counting(uint64_t n_counters, uint32_t n_hashes)
{
	struct bs_counting *counting;
	ok(bs_counting_new(n_counters, n_hashes, &counting, ERR));
	return counting;
}

static struct bs_counting_info describe(const struct bs_counting *counting)
{
	struct bs_counting_info info;
	bs_counting_describe(counting, &info);
	return info;
}

/* The counting filter equals, bit by bit, the plain filter of its keys. */
static void expect_filter_of(const struct bs_counting *counting, const uint32_t *n_times,
                             uint32_t n_keys)
{
	struct bs_counting_info info = describe(counting);
	AUTO(bs_bloom_free_at) struct bs_bloom *wanted, *got;
	ok(bs_bloom_new(info.n_counters, info.n_hashes, &wanted, ERR));
	uint64_t n_added = 0;
	for (uint32_t i = 0; i < n_keys; i++) {
		if (n_times[i])
			bs_bloom_add(wanted, bs_bloom_key_of_hash(i));
		n_added += n_times[i];
	}
	ok(bs_counting_to_bloom(counting, &got, ERR));
	struct bs_bloom_view one = bs_bloom_look(wanted), other = bs_bloom_look(got);
	assert_int_equal(one.n_bits, other.n_bits);
	assert_int_equal(one.n_hashes, other.n_hashes);
	assert_memory_equal(one.bits, other.bits, (one.n_bits + 63) / 64 * 8);
	for (uint32_t i = 0; i < n_keys; i++)
		assert_int_equal(bs_counting_has(counting, bs_bloom_key_of_hash(i)),
		                 bs_bloom_has(one, bs_bloom_key_of_hash(i)));
	assert_int_equal(info.n_keys, n_added);
	assert_int_equal(info.n_overflows, 0);
}

/* Keys are added and removed. Removing a key that was never added is refused if one of its counters
 * is 0. */
static void test_comes_and_goes(void **state)
{
	static const struct {
		uint32_t n_counters, n_hashes, n_keys;
	} shapes[] = {{1, 1, 3},    {17, 3, 4},     {64, 2, 12},
	              {100, 64, 3}, {1000, 4, 150}, {9586, 7, 1000}};
	uint64_t random = 5;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		uint32_t n = shapes[i].n_keys;
		FREED uint32_t *n_times = must_calloc(n, sizeof(*n_times));
		struct bs_counting *counting =
			new_counting(shapes[i].n_counters, shapes[i].n_hashes);
		for (uint32_t step = 0; step < 20 * n; step++) {
			uint32_t key = (uint32_t)random_below(&random, n);
			if (n_times[key] < 2 && random_below(&random, 2)) {
				bs_counting_add(counting, bs_bloom_key_of_hash(key));
				n_times[key]++;
			} else if (n_times[key]) {
				assert_true(
					bs_counting_remove(counting, bs_bloom_key_of_hash(key)));
				n_times[key]--;
			} else if (!bs_counting_has(counting, bs_bloom_key_of_hash(key))) {
				assert_false(
					bs_counting_remove(counting, bs_bloom_key_of_hash(key)));
			}
			if (step % n == 0)
				expect_filter_of(counting, n_times, n);
		}
		for (uint32_t key = 0; key < n; key++)
			for (; n_times[key]; n_times[key]--)
				assert_true(
					bs_counting_remove(counting, bs_bloom_key_of_hash(key)));
		expect_filter_of(counting, n_times, n);
		for (uint32_t key = 0; key < n; key++)
			assert_false(bs_counting_remove(counting, bs_bloom_key_of_hash(key)));
		expect_filter_of(counting, n_times, n);
		bs_counting_free(counting);
	}
	bs_counting_free(NULL);
}

/* A counter counts exactly up to 15. The 16th addition overflows and is reported. From then on a
 * counter that shows 15 is never decreased, because its true count is unknown. */
static void test_overflow_sticks(void **state)
{
	AUTO(bs_counting_free_at) struct bs_counting *counting = new_counting(1000, 3);
	struct bs_bloom_key often = bs_bloom_key_of_hash(1), seldom = bs_bloom_key_of_hash(2);
	for (int i = 0; i < 15; i++)
		bs_counting_add(counting, often);
	for (int i = 0; i < 15; i++)
		assert_true(bs_counting_remove(counting, often));
	assert_false(bs_counting_remove(counting, often));
	assert_int_equal(describe(counting).n_overflows, 0);
	assert_int_equal(describe(counting).n_keys, 0);

	for (int i = 0; i < 17; i++)
		bs_counting_add(counting, often);
	bs_counting_add(counting, seldom);
	assert_int_equal(describe(counting).n_overflows, 6); /* 2 additions, 3 counters each */
	assert_int_equal(describe(counting).n_keys, 18);
	for (int i = 0; i < 17; i++)
		assert_true(bs_counting_remove(counting, often));
	/* the counters are saturated, so a removal too many is not detected */
	assert_true(bs_counting_remove(counting, often));
	assert_true(bs_counting_has(counting, often));
	assert_true(bs_counting_remove(counting, seldom));
	assert_false(bs_counting_has(counting, seldom));
	assert_int_equal(describe(counting).n_keys, 0); /* 18 were added, 19 removed */
}

static void test_shapes(void **state)
{
	static const struct {
		uint64_t n_counters;
		uint32_t n_hashes;
	} wrong[] = {{0, 1}, {UINT64_C(1) << 32, 1}, {UINT64_MAX, 1}, {1, 0}, {1, 65}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct bs_counting *counting = (struct bs_counting *)ERR;
		expect_status(
			bs_counting_new(wrong[i].n_counters, wrong[i].n_hashes, &counting, ERR),
			BS_INVALID);
		assert_null(counting);
	}
}

/* The tail of the Poisson distribution, as 1 minus the part below the limit; inexact if the tail is
 * tiny. */
static double poisson_tail(double mean, uint32_t limit)
{
	double below = 0, log_term = -mean;
	for (uint32_t i = 0; i < limit; i++) {
		below += exp(log_term);
		log_term += log(mean / (i + 1));
	}
	return 1 - below;
}

/* Fan, Cao, Almeida and Broder: P(any counter >= 16) <= m (e ln 2 / 16)^16 = 1.37e-15 m for the
 * optimal filter. */
static void test_overflow_below_the_bound(void **state)
{
	for (uint64_t n = 1000; n <= 100000000; n *= 10) {
		for (uint32_t k = 1; k <= 16; k++) {
			uint64_t m = (uint64_t)ceil((double)(n * k) / M_LN2);
			double expected = bs_counting_overflow(m, k, n, 16);
			assert_true(expected > 0);
			assert_true(expected <= 1.37e-15 * (double)m);
		}
	}
	assert_true(fabs(pow(M_E * M_LN2 / 16, 16) / 1.37e-15 - 1) < 0.01);
	assert_true(bs_counting_overflow(1000, 3, 5, 16) == 0); /* 15 increments */
	assert_true(bs_counting_overflow(1, 16, 1, 16) == 1);
	/* With many counters, the count of each has nearly a Poisson distribution. */
	for (uint32_t limit = 1; limit <= 8; limit++) {
		double got = bs_counting_overflow(100000000, 7, (uint64_t)(1e8 * M_LN2 / 7), limit);
		assert_true(fabs(got / 1e8 / poisson_tail(M_LN2, limit) - 1) < 1e-5);
	}
}

/* The expected number of overflowing counters is also right for filters that are much too small,
 * where nearly all or all counters overflow. */
static void test_overflow_of_the_overloaded(void **state)
{
	static const double means[] = {4, 8, 12, 15, 16, 17, 20, 40, 100, 700, 800, 10000};
	double before = 0;
	for (size_t i = 0; i < COUNT(means); i++) {
		double wanted = poisson_tail(means[i], 16),
		       got = bs_counting_overflow(100000000, 1, (uint64_t)(means[i] * 1e8), 16) /
		             1e8;
		assert_true(fabs(got / wanted - 1) < 1e-4);
		assert_true(got >= before && got <= 1);
		before = got;
	}
	assert_true(bs_counting_overflow(1000, 7, 1000000, 16) == 1000);
	assert_true(bs_counting_overflow(1000, 7, UINT64_C(1) << 40, 16) == 1000);
	assert_true(bs_counting_overflow(2, 64, UINT64_MAX, 16) == 2);
	assert_true(bs_counting_overflow(1000, 7, 10, 0) == 1000);
	assert_true(bs_counting_overflow(1000, 7, 0, 0) == 1000);
	assert_true(bs_counting_overflow(2, 1, 1, 1) == 1);
	/* With two counters, a counter is one side of a coin that is thrown 10 times: the
	 * probability of at least one head is 1 - 2^-10, that of nine or more is 11 / 1024. */
	assert_true(fabs(bs_counting_overflow(2, 10, 1, 1) - 2 * (1 - exp2(-10))) < 1e-12);
	assert_true(fabs(bs_counting_overflow(2, 10, 1, 5) - 2 * 638.0 / 1024) < 1e-12);
	assert_true(fabs(bs_counting_overflow(2, 10, 1, 9) - 2 * 11.0 / 1024) < 1e-12);
}

/* Overflows of 4-bit counters are too rare to observe. So this counts how many counters reach 4 or
 * 8, as if they had 2 or 3 bits. */
static void test_overflow_by_simulation(void **state)
{
	enum {
		KEYS = 100000,
		HASHES = 7,
		ROUNDS = 30
	};
	const uint64_t m = (uint64_t)ceil(KEYS * HASHES / M_LN2);
	uint64_t n_at_least[16] = {0}, next = 0;
	for (int round = 0; round < ROUNDS; round++) {
		struct bs_counting *counting = new_counting(m, HASHES);
		for (uint32_t i = 0; i < KEYS; i++)
			bs_counting_add(counting, bs_bloom_key_of_hash(next++));
		assert_int_equal(describe(counting).n_overflows, 0);
		size_t n_bytes = bs_counting_stored_bytes(counting);
		FREED uint8_t *bytes = must_malloc(n_bytes);
		bs_counting_store(counting, bytes);
		bs_counting_free(counting);
		for (size_t i = n_bytes - (m + 15) / 16 * 8; i < n_bytes; i++) {
			for (uint32_t limit = 1; limit <= (bytes[i] & 15); limit++)
				n_at_least[limit]++;
			for (uint32_t limit = 1; limit <= bytes[i] >> 4; limit++)
				n_at_least[limit]++;
		}
	}
	for (uint32_t limit = 1; limit <= 8; limit++) {
		double wanted = ROUNDS * bs_counting_overflow(m, HASHES, KEYS, limit);
		print_message("counters at %" PRIu32 " or more: %.6g expected, %" PRIu64 " seen\n",
		              limit, wanted, n_at_least[limit]);
		assert_true(fabs((double)n_at_least[limit] - wanted) <=
		            4 * sqrt(wanted) + 0.001 * wanted);
	}
}

RUN_TESTS(test_comes_and_goes, test_overflow_sticks, test_shapes, test_overflow_below_the_bound,
          test_overflow_of_the_overloaded, test_overflow_by_simulation)
