/*
 * word_pair_choice.h: which pairs of words a run indexes (core/lexicon/word_pairs.h).
 *
 * A new index looks at a sample of its sources first; a refresh and a compaction go on with the pairs of the largest
 * segment there is. What is chosen depends on the documents only.
 */
#ifndef BS_INDEXER_CHOOSE_WORD_PAIR_CHOICE_H
#define BS_INDEXER_CHOOSE_WORD_PAIR_CHOICE_H

#include "core/store/snapshot.h"
#include "core/base/status.h"
#include "core/lexicon/word_pairs.h"
#include "corpus/read/source.h"

/* Adds the pairs that are worth their bits, by a sample of the manifest's sources (sample.h); none if it has less than
 * least_bytes of text. BS_NO_MEMORY. */
enum bs_status bs_word_pairs_choose(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    const struct bs_source_options *options, uint64_t least_bytes,
                                    struct bs_word_pairs *pairs, struct bs_error *err) BS_WARN_UNUSED;

/* Adds those of the largest segment. */
enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot, struct bs_word_pairs *pairs, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
