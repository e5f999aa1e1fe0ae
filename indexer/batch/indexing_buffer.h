/*
 * indexing_buffer.h: collects (document, distinct term) pairs of documents in memory: the first
 * half of an index run.
 *
 * There are two steps, so that the expensive one can use several threads. First, each batch is
 * analysed on its own (term_batch.h), with a small dictionary that stays in the cache. Then the
 * analysed batches are merged, in document order, into the *indexing buffer*, which holds the
 * segment's dictionary and every document's terms as term numbers. Numbers are assigned in order of
 * first appearance, so common terms have short ones. Merging looks up a term once for each batch,
 * not for each document. The content of an indexing buffer depends only on the documents and their
 * order, never on threads.
 */
#pragma once

#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/term_table.h"
#include "core/file/dir.h"
#include "core/matrix/tf_code.h"
#include "core/store/doc_table.h"
#include "indexer/batch/term_batch.h"

/*
 * Group varint (Dean, "Challenges in Building Large-Scale Information Retrieval Systems", WSDM
 * 2009): each number has as many bytes as it needs. Four numbers form a group: a byte with their
 * lengths, two bits each, then the numbers. Unlike a varint with seven bits in a byte, decoding
 * does not test each byte: it takes a quarter of the instructions, and the encoded terms of
 * documents have the same size.
 */

/* Most bytes that n numbers take, including slack bytes after them, which may be written or
 * read. */
#define BS_GROUP_MOST_BYTES(n) (((size_t)(n) + 3) / 4 * 17 + BS_GROUP_SLACK)
#define BS_GROUP_SLACK         3u

/* Writes n numbers. The array must have room for a multiple of four; elements from n on are set to
 * 0. Returns the end. */
static inline uint8_t *bs_group_put(uint8_t *to, uint32_t *numbers, uint32_t n)
{
	for (uint32_t i = n; i % 4; i++)
		numbers[i] = 0;
	for (uint32_t i = 0; i < n; i += 4) {
		uint8_t *lengths = to++;
		uint32_t all = 0;
		for (uint32_t k = 0; k < 4; k++) {
			uint32_t number = numbers[i + k];
			uint32_t length = (31u - (uint32_t)__builtin_clz(number | 1)) / 8;
			bs_store_u32(to, number);
			to += length + 1;
			all |= length << (2 * k);
		}
		*lengths = (uint8_t)all;
	}
	return to;
}

/* Reads n numbers, rounded up to a multiple of four. Returns the end. */
static inline const uint8_t *bs_group_get(const uint8_t *from, uint32_t *numbers, uint32_t n)
{
	static const uint32_t masks[4] = {0xff, 0xffff, 0xffffff, 0xffffffff};
	for (uint32_t i = 0; i < n; i += 4) {
		uint32_t lengths = *from++;
		for (uint32_t k = 0; k < 4; k++, lengths >>= 2) {
			numbers[i + k] = bs_load_u32(from) & masks[lengths & 3];
			from += (lengths & 3) + 1;
		}
	}
	return from;
}

/* The terms of one document: n_terms term numbers at codes, in groups. The first n_repeated ones
 * are the words that occur more than once in the document. After the term numbers come the tfs of
 * these words, in groups, until shard_plan.h has processed the document. */
struct bs_buffered_doc {
	const uint8_t *codes;
	uint32_t n_terms;
	uint32_t n_repeated;
};

/* A document that has numbers or dates: its n_values elements of value_numbers follow those of
 * earlier documents. */
struct bs_buffered_values {
	uint32_t document;
	uint32_t n_values;
};

/* Counts of the texts in a field: numbers or dates, and other texts; each at most UINT32_MAX. */
struct bs_field_texts {
	uint32_t n_values;
	uint32_t n_others;
};

BS_VECTOR(bs_buffered_doc_list, struct bs_buffered_doc);
BS_VECTOR(bs_buffered_value_list, struct bs_buffered_values);
BS_VECTOR(bs_field_texts_list, struct bs_field_texts);

/* A piece of memory, or of a mapped file, with the encoded terms of consecutive documents. It does
 * not move, because struct bs_buffered_doc points into it. */
struct bs_spool_chunk {
	struct bs_spool_chunk *next; /* chunk of earlier documents */
	uint32_t first_doc;          /* number of the first document whose terms are here */
	size_t used_bytes;
	size_t capacity_bytes;
	uint8_t bytes[];
};

/* A temporary file that holds chunks. */
struct bs_spool_file {
	int fd;
	uint64_t n_bytes; /* bytes allocated so far; atomic */
};
/* Allocates n_bytes of the file, mapped (bs_map_file), or of memory if file is NULL. Aligned for
 * any type; the content is undefined. Several threads may use one file. bs_spool_give_back unmaps
 * bytes of a file; their disk space is freed when the file is truncated (ftruncate) or closed.
 * BS_IO, BS_NO_MEMORY. */
enum bs_status bs_spool_take(struct bs_spool_file *file, size_t n_bytes, void **bytes_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_spool_give_back(void *bytes);

/* A list of chunks, newest first. Zero-initialise. */
struct bs_spool {
	struct bs_spool_chunk *chunks; /* the first one is being written */
	struct bs_spool_chunk *spare;  /* free chunks, to be reused */
	struct bs_spool_file *file;    /* borrowed; NULL: chunks are in memory */
};
/* Reserves n_bytes for the terms of document first_doc, in the current chunk or in a new one, which
 * then begins with this document. The caller adds what it wrote to used_bytes. BS_NO_MEMORY,
 * BS_IO. */
enum bs_status bs_spool_reserve(struct bs_spool *spool, size_t n_bytes, uint32_t first_doc,
                                uint8_t **to_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_spool_deinit(struct bs_spool *spool);

/*
 * The indexing buffer. Zero-initialise. If bs_indexing_buffer_use_files is called before the first
 * document, most data that grows with documents, but not their values, is in temporary files, which
 * are written and read sequentially. Then mostly terms and values take memory and limit a segment.
 */
struct bs_indexing_buffer {
	const struct bs_dir *dir; /* borrowed; NULL: all is in memory */
	struct bs_term_table terms;
	struct bs_term_table fields;
	struct bs_doc_table_builder doc_table;
	struct bs_tf_table_builder tf_table; /* filled by shard_plan.h */
	struct bs_buffered_doc_list docs;
	/* numbers and dates; key: the field's number, four bytes, and the value's key
	 * (core/base/value.h) */
	struct bs_term_table values;
	struct bs_buffered_value_list value_docs; /* documents that have values */
	/* value numbers of the documents in value_docs */
	struct bs_u32s value_numbers;
	struct bs_field_texts_list field_texts; /* by field */
	/* there are more than BS_MOST_FIELDS fields; values of the fields beyond are missing */
	bool lacks_values;
	struct bs_spool spool;
	struct bs_spool_file spool_file;
	/* used bytes of all chunks */
	uint64_t spool_bytes;
	uint64_t n_postings;
	uint64_t n_positions;
	uint64_t text_bytes;
	/* scratch: for each term number of the analysed batch, a struct mapped
	 * (indexing_buffer.c) */
	struct bs_buffer map;
	/* scratch, by number of a field in the batch: its number in `fields`; BS_TERM_NONE if there
	 * are BS_MOST_FIELDS fields already */
	struct bs_u32s field_map;
	/* scratch, by number of a value in the batch: its number in `values`; BS_TERM_NONE: not yet
	 * added */
	struct bs_u32s value_map;
};
/* Makes an empty indexing buffer use files in dir, see struct bs_indexing_buffer. BS_IO. */
enum bs_status bs_indexing_buffer_use_files(struct bs_indexing_buffer *indexing_buffer,
                                            const struct bs_dir *dir,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* Makes an empty buffer use a temporary file, if the indexing buffer does. BS_IO. */
enum bs_status bs_indexing_buffer_place(const struct bs_indexing_buffer *indexing_buffer,
                                        struct bs_buffer *buffer,
                                        struct bs_error *err) BS_WARN_UNUSED;
void bs_indexing_buffer_clear(struct bs_indexing_buffer *indexing_buffer);
void bs_indexing_buffer_deinit(struct bs_indexing_buffer *indexing_buffer);

/* Begins an analysed batch. Call it before adding the batch's documents, and again if
 * bs_indexing_buffer_clear was called between them. Looks up all terms of the batch at once. A new
 * term is added with the first document that has it, so that the content depends only on the
 * documents. */
enum bs_status bs_indexing_buffer_start(struct bs_indexing_buffer *indexing_buffer,
                                        const struct bs_term_batch *batch,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* Adds document i of the batch. record: its record in the document table, whose length and number
 * of lines are set from the batch. */
enum bs_status bs_indexing_buffer_add(struct bs_indexing_buffer *indexing_buffer,
                                      const struct bs_term_batch *batch, uint32_t i,
                                      const struct bs_doc_record *record,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Updates the df of all terms; required before they are read. Afterwards no document can be added
 * until the buffer is cleared, because the slots of the tables are freed. */
void bs_indexing_buffer_finish(struct bs_indexing_buffer *indexing_buffer);
/* Memory used, computed from the content, so that it does not depend on the number of threads.
 * Bytes in files do not count. */
uint64_t bs_indexing_buffer_bytes(const struct bs_indexing_buffer *indexing_buffer);

static inline uint32_t bs_indexing_buffer_n_docs(const struct bs_indexing_buffer *indexing_buffer)
{
	return indexing_buffer->doc_table.n_docs;
}

/* terms that are read at a time, in whole groups: data that is prefetched for them fits into the
 * first-level cache */
#define BS_TERM_CHUNK 64u

/* Reads the terms of a document. */
struct bs_term_reader {
	const uint8_t *codes;
	uint32_t n_left;
};

static inline struct bs_term_reader bs_indexing_buffer_read(
	const struct bs_indexing_buffer *indexing_buffer, uint32_t document)
{
	const struct bs_buffered_doc *doc = &indexing_buffer->docs.items[document];
	return (struct bs_term_reader){doc->codes, doc->n_terms};
}

/* Reads the next terms of the document and returns their number; 0 at the end. */
static inline uint32_t bs_indexing_buffer_next(struct bs_term_reader *reader,
                                               uint32_t numbers[BS_TERM_CHUNK])
{
	uint32_t n = reader->n_left < BS_TERM_CHUNK ? reader->n_left : BS_TERM_CHUNK;
	reader->codes = bs_group_get(reader->codes, numbers, n);
	reader->n_left -= n;
	return n;
}
