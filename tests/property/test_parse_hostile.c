/* test_parse_hostile.c: long, deeply nested and random queries must not crash or take long, and
 * must keep the promises of parse.h. */
#include "core/bitsift/search.h"
#include "query/language/wildcard.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/parse_rig.h"

/* Parses the text of `start`, n_times `middle`, and `end`. */
static struct bs_query_tree *parse_repeated(const char *start, const char *middle, const char *end,
                                            size_t n_times, bool any, size_t *error_byte,
                                            struct bs_error *err)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_string(&text, start);
	append_repeated(&text, middle, n_times);
	append_string(&text, end);
	return parse((const char *)text.data, text.used_bytes, any, error_byte, err);
}

static void check_repeated_error(const char *middle, size_t n_times, size_t error_byte,
                                 const char *message)
{
	for (int any = 0; any < 2; any++) {
		size_t got_byte;
		assert_null(parse_repeated("", middle, "", n_times, any, &got_byte, ERR));
		assert_string_equal(said.text, message);
		assert_int_equal(got_byte, error_byte);
	}
}

static void test_hostile_errors(void **state)
{
	const size_t many = 1000000;
	for (const char *const *sign = (const char *const[]){"(", ")", "-(", "NOT ", "-", "- ",
	                                                     "\"", "AND ", "()", "(-", NULL};
	     *sign; sign++) {
		check_repeated_error(*sign, many / strlen(*sign), 0, "the query has no words");
		check_repeated_error(*sign, many / strlen(*sign) - 1, 0, "the query has no words");
	}
	check_repeated_error("title:(", many / 7, 0, "a phrase may have at most 16384 words");
	check_repeated_error("*", many, 0, "the query has no words");
	check_repeated_error(" ", many, 0, "the query is empty");
	check_repeated_error("\xff", many, 0, "the query has no words");
	check_repeated_error("x", BS_QUERY_MAX_BYTES + 1, BS_QUERY_MAX_BYTES,
	                     "the query is longer than 1048576 bytes");
}

static void check_repeated_parses(const char *start, const char *middle, const char *end,
                                  size_t n_times)
{
	for (int any = 0; any < 2; any++) {
		AUTO(bs_query_tree_free_at)
		struct bs_query_tree *query =
			parse_repeated(start, middle, end, n_times, any, NULL, ERR);
		if (!query)
			fail_msg("%s: %s", middle, said.text);
		free(format(query));
	}
}

static void test_hostile_parses(void **state)
{
	const size_t many = 1000000;
	check_repeated_parses("", "a ", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("a", " OR a", "", BS_QUERY_MAX_WORDS - 1);
	check_repeated_parses("", "-a ", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("", "-", "a", many);
	check_repeated_parses("", "a-", "", BS_QUERY_MAX_PHRASE);
	check_repeated_parses("", "a:", "a", many / 2);
	check_repeated_parses("", "a: ", "a", many / 3);
	check_repeated_parses("", "a: ", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("", "titel:", "a", 3000);
	check_repeated_parses("", "titel:a ", "", 30000);
	check_repeated_parses("", "a^2001 ", "", 30000);
	check_repeated_parses("", "f(", "", BS_QUERY_MAX_PHRASE);
	check_repeated_parses("", "( a", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("", "a ) ", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("", "a AND OR ", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("\"", "a ", "\"~3", BS_QUERY_MAX_PHRASE);
	check_repeated_parses("", "漢", "*", BS_QUERY_MAX_PHRASE);
	check_repeated_parses("", "x", "~2", many);
	check_repeated_parses("", "(a)", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("", "\"a\"", "", BS_QUERY_MAX_WORDS);
	check_repeated_parses("", "b* ", "", BS_QUERY_MAX_INEXACT);
	check_repeated_parses("", "+ ", "a", many / 2);
}

/* Queries that exceed a limit by one. */
static void test_limits(void **state)
{
	static const char *const words = "a query may have at most 100000 words",
				 *const phrase = "a phrase may have at most 16384 words";
	check_repeated_error("a ", BS_QUERY_MAX_WORDS + 1, 2 * BS_QUERY_MAX_WORDS, words);
	check_repeated_error("(a)", BS_QUERY_MAX_WORDS + 1, 3 * BS_QUERY_MAX_WORDS + 1, words);
	check_repeated_error("a-", BS_QUERY_MAX_PHRASE + 1, 0, phrase);
	check_repeated_error("漢", BS_QUERY_MAX_PHRASE + 1, 0, phrase);
	check_repeated_error("b* ", BS_QUERY_MAX_INEXACT + 1, 3 * BS_QUERY_MAX_INEXACT,
	                     "a query may have at most 1024 words with *, ? or ~");
}

static void check_nested(const char *open, size_t n_times, size_t error_byte)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	size_t got_byte = 0;
	append_repeated(&text, open, n_times);
	append_string(&text, "a");
	append_repeated(&text, ")^2", n_times);
	AUTO(bs_query_tree_free_at)
	struct bs_query_tree *query =
		parse((const char *)text.data, text.used_bytes, false, &got_byte, ERR);
	assert_int_equal(query == NULL, error_byte > 0);
	if (!query) {
		assert_string_equal(said.text, "brackets are nested too deep");
		assert_int_equal(got_byte, error_byte);
	}
}

static void test_nested(void **state)
{
	check_nested("(", BS_QUERY_MAX_DEPTH, 0);
	check_nested("(", 200000, BS_QUERY_MAX_DEPTH);
	check_nested("-(", 200000, 2 * BS_QUERY_MAX_DEPTH + 1);
	check_nested("title:(", 100000, 7 * BS_QUERY_MAX_DEPTH + 6);
	check_nested("f(", 8000, 0);
}

/* The deepest valid tree: every level of parentheses is an OR of an AND of a NOT. */
static void test_deepest(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_repeated(&text, "a OR b -(", BS_QUERY_MAX_DEPTH);
	append_string(&text, "c");
	append_repeated(&text, ")", BS_QUERY_MAX_DEPTH);
	AUTO(bs_query_tree_free_at)
	struct bs_query_tree *query =
		parse((const char *)text.data, text.used_bytes, false, NULL, NULL);
	assert_non_null(query);
	assert_int_equal(query->n_nodes, 5 * BS_QUERY_MAX_DEPTH + 1);
	assert_int_equal(query->n_elements, 3);
	assert_true(query->elements[2].is_positive);
	free(format(query));
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void check_leaf(const struct bs_query_tree *query, const struct bs_query_node *node,
                       bool *is_seen)
{
	assert_int_equal(node->n_children, 0);
	assert_true(node->kind == BS_NODE_WORD ? node->n_items == 1 : node->n_items >= 2);
	assert_true(node->kind == BS_NODE_PHRASE || node->n_aids == 0);
	assert_int_equal(node->items[0].position, 0);
	for (uint32_t i = 0; i < node->n_items; i++) {
		assert_true(node->items[i].element < query->n_elements);
		assert_true(i == 0 || node->items[i].position > node->items[i - 1].position);
		assert_int_not_equal(query->elements[node->items[i].element].kind,
		                     BS_ELEMENT_BIGRAM);
		is_seen[node->items[i].element] = true;
	}
	for (uint32_t i = 0; i < node->n_aids; i++) {
		assert_int_equal(query->elements[node->aids[i].element].kind, BS_ELEMENT_BIGRAM);
		assert_false(query->elements[node->aids[i].element].is_positive);
		is_seen[node->aids[i].element] = true;
	}
}

/* Checks what parse.h promises about every tree. */
static void check_promises(const struct bs_query_tree *query)
{
	FREED bool *is_seen = calloc(query->n_elements, sizeof(*is_seen));
	FREED uint32_t *n_parents = calloc(query->n_nodes, sizeof(*n_parents));
	for (size_t n = 0; n < query->n_nodes; n++) {
		const struct bs_query_node *node = &query->nodes[n];
		if (node->kind == BS_NODE_WORD || node->kind == BS_NODE_PHRASE ||
		    node->kind == BS_NODE_NEAR) {
			check_leaf(query, node, is_seen);
			continue;
		}
		assert_int_equal(node->n_items, 0);
		assert_true(node->kind == BS_NODE_NOT ? node->n_children == 1
		                                      : node->n_children >= 2);
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
}

static void write_element(struct bs_buffer *out, const struct bs_element *element)
{
	for (uint32_t i = 0; i < element->term_bytes; i++)
		append_string(out, element->term[i] == BS_PATTERN_ANY ? "*"
		                   : element->term[i] == BS_PATTERN_ONE
		                           ? "?"
		                           : (const char[]){(char)element->term[i], '\0'});
	/* A sign after the * keeps a preceding apostrophe in the word. */
	if (element->kind == BS_ELEMENT_PREFIX)
		append_string(out, element->term[element->term_bytes - 1] == '\'' ? "*+" : "*");
	if (element->kind == BS_ELEMENT_FUZZY)
		append_string(out, element->max_distance == 1 ? "~1" : "~2");
}

/* Writes a leaf in the query language: quoted, or as a bare token if its last word is inexact. */
static void write_leaf(struct bs_buffer *out, const struct bs_query_tree *query,
                       const struct bs_query_node *node)
{
	enum bs_element_kind last = query->elements[node->items[node->n_items - 1].element].kind;
	bool is_quoted = last == BS_ELEMENT_TERM;
	uint32_t aid = 0;
	append_string(out, is_quoted ? "\"" : "");
	for (uint32_t i = 0; i < node->n_items; i++) {
		write_element(out, &query->elements[node->items[i].element]);
		bool is_paired =
			aid < node->n_aids && node->aids[aid].position == node->items[i].position;
		aid += is_paired;
		if (i + 1 < node->n_items && !is_paired)
			append_string(out, is_quoted ? " " : "-");
	}
	append_string(out, is_quoted ? "\"" : "");
	char distance[20];
	snprintf(distance, sizeof(distance), "~%u", node->distance);
	if (node->kind == BS_NODE_NEAR)
		append_string(out, distance);
	char weight[32];
	snprintf(weight, sizeof(weight), "^%.9f", node->weight);
	append_string(out, node->weight < 1 || node->weight > 1 ? weight : "");
}

/* Writes a tree in the query language. */
static void write_node(struct bs_buffer *out, const struct bs_query_tree *query, uint32_t index)
{
	const struct bs_query_node *node = &query->nodes[index];
	if (node->field != BS_QUERY_ANY_FIELD) {
		append_string(out, fields[node->field].name);
		append_string(out, ":");
	}
	if (node->n_items) {
		write_leaf(out, query, node);
		return;
	}
	append_string(out, node->kind == BS_NODE_NOT ? "NOT " : "(");
	for (uint32_t i = 0; i < node->n_children; i++) {
		if (i > 0)
			append_string(out, node->kind == BS_NODE_AND ? " AND " : " OR ");
		write_node(out, query, node->children[i]);
	}
	append_string(out, node->kind == BS_NODE_NOT ? "" : ")");
}

/* A tree that is written in the query language and parsed again must be the same. */
static void check_round_trip(const struct bs_query_tree *query)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	write_node(&text, query, (uint32_t)(query->n_nodes - 1));
	AUTO(bs_query_tree_free_at)
	struct bs_query_tree *again =
		parse((const char *)text.data, text.used_bytes, false, NULL, ERR);
	if (!again)
		fail_msg("%.*s: %s", (int)text.used_bytes, (const char *)text.data, said.text);
	FREED char *tree = format(query), *tree_again = format(again);
	assert_string_equal(tree, tree_again);
}

static void check_soup(const struct bs_buffer *soup, bool any)
{
	size_t error_byte = 0;
	AUTO(bs_query_tree_free_at)
	struct bs_query_tree *query =
		parse((const char *)soup->data, soup->used_bytes, any, &error_byte, ERR);
	FREED char *caret = NULL;
	if (query) {
		check_promises(query);
		check_round_trip(query);
	} else {
		/* Misplaced operators count as punctuation, so no other error is possible. */
		assert_true(strcmp(said.text, "the query has no words") == 0 ||
		            strcmp(said.text, "the query is empty") == 0);
		assert_int_equal(error_byte, 0);
		ok(bs_query_caret((const char *)soup->data, soup->used_bytes, error_byte, &caret,
		                  ERR));
	}
}

static void test_token_soup(void **state)
{
	static const char *const tokens[] = {
		"cat", "dog", "bird", "cat", "or", "2", " ", " ", " ", " ", "\u3000", "(", ")", "(",
		")", "\"", "\"", "-", " AND ", " OR ", " NOT ", "AND", "&&", "||", "!", "*", "~1",
		"*", "?", "a?b", "*", "~2", "~5", "~", "^2", "^.5", "^", ")^3",
		"title:", "body:", "a:", "a:b:", "no:", "titel:", "f(", "x(",
		/* Letters beyond ASCII, punctuation, invalid UTF-8. */
		"漢字", "漢", "ไทย", "カナ", "été", "한국", "/", "->", ":", "+++", ".", "'", "\\",
		"_", "\x01", "\xff", "\xe3\x81"};
	uint64_t random = rounds.seed;
	for (size_t i = 0; i < 3 * rounds.n; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer soup = {0};
		size_t n_tokens = 1 + next_random(&random) % 14;
		for (size_t k = 0; k < n_tokens; k++)
			append_string(&soup, tokens[next_random(&random) % (COUNT(tokens))]);
		check_soup(&soup, i % 2);
	}
}

/* Random bytes, two thirds of them from the grammar, must not crash, and the promises of parse.h
 * must hold. */
static void test_byte_soup(void **state)
{
	uint64_t random = rounds.seed + 1;
	for (size_t i = 0; i < rounds.n; i++) {
		uint8_t bytes[24];
		size_t n_bytes = next_random(&random) % sizeof(bytes);
		for (size_t k = 0; k < n_bytes; k++) {
			uint64_t draw = next_random(&random);
			bytes[k] = draw % 3 ? (uint8_t) "()\"-*~12 :aAb^!&|/?*"[draw / 3 % 20]
			                    : (uint8_t)(draw >> 8);
		}
		size_t error_byte;
		AUTO(bs_query_tree_free_at)
		struct bs_query_tree *query =
			parse((const char *)bytes, n_bytes, i % 2, &error_byte, ERR);
		assert_true(query || strcmp(said.text, "the query has no words") == 0 ||
		            strcmp(said.text, "the query is empty") == 0);
		if (query) {
			check_promises(query);
			free(format(query));
		}
	}
}

RUN_RANDOM_TESTS_WITH(20000, 1, open_words, close_words, test_hostile_errors, test_hostile_parses,
                      test_limits, test_nested, test_deepest, test_token_soup, test_byte_soup)
