/* value_build.h: the numbers and dates of a segment's records as columns (core/matrix/value_column.h). */
#pragma once

#include "core/base/vector.h"
#include "core/file/container.h"
#include "indexer/batch/accumulator.h"

/* The documents of a segment's rows, slab by slab. */
struct bs_slab_rows {
	struct bs_u32s documents;
	struct bs_u32s n_docs; /* of each slab */
};

/* Writes the sections; none of a segment without named fields. Sticky like the writer; BS_NO_MEMORY. */
enum bs_status bs_value_build(const struct bs_accumulator *accumulator, const struct bs_slab_rows *rows,
                              struct bs_file_writer *writer, struct bs_error *err) BS_WARN_UNUSED;
