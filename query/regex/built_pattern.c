/*
 * built_pattern.c: bs_pattern_tree (bitsift/pattern_tree.h): a pattern that a host builds by calls.
 *
 * A call that adds a part creates its node and writes it in PCRE2's syntax. PCRE2 compiles this
 * text. Nodes and members refer to positions in it, as if it had been read (regex_tree.h): reading
 * the text would make the same nodes.
 */
#include "query/regex/built_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/regex/regex_build.h"
#include "query/regex/regex_read.h"

#define MOST_REPETITIONS 65535u /* PCRE2's limit */

/* An open group, or the whole pattern. */
struct level {
	struct bs_regex_children alternatives, sequence;
	size_t from;          /* start of the group, including its parenthesis */
	size_t sequence_from; /* start of the current alternative */
};

BS_VECTOR(levels, struct level);

struct bs_pattern_tree {
	struct bs_regex regex;
	struct bs_buffer text; /* becomes regex.text */
	struct bs_regex_build build;
	struct levels levels; /* the first is the whole pattern */
	/* if has_item: the last part, which is not yet in its sequence, because a repetition may
	 * follow */
	uint32_t item;
	size_t item_from;
	bool has_item, is_repeated;
	bool fold_case, is_ended;
	struct bs_error err; /* the first failure: build.err points here */
};

static struct level *top(struct bs_pattern_tree *tree)
{
	return &tree->levels.items[bs_vector_n(&tree->levels) - 1];
}

static void push_level(struct bs_pattern_tree *tree, size_t from)
{
	struct level level = {bs_regex_no_children, bs_regex_no_children, from, tree->build.at};
	tree->build.status = bs_vector_append(&tree->levels, &level, &tree->err);
}

static void misuse(struct bs_pattern_tree *tree, const char *what)
{
	if (!bs_regex_is_lost(&tree->build))
		tree->build.status = bs_fail(&tree->err, BS_INVALID, "a pattern tree: %s", what);
}

static void write_text(struct bs_pattern_tree *tree, const char *text)
{
	struct bs_regex_build *build = &tree->build;
	if (bs_regex_is_lost(build))
		return;
	build->status = bs_buffer_append(&tree->text, text, strlen(text), &tree->err);
	build->at = tree->text.used_bytes;
	build->gave_up = build->at > BS_REGEX_MAX_BYTES;
}

static void write_code_point(struct bs_pattern_tree *tree, uint32_t c)
{
	char text[16];
	bool is_plain = c < 0x80 && ((c | 0x20) - 'a' < 26 || c - '0' < 10);
	snprintf(text, sizeof(text), is_plain ? "%c" : "\\x{%x}", c);
	write_text(tree, text);
}

/* Adds the last part to its sequence; it can no longer be repeated. */
static void settle(struct bs_pattern_tree *tree)
{
	if (tree->has_item)
		bs_regex_put_in_sequence(&tree->build, &top(tree)->sequence, tree->item);
	tree->has_item = false;
}

/* Called first by each function that adds a part. False: that function must do nothing, because the
 * pattern has ended or an earlier call failed. */
static bool begin_part(struct bs_pattern_tree *tree)
{
	if (tree->is_ended || bs_regex_is_lost(&tree->build))
		return false;
	settle(tree);
	return true;
}

static void end_part(struct bs_pattern_tree *tree, uint32_t item, size_t from)
{
	tree->item = item;
	tree->item_from = from;
	tree->has_item = true;
	tree->is_repeated = false;
}

static void end_place(struct bs_pattern_tree *tree, uint32_t place)
{
	bs_regex_put_in_sequence(&tree->build, &top(tree)->sequence, place);
}

/* Makes the tree empty. Keeps its memory. */
static void begin_tree(struct bs_pattern_tree *tree)
{
	struct bs_regex *regex = &tree->regex;
	bs_vector_clear(&regex->nodes);
	bs_vector_clear(&regex->members);
	bs_buffer_clear(&regex->bytes);
	bs_vector_clear(&regex->bars);
	bs_vector_clear(&tree->levels);
	bs_buffer_clear(&tree->text);
	*regex = (struct bs_regex){.nodes = regex->nodes,
	                           .members = regex->members,
	                           .bytes = regex->bytes,
	                           .bars = regex->bars,
	                           .is_utf8 = true,
	                           .is_ascii = true};
	tree->build = (struct bs_regex_build){.regex = regex, .err = &tree->err};
	tree->has_item = tree->is_ended = false;
	push_level(tree, 0);
}

enum bs_status bs_pattern_tree_new(bool fold_case, struct bs_pattern_tree **tree_out,
                                   struct bs_error *err)
{
	struct bs_pattern_tree *tree = calloc(1, sizeof(*tree));
	*tree_out = tree;
	if (!tree)
		return bs_fail_memory(err, "a pattern", sizeof(*tree));
	tree->fold_case = fold_case;
	begin_tree(tree);
	return BS_OK;
}

void bs_pattern_tree_free(struct bs_pattern_tree *tree)
{
	if (!tree)
		return;
	bs_regex_deinit(&tree->regex);
	bs_buffer_deinit(&tree->text);
	bs_vector_deinit(&tree->levels);
	free(tree);
}

void bs_pattern_tree_clear(struct bs_pattern_tree *tree)
{
	begin_tree(tree);
}

void bs_pattern_tree_character(struct bs_pattern_tree *tree, uint32_t character)
{
	size_t from = tree->build.at;
	if (!begin_part(tree))
		return;
	write_code_point(tree, character);
	end_part(tree, bs_regex_add_char(&tree->build, character, from), from);
}

void bs_pattern_tree_any(struct bs_pattern_tree *tree)
{
	struct bs_regex_build *build = &tree->build;
	size_t from = build->at;
	if (!begin_part(tree))
		return;
	write_text(tree, ".");
	bs_regex_add_member(build, from, '.', 0, 0);
	end_part(tree, bs_regex_add_set(build, from, 0, bs_regex_n_members(build) - 1), from);
}

static void add_range(struct bs_pattern_tree *tree, struct bs_pattern_range range)
{
	size_t from = tree->build.at;
	if (range.first > range.last || range.last > 0x10ffff)
		misuse(tree, "not a range of characters");
	else if ((range.first >= 0xd800 && range.first < 0xe000) ||
	         (range.last >= 0xd800 && range.last < 0xe000))
		bs_regex_give_up(&tree->build);
	write_code_point(tree, range.first);
	write_text(tree, range.first < range.last ? "-" : "");
	if (range.first < range.last)
		write_code_point(tree, range.last);
	bs_regex_add_member(&tree->build, from, 0, range.first, range.last);
}

static uint32_t add_class(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges,
                          size_t n, bool is_negated)
{
	struct bs_regex_build *build = &tree->build;
	uint32_t first = bs_regex_n_members(build);
	if (n == 0)
		misuse(tree, "a class without characters");
	if (tree->fold_case) {
		write_text(tree, "(?-i:");
		build->options.caseless = BS_REGEX_OFF;
	}
	size_t from = build->at;
	write_text(tree, is_negated ? "[^" : "[");
	for (size_t i = 0; i < n; i++)
		add_range(tree, ranges[i]);
	write_text(tree, "]");
	uint32_t set = bs_regex_add_set(build, from, is_negated ? '^' : '[', first);
	build->options.caseless = BS_REGEX_AS_ASKED;
	write_text(tree, tree->fold_case ? ")" : "");
	return set;
}

void bs_pattern_tree_class(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges,
                           size_t n, bool is_negated)
{
	size_t from = tree->build.at;
	if (begin_part(tree))
		end_part(tree, add_class(tree, ranges, n, is_negated), from);
}

void bs_pattern_tree_place(struct bs_pattern_tree *tree, enum bs_pattern_place place)
{
	static const struct {
		const char *text;
		char letter;
	} places[] = {
		[BS_PATTERN_TEXT_START] = {"\\A", 'A'},
		[BS_PATTERN_TEXT_END] = {"\\z", 'z'},
		[BS_PATTERN_LINE_START] = {"^", '^'},
		[BS_PATTERN_LINE_END] = {"$", '$'},
	};
	size_t from = tree->build.at;
	if (!begin_part(tree))
		return;
	write_text(tree, places[place].text);
	end_place(tree, bs_regex_add(&tree->build, BS_REGEX_ASSERTION, from,
	                             (uint8_t)places[place].letter));
}

static void add_negative_look(struct bs_pattern_tree *tree, const char *opening,
                              const struct bs_pattern_range *ranges, size_t n)
{
	size_t from = tree->build.at;
	if (!begin_part(tree))
		return;
	tree->regex.is_of_pcre2 = true;
	write_text(tree, opening);
	(void)add_class(tree, ranges, n, false);
	write_text(tree, ")");
	end_place(tree, bs_regex_add(&tree->build, BS_REGEX_ASSERTION, from, '!'));
}

void bs_pattern_tree_not_preceded(struct bs_pattern_tree *tree,
                                  const struct bs_pattern_range *ranges, size_t n)
{
	add_negative_look(tree, "(?<!", ranges, n);
}

void bs_pattern_tree_not_followed(struct bs_pattern_tree *tree,
                                  const struct bs_pattern_range *ranges, size_t n)
{
	add_negative_look(tree, "(?!", ranges, n);
}

void bs_pattern_tree_open(struct bs_pattern_tree *tree)
{
	size_t from = tree->build.at, depth;
	if (!begin_part(tree))
		return;
	depth = bs_vector_n(&tree->levels);
	if (depth > bs_regex_most_depth(depth))
		bs_regex_give_up(&tree->build);
	write_text(tree, "(?:");
	if (!bs_regex_is_lost(&tree->build))
		push_level(tree, from);
}

static void end_alternative(struct bs_pattern_tree *tree)
{
	struct level *level = top(tree);
	settle(tree);
	uint32_t node = bs_regex_join(&tree->build, &level->sequence, BS_REGEX_SEQUENCE,
	                              level->sequence_from);
	bs_regex_put_child(&tree->build, &level->alternatives, node);
	level->sequence = bs_regex_no_children;
}

static uint32_t end_level(struct bs_pattern_tree *tree)
{
	end_alternative(tree);
	return bs_regex_join(&tree->build, &top(tree)->alternatives, BS_REGEX_ALTERNATION,
	                     top(tree)->from);
}

void bs_pattern_tree_close(struct bs_pattern_tree *tree)
{
	size_t n_levels = bs_vector_n(&tree->levels);
	if (n_levels == 1)
		misuse(tree, "no group is open");
	if (!begin_part(tree))
		return;
	uint32_t group = end_level(tree);
	write_text(tree, ")");
	end_part(tree, group, top(tree)->from);
	bs_vector_set_n(&tree->levels, n_levels - 1);
}

void bs_pattern_tree_either(struct bs_pattern_tree *tree)
{
	uint32_t at = (uint32_t)tree->build.at;
	if (!begin_part(tree))
		return;
	end_alternative(tree);
	if (bs_vector_n(&tree->levels) == 1 && !bs_regex_is_lost(&tree->build))
		tree->build.status = bs_vector_append(&tree->regex.bars, &at, &tree->err);
	write_text(tree, "|");
	top(tree)->sequence_from = tree->build.at;
}

void bs_pattern_tree_repeat(struct bs_pattern_tree *tree, uint32_t least, uint32_t most)
{
	struct bs_regex_build *build = &tree->build;
	char text[32];
	if (tree->is_ended)
		return;
	if (!tree->has_item || tree->is_repeated || least > most)
		misuse(tree, "not a repetition");
	else if (least > MOST_REPETITIONS || (most > MOST_REPETITIONS && most != BS_PATTERN_NO_MAX))
		bs_regex_give_up(build);
	snprintf(text, sizeof(text), most == BS_PATTERN_NO_MAX ? "{%u,}" : "{%u,%u}", least, most);
	write_text(tree, text);
	uint32_t repeat =
		bs_regex_add_parent(build, BS_REGEX_REPEAT, tree->item, 1, tree->item_from);
	if (bs_regex_is_lost(build))
		return;
	bs_regex_node_of(build, repeat)->least = least;
	bs_regex_node_of(build, repeat)->most = most;
	tree->item = repeat;
	tree->is_repeated = true;
}

enum bs_status bs_pattern_tree_end(struct bs_pattern_tree *tree, struct bs_error *err)
{
	struct bs_regex_build *build = &tree->build;
	if (build->gave_up)
		begin_tree(tree);
	else if (bs_vector_n(&tree->levels) > 1)
		misuse(tree, "a group is still open");
	if (!tree->is_ended && !build->status) {
		tree->regex.root = end_level(tree);
		/* Reserves a byte so that the text of an empty pattern is not NULL. */
		if (!build->status)
			build->status = bs_buffer_reserve(&tree->text, 1, &tree->err);
		tree->regex.text = tree->text.data;
		tree->regex.n_bytes = tree->text.used_bytes;
		tree->is_ended = !build->status;
	}
	if (build->status && err)
		*err = tree->err;
	return build->status;
}

struct bs_grep_pattern bs_pattern_tree_options(const struct bs_pattern_tree *tree)
{
	return (struct bs_grep_pattern){.letter_case = tree->fold_case ? BS_GREP_CASE_INSENSITIVE
	                                                               : BS_GREP_CASE_SENSITIVE,
	                                .dot_all = true,
	                                .is_multi_line = true};
}

enum bs_status bs_pattern_tree_analyse(const struct bs_pattern_tree *tree,
                                       struct bs_grep_analysis *analysis, struct bs_error *err)
{
	struct bs_grep_pattern options = bs_pattern_tree_options(tree);
	if (!tree->is_ended)
		return bs_fail(err, BS_INVALID, "a pattern tree has not been ended");
	return bs_grep_analyse_regex(&options, &tree->regex, analysis, err);
}
