/*
 * forward_build.h: makes shards of forward indexes and the filters before them
 * (core/matrix/forward_index.h), and tells what such lists cost and which filters make them
 * cheapest.
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/matrix/false_positives.h"
#include "core/matrix/forward_index.h"
#include "core/store/segment.h"
#include "indexer/batch/indexing_buffer.h"

#define BS_FORWARD_NEARS 7u /* neighbourhoods that there is a choice of: of 2^0 to 2^6 ordinals */

/* Forward indexes that are to share a shard, or what is known of them beforehand. */
struct bs_forward_load {
	double n_docs;
	double n_terms;
	double n_bits;                 /* of the lists and their places */
	double near[BS_FORWARD_NEARS]; /* neighbourhoods of 2^i ordinals, the sum of all lists */
};
void bs_forward_load_add(struct bs_forward_load *load, const struct bs_forward_load *other);

/* What cost is counted in: bits. */
struct bs_forward_price {
	double ns_bits;    /* what a nanosecond a query may cost */
	double n_ordinals; /* of the lexicon */
};

/* The cheapest filters, and with them the cost of all. */
struct bs_forward_hashing bs_forward_choose(const struct bs_forward_load *load,
                                            const struct bs_forward_price *price, double *cost_out);

/* Lists are measured by size: of size i are those of 2^i to 2^(i+1) - 1 terms. */
#define BS_FORWARD_SIZES 32u

static inline uint32_t bs_forward_size(uint32_t n_terms)
{
	return n_terms ? 31 - (uint32_t)__builtin_clz(n_terms) : 0;
}

/* The loads of some documents of each size. ordinal_of: by the numbers that terms have in documents
 * (shard_plan.h: places). Depends on the documents only. BS_NO_MEMORY. */
enum bs_status bs_forward_measure(const struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *ordinal_of,
                                  struct bs_forward_load loads_out[BS_FORWARD_SIZES],
                                  struct bs_error *err) BS_WARN_UNUSED;

/* A shard as it is written, of either kind. Zero-initialise; all arrays are owned. */
struct bs_shard_product {
	struct bs_shard_image image; /* into what follows, and rows */
	uint64_t *columns;           /* of forward indexes: of exact.terms */
	/* room for columns that may be used again; 0 of forward indexes */
	uint64_t columns_bytes;
	uint32_t *exact_terms;
	struct bs_false_positives_builder false_positives;
	/* Forward indexes. */
	uint32_t *rows;
	uint64_t *offsets;
	uint32_t *terms;
	uint64_t *filter_offsets;
	uint64_t *filter_words;
};
void bs_shard_product_deinit(struct bs_shard_product *product);

/* Makes a shard of docs[0..n_docs). ns_bits as in the price. BS_NO_MEMORY; release the product
 * then, too. */
enum bs_status bs_forward_build(const struct bs_indexing_buffer *indexing_buffer,
                                const uint32_t *ordinal_of, const uint32_t *docs, uint32_t n_docs,
                                double ns_bits, struct bs_shard_product *product,
                                struct bs_error *err) BS_WARN_UNUSED;
