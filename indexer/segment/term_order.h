/*
 * term_order.h: sorts the terms of a segment by their bytes: the order of its lexicon.
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/collections/term_table.h"

/* Temporary memory that sorting takes for each term, in addition to the result. */
#define BS_TERM_ORDER_BYTES 16u

/* Fills sorted[0..terms->n_terms) with term numbers. The result does not depend on n_threads (>=
 * 1). BS_NO_MEMORY. */
enum bs_status bs_term_order(const struct bs_term_table *terms, uint32_t n_threads,
                             uint32_t *sorted, struct bs_error *err) BS_WARN_UNUSED;
