/*
 * scan_internal.h: what the files of the filter share. Inside query/ only: scan.c walks the tree, scan_columns.c ANDs
 * terms in a slab, scan_forward.c goes through forward lists, scan_top.c ranks.
 */
#ifndef BS_QUERY_SEARCH_SCAN_INTERNAL_H
#define BS_QUERY_SEARCH_SCAN_INTERNAL_H

#include "core/base/bytes.h"
#include "core/matrix/slab_and.h"
#include "query/search/scan.h"

/* A term in the slab under the scan, looked up when first needed. */
struct bs_scan_term {
	const struct bs_slab *slab; /* for which here holds; NULL: none yet */
	struct bs_slab_term here;
};

struct bs_scan {
	struct bs_and_frame *frames; /* one a depth of the tree: intermediate results */
	uint32_t n_frames;
	struct bs_and_scratch and;
	struct bs_buffer here;     /* struct bs_scan_term, one a term of the plan */
	struct bs_buffer terms;    /* u32: a stack of the terms that ANDs under evaluation look at */
	struct bs_buffer pointers; /* const struct bs_slab_term *: those of one AND */
	struct bs_buffer truths;   /* scratch of scan_forward.c, one a node */
	struct bs_buffer merged;   /* struct bs_candidate: scratch for sorting */
};

/* What every function below needs to know; lives for one slab. */
struct bs_slab_scan {
	struct bs_scan *scan;
	const struct bs_plan *plan;
	const struct bs_slab *slab;
	const struct bs_kernel *kernel;
	struct bs_query_stats *stats;
	struct bs_error *err;
	uint32_t segment;
};

/* A term in the segment being scanned. */
static inline const struct bs_term_place *bs_scan_place(const struct bs_slab_scan *at, uint32_t term)
{
	return bs_plan_place(at->plan, at->segment, term);
}

static inline bool bs_scan_is_leaf(const struct bs_query_node *node)
{
	return node->kind == BS_NODE_WORD || node->kind == BS_NODE_PHRASE || node->kind == BS_NODE_NEAR;
}

/* scan.c */

/* The document of a row, unless it is deleted. */
enum bs_status bs_scan_add_candidate(struct bs_slab_scan *at, uint32_t row, bool is_sure, struct bs_buffer *candidates)
	BS_WARN_UNUSED;

/* Leaves in frame 0 the documents of the blocks of live that may match, and in live where any do; sure_out: they do. */
enum bs_status bs_scan_matches(struct bs_slab_scan *at, struct bs_live *live, bool *sure_out) BS_WARN_UNUSED;

/* The slab's block columns are on their way while the one before is searched. */
void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, const struct bs_slab *slab);

/* scan_forward.c */

/* With n_counted (nullable), those that surely match are counted instead. */
enum bs_status bs_scan_forward(struct bs_slab_scan *at, struct bs_buffer *candidates, uint64_t *n_counted) BS_WARN_UNUSED;

/* scan_columns.c */

/* Before the first slab of a segment. */
enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, struct bs_error *err) BS_WARN_UNUSED;

/* Makes frame depth exist, those before it being there; frames may move. */
enum bs_status bs_scan_need_frame(struct bs_slab_scan *at, uint32_t depth) BS_WARN_UNUSED;

/* Every document of the live blocks: ones, but for the padding of the last block. */
void bs_scan_fill_ones(const struct bs_slab_scan *at, uint64_t *lines, const struct bs_live *live);

/* Whether what bs_scan_and_terms leaves of this term is sure: it has an exact column here, or its exceptions are listed. */
enum bs_status bs_scan_is_exact(struct bs_slab_scan *at, uint32_t term, bool *exact_out) BS_WARN_UNUSED;

/* The term's exact column in this slab, or BS_NO_COLUMN. */
enum bs_status bs_scan_exact_column(struct bs_slab_scan *at, uint32_t term, uint32_t *column_out) BS_WARN_UNUSED;

/* frame->lines and live become the documents that may have all the terms, within live; exceptions taken out. */
enum bs_status bs_scan_and_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms,
                                 const struct bs_and_frame *frame, struct bs_live *live) BS_WARN_UNUSED;

#endif
