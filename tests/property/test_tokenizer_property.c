/*
 * test_tokenizer_property.c: compares the tokenizer, on both paths and with several window sizes,
 * with a naive one: on all short strings, and on random texts of everything that a rule looks at.
 *
 * Arguments: [N_TEXTS [SEED]]
 */
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "core/text/tokenizer_class.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/test.h"
#include "tests/rigs/words_rig.h"

/* Compares the ASCII path with ICU's path on all strings of n bytes over the alphabet. */
static void check_all_strings(struct rig *rig, const char *alphabet, size_t n)
{
	char text[8];
	size_t digits[8] = {0}, base = strlen(alphabet);
	for (;;) {
		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[digits[i]];
		rig->tokenizer->ascii_path = false;
		kept_analyze(rig->tokenizer, text, n, &rig->expected);
		rig->tokenizer->ascii_path = true;
		kept_analyze(rig->tokenizer, text, n, &rig->found);
		assert_same(&rig->expected, &rig->found, (const uint8_t *)text, n);
		size_t i = 0;
		while (i < n && ++digits[i] == base)
			digits[i++] = 0;
		if (i == n)
			return;
	}
}

static void test_all_short_ascii_strings(void **state)
{
	struct rig rig;
	rig_init(&rig, NULL);
	for (size_t n = 1; n <= 4; n++)
		check_all_strings(&rig, "aB1_'.:,;@\"- \n\r", n);
	check_all_strings(&rig, "a1_'.,@ ", 5);
	check_all_strings(&rig, "a1_.'@", 6);
	check_all_strings(&rig, "1T.,_ a", 6);
	rig_deinit(&rig);
	rig_init(&rig, &(struct bs_tokenizer_options){.split_identifiers = true});
	check_all_strings(&rig, "aB1_.' ", 6);
	rig_deinit(&rig);
}

/* Checks every pair of ASCII bytes among letters and digits. Together with windows of one byte this
 * shows that the alphabets of test_all_short_ascii_strings have a byte of every class, and that the
 * tokenizer ends a window only where the words do not depend on the text after it. */
static void test_all_pairs_of_ascii_bytes(void **state)
{
	static const size_t windows[] = {1, 64};
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	for (int first = 0; first < 128; first++)
		for (int second = 0; second < 128; second++) {
			char x = (char)first, y = (char)second;
			const char text[] = {x,   y, ' ', 'a', x,   y,   'b', ' ',
			                     '1', x, y,   '2', ' ', '_', x,   y};
			rig_check(&rig, text, sizeof(text), windows, 2);
		}
}

/* Checks every place where the tokenizer may end a window (a safe cut), between all items that a
 * rule might look at. */
static void test_safe_cuts(void **state)
{
	static const char *const around[] = {
		"", "a", "1", "_", "'", "\"", ".", ",", "@", ":", "\u0301", "\u200d", "\u00ad",
		/* Letters of other scripts, and separators. */
		"\u05d0", "\u05d0'", "\u05d0\"", "\u4e2d", "\u30ab", "\u0e01", "\ud55c",
		"\U0001f1e9", "\u2764", "\u2764\u200d", "\r", " ", "\u3000", "\u2f00", "a\u0301",
		"a.", "1,", "\u1950", "\xff"};
	static const size_t windows[] = {1};
	const size_t n_around = COUNT(around);
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	for (int c = 0; c < 128; c++)
		for (size_t i = 0; i < n_around; i++)
			for (size_t k = 0; k < n_around; k++) {
				char text[64];
				char after = "ab19"[(i + k) % 4];
				size_t n = (size_t)snprintf(text, sizeof(text), "%s?%c%s",
				                            around[i], after, around[k]);
				text[strlen(around[i])] = (char)c;
				if (!bs_tokenizer_is_cut(rig.tokenizer, (const uint8_t *)text,
				                         strlen(around[i]) + 1))
					continue;
				rig_check(&rig, text, n, windows, 1);
				/* A window may always end after a line feed. */
				n = (size_t)snprintf(text, sizeof(text), "%s\n%s", around[i],
				                     around[k]);
				rig_check(&rig, text, n, windows, 1);
			}
}

/* Checks the classes of all code points of planes 0 and 1 and some others, in several contexts. */
static void test_all_code_points(void **state)
{
	static const size_t windows[] = {4096};
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	for (UChar32 c = 0; c <= 0x10ffff; c += c < 0x20000 || c >= 0xe0000 ? 1 : 61) {
		if (U_IS_SURROGATE((uint32_t)c) || (c >= 0xe0200 && c % 61))
			continue;
		uint8_t x[5] = {0}, text[128];
		size_t n = 0;
		U8_APPEND_UNSAFE(x, n, (uint32_t)c);
		size_t text_bytes =
			(size_t)snprintf((char *)text, sizeof(text),
		                         "%s. a%sb %s%s\n1%s2 \u4e2d%s\u4e2d%s \u05d0%s\u05d1 _%s",
		                         x, x, x, x, x, x, x, x, x);
		rig_check(&rig, text, text_bytes, windows, 1);
	}
}

/* Inert code points must not form words with other inert code points, in any order. */
static void test_inert_code_points_make_no_words(void **state)
{
	static UChar32 inert[0x110000];
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	size_t n_inert = 0;
	for (UChar32 c = 0; c < 0x20000; c++) {
		bool is_inert = false;
		if (!U_IS_SURROGATE((uint32_t)c))
			ok(bs_tokenizer_is_inert(rig.tokenizer, c, &is_inert, ERR));
		size_t n_bytes = 0;
		uint8_t alone[U8_MAX_LENGTH];
		U8_APPEND_UNSAFE(alone, n_bytes, (uint32_t)c);
		naive_analyze(&rig.naive, alone, n_bytes, &rig.expected);
		if (is_inert &&
		    /* ICU considers a letter of a script run inert, but the function is never
		     * called for one */
		    kept_n(&rig.expected) == 0)
			inert[n_inert++] = c;
	}
	assert_reached(n_inert > 1000);
	FREED uint8_t *text = malloc(n_inert * U8_MAX_LENGTH);
	for (int round = 0; round < 8; round++) {
		size_t n_bytes = 0;
		for (size_t i = 0; i < n_inert; i++) {
			size_t k = i + below((uint32_t)(n_inert - i));
			UChar32 c = inert[k];
			inert[k] = inert[i];
			inert[i] = c;
			U8_APPEND_UNSAFE(text, n_bytes, (uint32_t)c);
		}
		naive_analyze(&rig.naive, text, n_bytes, &rig.expected);
		assert_int_equal(kept_n(&rig.expected), 0);
	}
}

static const char *const pools[][16] = {
	{"a", "B", "z", "1", "9", "_", "'", ".", ":", ",", ";", "@", "\"", " ", "-", "\n"},
	{"hello", "World", "foo_bar", "3.14", "a@b.c", " ", " ", " ", "\r\n", "\t", "(", ")", "{",
         "/", "#", "="},
	{"1", "22", "T", "T", "t", ".", ",", "_", "-", ":", " ", "\u0661", "Z", "\u2019", "'", "0"},
	{"foo", "Bar", "HTTP", "x", "Y", "2", "_", "_", "__", "\u00e9", "\u00c9", "\u0301",
         "\u00ad", "\u02bc", " ", "\u01c5"},
	{"\u00e9", "\u00c0", "e\u0301", "\ufb01", "\u00df", "\u0130", "\uff21", "\uff11", "\u00ad",
         "\u037a", "\u00b2", "\u2167", "\u2019", "\u00b7", "\uff1a", "\u2024"},
	{"\u4e2d", "\u6587", "\u3002", "\uff0c", "\u304b", "\u3099", "\u30ab", "\u30fc", "\uff76",
         "\uff9e", "\u3220", "\u2f00", "\u3005", "\u8fbb\U000e0100", "\U00020000", "\u3000"},
	{"\u3297", "\u3299", "\u32d0", "\u32fe", "\u3300", "\u32ff", "\U0001f21a", "\U0001f251",
         "\ufe0f", "\u6f22", "\u795d", "\u0345", "\u2f00", "\u2f01", " ", "a"},
	{"\u0e01", "\u0e33", "\u0e34", "\u0e51", "\u0e97", "\u0eb5", "\u1780", "\u17d2", "\u17b4",
         "\u1019", "\u103c", "\u1041", "\u1950", "\u1a20", "\u109e", "\u0e46"},
	{"\u2764", "\ufe0f", "\u200d", "\U0001f600", "\U0001f44d\U0001f3fd", "\U0001f1e9",
         "\U0001f1ea", "\u20e3", "\U0001f468\u200d\U0001f469", "\u2122", "\u00a9", "1\ufe0f\u20e3",
         "#", "*", "\u3030", "\u303d"},
	{"\u0301", "\u0308", "\u05b8", "\u0e49", "\u302a", "\u200c", "\u2060", "\ufeff", "\u00ad",
         "\u061c", "\ufe0f", "\u1dc0", "\u0903", "\u115f", "\u3164", "\u180e"},
	{"\u05d0", "\u05d1", "\"", "'", "\u05f4", "\u0645", "\u0663", "\u066b", "\u0416", "\u0439",
         "\u03a3", "\ud55c", "\u1112\u1161\u11ab", "\u0915\u094d\u0937", "\u10d0", "\u1ea4"},
	{"e\u0301", "\u00e9", "\u0323", "\u0345", "a\u0308", "\u0344", "\u212a", "\u037e", "\u1fef",
         "\u0338", "=", "\u1ea5", "\u0142", "\u01fd", "@", "."},
	{"\u1112", "\u1161", "\u11ab", "\ud558", "\ud55c", "\u11a8", "\u302e", "\u3131", "a", " ",
         ".", "@", "_", "2", "\u1100\u1161", "\u1161"},
	{"\u0958", "\u0915", "\u093c", "\u093f", "\u094d", "\u09c7", "\u09be", "\u0b47\u0b57",
         "\u0dd9", "\u0dcf", "\u0dca", "\u1025\u102e", "\u0f73", "\u0f71", "\u0f72", "."},
	{"\U0001d160", "\U0001d158", "\U0001d165", "\U0001d16e", "\uf900", "\u4e2d", "\u3099",
         "\u0327", "\u034f", "\u05d3\u05bc\u05b7", "\ufb2c", "\u0e38\u0e48", "\u0e48\u0e38",
         "\U000110a5\U000110ba", "\U00011347\U0001133e", "\u2adc"},
	{"\xff", "\x80", "\xc3", "\xe4\xb8", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80",
         "\xf4\x90\x80\x80", "\xfe", "\x01", "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbf\xbd",
         "\x0b", "\x0c"},
};

#define N_POOLS COUNT(pools)

static size_t append_random(uint8_t *text, uint32_t pool)
{
	if (below(40) == 0) {
		text[0] = (uint8_t)(below(3) ? 0 : below(256));
		return 1;
	}
	size_t n = 0;
	if (below(40) == 0) {
		UChar32 c = (UChar32)below(below(2) ? 0x3400 : 0x1fbff);
		if (!U_IS_SURROGATE((uint32_t)c))
			U8_APPEND_UNSAFE(text, n, (uint32_t)c);
		return n;
	}
	const char *item = pools[pool][below(16)];
	n = strlen(item);
	memcpy(text, item, n);
	return n;
}

static size_t write_random_text(uint8_t *text, size_t text_capacity)
{
	/* Mixes up to three pools, drawn anew every 20 items; 0 and 1 are most frequent. */
	uint32_t mix[3];
	size_t n_bytes = 0, n_items = below(8) ? below(60) : below(600);
	for (size_t i = 0; i < n_items && n_bytes + 32 < text_capacity; i++) {
		if (i % 20 == 0)
			for (size_t k = 0; k < 3; k++)
				mix[k] = below(3) ? below(N_POOLS) : below(2);
		n_bytes += append_random(text + n_bytes, mix[below(3)]);
	}
	return n_bytes;
}

static void check_random_texts(const struct bs_tokenizer_options *options, unsigned long n_texts,
                               uint64_t seed)
{
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, options);
	for (unsigned long i = 0; i < n_texts; i++) {
		random_state = seed * UINT64_C(1000003) + i;
		uint8_t text[8192];
		size_t text_bytes = write_random_text(text, sizeof(text));
		const size_t windows[] = {1, 1 + below(100), BS_TOKENIZER_WINDOW_BYTES};
		/* A copy of exactly this size lets a sanitizer detect every read beyond it. */
		FREED uint8_t *exact = malloc(text_bytes + !text_bytes);
		memcpy(exact, text, text_bytes);
		rig_check(&rig, exact, text_bytes, windows, 3);
	}
}

static void test_random_texts(void **state)
{
	static const struct bs_tokenizer_options options[] = {
		{.stem_language = "english"},
		{.stem_language = "french", .fold_accents = true},
		{.stem_language = "russian"},
		{.fold_accents = true},
		{.split_identifiers = true},
		{.split_identifiers = true, .fold_accents = true},
		{.split_identifiers = true, .stem_language = "english"},
	};
	check_random_texts(NULL, rounds.n, rounds.seed);
	for (size_t i = 0; i < COUNT(options); i++)
		check_random_texts(&options[i], rounds.n / 16, rounds.seed + 1 + i);
}

/* ASCII texts of a few lines of 64 bytes: every rule at every edge of a line and of a window, by
 * every kernel. The item at the edge moves byte by byte. */
static void test_edges_of_lines(void **state)
{
	static const char *const items[] = {
		"a",    "Z9",  "_",   "__",  "a_",  "_a",    "'",   ".",    "@",   ":",
		",",    "a.b", "a'b", "1,2", "1.2", "1'2",   "a:b", "a@b",  "@",   "a.1",
		"1.a",  "_.a", "a._", "_@a", "a@_", "a.b.c", "@@",  "a@@",  ".@.", "a'_",
		"\x7f", "a;b", "1;2", "1T2", "T",   "T2",    "1",   "12T34"};
	const size_t n_items = COUNT(items);
	const struct bs_kernel *kernels[8];
	size_t n_kernels = bs_kernel_list(kernels, 8);
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	for (size_t k = 0; k < n_kernels && k < 8; k++)
		for (size_t i = 0; i < n_items; i++)
			for (size_t j = 0; j < n_items; j++)
				for (size_t before = 56; before < 68; before++) {
					static const size_t windows[] = {63, 64, 128,
					                                 BS_TOKENIZER_WINDOW_BYTES};
					char text[160];
					memset(text, (i + j) % 3 ? ' ' : 'x', before);
					int n = snprintf(text + before, sizeof(text) - before,
					                 "%s%s%s", items[i], items[j],
					                 before % 2 ? "" : " and so on");
					rig.tokenizer->kernel = kernels[k];
					rig_check(&rig, text, before + (size_t)n,
					          windows + (before + i) % 4, 1);
				}
}

/* Random ASCII texts of many lines, by every kernel. */
static void test_random_ascii(void **state)
{
	const struct bs_kernel *kernels[8];
	size_t n_kernels = bs_kernel_list(kernels, 8);
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	for (unsigned long i = 0; i < rounds.n / 8; i++) {
		random_state = rounds.seed * UINT64_C(7368787) + i;
		size_t text_bytes = below(below(4) ? 400 : 10000);
		uint32_t n_usual = 1 + below(16);
		FREED uint8_t *text = malloc(text_bytes + !text_bytes);
		for (size_t at = 0; at < text_bytes; at++)
			text[at] = below(30)
			                   ? (uint8_t)(i % 2 ? "a.1_'@,:B ;c9-\n("
			                                     : "1T 2.a_T9,-b'1:0\n")[below(n_usual)]
			                   : (uint8_t)below(128);
		const size_t windows[] = {1 + below(200), 64, BS_TOKENIZER_WINDOW_BYTES};
		rig.tokenizer->kernel = kernels[i % n_kernels];
		rig_check(&rig, text, text_bytes, windows, 3);
	}
}

/* Checks a text that is longer than a window. Depending on the item, it has places where the window
 * may end or is a single word: only memory limits the length of a word. */
static void check_long_text(struct rig *rig, const char *item, size_t n_items)
{
	static const size_t windows[] = {BS_TOKENIZER_WINDOW_BYTES};
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_repeated(&text, item, n_items);
	rig_check(rig, text.data, text.used_bytes, windows, 1);
}

/* Compares texts with n marks of each of two kinds, in two canonically equivalent orders. */
static void check_marks(struct rig *rig, const char *before, const char *one, const char *other,
                        size_t n)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	struct kept *kept[] = {&rig->expected, &rig->found};
	for (int order = 0; order < 2; order++) {
		bs_buffer_clear(&text);
		append_string(&text, before);
		for (size_t i = 0; i < 2 * n; i++)
			append_string(&text, (order ? i < n : i % 2) ? one : other);
		kept_analyze(rig->tokenizer, text.data, text.used_bytes, kept[order]);
		assert_int_equal(kept_n(kept[order]), 1);
		assert_int_equal(kept_at(kept[order], 0)->end_byte, text.used_bytes);
	}
	assert_int_equal(rig->expected.terms.used_bytes, rig->found.terms.used_bytes);
	assert_memory_equal(rig->expected.terms.data, rig->found.terms.data,
	                    rig->found.terms.used_bytes);
}

/* ICU alone would need hours for these texts. */
static void test_many_marks(void **state)
{
	struct rig rig;
	rig_init(&rig, NULL);
	check_marks(&rig, "a", "\u0323", "\u0301", 250000);
	check_marks(&rig, "\u0905", "\u0323", "\u0301", 250000);
	check_marks(&rig, "ab", "\U0001d165", "\u0301", 100000);
	rig_deinit(&rig);
	rig_init(&rig, &(struct bs_tokenizer_options){.fold_accents = true});
	check_marks(&rig, "e\u05d0", "\u0323", "\u0301", 250000);
	rig_deinit(&rig);
	/* Folding removes the character that separates these marks. */
	rig_init(&rig, NULL);
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_string(&text, "a");
	append_repeated(&text, "\u0301\u034f\u0323\u034f", 100000);
	kept_analyze(rig.tokenizer, text.data, text.used_bytes, &rig.found);
	assert_int_equal(kept_n(&rig.found), 1);
	assert_int_equal(rig.found.terms.used_bytes, 3 + 2 * (2 * 100000 - 1));
	rig_deinit(&rig);
}

static void test_long_texts(void **state)
{
	static const struct {
		const char *item;
		size_t n;
	} texts[] = {{"a", 300000}, {"\u00e9", 150000}, {"\u4e2d", 100000}, {"\u4e2d.", 50000},
	             {".", 200000}, {"\xff", 200000},   {"\u0301", 100000}, {"a\u0301b.", 50000},
	             {"a.b", 5000}, {"a@", 5000},       {"1_", 5000},       {"a_,", 5000},
	             {"1T", 5000},  {"aB", 5000},       {"\u00e91_", 5000}};
	for (int splits = 0; splits < 2; splits++) {
		AUTO(rig_deinit) struct rig rig;
		rig_init(&rig, &(struct bs_tokenizer_options){.split_identifiers = splits});
		for (size_t i = 0; i < COUNT(texts); i++)
			check_long_text(&rig, texts[i].item, texts[i].n);
		check_long_text(&rig, "1234567890T ", 5000);
		check_long_text(&rig, "The caf\u00e9 is open, (all day).\n", 10000);
		check_long_text(&rig, "The house is open, (all day) ", 10000);
	}
}

RUN_RANDOM_TESTS(20000, 1, test_all_short_ascii_strings, test_all_pairs_of_ascii_bytes,
                 test_safe_cuts, test_all_code_points, test_inert_code_points_make_no_words,
                 test_random_texts, test_edges_of_lines, test_random_ascii, test_long_texts,
                 test_many_marks)
