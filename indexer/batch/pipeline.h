/*
 * pipeline.h: the batches of a source through several threads, and out again in order.
 *
 *      feed --batch--> [ slot: reader, analyzer -> analysed batch ] --analysed batch--> merge
 *       one thread              n threads, any order           the same one thread, in document
 *         order
 *
 * The one thread is one of the n: it analyses batches, too, while what is to be merged next is not
 * there yet.
 *
 * What merge sees does not depend on the number of threads. An analysed batch that grows large is
 * merged before its batch is done, so memory stays bounded whatever a batch holds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"
#include "indexer/batch/indexing_buffer.h"

struct bs_pipeline;

/* n_threads >= 1; with 1 everything runs on the caller's thread. words: NULL for none. weights (of
 * fields: field_weights.h) and options are borrowed. BS_INVALID for an unknown stemmer,
 * BS_NO_MEMORY. */
enum bs_status bs_pipeline_new(uint32_t n_threads, const struct bs_tokenizer_options *words,
                               char *const *weights, const struct bs_source_options *options,
                               struct bs_pipeline **pipeline_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* The pairs of words that are terms from now on; borrowed. NULL: none, as at first. */
void bs_pipeline_set_word_pairs(struct bs_pipeline *pipeline, const struct bs_word_pairs *pairs);
/* How the grams of files, or of records, become rows from now on; borrowed. BS_NO_MEMORY. */
enum bs_status bs_pipeline_set_grams(struct bs_pipeline *pipeline, const struct bs_gram_plan *plan,
                                     bool of_files, bool of_records,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* What the caller's thread works with, and may use while nothing runs: the analyzer (NULL without
 * words), what makes rows of the grams of records (NULL: they have none). Borrowed. */
struct bs_tokenizer *bs_pipeline_words(const struct bs_pipeline *pipeline);
struct bs_gram_sketch *bs_pipeline_record_grams(const struct bs_pipeline *pipeline);
/* NULL is fine. */
void bs_pipeline_free(struct bs_pipeline *pipeline);

/* Merges an analysed batch: its documents and skips, in order. Not called twice with the same ones;
 * is_last: batch, which is what it was read from, has no more of them. A failure ends the run. */
typedef enum bs_status (*bs_merge_fn)(void *context, const struct bs_term_batch *term_batch,
                                      const struct bs_batch *batch, bool is_last,
                                      struct bs_error *err);

/* Everything that the feed still has, merged: of whatever source each batch is. keep_raws: see
 * bs_term_batch. First failure of feed, reader or merge. */
enum bs_status bs_pipeline_run(struct bs_pipeline *pipeline, struct bs_feed *feed, bool keep_raws,
                               bs_merge_fn merge, void *context,
                               struct bs_error *err) BS_WARN_UNUSED;
