/*
 * gram_choice.h: which grams are frequent, and so the plan of a run (gram_sketch.h). A new index looks at a sample of its
 * sources first; a refresh and a compaction go on with what the largest segment has.
 */
#ifndef BS_INDEXER_CHOOSE_GRAM_CHOICE_H
#define BS_INDEXER_CHOOSE_GRAM_CHOICE_H

#include "core/store/snapshot.h"
#include "corpus/read/source.h"
#include "indexer/batch/gram_sketch.h"

/* Makes a plan, for bs_gram_plan_deinit also after a failure, by a sample of the files of the manifest's sources (sample.h).
 * BS_NO_MEMORY. */
enum bs_status bs_gram_plan_choose(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                   const struct bs_source_options *options, struct bs_gram_plan *plan,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* The same by the largest segment. BS_CORRUPT, too. */
enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot, struct bs_gram_plan *plan,
                                        struct bs_error *err) BS_WARN_UNUSED;

#endif
