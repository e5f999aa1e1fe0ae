/* sort.h: sorting that may take long: qsort_r, which asks the deadline (deadline.h) in between. Few
 * items: qsort_r itself. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* Stable. Without room for a copy of the items, it is qsort_r alone, as glibc does without. Fails
 * with the deadline only: then the items are all there, in no order. */
enum bs_status bs_sort(void *items, size_t n_items, size_t item_bytes,
                       int (*compare)(const void *a, const void *b, void *context), void *context,
                       struct bs_error *err) BS_WARN_UNUSED;

/* Numbers, none above `most`, ascending. spare: as much room as they take. */
void bs_sort_u32(uint32_t *numbers, uint32_t *spare, uint32_t n, uint32_t most);
