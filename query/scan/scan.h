/*
 * scan.h: the filter. From a plan to candidates: all documents that match, and some that do not;
 * none for words alone.
 *
 * One evaluator runs the tree over lines of 512 documents (term_lines.h). An AND takes the lines of
 * all its terms at once; ranges, ORs and NOTs are evaluated within the documents that these leave.
 * An OR evaluates its children under the mask it got and joins them. A node has two sets of
 * documents: those that may match it and those that surely do; a NOT takes one set of its operand
 * for the other of its own. The sets differ only where an operand is not exact: fields, and phrases
 * that are no word pair. Knows nothing of text; its neighbour match.c knows nothing of columns.
 *
 * Forward indexes had an evaluator of their own until they became a second source of lines. One for
 * both takes 1.01 to 1.03 times the instructions of a query where all documents are in lists (AND,
 * OR, NOT, nested, prefixes; 400 long documents), and 0.97 to 1.02 times in an index of columns and
 * lists.
 */
#pragma once

#include "query/scan/term_lines.h"

/*
 * Appends the candidates of segment s, whose source is BS_PLAN_COLUMNS, in document order, without
 * deleted documents and those that the plan's filter keeps back. With n_counted (nullable), sure
 * ones may be added to *n_counted instead, where that is quicker. stats is added to. BS_CORRUPT,
 * BS_NO_MEMORY.
 */
enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates,
                               uint64_t *n_counted, struct bs_scan_stats *stats,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Appends every document of segment s that may be a hit: all that are not deleted and that the
 * plan's scope admits. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s,
                           struct bs_candidate_list *candidates, struct bs_scan_stats *stats,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Whether a document cannot be a hit: it is deleted, or the filter of the plan does not let it
 * pass. */
bool bs_scan_is_out(struct bs_shard_scan *at, uint32_t document);

/* Leaves in frame 0 the documents of the blocks of live that may match, and in live where any do.
 * Whether they do. */
bool bs_scan_matches(struct bs_shard_scan *at, struct bs_live *live);

/* Appends the candidates of a shard, after bs_scan_start: of each window the sure ones and then the
 * others, each in the order of their rows. n_counted as in bs_scan_segment. */
void bs_scan_shard(struct bs_shard_scan *at, struct bs_candidate_list *candidates,
                   uint64_t *n_counted);
