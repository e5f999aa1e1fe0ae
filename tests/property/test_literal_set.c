/* test_literal_set.c: compares a set of literals with searching each literal at each place. Random
 * lists and texts of few letters make many matches overlap. Also compares letter case with PCRE2's,
 * for all of Unicode. */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/system/icu.h"
#include "core/text/grams.h"
#include "query/regex/literal_set.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"

AUTO_OF(struct bs_literal_set, bs_literal_set_free)

#define MOST_LITERALS 600u
#define MOST_BYTES    512u

struct text {
	uint8_t bytes[MOST_BYTES];
	uint32_t n_bytes;
};

static const char *const alphabets[][8] = {
	{"a", "b"},
	{"a", "b", "c", "A", " "},
	{"k", "K", "\xe2\x84\xaa", "s", "S", "\xc5\xbf", "x"},
	{"\xc3\xa9", "\xc3\x89", "e", "\xcf\x83", "\xcf\x82", "\xce\xa3"},
	{"foo", "bar", "Foo", "\xe6\x97\xa5", "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"},
};

/* Makes a random text; a damaged one also has some random bytes. */
static void make_text(struct text *text, uint32_t n_pieces, size_t alphabet, bool is_damaged)
{
	uint32_t n_letters = 0;
	text->n_bytes = 0;
	while (n_letters < 8 && alphabets[alphabet][n_letters])
		n_letters++;
	for (uint32_t i = 0; i < n_pieces && text->n_bytes + 8 < MOST_BYTES; i++) {
		const char *piece = alphabets[alphabet][below(n_letters)];
		memcpy(text->bytes + text->n_bytes, piece, strlen(piece));
		text->n_bytes += (uint32_t)strlen(piece);
		if (is_damaged && below(20) == 0)
			text->bytes[text->n_bytes++] = (uint8_t)below(256);
	}
}

/* Returns the next character of text[*at..n), folded; -1 for an invalid byte of Unicode text. */
static int32_t next_folded(const uint8_t *text, size_t *at, size_t n,
                           enum bs_literal_case letter_case)
{
	UChar32 c = text[*at];
	if (letter_case != BS_LITERAL_UNICODE) {
		++*at;
		return letter_case == BS_LITERAL_ASCII && c < 0x80
		               ? (int32_t)bs_gram_fold((uint32_t)c)
		               : c;
	}
	size_t start = *at;
	U8_NEXT(text, *at, n, c);
	if (c >= 0)
		return (int32_t)bs_gram_fold((uint32_t)c);
	*at = start + 1;
	return -1;
}

/* Returns where a literal that begins at `start` ends, or SIZE_MAX if it does not match. */
static size_t naive_end(const struct text *text, size_t start, const struct bs_literal *literal,
                        enum bs_literal_case letter_case)
{
	size_t at = start, in = 0;
	while (in < literal->n_bytes) {
		if (at == text->n_bytes)
			return SIZE_MAX;
		int32_t wanted = next_folded(literal->bytes, &in, literal->n_bytes, letter_case);
		if (next_folded(text->bytes, &at, text->n_bytes, letter_case) != wanted)
			return SIZE_MAX;
	}
	return at;
}

static bool naive_find(const struct text *text, size_t from, const struct bs_literal *literals,
                       uint32_t n, enum bs_literal_case letter_case, struct bs_literal_found *found)
{
	for (size_t start = from; start <= text->n_bytes; start++) {
		for (uint32_t i = 0; i < n; i++) {
			size_t end = naive_end(text, start, &literals[i], letter_case);
			if (end == SIZE_MAX)
				continue;
			*found = (struct bs_literal_found){start, end, i};
			return true;
		}
	}
	return false;
}

struct seen {
	uint32_t n;
	uint64_t sum; /* order-independent digest of the matches seen */
};

static uint64_t digest(const struct bs_literal_found *found)
{
	uint64_t mixed = (found->start * 1000003 + found->end) * 1000003 + found->literal;
	return (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool see(void *context, const uint8_t *text, size_t n_bytes,
                const struct bs_literal_found *found)
{
	struct seen *seen = context;
	assert_true(found->end <= n_bytes);
	seen->n++;
	seen->sum += digest(found);
	return false;
}

static void check_all(const struct bs_literal_set *set, const struct text *text,
                      const struct bs_literal *literals, uint32_t n,
                      enum bs_literal_case letter_case)
{
	struct seen met = {0}, wanted = {0};
	struct bs_literal_found found;
	assert_false(bs_literal_set_find(set, text->bytes, 0, text->n_bytes, see, &met, &found));
	for (size_t start = 0; start < text->n_bytes; start++) {
		for (uint32_t i = 0; i < n; i++) {
			found = (struct bs_literal_found){
				start, naive_end(text, start, &literals[i], letter_case), i};
			if (found.end != SIZE_MAX)
				(void)see(&wanted, text->bytes, text->n_bytes, &found);
		}
	}
	assert_int_equal(met.n, wanted.n);
	assert_true(met.sum == wanted.sum);
}

/* Compares all matches; each search continues after the previous match. */
static void check_matches(const struct bs_literal_set *set, const struct text *text,
                          const struct bs_literal *literals, uint32_t n,
                          enum bs_literal_case letter_case)
{
	struct bs_literal_found found, wanted;
	for (size_t from = 0; from <= text->n_bytes;) {
		bool has = bs_literal_set_find(set, text->bytes, from, text->n_bytes, NULL, NULL,
		                               &found);
		assert_int_equal(has, naive_find(text, from, literals, n, letter_case, &wanted));
		if (!has)
			return;
		assert_int_equal(found.start, wanted.start);
		assert_int_equal(found.end, wanted.end);
		assert_int_equal(found.literal, wanted.literal);
		from = found.end + (found.end == found.start);
	}
}

static void random_lists(void **state)
{
	static struct text texts[MOST_LITERALS];
	struct bs_literal literals[MOST_LITERALS];
	for (unsigned long round = 0; round < rounds.n; round++) {
		size_t alphabet = below(COUNT(alphabets));
		enum bs_literal_case letter_case = (enum bs_literal_case)(round % 3);
		uint32_t n = 1 + below(round % 10 == 0 ? MOST_LITERALS : 12), least = below(8) > 0,
			 most = 1 + below(9);
		AUTO(bs_literal_set_free_at) struct bs_literal_set *set;
		for (uint32_t i = 0; i < n; i++) {
			make_text(&texts[i], least + below(most), alphabet, false);
			literals[i] = (struct bs_literal){texts[i].bytes, texts[i].n_bytes};
		}
		ok(bs_literal_set_new(literals, n, letter_case, &set, ERR));
		for (uint32_t i = 0; i < 4; i++) {
			struct text text;
			make_text(&text, below(80), alphabet, i % 2);
			check_matches(set, &text, literals, n, letter_case);
			if (least)
				check_all(set, &text, literals, n, letter_case);
		}
	}
}

/* Each literal is a prefix of the one before it, nested more deeply than recursion could handle. */
static void nested_lists(void **state)
{
	enum {
		N = 20000
	};
	FREED struct bs_literal *literals = malloc(N * sizeof(*literals));
	FREED uint8_t *bytes = malloc(N);
	AUTO(bs_literal_set_free_at) struct bs_literal_set *set;
	struct bs_literal_found found;
	assert_true(literals && bytes);
	memset(bytes, 'a', N);
	for (uint32_t i = 0; i < N; i++)
		literals[i] = (struct bs_literal){bytes, N - i};
	ok(bs_literal_set_new(literals, N, BS_LITERAL_EXACT, &set, ERR));
	assert_true(bs_literal_set_find(set, bytes, 7, N, NULL, NULL, &found));
	assert_int_equal(found.start, 7);
	assert_int_equal(found.end, N);
	assert_int_equal(found.literal, 7);
}

static bool has_case(uint32_t c)
{
	uint32_t mask = U_GC_LU_MASK | U_GC_LL_MASK | U_GC_LT_MASK | U_GC_LM_MASK | U_GC_MN_MASK |
	                U_GC_NL_MASK | U_GC_SO_MASK;
	return (U_MASK(bs_icu.u_charType((UChar32)c)) & mask) != 0;
}

/* The set must find a character exactly where PCRE2 finds it. */
static void check_character(const uint8_t *text, size_t n_bytes, const uint8_t *bytes, size_t n)
{
	struct bs_literal literal = {bytes, (uint32_t)n};
	struct bs_literal_set *set;
	struct bs_literal_found found;
	int error;
	PCRE2_SIZE off;
	pcre2_code *code = pcre2_compile(bytes, n, PCRE2_UTF | PCRE2_CASELESS | PCRE2_LITERAL,
	                                 &error, &off, NULL);
	assert_non_null(code);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(data);
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	ok(bs_literal_set_new(&literal, 1, BS_LITERAL_UNICODE, &set, ERR));
	for (size_t from = 0;; from = found.end) {
		bool has = bs_literal_set_find(set, text, from, n_bytes, NULL, NULL, &found);
		assert_int_equal(has, pcre2_match(code, text, n_bytes, from, PCRE2_NO_UTF_CHECK,
		                                  data, NULL) >= 0);
		if (!has)
			break;
		assert_int_equal(found.start, places[0]);
		assert_int_equal(found.end, places[1]);
	}
	bs_literal_set_free(set);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
}

static void case_of_unicode(void **state)
{
	static uint8_t text[1 << 18];
	size_t n = 0;
	ok(bs_icu_load(ERR));
	for (uint32_t c = 'A'; c < 0x1f000; c++)
		if (has_case(c))
			U8_APPEND_UNSAFE(text, n, c);
	assert_true(n < sizeof(text));
	for (uint32_t c = 'A'; c < 0x1f000; c++) {
		uint8_t bytes[4];
		size_t n_character = 0;
		/* Characters that fold to themselves are many: of these only every 16th code point
		 * is checked. */
		if (!has_case(c) || (bs_gram_fold(c) == c && c % 16))
			continue;
		U8_APPEND_UNSAFE(bytes, n_character, c);
		check_character(text, n, bytes, n_character);
	}
}

RUN_RANDOM_TESTS(600, 42, random_lists, nested_lists, case_of_unicode)
