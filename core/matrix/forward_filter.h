/*
 * forward_filter.h: which of 64 plain lists can have a term, by seven words of memory.
 *
 * Plain lists (slab.h) are exact, but to look into each of hundreds of them for every term of a query costs more than
 * the whole matrix. So 64 of them, of about the same length, have a small bit-sliced matrix in front: a column is one
 * word, a bit a list, and half the bits are set. What is hashed is not the term but its neighbourhood, two consecutive
 * ordinals or 4, or 8: a list is made of runs of them (forward_list.h) and has fewer neighbourhoods than terms. Seven
 * columns let one list in 128 through by chance, beside those that have a term's neighbour. How many columns of which
 * neighbourhoods is the slab's own affair: five of neighbourhoods of eight take a third of the bytes of seven of two,
 * but looking into the 50 lists of 843 that passed was half of the time of a rare word in 1.4 M paragraphs. The indexer
 * chooses (indexer/segment/forward_build.h). Terms that have exact columns (slab.h) are not in it.
 */
#ifndef BS_CORE_MATRIX_FORWARD_FILTER_H
#define BS_CORE_MATRIX_FORWARD_FILTER_H

#include <stdint.h>

#include "core/file/container.h"
#include "core/base/hash.h"
#include "core/base/status.h"

#define BS_FORWARD_GROUP_ROWS     64u
#define BS_FORWARD_FILTER_LEVEL    6u /* of the probes, as if it were a level */
#define BS_FORWARD_MOST_HASHES    16u
#define BS_FORWARD_MOST_NEAR_LOG2 8u

/* What the filters of a slab hash. */
struct bs_forward_hashing {
	uint32_t n_hashes;  /* columns of a neighbourhood, 1 to BS_FORWARD_MOST_HASHES */
	uint32_t near_log2; /* a neighbourhood is so many bits of an ordinal less, at most BS_FORWARD_MOST_NEAR_LOG2 */
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
enum bs_status bs_forward_filter_open(struct bs_forward_filter *filter, const struct bs_container *file, uint32_t slab,
                                   uint32_t n_rows, struct bs_forward_hashing hashing, struct bs_error *err) BS_WARN_UNUSED;

/* What a term is asked for by. */
static inline struct bs_probe bs_forward_filter_probe(struct bs_forward_hashing hashing, uint64_t ordinal)
{
	return bs_hash_probe(ordinal >> hashing.near_log2, BS_FORWARD_FILTER_LEVEL);
}

/* Bit i of *rows_out: row 64 group + i, one of those wanted, may have the term of the probe; those that have it are
 * among them. */
enum bs_status bs_forward_filter_rows(const struct bs_forward_filter *filter, uint32_t group, struct bs_probe probe,
                                      uint64_t wanted, uint64_t *rows_out, struct bs_error *err) BS_WARN_UNUSED;

/* Neighbourhoods of n ascending ordinals, of 2^near_log2 each. */
uint32_t bs_forward_neighbourhoods(uint32_t near_log2, const uint32_t *ordinals, uint32_t n);

/* Columns for a group whose lists have so many neighbourhoods in the mean: half of the bits of such a row end up set.
 * (One much longer has nearly all set, and is looked into each time: cheaper than columns for it that the others leave
 * empty.) */
uint32_t bs_forward_filter_width(struct bs_forward_hashing hashing, uint64_t n_neighbourhoods);
/* Sets what the row's list, n ascending ordinals, has to have. */
void bs_forward_filter_set(struct bs_forward_hashing hashing, uint64_t *words, uint32_t n_columns, uint32_t row_of_group,
                           const uint32_t *ordinals, uint32_t n);

#endif
