/* value_build.h: writes the numbers and dates of a segment's records as columns
 * (core/matrix/value_column.h). */
#pragma once

#include "core/base/vector.h"
#include "core/file/container.h"
#include "indexer/batch/indexing_buffer.h"

/* Which documents are the rows of a segment, shard by shard. */
struct bs_shard_rows {
	struct bs_u32s documents;
	struct bs_u32s n_docs; /* by shard: its number of rows */
};

/* Writes the sections of values; none if the segment has no named fields. After a failure of the
 * writer nothing is written, and the writer reports it; BS_NO_MEMORY. */
enum bs_status bs_value_build(const struct bs_indexing_buffer *indexing_buffer,
                              const struct bs_shard_rows *rows, struct bs_file_writer *writer,
                              struct bs_error *err) BS_WARN_UNUSED;
