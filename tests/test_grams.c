/* test_grams.c: folding, and the grams of texts in one piece and in many, against naive ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/grams.h"
#include "core_rig.h"

/* ---- folding ---- */

static void check_fold(const char *text, const char *wanted)
{
	struct bs_buffer folded = {0};
	assert_int_equal(bs_grams_fold((const uint8_t *)text, strlen(text), &folded, NULL), BS_OK);
	assert_int_equal(folded.used_bytes, strlen(wanted));
	assert_memory_equal(folded.data, wanted, folded.used_bytes);
	bs_buffer_deinit(&folded);
}

static void test_folding(void **state)
{
	(void)state;
	check_fold("The QUICK brown_FOX[@Z{`", "the quick brown_fox[@z{`");
	check_fold("\u00c4rger \u00df \u1e9e \u017f", "\u00e4rger \u00df \u00df s");
	check_fold("\u0130 \u0131 I i", "\u0130 \u0131 i i"); /* no Turkish */
	check_fold("\u212a\u212b\u2126", "k\u00e5\u03c9");
	check_fold("\u03a3\u03c3\u03c2", "\u03c3\u03c3\u03c3");
	check_fold("\u023a\u023a\u023a", "\u2c65\u2c65\u2c65"); /* grows */
	check_fold("\U00010400\U0001f600", "\U00010428\U0001f600");
	check_fold("A\xff\xc3Z\xe2\x82Q\xed\xa0\x80\xf5\x80", "a\xff\xc3z\xe2\x82q\xed\xa0\x80\xf5\x80");
	check_fold("ABC\xe2\x84", "abc\xe2\x84");
}

/* The fast path for ASCII agrees with ICU, at every offset of its eight bytes. */
static void test_folding_of_bytes(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x80; c++) {
		uint8_t text[24];
		memset(text, (int)c, sizeof(text));
		struct bs_buffer folded = {0};
		assert_int_equal(bs_grams_fold(text, sizeof(text) - 3, &folded, NULL), BS_OK);
		for (size_t i = 0; i < folded.used_bytes; i++)
			assert_int_equal(folded.data[i], bs_gram_fold(c));
		bs_buffer_deinit(&folded);
	}
}

/* Folding twice is folding once: a literal that was folded stays as it is. */
static void test_folding_is_stable(void **state)
{
	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; c++)
		assert_int_equal(bs_gram_fold(bs_gram_fold(c)), bs_gram_fold(c));
}

/* ---- grams ---- */

static int compare_keys(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* Sorts and says whether they were distinct. */
static void sort_distinct(uint64_t *keys, size_t n_keys)
{
	qsort(keys, n_keys, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < n_keys; i++)
		assert_int_not_equal(keys[i - 1], keys[i]);
}

/* Adds the text in pieces of random lengths below most_bytes. */
static void add_pieces(struct bs_grams *grams, const uint8_t *text, size_t n_bytes, size_t most_bytes, uint64_t *random)
{
	for (size_t at = 0; at < n_bytes;) {
		size_t n = 1 + random_below(random, most_bytes);
		if (n > n_bytes - at)
			n = n_bytes - at;
		/* A copy of exactly its size, so that a sanitizer sees every byte read beyond it. */
		uint8_t *piece = malloc(n);
		memcpy(piece, text + at, n);
		assert_int_equal(bs_grams_add(grams, piece, n, NULL), BS_OK);
		free(piece);
		at += n;
	}
}

static uint64_t *copy_keys(struct bs_grams *grams, size_t *n_keys_out)
{
	const uint64_t *keys;
	bs_grams_take(grams, &keys, n_keys_out);
	uint64_t *copy = malloc(*n_keys_out * sizeof(*copy) + 1);
	if (*n_keys_out)
		memcpy(copy, keys, *n_keys_out * sizeof(*copy));
	sort_distinct(copy, *n_keys_out);
	return copy;
}

/* The whole text as a literal has the grams of the text, in whatever pieces that came. */
static void check_text(struct bs_grams *grams, const uint8_t *text, size_t n_bytes, size_t most_bytes, uint64_t *random)
{
	struct bs_buffer folded = {0}, wanted = {0};
	assert_int_equal(bs_grams_fold(text, n_bytes, &folded, NULL), BS_OK);
	assert_int_equal(bs_grams_of_literal(folded.data, folded.used_bytes, &wanted, NULL), BS_OK);
	size_t n_wanted = wanted.used_bytes / sizeof(uint64_t), n_keys;
	if (n_wanted)
		sort_distinct((uint64_t *)(void *)wanted.data, n_wanted);
	bs_grams_begin(grams);
	add_pieces(grams, text, n_bytes, most_bytes, random);
	assert_int_equal(bs_grams_end(grams, NULL), BS_OK);
	uint64_t *keys = copy_keys(grams, &n_keys);
	assert_int_equal(n_keys, n_wanted);
	if (n_keys)
		assert_memory_equal(keys, wanted.data, wanted.used_bytes);
	free(keys);
	bs_buffer_deinit(&folded);
	bs_buffer_deinit(&wanted);
}

static size_t write_random(uint8_t *text, size_t n_bytes, uint64_t *random)
{
	static const char *const items[] = {"a",      "B",      "c",        "D",      " ",          "\n",
	                                    "\u00c4", "\u1e9e", "\u212a",   "\u023a", "\U00010400", "\0",
	                                    "\xff",   "\xe2",   "\xf0\x90", "\x80"};
	size_t at = 0;
	while (at + 4 <= n_bytes) {
		const char *item = items[random_below(random, random_below(random, 3) ? 6 : 16)];
		memcpy(text + at, item, strlen(item));
		at += strlen(item);
	}
	return at;
}

static void test_random_texts(void **state)
{
	(void)state;
	uint64_t random = 1;
	struct bs_grams *grams;
	assert_int_equal(bs_grams_new(&grams, NULL), BS_OK);
	for (int i = 0; i < 4000; i++) {
		uint8_t text[300];
		size_t n_bytes = write_random(text, random_below(&random, sizeof(text)), &random);
		check_text(grams, text, n_bytes, i % 2 ? 3 : 300, &random);
	}
	bs_grams_free(grams);
}

/* Longer than what is staged at once, and with more 6-grams than the table begins with. */
static void test_long_texts(void **state)
{
	(void)state;
	uint64_t random = 2;
	struct bs_grams *grams;
	assert_int_equal(bs_grams_new(&grams, NULL), BS_OK);
	static uint8_t text[30000];
	for (int i = 0; i < 6; i++) {
		size_t n_bytes = write_random(text, sizeof(text), &random);
		check_text(grams, text, n_bytes, i % 2 ? 20000 : 40000, &random);
	}
	for (int i = 0; i < 2; i++) {
		for (size_t at = 0; at < sizeof(text); at++)
			text[at] = (uint8_t)next_random(&random);
		check_text(grams, text, sizeof(text), i ? 7 : 40000, &random);
	}
	bs_grams_free(grams);
}

static bool has_key(const uint64_t *keys, size_t n_keys, uint64_t key)
{
	return bsearch(&key, keys, n_keys, sizeof(key), compare_keys) != NULL;
}

/* A part of a text has a part of its grams. */
static void test_literals(void **state)
{
	(void)state;
	uint64_t random = 3;
	struct bs_grams *grams;
	assert_int_equal(bs_grams_new(&grams, NULL), BS_OK);
	for (int i = 0; i < 2000; i++) {
		uint8_t text[200];
		struct bs_buffer folded = {0}, some = {0};
		size_t n_bytes = write_random(text, sizeof(text), &random), n_keys;
		assert_int_equal(bs_grams_fold(text, n_bytes, &folded, NULL), BS_OK);
		bs_grams_begin(grams);
		add_pieces(grams, text, n_bytes, 100, &random);
		assert_int_equal(bs_grams_end(grams, NULL), BS_OK);
		uint64_t *keys = copy_keys(grams, &n_keys);
		size_t from = random_below(&random, folded.used_bytes);
		size_t n = random_below(&random, folded.used_bytes - from + 1);
		assert_int_equal(bs_grams_of_literal(folded.data + from, n, &some, NULL), BS_OK);
		for (size_t k = 0; k < some.used_bytes / sizeof(*keys); k++)
			assert_true(has_key(keys, n_keys, ((const uint64_t *)(const void *)some.data)[k]));
		free(keys);
		bs_buffer_deinit(&folded);
		bs_buffer_deinit(&some);
	}
	bs_grams_free(grams);
}

/* A document in parts: together they have its grams, also those across the cut. */
static void test_parts(void **state)
{
	(void)state;
	struct bs_grams *grams;
	size_t n_first, n_second;
	assert_int_equal(bs_grams_new(&grams, NULL), BS_OK);
	bs_grams_begin(grams);
	assert_int_equal(bs_grams_add(grams, (const uint8_t *)"abcd", 4, NULL), BS_OK);
	uint64_t *first = copy_keys(grams, &n_first);
	assert_int_equal(bs_grams_add(grams, (const uint8_t *)"ABC", 3, NULL), BS_OK);
	assert_int_equal(bs_grams_end(grams, NULL), BS_OK);
	uint64_t *second = copy_keys(grams, &n_second);
	assert_true(has_key(first, n_first, UINT64_C(0x0300000000616263)));
	assert_true(has_key(first, n_first, UINT64_C(0x0300000000626364)));
	assert_true(has_key(second, n_second, UINT64_C(0x0300000000636461)));
	assert_true(has_key(second, n_second, UINT64_C(0x0300000000646162)));
	assert_true(has_key(second, n_second, UINT64_C(0x0300000000616263)));
	free(first);
	free(second);
	bs_grams_free(grams);
}

/* The keys of scheme 1, which indexes depend on. */
static void test_vectors(void **state)
{
	(void)state;
	struct bs_buffer keys = {0};
	const char *text = "mutex_lock(&dev->mutex)";
	assert_int_equal(bs_grams_of_literal((const uint8_t *)text, strlen(text), &keys, NULL), BS_OK);
	const uint64_t *key = (const uint64_t *)(const void *)keys.data;
	size_t n_keys = keys.used_bytes / sizeof(*key), n_trigrams = 0;
	while (n_trigrams < n_keys && bs_gram_bytes(key[n_trigrams]) == BS_GRAM_LEAST)
		n_trigrams++;
	assert_int_equal(n_trigrams, 18); /* of 21, three stand twice */
	assert_int_equal(key[0], UINT64_C(0x03000000006d7574));
	for (size_t i = n_trigrams; i < n_keys; i++)
		assert_int_equal(bs_gram_bytes(key[i]), BS_GRAM_LONG_BYTES);
	bs_buffer_clear(&keys);
	assert_int_equal(bs_grams_of_literal((const uint8_t *)"ab", 2, &keys, NULL), BS_OK);
	assert_int_equal(keys.used_bytes, 0);
	bs_buffer_deinit(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folding),
		cmocka_unit_test(test_folding_of_bytes),
		cmocka_unit_test(test_folding_is_stable),
		cmocka_unit_test(test_random_texts),
		cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
