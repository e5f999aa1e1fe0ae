/*
 * word_pair_choice.h: which pairs of words a run indexes (core/lexicon/word_pairs.h).
 *
 * A new index looks at a sample of its sources first (sample.h); a refresh and a compaction go on
 * with what the largest segment has. What is chosen depends on the documents only.
 */
#pragma once

#include "core/base/error.h"
#include "core/lexicon/word_pairs.h"
#include "core/store/snapshot.h"
#include "indexer/choose/sample.h"

struct bs_pair_limits {
	uint64_t least_bytes; /* of text in the sample; none is chosen by less */
	/* of all pairs, for each posting of a word; 0: BS_PRICE_PAIR_MOST_BITS */
	double most_bits;
};

/* Adds the pairs that are worth their bits, by a sample, which takes some three times as much
 * memory. BS_NO_MEMORY. */
enum bs_status bs_word_pairs_choose(const struct bs_recorded_options *options,
                                    const struct bs_pair_limits *limits, bs_give_sample_fn give,
                                    void *context, struct bs_word_pairs *pairs,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Adds those of the largest segment. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot,
                                         struct bs_word_pairs *pairs,
                                         struct bs_error *err) BS_WARN_UNUSED;
