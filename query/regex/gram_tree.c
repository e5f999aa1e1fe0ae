/* gram_tree.c: queries and formatting of a finished tree. See gram_tree.h. */
#include "query/regex/gram_tree.h"

#include <stdio.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/bitsift/terminal.h"
#include "core/store/summary.h"
#include "core/text/grams.h"
#include "query/regex/text.h"

void bs_gram_tree_free(struct bs_gram_tree *tree)
{
	if (tree)
		tree->release(tree->memory);
}

/* Like bs_gram_tree_least_bytes, for a node. For an AND, the result is the greatest value of a
 * child, not the sum, because literals may overlap. */
static uint64_t node_least(const struct bs_gram_tree *tree, const struct bs_gram_node *node)
{
	uint64_t n_others = 0;
	for (uint32_t i = 0; i < node->n_bytes; i++)
		n_others += node->bytes[i] >= 0x80;
	if (node->kind == BS_GRAM_LITERAL)
		return node->n_bytes - n_others + n_others / 2;
	uint64_t least = node->kind == BS_GRAM_OR || node->kind == BS_GRAM_NONE ? UINT64_MAX : 0;
	for (uint32_t c = 0; c < node->n_children; c++) {
		uint64_t child = node_least(tree, &tree->nodes[node->children[c]]);
		bool is_taken = node->kind == BS_GRAM_OR ? child < least : child > least;
		least = is_taken ? child : least;
	}
	return least;
}

uint64_t bs_gram_tree_least_bytes(const struct bs_gram_tree *tree)
{
	return node_least(tree, bs_gram_tree_root(tree));
}

bool bs_gram_tree_has_replacement(const struct bs_gram_tree *tree)
{
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		if (tree->nodes[i].kind == BS_GRAM_LITERAL &&
		    memmem(tree->nodes[i].bytes, tree->nodes[i].n_bytes, "\xef\xbf\xbd", 3))
			return true;
	return false;
}

static void put_literal(struct bs_text_writer *out, const uint8_t *bytes, size_t n_bytes)
{
	bs_text_put_string(out, "\"");
	for (size_t at = 0; at < n_bytes;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT(bytes, at, n_bytes, c);
		if (c == '"' || c == '\\')
			bs_text_put_string(out, "\\");
		bool is_hex = c < 0 || bs_is_terminal_control(c);
		if (!is_hex)
			bs_text_put(out, bytes + start, at - start);
		for (size_t i = start; i < at && is_hex; i++) {
			char escape[8];
			snprintf(escape, sizeof(escape), "\\x%02x", bytes[i]);
			bs_text_put_string(out, escape);
		}
	}
	bs_text_put_string(out, "\"");
}

/* If a node has more children, only half of this number of them are shown. */
#define MOST_SHOWN 64u

static void put_node(const struct bs_gram_tree *tree, uint32_t index, struct bs_text_writer *out)
{
	static const char *const names[] = {[BS_GRAM_ANY] = "ANY",
	                                    [BS_GRAM_NONE] = "NONE",
	                                    [BS_GRAM_AND] = "AND(",
	                                    [BS_GRAM_OR] = "OR("};
	const struct bs_gram_node *node = &tree->nodes[index];
	if (node->kind == BS_GRAM_LITERAL) {
		put_literal(out, node->bytes, node->n_bytes);
		return;
	}
	bs_text_put_string(out, names[node->kind]);
	uint32_t n_shown = node->n_children > MOST_SHOWN ? MOST_SHOWN / 2 : node->n_children;
	for (uint32_t i = 0; i < n_shown; i++) {
		bs_text_put_string(out, i ? ", " : "");
		put_node(tree, node->children[i], out);
	}
	if (n_shown < node->n_children) {
		char more[32];
		snprintf(more, sizeof(more), ", and %u more", node->n_children - n_shown);
		bs_text_put_string(out, more);
	}
	bs_text_put_string(out, node->n_children ? ")" : "");
}

enum bs_status bs_gram_tree_format(const struct bs_gram_tree *tree, struct bs_buffer *out,
                                   struct bs_error *err)
{
	struct bs_text_writer writer = {.out = out, .err = err};
	put_node(tree, tree->n_nodes - 1, &writer);
	return writer.status;
}

/* The most grams that bs_gram_tree_may_match looks up. Without this limit, the check of a long list
 * of patterns would take milliseconds: longer than the search that it may save. */
#define MOST_LOOKS 1024u

struct may_match {
	const struct bs_gram_tree *tree;
	const struct bs_coded_set *trigrams;
	uint32_t n_looks;
	struct bs_error *err;
};

static enum bs_status literal_may_match(struct may_match *at, const struct bs_gram_node *literal,
                                        bool *may_out)
{
	enum bs_status status = BS_OK;
	*may_out = true;
	for (uint32_t i = 0;
	     i < literal->n_keys && bs_gram_bytes(literal->keys[i]) == BS_GRAM_LEAST && *may_out &&
	     !status;
	     i++) {
		uint64_t key = literal->keys[i];
		const uint8_t gram[] = {(uint8_t)key, (uint8_t)(key >> 8), (uint8_t)(key >> 16)};
		if (at->n_looks++ < MOST_LOOKS)
			status = bs_coded_set_has(at->trigrams, bs_summary_gram(gram), may_out,
			                          at->err);
	}
	return status;
}

/* *may_out: the node may match. An OR ends with the first child that may match, an AND with the
 * first that cannot. Recursive, as deep as groups of the pattern are nested. */
static enum bs_status node_may_match(struct may_match *at, uint32_t n, bool *may_out)
{
	const struct bs_gram_node *node = &at->tree->nodes[n];
	bool is_or = node->kind == BS_GRAM_OR;
	enum bs_status status = BS_OK;
	if (node->kind == BS_GRAM_LITERAL)
		return literal_may_match(at, node, may_out);
	*may_out = node->kind == BS_GRAM_ANY || node->kind == BS_GRAM_AND;
	for (uint32_t i = 0; (is_or || node->kind == BS_GRAM_AND) && i < node->n_children &&
	                     *may_out != is_or && !status;
	     i++)
		status = node_may_match(at, node->children[i], may_out);
	return status;
}

enum bs_status bs_gram_tree_may_match(const struct bs_gram_tree *tree,
                                      const struct bs_coded_set *trigrams, bool *may_out,
                                      struct bs_error *err)
{
	struct may_match at = {.tree = tree, .trigrams = trigrams, .err = err};
	return node_may_match(&at, tree->n_nodes - 1, may_out);
}
