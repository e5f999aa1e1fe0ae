/*
 * gram_shard.h: reads gram shards, and writes all their parts except the columns. A gram shard is
 * the bit matrix of the grams of up to 65,536 files of one size class.
 *
 *               column 0   column 1   ...   column m-1
 *      row 0      .          1                 .
 *      row 1      1          .                 .          a column has n_docs bits, rounded up
 *       ...                                               to bytes; columns follow each other
 *
 * About half of the bits are set. A gram has some of the m columns, by its hashes, and shares them
 * with other grams, so a file without the gram can pass. The number of columns of a gram depends on
 * how frequent it is, because each column costs a bit in each file that has the gram, and a
 * frequent gram excludes few files. The segment does not list all grams. It lists the trigrams that
 * are left out, the common ones and the middling ones, and the buckets of longer grams that contain
 * a frequent gram; all other grams count as rare. The trigrams left out are those of a large part
 * of the files: they have no columns and exclude nothing.
 *
 * Columns are not padded to lines, because each size class has its own shards, and the padding of
 * all columns would be a large part of the index.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/text/grams.h"

#define BS_GRAM_SHARD_MAX_DOCS 65536u

/* Size classes of files. Files of class 0 have no grams except those of tier BS_GRAM_LEFT_OUT.
 * Files of a class c > 0 have rows of m = (4 + (c - 1) mod 4) 2^(3 + floor((c - 1) / 4)) columns.
 * bs_gram_column (core/text/grams.h) needs numbers of columns of this form. */
#define BS_GRAM_SIZE_CLASSES (1 + 4 * (BS_GRAM_MOST_LOG - BS_GRAM_LEAST_LOG + 1))

static inline uint32_t bs_gram_size_class_log(uint32_t size_class)
{
	return BS_GRAM_LEAST_LOG + (size_class ? (size_class - 1) / 4 : 0);
}

/* The n of m = n 2^log; 0 for class 0. */
static inline uint32_t bs_gram_size_class_n(uint32_t size_class)
{
	return size_class ? 4 + (size_class - 1) % 4 : 0;
}

static inline uint32_t bs_gram_size_class_columns(uint32_t size_class)
{
	return bs_gram_size_class_n(size_class) << bs_gram_size_class_log(size_class);
}

struct bs_gram_shard_shape {
	uint32_t size_class; /* below BS_GRAM_SIZE_CLASSES */
	uint32_t n_docs;     /* 1..BS_GRAM_SHARD_MAX_DOCS */
	uint32_t n_columns;  /* m; 0 for size class 0 */
};

static inline uint32_t bs_gram_column_bytes(uint32_t n_docs)
{
	return (n_docs + 7) / 8;
}

/* Frequency tiers of grams: four for trigrams, two for longer grams. */
enum bs_gram_tier {
	BS_GRAM_LEFT_OUT,
	BS_GRAM_COMMON,
	BS_GRAM_MIDDLING,
	BS_GRAM_RARE,
	BS_GRAM_LONG_FREQUENT,
	BS_GRAM_LONG,
	BS_GRAM_TIERS,
};
#define BS_GRAM_TRIGRAM_TIERS 4u /* the first four tiers */
#define BS_GRAM_MAX_HASHES    8u

/* The exclusive upper bound of the values in a tier's list: trigrams, or buckets of longer grams
 * (core/text/grams.h). 0: the tier has no list; it has the grams that are in no list. */
static inline uint32_t bs_gram_listed_end(uint32_t tier)
{
	return tier < BS_GRAM_RARE             ? BS_GRAM_TRIGRAMS
	       : tier == BS_GRAM_LONG_FREQUENT ? BS_GRAM_BUCKETS
	                                       : 0;
}

struct bs_gram_meta {
	uint64_t n_docs; /* documents with a row */
	/* The number of hashes of the distinct grams of a row, summed over all rows. Fewer bits are
	 * set, because grams may share bits. */
	uint64_t n_bits;
	/* By tier: the number of columns of a gram. may_have in gram_shard.c checks the numbers. */
	uint8_t n_hashes[BS_GRAM_TIERS];
	/* By tier: the number of values in the tier's list, at most bs_gram_listed_end. */
	uint32_t n_listed[BS_GRAM_TIERS];
};

/* Writes the rows of shard i and begins the section of its columns. rows: the document number of
 * each row, ascending. The caller then writes the columns with bs_file_writer_bytes. Appends the
 * shard's entry for bs_gram_shards_write to `entries`. BS_NO_MEMORY. */
enum bs_status bs_gram_shard_begin(struct bs_file_writer *writer, uint32_t i,
                                   const struct bs_gram_shard_shape *shape, const uint32_t *rows,
                                   struct bs_buffer *entries, struct bs_error *err) BS_WARN_UNUSED;
/* Writes the sections that all gram shards share. listed: the ascending values of each tier that
 * has a list (bs_gram_listed_end). */
void bs_gram_shards_write(struct bs_file_writer *writer, const struct bs_gram_meta *meta,
                          const struct bs_buffer *entries,
                          const uint32_t *const listed[BS_GRAM_TIERS]);

/* Reading. Any number of threads may read the same shards. */

struct bs_gram_shard {
	struct bs_gram_shard_shape shape;
	uint32_t column_bytes; /* bs_gram_column_bytes */
	struct bs_section columns;
	struct bs_packed rows; /* document numbers, ascending */
};

/* The gram shards of a segment; n_shards is 0 if it has no grams. */
struct bs_gram_shards {
	struct bs_gram_meta meta;
	struct bs_packed listed[BS_GRAM_TIERS]; /* ascending; zeros if the tier has no list */
	struct bs_gram_shard *shards;
	uint32_t n_shards;
};

/* Opens the gram shards of a segment. Validates shapes, sizes and counts, but not the contents of
 * rows, columns and lists. Release with bs_gram_shards_deinit, also after a failure. BS_CORRUPT,
 * BS_UNSUPPORTED (unknown gram scheme), BS_NO_MEMORY. */
enum bs_status bs_gram_shards_open(struct bs_gram_shards *grams, const struct bs_container *file,
                                   uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
void bs_gram_shards_deinit(struct bs_gram_shards *grams);

/* The tier of a gram in the segment. The gram has meta.n_hashes[tier] columns in each shard that
 * has columns. BS_CORRUPT. */
enum bs_status bs_gram_shards_tier(const struct bs_gram_shards *grams, uint64_t key,
                                   enum bs_gram_tier *tier_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Finds bytes [first, first + n_bytes) of a column in the file. *bytes_out need not be aligned.
 * BS_CORRUPT. */
enum bs_status bs_gram_shard_column(const struct bs_gram_shard *shard, uint32_t column,
                                    uint32_t first, uint32_t n_bytes, const uint8_t **bytes_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
