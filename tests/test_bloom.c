/* test_bloom.c: the arithmetic against closed forms and published tables, and the filter against the arithmetic. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/matrix/bloom.h"
#include "core_rig.h"

static void expect_near(double got, double wanted, double share)
{
	if (!(fabs(got - wanted) <= share * fabs(wanted)))
		fail_msg("%.9g is not %.9g within %g", got, wanted, share);
}

/* ---- arithmetic ---- */

/* P. Cao, "Bloom Filters - the math" (after Fan, Cao, Almeida and Broder, "Summary Cache", 1998): to three digits. */
static const struct {
	uint64_t bits_per_key;
	uint32_t n_hashes;
	double rate;
} published[] = {
	{2, 1, 0.393},    {3, 2, 0.237},    {4, 3, 0.147},      {5, 3, 0.0920},    {6, 4, 0.0561},     {7, 5, 0.0347},
	{8, 6, 0.0216},   {8, 5, 0.0217},   {9, 6, 0.0133},     {10, 7, 0.00819},  {10, 4, 0.0118},    {11, 8, 0.00509},
	{12, 8, 0.00314}, {13, 9, 0.00194}, {16, 11, 0.000459}, {20, 8, 0.000139}, {24, 8, 0.0000419},
};

static void test_published_rates(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(published); i++) {
		uint64_t n_bits = published[i].bits_per_key * 1000000;
		expect_near(bs_bloom_false_rate(n_bits, published[i].n_hashes, 1000000), published[i].rate, 0.005);
	}
}

static void test_closed_forms(void **state)
{
	(void)state;
	/* 9.585 bits a key at 1 %, 14.378 at 0.1 %; each factor of ten costs 4.79. */
	assert_int_equal(bs_bloom_optimal_bits(1000000, 0.01), 9585059);
	assert_int_equal(bs_bloom_optimal_bits(1000000, 0.001), 14377588);
	assert_int_equal(bs_bloom_optimal_hashes(9585059, 1000000), 7);
	assert_int_equal(bs_bloom_optimal_hashes(14377588, 1000000), 10);
	/* The best filter is half full, and then p = 2^-k. */
	for (uint32_t k = 1; k <= 40; k++) {
		uint64_t n_bits = bs_bloom_optimal_bits(1000000, exp2(-(double)k));
		assert_int_equal(bs_bloom_optimal_hashes(n_bits, 1000000), k);
		expect_near(bs_bloom_density(n_bits, k, 1000000), 0.5, 1e-6);
		expect_near(bs_bloom_false_rate(n_bits, k, 1000000), exp2(-(double)k), 1e-4);
		expect_near(bs_bloom_bits_per_key(k, 0.5), k / M_LN2, 1e-12);
	}
	expect_near(bs_bloom_bits_per_key(1, 0.25), 3.4760594967822, 1e-12);
	/* The three forms agree at any density: m = n * bits_per_key(k, d) gives d. */
	for (double d = 0.05; d < 0.61; d += 0.05) {
		uint64_t n_bits = (uint64_t)(bs_bloom_bits_per_key(3, d) * 1e9);
		expect_near(bs_bloom_density(n_bits, 3, 1000000000), d, 1e-6);
		expect_near(bs_bloom_false_rate(n_bits, 3, 1000000000), d * d * d, 1e-6);
	}
}

static void test_edges_of_the_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(bs_bloom_optimal_bits(0, 0.01), 1);
	assert_int_equal(bs_bloom_optimal_bits(0, 1e-300), 1);
	assert_int_equal(bs_bloom_optimal_bits(1, nextafter(1, 0)), 1);
	assert_int_equal(bs_bloom_optimal_bits(1000, nextafter(1, 0)), 1);
	assert_int_equal(bs_bloom_optimal_bits(1, 0.5), 2); /* 1.44 */
	assert_int_equal(bs_bloom_optimal_bits(1, 1e-300), 1438);
	assert_true(bs_bloom_optimal_bits(1, 5e-324) > 1438);
	assert_true(bs_bloom_optimal_bits(UINT64_MAX, 1e-9) == UINT64_MAX); /* more than there are numbers for */
	assert_int_equal(bs_bloom_optimal_hashes(1, 0), 1);
	assert_int_equal(bs_bloom_optimal_hashes(1, 1000), 1);
	assert_int_equal(bs_bloom_optimal_hashes(1000000, 1), 64);
	assert_int_equal(bs_bloom_optimal_hashes(UINT64_MAX, 1), 64);
	assert_true(bs_bloom_density(1000, 7, 0) == 0);
	assert_true(bs_bloom_false_rate(1000, 7, 0) == 0);
	assert_true(bs_bloom_density(1, 64, UINT64_MAX) == 1);
	assert_true(bs_bloom_false_rate(1, 64, UINT64_MAX) == 1);
	/* Where 1 - e^-x would lose every digit. */
	expect_near(bs_bloom_density(UINT64_C(1) << 60, 1, 1), exp2(-60), 1e-9);
	expect_near(bs_bloom_bits_per_key(1, 1e-18), 1e18, 1e-9);
}

/* ---- the filter ---- */

static struct bs_bloom *new_bloom(uint64_t n_bits, uint32_t n_hashes)
{
	struct bs_error err = {{0}};
	struct bs_bloom *bloom;
	expect_ok(bs_bloom_new(n_bits, n_hashes, &bloom, &err), &err);
	return bloom;
}

static size_t make_key(char key[24], uint64_t i)
{
	return (size_t)snprintf(key, 24, "key %" PRIu64, i);
}

static void add_keys(struct bs_bloom *bloom, uint64_t first, uint64_t last)
{
	char key[24];
	for (uint64_t i = first; i < last; i++)
		bs_bloom_add(bloom, key, make_key(key, i));
}

static uint64_t count_keys(const struct bs_bloom *bloom, uint64_t first, uint64_t last)
{
	char key[24];
	uint64_t n = 0;
	for (uint64_t i = first; i < last; i++)
		n += bs_bloom_query(bloom, key, make_key(key, i));
	return n;
}

static void test_shapes(void **state)
{
	(void)state;
	struct bs_error err = {{0}};
	struct bs_bloom *bloom;
	static const struct {
		uint64_t n_bits;
		uint32_t n_hashes;
	} wrong[] = {{0, 1}, {UINT64_C(1) << 32, 1}, {UINT64_MAX, 1}, {1, 0}, {1, 65}, {1, UINT32_MAX}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		bloom = (struct bs_bloom *)&err;
		expect_status(bs_bloom_new(wrong[i].n_bits, wrong[i].n_hashes, &bloom, &err), BS_INVALID, &err);
		assert_null(bloom);
	}
	for (uint64_t n_bits = 1; n_bits < 200; n_bits++) {
		bloom = new_bloom(n_bits, (uint32_t)(n_bits % 64 + 1));
		assert_int_equal(bs_bloom_n_bits(bloom), n_bits);
		assert_int_equal(bs_bloom_n_hashes(bloom), n_bits % 64 + 1);
		assert_int_equal(count_keys(bloom, 0, 100), 0);
		assert_true(bs_bloom_cardinality(bloom) == 0);
		add_keys(bloom, 0, 5);
		assert_int_equal(count_keys(bloom, 0, 5), 5);
		bs_bloom_free(bloom);
	}
	bs_bloom_free(NULL);
	bloom = new_bloom(64, 1);
	assert_false(bs_bloom_query(bloom, NULL, 0)); /* the empty key is a key */
	bs_bloom_add(bloom, NULL, 0);
	assert_true(bs_bloom_query(bloom, NULL, 0));
	bs_bloom_free(bloom);
}

/* What was added is found; of what was not, the predicted share. */
static void test_measured_rates(void **state)
{
	(void)state;
	static const struct {
		uint64_t n_keys;
		double rate;
	} cases[] = {{1000, 0.5},   {1000, 0.1},     {5000, 0.01}, {20000, 0.05},
	             {50000, 0.01}, {100000, 0.001}, {20000, 0.25}};
	const uint64_t n_absent = 300000;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t n = cases[i].n_keys;
		uint64_t n_bits = bs_bloom_optimal_bits(n, cases[i].rate);
		uint32_t n_hashes = bs_bloom_optimal_hashes(n_bits, n);
		struct bs_bloom *bloom = new_bloom(n_bits, n_hashes);
		add_keys(bloom, 0, n);
		assert_int_equal(count_keys(bloom, 0, n), n);
		double predicted = bs_bloom_false_rate(n_bits, n_hashes, n);
		double measured = (double)count_keys(bloom, n, n + n_absent) / (double)n_absent;
		/* Chance in the queries, and chance in how full the filter got: its density varies by 1 / sqrt(m) or less. */
		double bound = 4 * sqrt(predicted / (double)n_absent) + predicted * n_hashes * 2 / sqrt((double)n_bits);
		print_message("%6" PRIu64 " keys, %2u hashes: %.5f predicted, %.5f measured (+-%.5f)\n", n, n_hashes,
		              predicted, measured, bound);
		assert_true(fabs(measured - predicted) <= bound);
		bs_bloom_free(bloom);
	}
}

static void expect_same_bits(const struct bs_bloom *a, const struct bs_bloom *b)
{
	size_t n_bytes = bs_bloom_serialized_bytes(a);
	assert_int_equal(n_bytes, bs_bloom_serialized_bytes(b));
	uint8_t *bytes = malloc(2 * n_bytes);
	assert_non_null(bytes);
	bs_bloom_serialize(a, bytes);
	bs_bloom_serialize(b, bytes + n_bytes);
	assert_memory_equal(bytes, bytes + n_bytes, n_bytes);
	free(bytes);
}

static void test_union(void **state)
{
	(void)state;
	struct bs_error err = {{0}};
	for (uint64_t n_bits = 63; n_bits < 20000; n_bits = n_bits * 3 + 1) {
		struct bs_bloom *a = new_bloom(n_bits, 4);
		struct bs_bloom *b = new_bloom(n_bits, 4);
		struct bs_bloom *both = new_bloom(n_bits, 4);
		add_keys(a, 0, 600);
		add_keys(b, 500, 900);
		add_keys(both, 0, 900);
		expect_ok(bs_bloom_union(a, b, &err), &err);
		expect_same_bits(a, both);
		expect_ok(bs_bloom_union(a, a, &err), &err);
		expect_same_bits(a, both);
		bs_bloom_free(b);
		b = new_bloom(n_bits + 1, 4);
		expect_status(bs_bloom_union(a, b, &err), BS_INVALID, &err);
		bs_bloom_free(b);
		b = new_bloom(n_bits, 5);
		expect_status(bs_bloom_union(a, b, &err), BS_INVALID, &err);
		expect_same_bits(a, both);
		bs_bloom_free(a);
		bs_bloom_free(b);
		bs_bloom_free(both);
	}
}

static void test_cardinality(void **state)
{
	(void)state;
	struct bs_bloom *bloom = new_bloom(100000, 5);
	for (uint64_t n = 0; n < 40000; n += 1000) {
		add_keys(bloom, n, n + 1000);
		add_keys(bloom, n, n + 1000); /* again: they count once */
		expect_near(bs_bloom_cardinality(bloom), (double)n + 1000, 0.03);
	}
	bs_bloom_free(bloom);
	bloom = new_bloom(10, 3);
	add_keys(bloom, 0, 100);
	assert_true(isinf(bs_bloom_cardinality(bloom)));
	bs_bloom_free(bloom);
}

/* ---- as bytes ---- */

static void test_round_trip(void **state)
{
	(void)state;
	struct bs_error err = {{0}};
	static const uint64_t sizes[] = {1, 7, 63, 64, 65, 1000, 12345};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct bs_bloom *bloom = new_bloom(sizes[i], (uint32_t)(i * 10 + 1));
		struct bs_bloom *copy;
		add_keys(bloom, 0, sizes[i] / 10);
		size_t n_bytes = bs_bloom_serialized_bytes(bloom);
		assert_int_equal(n_bytes, 24 + (sizes[i] + 63) / 64 * 8 + 8);
		uint8_t *bytes = malloc(n_bytes + 1);
		assert_non_null(bytes);
		bytes[n_bytes] = 0xa5;
		bs_bloom_serialize(bloom, bytes);
		assert_int_equal(bytes[n_bytes], 0xa5);
		expect_ok(bs_bloom_deserialize(bytes, n_bytes, &copy, &err), &err);
		assert_int_equal(bs_bloom_n_bits(copy), sizes[i]);
		assert_int_equal(bs_bloom_n_hashes(copy), i * 10 + 1);
		expect_same_bits(bloom, copy);
		bs_bloom_free(copy);
		bs_bloom_free(bloom);
		free(bytes);
	}
}

static void expect_damaged(const uint8_t *bytes, size_t n_bytes)
{
	struct bs_error err = {{0}};
	struct bs_bloom *bloom = (struct bs_bloom *)&err;
	enum bs_status status = bs_bloom_deserialize(bytes, n_bytes, &bloom, &err);
	assert_true(status == BS_CORRUPT || status == BS_UNSUPPORTED);
	assert_null(bloom);
	assert_true(err.text[0] != '\0');
}

static void test_damaged_bytes(void **state)
{
	(void)state;
	struct bs_bloom *bloom = new_bloom(300, 3);
	add_keys(bloom, 0, 60);
	size_t n_bytes = bs_bloom_serialized_bytes(bloom);
	uint8_t *bytes = malloc(n_bytes + 16);
	assert_non_null(bytes);
	memset(bytes, 0, n_bytes + 16);
	bs_bloom_serialize(bloom, bytes);
	for (size_t i = 0; i < n_bytes * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1 << (i % 8));
		expect_damaged(bytes, n_bytes);
		bytes[i / 8] ^= (uint8_t)(1 << (i % 8));
	}
	for (size_t n = 0; n < n_bytes + 16; n++) {
		if (n == n_bytes)
			continue;
		/* On its own, so that reading past the end shows. */
		uint8_t *cut = malloc(n ? n : 1);
		assert_non_null(cut);
		memcpy(cut, bytes, n);
		expect_damaged(cut, n);
		free(cut);
	}
	bs_bloom_free(bloom);
	free(bytes);
}

/* Wrong in meaning, though the checksum is right. */
static void test_impossible_bytes(void **state)
{
	(void)state;
	static const struct {
		size_t off;
		uint64_t value;
		enum bs_status status;
	} cases[] = {
		{8, 2 | UINT64_C(3) << 32, BS_UNSUPPORTED}, /* hash scheme 2 */
		{8, 1, BS_CORRUPT},                         /* no hashes */
		{8, 1 | UINT64_C(65) << 32, BS_CORRUPT},
		{16, 0, BS_CORRUPT}, /* bits */
		{16, 256, BS_CORRUPT},
		{16, 321, BS_CORRUPT},
		{16, UINT64_C(300) | UINT64_C(1) << 32, BS_CORRUPT},
		{16, UINT64_MAX, BS_CORRUPT},
		{24 + 32, UINT64_C(1) << 44, BS_CORRUPT}, /* bit 300 of 300: there is none */
		{24 + 32, UINT64_C(1) << 63, BS_CORRUPT},
	};
	struct bs_error err = {{0}};
	struct bs_bloom *bloom = new_bloom(300, 3);
	uint8_t bytes[72], changed[72];
	assert_int_equal(bs_bloom_serialized_bytes(bloom), sizeof(bytes));
	bs_bloom_serialize(bloom, bytes);
	bs_bloom_free(bloom);
	for (size_t i = 0; i < COUNT(cases); i++) {
		memcpy(changed, bytes, sizeof(bytes));
		bs_store_u64(changed + cases[i].off, cases[i].value);
		bs_store_u64(changed + 64, bs_checksum(changed, 64));
		expect_status(bs_bloom_deserialize(changed, sizeof(changed), &bloom, &err), cases[i].status, &err);
		assert_null(bloom);
	}
	memcpy(changed, bytes, sizeof(bytes));
	bs_store_u64(changed + 24 + 32, UINT64_C(1) << 43); /* bit 299 is one */
	bs_store_u64(changed + 64, bs_checksum(changed, 64));
	expect_ok(bs_bloom_deserialize(changed, sizeof(changed), &bloom, &err), &err);
	bs_bloom_free(bloom);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_rates),
		cmocka_unit_test(test_closed_forms),
		cmocka_unit_test(test_edges_of_the_arithmetic),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_measured_rates),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_cardinality),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged_bytes),
		cmocka_unit_test(test_impossible_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
