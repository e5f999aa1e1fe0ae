/*
 * test_regex_grams.c: patterns and their gram trees as strings; long, deep and costly patterns.
 */
#include "core/text/grams.h"
#include "query/regex/prefilter/regex_grams.h"
#include "query/regex/regex_read.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_gram_tree, bs_gram_tree_free)

/* Parses a pattern and makes its gram tree. Also computes its byte window, so that patterns which
 * are costly to analyse test this, too. */
static enum bs_status read_grams(const void *pattern, size_t n_bytes,
                                 struct bs_gram_tree **tree_out, struct bs_error *err)
{
	static const struct bs_regex_window_options options = {.is_caseless = true,
	                                                       .line_end = '\n'};
	AUTO(bs_regex_deinit) struct bs_regex regex = {.root = 0};
	struct bs_byte_window window;
	double rate;
	enum bs_status status = bs_regex_read(&regex, pattern, n_bytes, err);
	if (!status)
		status = bs_regex_window(&regex, &options, &window, &rate, err);
	if (!status)
		status = bs_regex_grams(&regex, tree_out, err);
	return status;
}

static void check_keys(const struct bs_gram_node *node)
{
	AUTO(bs_buffer_deinit) struct bs_buffer keys = {0};
	ok(bs_grams_of_literal(node->bytes, node->n_bytes, &keys, ERR));
	assert_int_equal(node->n_keys, keys.used_bytes / sizeof(uint64_t));
	assert_memory_equal(node->keys, keys.data, keys.used_bytes);
}

/* Checks the properties that gram_tree.h promises for every tree. */
static void check_promises(const struct bs_gram_tree *tree)
{
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const struct bs_gram_node *node = &tree->nodes[i];
		if (node->kind == BS_GRAM_LITERAL) {
			assert_int_equal(node->n_children, 0);
			if (node->n_bytes <= 256)
				check_keys(node);
			continue;
		}
		if (node->kind == BS_GRAM_ANY || node->kind == BS_GRAM_NONE) {
			assert_int_equal(tree->n_nodes, 1);
			continue;
		}
		assert_true(node->n_children >= 2);
		for (uint32_t k = 0; k < node->n_children; k++) {
			assert_true(node->children[k] < i);
			assert_int_not_equal(tree->nodes[node->children[k]].kind, node->kind);
		}
	}
}

static void check_tree_of(const char *pattern, size_t n_bytes, const char *wanted)
{
	AUTO(bs_gram_tree_free_at) struct bs_gram_tree *tree;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	ok(read_grams(pattern, n_bytes, &tree, ERR));
	check_promises(tree);
	ok(bs_gram_tree_format(tree, &text, ERR));
	append_bytes(&text, "", 1);
	if (strcmp((const char *)text.data, wanted) != 0)
		fail_msg("%s: %s where %s was wanted", pattern, (const char *)text.data, wanted);
}

static void check_tree(const char *pattern, const char *wanted)
{
	check_tree_of(pattern, strlen(pattern), wanted);
}

static const struct {
	const char *pattern, *tree;
} trees[] = {
	{"foo", "\"foo\""},
	{"foo[0-9]+bar_(baz|quux)", "AND(\"foo\", OR(\"bar_baz\", \"bar_quux\"))"},
	{"(?i)deferred\\s+probe", "AND(\"deferred\", \"probe\")"},
	{"\\bint\\s+main\\b", "AND(\"int\", \"main\")"},
	{"a.{3}bcd", "\"bcd\""},
	{"[Mm]utex_(un)?lock", "OR(\"mutex_lock\", \"mutex_unlock\")"},
	{"mutex_(lock|unlock)", "OR(\"mutex_lock\", \"mutex_unlock\")"},
	{"abc|def", "OR(\"abc\", \"def\")"},
	{"(abc|def)ghi", "OR(\"abcghi\", \"defghi\")"},
	{"(foo|bar|baz).*(one|two)", "AND(OR(\"bar\", \"baz\", \"foo\"), OR(\"one\", \"two\"))"},
	{"foo.*bar|baz.*qux", "OR(AND(\"foo\", \"bar\"), AND(\"baz\", \"qux\"))"},
	{"foo(?=.*bar)baz", "AND(\"bar\", \"foobaz\")"},
	{"foo(?!bar)", "\"foo\""},
	{"(?<=static )int", "AND(\"static \", \"int\")"},
	{"x{3}yz", "\"xxxyz\""},
	{"(abc){2,5}", "\"abcabc\""},
	{"(abc)+def", "\"abcdef\""},
	{"(abc)*def", "\"def\""},
	{"abc?de", "OR(\"abcde\", \"abde\")"},
	{"abcd{0}ef", "\"abcef\""},
	{"(?x) a b c # comment", "\"abc\""},
	{"(?x: a b ) c d", "\"ab c d\""},
	{"\\Qa.b\\E.c", "\"a.b\""},
	{"a\\x{41}b\\x42c", "\"aabbc\""},
	{"\\Bfoo\\b", "\"foo\""},
	{"(?|foo|bar)1", "OR(\"bar1\", \"foo1\")"},
	{"(?(1)foo|bar)baz", "OR(\"barbaz\", \"foobaz\")"},
	{"(?(1)foo)baz", "\"baz\""},
	{"foo(*SKIP)bar", "\"foobar\""},
	{"foo(*ACCEPT)bar", "ANY"},
	{"foo(*FAIL)|bar", "\"bar\""},
	{"foo(*FAIL)", "NONE"},
	{"[[:<:]]foo", "\"foo\""},
	{"[]a]bcd", "OR(\"]bcd\", \"abcd\")"},
	{"[^a]bcd", "\"bcd\""},
	{"[abcd]efg", "OR(\"aefg\", \"befg\", \"cefg\", \"defg\")"},
	{"[a-e]fgh", "\"fgh\""},
	{"foo\\Kbar", "\"foobar\""},
	{"(\\w+)\\1foo", "\"foo\""},
	{"(?R)foo", "\"foo\""},
	{"(?<n>foo)\\k<n>bar", "AND(\"foo\", \"bar\")"},
	{"é[ÀÁ]ß", "OR(\"éàß\", \"éáß\")"},
	{"Straße", "\"straße\""},
	{"a|b", "ANY"},
	{"(a|b)(c|d)(e|f)",
         "OR(\"ace\", \"acf\", \"ade\", \"adf\", \"bce\", \"bcf\", \"bde\", \"bdf\")"},
	{"(a|b|c|d)(e|f|g|h)(i|j|k|l)(m|n|o|p)xyz",
         "OR(\"imxyz\", \"inxyz\", \"ioxyz\", \"ipxyz\", \"jmxyz\", \"jnxyz\", \"joxyz\", "
         "\"jpxyz\", "
         "\"kmxyz\", \"knxyz\", \"koxyz\", \"kpxyz\", \"lmxyz\", \"lnxyz\", \"loxyz\", \"lpxyz\")"},
	{"^foo$", "\"foo\""},
	{"(?#hi)foo", "\"foo\""},
	{"a(?#x)+bcd", "\"abcd\""},
	{"foo{,3}bar", "\"bar\""},
	{"foo{2,3}bar", "AND(\"fooo\", \"oobar\")"},
	{"foo.bar.baz", "AND(\"bar\", \"foo\", \"baz\")"},
	{"func\\(.*\\) \\{", "AND(\"func(\", \") {\")"},
	{".*", "ANY"},
	{"(lock|unlock|trylock)_(irq|bh)", "OR(\"lock_bh\", \"lock_irq\")"},
	{"((((abc))))", "\"abc\""},
	{"(abc|abcd|abcde)x", "OR(\"abcdex\", \"abcdx\", \"abcx\")"},
	{"abc)def", "ANY"},
	{"(abc", "ANY"},
	{"\\p{L}abc", "\"abc\""},
	{"KELVIN", "\"kelvin\""},
	{"(one|two|three)+four", "OR(\"onefour\", \"threefour\", \"twofour\")"},
	{"\\d{4}-\\d{2}-\\d{2}T", "ANY"},
	{"\"quoted\\\\\"", "\"\\\"quoted\\\\\\\"\""},
	{"foo|", "ANY"},
	{"(foo|)bar", "\"bar\""},
	{"foo??bar", "OR(\"fobar\", \"foobar\")"},
	{"foo+?bar", "AND(\"foo\", \"obar\")"},
	{"foo++bar", "AND(\"foo\", \"obar\")"},
	{"foo{0}", "ANY"},
	{"foo{1}bar", "\"foobar\""},
	{"(foo){0,1}bar", "\"bar\""},
	{"(foo|bar){2}", "OR(\"barbar\", \"barfoo\", \"foobar\", \"foofoo\")"},
	{"(foo){17}", "\"foofoofoofoofoofoofoofoofoofoofoofoofoofoofoofoo\""},
	{"foo{65536}", "ANY"},
	{"foo{2,1}", "ANY"},
	{"(?i:FOO)bar", "\"foobar\""},
	{"(?-i:Foo)BAR", "\"foobar\""},
	{"(?i)FOO|BAR", "OR(\"bar\", \"foo\")"},
	{"(?x)foo\\ bar", "\"foo bar\""},
	{"(?x)foo # bar)\\nbaz", "\"foo\""},
	{"(?x)fo o + bar", "AND(\"foo\", \"obar\")"},
	{"(?xx)[a b]cd", "ANY"},
	{"(?x)[ab]cde", "OR(\"acde\", \"bcde\")"},
	{"(?x)foo(?-x) bar", "\"foo bar\""},
	{"(?x:foo bar)baz qux", "\"foobarbaz qux\""},
	{"(?>foo)bar", "\"foobar\""},
	{"(?'n'foo)bar", "\"foobar\""},
	{"(?P<n>foo)bar", "\"foobar\""},
	{"(?P=n)foobar", "\"foobar\""},
	{"(?P>n)foobar", "\"foobar\""},
	{"(?&n)foobar", "\"foobar\""},
	{"(?1)foobar", "\"foobar\""},
	{"(?+1)foobar", "\"foobar\""},
	{"(?-1)foobar", "\"foobar\""},
	{"\\g{1}foobar", "\"foobar\""},
	{"\\g-1foobar", "\"foobar\""},
	{"\\k{n}foobar", "\"foobar\""},
	{"\\1foobar", "\"foobar\""},
	{"\\12foobar", "\"foobar\""},
	{"foo\\12", "\"foo\""},
	{"\\0foo", "\"\\x00foo\""},
	{"\\x41foo", "\"afoo\""},
	{"\\x4foo", "\"ooo\""},
	{"\\xfoo", "\"\\x0foo\""},
	{"\\x{1F600}foo", "\"😀foo\""},
	{"\\x{110000}foo", "ANY"},
	{"\\o{101}foo", "\"afoo\""},
	{"\\cAfoo", "\"\\x01foo\""},
	{"\\N{U+e9}foo", "\"éfoo\""},
	{"\\N+foobar", "\"foobar\""},
	{"\\C+foobar", "\"foobar\""},
	{"\\Rfoobar", "\"foobar\""},
	{"\\Xfoobar", "\"foobar\""},
	{"\\p{Lu}foobar", "\"foobar\""},
	{"\\pLfoobar", "\"foobar\""},
	{"\\P{^L}foobar", "\"foobar\""},
	{"\\dfoobar\\D", "\"foobar\""},
	{"foo\\sbar", "AND(\"foo\", \"bar\")"},
	{"foo\\hbar\\vbaz", "AND(\"bar\", \"foo\", \"baz\")"},
	{"\\Afoo\\z", "\"foo\""},
	{"foo\\Z", "\"foo\""},
	{"\\Gfoo", "\"foo\""},
	{"\\b{wb}foo", "ANY"},
	{"\\yfoo", "ANY"},
	{"foo\\", "ANY"},
	{"foo\\.bar", "\"foo.bar\""},
	{"foo\\/bar", "\"foo/bar\""},
	{"\\Qfoo", "\"foo\""},
	{"\\Qfoo\\E+bar", "AND(\"foo\", \"obar\")"},
	{"\\Q\\Efoo", "\"foo\""},
	{"\\Qa(b\\E)c", "ANY"},
	{"foo\\Ebar", "\"foobar\""},
	{"[f]oo", "\"foo\""},
	{"[fF]oo", "\"foo\""},
	{"[k]elvin", "\"kelvin\""},
	{"[\\x41b]cd", "OR(\"acd\", \"bcd\")"},
	{"[a-c]de", "OR(\"ade\", \"bde\", \"cde\")"},
	{"[c-a]de", "ANY"},
	{"[a\\-c]de", "OR(\"-de\", \"ade\", \"cde\")"},
	{"[-a]bc", "OR(\"-bc\", \"abc\")"},
	{"[a-]bc", "OR(\"-bc\", \"abc\")"},
	{"[]]foo", "\"]foo\""},
	{"[^]]foo", "\"foo\""},
	{"[\\]a]foo", "OR(\"]foo\", \"afoo\")"},
	{"[[:alpha:]]foo", "\"foo\""},
	{"[[:foo:]bar", "ANY"},
	{"[[.a.]]foo", "\"foo\""},
	{"[[:>:]]foo", "\"foo\""},
	{"[\\d]foo", "\"foo\""},
	{"[\\Qab\\E]foo", "\"foo\""},
	{"[\\E]foo]bar", "OR(\"]bar\", \"fbar\", \"obar\")"},
	{"[\\b]foo", "\"\\x08foo\""},
	{"[abc", "ANY"},
	{"[é]foo", "\"éfoo\""},
	{"[ßẞ]foo", "\"ßfoo\""},
	{"(?=foo)", "\"foo\""},
	{"(?=foo)bar", "AND(\"foo\", \"bar\")"},
	{"(?=foo)*bar", "\"bar\""},
	{"(?=foo|bar)baz", "AND(OR(\"bar\", \"foo\"), \"baz\")"},
	{"(?!foo)bar", "\"bar\""},
	{"(?<!foo)bar", "\"bar\""},
	{"(*pla:foo)bar", "AND(\"foo\", \"bar\")"},
	{"(*positive_lookbehind:foo)bar", "AND(\"foo\", \"bar\")"},
	{"(*nla:foo)bar", "\"bar\""},
	{"(*atomic:foo)bar", "\"foobar\""},
	{"(*sr:foo)bar", "\"foobar\""},
	{"(*foo:bar)baz", "ANY"},
	{"(*COMMIT)foo", "\"foo\""},
	{"(*MARK:x)foo", "\"foo\""},
	{"(*:x)foo", "\"foo\""},
	{"(*UTF)foo", "\"foo\""},
	{"(*CRLF)(?x)foo #bar", "ANY"},
	{"(*NO_SUCH)foo", "ANY"},
	{"(*F)foo|bar", "\"bar\""},
	{"(?:(*F)|foo)bar", "\"foobar\""},
	{"(?(?=a)foo|bar)baz", "OR(\"barbaz\", \"foobaz\")"},
	{"(?(?!a)foo)baz", "\"baz\""},
	{"(?(DEFINE)(?<x>foo))bar", "\"bar\""},
	{"(?(<n>)foo|bar)baz", "OR(\"barbaz\", \"foobaz\")"},
	{"(?(R)foo|bar)baz", "OR(\"barbaz\", \"foobaz\")"},
	{"(?(1)(foo|bar))baz", "\"baz\""},
	{"(?C1)foo", "\"foo\""},
	{"(?C'a)b')foo", "ANY"},
	{"(?[a])foo", "ANY"},
	{"(?i-s:foo)", "\"foo\""},
	{"(?^:foo)", "\"foo\""},
	{"(?z)foo", "ANY"},
	{"(?", "ANY"},
	{"(?<n", "ANY"},
	{"foo{", "\"foo{\""},
	{"foo{a}", "\"foo{a}\""},
	{"foo{,}bar", "\"foo{,}bar\""},
	{"foo{1,2,3}", "\"foo{1,2,3}\""},
	{"foo{ 1 }bar", "\"bar\""},
	{"*foo", "ANY"},
	{"+foo", "ANY"},
	{"a**bcd", "\"bcd\""},
	{"foo(?#comment)bar", "\"foobar\""},
	{"foo(?#comment", "ANY"},
	{"foo.*foo", "\"foo\""},
	{"foo.*foobar", "\"foobar\""},
	{"foobar.*foo", "\"foobar\""},
	{"(foo.*bar)?baz", "\"baz\""},
	{"(foo.*bar){2}baz", "AND(\"barfoo\", \"barbaz\")"},
	{"(foo|ba)r", "OR(\"bar\", \"foor\")"},
	{"(a|bc)(d|ef)", "ANY"},
	{"(foo|fo)", "ANY"},
	{"(abc|.)def", "\"def\""},
	{"(abc|def|ghi).*(jkl|mno)|pqr",
         "OR(AND(OR(\"abc\", \"def\", \"ghi\"), OR(\"jkl\", \"mno\")), \"pqr\")"},
	{"(foo|.*)bar", "\"bar\""},
	{"((foo|bar)baz|quux)_(one|two)", "OR(\"barbaz_one\", \"barbaz_two\", \"foobaz_one\", "
                                          "\"foobaz_two\", \"quux_one\", \"quux_two\")"},
	{"static\\s+(inline\\s+)?int", "AND(\"static\", \"int\")"},
	{"#define\\s+\\w+_H", "\"#define\""},
	{"copy_(from|to)_user", "OR(\"copy_from_user\", \"copy_to_user\")"},
	{"TODO|FIXME|XXX", "OR(\"fixme\", \"todo\", \"xxx\")"},
	{"[Ee]rror: .* failed", "AND(\"error: \", \" failed\")"},
	{"if \\(.*== NULL\\)", "AND(\"if (\", \"== null)\")"},
	{"^\\s*return -E[A-Z]+;$", "\"return -e\""},
	{"https?://[^/]+/linux", "AND(OR(\"http://\", \"https://\"), \"/linux\")"},
	{"(25[0-5]|2[0-4][0-9])\\.example", "\".example\""},
	{"EXPORT_SYMBOL(_GPL)?\\(foo", "OR(\"export_symbol(foo\", \"export_symbol_gpl(foo\")"},
	{"ΣΊΣΥΦΟΣ", "\"σίσυφοσ\""},
	{"İstanbul", "\"İstanbul\""},
	{"ſtraſſe", "\"strasse\""},
	{"a\\nb\\nc", "\"a\\x0ab\\x0ac\""},
	{"foo\\nbar", "\"foo\\x0abar\""},
	{"日本", "\"日本\""},
	{"日", "\"日\""},
};

static void test_trees(void **state)
{
	for (size_t i = 0; i < COUNT(trees); i++)
		check_tree(trees[i].pattern, trees[i].tree);
}

/* The analysis requires no grams where it cannot know what PCRE2 does: a comment that may end with
 * \r, white space of extended syntax in which versions of PCRE2 differ, invalid UTF-8, and
 * characters that a later Unicode may assign. */
static void test_doubtful(void **state)
{
	check_tree("", "ANY");
	check_tree("(?x)foo\n# bar\nbaz", "\"foobaz\"");
	check_tree("(?x)foo\r#\rbar", "ANY");
	check_tree("(?x)foo\u2028bar", "ANY");
	check_tree("\xff", "ANY");
	check_tree("foo\xe2\x82", "ANY");
	check_tree("foo\u0378bar", "AND(\"foo\", \"bar\")");
	check_tree("foo[\u0378]bar", "AND(\"foo\", \"bar\")");
}

/* NUL is an ordinary character. */
static void test_nul(void **state)
{
	check_tree_of("a\0b", 3, "\"a\\x00b\"");
	check_tree_of("(?\0)abc", 7, "ANY");
}

/* Analyses a costly pattern, and frees its text. Quadratic work would exceed the time limit of a
 * test; patterns that are too costly become ANY. */
static void check_costly_text(struct bs_buffer *text)
{
	AUTO(bs_gram_tree_free_at) struct bs_gram_tree *tree;
	ok(read_grams(text->data, text->used_bytes, &tree, ERR));
	check_promises(tree);
	bs_buffer_deinit(text);
}

/* Checks a pattern of `start`, n_times `middle`, and `end`. */
static void check_costly(const char *start, const char *middle, const char *end, size_t n_times)
{
	struct bs_buffer text = {0};
	append_string(&text, start);
	append_repeated(&text, middle, n_times);
	append_string(&text, end);
	check_costly_text(&text);
}

static void test_hostile(void **state)
{
	static const char *const repeated[] = {
		"(",    ")",       "()",  "(a|b)",  "(abc|def)", "(abc|def).", "(?:a)(?:b)", "abc.",
		"[ab]", "[abcd]?", "a?",  "(?=abc", "(?=abc)",   "(?=.*a)",    "(?(1)a|b)",  "\\Q",
		"[",    "[[:",     "(?#", "(*F)|",  "x",         "\\x{",       "{1,"};
	const size_t many = 200000;
	for (size_t i = 0; i < COUNT(repeated); i++)
		check_costly("", repeated[i], "", many);
	check_costly("", "abc|", "abc", many);
	check_costly("", "abc.def|", "abc", many);
	check_costly("(", "abcdefgh|", "abc)x.y(", 60);
	check_costly("a", "{9}", "", many);
	check_costly("abc", "{2,}", "", many);
	check_costly("(abc.", "){9}{9}{9}(def.", "){9}", 200);
	check_costly("(?x)", "#\n", "", many);
}

/* The deepest possible nesting of groups and lookaheads, with alternatives and repetitions. */
static void test_deep(void **state)
{
	static const char *const starts[] = {"(abc|",    "(abc.",        "(?=abc",
	                                     "(?:ab|cd", "(abc.def|ghi", "(x(?=abc)|"};
	static const char *const ends[] = {")",         ")+",       ")?x",  "){2}",
	                                   "){3,9}abc", "|def)ghi", "){16}"};
	for (size_t i = 0; i < COUNT(starts) * COUNT(ends); i++) {
		struct bs_buffer text = {0};
		append_repeated(&text, starts[i / COUNT(ends)], BS_REGEX_MAX_DEPTH);
		append_repeated(&text, ends[i % COUNT(ends)], BS_REGEX_MAX_DEPTH);
		check_costly_text(&text);
	}
}

/* A list of words gives an OR, also in groups of a hundred; a list of 20,000 words gives ANY. */
static void test_many_words(void **state)
{
	static const size_t numbers[] = {1000, 10000, 20000};
	for (size_t i = 0; i < 2 * COUNT(numbers); i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
		AUTO(bs_gram_tree_free_at) struct bs_gram_tree *tree;
		size_t n_words = numbers[i / 2];
		bool has_groups = i % 2;
		for (size_t k = 0; k < n_words; k++) {
			bool is_first = has_groups && k % 100 == 0,
			     is_last = has_groups && k % 100 == 99;
			append_format(&text, "%s%sword%05zu%s", k ? "|" : "", is_first ? "(?:" : "",
			              k, is_last ? ")." : "");
		}
		ok(read_grams(text.data, text.used_bytes, &tree, ERR));
		check_promises(tree);
		assert_int_equal(tree->n_nodes, n_words > 16384 ? 1 : n_words + 1);
		assert_int_equal(bs_gram_tree_root(tree)->kind,
		                 n_words > 16384 ? BS_GRAM_ANY : BS_GRAM_OR);
	}
}

RUN_TESTS(test_trees, test_doubtful, test_nul, test_hostile, test_deep, test_many_words)
