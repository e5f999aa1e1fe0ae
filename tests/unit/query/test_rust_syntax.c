/*
 * test_rust_syntax.c: constructs of Rust's regex syntax and what PCRE2 gets for them; errors; names
 * of properties; sets of characters; a fault of PCRE2's JIT.
 */
#include "query/regex/pattern_grams.h"
#include "query/regex/pcre2_compile.h"
#include "query/regex/rust/rust_syntax.h"
#include "query/regex/rust/rust_words.h"
#include "query/regex/rust/unicode_property.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/core_rig.h"

/* Replaces the contents of `out` by the translation. */
static enum bs_status translate(const char *text, const struct bs_rust_options *options,
                                struct bs_buffer *out, struct bs_error *err)
{
	struct bs_rust_traits traits;
	size_t n_bytes = strlen(text);
	struct bs_grep_pattern pattern = {
		.patterns = &text, .pattern_bytes = &n_bytes, .n_patterns = 1};
	bs_buffer_clear(out);
	enum bs_status status = bs_rust_translate(&pattern, options, out, &traits, err);
	return status ? status : bs_buffer_append(out, "", 1, err);
}

static const struct {
	const char *pattern, *characters, *bytes;
} patterns[] = {
	{"foo|b.r", "foo|b.r", NULL},
	{"a**", "(?:a*)*", NULL},
	{"a++", "(?:a+)+", "(?:(?:a+)+)"},
	{"a{2}{ 1 , 3 }?", "(?:a{2}){1,3}?", NULL},
	{"a{0}b", "(?:){0}b", NULL},
	{"(?U)a+b+?", "a+?b+", NULL},
	{"(?x) a b # c\n c", "abc", NULL},
	{"a|\\n", "a|(?!)", "(?:a|(?!))"},
	{"(?:(?:a{1})|[\\n])b", "(?:(?:a{1})|(?!))b", NULL},
	{"(?i)k", "(?:(?i)k)", "(?:(?:[Kk]|(?:\\xe2(?:\\x84[\\xaa]))))"},
	{"(?i-u)k", "(?:(?i)(?-i:[Kk]))", "(?:(?:[Kk]))"},
	{"(?i:a)b", "(?i:a)b", "(?:(?:(?:[Aa]))b)"},
	{"(?s).", "(?:(?s).)", NULL},
	{"[[a-b]x]", "[abx]", "(?:(?:[abx]))"},
	{"[a-z&&[^b-y]]", "[az]", NULL},
	{"[a-f--b-e]", "[af]", NULL},
	{"[a-c~~b-d]", "[ad]", NULL},
	{"[a&&b]", "(?!)", "(?:(?!))"},
	{"[^[^a]]", "[a]", NULL},
	{"[[:alpha:]_]", "[A-Za-z_]", NULL},
	{"[:alpha:]", "[\\:alpha\\:]", NULL},
	{"[]a]", "[\\]a]", NULL},
	{"[a-]", "[a\\-]", NULL},
	{"\\d\\W[\\s]", "\\d\\W[\\s]", NULL},
	{"(?-u)\\d\\W", "[0-9][^0-9A-Z_a-z]", "(?:[0-9][^0-9A-Z_a-z])"},
	{"(?-u)[^a]\\xff", "[^a]\\xff", NULL},
	{"\\pL\\P{Nd}", "\\p{L}\\P{Nd}", NULL},
	{"\\x41\\u0042\\u{43}\\U00000044\\x{45}", "ABCDE", NULL},
	{"\\a\\f\\t\\r\\v", "\\x{7}\\x{c}\\t\\r\\x{b}", NULL},
	{"\\<a\\>", "(?<!\\w)(?=\\w)a(?<=\\w)(?!\\w)", NULL},
	{"\\b{start-half}a\\b{end-half}", "(?<!\\w)a(?!\\w)", NULL},
	{"\\b{2}", "(?:\\b){2}", NULL},
	{"(?-m)^a$", "\\Aa\\z", "(?:\\Aa\\z)"},
	{"(?R)^a$", "(?:\\A|(?<=\\n)|(?<=\\r)(?!\\n))a(?:\\z|(?=\\r)|(?<!\\r)(?=\\n))", NULL},
	{"(?<n>a)(?P<m>b)(c)(?:d)", "(?P<n>a)(?P<m>b)(c)(?:d)", NULL},
	{"(?=a)(?<!b)(a)\\1(?>c)", "(?=a)(?<!b)(a)\\1(?>c)", NULL},
	{"(a)\\1\\x31", "(a)\\1\\x31", NULL},
	{"\xc3\xa9+", "\xc3\xa9+", "(?:(?:\\xc3\\xa9)+)"},
	{"\\x80*", "\xc2\x80*", "(?:(?:\\xc2\\x80)*)"},
	{"\\&\\~\\-\\#\\/ ]}", "\\&\\~\\-\\#/ \\]\\}", NULL},
};

static void test_constructs(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer out = {0};
	for (size_t i = 0; i < COUNT(patterns); i++) {
		for (unsigned form = BS_RUST_CHARACTERS; form <= BS_RUST_BYTES; form++) {
			const char *wanted =
				form == BS_RUST_BYTES ? patterns[i].bytes : patterns[i].characters;
			struct bs_rust_options options = {.form = form};
			ok(translate(patterns[i].pattern, &options, &out, ERR));
			if (wanted && strcmp((const char *)out.data, wanted) != 0)
				fail_msg("%s: %s where %s was wanted", patterns[i].pattern,
				         (const char *)out.data, wanted);
		}
	}
}

static const struct {
	const char *pattern, *message;
} errors[] = {
	{"a)", "unopened group"},
	{"(a", "unclosed group"},
	{"[a", "unclosed character class"},
	{"*", "repetition operator missing expression"},
	{"a{,3}", "repetition quantifier expects a valid decimal"},
	{"a{2,1}", "invalid repetition count range"},
	{"\\h", "unrecognized escape sequence: \\h"},
	{"\\Qa\\E", "unrecognized escape sequence: \\Q"},
	{"[\\b]", "invalid escape sequence found in character class: \\b"},
	{"[b-a]", "invalid character class range"},
	{"[\\d-z]", "invalid range boundary"},
	{"(?z)", "unrecognized flag"},
	{"(?R", "unclosed group"},
	{"(?i-)a", "dangling flag negation operator"},
	{"(?<a>x)(?<a>y)", "duplicate capture group name"},
	{"(?<\xc3\xa9>x)", "unsupported capture group name"},
	{"(?-u)\\pL", "Unicode not allowed here"},
	{"(?-u)[\xc3\xa9]", "Unicode not allowed here"},
	{"\\p{Nope}", "Unicode property not found"},
	{"\\p{sc=Nope}", "Unicode property value not found"},
	{"\\p{gc!=L}", "versions of rg disagree"},
	{"\\x{d800}", "not a Unicode scalar value"},
	{"\\0", "octal"},
	{"a\\nb", "\\n cannot match"},
	{"ab|\\n", "\\n cannot match"},
	{"[ab]|\\n", "\\n cannot match"},
	{"(a)|\\n", "\\n cannot match"},
	{"(?i)a|\\n", "\\n cannot match"},
	{"\\n|(?:\\n)", "\\n cannot match"},
	{"(?-u:\\xff)|\\n|\xc3\xa9", "\\n cannot match"},
	{"[\\n]", "\\n cannot match"},
	{"\\x00", "\\x00 cannot match"},
	{"\\b{foo}", "unrecognized special word boundary assertion"},
};

static void test_errors(void **state)
{
	struct bs_rust_options options = {.bans_nul = true};
	AUTO(bs_buffer_deinit) struct bs_buffer out = {0};
	for (size_t i = 0; i < COUNT(errors); i++) {
		enum bs_status status = translate(errors[i].pattern, &options, &out, ERR);
		if (status != BS_INVALID || !strstr(said.text, errors[i].message))
			fail_msg("%s: %d %s", errors[i].pattern, (int)status, said.text);
	}
}

/* Deep groups, classes and operations are errors, not crashes. */
static void test_deep(void **state)
{
	static const char *const parts[] = {"(", "[", "[a&&", "{1}", "(?:b){1}(", "a+)+("};
	struct bs_rust_options options = {.form = BS_RUST_CHARACTERS};
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0}, out = {0};
	for (size_t i = 0; i < COUNT(parts); i++) {
		bs_buffer_clear(&text);
		append_string(&text, "a");
		append_repeated(&text, parts[i], 100000);
		append_bytes(&text, "", 1);
		assert_int_equal(translate((const char *)text.data, &options, &out, NULL),
		                 BS_INVALID);
	}
}

/* A message does not cut a character of a long pattern, nor read beyond its end. */
static void test_excerpts(void **state)
{
	struct bs_rust_options options = {.form = BS_RUST_CHARACTERS};
	AUTO(bs_buffer_deinit) struct bs_buffer out = {0};
	for (size_t n = 196; n <= 200; n++) {
		FREED char *text = must_calloc(n + 4, 1);
		memset(text, 'a', n);
		memcpy(text, "(", 1);
		memcpy(text + n, "\xe2\x82\xac", 3);
		expect_error(translate(text, &options, &out, ERR), BS_INVALID, " of (aaa");
		assert_int_equal(strlen(strstr(said.text, " of (aaa")),
		                 strlen(" of )") + (n > 197 ? 3 : 0) + (n > 197 ? n : n + 3));
	}
}

/* PCRE2 allows at most 10,000 named groups. */
static void test_names(void **state)
{
	struct bs_rust_options options = {.form = BS_RUST_CHARACTERS};
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0}, out = {0};
	for (int n = 0; n <= 10000; n++)
		append_format(&text, "(?<n%d>)", n);
	append_bytes(&text, "", 1);
	expect_error(translate((const char *)text.data, &options, &out, ERR), BS_INVALID,
	             "too many named groups");
}

static size_t size_of(const char *name)
{
	const char *why;
	struct bs_error err;
	struct bs_char_set set = {.err = &err};
	size_t n = 0;
	enum bs_status status =
		bs_unicode_property((const uint8_t *)name, strlen(name), &set, &why);
	for (size_t i = 0; i < bs_char_set_n(&set) && !status; i++)
		n += set.ranges.items[i].last - set.ranges.items[i].first + 1;
	bs_char_set_deinit(&set);
	return n;
}

static void test_properties(void **state)
{
	assert_int_equal(size_of("ASCII"), 128);
	assert_int_equal(size_of("any"), 0x110000 - 0x800);
	assert_int_equal(size_of("assigned") + size_of("Cn"), 0x110000 - 0x800);
	assert_true(size_of("L") > 100000);
	assert_int_equal(size_of("Letter"), size_of("L"));
	assert_int_equal(size_of("is-LETTER"), size_of("L"));
	assert_int_equal(size_of("gc=l"), size_of("L"));
	assert_int_equal(size_of("General Category:Letter"), size_of("L"));
	assert_int_equal(size_of("Greek"), size_of("sc=Grek"));
	assert_true(size_of("scx=Kana") > size_of("sc=Kana"));
	assert_int_equal(size_of("white space"), 25);
	assert_int_equal(size_of("age=1.1"), size_of("Age:V1_1"));
	assert_true(size_of("age=3.0") > size_of("age=2.1"));
	assert_int_equal(size_of("gcb=ZWJ"), 1);
	assert_int_equal(size_of("sc") > 0, size_of("Currency_Symbol") > 0);
	assert_int_equal(size_of("alnum") + size_of("Cs") + size_of("Zzzz") + size_of("age"), 0);
}

static void test_sets(void **state)
{
	struct bs_error err;
	struct bs_char_set set = {.err = &err};
	bs_char_set_add(&set, 'k', 'k');
	bs_char_set_fold(&set, false);
	assert_int_equal(set.status, BS_OK);
	assert_true(bs_char_set_has(&set, 'K') && bs_char_set_has(&set, 0x212a));
	assert_int_equal(bs_char_set_n(&set), 3);
	bs_char_set_negate(&set, BS_CODE_MAX);
	assert_false(bs_char_set_has(&set, 'k') || bs_char_set_has(&set, 0xd800));
	bs_char_set_deinit(&set);
	set = (struct bs_char_set){.err = &err};
	struct bs_char_set other = {.err = &err};
	/* Ranges in any order, which overlap and touch. */
	bs_char_set_add(&set, 0x3c3, 0x3c3);
	for (uint32_t c = 100; c > 0; c--)
		bs_char_set_add(&other, 10 * c, 10 * c + c % 12);
	for (int i = 0; i < 2; i++)
		bs_char_set_unite(&set, &other);
	bs_char_set_deinit(&other);
	assert_int_equal(bs_char_set_n(&set), 77);
	bs_char_set_fold(&set, false);
	assert_true(bs_char_set_has(&set, 0x3a3) && bs_char_set_has(&set, 0x3c2));
	assert_false(bs_char_set_has(&set, 0x1040a));
	bs_char_set_deinit(&set);
}

static void test_words(void **state)
{
	static const struct {
		const char *text, *start, *calls;
	} words[] = {
		{"\\w", "[\\p{Alphabetic}",
	         "(?:(?&bitsift_set_0))(?(DEFINE)(?<bitsift_set_0>[\\p{Alphabetic}"},
		{"\\W", "[^\\p{Alphabetic}", NULL},
		{"[a\\w]", "[a\\p{Alphabetic}", NULL},
		{"[a\\W]", "(?>[a]|[^\\p{Alphabetic}",
	         "(?:(?&bitsift_set_0))(?(DEFINE)(?<bitsift_set_0>(?>[a]|"},
		{"[^a\\W]", "(?:(?![a])[\\p{Alphabetic}", NULL},
		{"\\bfoo", "(?<![\\p{Alphabetic}",
	         "(?:(?&bitsift_set_0)foo)(?(DEFINE)(?<bitsift_set_0>(?<!["},
		{"o\\b", "o(?![\\p{Alphabetic}", NULL},
		{"(\\w)+\\s\\w", "([\\p{Alphabetic}",
	         "(?:((?&bitsift_set_0))+(?&bitsift_set_1)(?&bitsift_set_0))(?(DEFINE)(?<bitsift_"
	         "set_0>["},
		{"\\\\w", "\\\\w", NULL},
		{"\\x{41}\\d", "\\x{41}\\d", NULL},
		{"", "", NULL},
	};
	for (size_t i = 0; i < COUNT(words); i++) {
		for (int calls = 0; calls < 2; calls++) {
			const char *wanted = calls ? words[i].calls : words[i].start;
			struct bs_rust_words out = {.n_defined = 0};
			ok(bs_rust_words((const uint8_t *)words[i].text, strlen(words[i].text),
			                 calls, &out, ERR));
			assert_non_null(out.text.data);
			if (wanted) {
				assert_true(out.text.used_bytes >= strlen(wanted));
				assert_memory_equal(out.text.data, wanted, strlen(wanted));
			}
			assert_int_equal(out.is_changed, i < 8);
			bs_buffer_deinit(&out.text);
		}
	}
}

/* These matches must be found, although the JIT code of PCRE2 10.42 alone does not find them. */
static void test_repeats_after_alternatives(void **state)
{
	static const struct {
		const char *code, *text;
	} rows[] = {{"(?:bb|b)x*bF", "bbF"},
	            {"(?:bb|)\\s*bb[FG]", "bbF"},
	            {"(bb|)x*?bbF", "bbF"},
	            {"(*UTF)(?:bb|b)x*bF", "bbF"},
	            {"(?:(?:bb|b)x*+)bF", "bbF"},
	            {"zz|(?:bb|b)x*bF", "bbF"},
	            {"(?x)zz|(?:bb|b)x*bF # )", "bbF"},
	            {"zz|(?:bb|b)x*\\QbF", "bbF"},
	            {".*(?:bb|b)x*bF", "bbF"},
	            {"(?:[bx]+?..){1,2}+[^F]", "bbbFb"}};
	int error;
	size_t off;
	for (size_t i = 0; i < COUNT(rows); i++) {
		pcre2_code *code =
			bs_pcre2_compile((const uint8_t *)rows[i].code, strlen(rows[i].code),
		                         PCRE2_MULTILINE, &error, &off, NULL);
		pcre2_match_data *data = pcre2_match_data_create(1, NULL);
		assert_non_null(code);
		(void)bs_pcre2_jit_compile(code, 1);
		assert_true(pcre2_match(code, (PCRE2_SPTR)rows[i].text, strlen(rows[i].text), 0, 0,
		                        data, NULL) >= 0);
		pcre2_match_data_free(data);
		pcre2_code_free(code);
	}
	static const char *const invalid[] = {"a|b(", "*a|b", "(?#x)*a|b", "a)|(b"};
	for (size_t i = 0; i < COUNT(invalid); i++)
		assert_null(bs_pcre2_compile((const uint8_t *)invalid[i], strlen(invalid[i]), 0,
		                             &error, &off, NULL));
}

RUN_TESTS(test_constructs, test_errors, test_deep, test_excerpts, test_names, test_properties,
          test_sets, test_words, test_repeats_after_alternatives)
