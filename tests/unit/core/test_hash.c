/* test_hash.c: hash vectors that every index depends on, and the distribution of positions. */
#include <math.h>

#include "core/base/hash.h"
#include "tests/rigs/core_rig.h"

/* xxHash's own sanity vectors (tests/sanity_test_vectors.h of xxHash 0.8, seed 0), for a buffer
 * that is filled as in this test. */
static const struct {
	size_t n_bytes;
	uint64_t hash;
} published[] = {
	{0, UINT64_C(0x2D06800538D394C2)},    {1, UINT64_C(0xC44BDFF4074EECDB)},
	{6, UINT64_C(0x27B56A84CD2D7325)},    {12, UINT64_C(0xA713DAF0DFBB77E7)},
	{24, UINT64_C(0xA3FE70BF9D3510EB)},   {48, UINT64_C(0x397DA259ECBA1F11)},
	{80, UINT64_C(0xBCDEFBBB2C47C90A)},   {195, UINT64_C(0xCD94217EE362EC3A)},
	{403, UINT64_C(0xCDEB804D65C6DEA4)},  {512, UINT64_C(0x617E49599013CB6B)},
	{2048, UINT64_C(0xDD59E2C3A5F038E0)}, {2240, UINT64_C(0x6E73A90539CF2948)},
	{2367, UINT64_C(0xCB37AEB9E5D361ED)},
};

static void test_published_vectors(void **state)
{
	static uint8_t buffer[2367];
	uint64_t generator = UINT64_C(2654435761);
	for (size_t i = 0; i < sizeof(buffer); i++) {
		buffer[i] = (uint8_t)(generator >> 56);
		generator *= UINT64_C(11400714785074694797);
	}
	for (size_t i = 0; i < COUNT(published); i++) {
		assert_int_equal(bs_hash_term(buffer, published[i].n_bytes), published[i].hash);
		assert_int_equal(bs_checksum(buffer, published[i].n_bytes), published[i].hash);
	}
	/* as published by other implementations */
	assert_int_equal(bs_hash_term("hello", 5), UINT64_C(0x9555e8555c62dcfd));
	assert_int_equal(bs_hash_term("abc", 3), UINT64_C(0x78af5f94892f3950));
	assert_int_equal(bs_hash_term(NULL, 0), published[0].hash);
}

#define LONG_TERM "a term that is longer than any short path of the hash, 60+ bytes"

/* The hashes are fixed since format 1. If one changes, no index of that format can be read. */
static const struct {
	const char *term;
	uint32_t level;
	struct bs_probe probe;
	uint32_t positions[4]; /* i = 0, 1, 7 at m = 1000; i = 15 at m = 2^32 - 1 */
} frozen[] = {
	{"", 0, {0x45a7da599a3a55b0, 0x04f2a7af0a0d8133}, {272, 291, 407, 2413800858}},
	{"", 1, {0x59b0ed710b28abee, 0x9958f9dda2de6acd}, {350, 949, 543, 1441239405}},
	{"", 2, {0x97fcceb23526f9ec, 0xa817898a0308367d}, {593, 250, 189, 1901977031}},
	{"a", 0, {0xb7c9762b986f84b0, 0x4b103426ffb3b7db}, {717, 11, 770, 498893940}},
	{"a", 1, {0xdbac1e875f4d0340, 0x4b755c4376fbf25d}, {858, 152, 921, 1200391803}},
	{"a", 2, {0x9e8d7fa925e84efa, 0x2e7b4d326b6ffdf5}, {619, 800, 890, 1472660893}},
	{"bloom", 0, {0x7b5e587a6cf5a97b, 0xfb9d1315a88921c5}, {481, 464, 361, 965899967}},
	{"bloom", 1, {0xb0a11823c5a76780, 0x8ae7a4e4903dc875}, {689, 232, 488, 3560161671}},
	{"bloom", 2, {0x46b62ab85dbccaba, 0x9f763914fd1f1d87}, {276, 899, 636, 2661516018}},
	{"\u00e9t\u00e9", 0, {0xaa3ac66d6fb1b220, 0x0b911d2ecaed4e71}, {664, 710, 981, 1471904810}},
	{"\u00e9t\u00e9", 1, {0xd188ba16c8bcae8a, 0x06fe5d6d18508b53}, {818, 845, 9, 980431738}},
	{"\u00e9t\u00e9", 2, {0xb109b0d1d7cf9943, 0x953ab7db78f0ee05}, {691, 274, 772, 1870296749}},
	{LONG_TERM, 0, {0x1844e3d7061281a5, 0x1f5b8ba142045767}, {94, 217, 952, 4003598920}},
	{LONG_TERM, 1, {0x314c07dc62470877, 0x2f1494ffdf89355f}, {192, 376, 479, 4085301977}},
	{LONG_TERM, 2, {0x654f9286b744c3c1, 0x4fb9f686adbd17b5}, {395, 707, 575, 288687210}},
};

static void test_frozen_probes(void **state)
{
	for (size_t i = 0; i < COUNT(frozen); i++) {
		uint64_t hash = bs_hash_term(frozen[i].term, strlen(frozen[i].term));
		struct bs_probe probe = bs_hash_probe(hash, frozen[i].level);
		assert_int_equal(probe.start, frozen[i].probe.start);
		assert_int_equal(probe.step, frozen[i].probe.step);
		assert_int_equal(bs_hash_position(probe, 0, 1000), frozen[i].positions[0]);
		assert_int_equal(bs_hash_position(probe, 1, 1000), frozen[i].positions[1]);
		assert_int_equal(bs_hash_position(probe, 7, 1000), frozen[i].positions[2]);
		assert_int_equal(bs_hash_position(probe, 15, UINT32_MAX), frozen[i].positions[3]);
	}
}

/* Published first outputs of splitmix64 for the seed 1234567. Output i, counted from 1, is
 * bs_hash_mix(seed + i * 0x9e3779b97f4a7c15). */
static void test_mix_is_splitmix64(void **state)
{
	static const uint64_t outputs[] = {
		UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821)};
	uint64_t seed = 1234567;
	for (size_t i = 0; i < COUNT(outputs); i++) {
		seed += UINT64_C(0x9e3779b97f4a7c15);
		assert_int_equal(bs_hash_mix(seed), outputs[i]);
	}
}

static void check_reduce(uint64_t x, uint32_t m)
{
	uint32_t wanted = (uint32_t)(((unsigned __int128)x * m) >> 64);
	uint32_t got = bs_hash_reduce(x, m);
	if (got != wanted || got >= m)
		fail_msg("%" PRIx64 " reduced to %" PRIu32 ": %" PRIu32 ", not %" PRIu32, x, m, got,
		         wanted);
}

static void test_reduce_is_exact(void **state)
{
	static const uint64_t edges[] = {
		0,           1,         0xfffffffe,         0xffffffff,         0x100000000,
		0x100000001, INT64_MAX, 0x8000000000000000, 0xffffffff00000000, UINT64_MAX - 1,
		UINT64_MAX};
	static const uint32_t sizes[] = {1,         2,          3,          511,
	                                 512,       513,        1000,       65535,
	                                 65536,     0x7fffffff, 0x80000000, UINT32_MAX - 1,
	                                 UINT32_MAX};
	for (size_t i = 0; i < COUNT(edges); i++)
		for (size_t j = 0; j < COUNT(sizes); j++)
			check_reduce(edges[i], sizes[j]);
	uint64_t random = 1;
	for (int i = 0; i < 1000000; i++) {
		uint64_t x = next_random(&random);
		uint32_t m = (uint32_t)(next_random(&random) >> (32 + random_below(&random, 32)));
		check_reduce(x, m ? m : 1);
	}
	/* On both sides of every boundary between two positions. */
	for (uint32_t m = 1; m < 300; m++) {
		for (uint32_t k = 1; k < m; k++) {
			uint64_t border = (uint64_t)((((unsigned __int128)k << 64) + m - 1) / m);
			assert_int_equal(bs_hash_reduce(border, m), k);
			assert_int_equal(bs_hash_reduce(border - 1, m), k - 1);
		}
	}
}

static uint64_t numbered_hash(uint32_t i)
{
	char term[16];
	int n = snprintf(term, sizeof(term), "term%u", i);
	return bs_hash_term(term, (size_t)n);
}

/* The chi-square of the positions of many terms is within five standard deviations of the
 * expectation. */
static void check_uniform(uint32_t m, uint32_t level, uint32_t n_hashes)
{
	uint32_t n_terms = 40 * m / n_hashes + 20000;
	uint32_t *n_hits = must_calloc(m, sizeof(*n_hits));
	for (uint32_t i = 0; i < n_terms; i++) {
		struct bs_probe probe = bs_hash_probe(numbered_hash(i), level);
		for (uint32_t k = 0; k < n_hashes; k++)
			n_hits[bs_hash_position(probe, k, m)]++;
	}
	double expected = (double)n_terms * n_hashes / m;
	double chi_square = 0;
	for (uint32_t c = 0; c < m; c++)
		chi_square += (n_hits[c] - expected) * (n_hits[c] - expected) / expected;
	free(n_hits);
	double degrees = (double)m - 1;
	if (fabs(chi_square - degrees) > 5 * sqrt(2 * degrees))
		fail_msg("m = %" PRIu32 ", level %" PRIu32 ": chi-square %.0f of %.0f degrees", m,
		         level, chi_square, degrees);
}

static void test_positions_are_uniform(void **state)
{
	static const uint32_t sizes[] = {2, 3, 7, 64, 100, 1000, 4095, 4096, 10007};
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (uint32_t level = 0; level < 3; level++)
			for (uint32_t n_hashes = 1; n_hashes <= 8; n_hashes += 7)
				check_uniform(sizes[i], level, n_hashes);
}

/* Two positions of a term, of one level or of two, are equal as often as expected by chance: once
 * in m. */
static void check_meetings(uint32_t level_a, uint32_t i_a, uint32_t level_b, uint32_t i_b)
{
	const uint32_t m = 1000, n_terms = 400000;
	uint32_t n_met = 0;
	for (uint32_t t = 0; t < n_terms; t++) {
		uint64_t hash = numbered_hash(t);
		n_met += bs_hash_position(bs_hash_probe(hash, level_a), i_a, m) ==
		         bs_hash_position(bs_hash_probe(hash, level_b), i_b, m);
	}
	double expected = (double)n_terms / m;
	if (fabs(n_met - expected) > 5 * sqrt(expected))
		fail_msg("(%u, %u) and (%u, %u) meet %u times in %u", level_a, i_a, level_b, i_b,
		         n_met, n_terms);
}

static void test_positions_are_independent(void **state)
{
	check_meetings(0, 0, 0, 1);
	check_meetings(0, 0, 0, 2);
	check_meetings(0, 3, 0, 11);
	check_meetings(0, 0, 1, 0);
	check_meetings(0, 1, 2, 1);
	check_meetings(1, 0, 2, 2);
}

RUN_TESTS(test_published_vectors, test_frozen_probes, test_mix_is_splitmix64, test_reduce_is_exact,
          test_positions_are_uniform, test_positions_are_independent)
