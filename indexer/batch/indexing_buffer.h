/*
 * indexing_buffer.h: documents in, (document, distinct term) pairs out, in memory. The first half
 * of an index run.
 *
 * In two steps, so that the costly one can run on several threads. First each batch is analysed on
 * its own (term_batch.h), with a small dictionary that stays in cache. Then the analysed batches
 * are merged, in document order, into the *indexing buffer*, which holds the segment's dictionary
 * and every document's terms as term numbers. Numbers are given in order of first appearance, so
 * common terms have short ones. Merging looks a term up once a batch, not once a document. What an
 * indexing buffer holds depends on the documents and their order only, never on the threads.
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
 * Numbers in as many bytes as each needs, four a group: a byte with their lengths, two bits each,
 * and then the numbers (Dean, "Challenges in Building Large-Scale Information Retrieval Systems",
 * WSDM 2009). Unlike varints of seven bits a byte they are told apart without looking at them: a
 * quarter of the instructions, for documents' terms as small.
 */

/* Bytes that n numbers take at most, and those behind them that may be written or read, too. */
#define BS_GROUP_MOST_BYTES(n) (((size_t)(n) + 3) / 4 * 17 + BS_GROUP_SLACK)
#define BS_GROUP_SLACK         3u

/* numbers has room for a multiple of four; what there is beyond n is set to 0. Gives where the next
 * group goes. */
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

/* The next n numbers, and those up to a multiple of four. Gives where the next group stands. */
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

/* One document's terms: n_terms numbers in groups from codes on, first those of words that stand
 * there more than once; behind them, until shard_plan.h has been over them, groups of n_repeated
 * numbers: how often these do. */
struct bs_accumulated_doc {
	const uint8_t *codes;
	uint32_t n_terms;
	uint32_t n_repeated;
};

/* A document with numbers or dates: so many behind those of the documents before. */
struct bs_accumulated_values {
	uint32_t document;
	uint32_t n_values;
};

/* How many texts of a field are numbers or dates, and how many are not; at most UINT32_MAX each. */
struct bs_field_texts {
	uint32_t n_values;
	uint32_t n_others;
};

BS_VECTOR(bs_accumulated_doc_list, struct bs_accumulated_doc);
BS_VECTOR(bs_accumulated_value_list, struct bs_accumulated_values);
BS_VECTOR(bs_field_texts_list, struct bs_field_texts);

/* Codes that do not move, of some documents in a row. */
struct bs_spool_chunk {
	struct bs_spool_chunk *next; /* those of earlier documents */
	uint32_t first_doc;
	size_t used_bytes;
	size_t capacity_bytes;
	uint8_t bytes[];
};

/* A temporary file: where chunks are that are not in memory. */
struct bs_spool_file {
	int fd;
	uint64_t n_bytes; /* atomic: taken so far */
};
/* Takes n_bytes of the file, mapped (bs_map_file), or of memory if there is no file (NULL); aligned
 * for anything, with any contents. Several threads may take of one file. Bytes of a file that are
 * given back are no longer mapped; their space on the disk is free once the file is cut (ftruncate)
 * or closed. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_spool_take(struct bs_spool_file *file, size_t n_bytes, void **bytes_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_spool_give_back(void *bytes);

/* Zero-initialise; chunks are written from the first one on. */
struct bs_spool {
	struct bs_spool_chunk *chunks; /* the first is open */
	struct bs_spool_chunk *spare;  /* to be used again */
	struct bs_spool_file *file;    /* borrowed; NULL: they are in memory */
};
/* Room for n_bytes in one piece, of document first_doc and those behind it. BS_NO_MEMORY, BS_IO. */
enum bs_status bs_spool_reserve(struct bs_spool *spool, size_t n_bytes, uint32_t first_doc,
                                uint8_t **to_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_spool_deinit(struct bs_spool *spool);

/*
 * Zero-initialise. With a directory set before the first document (bs_indexing_buffer_use_files),
 * all that grows with documents is in temporary files, which are written and read in order: what
 * takes memory is the terms, so that a segment has as many documents as have no more distinct terms
 * than it can hold.
 */
struct bs_indexing_buffer {
	const struct bs_dir *dir; /* borrowed; NULL: all is in memory */
	struct bs_term_table terms;
	struct bs_term_table fields;
	struct bs_doc_table_builder doc_table;
	struct bs_tf_table_builder tf_table; /* filled by shard_plan.h */
	struct bs_accumulated_doc_list docs;
	/* numbers and dates: the field's number, four bytes, and the key (core/base/value.h) */
	struct bs_term_table values;
	struct bs_accumulated_value_list value_docs; /* of documents that have any */
	struct bs_u32s value_numbers;                /* theirs */
	struct bs_field_texts_list field_texts;      /* by field */
	/* there are more fields than are known, and what they have is not here */
	bool lacks_values;
	struct bs_spool spool;
	struct bs_spool_file spool_file;
	uint64_t spool_bytes;
	uint64_t n_postings;
	uint64_t n_positions;
	uint64_t text_bytes;
	/* scratch: number in the analysed batch -> what that term is here (indexing_buffer.c) */
	struct bs_buffer map;
	struct bs_u32s field_map; /* of fields, BS_TERM_NONE for those that are too many */
	struct bs_u32s value_map; /* of values, BS_TERM_NONE for those that are not known yet */
};
/* Of an empty one: BS_IO. */
enum bs_status bs_indexing_buffer_use_files(struct bs_indexing_buffer *indexing_buffer,
                                            const struct bs_dir *dir,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* The buffer, which is empty, is where what grows with documents is. BS_IO. */
enum bs_status bs_indexing_buffer_place(const struct bs_indexing_buffer *indexing_buffer,
                                        struct bs_buffer *buffer,
                                        struct bs_error *err) BS_WARN_UNUSED;
void bs_indexing_buffer_clear(struct bs_indexing_buffer *indexing_buffer);
void bs_indexing_buffer_deinit(struct bs_indexing_buffer *indexing_buffer);

/* Starts an analysed batch: call before adding its documents, and again after a
 * bs_indexing_buffer_clear in their midst. All its terms are looked up in one go; those that are
 * not here become known with the first document that has them, so that what is held depends on the
 * documents alone. */
enum bs_status bs_indexing_buffer_start(struct bs_indexing_buffer *indexing_buffer,
                                        const struct bs_term_batch *batch,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* Adds document i of the batch as the next one, under the record given, whose length is taken from
 * the batch. */
enum bs_status bs_indexing_buffer_add(struct bs_indexing_buffer *indexing_buffer,
                                      const struct bs_term_batch *batch, uint32_t i,
                                      const struct bs_doc_record *record,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Brings the df of all terms up to date: before anyone looks at them. No document can be added
 * until the indexing buffer is cleared, for the terms cannot be looked up. */
void bs_indexing_buffer_finish(struct bs_indexing_buffer *indexing_buffer);
/* Memory held, counted by content: the same for every number of threads. What is in files is
 * none. */
uint64_t bs_indexing_buffer_bytes(const struct bs_indexing_buffer *indexing_buffer);

static inline uint32_t bs_indexing_buffer_n_docs(const struct bs_indexing_buffer *indexing_buffer)
{
	return indexing_buffer->doc_table.n_docs;
}

/* all that is prefetched of a chunk fits into the first cache; whole groups */
#define BS_TERM_CHUNK 64u

struct bs_term_reader {
	const uint8_t *codes;
	uint32_t n_left;
};

static inline struct bs_term_reader bs_indexing_buffer_read(
	const struct bs_indexing_buffer *indexing_buffer, uint32_t document)
{
	const struct bs_accumulated_doc *doc = &indexing_buffer->docs.items[document];
	return (struct bs_term_reader){doc->codes, doc->n_terms};
}

/* The next terms of the document: how many, 0 at its end. */
static inline uint32_t bs_indexing_buffer_next(struct bs_term_reader *reader,
                                               uint32_t numbers[BS_TERM_CHUNK])
{
	uint32_t n = reader->n_left < BS_TERM_CHUNK ? reader->n_left : BS_TERM_CHUNK;
	reader->codes = bs_group_get(reader->codes, numbers, n);
	reader->n_left -= n;
	return n;
}
