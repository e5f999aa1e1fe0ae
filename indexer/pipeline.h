/*
 * pipeline.h: the batches of a source through several threads, and out again in order.
 *
 *      feed --batch--> [ slot: reader, analyzer -> harvest ] --harvest--> pour
 *       one thread              n threads, any order           the same one thread, in document order
 *
 * The one thread is one of the n: it harvests, too, while what is to be poured next is not there yet.
 *
 * What pour sees does not depend on the number of threads. A harvest that grows large is poured before its batch is
 * done, so memory stays bounded whatever a batch holds.
 */
#ifndef BS_INDEXER_PIPELINE_H
#define BS_INDEXER_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/words.h"
#include "corpus/source.h"
#include "indexer/gather.h"

struct bs_pipeline;

/* n_threads >= 1; with 1 everything runs on the caller's thread. words: NULL for none. options are borrowed. BS_INVALID
 * for an unknown stemmer, BS_NO_MEMORY. */
enum bs_status bs_pipeline_new(uint32_t n_threads, const struct bs_words_options *words,
                               const struct bs_source_options *options, struct bs_pipeline **pipeline_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* The pairs of words that are terms from now on; borrowed. NULL: none, as at first. */
void bs_pipeline_set_pairs(struct bs_pipeline *pipeline, const struct bs_word_pairs *pairs);
/* How the grams of files become rows from now on; borrowed. BS_NO_MEMORY. */
enum bs_status bs_pipeline_set_grams(struct bs_pipeline *pipeline, const struct bs_gram_plan *plan,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
void bs_pipeline_free(struct bs_pipeline *pipeline);

/* Takes a harvest: its documents and skips, in order. Not called twice with the same ones. source_bytes as in bs_batch.
 * A failure ends the run. */
typedef enum bs_status (*bs_pour_fn)(void *context, const struct bs_harvest *harvest, uint64_t source_bytes,
                                     struct bs_error *err);

/* Everything that the feed still has, poured. keep_raws: see bs_harvest. The first failure of feed, reader or pour. */
enum bs_status bs_pipeline_run(struct bs_pipeline *pipeline, const struct bs_source *source, struct bs_feed *feed,
                               bool keep_raws, bs_pour_fn pour, void *context, struct bs_error *err) BS_WARN_UNUSED;

#endif
