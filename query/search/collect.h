/* collect.h: finds all documents that match, in document order. See run.h. */
#pragma once

#include "query/search/run.h"

/* Appends the documents that match to hits, and counts them in stats->hits. The caller then sorts
 * them with bs_sort_by_document. In a request for candidates, no text is read: documents that
 * surely match are appended with score 0; others that may match, with score 1, and these are also
 * counted in *n_maybe. Fails like bs_search. */
enum bs_status bs_run_collect(struct bs_run *run, struct bs_ranked_hits *hits, uint64_t *n_maybe,
                              struct bs_error *err) BS_WARN_UNUSED;
