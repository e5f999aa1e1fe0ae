/* check_values.h: checks the numbers and dates of a segment, for check.c. */
#pragma once

#include "core/check/check_state.h"

/* Checks values and field texts. The shards must have been checked. */
void bs_check_values(struct check *check);
