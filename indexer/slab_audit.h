/*
 * slab_audit.h: a slab just built is asked for each frequent term, as a query will ask it; what is wrong in the answer
 * becomes an exception (core/exceptions.h).
 */
#ifndef BS_INDEXER_SLAB_AUDIT_H
#define BS_INDEXER_SLAB_AUDIT_H

#include <stdint.h>

#include "core/exceptions.h"
#include "core/slab_and.h"
#include "indexer/slab_build.h"

/* Finds the exceptions of the slab in builder->image, whose rows begin at first_row of the segment. BS_NO_MEMORY. */
enum bs_status bs_slab_audit(struct bs_slab_builder *builder, uint64_t first_row,
                             struct bs_exceptions_builder *exceptions, struct bs_error *err) BS_WARN_UNUSED;

#endif
