/*
 * scan.h: the filter: computes candidates from a plan. The candidates include all documents that
 * match, and some that do not; for words alone they are exact.
 *
 * One evaluator runs the tree over lines of 512 documents (term_lines.h). An AND takes the lines of
 * all its terms at once; ranges, ORs and NOTs are evaluated within the documents that remain. An OR
 * evaluates its children within the documents it is given, and joins the results. Each node has two
 * sets of documents: those that may match it and those that surely do. A NOT computes one set from
 * the other set of its operand. The sets differ only where an operand is not exact: for fields, and
 * for phrases that are not a word pair. Texts are not read here; match.c, in turn, does not read
 * columns.
 *
 * Forward indexes had a separate evaluator until they became a second source of lines. One
 * evaluator for both takes 1.01 to 1.03 times the instructions of a query where all documents are
 * in lists (AND, OR, NOT, nested, prefixes; 400 long documents), and 0.97 to 1.02 times in an index
 * of columns and lists.
 */
#pragma once

#include "query/scan/term_lines.h"

/*
 * Appends the candidates of segment s, whose source must be BS_PLAN_COLUMNS, in document order.
 * Deleted documents and documents outside the plan's scope are left out. With n_counted (nullable),
 * sure candidates may be added to *n_counted instead, where that is faster. stats is added to.
 * BS_CORRUPT, BS_NO_MEMORY.
 */
enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates,
                               uint64_t *n_counted, struct bs_scan_stats *stats,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Appends every document of segment s that is not deleted and is within the plan's scope.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s,
                           struct bs_candidate_list *candidates, struct bs_scan_stats *stats,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Whether a document cannot be a hit because it is deleted, is left out, or does not pass the
 * filter. Also true after a failure (at->status). */
bool bs_scan_is_out(struct bs_shard_scan *at, uint32_t document);

/* Leaves in frame 0 the documents of the live blocks that may match, and in live the blocks that
 * have any. Returns true if all of them match for sure. */
bool bs_scan_matches(struct bs_shard_scan *at, struct bs_live *live);

/* Appends the candidates of a shard, after bs_scan_start: for each window first the sure ones and
 * then the others, each in the order of their rows. n_counted: see bs_scan_segment. */
void bs_scan_shard(struct bs_shard_scan *at, struct bs_candidate_list *candidates,
                   uint64_t *n_counted);
