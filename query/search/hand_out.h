/* hand_out.h: passes hits to the caller, with their names and the requested parts of their texts.
 * See run.h. */
#pragma once

#include "query/search/run.h"

/* The hits in output order. Hits before the question's offset are skipped. */
struct bs_found {
	const struct bs_ranked_hit *hits;
	/* Hits with the values they are sorted by, in place of `hits`; NULL: not sorted by a
	 * field. */
	const struct bs_sorted_hit *sorted;
	size_t n;
	bool is_ranked; /* Hits have ranks 1, 2, ..., and their texts may be requested. */
};

/* Calls the caller's function for each hit. BS_STOPPED: the function asked to stop. Hits passed on
 * before a failure are valid. */
enum bs_status bs_run_hand_out(struct bs_run *run, const struct bs_found *found,
                               struct bs_error *err) BS_WARN_UNUSED;
