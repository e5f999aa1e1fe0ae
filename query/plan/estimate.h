/* estimate.h: estimates how many documents match a plan, from the df of its words. */
#pragma once

#include "query/plan/plan.h"

struct bs_plan_estimate {
	uint64_t n_hits; /* Estimated as if words occurred independently. */
	uint64_t n_most; /* An upper bound of the matches; counts deleted documents too. */
	bool is_certain; /* The columns decide every match, so no text need be read. */
};

/* Estimates the number of matches. BS_NO_MEMORY. */
enum bs_status bs_plan_estimate(const struct bs_plan *plan, struct bs_plan_estimate *estimate_out,
                                struct bs_error *err) BS_WARN_UNUSED;
