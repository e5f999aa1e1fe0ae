/* binary_search.h: binary search for the first index at which a condition no longer holds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Sets `first`, an lvalue of an unsigned type, to the least i in [low, high) for which `is_before`
 * is false, or to high if it is true for all of them. `is_before` is an expression in the variable
 * named `i`; as i grows, it may change only from true to false.
 *
 *      BS_BINARY_SEARCH(at, i, 0, n, ends[i] <= document);
 */
#define BS_BINARY_SEARCH(first, i, low, high, is_before)                     \
	do {                                                                 \
		size_t bs_low_ = (low), bs_high_ = (high);                   \
		while (bs_low_ < bs_high_) {                                 \
			const size_t i = bs_low_ + (bs_high_ - bs_low_) / 2; \
			if (is_before)                                       \
				bs_low_ = i + 1;                             \
			else                                                 \
				bs_high_ = i;                                \
		}                                                            \
		(first) = (__typeof__(first))bs_low_;                        \
	} while (0)
