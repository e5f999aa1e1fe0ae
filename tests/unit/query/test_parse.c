/* test_parse.c: the query language, clause by clause; errors and their positions.
 * test_parse_hostile.c has hostile and random queries. */
#include "query/language/query_format.h"

#include "core/bitsift/search.h"
#include "tests/rigs/parse_rig.h"

static void check_format(const struct bs_query_tree *query, const char *text, const char *wanted)
{
	FREED char *tree = format(query);
	if (strcmp(tree, wanted) != 0)
		fail_msg("%s: got %s, wanted %s", text, tree, wanted);
}

static void check_tree(const char *text, const struct bs_query_options *options, const char *wanted)
{
	AUTO(bs_query_tree_free_at) struct bs_query_tree *query;
	if (bs_query_parse((const uint8_t *)text, strlen(text), options, &query, NULL, ERR))
		fail_msg("%s: %s", text, said.text);
	check_format(query, text, wanted);
}

struct tree_case {
	const char *text;
	const char *tree;
};

static void check_trees(const struct tree_case *cases, size_t n_cases,
                        struct bs_query_options options)
{
	for (size_t i = 0; i < n_cases; i++)
		check_tree(cases[i].text, &options, cases[i].tree);
}

#define CHECK_TREES(cases, options) check_trees(cases, COUNT(cases), options)

static void test_operators(void **state)
{
	static const struct tree_case cases[] = {
		{"cat", "cat"},
		{"  Cat\t\n", "cat"},
		{"a b c", "(AND a b c)"},
		{"a AND b AND c", "(AND a b c)"},
		{"a b AND c", "(AND a b c)"},
		{"a OR b OR c", "(OR a b c)"},
		{"a b OR c d", "(OR (AND a b) (AND c d))"},
		{"a OR b c", "(OR a (AND b c))"},
		{"a AND b OR c AND d", "(OR (AND a b) (AND c d))"},
		{"(a OR b) c", "(AND (OR a b) c)"},
		{"(a b) c", "(AND a b c)"},
		{"a (b (c d)) e", "(AND a b c d e)"},
		{"a OR (b OR c)", "(OR a b c)"},
		{"((((a))))", "a"},
		{"NOT a", "(NOT a)"},
		{"-a", "(NOT a)"},
		{"a -b", "(AND a (NOT b))"},
		{"a NOT b", "(AND a (NOT b))"},
		{"a AND NOT b", "(AND a (NOT b))"},
		{"a OR -b c", "(OR a (AND (NOT b) c))"},
		{"NOT a b", "(AND (NOT a) b)"},
		{"NOT (a b)", "(NOT (AND a b))"},
		{"-(a OR b)", "(NOT (OR a b))"},
		{"-(-a)", "a"},
		{"-(-(a b)) c", "(AND a b c)"},
		{"-\"a b\"", "(NOT (PHRASE a@0 b@1))"},
		{"-a -b", "(AND (NOT a) (NOT b))"},
		{"-a*", "(NOT a*)"},
		{"-title:a", "(NOT title:a)"},
		{"a a", "(AND a a)"},
		/* operators are upper case and whole tokens */
		{"a and b or not c", "(AND a and b or not c)"},
		{"a And b", "(AND a and b)"},
		{"\"AND\"", "and"},
		{"\"a OR b\"", "(PHRASE a@0 or@1 b@2)"},
		{"-AND", "(NOT and)"},
		{"-NOT b", "(AND (NOT not) b)"},
		{"AND.x", "(PHRASE and@0 x@1)"},
		{"ORx", "orx"},
		{"(a)AND(b)", "(AND a b)"},
		{"(a)OR\"b\"", "(OR a b)"},
		{"NOT(a)", "(NOT a)"},
		{"\u0301(a OR b)", "(OR a b)"},
		{"x\u0301(a OR b)", "(OR (PHRASE x\u0301@0 a@1) b)"},
	};
	CHECK_TREES(cases, make_options(false));
}

static void test_normal_form(void **state)
{
	static const struct {
		const char *text;
		bool any;
		const char *normal;
	} cases[] = {
		{"cat title:(dog OR be*) -colour~1^2", false,
	         "(\"cat\" AND (title:\"dog\" OR title:\"be*\") AND NOT colour~1^2)"},
		{"a b OR -(c d)", false, "((\"a\" AND \"b\") OR NOT (\"c\" AND \"d\"))"},
		{"a b -c", true, "((\"a\" OR \"b\") AND NOT \"c\")"},
		{"(((a)))^2 OR AND \"b\"~3", false, "(\"a\"^2 AND \"b\"~3)"},
		{"f(x)~2 -AND", false, "(f+x+~2 AND NOT \"AND\")"},
		{"year:>=1990^2 \"big  dog\"~7^.5", false, "(year:>=1990 AND \"big  dog\"~7^0.5)"},
		{"((a^1000)^1000 b^0.001)^.25", false, "((\"a\"^250)^1000 AND (\"b\"^0.25)^0.001)"},
		/* A quote that is not closed cannot be printed in quotes, and nothing that has a
		 * quote may follow it. */
		{"AND\"x cat", false, "(\"cat\" AND +AND\"x)"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(bs_query_tree_free_at)
		struct bs_query_tree *query = must_parse(cases[i].text, cases[i].any);
		AUTO(bs_buffer_deinit) struct bs_buffer normal = {0};
		ok(bs_query_format_normal(query, (const uint8_t *)cases[i].text, &normal, ERR));
		append_bytes(&normal, "", 1);
		assert_string_equal((const char *)normal.data, cases[i].normal);
	}
}

/* Returns the text with `word` in place of its %s. */
static char *place(const char *text, const char *word)
{
	char *placed = must_malloc(strlen(text) + strlen(word));
	const char *at = strstr(text, "%s");
	snprintf(placed, strlen(text) + strlen(word), "%.*s%s%s", (int)(at - text), text, word,
	         at + 2);
	return placed;
}

static void check_placed(const char *text, const char *word, const char *wanted, const char *tree)
{
	FREED char *query = place(text, word), *wanted_tree = place(wanted, tree);
	const struct bs_query_options options = make_options(false);
	check_tree(query, &options, wanted_tree);
}

/* Whether an operator or a parenthesis has a word next to it is decided by the tokenizer, not by
 * the class of the characters. */
static void test_words_without_letters(void **state)
{
	static const char *const words[] = {"__", "‿‿", "🇩🇪", "©", "#️⃣", "_a", "字", "😀"};
	static const char *const signs[] = {"_",  "‿",        "…",    "+",   "½",   "∑",
	                                    "«»", "\xcc\x81", "\xff", "%_%", "_?_", "_*"};
	static const char *const negations[] = {"fox -%s",     "fox !%s",   "fox NOT %s",
	                                        "fox -\"%s\"", "fox -(%s)", "fox !(%s)",
	                                        "fox --%s",    "(fox)-%s"};
	for (size_t i = 0; i < COUNT(words); i++) {
		AUTO(bs_query_tree_free_at)
		struct bs_query_tree *word = must_parse(words[i], false);
		FREED char *tree = format(word);
		for (size_t k = 0; k < COUNT(negations); k++)
			check_placed(negations[k], words[i], "(AND fox (NOT %s))", tree);
		check_placed("title:(… %s) x", words[i], "(AND title:%s x)", tree);
		check_placed("(… %s)dog", words[i], "(AND %s dog)", tree);
	}
	for (size_t i = 0; i < COUNT(signs); i++) {
		check_placed("fox -%s", signs[i], "fox%s", "");
		check_placed("-(%s)dog", signs[i], "(NOT dog)%s", "");
		check_placed("title:(%s)a", signs[i], "title:a%s", "");
	}
}

static void test_weights(void **state)
{
	static const struct tree_case cases[] = {
		{"cat^2.5", "cat^2.5"},
		{"Cat^.5 dog", "(AND cat^0.5 dog)"},
		{"cat^0", "cat^0"},
		{"cat^1", "cat"},
		{"cat^1000", "cat^1000"},
		{"ca*^2 cat~1^3", "(AND ca*^2 cat~1^3)"},
		{"\"a b\"^3", "(PHRASE a@0 b@1)^3"},
		{"\"a b\"~4^3", "(NEAR/4 a b)^3"},
		{"obj.method^2", "(PHRASE obj@0 method@1)^2"},
		{"(a b)^2 c", "(AND a^2 b^2 c)"},
		{"((a^2 b)^3 OR c)^4", "(OR (AND a^24 b^12) c^4)"},
		{"-(-a^2)^3", "a^6"},
		{"title:a^2 title:(a b)^3", "(AND title:a^2 title:a^3 title:b^3)"},
		{"(a)^2 (b)^3", "(AND a^2 b^3)"},
		/* a power is not a weight */
		{"2^10", "(PHRASE 2@0 10@1)"},
		{"-2^10", "(NOT (PHRASE 2@0 10@1))"},
		{"x2^10", "x2^10"},
		{"a:2^10", "a:2^10"},
		/* a suffix that is not a number from 0 to 1000 is not a weight */
		{"a^b", "(PHRASE a@0 b@1)"},
		{"a^2b", "(PHRASE a@0 2b@1)"},
		{"a^1.2.3", "(PHRASE a@0 \"1.2.3\"@1)"},
		{"a^", "a"},
		{"a^.", "a"},
		{"\"a\"^2b", "(AND a 2b)"},
	};
	CHECK_TREES(cases, make_options(false));
}

static double weight_of(const struct bs_query_tree *query, const char *word)
{
	for (size_t e = 0; e < query->n_elements; e++)
		if (query->elements[e].term_bytes == strlen(word) &&
		    memcmp(query->elements[e].term, word, strlen(word)) == 0)
			return query->elements[e].weight;
	return -1;
}

static void check_weight(const char *text, const char *word, double wanted)
{
	AUTO(bs_query_tree_free_at) struct bs_query_tree *query = must_parse(text, false);
	if (weight_of(query, word) < wanted || weight_of(query, word) > wanted)
		fail_msg("%s: %s weighs %g, not %g", text, word, weight_of(query, word), wanted);
}

/* The weight of a word is the sum over all its occurrences that are not negated. */
static void test_weights_add_up(void **state)
{
	check_weight("a b a", "a", 2);
	check_weight("\"a b a\"^2 a^.5", "a", 4.5);
	check_weight("a^3 -(a b)", "a", 3);
	check_weight("a^3 -(a b)", "b", 0);
	check_weight("title:a^2 a a^0", "a", 3);
	check_weight("((((a^1000)^1000)^1000)^1000)^1000", "a", 1e9);
	check_weight("((((a^.001)^.001)^.001)^.0001)^1000", "a", 0);
}

/* Feedback terms are added to the query; negated words stay excluded. */
static void test_terms(void **state)
{
	static const struct bs_weighted_term terms[] = {{(const uint8_t *)"x", 1, 0.5},
	                                                {(const uint8_t *)"a", 1, 2}};
	static const struct tree_case cases[] = {
		{"a b", "(OR (AND a^0.25 b^0.25) x^0.5 a^2)"},
		{"a OR b", "(OR a^0.25 b^0.25 x^0.5 a^2)"},
		{"a", "(OR a^0.25 x^0.5 a^2)"},
		{"a b -c", "(AND (OR (AND a^0.25 b^0.25) x^0.5 a^2) (NOT c))"},
		{"(a OR b) -c", "(AND (OR a^0.25 b^0.25 x^0.5 a^2) (NOT c))"},
		{"((a -b)^2 c) -d", "(AND (OR (AND a^0.5 c^0.25) x^0.5 a^2) (NOT b^2) (NOT d))"},
		{"a OR -c", "(OR a^0.25 (NOT c^0.25) x^0.5 a^2)"},
		{"", "(OR x^0.5 a^2)"},
		{"a title:b^0", "(AND (OR a^0.25 x^0.5 a^2) title:b^0)"},
		{"-c", "(NOT c)"},
	};
	struct bs_query_options options = make_options(false);
	options.terms = terms;
	options.n_terms = 2;
	options.own_share = 0.25;
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(bs_query_tree_free_at) struct bs_query_tree *query;
		ok(bs_query_parse((const uint8_t *)cases[i].text, strlen(cases[i].text), &options,
		                  &query, NULL, ERR));
		check_format(query, cases[i].text, cases[i].tree);
		assert_true(weight_of(query, "x") > 0.49 && weight_of(query, "x") < 0.51 &&
		            weight_of(query, "a") >= 2);
	}
}

static void test_tokens(void **state)
{
	static const struct tree_case cases[] = {
		{"obj.method", "(PHRASE obj@0 method@1)"},
		{"e-mail", "(PHRASE e@0 mail@1)"},
		{"a@example.com", "(PHRASE a@0 example@1 com@2)"},
		{"don't foo_bar 3.14", "(AND \"don't\" foo_bar \"3.14\")"},
		{"a-b-a", "(PHRASE a@0 b@1 a@2)"},
		/* - negates only at the start of a token, and not before a space */
		{"a- b", "(AND a b)"},
		{"a - b", "(AND a b)"},
		{"a -", "a"},
		{"a -\xe3\x80\x80 b", "(AND a b)"},
		{"--a", "(NOT a)"},
		{"a--b", "(PHRASE a@0 b@1)"},
		{"(-a)", "(NOT a)"},
		{"\"x\"-a", "(AND x (NOT a))"},
		/* " always delimits; ( and ) do, unless ( is directly after a word; a backslash
		 * does not escape them */
		{"a (b)c", "(AND a b c)"},
		{"a(b)c", "(PHRASE a@0 b@1 c@2)"},
		{"a\"b c\"d", "(AND a (PHRASE b@0 c@1) d)"},
		{"\"a\"\"b\"", "(AND a b)"},
		{"a\\\"b\"", "(AND a b)"},
		{"\"a (b) c\"", "(PHRASE a@0 b@1 c@2)"},
		{"\"-a\"", "a"},
		{"\"a\nb\"", "(PHRASE a@0 b@1)"},
		/* any white space separates */
		{"a\u3000OR\u3000b", "(OR a b)"},
		{"a\u00a0b", "(AND a b)"},
		{"a\u2028b", "(AND a b)"},
		/* ignored operands, and operators next to them */
		{"+++ a", "a"},
		{"a AND +++", "a"},
		{"+++ OR a", "a"},
		{"a -+++", "a"},
		{"NOT +++ a", "a"},
		{"a (+++ OR \"\")", "a"},
		{"a \"\"", "a"},
		{"a \"...\"~3", "a"},
		{"a title:+++", "a"},
		{"a *", "a"},
		{"a \"b\"*", "(AND a b)"},
		/* invalid UTF-8 is U+FFFD, which is not a word */
		{"a\377b", "(PHRASE a@0 b@1)"},
		{"\xc3 a \xe3\x81", "a"},
	};
	CHECK_TREES(cases, make_options(false));
	AUTO(bs_query_tree_free_at)
	struct bs_query_tree *query = parse("a\0b OR c", 8, false, NULL, NULL);
	check_format(query, "a NUL b OR c", "(OR (PHRASE a@0 b@1) c)");
}

static void test_phrases_and_near(void **state)
{
	static const struct tree_case cases[] = {
		{"\"big dog\"", "(PHRASE big@0 dog@1)"},
		{"\"big big dog\"", "(PHRASE big@0 big@1 dog@2)"},
		{"\"Cat\"", "cat"},
		{"\"a b\"~5", "(NEAR/5 a b)"},
		{"\"a b\"~0", "(NEAR/0 a b)"},
		{"\"a a b\"~12", "(NEAR/12 a a b)"},
		{"\"a\"~5", "a"},
		{"\"a b\"~4294967297", "(NEAR/1073741824 a b)"},
		{"\"a b\"~99999999999999999999999999", "(NEAR/1073741824 a b)"},
		{"(\"a b\"~5)", "(NEAR/5 a b)"},
		{"\"a b\"~5\"c\"", "(AND (NEAR/5 a b) c)"},
		/* a suffix that is not a distance is a separate token */
		{"\"a b\"~", "(PHRASE a@0 b@1)"},
		{"\"a b\" ~5", "(AND (PHRASE a@0 b@1) 5)"},
		{"\"a b\"~5x", "(AND (PHRASE a@0 b@1) 5x)"},
		{"\"a b\"~x", "(AND (PHRASE a@0 b@1) x)"},
		{"\"a b\"~-5", "(AND (PHRASE a@0 b@1) 5)"},
	};
	CHECK_TREES(cases, make_options(false));
}

static void test_prefix_and_fuzzy(void **state)
{
	static const struct tree_case cases[] = {
		{"Cat*", "cat*"},
		{"cat~1 cat~2", "(AND cat~1 cat~2)"},
		{"cat**", "cat*"},
		{"e-mai*", "(PHRASE e@0 mai*@1)"},
		{"e-mial~2", "(PHRASE e@0 mial~2@1)"},
		{"cat*~1", "cat~1"},
		{"cat~1*", "(PHRASE cat@0 1*@1)"},
		{"cat+*", "cat*"},
		{"cat*\"dog\"", "(AND cat* dog)"},
		{"(cat~1)", "cat~1"},
		{"title:cat* title:cat~1", "(AND title:cat* title:cat~1)"},
		/* not a suffix of a word, or not a valid distance */
		{"cat~", "cat"},
		{"cat~3", "(PHRASE cat@0 3@1)"},
		{"cat~0", "(PHRASE cat@0 0@1)"},
		{"cat~12", "(PHRASE cat@0 12@1)"},
		{"~1", "1"},
		{"cat~ 1", "(AND cat 1)"},
		{"cat *", "cat"},
		/* a script run has no wildcards and no distance */
		{"漢*", "漢"},
		{"漢字*", "(PHRASE 漢@0 字@1 +漢字)"},
		{"漢字~1", "(PHRASE 漢@0 字@1 +漢字)"},
		{"ไทย*", "(PHRASE ไ@0 ท@1 ย@2 +ไท +ทย)"},
		{"漢字ab*", "(PHRASE 漢@0 字@1 ab*@2 +漢字)"},
		{"ab漢*", "(PHRASE ab@0 漢@1)"},
		/* A sign does not belong to the script run, so it may be inexact; then no bigram
		 * with it is required. */
		{"字漢㊗", "(PHRASE 字@0 漢@1 祝@2 +字漢 +漢祝)"},
		{"字漢㊗~2", "(PHRASE 字@0 漢@1 祝~2@2 +字漢)"},
		{"㊗*", "祝*"},
		{"한국*", "한국*"},
	};
	CHECK_TREES(cases, make_options(false));
}

static void test_patterns(void **state)
{
	static const struct tree_case cases[] = {
		{"Lan*ERN", "lan*ern"},
		{"*cat", "*cat"},
		{"*cat*", "*cat*"},
		{"c**a***t", "c*a*t"},
		{"a?b", "a?b"},
		{"a?b?c*", "a?b?c*"},
		{"c?t*s", "c?t*s"},
		{"title:lan*ern^2 -*ponse", "(AND title:lan*ern^2 (NOT *ponse))"},
		{"caf\u00c9*s", "café*s"},
		{"don\u2019*ts", "\"don'\"*ts"},
		{"3.1?4", "\"3.1\"?4"},
		{"foo_*bar", "foo_*bar"},
		{"*'abc", "*\"'abc\""},
		{"한*국*어 한?국", "(AND 한*국*어 한?국)"},
		{"\U00010380x*yz", "\U00010380x*yz"},
		/* if only punctuation follows the *, the token is a prefix, too */
		{"const*)'", "const*"},
		/* a * requires three letters or digits */
		{"c*t", "(PHRASE c@0 t@1)"},
		{"*ca", "ca"},
		{"12*3", "12*3"},
		{"title:*ab", "title:ab"},
		/* a ? requires a word character on both sides */
		{"cat? ?cat c??t cat-?t", "(AND cat cat (PHRASE c@0 t@1) (PHRASE cat@0 t@1))"},
		{"how does it work?", "(AND how does it work)"},
		/* if a token has several words, only the last may be a pattern; punctuation alone
		 * is no pattern */
		{"foo.ba*r", "(PHRASE foo@0 ba*r@1)"},
		{"foo*r.bar", "(PHRASE foo@0 r@1 bar@2)"},
		{"fo*o.ba*r", "(PHRASE fo@0 o@1 ba*r@2)"},
		{"/api/users?id=7", "(PHRASE api@0 users@1 id@2 7@3)"},
		{"/api/users?id", "(PHRASE api@0 users?id@1)"},
		{"SELECT count(*)", "(AND select count)"},
		{"a[*] *** abc*-* (*) abc+(*)", "(AND a abc* abc)"},
		{"abc*\ufe0f\u20e3", "(PHRASE abc@0 \"*\u20e3\"@1)"},
		/* wildcards in a script run */
		{"漢*字abc", "(PHRASE 漢@0 字@2 abc@3)"},
		{"漢字?a*", "(PHRASE 漢@0 字@1 a*@2 +漢字)"},
		{"漢?字", "(PHRASE 漢@0 字@2)"},
		{"abc*漢", "(PHRASE abc@0 漢@1)"},
		{"漢字*abc", "(PHRASE 漢@0 字@1 *abc@2 +漢字)"},
		/* wildcards together with a distance */
		{"ca*ts~1", "(PHRASE ca@0 ts~1@1)"},
		{"c?t~1", "(PHRASE c@0 t~1@1)"},
		/* a phrase may end with a pattern, a NEAR may not */
		{"\"big do*\"", "(PHRASE big@0 do*@1)"},
		{"\"big d?g \"", "(PHRASE big@0 d?g@1)"},
		{"\"big do*ie\"^2", "(PHRASE big@0 do*ie@1)^2"},
		{"\"Do*\"", "do*"},
		{"\"big *\"", "big"},
		{"\"big +*\"", "big"},
		{"\"big dog~1\"", "(PHRASE big@0 dog@1 1@2)"},
		{"\"b*g dog\"", "(PHRASE b@0 g@1 dog@2)"},
		{"\"big do*\"~2", "(NEAR/2 big do)"},
		{"\"big d*g\"", "(PHRASE big@0 d@1 g@2)"},
		{"\"日本*\"", "(PHRASE 日@0 本@1 +日本)"},
	};
	CHECK_TREES(cases, make_options(false));
}

static void test_runs(void **state)
{
	static const struct tree_case cases[] = {
		{"漢", "漢"},
		{"漢字", "(PHRASE 漢@0 字@1 +漢字)"},
		{"日本語", "(PHRASE 日@0 本@1 語@2 +日本 +本語)"},
		{"\"漢 字\"", "(PHRASE 漢@0 字@2)"},
		{"漢。字", "(PHRASE 漢@0 字@2)"},
		{"漢字。日本", "(PHRASE 漢@0 字@1 日@3 本@4 +漢字 +日本)"},
		{"漢x字", "(PHRASE 漢@0 x@1 字@2)"},
		{"\"漢字\"~3", "(NEAR/3 漢 字)"},
		{"漢 字", "(AND 漢 字)"},
		{"漢字 漢字", "(AND (PHRASE 漢@0 字@1 +漢字) (PHRASE 漢@0 字@1 +漢字))"},
		{"ｶﾞ", "ガ"},
	};
	CHECK_TREES(cases, make_options(false));
	AUTO(bs_query_tree_free_at)
	struct bs_query_tree *query = must_parse("漢字 -漢字 字漢", false);
	assert_int_equal(query->n_elements, 4);
	assert_int_equal(query->elements[2].kind, BS_ELEMENT_BIGRAM);
	assert_false(query->elements[2].is_positive);
}

static void test_fields(void **state)
{
	static const struct tree_case cases[] = {
		{"title:cat", "title:cat"},
		{"title:Cat body:dog", "(AND title:cat body:dog)"},
		{"title:\"big dog\"", "title:(PHRASE big@0 dog@1)"},
		{"title:\"big dog\"~2", "title:(NEAR/2 big dog)"},
		{"title:(a OR -b)", "(OR title:a (NOT title:b))"},
		{"title:(a b) c", "(AND title:a title:b c)"},
		{"title: cat", "title:cat"},
		{"title:\xe3\x80\x80(a)", "title:a"},
		{"title:obj.method", "title:(PHRASE obj@0 method@1)"},
		{"-title:(a b)", "(NOT (AND title:a title:b))"},
		/* unknown field names, and field names at other positions, are text */
		{"Title:cat", "(PHRASE title@0 cat@1)"},
		{"http://x.org", "(PHRASE http@0 x@1 org@2)"},
		{"xtitle:cat", "(PHRASE xtitle@0 cat@1)"},
		{"x.title:cat", "(PHRASE x@0 title@1 cat@2)"},
		{":cat", "cat"},
		{"title :cat", "(AND title cat)"},
		{"\"title:cat\"", "(PHRASE title@0 cat@1)"},
		{"\"my field\":x", "(AND (PHRASE my@0 field@1) x)"},
		/* the longest field name that fits applies; inner fields override outer ones */
		{"a:b:c", "\"a:b\":c"},
		{"a:c", "a:c"},
		{"a:b", "a:b"},
		{"title:body:x", "body:x"},
		{"title:(x body:(y a:z))", "(AND title:x body:y a:z)"},
		{"title:(body:x y) z", "(AND body:x title:y z)"},
		/* after the colon, neither - nor AND nor NOT is an operator */
		{"title:-cat", "title:cat"},
		{"title:AND", "title:and"},
		{"title:NOT*", "title:not*"},
		{"title:+++ cat", "cat"},
	};
	CHECK_TREES(cases, make_options(false));
}

static void test_any(void **state)
{
	static const struct tree_case cases[] = {
		{"a", "a"},
		{"a b c", "(OR a b c)"},
		{"a b -c", "(AND (OR a b) (NOT c))"},
		{"-c a b", "(AND (OR a b) (NOT c))"},
		{"a -c b NOT d", "(AND (OR a b) (NOT c) (NOT d))"},
		{"-a", "(NOT a)"},
		{"-a -b", "(AND (NOT a) (NOT b))"},
		{"a -b", "(AND a (NOT b))"},
		{"a AND b c", "(OR (AND a b) c)"},
		{"a b AND c d", "(OR a (AND b c) d)"},
		{"a AND -b c", "(OR (AND a (NOT b)) c)"},
		{"a -b AND c", "(OR a (AND (NOT b) c))"},
		{"a OR b c", "(OR a b c)"},
		{"a b OR c -d", "(OR a b (AND c (NOT d)))"},
		{"a OR -b", "(OR a (NOT b))"},
		{"(a b) c", "(OR (AND a b) c)"},
		{"(a b)", "(AND a b)"},
		{"(a b -c) d", "(OR (AND a b (NOT c)) d)"},
		{"a (-b)", "(OR a (NOT b))"},
		{"title:(a b) c", "(OR (AND title:a title:b) c)"},
		{"a -(b c)", "(AND a (NOT (AND b c)))"},
		{"obj.method x", "(OR (PHRASE obj@0 method@1) x)"},
		{"+++ a -b", "(AND a (NOT b))"},
		{"+++ -b", "(NOT b)"},
	};
	CHECK_TREES(cases, make_options(true));
}

static void test_errors(void **state)
{
	static const struct {
		const char *text;
		size_t error_byte;
		const char *message;
	} cases[] = {
		{"", 0, "the query is empty"},
		{" \t\xe3\x80\x80", 0, "the query is empty"},
		{"+++", 0, "the query has no words"},
		{"\"\" OR -... (*)", 0, "the query has no words"},
		{"()", 0, "the query has no words"},
		{"\"", 0, "the query has no words"},
		{")(", 0, "the query has no words"},
		{"AND", 0, "the query has no words"},
		{"NOT OR (AND)", 0, "the query has no words"},
		{"-", 0, "the query has no words"},
	};
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		const char *text = cases[i / 2].text;
		size_t error_byte = 999;
		assert_null(parse(text, strlen(text), i % 2, &error_byte, ERR));
		if (error_byte != cases[i / 2].error_byte ||
		    strcmp(said.text, cases[i / 2].message) != 0)
			fail_msg("%s: got %zu: %s", text, error_byte, said.text);
	}
}

/* A valid query and its notice, if any; --strict-query makes this an error at error_byte. */
struct notice_case {
	const char *text, *tree, *notice;
	size_t error_byte;
};

static void check_notice(const struct notice_case *c)
{
	struct bs_query_options options = make_options(false);
	size_t error_byte;
	struct bs_query_tree *query = must_parse(c->text, false);
	check_format(query, c->text, c->tree);
	if (query->notices.n != (c->notice != NULL))
		fail_msg("%s: %u notices: %s", c->text, query->notices.n,
		         query->notices.lines[0].text);
	if (c->notice)
		assert_string_equal(query->notices.lines[0].text, c->notice);
	bs_query_tree_free(query);
	options.strict = true;
	enum bs_status status = bs_query_parse((const uint8_t *)c->text, strlen(c->text), &options,
	                                       &query, &error_byte, ERR);
	assert_int_equal(status, c->notice ? BS_INVALID : BS_OK);
	if (c->notice && (error_byte != c->error_byte || strcmp(said.text, c->notice) != 0))
		fail_msg("%s: got %zu: %s", c->text, error_byte, said.text);
	bs_query_tree_free(query);
}

static void test_notices(void **state)
{
#define NEVER_CLOSED   "is never closed: it counts as punctuation"
#define NOTHING_CLOSED ") closes nothing: it counts as punctuation"
#define NOTHING_AFTER  "has nothing after it to combine: it counts as punctuation"
#define NOTHING_BEFORE "has nothing before it to combine: it counts as punctuation"
#define NOTHING_OUT    "has nothing after it to leave out: it counts as punctuation"
#define NOTHING_FOR    "has nothing after it to look for: it is searched as text"
#define BAD_WEIGHT                                                                              \
	"is searched as text: a weight is a number from 0 to 1000 directly after its word, at " \
	"the end, as in cat~1^2.5"
#define BAD_DISTANCE                                                                            \
	"is searched as text: a distance is ~1 or ~2 after a word, and a whole number after a " \
	"phrase"
#define NO_OPERATOR "is searched as text: && and || must be tokens of their own, as in cat || dog"
#define NO_REGEX    "is searched as words: regular expressions are for `bitsift grep`"
#define NO_PHRASE   "is searched as words: a phrase has straight quotes, as in \"big dog\""
#define LEAVES_OUT                                                                           \
	"excludes documents with the word, like a single -: put it in quotes to search for " \
	"it"
#define NOT_LEFT_OUT \
	"is searched without its sign: write the - or ! before the field, as in -title:dog"
#define BAD_RANGE                                                                               \
	"is searched as text: a range is A..B, >A, >=A, <A or <=A, of numbers such as 1990 or " \
	"2.5k, or of dates such as 2024-05-17"
#define NO_FIELD    "is searched as text: a range follows a field, as in year:1990..2000"
#define EMPTY_RANGE "finds nothing: write the lower end of the range first"
	static const struct notice_case cases[] = {
		{"\"abc", "abc", "\" " NEVER_CLOSED, 0},
		{"a b\"", "(AND a b)", "\" " NEVER_CLOSED, 3},
		{"漢字 \"b", "(AND (PHRASE 漢@0 字@1 +漢字) b)", "\" " NEVER_CLOSED, 7},
		{"(a", "a", "( " NEVER_CLOSED, 0},
		{"a (b (c)", "(AND a b c)", "( " NEVER_CLOSED, 2},
		{"a (", "a", "( " NEVER_CLOSED, 2},
		{"f(x y", "(AND (PHRASE f@0 x@1) y)", "( " NEVER_CLOSED, 1},
		{"a b) c", "(AND a b c)", NOTHING_CLOSED, 3},
		{"(a))", "a", NOTHING_CLOSED, 3},
		{"great :)", "great", NOTHING_CLOSED, 7},
		{"title:)a", "title:a", NOTHING_CLOSED, 6},
		{"AND a", "a", "AND " NOTHING_BEFORE, 0},
		{"a (OR b)", "(AND a b)", "OR " NOTHING_BEFORE, 3},
		{"a AND", "a", "AND " NOTHING_AFTER, 2},
		{"a ||", "a", "|| " NOTHING_AFTER, 2},
		{"(a OR) b", "(AND a b)", "OR " NOTHING_AFTER, 3},
		{"a AND OR b", "(OR a b)", "AND " NOTHING_AFTER, 2},
		{"a OR AND b", "(AND a b)", "OR " NOTHING_AFTER, 2},
		{"a OR OR b", "(OR a b)", "OR " NOTHING_AFTER, 2},
		{"a NOT", "a", "NOT " NOTHING_OUT, 2},
		{"NOT NOT a", "(NOT a)", "NOT " NOTHING_OUT, 0},
		{"NOT -a", "(NOT a)", "NOT " NOTHING_OUT, 0},
		{"a NOT OR b", "(OR a b)", "NOT " NOTHING_OUT, 2},
		{"a (b AND)^2", "(AND a b^2)", "AND " NOTHING_AFTER, 5},
		{"title:", "title", "title: " NOTHING_FOR, 0},
		{"x -title: ", "(AND x (NOT title))", "title: " NOTHING_FOR, 3},
		{"title: AND b", "(AND title b)", "title: " NOTHING_FOR, 0},
		{"title: -b", "(AND title (NOT b))", "title: " NOTHING_FOR, 0},
		{"cats or dogs", "(AND cats or dogs)",
	         "or is searched as a word: the operator is written OR", 5},
		{"cats and (dogs)", "(AND cats and dogs)",
	         "and is searched as a word: the operator is written AND", 5},
		{"cats not -dogs", "(AND cats not (NOT dogs))",
	         "not is searched as a word: the operator is written NOT", 5},
		{"/lan.ern/ a", "(AND (PHRASE lan@0 ern@1) a)", "/lan.ern/ " NO_REGEX, 0},
		{"foo.*bar", "(PHRASE foo@0 *bar@1)", "foo.*bar " NO_REGEX, 0},
		{"a^1001", "(PHRASE a@0 1001@1)", "a^1001 " BAD_WEIGHT, 0},
		{"a^-1", "(PHRASE a@0 1@1)", "a^-1 " BAD_WEIGHT, 0},
		{"(a)^1.2.3", "(AND a \"1.2.3\")", "^1.2.3 " BAD_WEIGHT, 3},
		{"a ^2", "(AND a 2)", "^2 " BAD_WEIGHT, 2},
		{"a^1e2", "(PHRASE a@0 1e2@1)", "a^1e2 " BAD_WEIGHT, 0},
		{"a^2^3", "(PHRASE a@0 2@1)^3", "a^2^3 " BAD_WEIGHT, 0},
		{"x title:^2", "(AND x title:2)", "^2 " BAD_WEIGHT, 8},
		{"a^1,5", "(PHRASE a@0 \"1,5\"@1)", "a^1,5 " BAD_WEIGHT, 0},
		{"a^2~1", "(PHRASE a@0 2~1@1)", "a^2~1 " BAD_WEIGHT, 0},
		{"\"a b\"^3~2", "(AND (PHRASE a@0 b@1) 3~2)", "^3~2 " BAD_WEIGHT, 5},
		{"a~0.8", "(PHRASE a@0 \"0.8\"@1)", "a~0.8 " BAD_DISTANCE, 0},
		{"(a)~2", "(AND a 2)", "~2 " BAD_DISTANCE, 3},
		{"\"a b\"~2.5", "(AND (PHRASE a@0 b@1) \"2.5\")", "~2.5 " BAD_DISTANCE, 5},
		{"“big dog”", "(AND big dog)", "“big " NO_PHRASE, 0},
		{"git log --oneline", "(AND git log (NOT oneline))", "--oneline " LEAVES_OUT, 8},
		{"title:-dog", "title:dog", "-dog " NOT_LEFT_OUT, 6},
		{"Cats Or dogs", "(AND cats or dogs)",
	         "Or is searched as a word: the operator is written OR", 5},
		{"cats NEAR dogs", "(AND cats near dogs)",
	         "NEAR is searched as a word: nearness is written \"cat dog\"~5", 5},
		{"colour:>5", "(PHRASE colour@0 5@1)",
	         "colour: is not a field of this index and is searched as text", 0},
		{"A:c", "(PHRASE a@0 c@1)",
	         "A: is not a field of this index and is searched as text: did you mean a:?", 0},
		{"a 1..2", "(AND a (PHRASE 1@0 2@1))", "1..2 " NO_FIELD, 2},
		{"a >5", "(AND a 5)", ">5 " NO_FIELD, 2},
		{"year:\">2024-05-17 08:30\"", "year:>2024-05-17 08:30", NULL, 0},
		{"year:\"2024-05-17 08:30\"", "year:(PHRASE 2024@0 05@1 17@2 08@3 30@4)", NULL, 0},
		{"year:\">5\" title:\"> 5\"", "(AND year:5 title:5)", NULL, 0},
		{"year:2000..1990", "year:2000..1990", "year:2000..1990 " EMPTY_RANGE, 0},
		{"year:>1,990", "year:\"1,990\"", "year:>1,990 " BAD_RANGE, 0},
		{"year:1990...2000", "year:(PHRASE 1990@0 2000@1)", "year:1990...2000 " BAD_RANGE,
	         0},
		{"year:[1990", "year:1990", "year:[1990 " BAD_RANGE, 0},
		{"year:≥1990", "year:1990", "year:≥1990 " BAD_RANGE, 0},
		{"titel:ferry", "(PHRASE titel@0 ferry@1)",
	         "titel: is not a field of this index and is searched as text: did you mean "
	         "title:?",
	         0},
		{"Title: ferry", "(AND title ferry)",
	         "Title: is not a field of this index and is searched as text: did you mean "
	         "title:?",
	         0},
		{"x -bdy:\"a b\"", "(AND x (NOT bdy) (PHRASE a@0 b@1))",
	         "bdy: is not a field of this index and is searched as text: did you mean body:?",
	         3},
		{"localhost:8080", "(PHRASE localhost@0 8080@1)",
	         "localhost: is not a field of this index and is searched as text", 0},
		{"title:(colour:red)", "title:(PHRASE colour@0 red@1)",
	         "colour: is not a field of this index and is searched as text", 7},
		{"(a OR b)||c", "(AND (OR a b) c)", "||c " NO_OPERATOR, 8},
		{"a&&b", "(PHRASE a@0 b@1)", "a&&b " NO_OPERATOR, 0},
		{"a ()", "a", "() is ignored: it has no words", 2},
		{"a -> b", "(AND a b)", "-> is ignored: it has no words", 2},
		{"a --_", "a", "--_ is ignored: it has no words", 2},
		{"a --__", "(AND a (NOT __))", "--__ " LEAVES_OUT, 2},
		{"title:-😀", "title:\"😀\"", "-😀 " NOT_LEFT_OUT, 6},
		{"colour:😀", "(PHRASE colour@0 \"😀\"@1)",
	         "colour: is not a field of this index and is searched as text", 0},
		/* no notices for queries that mean what they seem to mean */
		{"a && b", "(AND a b)", NULL, 0},
		{"a || b", "(OR a b)", NULL, 0},
		{"a !b", "(AND a (NOT b))", NULL, 0},
		{"!(a b) !\"c d\"", "(AND (NOT (AND a b)) (NOT (PHRASE c@0 d@1)))", NULL, 0},
		{"f(x, y)", "(AND (PHRASE f@0 x@1) y)", NULL, 0},
		{"obj.method()", "(PHRASE obj@0 method@1)", NULL, 0},
		{"a[i]", "(PHRASE a@0 i@1)", NULL, 0},
		{"foo->bar", "(PHRASE foo@0 bar@1)", NULL, 0},
		{"C++", "c", NULL, 0},
		{"foo->get()->next", "(PHRASE foo@0 get@1 next@2)", NULL, 0},
		{"std::vector<int> v", "(AND (PHRASE std@0 vector@1 int@2) v)", NULL, 0},
		{"printf(\"hello world\")", "(AND printf (PHRASE hello@0 world@1))", NULL, 0},
		{"a AND(b OR c)", "(AND a (OR b c))", NULL, 0},
		{"a NOT(b)", "(AND a (NOT b))", NULL, 0},
		{"title:(a b)", "(AND title:a title:b)", NULL, 0},
		{"f(title:(a b))", "(AND (PHRASE f@0 title@1) a b)", NULL, 0},
		{"https://x.org C:\\dir 12:30 c::d x1:y",
	         "(AND (PHRASE https@0 x@1 org@2) (PHRASE c@0 dir@1) (PHRASE 12@0 30@1) "
	         "(PHRASE c@0 d@1) (PHRASE x1@0 y@1))",
	         NULL, 0},
		{"or else", "(AND or else)", NULL, 0},
		{"this or", "(AND this or)", NULL, 0},
		{"“big” dog", "(AND big dog)", NULL, 0},
		{"x^y [^0-9]+ 10^-3", "(AND (PHRASE x@0 y@1) (PHRASE 0@0 9@1) (PHRASE 10@0 3@1))",
	         NULL, 0},
		{"~/.config v1~rc1 foo.txt~",
	         "(AND config (PHRASE v1@0 rc1@1) (PHRASE foo@0 txt@1))", NULL, 0},
		{"a ~2 +b a..z c", "(AND a 2 b (PHRASE a@0 z@1) c)", NULL, 0},
		{"title:-5 year:-5..5", "(AND title:5 year:-5..5)", NULL, 0},
		{"title:[1 title:=5", "(AND title:1 title:5)", NULL, 0},
		{"/usr/lib/ 2^10", "(AND (PHRASE usr@0 lib@1) (PHRASE 2@0 10@1))", NULL, 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		check_notice(&cases[i]);
}

struct caret_case {
	const char *text;
	size_t at_byte;
	const char *lines;
};

static void test_caret(void **state)
{
	static const struct caret_case cases[] = {
		{"", 0, "\n^"},
		{"a AND", 2, "a AND\n  ^"},
		{"a", 1, "a\n ^"},
		{"漢字 (b", 7, "漢字 (b\n     ^"},
		{"é (b", 3, "é (b\n  ^"},
		{"e\xcc\x81 (b", 4, "e\xcc\x81 (b\n  ^"},
		{"\xff\x01\t(b", 3, "\xef\xbf\xbd\xef\xbf\xbd (b\n   ^"},
		{"a\nb\"", 3, "a b\"\n   ^"},
		{"a\xe3\x80\x80(", 4, "a\xe3\x80\x80(\n   ^"},
		{"0123456789012345678901234567890123456789012345678901234567890123456789 (", 71,
	         "…12345678901234567890123456789012345678901234567890123456789 (\n"
	         "                                                             ^"},
		{"(1234567890123456789012345678901234567890123456789012345678901234567890123456789"
	         "0",
	         0,
	         "(1234567890123456789012345678901234567890123456789012345678901234567890123456…\n"
	         "^"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *lines;
		const char *text = cases[i].text;
		ok(bs_query_caret(text, strlen(text), cases[i].at_byte, &lines, ERR));
		assert_string_equal(lines, cases[i].lines);
		free(lines);
		assert_int_equal(bs_query_caret(text, strlen(text), SIZE_MAX, &lines, NULL),
		                 BS_INVALID);
		assert_null(lines);
	}
}

static void check_n_notices(const char *text, uint32_t n)
{
	AUTO(bs_query_tree_free_at) struct bs_query_tree *query = must_parse(text, false);
	assert_int_equal(query->notices.n, n);
}

static void test_ignored(void **state)
{
	struct bs_query_tree *query = must_parse("+++ a \"...\" b~3 漢字~1", false);
	assert_int_equal(query->notices.n, 4);
	assert_string_equal(query->notices.lines[0].text, "b~3 " BAD_DISTANCE);
	assert_string_equal(query->notices.lines[1].text, "+++ is ignored: it has no words");
	assert_string_equal(query->notices.lines[2].text, "\"...\" is ignored: it has no words");
	assert_non_null(strstr(query->notices.lines[3].text, "漢字 is searched literally"));
	bs_query_tree_free(query);

	check_n_notices("a + + + + + + + + + + + +", 1);
	check_n_notices("a + ++ +++ ++++ +++++ ++++++ +++++++", BS_QUERY_NOTICES);
	query = must_parse("a €€€€€€€€€€€€€€€€€€€€€", false);
	assert_non_null(strstr(query->notices.lines[0].text, "\xac… is ignored"));
	bs_query_tree_free(query);

	check_n_notices("cat -dog", 0);
}

/* Compares the elements with a text such as "cat+ dog*"; + marks elements that are scored. */
static void check_elements(const char *text, const char *wanted)
{
	static const char *const suffixes[] = {"", "*", "", "~", "|"};
	AUTO(bs_query_tree_free_at) struct bs_query_tree *query = must_parse(text, false);
	char got[500] = "";
	for (size_t i = 0; i < query->n_elements; i++) {
		const struct bs_element *element = &query->elements[i];
		size_t used = strlen(got);
		snprintf(got + used, sizeof(got) - used, "%s%.*s%s%s", i ? " " : "",
		         (int)element->term_bytes, (const char *)element->term,
		         suffixes[element->kind], element->is_positive ? "+" : "");
	}
	assert_string_equal(got, wanted);
}

static void test_elements(void **state)
{
	check_elements("a b a", "a+ b+");
	check_elements("a -b", "a+ b");
	check_elements("-(a -b)", "a b+");
	check_elements("-(a -(b -c))", "a b+ c");
	check_elements("-a OR a", "a+");
	check_elements("a* a~1 a~2 a", "a*+ a~+ a~+ a+");
	check_elements("\"a b a\" title:b -\"b c\"~3", "a+ b+ c");
	check_elements("漢字 -本語", "漢+ 字+ 漢字| 本 語 本語|");
	check_elements("-a", "a");
}

static void test_stemming(void **state)
{
	static const struct tree_case cases[] = {
		{"Running", "run"},
		{"running*", "running*"},
		{"running~1", "running~1"},
		{"running-running*", "(PHRASE run@0 running*@1)"},
		{"\"running dogs\"", "(PHRASE run@0 dog@1)"},
	};
	struct bs_query_options options = make_options(false);
	options.tokenizer = english_words;
	options.words_unstemmed = plain_words;
	CHECK_TREES(cases, options);
}

/* Queries at the limits of length and depth are accepted; longer or deeper ones are not. */
static void test_limits(void **state)
{
	const size_t longest = BS_QUERY_MAX_BYTES, deepest = BS_QUERY_MAX_DEPTH;
	FREED char *text = must_malloc(longest + 1);
	size_t error_byte;
	for (size_t more = 0; more < 2; more++) {
		memset(text, ' ', longest + 1);
		text[0] = 'x';
		struct bs_query_tree *query = parse(text, longest + more, false, &error_byte, ERR);
		assert_int_equal(query == NULL, more);
		bs_query_tree_free(query);
		memset(text, '(', deepest + more);
		text[deepest + more] = 'x';
		memset(text + deepest + more + 1, ')', deepest + more);
		query = parse(text, 2 * (deepest + more) + 1, false, &error_byte, ERR);
		assert_int_equal(query == NULL, more);
		bs_query_tree_free(query);
	}
}

RUN_TESTS_WITH(open_words, close_words, test_operators, test_normal_form,
               test_words_without_letters, test_weights, test_weights_add_up, test_terms,
               test_tokens, test_phrases_and_near, test_prefix_and_fuzzy, test_patterns, test_runs,
               test_fields, test_any, test_errors, test_caret, test_notices, test_ignored,
               test_elements, test_stemming, test_limits)
