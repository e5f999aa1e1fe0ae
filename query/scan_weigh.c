/* scan_weigh.c: what the columns say of a candidate's score, for --approx. See scan.h. */
#include "query/scan_internal.h"

static struct bs_candidate *find_candidate(struct bs_candidate *candidates, size_t n, uint32_t document)
{
	size_t low = 0;
	size_t high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (candidates[middle].document < document)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && candidates[low].document == document ? &candidates[low] : NULL;
}

/* Adds weight to the candidates among the documents of the slab that may have the term. */
static enum bs_status weigh_row(struct bs_slab_scan *at, uint32_t row, double weight, struct bs_candidate *candidates,
                                size_t n)
{
	uint32_t document;
	enum bs_status status = bs_slab_document(at->slab, row, &document, at->err);
	struct bs_candidate *found = status ? NULL : find_candidate(candidates, n, document);
	if (found)
		found->weight += (float)weight;
	return status;
}

/* By the signatures themselves: candidates are few. */
static enum bs_status weigh_lists(struct bs_slab_scan *at, uint32_t term, double weight, struct bs_candidate *candidates,
                                  size_t n)
{
	enum bs_status status = BS_OK;
	for (uint32_t row = 0; row < at->slab->n_docs && !status && bs_scan_place(at, term)->is_found; row++) {
		bool has = false;
		status = bs_slab_list_has(at->slab, row, bs_scan_place(at, term)->term.ordinal, &has, at->err);
		if (!status && has)
			status = weigh_row(at, row, weight, candidates, n);
	}
	return status;
}

static enum bs_status weigh_matrix(struct bs_slab_scan *at, uint32_t term, double weight, struct bs_candidate *candidates,
                                   size_t n)
{
	struct bs_live live;
	bs_live_all(&live, at->slab->n_blocks);
	enum bs_status status = bs_scan_need_frame(at, 0);
	if (!status)
		status = bs_scan_and_terms(at, &term, 1, &at->scan->frames[0], &live);
	for (uint32_t block = 0; block < at->slab->n_blocks && !status; block++) {
		if (!(live.words[block / 64] >> (block % 64) & 1))
			continue;
		for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
			uint64_t bits = at->scan->frames[0].lines[(size_t)block * BS_LINE_WORDS + word];
			for (; bits && !status; bits &= bits - 1) {
				uint32_t row = block * BS_LINE_BITS + word * 64 + (uint32_t)__builtin_ctzll(bits);
				if (row < at->slab->n_docs)
					status = weigh_row(at, row, weight, candidates, n);
			}
		}
	}
	return status;
}

enum bs_status bs_scan_weigh(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                             const struct bs_kernel *kernel, const double *weights, struct bs_candidate *candidates,
                             size_t n_candidates, struct bs_query_stats *stats, struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	enum bs_status status = bs_scan_start(scan, plan, err);
	for (uint32_t i = 0; i < segment->meta.n_slabs && !status; i++) {
		struct bs_slab_scan at = {scan, plan, &segment->slabs[i], kernel, stats, err, s};
		for (uint32_t t = 0; t < plan->n_terms && !status; t++) {
			if (!(weights[t] > 0))
				continue;
			status = at.slab->n_levels == 0 ? weigh_lists(&at, t, weights[t], candidates, n_candidates)
			                                : weigh_matrix(&at, t, weights[t], candidates, n_candidates);
		}
	}
	return status;
}
