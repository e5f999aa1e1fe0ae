/*
 * gram_slab.h: the grams of files, as they are read: one bit matrix for the files of one size, in the grams that they have.
 *
 *               column 0   column 1   ...   column m-1  |  exact column 0  ...
 *      row 0      .          1                 .                 1
 *      row 1      1          .                 .                 1             a column is n_docs bits, rounded up to
 *       ...                                                                    bytes, and columns stand one after another
 *
 * A query needs no list of grams: a gram's key says which column it has, one of the m, which it shares with others. In a
 * file there are so many grams of a literal that one column each is enough. Trigrams that most files of this size have
 * say little, and would take most of the bits: each slab lists those that have a column of their own (exact), and those
 * that are left out, of which it knows nothing.
 *
 * Columns are as long as there are files, not padded to lines: slabs are many, one for each size of files, and the last
 * lines of all their columns would be a good part of the index.
 */
#ifndef BS_CORE_GRAM_SLAB_H
#define BS_CORE_GRAM_SLAB_H

#include <stdint.h>

#include "core/buffer.h"
#include "core/container.h"
#include "core/packed.h"
#include "core/status.h"

#define BS_GRAM_SLAB_MAX_DOCS 65536u
/* Sizes of files: class c > 0 is for those of 2^((c - 1) / 2) distinct grams or more, but not for so many that the next
 * one is theirs; class 0 for those of none. */
#define BS_GRAM_CLASSES 65u

struct bs_gram_slab_shape {
	uint32_t class;
	uint32_t n_docs;     /* 1..BS_GRAM_SLAB_MAX_DOCS */
	uint32_t n_columns;  /* m; 0: no file of it has a gram that is hashed */
	uint32_t n_exact;
	uint32_t n_left_out;
};

static inline uint32_t bs_gram_column_bytes(uint32_t n_docs)
{
	return (n_docs + 7) / 8;
}

/* ---- writing ---- */

struct bs_gram_meta {
	uint64_t n_docs;     /* with a row */
	uint64_t n_postings; /* (file, distinct gram) pairs, of the grams left out too */
};

/* Begins slab number i: its rows (document numbers, ascending) and lists of trigrams (ascending). What bs_writer_bytes is
 * given next must be its columns. The entry is for bs_gram_slabs_write. */
enum bs_status bs_gram_slab_begin(struct bs_writer *writer, uint32_t i, const struct bs_gram_slab_shape *shape,
                                  const uint32_t *rows, const uint32_t *exact, const uint32_t *left_out,
                                  struct bs_buffer *entries, struct bs_error *err) BS_WARN_UNUSED;
void bs_gram_slabs_write(struct bs_writer *writer, const struct bs_gram_meta *meta, const struct bs_buffer *entries);

/* ---- reading: any number of threads ---- */

struct bs_gram_slab {
	struct bs_gram_slab_shape shape;
	uint32_t column_bytes;
	struct bs_section columns;
	struct bs_packed rows;     /* document numbers, ascending */
	struct bs_packed exact;    /* trigrams, ascending */
	struct bs_packed left_out; /* likewise */
};

/* The slabs of a segment; none if there are no grams in it. */
struct bs_gram_slabs {
	struct bs_gram_meta meta;
	struct bs_gram_slab *slabs;
	uint32_t n_slabs;
};

/* Validates all but the pages of rows, columns and lists. BS_CORRUPT, BS_UNSUPPORTED (another scheme), BS_NO_MEMORY. */
enum bs_status bs_gram_slabs_open(struct bs_gram_slabs *grams, const struct bs_container *file, uint64_t n_docs,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_gram_slabs_deinit(struct bs_gram_slabs *grams);

/* What a slab knows of a gram. */
#define BS_GRAM_UNKNOWN UINT32_MAX       /* nothing: it is left out */
#define BS_GRAM_ABSENT  (UINT32_MAX - 1) /* no file of the slab has it */

/* The gram's column (the exact ones counted behind the m), or one of the above. BS_CORRUPT. */
enum bs_status bs_gram_slab_find(const struct bs_gram_slab *slab, uint64_t key, uint32_t *column_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Bytes [first, first + n_bytes) of a column, borrowed, not aligned. BS_CORRUPT. */
enum bs_status bs_gram_slab_column(const struct bs_gram_slab *slab, uint32_t column, uint32_t first, uint32_t n_bytes,
                                   const uint8_t **bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* Which document a row is. BS_CORRUPT. */
static inline BS_WARN_UNUSED enum bs_status bs_gram_slab_document(const struct bs_gram_slab *slab, uint32_t row,
                                                                  uint32_t *document_out, struct bs_error *err)
{
	return bs_packed_get_u32(&slab->rows, row, document_out, err);
}

/* The column of a hashed gram. m > 0. */
uint32_t bs_gram_hash_column(uint64_t key, uint32_t m);

#endif
