/*
 * fold.h: a bottom-up fold over a query tree: computes a value for each node from those of its
 * children. Children precede their parents in the array, so a single loop suffices, however deep
 * the tree is.
 */
#pragma once

#include "query/language/query_tree.h"

struct bs_query_fold {
	size_t value_bytes; /* size of the value of one node */
	/* Sets the value of leaf n. */
	enum bs_status (*leaf)(void *context, uint32_t n, void *value_out, struct bs_error *err);
	/* Sets the value of an inner node (AND, OR, NOT). values: the values of all nodes so far,
	 * by node number. */
	void (*inner)(void *context, const struct bs_query_node *node, const void *values,
	              void *value_out);
	void *context;
};

/* Sets *root_out, which has fold->value_bytes bytes, to the value of the root. Fails with
 * BS_NO_MEMORY, or with the status that fold->leaf returned. */
enum bs_status bs_query_fold(const struct bs_query_tree *query, const struct bs_query_fold *fold,
                             void *root_out, struct bs_error *err) BS_WARN_UNUSED;
