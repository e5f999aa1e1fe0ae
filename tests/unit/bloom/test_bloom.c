/* test_bloom.c: compares the arithmetic with closed forms and published tables, and the plain
 * filter with the arithmetic. */
#include <math.h>

#include "core/base/hash.h"
#include "core/bitsift/bloom.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_bloom, bs_bloom_free)

static void expect_near(double got, double wanted, double share)
{
	if (!(fabs(got - wanted) <= share * fabs(wanted)))
		fail_msg("%.9g is not %.9g within %g", got, wanted, share);
}

/* From P. Cao, "Bloom Filters - the math" (after Fan, Cao, Almeida and Broder, "Summary Cache",
 * 1998), with three digits. */
static const struct {
	uint64_t bits_per_key;
	uint32_t n_hashes;
	double rate;
} published[] = {
	{2, 1, 0.393},      {3, 2, 0.237},    {4, 3, 0.147},      {5, 3, 0.0920},
	{6, 4, 0.0561},     {7, 5, 0.0347},   {8, 6, 0.0216},     {8, 5, 0.0217},
	{9, 6, 0.0133},     {10, 7, 0.00819}, {10, 4, 0.0118},    {11, 8, 0.00509},
	{12, 8, 0.00314},   {13, 9, 0.00194}, {16, 11, 0.000459}, {20, 8, 0.000139},
	{24, 8, 0.0000419},
};

static void test_published_rates(void **state)
{
	for (size_t i = 0; i < COUNT(published); i++) {
		uint64_t n_bits = published[i].bits_per_key * 1000000;
		expect_near(bs_bloom_false_rate(n_bits, published[i].n_hashes, 1000000),
		            published[i].rate, 0.005);
	}
}

static void test_closed_forms(void **state)
{
	/* 9.585 bits per key at 1 %, 14.378 at 0.1 %; each factor of ten costs 4.79. */
	assert_int_equal(bs_bloom_optimal_bits(1000000, 0.01), 9585059);
	assert_int_equal(bs_bloom_optimal_bits(1000000, 0.001), 14377588);
	assert_int_equal(bs_bloom_optimal_hashes(9585059, 1000000), 7);
	assert_int_equal(bs_bloom_optimal_hashes(14377588, 1000000), 10);
	/* The optimal filter is half full, and its rate is p = 2^-k. */
	for (uint32_t k = 1; k <= 40; k++) {
		uint64_t n_bits = bs_bloom_optimal_bits(1000000, exp2(-(double)k));
		assert_int_equal(bs_bloom_optimal_hashes(n_bits, 1000000), k);
		expect_near(bs_bloom_density(n_bits, k, 1000000), 0.5, 1e-6);
		expect_near(bs_bloom_false_rate(n_bits, k, 1000000), exp2(-(double)k), 1e-4);
		expect_near(bs_bloom_bits_per_key(k, 0.5), k / M_LN2, 1e-12);
	}
	expect_near(bs_bloom_bits_per_key(1, 0.25), 3.4760594967822, 1e-12);
	/* The three formulas agree at any density: m = n * bits_per_key(k, d) gives d. */
	for (double d = 0.05; d < 0.61; d += 0.05) {
		uint64_t n_bits = (uint64_t)(bs_bloom_bits_per_key(3, d) * 1e9);
		expect_near(bs_bloom_density(n_bits, 3, 1000000000), d, 1e-6);
		expect_near(bs_bloom_false_rate(n_bits, 3, 1000000000), d * d * d, 1e-6);
	}
}

static void test_edges_of_the_arithmetic(void **state)
{
	assert_int_equal(bs_bloom_optimal_bits(0, 0.01), 1);
	assert_int_equal(bs_bloom_optimal_bits(0, 1e-300), 1);
	assert_int_equal(bs_bloom_optimal_bits(1, nextafter(1, 0)), 1);
	assert_int_equal(bs_bloom_optimal_bits(1000, nextafter(1, 0)), 1);
	assert_int_equal(bs_bloom_optimal_bits(1, 0.5), 2); /* 1.44, rounded up */
	assert_int_equal(bs_bloom_optimal_bits(1, 1e-300), 1438);
	assert_true(bs_bloom_optimal_bits(1, 5e-324) > 1438);
	/* A result above UINT64_MAX becomes UINT64_MAX. */
	assert_true(bs_bloom_optimal_bits(UINT64_MAX, 1e-9) == UINT64_MAX);
	assert_int_equal(bs_bloom_optimal_hashes(1, 0), 1);
	assert_int_equal(bs_bloom_optimal_hashes(1, 1000), 1);
	assert_int_equal(bs_bloom_optimal_hashes(1000000, 1), 64);
	assert_int_equal(bs_bloom_optimal_hashes(UINT64_MAX, 1), 64);
	assert_true(bs_bloom_density(1000, 7, 0) == 0);
	assert_true(bs_bloom_false_rate(1000, 7, 0) == 0);
	assert_true(bs_bloom_density(1, 64, UINT64_MAX) == 1);
	assert_true(bs_bloom_false_rate(1, 64, UINT64_MAX) == 1);
	/* A density so small that 1 - e^-x would have no correct digit. */
	expect_near(bs_bloom_density(UINT64_C(1) << 60, 1, 1), exp2(-60), 1e-9);
	expect_near(bs_bloom_bits_per_key(1, 1e-18), 1e18, 1e-9);
}

/* Key hashes and positions must never change; otherwise stored filters could not be queried any
 * more. */
static const struct {
	const char *word;
	struct bs_bloom_key key;
	uint32_t positions[4]; /* the first four positions in 1,000,000 bits */
} frozen[] = {
	{"", {0x45a7da599a3a55b0, 0x04f2a7af0a0d8133}, {272092, 291420, 928781, 802211}},
	{"a", {0xb7c9762b986f84b0, 0x4b103426ffb3b7db}, {717917, 11133, 922383, 69701}},
	{"bloom", {0x7b5e587a6cf5a97b, 0xfb9d1315a88921c5}, {481908, 464773, 65673, 902640}},
};

static void test_frozen_keys(void **state)
{
	for (size_t i = 0; i < COUNT(frozen); i++) {
		struct bs_bloom_key key =
			bs_bloom_key_of_bytes(frozen[i].word, strlen(frozen[i].word));
		assert_int_equal(key.start, frozen[i].key.start);
		assert_int_equal(key.step, frozen[i].key.step);
		struct bs_bloom_key same =
			bs_bloom_key_of_hash(bs_hash_term(frozen[i].word, strlen(frozen[i].word)));
		assert_memory_equal(&key, &same, sizeof(key));
		same = bs_bloom_key_of_hash_wide(key.start, key.step);
		assert_memory_equal(&key, &same, sizeof(key));
		FREED uint8_t *bits = must_calloc(1, 125000);
		for (size_t j = 0; j < 4; j++)
			bits[frozen[i].positions[j] / 8] |=
				(uint8_t)(1 << frozen[i].positions[j] % 8);
		AUTO(bs_bloom_free_at) struct bs_bloom *bloom;
		ok(bs_bloom_new(1000000, 4, &bloom, ERR));
		bs_bloom_add(bloom, key);
		assert_memory_equal(bs_bloom_look(bloom).bits, bits, 125000);
		assert_true(bs_bloom_has((struct bs_bloom_view){bits, 1000000, 4}, key));
	}
}

/* Positions follow the formula in core/bitsift/bloom.h. */
static void test_positions_by_the_formula(void **state)
{
	uint64_t random = 1;
	for (int round = 0; round < 200; round++) {
		uint32_t n_bits = (uint32_t)random_below(&random, 1 << 20) + 1,
			 n_hashes = (uint32_t)random_below(&random, 64) + 1;
		struct bs_bloom_key key =
			bs_bloom_key_of_hash_wide(next_random(&random), next_random(&random));
		AUTO(bs_bloom_free_at) struct bs_bloom *bloom;
		ok(bs_bloom_new(n_bits, n_hashes, &bloom, ERR));
		bs_bloom_add(bloom, key);
		FREED uint8_t *bits = must_calloc(1, (n_bits + 63) / 64 * 8);
		for (uint64_t i = 0; i < n_hashes; i++) {
			uint64_t sum = key.start + i * key.step +
			               (i * i * i - i) / 6 * UINT64_C(0x9e3779b97f4a7c15);
			uint32_t position = (uint32_t)((unsigned __int128)sum * n_bits >> 64);
			bits[position / 8] |= (uint8_t)(1 << position % 8);
		}
		assert_memory_equal(bs_bloom_look(bloom).bits, bits, (n_bits + 63) / 64 * 8);
	}
}

static struct bs_bloom *new_bloom(uint64_t n_bits, uint32_t n_hashes)
{
	struct bs_bloom *bloom;
	ok(bs_bloom_new(n_bits, n_hashes, &bloom, ERR));
	return bloom;
}

static struct bs_bloom_key make_key(uint64_t i)
{
	char key[24];
	return bs_bloom_key_of_bytes(key, (size_t)snprintf(key, 24, "key %" PRIu64, i));
}

static void add_keys(struct bs_bloom *bloom, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i < last; i++)
		bs_bloom_add(bloom, make_key(i));
}

static uint64_t count_keys(const struct bs_bloom *bloom, uint64_t first, uint64_t last)
{
	uint64_t n = 0;
	for (uint64_t i = first; i < last; i++)
		n += bs_bloom_has(bs_bloom_look(bloom), make_key(i));
	return n;
}

static void test_shapes(void **state)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom;
	static const struct {
		uint64_t n_bits;
		uint32_t n_hashes;
	} wrong[] = {{0, 1},  {UINT64_C(1) << 32, 1}, {UINT64_MAX, 1}, {1, 0},
	             {1, 65}, {1, UINT32_MAX}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		bloom = (struct bs_bloom *)ERR;
		expect_status(bs_bloom_new(wrong[i].n_bits, wrong[i].n_hashes, &bloom, ERR),
		              BS_INVALID);
		assert_null(bloom);
	}
	for (uint64_t n_bits = 1; n_bits < 200; n_bits++) {
		bloom = new_bloom(n_bits, (uint32_t)(n_bits % 64 + 1));
		assert_int_equal(bs_bloom_look(bloom).n_bits, n_bits);
		assert_int_equal(bs_bloom_look(bloom).n_hashes, n_bits % 64 + 1);
		assert_int_equal(count_keys(bloom, 0, 100), 0);
		assert_true(bs_bloom_cardinality(bs_bloom_look(bloom)) == 0);
		add_keys(bloom, 0, 5);
		assert_int_equal(count_keys(bloom, 0, 5), 5);
		bs_bloom_free(bloom);
	}
	bs_bloom_free(NULL);
	bloom = new_bloom(64, 1);
	/* the empty key is valid */
	assert_false(bs_bloom_has(bs_bloom_look(bloom), bs_bloom_key_of_bytes(NULL, 0)));
	bs_bloom_add(bloom, bs_bloom_key_of_bytes(NULL, 0));
	assert_true(bs_bloom_has(bs_bloom_look(bloom), bs_bloom_key_of_bytes(NULL, 0)));
}

static void expect_same_bits(const struct bs_bloom *a, const struct bs_bloom *b)
{
	struct bs_bloom_view one = bs_bloom_look(a), other = bs_bloom_look(b);
	assert_int_equal(one.n_bits, other.n_bits);
	assert_memory_equal(one.bits, other.bits, (one.n_bits + 63) / 64 * 8);
}

static void test_union(void **state)
{
	for (uint64_t n_bits = 63; n_bits < 20000; n_bits = n_bits * 3 + 1) {
		AUTO(bs_bloom_free_at)
		struct bs_bloom *a = new_bloom(n_bits, 4), *b = new_bloom(n_bits, 4);
		AUTO(bs_bloom_free_at) struct bs_bloom *both = new_bloom(n_bits, 4);
		add_keys(a, 0, 600);
		add_keys(b, 500, 900);
		add_keys(both, 0, 900);
		ok(bs_bloom_unite(a, bs_bloom_look(b), ERR));
		expect_same_bits(a, both);
		ok(bs_bloom_unite(a, bs_bloom_look(a), ERR));
		expect_same_bits(a, both);
		bs_bloom_free(b);
		b = new_bloom(n_bits + 1, 4);
		expect_status(bs_bloom_unite(a, bs_bloom_look(b), ERR), BS_INVALID);
		bs_bloom_free(b);
		b = new_bloom(n_bits, 5);
		expect_status(bs_bloom_unite(a, bs_bloom_look(b), ERR), BS_INVALID);
		expect_same_bits(a, both);
	}
}

static void test_cardinality(void **state)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom = new_bloom(100000, 5);
	for (uint64_t n = 0; n < 40000; n += 1000) {
		add_keys(bloom, n, n + 1000);
		add_keys(bloom, n, n + 1000); /* repeated keys count once */
		expect_near(bs_bloom_cardinality(bs_bloom_look(bloom)), (double)n + 1000, 0.03);
	}
	bs_bloom_free(bloom);
	bloom = new_bloom(10, 3);
	add_keys(bloom, 0, 100);
	assert_true(isinf(bs_bloom_cardinality(bs_bloom_look(bloom))));
}

static void test_two_sets(void **state)
{
	AUTO(bs_bloom_free_at)
	struct bs_bloom *a = new_bloom(200000, 5), *b = new_bloom(200000, 5),
			*other = new_bloom(200001, 5), *full = new_bloom(10, 5);
	double n_keys;
	add_keys(a, 0, 20000);
	add_keys(b, 15000, 35000);
	ok(bs_bloom_cardinality_of_either(bs_bloom_look(a), bs_bloom_look(b), &n_keys, ERR));
	expect_near(n_keys, 35000, 0.01);
	ok(bs_bloom_cardinality_of_both(bs_bloom_look(a), bs_bloom_look(b), &n_keys, ERR));
	expect_near(n_keys, 5000, 0.05);
	ok(bs_bloom_cardinality_of_both(bs_bloom_look(a), bs_bloom_look(a), &n_keys, ERR));
	expect_near(n_keys, bs_bloom_cardinality(bs_bloom_look(a)), 1e-9);
	expect_status(bs_bloom_cardinality_of_either(bs_bloom_look(a), bs_bloom_look(other),
	                                             &n_keys, ERR),
	              BS_INVALID);
	expect_status(
		bs_bloom_cardinality_of_both(bs_bloom_look(other), bs_bloom_look(a), &n_keys, ERR),
		BS_INVALID);
	expect_status(bs_bloom_intersect(a, bs_bloom_look(other), ERR), BS_INVALID);
	add_keys(full, 0, 100);
	ok(bs_bloom_cardinality_of_both(bs_bloom_look(full), bs_bloom_look(full), &n_keys, ERR));
	assert_true(isinf(n_keys));

	/* The estimated intersection of disjoint sets is about 0 keys, and never negative. */
	for (uint64_t i = 0; i < 20; i++) {
		AUTO(bs_bloom_free_at)
		struct bs_bloom *one = new_bloom(2000, 5), *two = new_bloom(2000, 5);
		add_keys(one, 1000 * i, 1000 * i + 200);
		add_keys(two, 1000 * i + 500, 1000 * i + 700);
		ok(bs_bloom_cardinality_of_both(bs_bloom_look(one), bs_bloom_look(two), &n_keys,
		                                ERR));
		assert_true(n_keys >= 0 && n_keys < 30);
	}

	AUTO(bs_bloom_free_at) struct bs_bloom *both;
	ok(bs_bloom_copy(bs_bloom_look(a), &both, ERR));
	expect_same_bits(a, both);
	ok(bs_bloom_intersect(both, bs_bloom_look(b), ERR));
	assert_int_equal(count_keys(both, 15000, 20000), 5000);
	assert_in_range(count_keys(both, 0, 15000), 0, 1000);
	for (uint32_t i = 0; i < 25000; i++)
		assert_int_equal(bs_bloom_look(both).bits[i],
		                 bs_bloom_look(a).bits[i] & bs_bloom_look(b).bits[i]);
}

/* One pass over many filters of different shapes gives the same answers as a query of each
 * filter. */
static void test_pass(void **state)
{
	enum {
		N = 333
	};
	struct bs_bloom *blooms[N];
	struct bs_bloom_view views[N];
	uint32_t passed[N];
	for (uint32_t i = 0; i < N; i++) {
		blooms[i] = new_bloom(i * 7 + 1, i % 9 + 1);
		add_keys(blooms[i], i, i + 30);
		views[i] = bs_bloom_look(blooms[i]);
	}
	for (uint64_t key = 0; key < 400; key += 3) {
		struct bs_bloom_key keys[2] = {make_key(key), make_key(key + 9)};
		for (size_t n_keys = 0; n_keys <= 2; n_keys++) {
			size_t n = bs_bloom_pass(views, N, keys, n_keys, passed), at = 0;
			for (uint32_t i = 0; i < N; i++) {
				bool has = true;
				for (size_t k = 0; k < n_keys; k++)
					has = has && bs_bloom_has(views[i], keys[k]);
				assert_true(!has || (at < n && passed[at] == i));
				at += has;
			}
			assert_int_equal(at, n);
		}
	}
	assert_int_equal(bs_bloom_pass(NULL, 0, NULL, 0, NULL), 0);
	for (uint32_t i = 0; i < N; i++)
		bs_bloom_free(blooms[i]);
}

/* Added keys are found. Measures rates with ten million absent keys, or 100 million for rates below
 * 0.001. The rates are within 5 % of the formula, or, from 1,000 keys on, within 1 % plus the
 * statistical error. Small filters are measured together, many at a time, because their densities
 * vary. */
static void test_rates_by_ten_million(void **state)
{
	static const struct {
		uint64_t n_keys;
		double rate;
		uint32_t n_filters;
	} cases[] = {{100, 0.01, 200},     {100, 0.001, 200},  {1000, 0.01, 200},
	             {1000, 0.001, 200},   {10000, 0.01, 100}, {10000, 0.001, 100},
	             {100000, 0.1, 10},    {100000, 0.01, 10}, {100000, 0.001, 10},
	             {100000, 0.0001, 10}, {1000000, 0.01, 1}, {1000000, 0.001, 1},
	             {1000, 0.5, 200},     {20000, 0.25, 10},  {20000, 0.05, 10}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t n = cases[i].n_keys, n_bits = bs_bloom_optimal_bits(n, cases[i].rate),
			 next = i << 40, n_found = 0;
		uint64_t n_absent = cases[i].rate < 0.001 ? 100000000 : 10000000;
		uint32_t n_hashes = bs_bloom_optimal_hashes(n_bits, n);
		for (uint32_t filter = 0; filter < cases[i].n_filters; filter++) {
			AUTO(bs_bloom_free_at) struct bs_bloom *bloom = new_bloom(n_bits, n_hashes);
			for (uint64_t j = 0; j < n; j++)
				bs_bloom_add(bloom, bs_bloom_key_of_hash(next++));
			struct bs_bloom_view view = bs_bloom_look(bloom);
			for (uint64_t j = next - n; j < next; j++)
				assert_true(bs_bloom_has(view, bs_bloom_key_of_hash(j)));
			for (uint64_t j = 0; j < n_absent / cases[i].n_filters; j++)
				n_found += bs_bloom_has(view, bs_bloom_key_of_hash(next++));
		}
		double predicted = bs_bloom_false_rate(n_bits, n_hashes, n),
		       measured = (double)n_found / (double)n_absent;
		print_message("%7" PRIu64
		              " keys, %2u hashes: %.3e predicted, %.3e measured, %+.2f %%\n",
		              n, n_hashes, predicted, measured, 100 * (measured / predicted - 1));
		expect_near(measured, predicted,
		            n < 1000 ? 0.05 : 0.01 + 2 / sqrt(predicted * (double)n_absent));
	}
}

RUN_TESTS(test_published_rates, test_closed_forms, test_edges_of_the_arithmetic, test_frozen_keys,
          test_positions_by_the_formula, test_shapes, test_union, test_cardinality, test_two_sets,
          test_pass, test_rates_by_ten_million)
