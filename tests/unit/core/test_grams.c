/* test_grams.c: folding, in one piece and in several; grams of literals, their keys, hashes and
 * columns. test_gram_sketch.c tests the grams of files. */
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/system/icu.h"
#include "core/text/grams.h"
#include "tests/rigs/core_rig.h"

/* ---- folding ---- */

static void check_fold(const char *text, const char *wanted)
{
	AUTO(bs_buffer_deinit) struct bs_buffer folded = {0};
	ok(bs_grams_fold((const uint8_t *)text, strlen(text), &folded, ERR));
	assert_int_equal(folded.used_bytes, strlen(wanted));
	assert_memory_equal(folded.data, wanted, folded.used_bytes);
}

static void test_folding(void **state)
{
	check_fold("The QUICK brown_FOX[@Z{`", "the quick brown_fox[@z{`");
	check_fold("\u00c4rger \u00df \u1e9e \u017f", "\u00e4rger \u00df \u00df s");
	check_fold("\u0130 \u0131 I i", "\u0130 \u0131 i i"); /* not as in Turkish */
	check_fold("\u212a\u212b\u2126", "k\u00e5\u03c9");
	check_fold("\u03a3\u03c3\u03c2", "\u03c3\u03c3\u03c3");
	check_fold("\u023a\u023a\u023a", "\u2c65\u2c65\u2c65"); /* longer than before */
	check_fold("\U00010400\U0001f600", "\U00010428\U0001f600");
	check_fold("A\xff\xc3Z\xe2\x82Q\xed\xa0\x80\xf5\x80",
	           "a\xff\xc3z\xe2\x82q\xed\xa0\x80\xf5\x80");
	check_fold("ABC\xe2\x84", "abc\xe2\x84");
}

/* The fast path for ASCII agrees with ICU, at every offset within eight bytes. */
static void test_folding_of_bytes(void **state)
{
	for (uint32_t c = 0; c < 0x80; c++) {
		uint8_t text[24];
		memset(text, (int)c, sizeof(text));
		AUTO(bs_buffer_deinit) struct bs_buffer folded = {0};
		ok(bs_grams_fold(text, sizeof(text) - 3, &folded, ERR));
		for (size_t i = 0; i < folded.used_bytes; i++)
			assert_int_equal(folded.data[i], bs_gram_fold(c));
	}
}

/* Folding is idempotent, so a folded literal does not change. */
static void test_folding_is_stable(void **state)
{
	for (uint32_t c = 0; c <= 0x10ffff; c++)
		assert_int_equal(bs_gram_fold(bs_gram_fold(c)), bs_gram_fold(c));
}

/* Folds a text in pieces of random lengths. The next piece begins with the bytes that the last call
 * left unfolded. */
static void test_folding_in_pieces(void **state)
{
	static const char *const items[] = {"a",      "B",        " ",          "\u00c4",
	                                    "\u1e9e", "\u023a",   "\U00010400", "\xff",
	                                    "\xe2",   "\xf0\x90", "\x80"};
	uint64_t random = 1;
	for (int i = 0; i < 3000; i++) {
		uint8_t text[400], pieces[900];
		AUTO(bs_buffer_deinit) struct bs_buffer folded = {0};
		size_t n_bytes = 0, n_folded = 0, n;
		while (n_bytes + 4 <= sizeof(text)) {
			/* every other text is only ASCII */
			const char *item = items[random_below(&random, i % 2 ? COUNT(items) : 3)];
			memcpy(text + n_bytes, item, strlen(item));
			n_bytes += strlen(item);
		}
		ok(bs_grams_fold(text, n_bytes, &folded, ERR));
		for (size_t at = 0; at < n_bytes;) {
			size_t left = n_bytes - at,
			       most = 4 + (size_t)random_below(&random, i % 3 ? 20 : 300);
			FREED uint8_t *piece = malloc(left < most ? left : most);
			memcpy(piece, text + at, left < most ? left : most);
			at += bs_grams_fold_piece(piece, left < most ? left : most, left <= most,
			                          pieces + n_folded, &n);
			n_folded += n;
		}
		assert_int_equal(n_folded, folded.used_bytes);
		assert_memory_equal(pieces, folded.data, n_folded);
	}
}

/* ---- grams ---- */

/* The keys of gram scheme 3 and their hashes; indexes depend on these. */
static void test_vectors(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer keys = {0};
	const char *text = "mutex_lock(&dev->mutex)";
	ok(bs_grams_of_literal((const uint8_t *)text, strlen(text), &keys, ERR));
	const uint64_t *key = (const uint64_t *)(const void *)keys.data;
	size_t n_keys = keys.used_bytes / sizeof(*key);
	/* three of 21 trigrams, and one of 19 5-grams, occur twice */
	assert_int_equal(n_keys, 18 + 18);
	assert_int_equal(key[0], UINT64_C(0x030000000074756d));
	assert_int_equal(key[18], UINT64_C(0x050000786574756d));
	for (size_t i = 0; i < n_keys; i++)
		assert_int_equal(bs_gram_bytes(key[i]),
		                 i < 18 ? BS_GRAM_LEAST : BS_GRAM_LONG_BYTES);
	assert_int_equal(bs_gram_hash(key[0], 0), UINT32_C(0xff132165));
	assert_int_equal(bs_gram_hash(key[0], 4), UINT32_C(0x62f342b1));
	assert_int_equal(bs_gram_hash(key[18], 0), UINT32_C(0x17c7ee35));
	assert_int_equal(bs_gram_hash(key[18], 1), UINT32_C(0x3c431a3d));
	bs_buffer_clear(&keys);
	ok(bs_grams_of_literal((const uint8_t *)"ab", 2, &keys, ERR));
	assert_int_equal(keys.used_bytes, 0);
}

/* The numbers of hashes of any two columns differ by at most one. */
static void test_columns(void **state)
{
	for (uint32_t m = 32; m <= 7u << 9; m++) {
		uint32_t log = 29 - (uint32_t)__builtin_clz(m), n_hashes = 32u << log,
			 n[7 << 9] = {0};
		if (m % (1u << log))
			continue;
		for (uint32_t hash = 0; hash < n_hashes; hash++) {
			assert_true(bs_gram_column(hash, m) < m);
			assert_int_equal(bs_gram_column(hash, m),
			                 bs_gram_column(hash + 5 * n_hashes, m));
			n[bs_gram_column(hash, m)]++;
		}
		for (uint32_t column = 0; column < m; column++)
			assert_in_range(n[column], n_hashes / m, n_hashes / m + 1);
	}
	assert_true(bs_gram_column(UINT32_MAX, 7u << BS_GRAM_MOST_LOG) < 7u << BS_GRAM_MOST_LOG);
}

/* bs_gram_fold requires ICU. */
static int load_icu(void **state)
{
	return bs_icu_load(NULL) == BS_OK ? 0 : -1;
}

RUN_TESTS_WITH(load_icu, NULL, test_folding, test_folding_of_bytes, test_folding_is_stable,
               test_folding_in_pieces, test_vectors, test_columns)
