/*
 * gram_sketch.h: turns a text into a row of bits (core/matrix/gram_shard.h). A plan, fixed before
 * the run, says which grams are frequent and how many columns a gram has. So a file's row is made
 * as soon as the file is read, on any thread, and only rows are kept. Sketching takes most of the
 * time of indexing grams; gram_sketch.c explains it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/matrix/gram_shard.h"
#include "corpus/walk/document.h"

/* The size class of a document that has no row, for example a record if only files have grams. */
#define BS_GRAM_NO_SIZE_CLASS UINT32_MAX

/* Initialise with bs_gram_plan_init; add grams with bs_gram_plan_add. */
struct bs_gram_plan {
	/* by tier: number of columns of a gram */
	uint8_t n_hashes[BS_GRAM_TIERS];
	/* by tier: its trigrams, or its buckets of longer grams; ascending */
	struct bs_u32s listed[BS_GRAM_TIERS];
};
/* Initialises the plan for files: lists are empty, and each tier has its default number of
 * columns. */
void bs_gram_plan_init(struct bs_gram_plan *plan);
/* Initialises the plan for records, which are short, with their default numbers of columns. */
void bs_gram_plan_init_records(struct bs_gram_plan *plan);
void bs_gram_plan_deinit(struct bs_gram_plan *plan);

/* Appends a trigram or bucket, greater than the previous ones, to the list of a tier. A trigram may
 * be in one list only. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_add(struct bs_gram_plan *plan, enum bs_gram_tier tier, uint32_t gram,
                                struct bs_error *err) BS_WARN_UNUSED;

/* The list of a tier and its length. */
static inline const uint32_t *bs_gram_plan_list(const struct bs_gram_plan *plan, uint32_t tier,
                                                uint32_t *n_out)
{
	*n_out = (uint32_t)bs_vector_n(&plan->listed[tier]);
	return plan->listed[tier].items;
}

/* The size class of a file whose row will have about n_bits bits set. */
uint32_t bs_gram_size_class_of(uint64_t n_bits);

/* The number of words of a row. The first column is the lowest bit of the first word. */
static inline uint32_t bs_gram_row_words(uint32_t class)
{
	return (bs_gram_size_class_columns(class) + 63) / 64;
}

/* Scratch memory for sketching any number of texts. One for each thread: 4 MB, 2 MB more if
 * bs_gram_sketch_append_new is called, and memory for its largest text. */
struct bs_gram_sketch;

/* The plan is borrowed. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_new(const struct bs_gram_plan *plan,
                                  struct bs_gram_sketch **sketch_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* NULL is allowed. */
void bs_gram_sketch_free(struct bs_gram_sketch *sketch);

/* The grams of a text. */
struct bs_gram_sum {
	uint32_t size_class;
	uint64_t n_bits; /* estimated number of bits to set for all grams */
	/* by tier (enum bs_gram_tier): the distinct trigrams; none in tier BS_GRAM_LEFT_OUT */
	const uint32_t *trigrams[BS_GRAM_TRIGRAM_TIERS];
	uint32_t n_trigrams[BS_GRAM_TRIGRAM_TIERS];
};

/* Sketches a text: the n_bytes at `text`, or, if stream is not NULL, the text that it yields, with
 * n_bytes as an estimate of its size. If stream->has_failed is set afterwards, the text has no row.
 * *sum_out is borrowed until the next text. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_take(struct bs_gram_sketch *sketch, struct bs_text_stream *stream,
                                   const uint8_t *text, uint64_t n_bytes,
                                   struct bs_gram_sum *sum_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Writes the row of the last text: bs_gram_row_words(size_class) words. Call it at most once for
 * each text. */
void bs_gram_sketch_row(struct bs_gram_sketch *sketch, uint64_t *row);
/* Appends the trigrams of the last text that no earlier call has appended, except those of tier
 * BS_GRAM_LEFT_OUT. anew: forgets what earlier calls appended. BS_NO_MEMORY. */
enum bs_status bs_gram_sketch_append_new(struct bs_gram_sketch *sketch, bool anew,
                                         struct bs_u32s *trigrams,
                                         struct bs_error *err) BS_WARN_UNUSED;
