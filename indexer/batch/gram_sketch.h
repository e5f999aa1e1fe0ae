/*
 * gram_sketch.h: text in, a row of bits out (core/matrix/gram_slab.h), by the plan of a run. Where the time of an index of grams
 * goes; gram_sketch.c says how.
 */
#ifndef BS_INDEXER_BATCH_GRAM_SKETCH_H
#define BS_INDEXER_BATCH_GRAM_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "indexer/batch/gram_plan.h"

/* Belongs to one thread at a time; make one per thread (4 MB and what the largest text needs) and use it for any number of
 * texts. */
struct bs_gram_sketch;

/* The plan is borrowed. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_new(const struct bs_gram_plan *plan, struct bs_gram_sketch **sketch_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
void bs_gram_sketch_free(struct bs_gram_sketch *sketch);

struct bs_gram_sum {
	uint32_t size_class;
	uint64_t n_bits; /* that its grams ask for, about */
	const uint32_t *trigrams[BS_GRAM_TRIGRAM_TIERS]; /* by tier: the distinct ones; of those left out none are listed */
	uint32_t n_trigrams[BS_GRAM_TRIGRAM_TIERS];
};

/* Looks at a text, whole. What is borrowed is good until the next text. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_text(struct bs_gram_sketch *sketch, const uint8_t *text, size_t n_bytes,
                                   struct bs_gram_sum *sum_out, struct bs_error *err) BS_WARN_UNUSED;
/* The row of that text, once: bs_gram_row_words(size_class) words. */
void bs_gram_sketch_row(struct bs_gram_sketch *sketch, uint64_t *row);

#endif
