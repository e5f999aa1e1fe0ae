/*
 * batches.h: passes hits to the caller in batches (struct bs_hit_batch), for hosts that receive a
 * hundred thousand hits and do little with each.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/bitsift/search_result.h"
#include "query/answer/hit_assembly.h"

/* Used by one thread. */
struct bs_batches;

/* The loader that names the hits, and the function that receives them. All members are borrowed. */
struct bs_batch_target {
	struct bs_loader *loader;
	struct bs_hit_assembly *assembly; /* Scratch memory for names. */
	/* Receives the hits. Returns 0 to continue; any other value stops the search. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	void *context;
};

/* Prepares for the hits of a target. Allocates *batches if it is NULL. BS_NO_MEMORY. */
enum bs_status bs_batches_begin(struct bs_batches **batches, const struct bs_batch_target *target,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_batches_free(struct bs_batches *batches); /* NULL does nothing. */

/* bs_batches_add adds a hit and passes on the batch when it is full; bs_batches_flush passes on the
 * rest. is_candidate: the document may match, but this is not certain. BS_STOPPED (the callback
 * asked to stop), BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_batches_add(struct bs_batches *batches, struct bs_doc_ref ref, bool is_candidate,
                              struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_batches_flush(struct bs_batches *batches, struct bs_error *err) BS_WARN_UNUSED;
/* Whether the callback asked to stop. batches may be NULL. */
bool bs_batches_is_refused(const struct bs_batches *batches);
