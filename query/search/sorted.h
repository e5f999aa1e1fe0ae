/* sorted.h: the first documents in the order of the numbers and dates of a field. See run.h. */
#pragma once

#include "query/search/run.h"

/* Prepares the search by run.sort_field of the question. BS_INVALID: no such field has numbers or
 * dates. BS_NO_MEMORY. */
enum bs_status bs_sorted_prepare(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;

/* Leaves the first run.n_best in the searcher's memory.sorting. Fails as bs_search. */
enum bs_status bs_sorted_search(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;
