/* count.h: how many documents match. See run.h. */
#pragma once

#include "query/search/run.h"

/* Adds the documents that match to stats->hits. With candidates no text is read: those that may
 * match are counted, and added to *n_maybe. Fails as bs_search. */
enum bs_status bs_run_count(struct bs_run *run, uint64_t *n_maybe,
                            struct bs_error *err) BS_WARN_UNUSED;
