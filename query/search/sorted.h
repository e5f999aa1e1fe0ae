/* sorted.h: finds the first documents in the order of the numbers and dates of a field. See
 * run.h. */
#pragma once

#include "query/search/run.h"

/* Prepares a search sorted by the question's sort_field (struct bs_run_options). BS_INVALID: the
 * field is unknown or has no numbers or dates. BS_NO_MEMORY. */
enum bs_status bs_sorted_prepare(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;

/* Stores the question's first n_best hits in the searcher's memory.sorting. Fails like
 * bs_search. */
enum bs_status bs_sorted_search(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;
