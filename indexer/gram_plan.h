/*
 * gram_plan.h: how the grams of a file become a row of bits: how many columns a gram has, what class the file is of, and
 * how wide the rows of that class are (core/gram_slab.h). Fixed before a run, so that a file's row can be made as soon as
 * the file is read, on whatever thread, and nothing but rows is ever held.
 */
#ifndef BS_INDEXER_GRAM_PLAN_H
#define BS_INDEXER_GRAM_PLAN_H

#include <stdint.h>

#include "core/gram_slab.h"
#include "core/status.h"

/* Where no row is made: the text of the document is not a file's. */
#define BS_GRAM_NO_CLASS UINT32_MAX

/* bs_gram_plan_init; then the lists that there are; then bs_gram_plan_finish. */
struct bs_gram_plan {
	uint8_t n_hashes[BS_GRAM_TIERS];
	uint32_t n_listed[BS_GRAM_LISTED_TIERS];
	uint32_t *listed[BS_GRAM_LISTED_TIERS]; /* trigrams, ascending */
	/* The trigrams of all lists, by a hash of theirs; behind a filter of a bit each. */
	uint64_t *filter;
	uint32_t *slots; /* trigram | (tier + 1) << 24; 0 is empty */
	uint32_t slot_mask;
};
/* With no lists, and the columns of each tier as this bitsift makes them. */
void bs_gram_plan_init(struct bs_gram_plan *plan);
void bs_gram_plan_deinit(struct bs_gram_plan *plan);

/* Copies the list. No trigram may be in two. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_set_tier(struct bs_gram_plan *plan, enum bs_gram_tier tier, const uint32_t *trigrams,
                                     uint32_t n, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_gram_plan_finish(struct bs_gram_plan *plan, struct bs_error *err) BS_WARN_UNUSED;

/* The class of a file of which so many bits are to be set, and its columns, m. */
uint32_t bs_gram_class_of(uint64_t n_bits);
uint32_t bs_gram_class_columns(uint32_t class);

/* Rows are whole words, the first column in the lowest bit of the first. */
static inline uint32_t bs_gram_row_words(uint32_t class)
{
	return (bs_gram_class_columns(class) + 63) / 64;
}

/* How many columns each of a file's distinct grams has, to hashes_out; returns their sum, the bits to be set. */
uint64_t bs_gram_plan_weigh(const struct bs_gram_plan *plan, const uint64_t *keys, size_t n_keys, uint8_t *hashes_out);
/* Sets these bits in the file's row, which must be zeros. */
void bs_gram_plan_row(uint32_t class, const uint64_t *keys, const uint8_t *hashes, size_t n_keys, uint64_t *row);

#endif
