/* test_parse.c: the query language, clause by clause; every error and its caret. Hostile and random queries:
 * test_parse_hostile.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse_rig.h"

static void check_tree(const char *text, bool any, const char *wanted)
{
	struct bs_query *query = must_parse(text, any);
	char *tree = format(query);
	if (strcmp(tree, wanted) != 0)
		fail_msg("%s: got %s, wanted %s", text, tree, wanted);
	free(tree);
	bs_query_free(query);
}

struct tree_case {
	const char *text;
	const char *tree;
};

static void check_trees(const struct tree_case *cases, size_t n_cases, bool any)
{
	for (size_t i = 0; i < n_cases; i++)
		check_tree(cases[i].text, any, cases[i].tree);
}

#define CHECK_TREES(cases, any) check_trees(cases, sizeof(cases) / sizeof((cases)[0]), any)

static void test_operators(void **state)
{
	(void)state;
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
		/* upper case and whole tokens only */
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
	};
	CHECK_TREES(cases, false);
}

static void test_weights(void **state)
{
	(void)state;
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
		{"(a)^2(b)^3", "(AND a^2 b^3)"},
		/* a power is none */
		{"2^10", "(PHRASE 2@0 10@1)"},
		{"-2^10", "(NOT (PHRASE 2@0 10@1))"},
		{"x2^10", "x2^10"},
		{"a:2^10", "a:2^10"},
		/* nor is what is no number from 0 to 1000 at the end */
		{"a^b", "(PHRASE a@0 b@1)"},
		{"a^2b", "(PHRASE a@0 2b@1)"},
		{"a^1001", "(PHRASE a@0 1001@1)"},
		{"a^-1", "(PHRASE a@0 1@1)"},
		{"a^1.2.3", "(PHRASE a@0 \"1.2.3\"@1)"},
		{"a^", "a"},
		{"a^.", "a"},
		{"\"a\"^2b", "(AND a 2b)"},
	};
	CHECK_TREES(cases, false);
}

static double weight_of(const struct bs_query *query, const char *word)
{
	for (size_t e = 0; e < query->n_elements; e++)
		if (query->elements[e].term_bytes == strlen(word) &&
		    memcmp(query->elements[e].term, word, strlen(word)) == 0)
			return query->elements[e].weight;
	return -1;
}

static void check_weight(const char *text, const char *word, double wanted)
{
	struct bs_query *query = must_parse(text, false);
	if (weight_of(query, word) < wanted || weight_of(query, word) > wanted)
		fail_msg("%s: %s weighs %g, not %g", text, word, weight_of(query, word), wanted);
	bs_query_free(query);
}

/* Of all places that are not negated. */
static void test_weights_add_up(void **state)
{
	(void)state;
	check_weight("a b a", "a", 2);
	check_weight("\"a b a\"^2 a^.5", "a", 4.5);
	check_weight("a^3 -(a b)", "a", 3);
	check_weight("a^3 -(a b)", "b", 0);
	check_weight("title:a^2 a a^0", "a", 3);
	check_weight("((((a^1000)^1000)^1000)^1000)^1000", "a", 1e9);
	check_weight("((((a^.001)^.001)^.001)^.0001)^1000", "a", 0);
}

/* Words that nobody typed are beside the query, and what it refuses is refused. */
static void test_terms(void **state)
{
	(void)state;
	static const struct bs_weighted_term terms[] = {{(const uint8_t *)"x", 1, 0.5}, {(const uint8_t *)"a", 1, 2}};
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
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bs_query *query;
		assert_int_equal(bs_query_parse((const uint8_t *)cases[i].text, strlen(cases[i].text), &options, &query, NULL, NULL),
		                 BS_OK);
		char *tree = format(query);
		if (strcmp(tree, cases[i].tree) != 0)
			fail_msg("%s: got %s, wanted %s", cases[i].text, tree, cases[i].tree);
		assert_true(weight_of(query, "x") > 0.49 && weight_of(query, "x") < 0.51 && weight_of(query, "a") >= 2);
		free(tree);
		bs_query_free(query);
	}
}

static void test_tokens(void **state)
{
	(void)state;
	static const struct tree_case cases[] = {
		{"obj.method", "(PHRASE obj@0 method@1)"},
		{"e-mail", "(PHRASE e@0 mail@1)"},
		{"a@example.com", "(PHRASE a@0 example@1 com@2)"},
		{"don't foo_bar 3.14", "(AND \"don't\" foo_bar \"3.14\")"},
		{"a-b-a", "(PHRASE a@0 b@1 a@2)"},
		/* - at the start of a token and before a non-space only */
		{"a- b", "(AND a b)"},
		{"a - b", "(AND a b)"},
		{"a -", "a"},
		{"a -\xe3\x80\x80 b", "(AND a b)"},
		{"--a", "(NOT a)"},
		{"a--b", "(PHRASE a@0 b@1)"},
		{"(-a)", "(NOT a)"},
		{"\"x\"-a", "(AND x (NOT a))"},
		/* ( ) \" always delimit, nothing escapes them */
		{"a(b)c", "(AND a b c)"},
		{"a\"b c\"d", "(AND a (PHRASE b@0 c@1) d)"},
		{"\"a\"\"b\"", "(AND a b)"},
		{"a\\\"b\"", "(AND a b)"},
		{"\"a (b) c\"", "(PHRASE a@0 b@1 c@2)"},
		{"\"-a*\"", "a"},
		{"\"a\nb\"", "(PHRASE a@0 b@1)"},
		/* any white space separates */
		{"a\xe3\x80\x80OR\xe3\x80\x80"
		 "b",
		 "(OR a b)"},
		{"a\xc2\xa0"
		 "b",
		 "(AND a b)"},
		{"a\xe2\x80\xa8"
		 "b",
		 "(AND a b)"},
		/* ignored operands, and operators around them */
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
		/* invalid UTF-8 is U+FFFD, no word */
		{"a\xff"
		 "b",
		 "(PHRASE a@0 b@1)"},
		{"\xc3 a \xe3\x81", "a"},
	};
	CHECK_TREES(cases, false);
	struct bs_query *query = parse("a\0b OR c", 8, false, NULL, NULL);
	char *tree = format(query);
	assert_string_equal(tree, "(OR (PHRASE a@0 b@1) c)");
	free(tree);
	bs_query_free(query);
}

static void test_phrases_and_near(void **state)
{
	(void)state;
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
		/* no distance: a token of its own */
		{"\"a b\"~", "(PHRASE a@0 b@1)"},
		{"\"a b\" ~5", "(AND (PHRASE a@0 b@1) 5)"},
		{"\"a b\"~5x", "(AND (PHRASE a@0 b@1) 5x)"},
		{"\"a b\"~x", "(AND (PHRASE a@0 b@1) x)"},
		{"\"a b\"~-5", "(AND (PHRASE a@0 b@1) 5)"},
	};
	CHECK_TREES(cases, false);
}

static void test_prefix_and_fuzzy(void **state)
{
	(void)state;
	static const struct tree_case cases[] = {
		{"Cat*", "cat*"},
		{"cat~1 cat~2", "(AND cat~1 cat~2)"},
		{"cat**", "cat*"},
		{"ca*t", "(PHRASE ca@0 t@1)"},
		{"*cat", "cat"},
		{"e-mai*", "(PHRASE e@0 mai*@1)"},
		{"e-mial~2", "(PHRASE e@0 mial~2@1)"},
		{"cat*~1", "cat~1"},
		{"cat~1*", "(PHRASE cat@0 1*@1)"},
		{"cat+*", "cat*"},
		{"cat*\"dog\"", "(AND cat* dog)"},
		{"(cat~1)", "cat~1"},
		{"title:cat* title:cat~1", "(AND title:cat* title:cat~1)"},
		/* no suffix */
		{"cat~", "cat"},
		{"cat~3", "(PHRASE cat@0 3@1)"},
		{"cat~0", "(PHRASE cat@0 0@1)"},
		{"cat~12", "(PHRASE cat@0 12@1)"},
		{"~1", "1"},
		{"cat~ 1", "(AND cat 1)"},
		{"cat *", "cat"},
		/* nothing inexact in a run */
		{"漢*", "漢"},
		{"漢字*", "(PHRASE 漢@0 字@1 +漢字)"},
		{"漢字~1", "(PHRASE 漢@0 字@1 +漢字)"},
		{"ไทย*", "(PHRASE ไ@0 ท@1 ย@2 +ไท +ทย)"},
		{"漢字ab*", "(PHRASE 漢@0 字@1 ab*@2 +漢字)"},
		{"ab漢*", "(PHRASE ab@0 漢@1)"},
		/* A sign is of no run, so that it may stand for others; then there is no pair that must be there. */
		{"字漢㊗", "(PHRASE 字@0 漢@1 祝@2 +字漢 +漢祝)"},
		{"字漢㊗~2", "(PHRASE 字@0 漢@1 祝~2@2 +字漢)"},
		{"㊗*", "祝*"},
		{"한국*", "한국*"},
	};
	CHECK_TREES(cases, false);
}

static void test_runs(void **state)
{
	(void)state;
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
	CHECK_TREES(cases, false);
	struct bs_query *query = must_parse("漢字 -漢字 字漢", false);
	assert_int_equal(query->n_elements, 4);
	assert_int_equal(query->elements[2].kind, BS_ELEMENT_BIGRAM);
	assert_false(query->elements[2].is_positive);
	bs_query_free(query);
}

static void test_fields(void **state)
{
	(void)state;
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
		/* names of others, and other places, are text */
		{"Title:cat", "(PHRASE title@0 cat@1)"},
		{"http://x.org", "(PHRASE http@0 x@1 org@2)"},
		{"xtitle:cat", "(PHRASE xtitle@0 cat@1)"},
		{"x.title:cat", "(PHRASE x@0 title@1 cat@2)"},
		{":cat", "cat"},
		{"title :cat", "(AND title cat)"},
		{"\"title:cat\"", "(PHRASE title@0 cat@1)"},
		{"\"my field\":x", "(AND (PHRASE my@0 field@1) x)"},
		/* the longest name, the innermost field */
		{"a:b:c", "\"a:b\":c"},
		{"a:c", "a:c"},
		{"a:b", "a:b"},
		{"title:body:x", "body:x"},
		{"title:(x body:(y a:z))", "(AND title:x body:y a:z)"},
		{"title:(body:x y) z", "(AND body:x title:y z)"},
		/* neither - nor operators behind the colon */
		{"title:-cat", "title:cat"},
		{"title:AND", "title:and"},
		{"title:NOT*", "title:not*"},
		{"title:+++ cat", "cat"},
	};
	CHECK_TREES(cases, false);
}

static void test_any(void **state)
{
	(void)state;
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
	CHECK_TREES(cases, true);
}

struct error_case {
	const char *text;
	size_t error_byte;
	const char *message;
};

static void test_errors(void **state)
{
	(void)state;
	static const struct error_case cases[] = {
		{"", 0, "the query is empty"},
		{" \t\xe3\x80\x80", 0, "the query is empty"},
		{"+++", 0, "the query has no words"},
		{"\"\" OR -... (*)", 0, "the query has no words"},
		{"\"abc", 0, "unbalanced \": the phrase is never closed"},
		{"a b\"", 3, "unbalanced \": the phrase is never closed"},
		{"漢字 \"b", 7, "unbalanced \": the phrase is never closed"},
		{"\"", 0, "unbalanced \": the phrase is never closed"},
		{"(a", 0, "unbalanced (: it is never closed"},
		{"a (b (c)", 2, "unbalanced (: it is never closed"},
		{"a ((b c", 3, "unbalanced (: it is never closed"},
		{"a (", 2, "unbalanced (: it is never closed"},
		{")", 0, "unbalanced )"},
		{"a b) c", 3, "unbalanced )"},
		{"(a))", 3, "unbalanced )"},
		{"()", 1, "nothing between the parentheses"},
		{"a title:( ) b", 10, "nothing between the parentheses"},
		{"AND", 0, "AND needs something before it"},
		{"AND a", 0, "AND needs something before it"},
		{"a (OR b)", 3, "OR needs something before it"},
		{"OR", 0, "OR needs something before it"},
		{"a AND", 2, "AND needs something after it"},
		{"a OR", 2, "OR needs something after it"},
		{"(a OR) b", 3, "OR needs something after it"},
		{"a AND OR b", 2, "AND needs something after it"},
		{"a OR AND b", 2, "OR needs something after it"},
		{"a OR OR b", 2, "OR needs something after it"},
		{"NOT", 0, "NOT needs a word, a phrase or parentheses after it"},
		{"a NOT", 2, "NOT needs a word, a phrase or parentheses after it"},
		{"NOT NOT a", 0, "NOT needs a word, a phrase or parentheses after it"},
		{"NOT -a", 0, "NOT needs a word, a phrase or parentheses after it"},
		{"a NOT OR b", 2, "NOT needs a word, a phrase or parentheses after it"},
		{"(a -)", 3, "- needs a word, a phrase or parentheses after it"},
		{"title:", 0, "the field needs a word, a phrase or parentheses after it"},
		{"x -title: ", 3, "the field needs a word, a phrase or parentheses after it"},
		{"title: AND b", 0, "the field needs a word, a phrase or parentheses after it"},
		{"title: -b", 0, "the field needs a word, a phrase or parentheses after it"},
		{"title:)", 0, "the field needs a word, a phrase or parentheses after it"},
	};
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const struct error_case *c = &cases[i / 2];
		struct bs_error err = {{0}};
		size_t error_byte = 999;
		assert_null(parse(c->text, strlen(c->text), i % 2, &error_byte, &err));
		if (error_byte != c->error_byte || strcmp(err.text, c->message) != 0)
			fail_msg("%s: got %zu: %s", c->text, error_byte, err.text);
	}
}

struct caret_case {
	const char *text;
	size_t at_byte;
	const char *lines;
};

static void test_caret(void **state)
{
	(void)state;
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
		{"(12345678901234567890123456789012345678901234567890123456789012345678901234567890", 0,
		 "(1234567890123456789012345678901234567890123456789012345678901234567890123456…\n^"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *lines;
		const char *text = cases[i].text;
		assert_int_equal(bs_query_caret(text, strlen(text), cases[i].at_byte, &lines, NULL), BS_OK);
		assert_string_equal(lines, cases[i].lines);
		free(lines);
		assert_int_equal(bs_query_caret(text, strlen(text), SIZE_MAX, &lines, NULL), BS_INVALID);
		assert_null(lines);
	}
}

static void test_warnings(void **state)
{
	(void)state;
	struct bs_query *query = must_parse("+++ a \"...\" b~3 漢字~1", false);
	assert_int_equal(query->n_warnings, 4);
	assert_string_equal(query->warnings[0].text, "+++ is ignored: it holds no words");
	assert_string_equal(query->warnings[1].text, "\"...\" is ignored: it holds no words");
	assert_string_equal(query->warnings[2].text, "b~3 is searched as text: the distance of a word is ~1 or ~2");
	assert_non_null(strstr(query->warnings[3].text, "漢字 is searched as it is"));
	bs_query_free(query);

	query = must_parse("a + + + + + + + + + + + +", false);
	assert_int_equal(query->n_warnings, 12);
	bs_query_free(query);

	query = must_parse("a \xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
			   "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
			   "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac",
			   false);
	assert_non_null(strstr(query->warnings[0].text, "\xac… is ignored"));
	bs_query_free(query);

	query = must_parse("cat -dog", false);
	assert_int_equal(query->n_warnings, 0);
	bs_query_free(query);
}

/* The elements as "cat+ dog* ...": + for those that are scored. */
static void check_elements(const char *text, const char *wanted)
{
	static const char *const suffixes[] = {"", "*", "~", "|"};
	struct bs_query *query = must_parse(text, false);
	char got[500] = "";
	for (size_t i = 0; i < query->n_elements; i++) {
		const struct bs_element *element = &query->elements[i];
		size_t used = strlen(got);
		snprintf(got + used, sizeof(got) - used, "%s%.*s%s%s", i ? " " : "", (int)element->term_bytes,
			 (const char *)element->term, suffixes[element->kind], element->is_positive ? "+" : "");
	}
	assert_string_equal(got, wanted);
	bs_query_free(query);
}

static void test_elements(void **state)
{
	(void)state;
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
	(void)state;
	static const struct tree_case cases[] = {
		{"Running", "run"},
		{"running*", "running*"},
		{"running~1", "running~1"},
		{"running-running*", "(PHRASE run@0 running*@1)"},
		{"\"running dogs\"", "(PHRASE run@0 dog@1)"},
	};
	struct bs_query_options options = make_options(false);
	options.words = english_words;
	options.words_unstemmed = plain_words;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint8_t *text = (const uint8_t *)cases[i].text;
		struct bs_query *query;
		assert_int_equal(bs_query_parse(text, strlen(cases[i].text), &options, &query, NULL, NULL), BS_OK);
		char *tree = format(query);
		assert_string_equal(tree, cases[i].tree);
		free(tree);
		bs_query_free(query);
	}
}

static void test_free_null(void **state)
{
	(void)state;
	bs_query_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_weights_add_up),
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_phrases_and_near),
		cmocka_unit_test(test_prefix_and_fuzzy),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_caret),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_stemming),
		cmocka_unit_test(test_free_null),
	};
	return cmocka_run_group_tests(tests, open_words, close_words);
}
