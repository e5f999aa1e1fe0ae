/* may_match.c: see may_match.h. */
#include "query/plan/may_match.h"

#include "core/base/hash.h"
#include "query/language/fold.h"
#include "query/language/wildcard.h"

/* Looks up all trigrams of the element that contain no wildcard. *may_out becomes false if the
 * index lacks one. */
static enum bs_status may_have_bytes(const struct bs_summary *summary,
                                     const struct bs_element *element, bool *may_out,
                                     struct bs_error *err)
{
	uint32_t n_in_a_row = 0;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < element->term_bytes && *may_out && !status; i++) {
		uint8_t byte = element->term[i];
		bool is_wild = element->kind == BS_ELEMENT_PATTERN &&
		               (byte == BS_PATTERN_ANY || byte == BS_PATTERN_ONE);
		n_in_a_row = is_wild ? 0 : n_in_a_row + 1;
		if (n_in_a_row >= 3)
			status = bs_summary_may_have_gram(summary, element->term + i - 2, may_out,
			                                  err);
	}
	return status;
}

enum bs_status bs_element_may_match(const struct bs_summary *summary,
                                    const struct bs_element *element, bool *may_out,
                                    struct bs_error *err)
{
	*may_out = true;
	switch (element->kind) {
	case BS_ELEMENT_TERM:
		return bs_summary_may_have_word(
			summary, bs_hash_term(element->term, element->term_bytes), may_out, err);
	case BS_ELEMENT_PREFIX:
	case BS_ELEMENT_PATTERN:
		return may_have_bytes(summary, element, may_out, err);
	case BS_ELEMENT_FUZZY:
	case BS_ELEMENT_BIGRAM:
		break;
	}
	return BS_OK;
}

/* A query, and the summary that it is tested against. */
struct meeting {
	const struct bs_query_tree *query;
	const struct bs_summary *summary;
	/* A leaf that every match needs is absent, so no further lookups are made. */
	bool is_out;
};

static bool is_required(const struct bs_query_tree *query, uint32_t n)
{
	const struct bs_query_node *root = &query->nodes[query->n_nodes - 1];
	for (uint32_t i = 0; i < root->n_children && root->kind == BS_NODE_AND; i++)
		if (root->children[i] == n)
			return true;
	return false;
}

static enum bs_status leaf_may_match(void *context, uint32_t n, void *value_out,
                                     struct bs_error *err)
{
	struct meeting *meeting = context;
	const struct bs_query_node *leaf = &meeting->query->nodes[n];
	bool *may_out = value_out;
	enum bs_status status = BS_OK;
	*may_out = !meeting->is_out;
	for (uint32_t i = 0;
	     i < leaf->n_items && *may_out && !status && !bs_query_is_file_name(leaf); i++)
		status = bs_element_may_match(meeting->summary,
		                              &meeting->query->elements[leaf->items[i].element],
		                              may_out, err);
	meeting->is_out |= !*may_out && is_required(meeting->query, n);
	return status;
}

/* Combines the results of a node's children. A NOT may always match. */
static void node_may_match(void *context, const struct bs_query_node *node, const void *values,
                           void *value_out)
{
	const bool *may = values;
	bool is_or = node->kind == BS_NODE_OR, *may_out = value_out;
	(void)context;
	*may_out = !is_or;
	for (uint32_t i = 0; i < node->n_children && node->kind != BS_NODE_NOT && *may_out != is_or;
	     i++)
		*may_out = may[node->children[i]];
}

enum bs_status bs_query_may_match(const struct bs_query_tree *query,
                                  const struct bs_summary *summary, bool *may_out,
                                  struct bs_error *err)
{
	struct meeting meeting = {query, summary, false};
	const struct bs_query_fold fold = {sizeof(bool), leaf_may_match, node_may_match, &meeting};
	return bs_query_fold(query, &fold, may_out, err);
}
