/* ranked.h: finds the best documents by score. See run.h. */
#pragma once

#include "query/search/run.h"

/* Prepares a search for the n_best best documents. Call it before the plan is explained, so that
 * its time counts as planning. *by_bounds_out: upper bounds of scores allow most documents to be
 * skipped; otherwise every match is scored. BS_CORRUPT, BS_INVALID (the statistics are
 * inconsistent), BS_NO_MEMORY. */
enum bs_status bs_ranked_prepare(struct bs_run *run, size_t n_best, bool *by_bounds_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* bs_ranked_search stores the best hits in the searcher's memory.top, and the number of hits found
 * in stats->hits. *by_bounds_io becomes false if a source of the best hits had changed: then bounds
 * are invalid, and every match was scored. If the search is cut off, the best hits so far are
 * stored, and bs_ranked_keep_unchanged must remove those whose sources changed, because their
 * scores are unknown. Fails like bs_search. */
enum bs_status bs_ranked_search(struct bs_run *run, size_t n_best, bool *by_bounds_io,
                                struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_ranked_keep_unchanged(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;

/* Whether documents that may match were skipped, so that stats->hits is only a lower bound. */
bool bs_ranked_is_open(const struct bs_run *run);
