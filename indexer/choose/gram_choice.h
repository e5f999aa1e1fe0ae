/*
 * gram_choice.h: which grams are frequent, and so the plan of a run (gram_sketch.h). A new index looks at a sample of its
 * sources first; a refresh and a compaction go on with what the largest segment has.
 */
#ifndef BS_INDEXER_CHOOSE_GRAM_CHOICE_H
#define BS_INDEXER_CHOOSE_GRAM_CHOICE_H

#include "core/store/snapshot.h"
#include "corpus/read/source.h"
#include "indexer/batch/gram_sketch.h"

struct bs_gram_bucket_count {
	uint32_t df;   /* files that have a gram of it */
	uint32_t last; /* of those, counted from 1 */
};

/* A sample in the making. Zero-initialise; release with bs_gram_sample_deinit. */
struct bs_gram_sample {
	struct bs_gram_plan plan; /* of which all grams are rare */
	struct bs_gram_sketch *sketch;
	struct bs_buffer folded;
	uint32_t *dfs; /* by trigram: files that have it */
	struct bs_gram_bucket_count *buckets; /* of longer grams */
	uint64_t n_in_buckets;                /* the sum of their dfs */
	uint32_t n_docs;
};
void bs_gram_sample_deinit(struct bs_gram_sample *sample);

/* Adds some of the files of a folder, or the file; nothing of other sources. */
enum bs_status bs_gram_sample_source(struct bs_gram_sample *sample, const struct bs_source *source,
                                     const struct bs_source_options *options, struct bs_error *err) BS_WARN_UNUSED;

/* Make a plan, for bs_gram_plan_deinit also after a failure. BS_NO_MEMORY. */
enum bs_status bs_gram_sample_choose(const struct bs_gram_sample *sample, struct bs_gram_plan *plan,
                                     struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot, struct bs_gram_plan *plan,
                                        struct bs_error *err) BS_WARN_UNUSED;

#endif
