/*
 * pipeline.h: passes the batches of a source through several threads, and merges them in order.
 *
 *      feed --batch--> [ slot: reader, tokenizer -> analysed batch ] --analysed batch--> merge
 *       caller's thread       n threads, any order                      caller's thread, in order
 *
 * The caller's thread is one of the n: it also analyses batches while the next one to merge is not
 * ready.
 *
 * The input of merge does not depend on the number of threads. An analysed batch that grows large
 * is merged before its batch is finished, so memory is bounded for any batch.
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

/* Creates a pipeline. n_threads: at least 1; with 1, all work is done on the caller's thread.
 * words: NULL if words are not indexed. weights: weights of fields (field_weights.h), borrowed, as
 * are options. BS_INVALID for an unknown stemmer, BS_NO_MEMORY. */
enum bs_status bs_pipeline_new(uint32_t n_threads, const struct bs_tokenizer_options *words,
                               char *const *weights, const struct bs_source_options *options,
                               struct bs_pipeline **pipeline_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Sets the word pairs that are indexed from now on; borrowed. NULL, as initially: none. */
void bs_pipeline_set_word_pairs(struct bs_pipeline *pipeline, const struct bs_word_pairs *pairs);
/* From now on makes gram rows of files, of records, or of both, by a plan (borrowed).
 * BS_NO_MEMORY. */
enum bs_status bs_pipeline_set_grams(struct bs_pipeline *pipeline, const struct bs_gram_plan *plan,
                                     bool of_files, bool of_records,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* The tokenizer and the sketch of records' grams that belong to the caller's thread, which may use
 * them while the pipeline does not run. NULL if words, or grams of records, are not indexed.
 * Borrowed. */
struct bs_tokenizer *bs_pipeline_words(const struct bs_pipeline *pipeline);
struct bs_gram_sketch *bs_pipeline_record_grams(const struct bs_pipeline *pipeline);
/* NULL is allowed. */
void bs_pipeline_free(struct bs_pipeline *pipeline);

/* Merges an analysed batch: its documents and skips, in order. The analysed batch may be only a
 * part of `batch`, from which it was read; is_last: it is the last part. A failure ends the run. */
typedef enum bs_status (*bs_merge_fn)(void *context, const struct bs_term_batch *term_batch,
                                      const struct bs_batch *batch, bool is_last,
                                      struct bs_error *err);

/* Passes everything that the feed of any source yields to `merge`. keep_raws: see struct
 * bs_term_batch. Returns the first failure of feed, reader or merge. */
enum bs_status bs_pipeline_run(struct bs_pipeline *pipeline, struct bs_feed *feed, bool keep_raws,
                               bs_merge_fn merge, void *context,
                               struct bs_error *err) BS_WARN_UNUSED;
