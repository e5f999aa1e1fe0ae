/* estimate.h: how many documents match a plan, by the df of its words. */
#pragma once

#include "query/plan/plan.h"

struct bs_plan_estimate {
	uint64_t n_hits; /* about, as if words met by chance */
	uint64_t n_most; /* at most, deleted documents included */
	bool is_certain; /* columns decide every match: no text is needed */
};

/* BS_NO_MEMORY. */
enum bs_status bs_plan_estimate(const struct bs_plan *plan, struct bs_plan_estimate *estimate_out,
                                struct bs_error *err) BS_WARN_UNUSED;
