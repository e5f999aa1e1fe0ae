/* sort.h: sorting of many items, with checks of the deadline (deadline.h). For few items use
 * qsort_r. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* A merge sort, stable if qsort_r is. Up to 8,192 items, without a deadline, or without memory for
 * a copy of the items, it only calls qsort_r. Fails only with the deadline's status; then all items
 * are present, in unspecified order. */
enum bs_status bs_sort(void *items, size_t n_items, size_t item_bytes,
                       int (*compare)(const void *a, const void *b, void *context), void *context,
                       struct bs_error *err) BS_WARN_UNUSED;

/* Sorts numbers ascending. No number exceeds `most`. spare has room for n numbers. */
void bs_sort_u32(uint32_t *numbers, uint32_t *spare, uint32_t n, uint32_t most);
