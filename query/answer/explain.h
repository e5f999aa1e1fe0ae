/* explain.h: a plan in words, for --explain. */
#pragma once

#include "core/simd/kernels.h"
#include "query/plan/feedback.h"
#include "query/plan/plan.h"
#include "query/scan/scan.h"

/* Appends the words that were taken from documents, as they would stand in a query. */
enum bs_status bs_explain_learnt(const struct bs_feedback *feedback, struct bs_buffer *text,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Appends the tree, the normal form of the query, whose text is given, and one line a term: df,
 * idf, and its columns in each segment, with their densities: the bits of the hashed ones are
 * counted for it. */
enum bs_status bs_explain_plan(const struct bs_plan *plan, const char *query,
                               const struct bs_kernel *kernel, struct bs_buffer *text,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Appends what each operand leaves of the documents, by a scan for each: exactly what the filter
 * does with it. is_all: the search went through all candidates, so that its hits are all there are.
 * with_bars: for a terminal. */
enum bs_status bs_explain_waterfall(const struct bs_plan *plan, const struct bs_kernel *kernel,
                                    struct bs_scan *scan, const struct bs_query_stats *stats,
                                    bool is_all, bool with_bars, struct bs_buffer *text,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Appends the funnel of the query that was run. */
enum bs_status bs_explain_stats(const struct bs_query_stats *stats, struct bs_buffer *text,
                                struct bs_error *err) BS_WARN_UNUSED;
