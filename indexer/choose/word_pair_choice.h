/*
 * word_pair_choice.h: chooses the word pairs that a run indexes (core/lexicon/word_pairs.h).
 *
 * Runs for a new or small index (bs_snapshot_is_small) choose from a sample (sample.h). Other runs,
 * and compactions, use the pairs of the largest segment. The choice depends only on the documents.
 */
#pragma once

#include "core/base/error.h"
#include "core/lexicon/word_pairs.h"
#include "core/store/snapshot.h"
#include "indexer/choose/sample.h"

struct bs_pair_limits {
	uint64_t least_bytes; /* minimum size of the sample; with less text, no pair is chosen */
	/* The maximum size of all pairs in the index, in bits per posting of a word; 0:
	 * BS_PRICE_PAIR_MOST_BITS. */
	double most_bits;
};

/* Adds the pairs that are worth their bits, judged by a sample. Takes about three times the memory
 * of the sample. BS_NO_MEMORY, and statuses of give. */
enum bs_status bs_word_pairs_choose(const struct bs_recorded_options *options,
                                    const struct bs_pair_limits *limits, bs_give_sample_fn give,
                                    void *context, struct bs_word_pairs *pairs,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Adds the pairs of the largest segment. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot,
                                         struct bs_word_pairs *pairs,
                                         struct bs_error *err) BS_WARN_UNUSED;
