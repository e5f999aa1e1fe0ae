/* test_parse.c: the query language, clause by clause; every error and its caret; hostile and random queries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/parse.h"

static const struct bs_query_field fields[] = {{"title", 5}, {"body", 4},     {"a", 1},
					       {"a:b", 3},   {"my field", 8}, {"", 0}};

static struct bs_words *plain_words, *english_words;

static int open_words(void **state)
{
	(void)state;
	struct bs_words_options english = {.stem_language = "english"};
	return bs_words_new(NULL, &plain_words, NULL) || bs_words_new(&english, &english_words, NULL);
}

static int close_words(void **state)
{
	(void)state;
	bs_words_free(plain_words);
	bs_words_free(english_words);
	return 0;
}

static struct bs_query_options make_options(bool any)
{
	struct bs_query_options options = {.words = plain_words, .fields = fields, .any = any};
	options.n_fields = sizeof(fields) / sizeof(fields[0]);
	return options;
}

/* The query, or NULL with *error_byte and *err. */
static struct bs_query *parse(const char *text, size_t text_bytes, bool any, size_t *error_byte, struct bs_error *err)
{
	struct bs_query_options options = make_options(any);
	struct bs_query *query;
	enum bs_status status = bs_query_parse((const uint8_t *)text, text_bytes, &options, &query, error_byte, err);
	assert_true(status == BS_OK || status == BS_INVALID);
	assert_int_equal(status == BS_OK, query != NULL);
	return query;
}

static struct bs_query *must_parse(const char *text, bool any)
{
	struct bs_error err = {{0}};
	struct bs_query *query = parse(text, strlen(text), any, NULL, &err);
	if (!query)
		fail_msg("%s: %s", text, err.text);
	return query;
}

/* NUL-ended; the caller frees it. */
static char *format(const struct bs_query *query)
{
	struct bs_buffer out = {0};
	assert_int_equal(bs_query_format(query, fields, &out, NULL), BS_OK);
	assert_int_equal(bs_buffer_append(&out, "", 1, NULL), BS_OK);
	return (char *)out.data;
}

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
	assert_int_equal(query->elements[2].kind, BS_ELEMENT_PAIR);
	assert_false(query->elements[2].is_scored);
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
		struct bs_buffer out = {0};
		const uint8_t *text = (const uint8_t *)cases[i].text;
		assert_int_equal(bs_query_caret(text, strlen(cases[i].text), cases[i].at_byte, &out, NULL), BS_OK);
		assert_int_equal(bs_buffer_append(&out, "", 1, NULL), BS_OK);
		assert_string_equal((const char *)out.data, cases[i].lines);
		bs_buffer_deinit(&out);
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
			 (const char *)element->term, suffixes[element->kind], element->is_scored ? "+" : "");
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

/* n_times the middle between the two ends. */
static struct bs_query *parse_repeated(const char *start, const char *middle, const char *end, size_t n_times, bool any,
				       size_t *error_byte, struct bs_error *err)
{
	struct bs_buffer text = {0};
	assert_int_equal(bs_buffer_append(&text, start, strlen(start), NULL), BS_OK);
	for (size_t i = 0; i < n_times; i++)
		assert_int_equal(bs_buffer_append(&text, middle, strlen(middle), NULL), BS_OK);
	assert_int_equal(bs_buffer_append(&text, end, strlen(end), NULL), BS_OK);
	struct bs_query *query = parse((const char *)text.data, text.used_bytes, any, error_byte, err);
	bs_buffer_deinit(&text);
	return query;
}

static void check_repeated_error(const char *middle, size_t n_times, size_t error_byte, const char *message)
{
	for (int any = 0; any < 2; any++) {
		struct bs_error err = {{0}};
		size_t got_byte;
		assert_null(parse_repeated("", middle, "", n_times, any, &got_byte, &err));
		assert_string_equal(err.text, message);
		assert_int_equal(got_byte, error_byte);
	}
}

static void test_hostile_errors(void **state)
{
	(void)state;
	const size_t many = 1000000;
	check_repeated_error("(", many, BS_QUERY_MAX_DEPTH, "parentheses are nested too deep");
	check_repeated_error("-(", many / 2, 2 * BS_QUERY_MAX_DEPTH + 1, "parentheses are nested too deep");
	check_repeated_error("title:(", many / 7, 7 * BS_QUERY_MAX_DEPTH + 6, "parentheses are nested too deep");
	check_repeated_error(")", many, 0, "unbalanced )");
	check_repeated_error("NOT ", many / 4, 0, "NOT needs a word, a phrase or parentheses after it");
	check_repeated_error("-", many, 0, "the query has no words");
	check_repeated_error("- ", many / 2, 0, "the query has no words");
	check_repeated_error("\"", many, 0, "the query has no words");
	check_repeated_error("\"", many - 1, many - 2, "unbalanced \": the phrase is never closed");
	check_repeated_error("AND ", many / 4, 0, "AND needs something before it");
	check_repeated_error("a:", many / 2, 0, "the field needs a word, a phrase or parentheses after it");
	check_repeated_error("a: ", many / 3, many / 3 * 3 - 3,
			     "the field needs a word, a phrase or parentheses after it");
	check_repeated_error("*", many, 0, "the query has no words");
	check_repeated_error(" ", many, 0, "the query is empty");
	check_repeated_error("\xff", many, 0, "the query has no words");
	check_repeated_error("x", BS_QUERY_MAX_BYTES + 1, BS_QUERY_MAX_BYTES, "the query is longer than 1048576 bytes");
}

static void check_repeated_parses(const char *start, const char *middle, const char *end, size_t n_times)
{
	for (int any = 0; any < 2; any++) {
		struct bs_error err = {{0}};
		struct bs_query *query = parse_repeated(start, middle, end, n_times, any, NULL, &err);
		if (!query)
			fail_msg("%s: %s", middle, err.text);
		free(format(query));
		bs_query_free(query);
	}
}

static void test_hostile_parses(void **state)
{
	(void)state;
	const size_t many = 1000000;
	check_repeated_parses("", "a ", "", many / 2);
	check_repeated_parses("a", " OR a", "", many / 5);
	check_repeated_parses("", "-a ", "", many / 3);
	check_repeated_parses("", "-", "a", many);
	check_repeated_parses("", "a-", "", many / 2);
	check_repeated_parses("", "a:", "a", many / 2);
	check_repeated_parses("", "a: ", "a", many / 3);
	check_repeated_parses("\"", "a ", "\"~3", many / 2);
	check_repeated_parses("", "漢", "*", many / 3);
	check_repeated_parses("", "x", "~2", many);
	check_repeated_parses("", "(a)", "", many / 3);
	check_repeated_parses("", "\"a\"", "", many / 3);
	check_repeated_parses("", "+ ", "a", many / 2);
}

/* The deepest legal tree: every level of parentheses is an OR of an AND of a NOT. */
static void test_deepest(void **state)
{
	(void)state;
	struct bs_buffer text = {0};
	for (size_t i = 0; i < BS_QUERY_MAX_DEPTH; i++)
		assert_int_equal(bs_buffer_append(&text, "a OR b -(", 9, NULL), BS_OK);
	assert_int_equal(bs_buffer_append(&text, "c", 1, NULL), BS_OK);
	for (size_t i = 0; i < BS_QUERY_MAX_DEPTH; i++)
		assert_int_equal(bs_buffer_append(&text, ")", 1, NULL), BS_OK);
	struct bs_query *query = parse((const char *)text.data, text.used_bytes, false, NULL, NULL);
	assert_non_null(query);
	assert_int_equal(query->n_nodes, 5 * BS_QUERY_MAX_DEPTH + 1);
	assert_int_equal(query->n_elements, 3);
	assert_true(query->elements[2].is_scored);
	free(format(query));
	bs_query_free(query);
	bs_buffer_deinit(&text);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void check_leaf(const struct bs_query *query, const struct bs_query_node *node, bool *is_seen)
{
	assert_int_equal(node->n_children, 0);
	assert_true(node->kind == BS_NODE_WORD ? node->n_items == 1 : node->n_items >= 2);
	assert_true(node->kind == BS_NODE_PHRASE || node->n_aids == 0);
	assert_int_equal(node->items[0].position, 0);
	for (uint32_t i = 0; i < node->n_items; i++) {
		assert_true(node->items[i].element < query->n_elements);
		assert_true(i == 0 || node->items[i].position > node->items[i - 1].position);
		assert_int_not_equal(query->elements[node->items[i].element].kind, BS_ELEMENT_PAIR);
		is_seen[node->items[i].element] = true;
	}
	for (uint32_t i = 0; i < node->n_aids; i++) {
		assert_int_equal(query->elements[node->aids[i].element].kind, BS_ELEMENT_PAIR);
		assert_false(query->elements[node->aids[i].element].is_scored);
		is_seen[node->aids[i].element] = true;
	}
}

/* What parse.h promises of every tree. */
static void check_promises(const struct bs_query *query)
{
	bool *is_seen = calloc(query->n_elements, sizeof(*is_seen));
	uint32_t *n_parents = calloc(query->n_nodes, sizeof(*n_parents));
	for (size_t n = 0; n < query->n_nodes; n++) {
		const struct bs_query_node *node = &query->nodes[n];
		if (node->kind == BS_NODE_WORD || node->kind == BS_NODE_PHRASE || node->kind == BS_NODE_NEAR) {
			check_leaf(query, node, is_seen);
			continue;
		}
		assert_int_equal(node->n_items, 0);
		assert_true(node->kind == BS_NODE_NOT ? node->n_children == 1 : node->n_children >= 2);
		for (uint32_t i = 0; i < node->n_children; i++) {
			assert_true(node->children[i] < n);
			assert_int_not_equal(query->nodes[node->children[i]].kind, node->kind);
			n_parents[node->children[i]]++;
		}
	}
	for (size_t n = 0; n + 1 < query->n_nodes; n++)
		assert_int_equal(n_parents[n], 1);
	for (size_t i = 0; i < query->n_elements; i++)
		assert_true(is_seen[i]);
	free(is_seen);
	free(n_parents);
}

static void write_text(struct bs_buffer *out, const char *text)
{
	assert_int_equal(bs_buffer_append(out, text, strlen(text), NULL), BS_OK);
}

static void write_element(struct bs_buffer *out, const struct bs_element *element)
{
	assert_int_equal(bs_buffer_append(out, element->term, element->term_bytes, NULL), BS_OK);
	if (element->kind == BS_ELEMENT_PREFIX)
		write_text(out, "*");
	if (element->kind == BS_ELEMENT_FUZZY)
		write_text(out, element->max_distance == 1 ? "~1" : "~2");
}

/* A leaf in the query language: quoted, or a bare token if it ends in something inexact. */
static void write_leaf(struct bs_buffer *out, const struct bs_query *query, const struct bs_query_node *node)
{
	enum bs_element_kind last = query->elements[node->items[node->n_items - 1].element].kind;
	bool is_quoted = last == BS_ELEMENT_TERM;
	uint32_t aid = 0;
	write_text(out, is_quoted ? "\"" : "");
	for (uint32_t i = 0; i < node->n_items; i++) {
		write_element(out, &query->elements[node->items[i].element]);
		bool is_paired = aid < node->n_aids && node->aids[aid].position == node->items[i].position;
		aid += is_paired;
		if (i + 1 < node->n_items && !is_paired)
			write_text(out, is_quoted ? " " : "-");
	}
	write_text(out, is_quoted ? "\"" : "");
	char distance[20];
	snprintf(distance, sizeof(distance), "~%u", node->distance);
	if (node->kind == BS_NODE_NEAR)
		write_text(out, distance);
}

/* The tree in the query language. */
static void write_node(struct bs_buffer *out, const struct bs_query *query, uint32_t index)
{
	const struct bs_query_node *node = &query->nodes[index];
	if (node->field != BS_QUERY_ANY_FIELD) {
		write_text(out, fields[node->field].name);
		write_text(out, ":");
	}
	if (node->n_items) {
		write_leaf(out, query, node);
		return;
	}
	write_text(out, node->kind == BS_NODE_NOT ? "NOT " : "(");
	for (uint32_t i = 0; i < node->n_children; i++) {
		if (i > 0)
			write_text(out, node->kind == BS_NODE_AND ? " AND " : " OR ");
		write_node(out, query, node->children[i]);
	}
	write_text(out, node->kind == BS_NODE_NOT ? "" : ")");
}

/* Written in the query language and parsed again, a tree is the same. */
static void check_round_trip(const struct bs_query *query)
{
	struct bs_buffer text = {0};
	write_node(&text, query, (uint32_t)(query->n_nodes - 1));
	struct bs_error err = {{0}};
	struct bs_query *again = parse((const char *)text.data, text.used_bytes, false, NULL, &err);
	if (!again)
		fail_msg("%.*s: %s", (int)text.used_bytes, (const char *)text.data, err.text);
	char *tree = format(query), *tree_again = format(again);
	assert_string_equal(tree, tree_again);
	free(tree);
	free(tree_again);
	bs_query_free(again);
	bs_buffer_deinit(&text);
}

static void check_soup(const struct bs_buffer *soup, bool any)
{
	struct bs_error err = {{0}};
	size_t error_byte = 0;
	struct bs_query *query = parse((const char *)soup->data, soup->used_bytes, any, &error_byte, &err);
	struct bs_buffer caret = {0};
	if (query) {
		check_promises(query);
		check_round_trip(query);
	} else {
		assert_true(error_byte <= soup->used_bytes);
		assert_true(strlen(err.text) > 0);
		assert_int_equal(bs_query_caret(soup->data, soup->used_bytes, error_byte, &caret, NULL), BS_OK);
	}
	bs_buffer_deinit(&caret);
	bs_query_free(query);
}

static void test_token_soup(void **state)
{
	(void)state;
	static const char *const tokens[] = {
		"cat",  "dog", "bird", "cat",    " ",     " ",        " ",    " ",     "\xe3\x80\x80", "(",  ")",
		"(",    ")",   "\"",   "\"",     "-",     " AND ",    " OR ", " NOT ", "AND",          "*",  "~1",
		"~2",   "~5",  "~",    "title:", "body:", "a:",       "a:b:", "no:",   "漢字",         "漢", "ไทย",
		"カナ", "été", "+++",  ".",      "\xff",  "\xe3\x81", "\x01", "'",     "\\",           "_",  "한국",
	};
	uint64_t random = 1;
	size_t n_soups = 60000;
	for (size_t i = 0; i < n_soups; i++) {
		struct bs_buffer soup = {0};
		size_t n_tokens = 1 + next_random(&random) % 14;
		for (size_t k = 0; k < n_tokens; k++)
			write_text(&soup, tokens[next_random(&random) % (sizeof(tokens) / sizeof(tokens[0]))]);
		check_soup(&soup, i % 2);
		bs_buffer_deinit(&soup);
	}
}

/* Bytes of the grammar and any others: no crash, and what parse.h promises. */
static void test_byte_soup(void **state)
{
	(void)state;
	uint64_t random = 2;
	for (size_t i = 0; i < 20000; i++) {
		uint8_t bytes[24];
		size_t n_bytes = next_random(&random) % sizeof(bytes);
		for (size_t k = 0; k < n_bytes; k++) {
			uint64_t draw = next_random(&random);
			bytes[k] = draw % 3 ? (uint8_t) "()\"-*~12 :aAb"[draw / 3 % 13] : (uint8_t)(draw >> 8);
		}
		struct bs_error err = {{0}};
		size_t error_byte;
		struct bs_query *query = parse((const char *)bytes, n_bytes, i % 2, &error_byte, &err);
		assert_true(query || error_byte <= n_bytes);
		if (query) {
			check_promises(query);
			free(format(query));
		}
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
		cmocka_unit_test(test_hostile_errors),
		cmocka_unit_test(test_hostile_parses),
		cmocka_unit_test(test_deepest),
		cmocka_unit_test(test_token_soup),
		cmocka_unit_test(test_byte_soup),
		cmocka_unit_test(test_free_null),
	};
	return cmocka_run_group_tests(tests, open_words, close_words);
}
