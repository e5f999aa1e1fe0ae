/* fresh.h: updates a snapshot in memory to the current state of its sources, for `query
 * --fresh`. */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/bitsift/skip.h"
#include "core/store/snapshot.h"

/* Numbers of documents that are new, changed or removed since the commit. n_unread: number of
 * files, folders and sources that could not be read; the snapshot keeps their documents. */
struct bs_fresh_counts {
	uint64_t n_new, n_changed, n_removed, n_unread;
};

/*
 * Checks every followed source for changes, except standard input. Removed and changed documents
 * are marked deleted; new and changed ones become the snapshot's overlay, whose texts are read on
 * demand. Excluded documents stay excluded. Scores still use the statistics of the index. skipped
 * (nullable) receives what is skipped, as in indexing: files that cannot be documents, and sources
 * that are missing, unreadable or not followed; the snapshot keeps the documents of the last two.
 * After a failure the snapshot may only be passed to bs_snapshot_deinit.
 */
enum bs_status bs_snapshot_add_fresh(struct bs_snapshot *snapshot,
                                     void (*skipped)(void *context, enum bs_skip reason,
                                                     const char *message),
                                     void *context, struct bs_fresh_counts *freshened_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
