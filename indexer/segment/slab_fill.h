/*
 * slab_fill.h: the bits of a slab, once it is known who has a column of his own and how wide the levels are.
 */
#ifndef BS_INDEXER_SEGMENT_SLAB_FILL_H
#define BS_INDEXER_SEGMENT_SLAB_FILL_H

#include "indexer/segment/slab_build.h"

/* Sets all bits of the product's columns, which it makes, and the builder's audit rows, which have room. BS_NO_MEMORY. */
enum bs_status bs_slab_fill(struct bs_slab_builder *builder, struct bs_slab_product *product, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
