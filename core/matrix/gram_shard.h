/*
 * gram_shard.h: the grams of files, as they are read: one bit matrix for the files of one size, in
 * the grams that they have.
 *
 *               column 0   column 1   ...   column m-1
 *      row 0      .          1                 .
 *      row 1      1          .                 .          a column is n_docs bits, rounded up to
 *        bytes, and columns
 *       ...                                               stand one after another
 *
 * A good half of the bits are set. A gram has some of the m columns, by its hashes, and shares them
 * with others; so a file without it may seem to have it. How many columns that should be goes by
 * how frequent the gram is: that a frequent one cannot tell much is its own fault, and not worth
 * many bits, while a rare one can tell nearly everything, and its bits are few. There is no list of
 * all grams that would say so. A segment lists the trigrams that are common, those that are less
 * so, and buckets of longer grams with a frequent one; all others are taken for rare. Trigrams that
 * a good part of all files have are left out, and say nothing.
 *
 * Columns are as long as there are files, not padded to lines: shards are many, one for each size
 * of files, and the last lines of all their columns would be a good part of the index.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/text/grams.h"

#define BS_GRAM_SHARD_MAX_DOCS 65536u

/* Sizes of files: those of class 0 have no grams (but such as are left out), those of a class c > 0
 * have rows of m = (4 + (c - 1) mod 4) 2^(3 + floor((c - 1) / 4)) columns, as bs_gram_column asks
 * for. */
#define BS_GRAM_SIZE_CLASSES (1 + 4 * (BS_GRAM_MOST_LOG - BS_GRAM_LEAST_LOG + 1))

static inline uint32_t bs_gram_size_class_log(uint32_t size_class)
{
	return BS_GRAM_LEAST_LOG + (size_class ? (size_class - 1) / 4 : 0);
}

/* m = n 2^log; n of class 0 is 0. */
static inline uint32_t bs_gram_size_class_n(uint32_t size_class)
{
	return size_class ? 4 + (size_class - 1) % 4 : 0;
}

static inline uint32_t bs_gram_size_class_columns(uint32_t size_class)
{
	return bs_gram_size_class_n(size_class) << bs_gram_size_class_log(size_class);
}

struct bs_gram_shard_shape {
	uint32_t size_class; /* see BS_GRAM_SIZE_CLASSES */
	uint32_t n_docs;     /* 1..BS_GRAM_SHARD_MAX_DOCS */
	uint32_t n_columns;  /* m; 0: no file of it has a gram that is not left out */
};

static inline uint32_t bs_gram_column_bytes(uint32_t n_docs)
{
	return (n_docs + 7) / 8;
}

/* How frequent a gram is taken to be: four tiers of trigrams, two of longer ones. */
enum bs_gram_tier {
	BS_GRAM_LEFT_OUT,
	BS_GRAM_COMMON,
	BS_GRAM_MIDDLING,
	BS_GRAM_RARE,
	BS_GRAM_LONG_FREQUENT,
	BS_GRAM_LONG,
	BS_GRAM_TIERS,
};
#define BS_GRAM_TRIGRAM_TIERS 4u /* the first four */
#define BS_GRAM_MAX_HASHES    8u

/* What is listed of a tier is below that: trigrams, or buckets of longer grams (core/text/grams.h);
 * 0: the tier has no list, it is of all those that are in none. */
static inline uint32_t bs_gram_listed_end(uint32_t tier)
{
	return tier < BS_GRAM_RARE             ? BS_GRAM_TRIGRAMS
	       : tier == BS_GRAM_LONG_FREQUENT ? BS_GRAM_BUCKETS
	                                       : 0;
}

struct bs_gram_meta {
	uint64_t n_docs; /* with a row */
	/* that their grams ask for, about: each distinct one's columns, whoever else sets them */
	uint64_t n_bits;
	uint8_t n_hashes[BS_GRAM_TIERS];  /* columns of a gram (may_have in gram_shard.c) */
	uint32_t n_listed[BS_GRAM_TIERS]; /* up to bs_gram_listed_end */
};

/* Begins shard number i: its rows are document numbers, ascending. What bs_file_writer_bytes is
 * given next must be its columns. The entry is for bs_gram_shards_write. */
enum bs_status bs_gram_shard_begin(struct bs_file_writer *writer, uint32_t i,
                                   const struct bs_gram_shard_shape *shape, const uint32_t *rows,
                                   struct bs_buffer *entries, struct bs_error *err) BS_WARN_UNUSED;
/* listed: by tier, ascending. */
void bs_gram_shards_write(struct bs_file_writer *writer, const struct bs_gram_meta *meta,
                          const struct bs_buffer *entries,
                          const uint32_t *const listed[BS_GRAM_TIERS]);

/* Reading: any number of threads. */

struct bs_gram_shard {
	struct bs_gram_shard_shape shape;
	uint32_t column_bytes;
	struct bs_section columns;
	struct bs_packed rows; /* document numbers, ascending */
};

/* The shards of a segment; none if there are no grams in it. */
struct bs_gram_shards {
	struct bs_gram_meta meta;
	struct bs_packed listed[BS_GRAM_TIERS]; /* ascending; zeros where a tier has no list */
	struct bs_gram_shard *shards;
	uint32_t n_shards;
};

/* Validates all but the pages of rows, columns and lists. BS_CORRUPT, BS_UNSUPPORTED (another
 * scheme), BS_NO_MEMORY. */
enum bs_status bs_gram_shards_open(struct bs_gram_shards *grams, const struct bs_container *file,
                                   uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
void bs_gram_shards_deinit(struct bs_gram_shards *grams);

/* Of which tier a gram is in the segment: it has n_hashes[tier] columns in every shard.
 * BS_CORRUPT. */
enum bs_status bs_gram_shards_tier(const struct bs_gram_shards *grams, uint64_t key,
                                   enum bs_gram_tier *tier_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Bytes [first, first + n_bytes) of a column, borrowed, not aligned. BS_CORRUPT. */
enum bs_status bs_gram_shard_column(const struct bs_gram_shard *shard, uint32_t column,
                                    uint32_t first, uint32_t n_bytes, const uint8_t **bytes_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
