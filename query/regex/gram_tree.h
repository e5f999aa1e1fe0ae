/*
 * gram_tree.h: the condition that every file with a match of a pattern satisfies, as a tree of
 * literals and their grams. A file whose grams do not satisfy the tree has no match. A file whose
 * grams satisfy it may have one, and must be read.
 */
#pragma once

#include "core/base/vector.h"
#include "core/file/coded_section.h"

enum bs_gram_node_kind {
	BS_GRAM_ANY,     /* satisfied by every file: nothing is required. Only as the root */
	BS_GRAM_NONE,    /* satisfied by no file. Only as the root */
	BS_GRAM_AND,     /* n_children >= 2, none of them an AND */
	BS_GRAM_OR,      /* n_children >= 2, none of them an OR */
	BS_GRAM_LITERAL, /* satisfied if all grams of `bytes` are present */
};

/* A node. Its arrays belong to the tree. */
struct bs_gram_node {
	enum bs_gram_node_kind kind;
	uint32_t n_children;
	const uint32_t *children; /* indices into nodes, each less than the index of this node */
	const uint8_t *bytes;     /* LITERAL: folded; at least BS_GRAM_LEAST bytes */
	uint32_t n_bytes;
	uint32_t n_keys; /* LITERAL: > 0 */
	/* keys of core/text/grams.h, distinct; trigrams before longer grams */
	const uint64_t *keys;
};

BS_VECTOR(bs_gram_nodes, struct bs_gram_node);
BS_VECTOR(bs_gram_keys, uint64_t);

/* Children precede their parents and the root is the last node, so a walk in order evaluates
 * bottom-up. */
struct bs_gram_tree {
	struct bs_gram_node *nodes;
	uint32_t n_nodes; /* >= 1 */
	void *memory;     /* owns nodes, and contains this struct */
	void (*release)(void *memory);
};

/* tree is nullable. */
void bs_gram_tree_free(struct bs_gram_tree *tree);

static inline const struct bs_gram_node *bs_gram_tree_root(const struct bs_gram_tree *tree)
{
	return &tree->nodes[tree->n_nodes - 1];
}

/* A lower bound of the length of a text that satisfies the tree, in bytes. Bytes of literals beyond
 * ASCII count half, because the folded form of a character may be longer than the character, but
 * never twice as long. */
uint64_t bs_gram_tree_least_bytes(const struct bs_gram_tree *tree);

/* True if a literal contains U+FFFD. If invalid bytes are searched as U+FFFD, such a literal can
 * match them, but the index has no gram for it. */
bool bs_gram_tree_has_replacement(const struct bs_gram_tree *tree);

/* Tests the tree against a set of trigrams (numbered as in summaries, core/store/summary.h).
 * *may_out is false if no text that has only these trigrams can satisfy the tree. Checks only a
 * part of a large tree, so that this takes a fraction of a millisecond. BS_CORRUPT. */
enum bs_status bs_gram_tree_may_match(const struct bs_gram_tree *tree,
                                      const struct bs_coded_set *trigrams, bool *may_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Appends a readable form of the tree, such as ANY or AND("mutex_", OR("lock", "unlock")). In
 * literals, " and \ are preceded by a backslash; control characters and invalid UTF-8 become \xNN.
 * BS_NO_MEMORY. */
enum bs_status bs_gram_tree_format(const struct bs_gram_tree *tree, struct bs_buffer *out,
                                   struct bs_error *err) BS_WARN_UNUSED;
