/*
 * parse_build.h: a syntax tree while it grows. Inside query/ only: parse.c reads the text and says here what it found;
 * here are the arrays, the deduplication of elements, the flattening of AND in AND, and the final struct bs_query.
 */
#ifndef BS_QUERY_SEARCH_PARSE_BUILD_H
#define BS_QUERY_SEARCH_PARSE_BUILD_H

#include "query/search/parse.h"

#define BS_DRAFT_NONE UINT32_MAX /* an ignored operand: joins and negations pass it by */

/* A node in the making; children are linked, so that a flattened AND costs nothing. */
struct bs_draft {
	enum bs_node_kind kind;
	uint32_t field;
	uint32_t distance;
	uint32_t n_items;
	uint32_t n_aids; /* they follow the items */
	size_t first_item;
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next; /* sibling */
	uint32_t n_children;
	uint32_t final; /* its index in the query */
};

/* Zero-initialise, then bs_build_deinit in any case. */
struct bs_build {
	struct bs_query *query; /* elements and warnings grow here from the start */
	size_t elements_capacity;
	uint32_t *slots;         /* hash table: element index + 1, or 0 */
	size_t n_slots;          /* 0 or a power of two, more than half of it empty */
	struct bs_buffer items;  /* of struct bs_query_item */
	struct bs_buffer drafts; /* of struct bs_draft */
	uint32_t n_drafts;
};

/* Operands of one AND or OR. */
struct bs_operands {
	enum bs_node_kind kind;
	uint32_t first;
	uint32_t last;
	uint32_t n;
};

/* All of these: BS_NO_MEMORY. */
enum bs_status bs_build_init(struct bs_build *build, struct bs_error *err) BS_WARN_UNUSED;
void bs_build_deinit(struct bs_build *build);

/* Appends an item to the leaf that bs_build_leaf will make; the element is found or added. */
enum bs_status bs_build_item(struct bs_build *build, const struct bs_element *element, uint32_t position,
			     struct bs_error *err) BS_WARN_UNUSED;

/* Makes a leaf of the last n_items + n_aids items, n_items >= 1; leaf tells kind, field, distance, n_items, n_aids. */
enum bs_status bs_build_leaf(struct bs_build *build, const struct bs_draft *leaf, uint32_t *draft_out,
			     struct bs_error *err) BS_WARN_UNUSED;

/* NOT draft: nothing for nothing, and the operand of a NOT itself. */
enum bs_status bs_build_not(struct bs_build *build, uint32_t draft, uint32_t *draft_out,
			    struct bs_error *err) BS_WARN_UNUSED;

static inline struct bs_operands bs_operands_none(enum bs_node_kind kind)
{
	struct bs_operands operands = {kind, BS_DRAFT_NONE, BS_DRAFT_NONE, 0};
	return operands;
}

/* Adds one; those of a node of the same kind are taken over instead of the node. */
void bs_build_add(struct bs_build *build, struct bs_operands *operands, uint32_t draft);

/* The operands as one node: nothing of none, the operand itself of one. */
enum bs_status bs_build_join(struct bs_build *build, const struct bs_operands *operands, uint32_t *draft_out,
			     struct bs_error *err) BS_WARN_UNUSED;

/* Finishes the query under this root and hands it over; build holds none afterwards. */
enum bs_status bs_build_finish(struct bs_build *build, uint32_t root, struct bs_query **query_out,
			       struct bs_error *err) BS_WARN_UNUSED;

#endif
