/* count.h: counts the documents that match. See run.h. */
#pragma once

#include "query/search/run.h"

/* Adds the number of documents that match to stats->hits. In a request for candidates, no text is
 * read: documents that may match, but do not surely match, are counted as well, and also in
 * *n_maybe. Fails like bs_search. */
enum bs_status bs_run_count(struct bs_run *run, uint64_t *n_maybe,
                            struct bs_error *err) BS_WARN_UNUSED;
