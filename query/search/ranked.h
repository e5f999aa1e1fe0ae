/* ranked.h: finds the best documents by score. See run.h. */
#pragma once

#include "query/search/run.h"

/*
 * Prepares the search for the n_best. Called before the first explanation, so that its time counts
 * as planning. *by_bounds_out: most documents can be skipped because of upper bounds of their
 * scores; otherwise every match is scored. BS_CORRUPT, BS_INVALID (the statistics are
 * inconsistent), BS_NO_MEMORY.
 */
enum bs_status bs_ranked_prepare(struct bs_run *run, size_t n_best, bool *by_bounds_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/*
 * bs_ranked_search leaves the best hits in the searcher's memory.top and adds the hits found to
 * stats->hits. *by_bounds_io becomes false if a source of the best hits had changed: then bounds
 * are invalid and every match was scored. A search that was cut off leaves the best hits so far;
 * bs_ranked_keep_unchanged then removes those whose scores are unknown. Fails as bs_search.
 */
enum bs_status bs_ranked_search(struct bs_run *run, size_t n_best, bool *by_bounds_io,
                                struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_ranked_keep_unchanged(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;

/* Whether stats->hits is only a lower bound because documents that may match were skipped. */
bool bs_ranked_is_open(const struct bs_run *run);
