/*
 * forward_index.h: a forward index is the list of the term ordinals of one document, ascending,
 * coded as runs of consecutive ordinals. A look-up reads about a hundred bytes.
 *
 * Ordinals follow the byte order of terms, and neighbouring words of a long document (the registers
 * of a chip, the symbols of a library) share a prefix. Therefore two thirds of the ordinals of a
 * long file of the Linux tree directly follow another ordinal of the file's list; in long
 * paragraphs, four fifths do. A list is a sequence of runs: the gap before each run in an
 * exponential Golomb code, and its length in Elias's gamma code. Measured: 4.3 bits per posting for
 * the files and 2.0 for the paragraphs; Elias-Fano, which does not use runs, takes 10.8 and 11.5.
 * For each 32nd run, a sample gives the position of the run. Format: FORMAT.md.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/file/container.h"

/* Appends the list of n strictly ascending ordinals; appends nothing if n is 0. BS_NO_MEMORY. */
enum bs_status bs_forward_index_append(struct bs_buffer *to, const uint32_t *ordinals, uint32_t n,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The number of bytes that bs_forward_index_append appends. */
uint64_t bs_forward_index_bytes(const uint32_t *ordinals, uint32_t n);

/* Whether the list in bytes [start, end) of the section contains the ordinal. Thread-safe.
 * BS_CORRUPT. */
enum bs_status bs_forward_index_has(const struct bs_section *section, uint64_t start, uint64_t end,
                                    uint64_t ordinal, bool *has_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* The number of ordinals in the list. BS_CORRUPT. */
enum bs_status bs_forward_index_count(const struct bs_section *section, uint64_t start,
                                      uint64_t end, uint32_t *n_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Replaces the contents of `ordinals` by all ordinals of the list, as u32. BS_CORRUPT if one is not
 * below n_terms, or if the bytes differ from what bs_forward_index_append writes; BS_NO_MEMORY. */
enum bs_status bs_forward_index_read(const struct bs_section *section, uint64_t start, uint64_t end,
                                     uint64_t n_terms, struct bs_buffer *ordinals,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * Each group of 64 lists of similar length has a filter: about seven words of memory show which of
 * the 64 lists may contain a term. Without filters, looking into each of hundreds of lists for
 * every term of a query would cost more than the whole matrix. A filter is a small bit-sliced
 * matrix: a column is one word with one bit per list, and half of the bits are set. The key hashed
 * is not the term but its neighbourhood: 2^near_log2 consecutive ordinals. A list consists of runs,
 * so it has fewer neighbourhoods than terms. Seven columns pass one list in 128 by chance, plus the
 * lists that have a neighbour of the term. The indexer chooses the number of columns and the size
 * of neighbourhoods for each shard (indexer/segment/forward_build.h). Terms with exact columns
 * (shard.h) are not in the filter.
 */
#define BS_FORWARD_GROUP_ROWS     64u
#define BS_FORWARD_FILTER_LEVEL   6u /* level argument of bs_hash_probe */
#define BS_FORWARD_MOST_HASHES    16u
#define BS_FORWARD_MOST_NEAR_LOG2 8u

/* Parameters of the filters of a shard. */
struct bs_forward_hashing {
	uint32_t n_hashes; /* columns per neighbourhood, 1 to BS_FORWARD_MOST_HASHES */
	/* log2 of the ordinals in a neighbourhood, at most BS_FORWARD_MOST_NEAR_LOG2 */
	uint32_t near_log2;
};

static inline uint32_t bs_forward_groups(uint32_t n_rows)
{
	return (n_rows + BS_FORWARD_GROUP_ROWS - 1) / BS_FORWARD_GROUP_ROWS;
}

struct bs_forward_filter {
	/* where the columns of each group begin in `words`, counted in words: one u64 per group,
	 * plus one */
	struct bs_section offsets;
	struct bs_section words; /* the columns of all groups, a u64 each */
	struct bs_forward_hashing hashing;
};

/* Opens the filters of a shard. BS_CORRUPT if the hashing is out of range, or the number of offsets
 * does not fit n_rows. */
enum bs_status bs_forward_filter_open(struct bs_forward_filter *filter,
                                      const struct bs_container *file, uint32_t shard,
                                      uint32_t n_rows, struct bs_forward_hashing hashing,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* The probe of a term for bs_forward_filter_rows. */
static inline struct bs_probe bs_forward_filter_probe(struct bs_forward_hashing hashing,
                                                      uint64_t ordinal)
{
	return bs_hash_probe(ordinal >> hashing.near_log2, BS_FORWARD_FILTER_LEVEL);
}

/* Sets bit i of *rows_out for each wanted row 64 * group + i that may have the term of the probe.
 * No row that has the term is missed. BS_CORRUPT. */
enum bs_status bs_forward_filter_rows(const struct bs_forward_filter *filter, uint32_t group,
                                      struct bs_probe probe, uint64_t wanted, uint64_t *rows_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* The number of distinct neighbourhoods of n ascending ordinals. */
uint32_t bs_forward_neighbourhoods(uint32_t near_log2, const uint32_t *ordinals, uint32_t n);

/* The number of columns for a group whose lists have n_neighbourhoods on average, so that half of
 * the bits of an average row are set. (A much longer list has nearly all its bits set, so every
 * query looks into it. This costs less than more columns, which the other lists would leave
 * empty.) */
uint32_t bs_forward_filter_width(struct bs_forward_hashing hashing, uint64_t n_neighbourhoods);
/* Sets the bits of one row of a group, for the row's list of n ascending ordinals. */
void bs_forward_filter_set(struct bs_forward_hashing hashing, uint64_t *words, uint32_t n_columns,
                           uint32_t row_of_group, const uint32_t *ordinals, uint32_t n);
