/* test_pattern_tree.c: a pattern that is built by calls (bitsift/pattern_tree.h) must equal its
 * text: the text compiles, and parsing it gives the same nodes. Uses random trees; then tests
 * misuse by a host. */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/bitsift/candidates.h"
#include "query/regex/built_pattern.h"
#include "query/regex/regex_read.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"

AUTO_OF(struct bs_text_filter, bs_text_filter_free)

static uint32_t draw_character(void)
{
	static const uint32_t characters[] = {'a', 'b',   'k',   'Z',   '0',  ' ',    '\n',
	                                      '{', '}',   '\\',  '^',   ']',  '-',    '+',
	                                      0,   0x130, 0x131, 0x307, 0xe9, 0x4e2d, 0x1f600};
	return characters[below(COUNT(characters))];
}

static size_t draw_ranges(struct bs_pattern_range *ranges)
{
	size_t n = 1 + below(3);
	for (size_t i = 0; i < n; i++) {
		uint32_t first = draw_character(), last = below(2) ? first : draw_character();
		ranges[i] = first < last ? (struct bs_pattern_range){first, last}
		                         : (struct bs_pattern_range){last, first};
	}
	return n;
}

static void draw_parts(struct bs_pattern_tree *tree, unsigned depth)
{
	struct bs_pattern_range ranges[3];
	for (uint32_t n = below(6); n > 0; n--) {
		uint32_t kind = below(12);
		size_t n_ranges = draw_ranges(ranges);
		if (kind < 5) {
			bs_pattern_tree_character(tree, draw_character());
		} else if (kind == 5) {
			bs_pattern_tree_any(tree);
		} else if (kind == 6) {
			bs_pattern_tree_class(tree, ranges, n_ranges, below(3) == 0);
		} else if (kind == 7 && depth < 4) {
			bs_pattern_tree_open(tree);
			draw_parts(tree, depth + 1);
			bs_pattern_tree_close(tree);
		} else if (kind == 8) {
			bs_pattern_tree_either(tree);
			continue;
		} else if (kind == 9) {
			bs_pattern_tree_place(tree, (enum bs_pattern_place)below(4));
			continue;
		} else if (kind == 10) {
			bs_pattern_tree_not_preceded(tree, ranges, n_ranges);
			continue;
		} else {
			bs_pattern_tree_not_followed(tree, ranges, n_ranges);
			continue;
		}
		if (below(3) == 0)
			bs_pattern_tree_repeat(tree, below(3),
			                       below(2) ? 2 + below(3) : BS_PATTERN_NO_MAX);
	}
}

static bool are_same_nodes(const struct bs_regex_node *a, const struct bs_regex_node *b,
                           bool fold_case)
{
	bool is_cased = !fold_case && a->caseless == b->caseless;
	is_cased |= fold_case && bs_regex_is(a->caseless, true) == bs_regex_is(b->caseless, true);
	return a->kind == b->kind && a->letter == b->letter && is_cased && a->first == b->first &&
	       a->n == b->n && a->next == b->next && a->least == b->least && a->most == b->most;
}

static void compare(const struct bs_regex *built, const struct bs_regex *read, bool fold_case)
{
	const char *text = (const char *)built->text;
	int n_bytes = (int)built->n_bytes;
	if (built->root != read->root || bs_regex_n_nodes(built) != bs_regex_n_nodes(read) ||
	    built->is_ascii != read->is_ascii || built->n_captures != read->n_captures ||
	    built->has_control != read->has_control ||
	    bs_vector_n(&built->members) != bs_vector_n(&read->members))
		fail_msg("%.*s: %u nodes, %u when read", n_bytes, text, bs_regex_n_nodes(built),
		         bs_regex_n_nodes(read));
	for (uint32_t i = 0; i < bs_regex_n_nodes(built); i++)
		if (!are_same_nodes(bs_regex_node(built, i), bs_regex_node(read, i), fold_case))
			fail_msg("%.*s: node %u is another when read", n_bytes, text, i);
	for (uint32_t i = 0; i < bs_vector_n(&built->members); i++)
		assert_memory_equal(bs_regex_member(built, i), bs_regex_member(read, i),
		                    offsetof(struct bs_regex_member, letter) + 1);
	assert_buffers_equal(&built->bytes, &read->bytes);
	assert_int_equal(bs_vector_n(&built->bars), bs_vector_n(&read->bars));
	for (size_t i = 0; i < bs_vector_n(&built->bars); i++)
		assert_int_equal(built->bars.items[i], read->bars.items[i]);
}

static void trees_are_what_their_text_says(void **state)
{
	struct bs_pattern_tree *trees[2];
	struct bs_regex read = {.root = 0};
	int error;
	PCRE2_SIZE where;
	for (int fold = 0; fold < 2; fold++)
		ok(bs_pattern_tree_new(fold, &trees[fold], ERR));
	for (unsigned long i = 0; i < rounds.n; i++) {
		bool fold_case = i % 2;
		AUTO(bs_grep_analysis_deinit)
		struct bs_grep_analysis analysis = {.is_legible = false};
		bs_pattern_tree_clear(trees[fold_case]);
		draw_parts(trees[fold_case], 0);
		ok(bs_pattern_tree_end(trees[fold_case], ERR));
		ok(bs_pattern_tree_analyse(trees[fold_case], &analysis, ERR));
		pcre2_code *code = pcre2_compile(analysis.regex.text, analysis.regex.n_bytes,
		                                 PCRE2_UTF | PCRE2_UCP, &error, &where, NULL);
		if (!code)
			fail_msg("%.*s does not compile: %d at %zu", (int)analysis.regex.n_bytes,
			         analysis.regex.text, error, where);
		pcre2_code_free(code);
		ok(bs_regex_read(&read, analysis.regex.text, analysis.regex.n_bytes, ERR));
		compare(&analysis.regex, &read, fold_case);
	}
	bs_regex_deinit(&read);
	for (int fold = 0; fold < 2; fold++)
		bs_pattern_tree_free(trees[fold]);
}

static void add_surrogate(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_character(tree, 0xd800);
}

static void add_large_repetition(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_character(tree, 'a');
	bs_pattern_tree_repeat(tree, 1, 65536);
}

static void add_many_groups(struct bs_pattern_tree *tree)
{
	for (int i = 0; i < 1000; i++)
		bs_pattern_tree_open(tree);
	for (int i = 0; i < 1000; i++)
		bs_pattern_tree_close(tree);
}

/* A pattern that cannot be represented accepts every text. */
static void what_no_pattern_has_rules_nothing_out(void **state)
{
	static void (*const parts[])(struct bs_pattern_tree *) = {
		add_surrogate, add_large_repetition, add_many_groups};
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct bs_pattern_tree *tree;
		AUTO(bs_text_filter_free_at) struct bs_text_filter *filter;
		ok(bs_pattern_tree_new(false, &tree, ERR));
		bs_pattern_tree_character(tree, 'x');
		parts[i](tree);
		bs_pattern_tree_character(tree, 'y');
		ok(bs_pattern_tree_end(tree, ERR));
		ok(bs_text_filter_new_of_tree(tree, &filter, ERR));
		bs_pattern_tree_free(tree);
		assert_true(bs_text_filter_may_match(filter, "z", 1));
	}
}

static void repeat_nothing(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_repeat(tree, 0, 1);
}

static void repeat_twice(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_any(tree);
	bs_pattern_tree_repeat(tree, 0, 1);
	bs_pattern_tree_repeat(tree, 0, 1);
}

static void repeat_place(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_place(tree, BS_PATTERN_LINE_START);
	bs_pattern_tree_repeat(tree, 0, 1);
}

static void repeat_backwards(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_any(tree);
	bs_pattern_tree_repeat(tree, 2, 1);
}

static void add_empty_class(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_class(tree, NULL, 0, false);
}

static void add_backward_range(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_class(tree, (struct bs_pattern_range[]){{'b', 'a'}}, 1, false);
}

static void mistakes_are_reported(void **state)
{
	static void (*const mistakes[])(struct bs_pattern_tree *) = {
		bs_pattern_tree_open, bs_pattern_tree_close, repeat_nothing,  repeat_twice,
		repeat_place,         repeat_backwards,      add_empty_class, add_backward_range};
	struct bs_pattern_tree *tree;
	AUTO(bs_text_filter_free_at) struct bs_text_filter *filter;
	ok(bs_pattern_tree_new(false, &tree, ERR));
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		bs_pattern_tree_clear(tree);
		mistakes[i](tree);
		bs_pattern_tree_character(tree, 'x');
		expect_error(bs_pattern_tree_end(tree, ERR), BS_INVALID, "pattern tree");
		assert_int_equal(bs_text_filter_new_of_tree(tree, &filter, ERR), BS_INVALID);
		assert_null(filter);
	}
	/* After the end, further parts are ignored; ending again is allowed. */
	bs_pattern_tree_clear(tree);
	bs_pattern_tree_character(tree, 'x');
	ok(bs_pattern_tree_end(tree, ERR));
	bs_pattern_tree_character(tree, 'y');
	bs_pattern_tree_repeat(tree, 2, 2);
	ok(bs_pattern_tree_end(tree, ERR));
	ok(bs_text_filter_new_of_tree(tree, &filter, ERR));
	assert_true(bs_text_filter_may_match(filter, "axb", 3) &&
	            !bs_text_filter_may_match(filter, "ayb", 3));
	bs_pattern_tree_free(tree);
	bs_pattern_tree_free(NULL);
}

RUN_RANDOM_TESTS(20000, 1, trees_are_what_their_text_says, what_no_pattern_has_rules_nothing_out,
                 mistakes_are_reported)
