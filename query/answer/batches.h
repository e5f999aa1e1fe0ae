/*
 * batches.h: hits are handed out many at once (bitsift/candidates.h): for hosts that take a hundred thousand and do little with each.
 */
#ifndef BS_QUERY_ANSWER_BATCHES_H
#define BS_QUERY_ANSWER_BATCHES_H

#include "core/base/doc_ref.h"
#include "core/bitsift/candidates.h"
#include "query/search/index_handle.h"

/* One thread. */
struct bs_batches;

/* That of the finder, made when it is first asked for, for hits to be handed to batch from now on. BS_NO_MEMORY. */
enum bs_status bs_batches_begin(struct bs_finder *finder, int (*batch)(void *context, const struct bs_hit_batch *batch), void *context,
                                struct bs_batches **batches_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_batches_free(struct bs_batches *batches);

/* Hands out what is full, and, with the last hit, the rest. BS_STOPPED (*refused_out: by the callback), BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_batches_add(struct bs_batches *batches, struct bs_doc_ref ref, bool is_candidate, struct bs_error *err)
	BS_WARN_UNUSED;
enum bs_status bs_batches_flush(struct bs_batches *batches, struct bs_error *err) BS_WARN_UNUSED;
/* Whether the callback wanted no more. */
bool bs_batches_is_refused(const struct bs_batches *batches);

#endif
