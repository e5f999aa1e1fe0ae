/*
 * forward_index.h: a forward index: the ascending ordinals of one document's terms, as runs of
 * consecutive ones, with a look-up that reads a hundred bytes.
 *
 * Ordinals are given in the order of the terms' bytes, and what is written side by side in a long
 * document (the registers of a chip, the symbols of a library) begins alike: two thirds of the
 * ordinals of the long files of a Linux tree follow the one before, four fifths of those of its
 * long paragraphs. So a list is a row of runs: the gap before each, in an exponential Golomb code,
 * and its length, in Elias's gamma code. Measured: 4.3 and 2.0 bits a posting, where Elias-Fano,
 * which knows nothing of runs, takes 10.8 and 11.5. A sample says for every 32nd run where it
 * begins. Bytes: FORMAT.md.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/file/container.h"

/* Appends the list of n strictly ascending ordinals; no bytes if n is 0. BS_NO_MEMORY. */
enum bs_status bs_forward_index_append(struct bs_buffer *to, const uint32_t *ordinals, uint32_t n,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The bytes that it would append. */
uint64_t bs_forward_index_bytes(const uint32_t *ordinals, uint32_t n);

/* Whether the list in bytes [start, end) of the section has the ordinal. Any thread. BS_CORRUPT. */
enum bs_status bs_forward_index_has(const struct bs_section *section, uint64_t start, uint64_t end,
                                    uint64_t ordinal, bool *has_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Its length. BS_CORRUPT. */
enum bs_status bs_forward_index_count(const struct bs_section *section, uint64_t start,
                                      uint64_t end, uint32_t *n_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* All its ordinals, below n_terms, as u32 in place of what the buffer holds. BS_CORRUPT if it has
 * not exactly the bytes that bs_forward_index_append makes of them; BS_NO_MEMORY. */
enum bs_status bs_forward_index_read(const struct bs_section *section, uint64_t start, uint64_t end,
                                     uint64_t n_terms, struct bs_buffer *ordinals,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * In front of 64 lists of about the same length stands a filter, which says by seven words of
 * memory which of them can have a term: lists are exact, but to look into each of hundreds of them
 * for every term of a query costs more than the whole matrix. It is a small bit-sliced matrix: a
 * column is one word, a bit a list, and half the bits are set. What is hashed is not the term but
 * its neighbourhood, two consecutive ordinals or 4, or 8: a list is made of runs of them and has
 * fewer neighbourhoods than terms. Seven columns let one list in 128 through by chance, beside
 * those that have a term's neighbour. How many columns of which neighbourhoods is the shard's own
 * affair, which the indexer chooses (indexer/segment/forward_build.h). Terms that have exact
 * columns (shard.h) are not in it.
 */
#define BS_FORWARD_GROUP_ROWS     64u
#define BS_FORWARD_FILTER_LEVEL   6u /* of the probes, as if it were a level */
#define BS_FORWARD_MOST_HASHES    16u
#define BS_FORWARD_MOST_NEAR_LOG2 8u

/* What the filters of a shard hash. */
struct bs_forward_hashing {
	uint32_t n_hashes; /* columns of a neighbourhood, 1 to BS_FORWARD_MOST_HASHES */
	/* a neighbourhood is so many bits of an ordinal less, at most BS_FORWARD_MOST_NEAR_LOG2 */
	uint32_t near_log2;
};

static inline uint32_t bs_forward_groups(uint32_t n_rows)
{
	return (n_rows + BS_FORWARD_GROUP_ROWS - 1) / BS_FORWARD_GROUP_ROWS;
}

struct bs_forward_filter {
	struct bs_section offsets; /* u64 a group and one more: where its columns begin, in words */
	struct bs_section words;
	struct bs_forward_hashing hashing;
};

/* BS_CORRUPT if the hashing is impossible, or there are not as many offsets as n_rows ask for. */
enum bs_status bs_forward_filter_open(struct bs_forward_filter *filter,
                                      const struct bs_container *file, uint32_t shard,
                                      uint32_t n_rows, struct bs_forward_hashing hashing,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* What a term is asked for by. */
static inline struct bs_probe bs_forward_filter_probe(struct bs_forward_hashing hashing,
                                                      uint64_t ordinal)
{
	return bs_hash_probe(ordinal >> hashing.near_log2, BS_FORWARD_FILTER_LEVEL);
}

/* Bit i of *rows_out: row 64 group + i, one of those wanted, may have the term of the probe; those
 * that have it are among them. */
enum bs_status bs_forward_filter_rows(const struct bs_forward_filter *filter, uint32_t group,
                                      struct bs_probe probe, uint64_t wanted, uint64_t *rows_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Neighbourhoods of n ascending ordinals, of 2^near_log2 each. */
uint32_t bs_forward_neighbourhoods(uint32_t near_log2, const uint32_t *ordinals, uint32_t n);

/* Columns for a group whose lists have so many neighbourhoods in the mean: half of the bits of such
 * a row end up set. (One much longer has nearly all set, and is looked into each time: cheaper than
 * columns for it that the others leave empty.) */
uint32_t bs_forward_filter_width(struct bs_forward_hashing hashing, uint64_t n_neighbourhoods);
/* Sets what the row's list, n ascending ordinals, has to have. */
void bs_forward_filter_set(struct bs_forward_hashing hashing, uint64_t *words, uint32_t n_columns,
                           uint32_t row_of_group, const uint32_t *ordinals, uint32_t n);
