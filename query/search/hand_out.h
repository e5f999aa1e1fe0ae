/* hand_out.h: passes hits to the caller, with their names and the requested parts of their texts.
 * See run.h. */
#pragma once

#include "query/search/run.h"

/* Hits in output order. The first ones, up to the question's offset, are skipped. */
struct bs_found {
	const struct bs_ranked_hit *hits;
	/* For results sorted by a field: the hits with their values; `hits` is then unused.
	 * Otherwise NULL. */
	const struct bs_sorted_hit *sorted;
	size_t n;
	/* Hits get ranks 1, 2, ..., and the question may request parts of their texts. */
	bool is_ranked;
};

/* Passes the hits to the caller's callback, one by one or in batches. BS_STOPPED: the callback
 * stopped the call. Hits passed before a failure are valid. */
enum bs_status bs_run_hand_out(struct bs_run *run, const struct bs_found *found,
                               struct bs_error *err) BS_WARN_UNUSED;
