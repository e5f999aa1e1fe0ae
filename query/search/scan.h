/*
 * scan.h: the filter. From a plan to candidates: all documents that match, and some that do not.
 *
 * Per slab, the tree is evaluated on lines of 512 documents. For an AND: the block columns of all its terms leave a mask
 * of live blocks; the group columns of the live ones leave a mask of live lanes; the document columns, sparsest first,
 * leave the candidates. An OR evaluates its children under the mask it got and joins them. A NOT is used only where its
 * operand is exact (words with exact columns or listed exceptions, or forward lists); else it is left to verification. Knows nothing
 * of text; its neighbour match.c knows nothing of columns.
 */
#ifndef BS_QUERY_SEARCH_SCAN_H
#define BS_QUERY_SEARCH_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/simd/kernels.h"
#include "core/base/status.h"
#include "query/search/plan.h"

/* One thread's memory for scanning: opaque, grows to the deepest query and stays. */
struct bs_scan;
enum bs_status bs_scan_new(struct bs_scan **scan_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_scan_free(struct bs_scan *scan);

/* A document that may match. */
struct bs_candidate {
	uint32_t document;
	uint32_t row;  /* of its slab */
	bool is_sure; /* every column it came through is exact: it matches, if its source is what was indexed */
};

/*
 * Appends the candidates of segment s to candidates (struct bs_candidate each), in document order, deleted ones left
 * out. With n_counted (nullable), sure ones may be added to *n_counted instead, where that is quicker. stats is added
 * to. BS_CORRUPT, BS_NO_MEMORY.
 */
enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_buffer *candidates, uint64_t *n_counted,
                               struct bs_query_stats *stats, struct bs_error *err) BS_WARN_UNUSED;

#endif
