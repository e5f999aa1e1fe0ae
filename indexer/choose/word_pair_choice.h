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
#include "core/text/words.h"
#include "corpus/read/source.h"

/* A sample in the making. Zero-initialise; release with bs_word_pair_sample_deinit. */
struct bs_word_pair_sample {
	struct bs_term_table words;
	struct bs_buffer tokens;  /* u32 each: number of the word + 1; 0 where positions do not follow each other */
	struct bs_buffer docs;    /* u64 each: where a document's tokens end */
	uint64_t text_bytes;
	struct bs_words *analyzer; /* while a source is sampled */
	uint32_t next_position;   /* of the document under analysis */
};
void bs_word_pair_sample_deinit(struct bs_word_pair_sample *sample);

/* Adds some of a source's documents: BS_OK even if it cannot be read, which the run will tell. */
enum bs_status bs_word_pair_sample_source(struct bs_word_pair_sample *sample, const struct bs_source *source,
                                     const struct bs_source_options *options, const struct bs_words_options *words,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* The pairs that are worth their bits. */
enum bs_status bs_word_pair_sample_choose(const struct bs_word_pair_sample *sample, struct bs_word_pairs *pairs,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Those of the largest segment. */
enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot, struct bs_word_pairs *pairs, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
