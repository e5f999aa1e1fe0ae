/*
 * delete.h: deletes documents of an index by id, and undoes deletions. A deleted document gets a
 * tombstone and an exclusion (exclusions.h). Undo removes the exclusion; the document is live again
 * at once if a segment still has it. Otherwise the next refresh reads it as a new document, except
 * a document of standard input, which is lost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"

/*
 * Appends every live document (of_deleted: every exclusion, BS_DOC_EXCLUDED) that has one of the
 * ids, in document order. An id is compared with local ids (bs_recorded_local_id) first; if no
 * document has it as its local id, it is compared with ids. found_out: n_ids flags, true if the id
 * matched a document. BS_CORRUPT, BS_NO_MEMORY, and statuses of the deadline.
 */
enum bs_status bs_delete_find(const struct bs_snapshot *snapshot, bool of_deleted,
                              const char *const *ids, size_t n_ids, bool *found_out,
                              struct bs_doc_refs *refs, struct bs_error *err) BS_WARN_UNUSED;

/* Changes the snapshot, in memory, so that only the excluded documents are live, which makes
 * deleted documents searchable. *places_out: for each exclusion the document in the changed
 * snapshot; segment BS_DOC_NONE if its text is lost. The caller frees *places_out, after a failure
 * too. BS_CORRUPT, BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_delete_show(struct bs_snapshot *snapshot, struct bs_doc_ref **places_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Calls tell with the local id of each document. BS_CORRUPT, BS_NO_MEMORY, and statuses of the
 * deadline. */
enum bs_status bs_delete_list(const struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                              size_t n_refs,
                              void (*tell)(void *context, const char *local_id,
                                           size_t local_id_bytes),
                              void *context, struct bs_error *err) BS_WARN_UNUSED;

/* Deletes live documents and writes a commit. snapshot: the last commit; the function marks the
 * documents as deleted in it. The caller holds the writer's lock. refs: without duplicates. After
 * BS_IO, BS_CORRUPT or BS_NO_MEMORY the index is unchanged. */
enum bs_status bs_delete_documents(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                                   size_t n_refs, struct bs_error *err) BS_WARN_UNUSED;

struct bs_undone {
	uint64_t n_to_read; /* documents that are not live again before the next refresh */
	uint64_t n_lost;    /* documents of standard input that are no longer in a segment */
};
/* Removes these exclusions, revives their documents as far as segments still have them, and writes
 * a commit. The snapshot, the lock and failures are as for bs_delete_documents. refs: documents of
 * segment BS_DOC_EXCLUDED, without duplicates. */
enum bs_status bs_delete_undo(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                              size_t n_refs, struct bs_undone *undone_out,
                              struct bs_error *err) BS_WARN_UNUSED;
