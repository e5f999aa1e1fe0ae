/* test_tokenizer.c: examples for every clause of the definition of a word.
 * test_tokenizer_property.c has random texts. */
#include <sys/mman.h>

#include "core/bitsift/limits.h"
#include "core/system/deadline.h"
#include "tests/rigs/clock_rig.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/words_rig.h"

/* expected: position and term of each token, "0:term|1:term|1+pair"; '+': a bigram. */
struct example {
	const char *text, *expected;
};

static void render(const struct kept *kept, struct bs_buffer *out)
{
	bs_buffer_clear(out);
	for (size_t i = 0; i < kept_n(kept); i++) {
		const struct kept_token *token = kept_at(kept, i);
		char head[32];
		int n = snprintf(head, sizeof(head), "%s%u%c", i ? "|" : "", token->position,
		                 token->is_bigram ? '+' : ':');
		append_bytes(out, head, (size_t)n);
		append_bytes(out, kept->terms.data + token->term_off, token->term_bytes);
	}
	append_bytes(out, "", 1);
}

static void check_example_bytes(struct rig *rig, const char *text, size_t text_bytes,
                                const char *expected)
{
	AUTO(bs_buffer_deinit) struct bs_buffer found = {0};
	rig_check_all(rig, text, text_bytes);
	render(&rig->found, &found);
	assert_string_equal((const char *)found.data, expected);
}

static void check_examples(const struct bs_tokenizer_options *options,
                           const struct example *examples, size_t n_examples)
{
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, options);
	for (size_t i = 0; i < n_examples; i++)
		check_example_bytes(&rig, examples[i].text, strlen(examples[i].text),
		                    examples[i].expected);
}

#define CHECK_EXAMPLES(options, examples) check_examples(options, examples, COUNT(examples))

static void test_words_between_runs(void **state)
{
	static const struct example examples[] = {
		{"", ""},
		{" \t\r\n+++ ... \"()\" ", ""},
		{"Hello, World!", "0:hello|1:world"},
		{"one\r\ntwo\rthree\n\nfour", "0:one|1:two|2:three|3:four"},
		{"don't can\u2019t won\u02bct 'quoted' \u2018so\u2019",
	         "0:don't|1:can't|2:won't|3:quoted|4:so"},
		{"3\u2019000 a\u2019.b \u4e2d it\u2019s", "0:3'000|1:a|2:b|3:\u4e2d|4:it's"},
		{"2031-01-02T03:04:05Z 1T2 1t2 1T 1T2T3 1.5T2 1T2.5 _1T2 1T2_",
	         "0:2031|1:01|2:02|3:03|4:04|5:05z|6:1|7:2|8:1t2|9:1t|10:1t2t3|11:1.5t2|12:1t2.5|"
	         "13:_1t2|14:1t2_"},
		{"\u0661T\u0662 1.a1T2 .1T2. H\u2082O 192.168.0.1",
	         "0:\u0661|1:\u0662|2:1|3:a1t2|4:1|5:2|6:h|7:o|8:192.168.0.1"},
		{"foo_bar __init__ _ __ _a a_ _1", "0:foo_bar|1:__init__|2:__|3:_a|4:a_|5:_1"},
		{"3.14 1,000 1,000.5 1;2 1:2 1.a a.1 1.",
	         "0:3.14|1:1,000|2:1,000.5|3:1;2|4:1|5:2|6:1|7:a|8:a|9:1|10:1"},
		{"e-mail x86-64", "0:e|1:mail|2:x86|3:64"},
		{"obj.method a.b.c std::vector x:y",
	         "0:obj|1:method|2:a|3:b|4:c|5:std|6:vector|7:x|8:y"},
		{"a@example.com @user 1@2 a@1 a@@b",
	         "0:a|1:example|2:com|3:user|4:1|5:2|6:a|7:1|8:a|9:b"},
		{".a a. .a. :a @ @@", "0:a|1:a|2:a|3:a"},
		{"caf\u00e9.fr \u00e9@\u00e8", "0:caf\u00e9|1:fr|2:\u00e9|3:\u00e8"},
		{"a.\u00adb", "0:a.b"},
		{"a b1 2c", "0:a|1:b1|2:2c"},
		{"\"\u05d0\"\u05d1\" \u05d0'", "0:\u05d0\"\u05d1|1:\u05d0'"},
	};
	CHECK_EXAMPLES(NULL, examples);
}

static void test_folding(void **state)
{
	static const struct example examples[] = {
		{"ABC \u00c9COLE \u0391\u03a3 \u0416",
	         "0:abc|1:\u00e9cole|2:\u03b1\u03c3|3:\u0436"},
		{"E\u0301t\u00e9", "0:\u00e9t\u00e9"},
		{"Stra\u00dfe STRASSE \u1e9e", "0:strasse|1:strasse|2:ss"},
		{"\u0130 I", "0:i\u0307|1:i"},
		{"\ufb01le e\ufb03cient", "0:file|1:efficient"},
		{"\uff26\uff55\uff4c\uff4c \uff11\uff12", "0:full|1:12"},
		{"co\u00adop", "0:coop"},
		{"\u00bd x\u00b2 \u2167", "0:x|1:viii"},
		{"\u2122 \u00a9 \u00ae", "0:tm|1:\u00a9|2:\u00ae"},
		{"\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab", "0:\ud55c\uad6d\uc5b4|1:\ud55c"},
		/* Words whose fold is empty, such as a Hangul filler, take no position. */
		{"a \u3164 b \u115f c", "0:a|1:b|2:c"},
		/* A fold that contains a space is a single term. */
		{"a\u037a", "0:a \u03b9"},
	};
	CHECK_EXAMPLES(NULL, examples);
}

/* The two texts of each row are canonically equivalent and must have these words. */
static void test_canonically_equivalent_texts(void **state)
{
	static const struct {
		const char *text, *equivalent, *expected;
	} examples[] = {
		{"caf\u00e9.example", "cafe\u0301.example", "0:caf\u00e9|1:example"},
		/* Marks that do not compose; vowel signs; a digit with a mark, which is not a
		 * letter. */
		{"b\u0301.a b\u0301:a", "b\u0301.a b\u0301:a", "0:b\u0301|1:a|2:b\u0301|3:a"},
		{"\u0939\u093f\u0928\u094d\u0926\u0940.example",
	         "\u0939\u093f\u0928\u094d\u0926\u0940.example",
	         "0:\u0939\u093f\u0928\u094d\u0926\u0940|1:example"},
		{"1\u0301.a", "1\u0301.a", "0:1\u0301|1:a"},
		/* Jamo and syllables, which ICU does not join to ASCII. */
		{"\ud68c\uc758\ub85d2024 KBS\ub274\uc2a4",
	         "\u1112\u116c\u110b\u1174\u1105\u1169\u11a82024 KBS\u1102\u1172\u1109\u1173",
	         "0:\ud68c\uc758\ub85d|1:2024|2:kbs|3:\ub274\uc2a4"},
		/* Order of marks, composition exclusions, characters that decompose into two, and
		 * characters that are ASCII in NFC. */
		{"\u1ea1\u0307", "a\u0307\u0323", "0:\u1ea1\u0307"},
		{"\u0915\u093c", "\u0958", "0:\u0915\u093c"},
		{"\u05d0\u0308\u0301x", "\u05d0\u0344x", "0:\u05d0\u0308\u0301x"},
		{"1;2 K5", "1\u037e2 \u212a5", "0:1;2|1:k5"},
		/* Script runs: a voicing mark before another mark, and a compatibility
		 * ideograph. */
		{"\u304c\u0327\u304d \u8c48", "\u304b\u0327\u3099\u304d \uf900",
	         "0:\u304c|1:\u0327|2:\u304d|4:\u8c48"},
		/* A subscript iota is a letter after folding, also before an accent. */
		{"\u1fb4", "\u03b1\u0345\u0301", "0:\u03ac\u03b9"},
		{"e\u0301\u2019s", "\u00e9\u02bcs", "0:\u00e9's"},
	};
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	for (size_t i = 0; i < COUNT(examples); i++) {
		check_example_bytes(&rig, examples[i].text, strlen(examples[i].text),
		                    examples[i].expected);
		check_example_bytes(&rig, examples[i].equivalent, strlen(examples[i].equivalent),
		                    examples[i].expected);
	}
}

static void test_emoji(void **state)
{
	static const struct example examples[] = {
		{"I \u2764\ufe0f it", "0:i|1:\u2764|2:it"},
		{"\U0001f600\U0001f601", "0:\U0001f600|1:\U0001f601"},
		/* A family is one segment; folding removes its joiners, which are ignorable. */
		{"\U0001f468\u200d\U0001f469\u200d\U0001f467", "0:\U0001f468\U0001f469\U0001f467"},
		{"\U0001f44d\U0001f3fd ok", "0:\U0001f44d\U0001f3fd|1:ok"},
		/* Neither flags nor keycaps are Extended_Pictographic. */
		{"\U0001f1e9\U0001f1ea\U0001f1eb 1\ufe0f\u20e3",
	         "0:\U0001f1e9\U0001f1ea|1:1\u20e3"},
		{"#\ufe0f\u20e3 *\ufe0f\u20e3 #\u20e3 # \U0001f1e9", "0:#\u20e3|1:*\u20e3"},
	};
	CHECK_EXAMPLES(NULL, examples);
}

static void test_identifiers(void **state)
{
	static const struct bs_tokenizer_options split = {.split_identifiers = true};
	static const struct bs_tokenizer_options stemmed = {.split_identifiers = true,
	                                                    .stem_language = "english"};
	static const struct example examples[] = {
		{"see HTTPServer2 now", "0:see|1:httpserver2|1:http|2:server|3:2|4:now"},
		{"camelCase snake_case x",
	         "0:camelcase|0:camel|1:case|2:snake_case|2:snake|3:case|4:x"},
		{"__init__ _a __ ABC a1B", "0:__init__|1:_a|2:__|3:abc|4:a1b|4:a|5:1|6:b"},
		{"__get_x__ a__b", "0:__get_x__|0:get|1:x|2:a__b|2:a|3:b"},
		{"don't O'Brien v2.0 3.14 obj.someMethod",
	         "0:don't|1:o'brien|2:v2.0|2:v|3:2.0|4:3.14|5:obj|6:somemethod|6:some|7:method"},
		{"\u00e9t\u00e9\u00c9t\u00e9 E\u0301aB\u0301a",
	         "0:\u00e9t\u00e9\u00e9t\u00e9|0:\u00e9t\u00e9|1:\u00e9t\u00e9|2:\u00e9ab\u0301a|2:"
	         "\u00e9a|3:b\u0301a"},
		{"so\u00adFt x\uff3fy \u05d01",
	         "0:soft|0:so|1:ft|2:x_y|2:x|3:y|4:\u05d01|4:\u05d0|5:1"},
		/* Parts whose fold is empty take no position; if all are empty, the whole
		 * identifier takes one. */
		{"\u115f_\u115f a", "0:_|1:a"},
		{"\u115f_b a", "0:_b|0:b|1:a"},
		{"1T2 a1T2", "0:1|1:2|2:a1t2|2:a|3:1|4:t|5:2"},
		{"\u4e2daB\u6587", "0:\u4e2d|1:ab|1:a|2:b|3:\u6587"},
	};
	static const struct example in_english[] = {{"runningDogs", "0:runningdog|0:run|1:dog"}};
	CHECK_EXAMPLES(&split, examples);
	CHECK_EXAMPLES(&stemmed, in_english);
}

static void test_runs(void **state)
{
	static const struct example examples[] = {
		{"\u4e2d", "0:\u4e2d"},
		{"\u4e2d\u6587\u5b57", "0:\u4e2d|0+\u4e2d\u6587|1:\u6587|1+\u6587\u5b57|2:\u5b57"},
		{"abc\u4e2d\u6587def", "0:abc|1:\u4e2d|1+\u4e2d\u6587|2:\u6587|3:def"},
		{"\u6f22\u5b57\u304b\u306a\u30ab\u30ca",
	         "0:\u6f22|0+\u6f22\u5b57|1:\u5b57|1+\u5b57\u304b|2:\u304b|2+"
	         "\u304b\u306a|3:\u306a|3+\u306a\u30ab|4:\u30ab|"
	         "4+\u30ab\u30ca|5:\u30ca"},
		/* One additional position between script runs, whatever non-words are between
		 * them. */
		{"\u4e2d\u3002\u6587", "0:\u4e2d|2:\u6587"},
		{"\u4e2d ,\n\n \u6587", "0:\u4e2d|2:\u6587"},
		{"\u4e2d_\u6587", "0:\u4e2d|2:\u6587"},
		{"\u4e2da\u6587", "0:\u4e2d|1:a|2:\u6587"},
		{"\u4e2d\u3002\u6587\u3002\u5b57", "0:\u4e2d|2:\u6587|4:\u5b57"},
		{"\u4e2d. a", "0:\u4e2d|1:a"},
		/* Marks belong to the preceding script run; folding composes half-width voicing
		 * marks. */
		{"\u304b\u3099\u304d", "0:\u304c|0+\u304c\u304d|1:\u304d"},
		{"\uff76\uff9e", "0:\u30ac"},
		{"\u4e2d\u0301\u6587\u5b57", "0:\u4e2d|1:\u0301|2:\u6587|2+\u6587\u5b57|3:\u5b57"},
		{"\u8fbb\U000e0100\u8fbb\ufe00", "0:\u8fbb|0+\u8fbb\u8fbb|1:\u8fbb"},
		{"\u30fc\u3005", "0:\u30fc|0+\u30fc\u3005|1:\u3005"},
		/* Thai, Lao, Khmer, Myanmar: letters, vowel signs and digits. SARA AM folds to two
		 * code points. */
		{"\u0e01\u0e33", "0:\u0e01|0+\u0e01\u0e4d|1:\u0e4d|1+\u0e4d\u0e32|2:\u0e32"},
		{"\u0e97\u0eb5\u0ed1", "0:\u0e97|0+\u0e97\u0eb5|1:\u0eb5|1+\u0eb5\u0ed1|2:\u0ed1"},
		{"\u1780\u17d2\u1798", "0:\u1780|0+\u1780\u17d2|1:\u17d2|1+\u17d2\u1798|2:\u1798"},
		{"\u1019\u103c\u1041", "0:\u1019|0+\u1019\u103c|1:\u103c|1+\u103c\u1041|2:\u1041"},
		/* A number in parentheses has category N and script Han; its fold contains the
		 * parentheses. */
		{"\u3220", "0:(|1:\u4e00|2:)"},
		/* A script run whose fold is empty takes no position and makes no gap. */
		{"a \u17b4 b", "0:a|1:b"},
		{"\u4e2d \u17b4\u17b5 \u6587", "0:\u4e2d|2:\u6587"},
		{"\u4e2d \u17b4 a", "0:\u4e2d|1:a"},
		{"\u17b4 \u4e2d", "0:\u4e2d"},
		/* Radicals are symbols, not script runs; ICU uses its dictionary where two are
		 * adjacent. */
		{"\u2f00", ""},
		{"\u2f00\u2f01", "0:\u4e00|0+\u4e00\u4e28|1:\u4e28"},
		/* Signs that are words and fold to one code point of a script run form bigrams with
		 * script runs and with each other. */
		{"\u6f22\u3297", "0:\u6f22|0+\u6f22\u795d|1:\u795d"},
		{"\u3297\ufe0f\u6f22", "0:\u795d|0+\u795d\u6f22|1:\u6f22"},
		{"\u3297\u3299", "0:\u795d|0+\u795d\u79d8|1:\u79d8"},
		{"\u3297a\u6f22", "0:\u795d|1:a|2:\u6f22"},
		{"\u3297, \u6f22", "0:\u795d|0+\u795d\u6f22|1:\u6f22"},
		{"\u32d0\u32d1\u30ab", "0:\u30a2\u30a4|1:\u30ab"},
		/* A mark may fold to a letter; it forms no bigram, because that letter alone forms
		 * none. */
		{"\u6f22\u0345", "0:\u6f22|1:\u03b9"},
		/* Whether a text is split at @ or a period depends on the neighbours before
		 * folding, also on those in script runs. */
		{"a@\u4e2d", "0:a|1:\u4e2d"},
		{"\u4e2d@b", "0:\u4e2d|1:b"},
		{"\u4e2d.b 1@\u4e2d", "0:\u4e2d|1:b|2:1|3:\u4e2d"},
	};
	CHECK_EXAMPLES(NULL, examples);
}

static void test_options(void **state)
{
	static const struct bs_tokenizer_options english = {.stem_language = "english"},
						 french = {.stem_language = "french"};
	static const struct bs_tokenizer_options accents = {.fold_accents = true},
						 french_accents = {.stem_language = "french",
	                                                           .fold_accents = true};
	static const struct example in_english[] = {
		{"Running runs generously", "0:run|1:run|2:generous"},
		{"the dog's caf\u00e9s", "0:the|1:dog|2:caf\u00e9"},
		{"\u4e2ds", "0:\u4e2d|1:s"},
	};
	static const struct example in_french[] = {{"mang\u00e9es mangeons", "0:mang|1:mangeon"}};
	static const struct example without_accents[] = {
		{"\u00c9t\u00e9 E\u0301te\u0301 na\u00efve \u0130", "0:ete|1:ete|2:naive|3:i"},
		{"\u1ea4n \u0451\u0439 \u0391\u0301\u03ac \ud55c",
	         "0:an|1:\u0435\u0438|2:\u03b1\u03b1|3:\ud55c"},
		/* Strokes and ligatures, also with accents. */
		{"\u0110or\u0111e \u0141\u00f3d\u017a S\u00f8ren \u0126al \u0166 \u00c6on "
	         "\u0152uvre",
	         "0:dorde|1:lodz|2:soren|3:hal|4:t|5:aeon|6:oeuvre"},
		{"\u01fd\u01ff \u00f0\u00fe \u0131 \u014b \u00df", "0:aeo|1:dth|2:i|3:n|4:ss"},
		/* Marks that are not accents are kept: points, vowel signs, nuktas, viramas; also
		 * accents on letters of other scripts. */
		{"\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd",
	         "0:\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd"},
		{"\u0915\u093f \u0915\u0941 \u0915\u0301 \u0958",
	         "0:\u0915\u093f|1:\u0915\u0941|2:\u0915\u0301|3:\u0915\u093c"},
		{"1\u0301 e\u0488\u0301 \u05d0e\u0301", "0:1\u0301|1:e\u0488|2:\u05d0e"},
		/* Script runs keep their marks. */
		{"\u304c \u0e01\u0e34", "0:\u304c|2:\u0e01|2+\u0e01\u0e34|3:\u0e34"},
	};
	static const struct example both[] = {{"\u00c9l\u00e8ves", "0:elev"}};
	CHECK_EXAMPLES(&english, in_english);
	CHECK_EXAMPLES(&french, in_french);
	CHECK_EXAMPLES(&accents, without_accents);
	CHECK_EXAMPLES(&french_accents, both);
}

static void test_bytes_that_are_no_text(void **state)
{
	static const struct example examples[] = {
		{"\357\273\277hello", "0:hello"},
		{"\377\376a\200b", "0:a|1:b"},
		{"a\303", "0:a"},
		{"a\303(b", "0:a|1:b"},
		{"a\300\200b", "0:a|1:b"},             /* an overlong NUL */
		{"a\355\240\200b", "0:a|1:b"},         /* a surrogate */
		{"a\364\220\200\200b", "0:a|1:b"},     /* beyond U+10FFFF */
		{"a\370\210\200\200\200b", "0:a|1:b"}, /* five bytes */
		{"a\342\202b\360\237\230c", "0:a|1:b|2:c"},
		{"\344\270\255\344\270\346\226\207", "0:\u4e2d|2:\u6587"},
		{"\357\277\275", ""},
		{"don\377't", "0:don|1:t"},
	};
	CHECK_EXAMPLES(NULL, examples);
	AUTO(rig_deinit) struct rig rig;
	rig_init(&rig, NULL);
	check_example_bytes(&rig, "a\0b", 3, "0:a|1:b");
}

/* Offsets refer to the original text, not to the normalized one, also for the parts of an
 * identifier. */
static void test_offsets(void **state)
{
	static const struct {
		const char *text;
		bool splits_identifiers;
		uint64_t spans[8][2]; /* before {0, 0} */
	} cases[] = {
		/*  0   1   2      5  6      9     11     14      17 18 */
		{"\xff\xff\u2122 \u4e2d\xe2\x82\u6587\u3099 x.\u00e9",
	         false,
	         {{2, 5}, {6, 9}, {11, 17}, {11, 17}, {11, 17}, {18, 19}, {20, 22}}},
		{"ne\u0301.xy be\u0301e\u0301 \u1112\u1161\u11ab \u212am e\u0323\u0301_\377a\u0344",
	         false,
	         {{0, 4}, {5, 7}, {8, 15}, {16, 25}, {26, 30}, {31, 37}, {38, 41}}},
		{"cafe\u0301Be\u0301b\u0301e2", true, {{0, 15}, {0, 6}, {6, 14}, {14, 15}}},
		{"fooBar2 \u00e9_x",
	         true,
	         {{0, 7}, {0, 3}, {3, 6}, {6, 7}, {8, 12}, {8, 10}, {11, 12}}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(rig_deinit) struct rig rig;
		rig_init(&rig, &(struct bs_tokenizer_options){.split_identifiers =
		                                                      cases[i].splits_identifiers});
		rig_check_all(&rig, cases[i].text, strlen(cases[i].text));
		size_t n = 0;
		for (; cases[i].spans[n][1] > 0; n++) {
			assert_true(n < kept_n(&rig.found));
			assert_int_equal(kept_at(&rig.found, n)->start_byte, cases[i].spans[n][0]);
			assert_int_equal(kept_at(&rig.found, n)->end_byte, cases[i].spans[n][1]);
		}
		assert_int_equal(kept_n(&rig.found), n);
	}
}

static enum bs_status stop_at_once(void *context, const struct bs_token *tokens, size_t n_tokens,
                                   struct bs_error *err)
{
	*(size_t *)context += n_tokens;
	return bs_fail(err, BS_STOPPED, "enough");
}

static void test_sums_and_callbacks(void **state)
{
	AUTO(kept_deinit) struct kept kept = {0};
	struct bs_tokenizer *tokenizer;
	struct bs_tokenizer_sum sum;
	ok(bs_tokenizer_new(NULL, &tokenizer, ERR));

	const char *text = "a \u4e2d\u6587 \u5b57";
	ok(bs_tokenizer_analyze(tokenizer, (const uint8_t *)text, strlen(text), 100, keep_tokens,
	                        &kept, &sum, ERR));
	assert_int_equal(kept_at(&kept, 0)->position, 100);
	assert_int_equal(sum.next_position, 105);
	assert_int_equal(sum.n_positions, 4);

	ok(bs_tokenizer_analyze(tokenizer, NULL, 0, 7, keep_tokens, &kept, &sum, ERR));
	assert_int_equal(sum.next_position, 7);
	assert_int_equal(sum.n_positions, 0);

	char many[4001];
	memset(many, 'a', sizeof(many));
	for (size_t i = 1; i < sizeof(many); i += 2)
		many[i] = ' ';
	kept_analyze(tokenizer, many, sizeof(many), &kept);
	assert_int_equal(kept_n(&kept), 2001);
	assert_int_equal(kept.largest_batch, BS_TOKENIZER_BATCH_TOKENS);

	size_t n_seen = 0;
	expect_error(bs_tokenizer_analyze(tokenizer, (const uint8_t *)many, sizeof(many), 0,
	                                  stop_at_once, &n_seen, NULL, ERR),
	             BS_STOPPED, "enough");
	assert_int_equal(n_seen, BS_TOKENIZER_BATCH_TOKENS);

	/* The last possible position, and one more. */
	ok(bs_tokenizer_analyze(tokenizer, (const uint8_t *)"a b", 3, UINT32_MAX - 2, keep_tokens,
	                        &kept, &sum, ERR));
	assert_int_equal(sum.next_position, UINT32_MAX);
	expect_status(bs_tokenizer_analyze(tokenizer, (const uint8_t *)"a b", 3, UINT32_MAX - 1,
	                                   keep_tokens, &kept, &sum, ERR),
	              BS_UNSUPPORTED);

	kept_analyze(tokenizer, "still fine", 10, &kept);
	assert_int_equal(kept_n(&kept), 2);
	bs_tokenizer_free(tokenizer);
}

static int stop_now(void *context)
{
	return 1;
}

/* The analysis of a long word stops at the deadline, before it reads past the readable beginning of
 * the word. */
static void test_a_long_word_is_stopped(void **state)
{
	enum {
		WORD_BYTES = 64 << 20,
		READABLE_BYTES = 1 << 20
	};
	AUTO(kept_deinit) struct kept kept = {0};
	struct bs_tokenizer *tokenizer;
	struct bs_limits limits = {.stop = stop_now};
	struct bs_deadline deadline;
	char *text =
		mmap(NULL, WORD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(text, MAP_FAILED);
	memset(text, 'a', READABLE_BYTES);
	assert_int_equal(mprotect(text + READABLE_BYTES, WORD_BYTES - READABLE_BYTES, PROT_NONE),
	                 0);
	ok(bs_tokenizer_new(NULL, &tokenizer, ERR));
	/* At each reading the clock advances so far that the limits are checked. */
	clock_step(10 * CLOCK_LOOK_NS);
	ok(bs_deadline_begin(&deadline, &limits, ERR));
	enum bs_status status = bs_tokenizer_analyze(tokenizer, (const uint8_t *)text, WORD_BYTES,
	                                             0, keep_tokens, &kept, NULL, ERR);
	bs_deadline_end(&deadline);
	clock_step(0);
	assert_int_equal(status, BS_STOPPED);
	bs_tokenizer_free(tokenizer);
	assert_int_equal(munmap(text, WORD_BYTES), 0);
}

static void test_opening(void **state)
{
	struct bs_tokenizer *tokenizer;
	static const struct bs_tokenizer_options unknown = {.stem_language = "klingon"};
	expect_error(bs_tokenizer_new(&unknown, &tokenizer, ERR), BS_INVALID, "klingon");
	assert_null(tokenizer);
	assert_non_null(strstr(said.text, " english"));
	bs_tokenizer_free(NULL);

	char icu[16], unicode[16];
	ok(bs_tokenizer_versions(icu, unicode, ERR));
	assert_true(atoi(icu) >= 60);
	assert_true(atoi(unicode) >= 10);
}

RUN_TESTS(test_words_between_runs, test_folding, test_canonically_equivalent_texts, test_emoji,
          test_identifiers, test_runs, test_options, test_bytes_that_are_no_text, test_offsets,
          test_sums_and_callbacks, test_a_long_word_is_stopped, test_opening)
