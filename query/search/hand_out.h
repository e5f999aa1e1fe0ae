/* hand_out.h: hits are handed to the caller, named and with what is wanted of their texts. See
 * run.h. */
#pragma once

#include "query/search/run.h"

/* The hits, in the order in which they are handed out; those before the question's offset are
 * passed over. */
struct bs_found {
	const struct bs_ranked_hit *hits;
	/* instead of hits, with the values that they are sorted by; NULL: they are not */
	const struct bs_sorted_hit *sorted;
	size_t n;
	bool is_ranked; /* hits have ranks 1, 2, ...; their texts may be wanted */
};

/* Calls the caller's function for each hit. BS_STOPPED: it wanted no more; what was handed out
 * before a failure is right. */
enum bs_status bs_run_hand_out(struct bs_run *run, const struct bs_found *found,
                               struct bs_error *err) BS_WARN_UNUSED;
