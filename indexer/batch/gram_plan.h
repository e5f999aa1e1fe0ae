/*
 * gram_plan.h: which grams are frequent, how many columns a gram has, and of what class a file is (core/matrix/gram_slab.h).
 * Fixed before a run, so that a file's row can be made as soon as the file is read (gram_sketch.h), on whatever thread, and
 * nothing but rows is ever held.
 */
#ifndef BS_INDEXER_BATCH_GRAM_PLAN_H
#define BS_INDEXER_BATCH_GRAM_PLAN_H

#include <stdint.h>

#include "core/matrix/gram_slab.h"
#include "core/base/status.h"

/* Where no row is made: the text of the document is not a file's. */
#define BS_GRAM_NO_SIZE_CLASS UINT32_MAX

/* bs_gram_plan_init, then the lists that there are. */
struct bs_gram_plan {
	uint8_t n_hashes[BS_GRAM_TIERS];
	uint32_t n_listed[BS_GRAM_TIERS];
	uint32_t *listed[BS_GRAM_TIERS]; /* trigrams, or buckets of longer grams, ascending */
};
/* With no lists, and the columns of each tier as this bitsift makes them. */
void bs_gram_plan_init(struct bs_gram_plan *plan);
void bs_gram_plan_deinit(struct bs_gram_plan *plan);

/* Copies the list, of a tier that has one. No trigram may be in two. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_set_tier(struct bs_gram_plan *plan, enum bs_gram_tier tier, const uint32_t *listed,
                                     uint32_t n, struct bs_error *err) BS_WARN_UNUSED;

/* The class of a file of which so many bits are to be set. */
uint32_t bs_gram_size_class_of(uint64_t n_bits);

/* Rows are whole words, the first column in the lowest bit of the first. */
static inline uint32_t bs_gram_row_words(uint32_t class)
{
	return (bs_gram_size_class_columns(class) + 63) / 64;
}

#endif
