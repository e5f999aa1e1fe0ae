/*
 * built_pattern.c: bs_pattern_tree (bitsift/pattern_tree.h): a pattern that a host builds by calls.
 *
 * Each call writes its part in PCRE2's syntax. At the end that text is read as any pattern is, and it is what PCRE2 compiles.
 */
#include "query/regex/built_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/regex/regex_read.h"

#define MOST_REPETITIONS 65535u /* of PCRE2 */

struct bs_pattern_tree {
	struct bs_regex regex; /* once it is ended */
	struct bs_buffer text;
	size_t n_open; /* groups that are not closed yet */
	bool fold_case, is_ended;
	bool may_repeat;  /* the last part */
	bool matches_all; /* some part cannot be written as a pattern */
	enum bs_status status;
	struct bs_error err;
};

static void misuse(struct bs_pattern_tree *tree, const char *what)
{
	if (!tree->status && !tree->is_ended)
		tree->status = bs_fail(&tree->err, BS_INVALID, "a pattern tree: %s", what);
}

static void write_text(struct bs_pattern_tree *tree, const char *text)
{
	if (!tree->status && !tree->is_ended)
		tree->status = bs_buffer_append(&tree->text, text, strlen(text), &tree->err);
}

static void write_part(struct bs_pattern_tree *tree, const char *text, bool may_repeat)
{
	write_text(tree, text);
	tree->may_repeat = may_repeat;
}

static void write_code_point(struct bs_pattern_tree *tree, uint32_t c)
{
	char text[16];
	bool is_plain = c < 0x80 && ((c | 0x20) - 'a' < 26 || c - '0' < 10);
	tree->matches_all |= c > 0x10ffff || (c >= 0xd800 && c < 0xe000);
	snprintf(text, sizeof(text), is_plain ? "%c" : "\\x{%x}", c);
	write_part(tree, text, true);
}

enum bs_status bs_pattern_tree_new(bool fold_case, struct bs_pattern_tree **tree_out, struct bs_error *err)
{
	struct bs_pattern_tree *tree = calloc(1, sizeof(*tree));
	*tree_out = tree;
	if (!tree)
		return bs_fail_memory(err, "a pattern", sizeof(*tree));
	tree->fold_case = fold_case;
	return BS_OK;
}

void bs_pattern_tree_free(struct bs_pattern_tree *tree)
{
	if (!tree)
		return;
	bs_regex_deinit(&tree->regex);
	bs_buffer_deinit(&tree->text);
	free(tree);
}

void bs_pattern_tree_clear(struct bs_pattern_tree *tree)
{
	bs_buffer_clear(&tree->text);
	*tree = (struct bs_pattern_tree){.regex = tree->regex, .text = tree->text, .fold_case = tree->fold_case};
}

void bs_pattern_tree_character(struct bs_pattern_tree *tree, uint32_t character)
{
	write_code_point(tree, character);
}

void bs_pattern_tree_any(struct bs_pattern_tree *tree)
{
	write_part(tree, ".", true);
}

static void write_range(struct bs_pattern_tree *tree, struct bs_pattern_range range)
{
	if (range.first > range.last || range.last > 0x10ffff)
		misuse(tree, "not a range of characters");
	write_code_point(tree, range.first);
	write_text(tree, range.first < range.last ? "-" : "");
	if (range.first < range.last)
		write_code_point(tree, range.last);
}

void bs_pattern_tree_class(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges, size_t n,
                           bool is_negated)
{
	if (n == 0)
		misuse(tree, "a class without characters");
	write_text(tree, tree->fold_case ? "(?-i:[" : "[");
	write_text(tree, is_negated ? "^" : "");
	for (size_t i = 0; i < n; i++)
		write_range(tree, ranges[i]);
	write_part(tree, tree->fold_case ? "])" : "]", true);
}

void bs_pattern_tree_place(struct bs_pattern_tree *tree, enum bs_pattern_place place)
{
	static const char *const texts[] = {[BS_PATTERN_TEXT_START] = "\\A",
	                                    [BS_PATTERN_TEXT_END] = "\\z",
	                                    [BS_PATTERN_LINE_START] = "^",
	                                    [BS_PATTERN_LINE_END] = "$"};
	write_part(tree, texts[place], false);
}

static void write_negative_look(struct bs_pattern_tree *tree, const char *opening,
                                const struct bs_pattern_range *ranges, size_t n)
{
	write_text(tree, opening);
	bs_pattern_tree_class(tree, ranges, n, false);
	write_part(tree, ")", false);
}

void bs_pattern_tree_not_preceded(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges, size_t n)
{
	write_negative_look(tree, "(?<!", ranges, n);
}

void bs_pattern_tree_not_followed(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges, size_t n)
{
	write_negative_look(tree, "(?!", ranges, n);
}

void bs_pattern_tree_open(struct bs_pattern_tree *tree)
{
	write_part(tree, "(?:", false);
	tree->n_open++;
}

void bs_pattern_tree_close(struct bs_pattern_tree *tree)
{
	if (tree->n_open == 0)
		misuse(tree, "no group is open");
	write_part(tree, ")", true);
	tree->n_open--;
}

void bs_pattern_tree_either(struct bs_pattern_tree *tree)
{
	write_part(tree, "|", false);
}

void bs_pattern_tree_repeat(struct bs_pattern_tree *tree, uint32_t least, uint32_t most)
{
	char text[32];
	if (!tree->may_repeat || least > most)
		misuse(tree, "not a repetition");
	tree->matches_all |= least > MOST_REPETITIONS || (most > MOST_REPETITIONS && most != BS_PATTERN_NO_MAX);
	snprintf(text, sizeof(text), most == BS_PATTERN_NO_MAX ? "{%u,}" : "{%u,%u}", least, most);
	write_part(tree, text, false);
}

static void read_text(struct bs_pattern_tree *tree)
{
	/* One NUL: an empty pattern has a text, too. */
	if (!tree->status)
		tree->status = bs_buffer_reserve(&tree->text, 1, &tree->err);
	if (!tree->status)
		tree->status = bs_regex_read(&tree->regex, tree->text.data, tree->text.used_bytes, &tree->err);
}

enum bs_status bs_pattern_tree_end(struct bs_pattern_tree *tree, struct bs_error *err)
{
	if (!tree->is_ended) {
		if (tree->matches_all)
			bs_buffer_clear(&tree->text);
		else if (tree->n_open > 0)
			misuse(tree, "a group is still open");
		read_text(tree);
		if (!tree->status && bs_regex_node(&tree->regex, tree->regex.root)->kind == BS_REGEX_UNKNOWN) {
			bs_buffer_clear(&tree->text);
			read_text(tree);
		}
		tree->is_ended = !tree->status;
	}
	if (tree->status && err)
		*err = tree->err;
	return tree->status;
}

struct bs_grep_pattern bs_pattern_tree_options(const struct bs_pattern_tree *tree)
{
	return (struct bs_grep_pattern){.letter_case =
	                                        tree->fold_case ? BS_GREP_CASE_INSENSITIVE : BS_GREP_CASE_SENSITIVE,
	                                .dot_all = true,
	                                .is_multi_line = true};
}

enum bs_status bs_pattern_tree_analyse(const struct bs_pattern_tree *tree, struct bs_grep_analysis *analysis,
                                       struct bs_error *err)
{
	struct bs_grep_pattern options = bs_pattern_tree_options(tree);
	if (!tree->is_ended)
		return bs_fail(err, BS_INVALID, "a pattern tree has not been ended");
	return bs_grep_analyse_regex(&options, &tree->regex, analysis, err);
}
