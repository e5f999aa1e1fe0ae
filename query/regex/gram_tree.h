/*
 * gram_tree.h: what every file that a pattern matches must hold, as a tree of literals and their
 * grams. A file whose grams do not satisfy the tree has no match; one whose grams do may have one,
 * and must be read.
 */
#pragma once

#include "core/base/vector.h"
#include "core/file/coded_section.h"

enum bs_gram_node_kind {
	BS_GRAM_ANY,     /* every file: the grams say nothing. Only as the root */
	BS_GRAM_NONE,    /* no file. Only as the root */
	BS_GRAM_AND,     /* n_children >= 2, none of them an AND */
	BS_GRAM_OR,      /* n_children >= 2, none of them an OR */
	BS_GRAM_LITERAL, /* all of the grams of these bytes */
};

/* A node. The arrays belong to the tree. */
struct bs_gram_node {
	enum bs_gram_node_kind kind;
	uint32_t n_children;
	const uint32_t *children; /* indices into nodes, each less than this node's own */
	const uint8_t *bytes;     /* LITERAL: folded, at least BS_GRAM_LEAST of them */
	uint32_t n_bytes;
	uint32_t n_keys;      /* LITERAL: > 0 */
	const uint64_t *keys; /* of core/text/grams.h, distinct; trigrams before longer ones */
};

BS_VECTOR(bs_gram_nodes, struct bs_gram_node);
BS_VECTOR(bs_gram_keys, uint64_t);

/* Children stand before their parents, and the root is the last node: a walk in order evaluates
 * bottom-up. */
struct bs_gram_tree {
	struct bs_gram_node *nodes;
	uint32_t n_nodes; /* >= 1 */
	void *memory;     /* what nodes points into, and the tree itself */
	void (*release)(void *memory);
};

/* NULL is fine. */
void bs_gram_tree_free(struct bs_gram_tree *tree);

static inline const struct bs_gram_node *bs_gram_tree_root(const struct bs_gram_tree *tree)
{
	return &tree->nodes[tree->n_nodes - 1];
}

/* So many bytes has every text that satisfies the tree, at least. (Letters that are not ASCII may
 * take fewer than when they are folded, but not less than half.) */
uint64_t bs_gram_tree_least_bytes(const struct bs_gram_tree *tree);

/* Whether some literal has U+FFFD: it may stand for bytes that are not UTF-8, and those have no
 * such gram. */
bool bs_gram_tree_has_replacement(const struct bs_gram_tree *tree);

/* *may_out false: no text satisfies the tree that has no other trigrams than these, numbered as in
 * summaries (core/store/summary.h). Of a large tree only so much is looked at as takes a fraction
 * of a millisecond. BS_CORRUPT. */
enum bs_status bs_gram_tree_may_match(const struct bs_gram_tree *tree,
                                      const struct bs_coded_set *trigrams, bool *may_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Appends the tree for people to read: ANY, NONE, or AND("mutex_", OR("lock", "unlock")). In
 * literals " and \ have a backslash before them; control characters and what is not UTF-8 are \xNN.
 * BS_NO_MEMORY. */
enum bs_status bs_gram_tree_format(const struct bs_gram_tree *tree, struct bs_buffer *out,
                                   struct bs_error *err) BS_WARN_UNUSED;
