/* value_build.h: writes the numbers and dates of a segment's records as columns
 * (core/matrix/value_column.h). */
#pragma once

#include "core/base/vector.h"
#include "core/file/container.h"
#include "indexer/batch/indexing_buffer.h"

/* The documents of a segment's rows, by shard. */
struct bs_shard_rows {
	struct bs_u32s documents;
	struct bs_u32s n_docs; /* by shard: number of its documents */
};

/* Writes the sections; none for a segment without named fields. Sticky like the writer;
 * BS_NO_MEMORY. */
enum bs_status bs_value_build(const struct bs_indexing_buffer *indexing_buffer,
                              const struct bs_shard_rows *rows, struct bs_file_writer *writer,
                              struct bs_error *err) BS_WARN_UNUSED;
