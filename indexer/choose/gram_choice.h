/* gram_choice.h: chooses which grams are frequent, and makes the plan for rows (gram_sketch.h) from
 * them. Runs for a new or small index (bs_snapshot_is_small) use a sample of documents, other runs
 * the plan of the largest segment. */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "indexer/batch/gram_sketch.h"
#include "indexer/choose/sample.h"

/* Bytes of files that are sampled from each source. */
#define BS_GRAM_SAMPLE_BYTES (24u << 20)

/* Makes a plan for files, or for records (of_records), from a sample. Release it with
 * bs_gram_plan_deinit, after a failure too. BS_NO_MEMORY, and statuses of give. */
enum bs_status bs_gram_plan_choose(bs_give_sample_fn give, void *context, bool of_records,
                                   struct bs_gram_plan *plan, struct bs_error *err) BS_WARN_UNUSED;
/* Makes the plan of the largest segment; release it with bs_gram_plan_deinit, after a failure too.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot,
                                        struct bs_gram_plan *plan,
                                        struct bs_error *err) BS_WARN_UNUSED;
