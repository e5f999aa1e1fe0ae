/*
 * scan_forward.c: the filter's way through forward lists: the same tree as in scan.c, on words of 64 documents, many
 * words at a time. First by exact columns and, for terms without, by the filter in front of the lists
 * (core/matrix/forward_filter.h), which nearly always says no to all; then, for the documents that this leaves, by looking each
 * word up in the list itself, which is exact.
 */
#include "query/search/scan_internal.h"

#include <string.h>

/* Words that the tree is evaluated on at one go: what is known of a node stays in the first cache. */
#define CHUNK_WORDS 64u

/* What is known of a node for each document: it may match, it does match. */
struct truth {
	uint64_t may[CHUNK_WORDS];
	uint64_t must[CHUNK_WORDS];
};

/* Groups of signatures, a word each. */
struct chunk {
	struct bs_slab_scan *at;
	uint32_t first;
	uint32_t n_words;
	bool is_lookup; /* second round: lists are looked into */
};

static bool any(const struct chunk *chunk, const uint64_t *words)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < chunk->n_words; i++)
		all |= words[i];
	return all != 0;
}

/* ---- terms ---- */

/* Of the rows given, those whose lists have the term. */
static enum bs_status look_up_rows(const struct chunk *chunk, uint32_t group, uint64_t ordinal, uint64_t rows,
                                   uint64_t *has_out)
{
	*has_out = 0;
	for (uint64_t left = rows; left; left &= left - 1) {
		uint32_t row = (uint32_t)__builtin_ctzll(left);
		bool found;
		enum bs_status status = bs_slab_forward_find(chunk->at->slab, group * BS_FORWARD_GROUP_ROWS + row, ordinal, &found,
		                                          chunk->at->err);
		if (status)
			return status;
		*has_out |= (uint64_t)found << row;
	}
	return BS_OK;
}

static enum bs_status and_exact(const struct chunk *chunk, uint32_t column, const uint64_t *within, uint64_t *rows_io)
{
	const uint8_t *words;
	enum bs_status status = bs_slab_forward_column(chunk->at->slab, column, &words, chunk->at->err);
	for (uint32_t i = 0; i < chunk->n_words && !status; i++)
		rows_io[i] |= within[i] & bs_load_u64(words + ((size_t)chunk->first + i) * 8);
	return status;
}

static enum bs_status and_listed(const struct chunk *chunk, const struct bs_term_place *place, const uint64_t *within,
                                 uint64_t *rows_io)
{
	const struct bs_forward_filter *filter = &chunk->at->slab->forward_filter;
	struct bs_probe probe = bs_forward_filter_probe(filter->hashing, place->term.ordinal);
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < chunk->n_words && !status; i++) {
		uint64_t wanted = within[i] & ~rows_io[i];
		uint64_t rows;
		if (!wanted)
			continue;
		status = bs_forward_filter_rows(filter, chunk->first + i, probe, wanted, &rows, chunk->at->err);
		if (!status && chunk->is_lookup && rows)
			status = look_up_rows(chunk, chunk->first + i, place->term.ordinal, rows, &rows);
		if (!status)
			rows_io[i] |= rows;
	}
	return status;
}

/* Adds the rows within that have a term of the plan, or seem to; is_exact_io becomes false if they may only seem to. */
static enum bs_status term_rows(const struct chunk *chunk, uint32_t term, const uint64_t *within, uint64_t *rows_io,
                                bool *is_exact_io)
{
	const struct bs_term_place *place = bs_scan_place(chunk->at, term);
	uint32_t column;
	if (!place->is_found)
		return BS_OK;
	enum bs_status status = bs_scan_exact_column(chunk->at, term, &column);
	if (status)
		return status;
	if (column != BS_NO_COLUMN)
		return and_exact(chunk, column, within, rows_io);
	*is_exact_io &= chunk->is_lookup;
	return and_listed(chunk, place, within, rows_io);
}

/* rows become those of them that have any of the element's terms, or seem to. */
static enum bs_status element_rows(const struct chunk *chunk, uint32_t e, uint64_t *rows_io, bool *is_exact_io)
{
	const struct bs_plan_element *element = &chunk->at->plan->elements[e];
	uint64_t within[CHUNK_WORDS];
	enum bs_status status = BS_OK;
	memcpy(within, rows_io, chunk->n_words * sizeof(*within));
	memset(rows_io, 0, chunk->n_words * sizeof(*rows_io));
	for (uint32_t i = 0; i < element->n_terms && !status; i++)
		status = term_rows(chunk, element->first_term + i, within, rows_io, is_exact_io);
	return status;
}

/* The same for the pairs of words of a phrase which the segment knows. *proves_out: that is all there is to it. */
static enum bs_status pair_rows(const struct chunk *chunk, uint32_t n, uint64_t *rows_io, bool *proves_out)
{
	const struct bs_plan *plan = chunk->at->plan;
	const struct bs_query_node *node = &plan->query->nodes[n];
	enum bs_status status = BS_OK;
	*proves_out = false;
	for (uint32_t i = 0; i < plan->n_word_pairs && any(chunk, rows_io) && !status; i++) {
		uint64_t rows[CHUNK_WORDS] = {0};
		bool is_exact = true;
		if (plan->pairs[i].node != n || !bs_scan_place(chunk->at, plan->pairs[i].term)->is_found)
			continue;
		status = term_rows(chunk, plan->pairs[i].term, rows_io, rows, &is_exact);
		memcpy(rows_io, rows, chunk->n_words * sizeof(*rows));
		*proves_out = is_exact && node->kind == BS_NODE_PHRASE && node->n_items == 2 && node->field == BS_QUERY_ANY_FIELD;
	}
	return status;
}

/* ---- the tree ---- */

static struct truth *truth_of(const struct chunk *chunk, uint32_t n)
{
	return (struct truth *)(void *)chunk->at->scan->truths.data + n;
}

static enum bs_status eval_leaf(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	const struct bs_query_node *node = &chunk->at->plan->query->nodes[n];
	struct truth *truth = truth_of(chunk, n);
	bool is_bigram = false;
	bool is_word = node->kind == BS_NODE_WORD && node->field == BS_QUERY_ANY_FIELD;
	enum bs_status status = BS_OK;
	memcpy(truth->may, within, chunk->n_words * sizeof(*within));
	for (uint32_t i = 0; i < node->n_items && any(chunk, truth->may) && !status; i++) {
		if (chunk->at->plan->elements[node->items[i].element].is_too_broad)
			is_word = false;
		else
			status = element_rows(chunk, node->items[i].element, truth->may, &is_word);
	}
	if (!status)
		status = pair_rows(chunk, n, truth->may, &is_bigram);
	for (uint32_t i = 0; i < chunk->n_words; i++)
		truth->must[i] = is_word || is_bigram ? truth->may[i] : 0;
	return status;
}

static enum bs_status eval(const struct chunk *chunk, uint32_t n, const uint64_t *within);

/* Each child is asked about what those before it leave. */
static enum bs_status eval_and(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	const struct bs_query_node *node = &chunk->at->plan->query->nodes[n];
	struct truth *truth = truth_of(chunk, n);
	enum bs_status status = BS_OK;
	memcpy(truth->may, within, chunk->n_words * sizeof(*within));
	memcpy(truth->must, within, chunk->n_words * sizeof(*within));
	for (uint32_t c = 0; c < node->n_children && any(chunk, truth->may) && !status; c++) {
		const struct truth *child = truth_of(chunk, node->children[c]);
		status = eval(chunk, node->children[c], truth->may);
		for (uint32_t i = 0; i < chunk->n_words; i++) {
			truth->may[i] &= child->may[i];
			truth->must[i] &= child->must[i];
		}
	}
	return status;
}

/* Each child is asked about what no one before it surely has. */
static enum bs_status eval_or(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	const struct bs_query_node *node = &chunk->at->plan->query->nodes[n];
	struct truth *truth = truth_of(chunk, n);
	uint64_t left[CHUNK_WORDS];
	enum bs_status status = BS_OK;
	memset(truth, 0, sizeof(*truth));
	memcpy(left, within, chunk->n_words * sizeof(*within));
	for (uint32_t c = 0; c < node->n_children && !status; c++) {
		const struct truth *child = truth_of(chunk, node->children[c]);
		status = eval(chunk, node->children[c], left);
		for (uint32_t i = 0; i < chunk->n_words; i++) {
			truth->may[i] |= child->may[i];
			truth->must[i] |= child->must[i];
			left[i] &= ~child->must[i];
		}
	}
	return status;
}

/* Leaves in the node's truth what is known of the rows within, and nothing of others. */
static enum bs_status eval(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	const struct bs_query_node *node = &chunk->at->plan->query->nodes[n];
	struct truth *truth = truth_of(chunk, n);
	if (bs_scan_is_leaf(node))
		return eval_leaf(chunk, n, within);
	if (node->kind == BS_NODE_AND)
		return eval_and(chunk, n, within);
	if (node->kind == BS_NODE_OR)
		return eval_or(chunk, n, within);
	const struct truth *child = truth_of(chunk, node->children[0]);
	enum bs_status status = eval(chunk, node->children[0], within);
	for (uint32_t i = 0; i < chunk->n_words; i++) {
		truth->may[i] = within[i] & ~child->must[i];
		truth->must[i] = within[i] & ~child->may[i];
	}
	return status;
}

/* ---- the slab ---- */

/* No document needs to be named to be counted. */
static void count_sure(const struct chunk *chunk, struct truth *truth, uint64_t *n_counted)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < chunk->n_words; i++) {
		n += bs_count_bits(truth->must[i]);
		truth->may[i] &= ~truth->must[i];
	}
	chunk->at->stats->candidates += n;
	*n_counted += n;
}

static enum bs_status add_candidates(const struct chunk *chunk, const struct truth *truth, struct bs_buffer *candidates)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < chunk->n_words; i++) {
		for (uint64_t left = truth->may[i]; left && !status; left &= left - 1) {
			uint32_t row = (uint32_t)__builtin_ctzll(left);
			status = bs_scan_add_candidate(chunk->at, (chunk->first + i) * BS_FORWARD_GROUP_ROWS + row,
			                               truth->must[i] >> row & 1, candidates);
		}
	}
	return status;
}

static enum bs_status scan_chunk(struct chunk *chunk, struct bs_buffer *candidates, uint64_t *n_counted)
{
	uint32_t n_left = chunk->at->slab->n_docs - chunk->first * BS_FORWARD_GROUP_ROWS;
	uint32_t root = (uint32_t)chunk->at->plan->query->n_nodes - 1;
	struct truth *truth = truth_of(chunk, root);
	struct truth first;
	uint64_t rows[CHUNK_WORDS];
	for (uint32_t i = 0; i < chunk->n_words; i++)
		rows[i] = n_left - i * BS_FORWARD_GROUP_ROWS < BS_FORWARD_GROUP_ROWS ? (UINT64_C(1) << n_left % BS_FORWARD_GROUP_ROWS) - 1
		                                                               : UINT64_MAX;
	enum bs_status status = eval(chunk, root, rows);
	if (status || !any(chunk, truth->may))
		return status;
	memcpy(&first, truth, sizeof(first));
	for (uint32_t i = 0; i < chunk->n_words; i++)
		rows[i] = first.may[i] & ~first.must[i];
	chunk->is_lookup = true;
	if (any(chunk, rows)) {
		status = eval(chunk, root, rows);
		for (uint32_t i = 0; i < chunk->n_words; i++) {
			first.may[i] = first.must[i] | truth->may[i];
			first.must[i] |= truth->must[i];
		}
	}
	if (!status && n_counted)
		count_sure(chunk, &first, n_counted);
	return status ? status : add_candidates(chunk, &first, candidates);
}

enum bs_status bs_scan_forward(struct bs_slab_scan *at, struct bs_buffer *candidates, uint64_t *n_counted)
{
	uint32_t n_groups = bs_forward_groups(at->slab->n_docs);
	bs_buffer_clear(&at->scan->truths);
	enum bs_status status = bs_buffer_reserve(&at->scan->truths, at->plan->query->n_nodes * sizeof(struct truth),
	                                          at->err);
	for (uint32_t first = 0; first < n_groups && !status; first += CHUNK_WORDS) {
		uint32_t n_left = n_groups - first;
		struct chunk chunk = {.at = at, .first = first, .n_words = n_left < CHUNK_WORDS ? n_left : CHUNK_WORDS};
		status = scan_chunk(&chunk, candidates, n_counted);
	}
	return status;
}
