/*
 * scan_lists.c: the filter's way through plain signatures: the same tree as in scan.c, 64 documents at a time. First by
 * the filter in front of them (core/list_filter.h), which nearly always says no to all; then, for those it leaves, by
 * looking each word up in the signature itself, which is exact.
 */
#include "query/scan_internal.h"

/* What is known of a node for each of 64 documents: it may match, it does match. */
struct truth {
	uint64_t may;
	uint64_t must;
};

/* One group of signatures. */
struct group_scan {
	struct bs_slab_scan *at;
	uint32_t group;
	uint64_t rows;  /* those that are of interest */
	bool is_lookup; /* second round: signatures are looked into */
};

/* Of the rows given, those whose signatures have the term. */
static enum bs_status look_up_rows(const struct group_scan *scan, uint64_t ordinal, uint64_t rows, uint64_t *has)
{
	for (uint64_t left = rows; left; left &= left - 1) {
		uint32_t row = (uint32_t)__builtin_ctzll(left);
		bool found;
		enum bs_status status = bs_slab_list_has(scan->at->slab, scan->group * BS_LIST_GROUP_ROWS + row, ordinal, &found,
		                                         scan->at->err);
		if (status)
			return status;
		*has |= (uint64_t)found << row;
	}
	return BS_OK;
}

/* Rows of interest that have a term of the plan, or seem to. */
static enum bs_status term_rows(const struct group_scan *scan, uint32_t term, uint64_t known, uint64_t *rows_io,
                                struct bs_error *err)
{
	const struct bs_term_place *place = bs_scan_place(scan->at, term);
	uint64_t rows;
	if (!place->is_found)
		return BS_OK;
	enum bs_status status = bs_list_filter_rows(&scan->at->slab->list_filter, scan->group, place->list_probe, &rows, err);
	rows &= scan->rows & ~known;
	if (!status && scan->is_lookup)
		return look_up_rows(scan, place->term.ordinal, rows, rows_io);
	*rows_io |= rows;
	return status;
}

/* Rows of interest that have any of the element's terms, or seem to. */
static enum bs_status element_rows(const struct group_scan *scan, uint32_t e, uint64_t *rows_out)
{
	const struct bs_plan_element *element = &scan->at->plan->elements[e];
	enum bs_status status = BS_OK;
	*rows_out = 0;
	for (uint32_t i = 0; i < element->n_terms && !status; i++) {
		status = term_rows(scan, element->first_term + i, *rows_out, rows_out, scan->at->err);
	}
	return status;
}

/* The rows that have the pairs of words of a phrase which the segment knows. *proves_out: that is all there is to it. */
static enum bs_status pair_rows(const struct group_scan *scan, uint32_t n, uint64_t *rows_io, bool *proves_out)
{
	const struct bs_plan *plan = scan->at->plan;
	const struct bs_query_node *node = &plan->query->nodes[n];
	enum bs_status status = BS_OK;
	*proves_out = false;
	for (uint32_t i = 0; i < plan->n_pairs && *rows_io && !status; i++) {
		uint64_t rows = 0;
		if (plan->pairs[i].node != n || !bs_scan_place(scan->at, plan->pairs[i].term)->is_found)
			continue;
		status = term_rows(scan, plan->pairs[i].term, 0, &rows, scan->at->err);
		*rows_io &= rows;
		*proves_out = node->kind == BS_NODE_PHRASE && node->n_items == 2 && node->field == BS_QUERY_ANY_FIELD;
	}
	return status;
}

static enum bs_status leaf_truth(const struct group_scan *scan, uint32_t n, struct truth *truth_out)
{
	const struct bs_query_node *node = &scan->at->plan->query->nodes[n];
	bool is_pair;
	uint64_t has = scan->rows;
	bool is_known = true;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < node->n_items && has && !status; i++) {
		uint64_t rows = has;
		if (scan->at->plan->elements[node->items[i].element].is_too_broad)
			is_known = false;
		else
			status = element_rows(scan, node->items[i].element, &rows);
		has &= rows;
	}
	if (!status)
		status = pair_rows(scan, n, &has, &is_pair);
	bool is_word = is_known && node->kind == BS_NODE_WORD && node->field == BS_QUERY_ANY_FIELD;
	bool is_proof = scan->is_lookup && !status && (is_word || is_pair);
	*truth_out = (struct truth){.may = has, .must = is_proof ? has : 0};
	return status;
}

static struct truth join_truths(const struct bs_query_node *node, const struct truth *truths)
{
	struct truth first = truths[node->children[0]];
	if (node->kind == BS_NODE_NOT)
		return (struct truth){.may = ~first.must, .must = ~first.may};
	for (uint32_t i = 1; i < node->n_children; i++) {
		struct truth next = truths[node->children[i]];
		if (node->kind == BS_NODE_AND)
			first = (struct truth){first.may & next.may, first.must & next.must};
		else
			first = (struct truth){first.may | next.may, first.must | next.must};
	}
	return first;
}

/* The root's truth for the rows of interest. */
static enum bs_status eval_group(const struct group_scan *scan, struct truth *truth_out)
{
	const struct bs_query *query = scan->at->plan->query;
	struct truth *truths = (struct truth *)(void *)scan->at->scan->truths.data;
	enum bs_status status = BS_OK;
	for (uint32_t n = 0; n < query->n_nodes && !status; n++) {
		const struct bs_query_node *node = &query->nodes[n];
		if (bs_scan_is_leaf(node))
			status = leaf_truth(scan, n, &truths[n]);
		else
			truths[n] = join_truths(node, truths);
	}
	*truth_out = (struct truth){truths[query->n_nodes - 1].may & scan->rows,
	                            truths[query->n_nodes - 1].must & scan->rows};
	return status;
}

static enum bs_status scan_group(struct bs_slab_scan *at, uint32_t group, struct bs_buffer *candidates)
{
	uint32_t first = group * BS_LIST_GROUP_ROWS;
	uint32_t n_rows = at->slab->n_docs - first < BS_LIST_GROUP_ROWS ? at->slab->n_docs - first : BS_LIST_GROUP_ROWS;
	struct group_scan scan = {.at = at, .group = group, .rows = UINT64_MAX >> (BS_LIST_GROUP_ROWS - n_rows)};
	struct truth truth;
	enum bs_status status = eval_group(&scan, &truth);
	if (status || !truth.may)
		return status;
	scan.rows = truth.may;
	scan.is_lookup = true;
	status = eval_group(&scan, &truth);
	for (uint64_t left = truth.may; left && !status; left &= left - 1) {
		uint32_t row = (uint32_t)__builtin_ctzll(left);
		status = bs_scan_add_candidate(at, first + row, truth.must >> row & 1, candidates);
	}
	return status;
}

enum bs_status bs_scan_lists(struct bs_slab_scan *at, struct bs_buffer *candidates)
{
	bs_buffer_clear(&at->scan->truths);
	enum bs_status status = bs_buffer_reserve(&at->scan->truths, at->plan->query->n_nodes * sizeof(struct truth),
	                                          at->err);
	for (uint32_t group = 0; group < bs_list_groups(at->slab->n_docs) && !status; group++)
		status = scan_group(at, group, candidates);
	return status;
}
