/* fresh.h: updates a snapshot in memory to the current state of its sources, for `query
 * --fresh`. */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/bitsift/skip.h"
#include "core/store/snapshot.h"

/* Numbers of documents that are new, changed or removed since the commit. n_unread: number of
 * files, folders and sources that could not be checked; the snapshot keeps their documents. */
struct bs_fresh_counts {
	uint64_t n_new, n_changed, n_removed, n_unread;
};

/*
 * Checks every source for changes. Removed and changed documents are marked deleted; new and
 * changed ones become the snapshot's overlay, whose texts are read on demand. Excluded documents
 * stay excluded. Scores still use the statistics of the index. skipped (nullable) receives files
 * that cannot be documents, as in indexing, and sources that are not followed, whose documents the
 * snapshot keeps. After BS_IO, BS_CORRUPT or BS_NO_MEMORY the snapshot may only be passed to
 * bs_snapshot_deinit.
 */
enum bs_status bs_snapshot_add_fresh(struct bs_snapshot *snapshot,
                                     void (*skipped)(void *context, enum bs_skip reason,
                                                     const char *message),
                                     void *context, struct bs_fresh_counts *freshened_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
