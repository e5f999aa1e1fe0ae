/*
 * delete.h: documents out of an index, though their sources still have them. They get tombstones, and are recorded as
 * exclusions (exclusions.h), so that the next refresh does not bring them back.
 */
#ifndef BS_CORPUS_CHANGES_DELETE_H
#define BS_CORPUS_CHANGES_DELETE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/file/dir.h"
#include "core/store/snapshot.h"

/* Deletes live documents of the last commit, which is open as snapshot (and gets marked) with the writer's lock held, and
 * commits. refs: each one once. BS_IO, BS_CORRUPT, BS_NO_MEMORY: nothing is changed. */
enum bs_status bs_delete_documents(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs, size_t n_refs,
                                   struct bs_error *err) BS_WARN_UNUSED;

/*
 * Takes the lock and deletes every document that bears one of the ids. found_out: n_ids flags, which of them
 * some document bore. *n_deleted_out may be 0: then nothing is written. BS_NOT_FOUND (no index), BS_BUSY, and as above.
 */
enum bs_status bs_delete_ids(struct bs_dir *dir, bool wait, const char *const *ids, size_t n_ids, bool *found_out,
                             uint64_t *n_deleted_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
