/* forward_cost.c: see forward_cost.h. */
#include "indexer/segment/forward_cost.h"

#include <math.h>

/*
 * A look into a list takes 160 ns, but only the first term of a query is asked for in all documents. What is read of the filter
 * of each group of 64 is about as many words as it has hashes. Of documents that have the neighbourhood of a term there are more than
 * evenly drawn ordinals would have, by NEAR_FACTOR: the words of a query are in families of words that are frequent. (Fitted to 843
 * lists of 1.4 M paragraphs: eight hashes of neighbourhoods of four and of eight differ by 17 looks. With half of the
 * factor, all of them get seven hashes of four: 0.3 MiB less, AND candidates 23.7 -> 25.0 us.)
 */
#define LISTS_NS    100.0 /* a slab of them, whatever is in it */
#define LOOK_NS     75.0
#define COLUMN_NS   5.0
#define NEAR_FACTOR 40.0

#define MOST_HASHES 7u /* what more would keep out are few beside those that have the neighbourhood */
#define LEAST_NEAR  1u

void bs_forward_load_add(struct bs_forward_load *load, const struct bs_forward_load *other)
{
	load->n_docs += other->n_docs;
	load->n_terms += other->n_terms;
	load->n_bits += other->n_bits;
	for (uint32_t i = 0; i < BS_FORWARD_NEARS; i++)
		load->near[i] += other->near[i];
}

double bs_forward_filter_bits(const struct bs_forward_load *load, struct bs_forward_hashing hashing)
{
	return load->near[hashing.near_log2] * hashing.n_hashes / M_LN2;
}

/* Of all documents, for a term. */
static double look_ns(const struct bs_forward_load *load, const struct bs_forward_price *price, struct bs_forward_hashing hashing)
{
	double near = ldexp(load->near[hashing.near_log2], (int)hashing.near_log2) / fmax(price->n_ordinals, 1);
	near = fmin(near * NEAR_FACTOR, load->n_docs);
	double passes = near + (load->n_docs - near) * ldexp(1, -(int)hashing.n_hashes);
	return passes * LOOK_NS + load->n_docs / BS_FORWARD_GROUP_ROWS * hashing.n_hashes * COLUMN_NS;
}

struct bs_forward_hashing bs_forward_choose(const struct bs_forward_load *load, const struct bs_forward_price *price, double *cost_out)
{
	struct bs_forward_hashing best = {0, 0};
	double least = INFINITY;
	for (uint32_t near_log2 = LEAST_NEAR; near_log2 < BS_FORWARD_NEARS; near_log2++) {
		for (uint32_t n_hashes = 1; n_hashes <= MOST_HASHES; n_hashes++) {
			struct bs_forward_hashing hashing = {n_hashes, near_log2};
			double cost = bs_forward_filter_bits(load, hashing) + look_ns(load, price, hashing) * price->ns_bits;
			if (cost < least) {
				least = cost;
				best = hashing;
			}
		}
	}
	*cost_out = load->n_bits + least + LISTS_NS * price->ns_bits;
	return best;
}
