/*
 * slab_exceptions.h: a slab just built is asked for each frequent term, as a query will ask it; what is wrong in the answer
 * becomes an exception (core/matrix/exceptions.h).
 */
#ifndef BS_INDEXER_SEGMENT_SLAB_EXCEPTIONS_H
#define BS_INDEXER_SEGMENT_SLAB_EXCEPTIONS_H

#include <stdint.h>

#include "indexer/segment/slab_build.h"

/* Fills the product's exceptions; its image is complete, and the builder still has the rows of those terms. The slab's
 * rows begin at first_row of the segment. BS_NO_MEMORY. */
enum bs_status bs_slab_audit(const struct bs_slab_builder *builder, uint64_t first_row,
                             struct bs_slab_product *product, struct bs_error *err) BS_WARN_UNUSED;

#endif
