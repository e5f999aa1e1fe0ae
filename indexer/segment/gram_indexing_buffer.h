/*
 * gram_indexing_buffer.h: the rows of files, as gram_sketch.h makes them, until they are written:
 * class by class, in document order. It holds as many bytes as the shards will have, and no
 * postings at all.
 */
#pragma once

#include "core/file/container.h"
#include "indexer/batch/gram_sketch.h"
#include "indexer/batch/indexing_buffer.h"
#include "indexer/segment/gram_set.h"

struct bs_gram_chunk;

/* Zero-initialise but for plan and file, which are borrowed. */
struct bs_gram_indexing_buffer {
	const struct bs_gram_plan *plan; /* NULL: no grams are accumulated */
	struct bs_spool_file *file;      /* where the rows are; NULL: in memory */
	struct {
		struct bs_gram_chunk *first, *last;
		struct bs_buffer docs; /* u32 each */
		uint32_t n_rows;
	} classes[BS_GRAM_SIZE_CLASSES];
	struct bs_gram_meta meta;
	uint64_t n_bytes; /* of memory */
	/* what the files have, those left out but when it is written, and what segment_build.c
	 * adds */
	struct bs_gram_set set;
};
void bs_gram_indexing_buffer_clear(struct bs_gram_indexing_buffer *indexing_buffer);

/* Adds a row (copied). Documents come in ascending order. BS_NO_MEMORY, BS_IO. */
enum bs_status bs_gram_indexing_buffer_add(struct bs_gram_indexing_buffer *indexing_buffer,
                                           uint32_t document, uint32_t class, uint64_t n_bits,
                                           const uint64_t *row,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* All sections of grams but that of the set, which has all by then. BS_NO_MEMORY. */
enum bs_status bs_gram_indexing_buffer_write(struct bs_gram_indexing_buffer *indexing_buffer,
                                             struct bs_file_writer *writer,
                                             struct bs_error *err) BS_WARN_UNUSED;
