/* check_values.h: checks the numbers and dates of a segment. For check.c. */
#pragma once

#include "core/check/check_state.h"

/* Numbers and dates; when the shards have been looked at. */
void bs_check_values(struct check *check);
