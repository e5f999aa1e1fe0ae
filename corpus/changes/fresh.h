/* fresh.h: a snapshot made the present truth, in memory: what `query --fresh` searches. */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/bitsift/skip.h"
#include "core/store/snapshot.h"

/* What has become of the sources since the commit: documents, and in n_unread the files, folders
 * and sources that could not be looked at, of which the index's word stays. */
struct bs_freshened {
	uint64_t n_new, n_changed, n_removed, n_unread;
};

/*
 * Looks at every source. Documents that are gone or changed are marked deleted; new and changed
 * ones become the snapshot's overlay, to be read whenever they are asked about. What deletion by id
 * keeps out stays out. The numbers that scores are made of stay those of the index. skipped
 * (nullable) is told of what cannot be a document, as in indexing, and of sources that are not
 * followed: of those the snapshot keeps what it has. BS_IO, BS_CORRUPT, BS_NO_MEMORY: the snapshot
 * is fit for nothing but bs_snapshot_deinit.
 */
enum bs_status bs_snapshot_freshen(struct bs_snapshot *snapshot,
                                   void (*skipped)(void *context, enum bs_skip reason,
                                                   const char *message),
                                   void *context, struct bs_freshened *freshened_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
