/* gram_choice.h: which grams are frequent, hence the plan of their rows (gram_sketch.h). As
 * word_pair_choice.h. */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "indexer/batch/gram_sketch.h"
#include "indexer/choose/sample.h"

/* Bytes of files to sample from each source. */
#define BS_GRAM_SAMPLE_BYTES (24u << 20)

/* Makes a plan, for bs_gram_plan_deinit also after a failure, by a sample of files, or of texts of
 * records. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_choose(bs_give_sample_fn give, void *context, bool of_records,
                                   struct bs_gram_plan *plan, struct bs_error *err) BS_WARN_UNUSED;
/* The same by the largest segment. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot,
                                        struct bs_gram_plan *plan,
                                        struct bs_error *err) BS_WARN_UNUSED;
