/* scan.c: the filter's walk over the query tree. See scan.h for the idea, scan_columns.c for the columns. */
#include "query/search/scan_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static const struct bs_query_node *node_at(const struct bs_slab_scan *at, uint32_t node)
{
	return &at->plan->query->nodes[node];
}

/* Whether a word's columns say exactly which documents have it. */
static enum bs_status word_is_exact(struct bs_slab_scan *at, const struct bs_query_node *node, bool *exact_out)
{
	const struct bs_plan_element *element = &at->plan->elements[node->items[0].element];
	*exact_out = node->field == BS_QUERY_ANY_FIELD && !element->is_too_broad;
	for (uint32_t i = 0; i < element->n_terms && *exact_out; i++) {
		enum bs_status status = bs_scan_is_exact(at, element->first_term + i, exact_out);
		if (status)
			return status;
	}
	return BS_OK;
}

/* Whether a phrase is no more than a pair of words that this segment has as a term, and exactly. */
static enum bs_status phrase_is_exact(struct bs_slab_scan *at, uint32_t n, bool *exact_out)
{
	const struct bs_query_node *node = node_at(at, n);
	*exact_out = false;
	if (node->n_items != 2 || node->field != BS_QUERY_ANY_FIELD)
		return BS_OK;
	for (uint32_t i = 0; i < at->plan->n_word_pairs; i++) {
		uint32_t term = at->plan->pairs[i].term;
		if (at->plan->pairs[i].node == n && bs_scan_place(at, term)->is_found)
			return bs_scan_is_exact(at, term, exact_out);
	}
	return BS_OK;
}

/* Whether the lines of a node are exactly its matches in this slab. */
static enum bs_status node_is_exact(struct bs_slab_scan *at, uint32_t n, bool *exact_out)
{
	const struct bs_query_node *node = node_at(at, n);
	if (node->kind == BS_NODE_WORD)
		return word_is_exact(at, node, exact_out);
	if (node->kind == BS_NODE_PHRASE)
		return phrase_is_exact(at, n, exact_out);
	*exact_out = node->kind != BS_NODE_NEAR;
	for (uint32_t i = 0; i < node->n_children && *exact_out; i++) {
		enum bs_status status = node_is_exact(at, node->children[i], exact_out);
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status eval(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live);

static enum bs_status push_term(struct bs_slab_scan *at, uint32_t term)
{
	return bs_buffer_append(&at->scan->terms, &term, sizeof(term), at->err);
}

/* Pushes the single terms that every match of the leaf has; an element of several terms is left to *has_wide_out. */
static enum bs_status push_leaf(struct bs_slab_scan *at, uint32_t n, bool *has_wide_out)
{
	const struct bs_query_node *node = node_at(at, n);
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < at->plan->n_word_pairs && !status; i++)
		if (at->plan->pairs[i].node == n && bs_scan_place(at, at->plan->pairs[i].term)->is_found)
			status = push_term(at, at->plan->pairs[i].term);
	*has_wide_out = false;
	for (uint32_t i = 0; i < node->n_items + node->n_aids && !status; i++) {
		uint32_t e = i < node->n_items ? node->items[i].element : node->aids[i - node->n_items].element;
		const struct bs_plan_element *element = &at->plan->elements[e];
		if (element->n_terms == 1)
			status = push_term(at, element->first_term);
		else if (!element->is_too_broad)
			*has_wide_out = true;
	}
	return status;
}

/* The documents that have any of an element's terms, into frame depth. */
static enum bs_status eval_wide(struct bs_slab_scan *at, uint32_t e, uint32_t depth, struct bs_live *live)
{
	const struct bs_plan_element *element = &at->plan->elements[e];
	enum bs_status status = bs_scan_need_frame(at, depth + 1);
	struct bs_live joined = {{0}};
	for (uint32_t i = 0; i < element->n_terms && !status; i++) {
		uint32_t term = element->first_term + i;
		struct bs_live one = *live;
		status = bs_scan_and_terms(at, &term, 1, &at->scan->frames[depth + 1], &one);
		if (!status)
			at->kernel->or_lines(at->scan->frames[depth].lines, &joined, at->scan->frames[depth + 1].lines, &one);
	}
	*live = joined;
	return status;
}

/* ANDs the elements of several terms among a leaf's items into frame depth. */
static enum bs_status and_wide_items(struct bs_slab_scan *at, const struct bs_query_node *node, uint32_t depth,
                                     struct bs_live *live)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < node->n_items && !status && bs_live_any(live); i++) {
		struct bs_live one = *live;
		const struct bs_plan_element *element = &at->plan->elements[node->items[i].element];
		if (element->n_terms == 1 || element->is_too_broad)
			continue;
		status = bs_scan_need_frame(at, depth + 1);
		if (!status)
			status = eval_wide(at, node->items[i].element, depth + 1, &one);
		if (!status)
			at->kernel->and_lines(at->scan->frames[depth].lines, live, at->scan->frames[depth + 1].lines, &one);
	}
	return status;
}

/* ANDs NOT child into frame depth, as far as it is exact. */
static enum bs_status and_not(struct bs_slab_scan *at, uint32_t child, uint32_t depth, struct bs_live *live)
{
	bool is_exact;
	enum bs_status status = node_is_exact(at, child, &is_exact);
	if (status || !is_exact)
		return status;
	struct bs_live one = *live;
	status = bs_scan_need_frame(at, depth + 1);
	if (!status)
		status = eval(at, child, depth + 1, &one);
	if (!status)
		at->kernel->and_not_lines(at->scan->frames[depth].lines, live, at->scan->frames[depth + 1].lines, &one);
	return status;
}

/* A conjunction of the children (or of one leaf alone): all single terms in one AND, then the rest one by one. */
static enum bs_status eval_and(struct bs_slab_scan *at, const uint32_t *children, uint32_t n_children, uint32_t depth,
                               struct bs_live *live)
{
	struct bs_scan *scan = at->scan;
	size_t base = scan->terms.used_bytes;
	bool has_wide = false;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n_children && !status; i++) {
		bool wide = false;
		if (bs_scan_is_leaf(node_at(at, children[i])))
			status = push_leaf(at, children[i], &wide);
		has_wide |= wide;
	}
	if (status)
		goto out;
	const uint32_t *terms = (const uint32_t *)(const void *)(scan->terms.data + base);
	size_t n_terms = (scan->terms.used_bytes - base) / sizeof(uint32_t);
	if (n_terms > 0)
		status = bs_scan_and_terms(at, terms, n_terms, &scan->frames[depth], live);
	else
		bs_scan_fill_ones(at, scan->frames[depth].lines, live);
	for (uint32_t i = 0; i < n_children && !status && bs_live_any(live); i++) {
		const struct bs_query_node *child = node_at(at, children[i]);
		if (bs_scan_is_leaf(child)) {
			status = has_wide ? and_wide_items(at, child, depth, live) : BS_OK;
		} else if (child->kind == BS_NODE_NOT) {
			status = and_not(at, child->children[0], depth, live);
		} else {
			struct bs_live one = *live;
			status = bs_scan_need_frame(at, depth + 1);
			if (!status)
				status = eval(at, children[i], depth + 1, &one);
			if (!status)
				at->kernel->and_lines(scan->frames[depth].lines, live, scan->frames[depth + 1].lines, &one);
		}
	}
out:
	scan->terms.used_bytes = base;
	return status;
}

static enum bs_status eval_or(struct bs_slab_scan *at, const struct bs_query_node *node, uint32_t depth,
                              struct bs_live *live)
{
	struct bs_live joined = {{0}};
	enum bs_status status = bs_scan_need_frame(at, depth + 1);
	for (uint32_t i = 0; i < node->n_children && !status; i++) {
		struct bs_live one = *live;
		status = eval(at, node->children[i], depth + 1, &one);
		if (!status)
			at->kernel->or_lines(at->scan->frames[depth].lines, &joined, at->scan->frames[depth + 1].lines, &one);
	}
	*live = joined;
	return status;
}

/* Leaves in frame depth, for the blocks of live, the documents that may match node n; live shrinks to where any do. */
static enum bs_status eval(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_query_node *node = node_at(at, n);
	switch (node->kind) {
	case BS_NODE_AND:
		return eval_and(at, node->children, node->n_children, depth, live);
	case BS_NODE_OR:
		return eval_or(at, node, depth, live);
	default:
		return eval_and(at, &n, 1, depth, live);
	}
}

/* ---- what is sure ---- */

/*
 * Leaves in frame depth those of the documents in live that surely match node n: all matches of what is exact, and of other
 * nodes what their exact children say.
 */
static enum bs_status eval_sure(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_query_node *node = node_at(at, n);
	struct bs_live joined = {{0}};
	bool is_exact;
	enum bs_status status = node_is_exact(at, n, &is_exact);
	if (status)
		return status;
	if (is_exact)
		return eval(at, n, depth, live);
	if (node->kind == BS_NODE_OR)
		status = bs_scan_need_frame(at, depth + 1);
	for (uint32_t i = 0; node->kind == BS_NODE_OR && i < node->n_children && !status; i++) {
		struct bs_live one = *live;
		status = eval_sure(at, node->children[i], depth + 1, &one);
		if (!status)
			at->kernel->or_lines(at->scan->frames[depth].lines, &joined, at->scan->frames[depth + 1].lines, &one);
	}
	*live = joined;
	return status;
}

/* ---- candidates ---- */

enum bs_status bs_scan_add_candidate(struct bs_slab_scan *at, uint32_t row, bool is_sure, struct bs_buffer *candidates)
{
	struct bs_candidate candidate = {.row = row, .is_sure = is_sure};
	const struct bs_snapshot *snapshot = at->plan->snapshot;
	enum bs_status status = bs_slab_document(at->slab, row, &candidate.document, at->err);
	if (status)
		return status;
	if (candidate.document >= snapshot->segments[at->segment].meta.n_docs)
		return bs_container_corrupt(at->slab->rows.file, at->err, "row %u is document %u", row, candidate.document);
	if (bs_snapshot_is_deleted(snapshot, at->segment, candidate.document))
		return BS_OK;
	at->stats->candidates++;
	return bs_buffer_append(candidates, &candidate, sizeof(candidate), at->err);
}

static enum bs_status add_line(struct bs_slab_scan *at, const uint64_t *line, uint32_t block, bool is_sure,
                               struct bs_buffer *candidates)
{
	enum bs_status status = BS_OK;
	for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
		for (uint64_t bits = line[word]; bits && !status; bits &= bits - 1) {
			uint32_t row = block * BS_LINE_BITS + word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (row >= at->slab->n_docs)
				return bs_container_corrupt(at->slab->rows.file, at->err, "a column has bits past the last document");
			status = bs_scan_add_candidate(at, row, is_sure, candidates);
		}
	}
	return status;
}

/* The documents that frame depth was left with. */
static enum bs_status add_lines(struct bs_slab_scan *at, uint32_t depth, const struct bs_live *live, bool is_sure,
                                struct bs_buffer *candidates)
{
	const uint64_t *lines = at->scan->frames[depth].lines;
	enum bs_status status = BS_OK;
	for (uint32_t word = 0; word < BS_SLAB_MAX_BLOCKS / 64; word++) {
		for (uint64_t left = live->words[word]; left && !status; left &= left - 1) {
			uint32_t block = word * 64 + (uint32_t)__builtin_ctzll(left);
			status = add_line(at, lines + (size_t)block * BS_LINE_WORDS, block, is_sure, candidates);
		}
	}
	return status;
}

/* Whether lanes that stand for no document are set: only a file made to deceive has such under right checksums. */
static bool has_bits_past_end(const struct bs_slab_scan *at, uint32_t depth, const struct bs_live *live)
{
	uint32_t last = at->slab->n_blocks - 1;
	uint32_t n_last = at->slab->n_docs - last * BS_LINE_BITS;
	if (!(live->words[last / 64] >> (last % 64) & 1))
		return false;
	for (uint32_t lane = n_last; lane < BS_LINE_BITS; lane++)
		if (at->scan->frames[depth].lines[(size_t)last * BS_LINE_WORDS + lane / 64] >> (lane % 64) & 1)
			return true;
	return false;
}

/* No document needs to be named to be counted. */
static enum bs_status count_lines(struct bs_slab_scan *at, uint32_t depth, const struct bs_live *live,
                                  uint64_t *n_counted)
{
	if (has_bits_past_end(at, depth, live))
		return bs_container_corrupt(at->slab->rows.file, at->err, "a column has bits past the last document");
	uint64_t n = at->kernel->count(at->scan->frames[depth].lines, live);
	at->stats->candidates += n;
	*n_counted += n;
	return BS_OK;
}

enum bs_status bs_scan_matches(struct bs_slab_scan *at, struct bs_live *live, bool *sure_out)
{
	uint32_t root = (uint32_t)at->plan->query->n_nodes - 1;
	*sure_out = false;
	enum bs_status status = bs_scan_need_frame(at, 0);
	if (!status)
		status = eval(at, root, 0, live);
	if (status || !bs_live_any(live))
		return status;
	return node_is_exact(at, root, sure_out);
}

static enum bs_status take_lines(struct bs_slab_scan *at, uint32_t depth, const struct bs_live *live, bool is_sure,
                                 struct bs_buffer *candidates, uint64_t *n_counted)
{
	if (!bs_live_any(live))
		return BS_OK;
	if (!is_sure || !n_counted)
		return add_lines(at, depth, live, is_sure, candidates);
	return count_lines(at, depth, live, n_counted);
}

/* Of a disjunction, those that one exact operand vouches for need no proof by another. */
static enum bs_status take_sure_lines(struct bs_slab_scan *at, struct bs_live *live, struct bs_buffer *candidates,
                                      uint64_t *n_counted)
{
	struct bs_live sure = *live;
	enum bs_status status = bs_scan_need_frame(at, 1);
	if (!status)
		status = eval_sure(at, (uint32_t)at->plan->query->n_nodes - 1, 1, &sure);
	if (status || !bs_live_any(&sure))
		return status;
	/* Both come out of the same columns; only a file made to deceive has sure ones that were no candidates. */
	at->kernel->and_not_lines(at->scan->frames[0].lines, live, at->scan->frames[1].lines, &sure);
	return take_lines(at, 1, &sure, true, candidates, n_counted);
}

static enum bs_status scan_matrix(struct bs_slab_scan *at, struct bs_buffer *candidates, uint64_t *n_counted)
{
	const struct bs_query_node *root = node_at(at, (uint32_t)at->plan->query->n_nodes - 1);
	struct bs_live live;
	bool is_sure;
	bs_live_all(&live, at->slab->n_blocks);
	enum bs_status status = bs_scan_matches(at, &live, &is_sure);
	for (uint32_t word = 0; word < BS_SLAB_MAX_BLOCKS / 64 && !status; word++)
		at->stats->blocks_live += bs_count_bits(live.words[word]);
	if (!status && !is_sure && root->kind == BS_NODE_OR && bs_live_any(&live))
		status = take_sure_lines(at, &live, candidates, n_counted);
	return status ? status : take_lines(at, 0, &live, is_sure, candidates, n_counted);
}

/* ---- order ---- */

/* Where the ascending run that begins at `from` ends. */
static size_t run_end(const struct bs_candidate *candidates, size_t from, size_t n)
{
	for (from++; from < n && candidates[from - 1].document <= candidates[from].document; from++)
		continue;
	return from;
}

static void merge_runs(const struct bs_candidate *a, const struct bs_candidate *a_end, const struct bs_candidate *b,
                       const struct bs_candidate *b_end, struct bs_candidate *to)
{
	while (a < a_end && b < b_end)
		*to++ = a->document <= b->document ? *a++ : *b++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*to));
}

/* Slabs give their documents in order, but not one after the other: a natural merge sort, of as many runs as slabs. */
static enum bs_status sort_candidates(struct bs_scan *scan, struct bs_candidate *candidates, size_t n,
                                      struct bs_error *err)
{
	if (run_end(candidates, 0, n) == n)
		return BS_OK;
	bs_buffer_clear(&scan->merged);
	enum bs_status status = bs_buffer_reserve(&scan->merged, n * sizeof(*candidates), err);
	if (status)
		return status;
	struct bs_candidate *from = candidates;
	struct bs_candidate *to = (struct bs_candidate *)(void *)scan->merged.data;
	for (size_t n_runs = 2; n_runs > 1;) {
		n_runs = 0;
		for (size_t start = 0; start < n; n_runs++) {
			size_t middle = run_end(from, start, n);
			size_t end = middle < n ? run_end(from, middle, n) : n;
			merge_runs(from + start, from + middle, from + middle, from + end, to + start);
			start = end;
		}
		struct bs_candidate *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != candidates)
		memcpy(candidates, from, n * sizeof(*candidates));
	return BS_OK;
}

#define PREFETCHED_TERMS 16u

/* The next slab's block columns are on their way while this one is searched. */
void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, const struct bs_slab *slab)
{
	for (uint32_t t = 0; t < plan->n_terms && t < PREFETCHED_TERMS && slab->n_levels > 1; t++)
		if (bs_plan_place(plan, segment, t)->is_found)
			bs_slab_prefetch(slab, &bs_plan_place(plan, segment, t)->term);
}

enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_buffer *candidates, uint64_t *n_counted,
                               struct bs_query_stats *stats, struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	size_t base = candidates->used_bytes;
	enum bs_status status = bs_scan_start(scan, plan, err);
	if (plan->snapshot->tombstones[s])
		n_counted = NULL;
	for (uint32_t i = 0; i < segment->meta.n_slabs && !status; i++) {
		struct bs_slab_scan at = {scan, plan, &segment->slabs[i], kernel, stats, err, s};
		if (i + 1 < segment->meta.n_slabs)
			bs_scan_prefetch(plan, s, &segment->slabs[i + 1]);
		status = at.slab->n_levels == 0 ? bs_scan_forward(&at, candidates, n_counted) : scan_matrix(&at, candidates, n_counted);
	}
	if (!status && candidates->used_bytes > base)
		status = sort_candidates(scan, (struct bs_candidate *)(void *)(candidates->data + base),
		                         (candidates->used_bytes - base) / sizeof(struct bs_candidate), err);
	return status;
}
