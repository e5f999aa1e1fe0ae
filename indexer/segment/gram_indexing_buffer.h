/*
 * gram_indexing_buffer.h: holds the gram rows of documents, which gram_sketch.h makes, until they
 * are written: by size class, in document order. It takes as many bytes as the shards will have;
 * there are no postings.
 */
#pragma once

#include "core/file/container.h"
#include "indexer/batch/gram_sketch.h"
#include "indexer/batch/indexing_buffer.h"
#include "indexer/segment/gram_set.h"

struct bs_gram_chunk;

/* Zero-initialise all but plan and file, which are borrowed. */
struct bs_gram_indexing_buffer {
	const struct bs_gram_plan *plan; /* NULL: grams are not indexed */
	struct bs_spool_file *file;      /* holds the rows; NULL: they are in memory */
	struct {
		struct bs_gram_chunk *first, *last;
		struct bs_buffer docs; /* document of each row, u32 */
		uint32_t n_rows;
	} classes[BS_GRAM_SIZE_CLASSES];
	struct bs_gram_meta meta;
	uint64_t n_bytes; /* memory used */
	/* trigrams of the texts (from index_writer.c), those that rows leave out (from
	 * bs_gram_indexing_buffer_write) and those of words (from segment_build.c) */
	struct bs_gram_set set;
};
void bs_gram_indexing_buffer_clear(struct bs_gram_indexing_buffer *indexing_buffer);

/* Adds a row, which is copied. Documents must ascend. BS_NO_MEMORY, BS_IO. */
enum bs_status bs_gram_indexing_buffer_add(struct bs_gram_indexing_buffer *indexing_buffer,
                                           uint32_t document, uint32_t class, uint64_t n_bits,
                                           const uint64_t *row,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Writes all sections of grams except the trigram set, and adds to the set the trigrams that rows
 * leave out. BS_NO_MEMORY. */
enum bs_status bs_gram_indexing_buffer_write(struct bs_gram_indexing_buffer *indexing_buffer,
                                             struct bs_file_writer *writer,
                                             struct bs_error *err) BS_WARN_UNUSED;
