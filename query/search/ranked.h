/* ranked.h: the best documents by score. See run.h. */
#pragma once

#include "query/search/run.h"

/*
 * Prepares the search for the n best: before the first explanation, so that its cost is that of the
 * plan. *by_bounds_out: most documents can be left unseen by bounds of their scores; else every
 * match is scored. BS_CORRUPT, BS_INVALID (of given statistics), BS_NO_MEMORY.
 */
enum bs_status bs_ranked_prepare(struct bs_run *run, size_t n_best, bool *by_bounds_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/*
 * Leaves the best in the searcher's memory.top and adds those found on the way to stats->hits.
 * *by_bounds_io becomes false if all was scored in the end, since a source of the best had changed,
 * which makes bounds void. A search that was cut off leaves the best so far, of which
 * bs_ranked_keep_unchanged removes those whose scores are unknown. Fails as bs_search.
 */
enum bs_status bs_ranked_search(struct bs_run *run, size_t n_best, bool *by_bounds_io,
                                struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_ranked_keep_unchanged(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;

/* Whether the number of hits is a lower bound, since some documents that may match were left
 * unseen. */
bool bs_ranked_is_open(const struct bs_run *run);
