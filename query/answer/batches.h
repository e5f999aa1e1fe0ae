/*
 * batches.h: hits are handed out many at once (bitsift/candidates.h): for hosts that take a hundred
 * thousand and do little with each.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/bitsift/search_result.h"
#include "query/answer/hit_assembly.h"

/* One thread. */
struct bs_batches;

/* Where hits come from and go to. Borrowed. */
struct bs_batch_target {
	struct bs_loader *loader;
	struct bs_hit_assembly *assembly; /* memory for names */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	void *context;
};

/* Prepares batches, made if *batches is NULL, for hits of a target. BS_NO_MEMORY. */
enum bs_status bs_batches_begin(struct bs_batches **batches, const struct bs_batch_target *target,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_batches_free(struct bs_batches *batches); /* NULL is fine */

/* Adds a hit and hands out a batch if it is full; flush hands out the rest. BS_STOPPED, BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_batches_add(struct bs_batches *batches, struct bs_doc_ref ref, bool is_candidate,
                              struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_batches_flush(struct bs_batches *batches, struct bs_error *err) BS_WARN_UNUSED;
/* Whether the callback wanted no more. */
bool bs_batches_is_refused(const struct bs_batches *batches);
