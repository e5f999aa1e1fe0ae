/*
 * delete.h: documents out of an index by hand, and back again. A deleted document gets a tombstone
 * and an exclusion (exclusions.h); undone, the exclusion goes, and the document too is live again
 * if a segment still has it. Else it is new to the next refresh, which reads it; text that stood in
 * the index alone is lost then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"

/*
 * Appends every live document (of_deleted: every exclusion, BS_DOC_EXCLUDED) that bears one of the
 * ids, in document order. An id means the documents that are called so here (bs_recorded_local_id),
 * or if there are none, those whose id it is. found_out: n_ids flags, whether there were any.
 * BS_CORRUPT, BS_NO_MEMORY.
 */
enum bs_status bs_delete_find(const struct bs_snapshot *snapshot, bool of_deleted,
                              const char *const *ids, size_t n_ids, bool *found_out,
                              struct bs_doc_refs *refs, struct bs_error *err) BS_WARN_UNUSED;

/* Turns the snapshot inside out, in memory, for a search of what was deleted: that is live, and
 * nothing else. *places_out, to be freed, has for each exclusion the document that it is there;
 * segment BS_DOC_NONE: it is lost. */
enum bs_status bs_delete_show(struct bs_snapshot *snapshot, struct bs_doc_ref **places_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Calls tell with the local id of each. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_delete_list(const struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                              size_t n_refs,
                              void (*tell)(void *context, const char *local_id,
                                           size_t local_id_bytes),
                              void *context, struct bs_error *err) BS_WARN_UNUSED;

/* Deletes live documents of the last commit, which is open as snapshot (and gets marked) with the
 * writer's lock held, and commits. refs: each one once. BS_IO, BS_CORRUPT, BS_NO_MEMORY: nothing is
 * changed. */
enum bs_status bs_delete_documents(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                                   size_t n_refs, struct bs_error *err) BS_WARN_UNUSED;

struct bs_undone {
	uint64_t n_to_read; /* live again after a refresh; the others are at once */
	uint64_t n_lost;    /* came from standard input, and no segment has them any more */
};
/* Takes exclusions back, and commits. refs: BS_DOC_EXCLUDED, each once. The rest as above. */
enum bs_status bs_delete_undo(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                              size_t n_refs, struct bs_undone *undone_out,
                              struct bs_error *err) BS_WARN_UNUSED;
