/*
 * term_order.h: the terms of a segment in the order of its lexicon, that of their bytes.
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/collections/term_table.h"

/* What it takes a term beside the result, while it runs. */
#define BS_TERM_ORDER_BYTES 16u

/* Fills sorted[0..terms->n_terms) with term numbers. The order is the same for any n_threads (>=
 * 1). BS_NO_MEMORY. */
enum bs_status bs_term_order(const struct bs_term_table *terms, uint32_t n_threads,
                             uint32_t *sorted, struct bs_error *err) BS_WARN_UNUSED;
