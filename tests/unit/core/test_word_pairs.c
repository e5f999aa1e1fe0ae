/* test_word_pairs.c: a set of word pairs finds exactly the pairs that were added; a key splits into
 * the words that it was made from. */
#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/word_pairs.h"
#include "tests/rigs/core_rig.h"

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

/* The words a and b are a pair of the set if (a * 7 + b * 3) % 5 is 0 or 1. */
static bool is_member(uint32_t a, uint32_t b)
{
	return (a * 7 + b * 3) % 5 < 2;
}

static void test_set(void **state)
{
	AUTO(bs_word_pairs_deinit) struct bs_word_pairs pairs = {.n_word_pairs = 0};
	uint32_t n_added = 0;
	for (int twice = 0; twice < 2; twice++) {
		for (uint32_t i = 0; i < N_WORDS * N_WORDS; i++) {
			char a[16], b[16];
			uint32_t a_bytes = word_of(i / N_WORDS, a),
				 b_bytes = word_of(i % N_WORDS, b);
			if (!is_member(i / N_WORDS, i % N_WORDS))
				continue;
			ok(bs_word_pairs_add(&pairs, (uint8_t *)a, a_bytes, (uint8_t *)b, b_bytes,
			                     ERR));
			n_added += twice == 0;
		}
		assert_int_equal(pairs.n_word_pairs, n_added);
	}
	for (uint32_t i = 0; i < N_WORDS * N_WORDS; i++) {
		uint32_t pair, key_bytes;
		struct bs_word_pair is;
		char a[16], b[16];
		bool found = bs_word_pairs_find(&pairs, number_of(&pairs, i / N_WORDS),
		                                number_of(&pairs, i % N_WORDS), &pair);
		assert_int_equal(found, is_member(i / N_WORDS, i % N_WORDS));
		if (!found)
			continue;
		const uint8_t *key = bs_word_pairs_key(&pairs, pair, &key_bytes);
		assert_true(bs_word_pair_split(key, key_bytes, &is));
		assert_int_equal(is.first_bytes, word_of(i / N_WORDS, a));
		assert_memory_equal(is.first, a, is.first_bytes);
		assert_int_equal(is.second_bytes, word_of(i % N_WORDS, b));
		assert_memory_equal(is.second, b, is.second_bytes);
		assert_int_equal(bs_word_pairs_head(&pairs, pair), BS_NO_WORD);
	}
	assert_int_equal(number_of(&pairs, N_WORDS + 1), BS_NO_WORD);
}

static void test_nothing(void **state)
{
	AUTO(bs_word_pairs_deinit) struct bs_word_pairs none = {.n_word_pairs = 0};
	uint32_t pair;
	assert_int_equal(number_of(&none, 1), BS_NO_WORD);
	assert_false(bs_word_pairs_find(&none, 0, 0, &pair));
}

static void add(struct bs_word_pairs *pairs, const char *first, const char *second)
{
	ok(bs_word_pairs_add(pairs, (const uint8_t *)first, (uint32_t)strlen(first),
	                     (const uint8_t *)second, (uint32_t)strlen(second), ERR));
}

static uint16_t number(const struct bs_word_pairs *pairs, const char *word)
{
	return bs_word_pairs_word(pairs, (const uint8_t *)word, (uint32_t)strlen(word),
	                          bs_hash_slot(word, strlen(word)));
}

/* In the text a b c d, each wide pair is found from the word pair that it begins with. */
static void test_wide(void **state)
{
	AUTO(bs_word_pairs_deinit) struct bs_word_pairs pairs = {.n_word_pairs = 0};
	uint32_t pair, key_bytes;
	struct bs_word_pair is;
	add(&pairs, "\377a\377b", "c"); /* the word pair that it begins with is missing */
	assert_int_equal(pairs.n_word_pairs, 0);
	add(&pairs, "a", "b");
	add(&pairs, "\377a\377b", "c");
	add(&pairs, "\377a\377b\377c", "d");
	add(&pairs, "\377a\377b", "c");
	assert_int_equal(pairs.n_word_pairs, 3);
	assert_true(bs_word_pairs_find(&pairs, number(&pairs, "a"), number(&pairs, "b"), &pair));
	assert_true(bs_word_pairs_find(&pairs, bs_word_pairs_head(&pairs, pair),
	                               number(&pairs, "c"), &pair));
	assert_true(bs_word_pairs_find(&pairs, bs_word_pairs_head(&pairs, pair),
	                               number(&pairs, "d"), &pair));
	assert_int_equal(bs_word_pairs_head(&pairs, pair), BS_NO_WORD);
	assert_false(bs_word_pairs_find(&pairs, number(&pairs, "b"), number(&pairs, "c"), &pair));
	const uint8_t *key = bs_word_pairs_key(&pairs, 2, &key_bytes);
	assert_int_equal(key_bytes, 8);
	assert_memory_equal(key, "\377a\377b\377c\377d", 8);
	assert_true(bs_word_pair_split(key, key_bytes, &is));
	assert_int_equal(is.first_bytes, 6);
	assert_memory_equal(is.first, key, 6);
	assert_int_equal(is.second_bytes, 1);
}

/* Words, bigrams of characters, and truncated keys are not word pairs. */
static void test_split(void **state)
{
	static const char *const others[] = {"",           "of",        "\xff",
	                                     "\xffof",     "\xff\xff",  "\xff\xffof",
	                                     "\xffof\xff", "of\xffthe", "\xffof\xff\xffthe"};
	struct bs_word_pair is;
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(bs_word_pair_split((const uint8_t *)others[i],
		                                (uint32_t)strlen(others[i]), &is));
	assert_true(bs_word_pair_split((const uint8_t *)"\xffof\xffthe", 7, &is));
	assert_int_equal(is.first_bytes, 2);
	assert_int_equal(is.second_bytes, 3);
}

RUN_TESTS(test_set, test_nothing, test_wide, test_split)
