/*
 * forward_build.h: makes a slab of plain lists (core/matrix/forward_list.h) and the filters in front of them (core/matrix/forward_filter.h),
 * and tells beforehand what such lists take.
 */
#ifndef BS_INDEXER_SEGMENT_FORWARD_BUILD_H
#define BS_INDEXER_SEGMENT_FORWARD_BUILD_H

#include <stdint.h>

#include "core/store/segment.h"
#include "core/base/status.h"
#include "indexer/batch/accumulator.h"
#include "indexer/segment/forward_cost.h"

/* Plain lists of 2^i to 2^(i+1) - 1 terms, for each i. */
#define BS_FORWARD_SIZES 32u

/* Loads a term, of one that had one term: n_docs is what it has of a document. Measures some documents of each size. ordinal_of: by the numbers that documents have (slab_plan.h: places). Depends on the documents only. BS_NO_MEMORY. */
enum bs_status bs_forward_measure(const struct bs_accumulator *accumulator, const uint32_t *ordinal_of,
                               struct bs_forward_load loads_out[BS_FORWARD_SIZES], struct bs_error *err) BS_WARN_UNUSED;

/* A slab made. All arrays are owned. */
struct bs_forward_product {
	uint32_t *rows;
	uint64_t *offsets;
	uint32_t *terms;
	uint64_t *filter_offsets;
	uint64_t *filter_words;
	uint32_t *exact_terms;
	uint64_t *columns; /* of exact_terms */
};
void bs_forward_product_deinit(struct bs_forward_product *product);

/* Makes a slab of docs[0..n_docs). ns_bits: see forward_cost.h. image_out borrows from the product. BS_NO_MEMORY; release the product then, too. */
enum bs_status bs_forward_build(const struct bs_accumulator *accumulator, const uint32_t *ordinal_of, const uint32_t *docs,
                             uint32_t n_docs, double ns_bits, struct bs_forward_product *product, struct bs_slab_image *image_out,
                             struct bs_error *err) BS_WARN_UNUSED;

#endif
