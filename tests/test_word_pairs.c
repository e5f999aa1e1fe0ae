/* test_word_pairs.c: the set of word pairs against all pairs of a few words, and keys that split as they were joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/word_pairs.h"
#include "core_rig.h"

#define N_WORDS 40

static uint32_t word_of(uint32_t i, char word[16])
{
	return (uint32_t)snprintf(word, 16, "%s%u", i % 3 ? "w" : "\xc3\xa9", i);
}

static uint16_t number_of(const struct bs_word_pairs *pairs, uint32_t i)
{
	char word[16];
	uint32_t n = word_of(i, word);
	return bs_word_pairs_word(pairs, (const uint8_t *)word, n, bs_hash_slot(word, n));
}

/* (a, b) is in the set if a * 7 + b * 3 leaves 0 or 1 by 5. */
static bool is_member(uint32_t a, uint32_t b)
{
	return (a * 7 + b * 3) % 5 < 2;
}

static void test_set(void **state)
{
	(void)state;
	struct bs_word_pairs pairs = {.n_word_pairs = 0};
	struct bs_error err = {""};
	uint32_t n_added = 0;
	for (int twice = 0; twice < 2; twice++) {
		for (uint32_t i = 0; i < N_WORDS * N_WORDS; i++) {
			char a[16], b[16];
			uint32_t a_bytes = word_of(i / N_WORDS, a), b_bytes = word_of(i % N_WORDS, b);
			if (!is_member(i / N_WORDS, i % N_WORDS))
				continue;
			expect_ok(bs_word_pairs_add(&pairs, (uint8_t *)a, a_bytes, (uint8_t *)b, b_bytes, &err), &err);
			n_added += twice == 0;
		}
		assert_int_equal(pairs.n_word_pairs, n_added);
	}
	for (uint32_t i = 0; i < N_WORDS * N_WORDS; i++) {
		uint32_t pair, key_bytes, second;
		char a[16];
		bool found = bs_word_pairs_find(&pairs, number_of(&pairs, i / N_WORDS), number_of(&pairs, i % N_WORDS), &pair);
		assert_int_equal(found, is_member(i / N_WORDS, i % N_WORDS));
		if (!found)
			continue;
		const uint8_t *key = bs_word_pairs_key(&pairs, pair, &key_bytes);
		assert_true(bs_word_pair_split(key, key_bytes, &second));
		uint32_t a_bytes = word_of(i / N_WORDS, a);
		assert_int_equal(second, a_bytes + 2);
		assert_memory_equal(key + 1, a, a_bytes);
	}
	assert_int_equal(number_of(&pairs, N_WORDS + 1), BS_NO_WORD);
	bs_word_pairs_deinit(&pairs);
}

static void test_nothing(void **state)
{
	(void)state;
	struct bs_word_pairs none = {.n_word_pairs = 0};
	uint32_t pair;
	assert_int_equal(number_of(&none, 1), BS_NO_WORD);
	assert_false(bs_word_pairs_find(&none, 0, 0, &pair));
	bs_word_pairs_deinit(&none);
}

/* Words, pairs of characters, and what is cut off are no pairs of words. */
static void test_split(void **state)
{
	(void)state;
	static const char *const others[] = {"", "of", "\xff", "\xffof", "\xff\xff", "\xff\xffof", "\xffof\xff", "of\xffthe"};
	uint32_t second;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(bs_word_pair_split((const uint8_t *)others[i], (uint32_t)strlen(others[i]), &second));
	assert_true(bs_word_pair_split((const uint8_t *)"\xffof\xffthe", 7, &second));
	assert_int_equal(second, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_split),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
