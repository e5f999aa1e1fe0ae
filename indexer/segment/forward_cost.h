/*
 * forward_cost.h: what plain lists cost, their filters included, and which filters make them cheapest: columns are bits, and
 * what they let through is looked into (core/matrix/forward_filter.h).
 */
#ifndef BS_INDEXER_SEGMENT_FORWARD_COST_H
#define BS_INDEXER_SEGMENT_FORWARD_COST_H

#include <stdint.h>

#include "core/matrix/forward_filter.h"

#define BS_FORWARD_NEARS 7u /* neighbourhoods that there is a choice of: of 2^0 to 2^6 ordinals */

/* Plain lists that are to share a slab, or what is known of them beforehand. */
struct bs_forward_load {
	double n_docs;
	double n_terms;
	double n_bits;              /* of the lists and their places */
	double near[BS_FORWARD_NEARS]; /* neighbourhoods of 2^i ordinals, the sum of all lists */
};

/* What cost is counted in: bits. */
struct bs_forward_price {
	double ns_bits;    /* what a nanosecond a query may cost */
	double n_ordinals; /* of the lexicon */
};

void bs_forward_load_add(struct bs_forward_load *load, const struct bs_forward_load *other);

/* The cheapest filters, and with them the cost of all. */
struct bs_forward_hashing bs_forward_choose(const struct bs_forward_load *load, const struct bs_forward_price *price, double *cost_out);

/* Bits that filters take in the mean. */
double bs_forward_filter_bits(const struct bs_forward_load *load, struct bs_forward_hashing hashing);

#endif
