/* collect.h: all documents that match, in document order. See run.h. */
#pragma once

#include "query/search/run.h"

/*
 * Appends the documents that match to hits and counts them in stats->hits; bs_sort_by_document
 * brings them into order. With candidates no text is read: those that may match are appended, with
 * a score of 1, and added to *n_maybe. Fails as bs_search.
 */
enum bs_status bs_run_collect(struct bs_run *run, struct bs_ranked_hits *hits, uint64_t *n_maybe,
                              struct bs_error *err) BS_WARN_UNUSED;
