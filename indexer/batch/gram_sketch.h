/*
 * gram_sketch.h: text in, a row of bits out (core/matrix/gram_shard.h), by the plan of a run: which
 * grams are frequent, how many columns a gram has, and of what class a file is. The plan is fixed
 * before the run, so that a file's row can be made as soon as the file is read, on whatever thread,
 * and nothing but rows is ever held. Sketching is where the time of an index of grams goes;
 * gram_sketch.c says how.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/matrix/gram_shard.h"
#include "corpus/walk/document.h"

/* Where no row is made: the text of the document is not a file's. */
#define BS_GRAM_NO_SIZE_CLASS UINT32_MAX

/* bs_gram_plan_init, then what is listed. */
struct bs_gram_plan {
	uint8_t n_hashes[BS_GRAM_TIERS];
	/* u32 each: trigrams, or buckets of longer grams, ascending */
	struct bs_u32s listed[BS_GRAM_TIERS];
};
/* With no lists, and the columns of each tier as this bitsift makes them. */
void bs_gram_plan_init(struct bs_gram_plan *plan);
/* The same of records, which are short. */
void bs_gram_plan_init_records(struct bs_gram_plan *plan);
void bs_gram_plan_deinit(struct bs_gram_plan *plan);

/* Lists a trigram or bucket in a tier that has a list, behind lesser ones. No trigram may be in
 * two. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_add(struct bs_gram_plan *plan, enum bs_gram_tier tier, uint32_t gram,
                                struct bs_error *err) BS_WARN_UNUSED;

/* A list, and how long it is. */
static inline const uint32_t *bs_gram_plan_list(const struct bs_gram_plan *plan, uint32_t tier,
                                                uint32_t *n_out)
{
	*n_out = (uint32_t)bs_vector_n(&plan->listed[tier]);
	return plan->listed[tier].items;
}

/* The class of a file of which so many bits are to be set. */
uint32_t bs_gram_size_class_of(uint64_t n_bits);

/* Rows are whole words, the first column in the lowest bit of the first. */
static inline uint32_t bs_gram_row_words(uint32_t class)
{
	return (bs_gram_size_class_columns(class) + 63) / 64;
}

/* One thread at a time, any number of texts; make one per thread (4 MB and what the largest text
 * needs). */
struct bs_gram_sketch;

/* The plan is borrowed. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_new(const struct bs_gram_plan *plan,
                                  struct bs_gram_sketch **sketch_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
void bs_gram_sketch_free(struct bs_gram_sketch *sketch);

struct bs_gram_sum {
	uint32_t size_class;
	uint64_t n_bits; /* that its grams ask for, about */
	/* by tier: the distinct ones; of those left out none are listed */
	const uint32_t *trigrams[BS_GRAM_TRIGRAM_TIERS];
	uint32_t n_trigrams[BS_GRAM_TRIGRAM_TIERS];
};

/* Sketches a text: the stream's, of about n_bytes (a stream that has failed makes no row), or, if
 * stream is NULL, the n_bytes at text. Borrowed until the next text. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_take(struct bs_gram_sketch *sketch, struct bs_text_stream *stream,
                                   const uint8_t *text, uint64_t n_bytes,
                                   struct bs_gram_sum *sum_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* The row of that text, once: bs_gram_row_words(size_class) words. */
void bs_gram_sketch_row(struct bs_gram_sketch *sketch, uint64_t *row);
/* Appends the trigrams of that text (u32 each, none of those left out) that were not told since one
 * was told anew, this one among them. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_tell(struct bs_gram_sketch *sketch, bool anew,
                                   struct bs_u32s *trigrams, struct bs_error *err) BS_WARN_UNUSED;
