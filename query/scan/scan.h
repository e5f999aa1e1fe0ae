/*
 * scan.h: finds the candidates of a plan: all documents that match, and some that do not. For words
 * alone, the candidates are exact. The scan reads no texts, and the verifier (match.c) reads no
 * columns.
 *
 * One evaluator runs the query's tree over lines of 512 documents (term_lines.h). An AND combines
 * the lines of all its terms first; its ranges, ORs and NOTs are then evaluated for the remaining
 * documents only. An OR evaluates its children for the documents it is given, and joins the
 * results. Each node has two sets of documents: those that may match it, and those that surely do.
 * A NOT computes each set from the other set of its operand. The sets differ only where an operand
 * is not exact (bs_plan_is_exact_leaf), such as a word in a field.
 *
 * There is no separate evaluator for forward indexes, because it would save little: with one
 * evaluator for both sources of lines, a query takes 1.01 to 1.03 times the instructions where all
 * documents are in forward indexes (AND, OR, NOT, nested, prefixes; 400 long documents), and 0.97
 * to 1.02 times in an index of columns and forward indexes.
 */
#pragma once

#include "query/scan/term_lines.h"

/* Appends the candidates of segment s, whose source must be BS_PLAN_COLUMNS, in document order.
 * Deleted documents and documents outside the plan's scope are left out. If n_counted is not NULL,
 * sure candidates may be counted in *n_counted instead, where that is faster. Adds to stats.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates,
                               uint64_t *n_counted, struct bs_scan_stats *stats,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Appends every document of segment s that is not deleted and is within the plan's scope.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s,
                           struct bs_candidate_list *candidates, struct bs_scan_stats *stats,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Whether a document cannot be a hit: it is deleted, is outside the plan's scope, or does not pass
 * the filter. Also true after a failure (at->status). */
bool bs_scan_is_out(struct bs_shard_scan *at, uint32_t document);

/* True if every document of the segment may be a hit: none is deleted, none is left out by the
 * plan's scope, and there is no filter. */
bool bs_scan_has_all(const struct bs_shard_scan *at);

/* Sets frame 0 to the documents of the live blocks that may match; live shrinks to the blocks that
 * have any. Returns true if all these documents surely match. */
bool bs_scan_matches(struct bs_shard_scan *at, struct bs_live *live);

/* Appends the candidates of a shard, after bs_scan_start. A shard is scanned in windows of up to
 * BS_SHARD_MAX_BLOCKS blocks (term_lines.h). For each window, the candidates that surely match are
 * appended first and then the others, both in the order of their rows. n_counted: see
 * bs_scan_segment. */
void bs_scan_shard(struct bs_shard_scan *at, struct bs_candidate_list *candidates,
                   uint64_t *n_counted);
