/* explain.h: describes a plan and its execution in text, for --explain. */
#pragma once

#include "core/simd/kernels.h"
#include "query/plan/feedback.h"
#include "query/plan/plan.h"
#include "query/scan/scan.h"

/* Appends the words that were taken from documents (feedback.h), in the syntax of a query. */
enum bs_status bs_explain_learnt(const struct bs_feedback *feedback, struct bs_buffer *text,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Appends the query's tree and normal form, the size of the index, an estimate of the hits, and for
 * each term and word pair its df and its columns in each segment. The bits of hashed columns are
 * counted for their densities. query: the text of the query. */
enum bs_status bs_explain_plan(const struct bs_plan *plan, const char *query,
                               const struct bs_kernel *kernel, struct bs_buffer *text,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Appends the first operands of the query with the number of documents that remain after each. Runs
 * two scans for each, so the numbers are exact. is_all: the search verified all candidates, so
 * stats->hits is complete. with_bars: draws bars, for a terminal. */
enum bs_status bs_explain_waterfall(const struct bs_plan *plan, const struct bs_kernel *kernel,
                                    struct bs_scan *scan, const struct bs_query_stats *stats,
                                    bool is_all, bool with_bars, struct bs_buffer *text,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Appends the statistics of the query, stage by stage. */
enum bs_status bs_explain_stats(const struct bs_query_stats *stats, struct bs_buffer *text,
                                struct bs_error *err) BS_WARN_UNUSED;
