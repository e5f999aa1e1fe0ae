/*
 * forward_build.h: builds shards of forward indexes and their filters
 * (core/matrix/forward_index.h), estimates the cost of forward indexes, and chooses the filters
 * that minimise it.
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/matrix/false_positives.h"
#include "core/matrix/forward_index.h"
#include "core/store/segment.h"
#include "indexer/batch/indexing_buffer.h"

/* Possible sizes of the neighbourhoods that a filter hashes: 2^i consecutive ordinals, i <
 * BS_FORWARD_NEARS. */
#define BS_FORWARD_NEARS 7u

/* Sums over the forward indexes of a shard, measured or estimated; input of the cost function. */
struct bs_forward_load {
	double n_docs;
	double n_terms;
	double n_bits; /* bits of the lists and their offsets */
	/* for each i: number of neighbourhoods of 2^i ordinals that the lists have */
	double near[BS_FORWARD_NEARS];
};
void bs_forward_load_add(struct bs_forward_load *load, const struct bs_forward_load *other);

/* Converts times to costs in bits. */
struct bs_forward_price {
	double ns_bits;    /* bits that equal one nanosecond of query time */
	double n_ordinals; /* number of ordinals in the lexicon */
};

/* Returns the cheapest filters. *cost_out: the total cost of the forward indexes with these
 * filters, in bits. */
struct bs_forward_hashing bs_forward_choose(const struct bs_forward_load *load,
                                            const struct bs_forward_price *price, double *cost_out);

/* Forward indexes are measured by size: size i is 2^i to 2^(i+1) - 1 terms. */
#define BS_FORWARD_SIZES 32u

static inline uint32_t bs_forward_size(uint32_t n_terms)
{
	return n_terms ? 31 - (uint32_t)__builtin_clz(n_terms) : 0;
}

/* Measures a sample of documents of each size. ordinal_of: ordinals by the term numbers of the
 * indexing buffer (places, see shard_plan.h). Equal documents give equal loads. BS_NO_MEMORY. */
enum bs_status bs_forward_measure(const struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *ordinal_of,
                                  struct bs_forward_load loads_out[BS_FORWARD_SIZES],
                                  struct bs_error *err) BS_WARN_UNUSED;

/* A built shard that is to be written: a matrix, or forward indexes. Zero-initialise; owns all
 * arrays. */
struct bs_shard_product {
	struct bs_shard_image image; /* points to the arrays below, and to rows */
	/* the columns of a matrix; for forward indexes, only the exact columns */
	uint64_t *columns;
	/* allocated size of columns, which may be reused; 0 for forward indexes */
	uint64_t columns_bytes;
	uint32_t *exact_terms;
	struct bs_false_positives_builder false_positives;
	/* for forward indexes only */
	uint32_t *rows;
	uint64_t *offsets;
	uint32_t *terms;
	uint64_t *filter_offsets;
	uint64_t *filter_words;
};
void bs_shard_product_deinit(struct bs_shard_product *product);

/* Builds a shard of forward indexes of docs[0..n_docs). ns_bits: see struct bs_forward_price.
 * BS_NO_MEMORY; the caller releases the product, after a failure too. */
enum bs_status bs_forward_build(const struct bs_indexing_buffer *indexing_buffer,
                                const uint32_t *ordinal_of, const uint32_t *docs, uint32_t n_docs,
                                double ns_bits, struct bs_shard_product *product,
                                struct bs_error *err) BS_WARN_UNUSED;
