/*
 * scan.h: the filter. From a plan to candidates: all documents that match, and some that do not; none for words alone.
 *
 * Per slab, one evaluator runs the tree over lines (term_lines.h) of 512 documents. An AND takes the lines of all its terms at once; ranges,
 * ORs and NOTs are evaluated within what these leave. An OR evaluates its children under the mask it got and joins them. A node has two
 * sets of documents: those that may match it and those that surely do; a NOT takes the one of its operand for the other of its own. They
 * differ only where an operand is not exact: phrases that are no word pair, fields. Knows nothing of text; its neighbour match.c knows
 * nothing of columns.
 *
 * Forward lists had an evaluator of their own until it became a second source of lines. One evaluator for both takes 0.89 to 1.03 times the
 * instructions of a query that two took (AND, OR, NOT, nested, prefixes; 400 long documents, all in lists) and 0.98 to 1.01 in an
 * index of columns and lists.
 */
#ifndef BS_QUERY_SCAN_SCAN_H
#define BS_QUERY_SCAN_SCAN_H

#include "query/scan/term_lines.h"

/*
 * Appends the candidates of segment s, whose source is BS_PLAN_COLUMNS, in document order, deleted ones and
 * those that the plan's filter keeps back left out. With n_counted (nullable), sure ones may be added to *n_counted instead, where that is quicker. stats is added
 * to. BS_CORRUPT, BS_NO_MEMORY.
 */
enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates,
                               uint64_t *n_counted, struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;

/* Appends every document of segment s that may be a hit: all that are not deleted and that the plan's scope admits. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s, struct bs_candidate_list *candidates,
                           struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;

/* Whether a document cannot be a hit: it is deleted, or the filter of the plan does not let it pass. */
bool bs_scan_is_out(struct bs_slab_scan *at, uint32_t document);

/* Leaves in frame 0 the documents of the blocks of live that may match, and in live where any do. Whether they do. */
bool bs_scan_matches(struct bs_slab_scan *at, struct bs_live *live);

/* Appends the candidates of a slab: of each window those that are sure and then the others, in the order of their rows. n_counted as
 * bs_scan_segment; after bs_scan_start. */
void bs_scan_slab(struct bs_slab_scan *at, struct bs_candidate_list *candidates, uint64_t *n_counted);

#endif
