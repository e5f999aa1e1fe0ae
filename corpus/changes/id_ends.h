/*
 * id_ends.h: finds any document of a snapshot by its id or its local id. The end of an id, after
 * its last slash, '#' or ':', does not depend on the working directory, unlike its beginning. So
 * hash tables of these ends (id_table.h) are made in one pass over all documents. id_lookup.h finds
 * documents of standard input without that pass.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "corpus/read/source.h"

/* Zero-initialise; release with bs_id_ends_deinit. One thread. */
struct bs_id_ends {
	/* borrowed; no document of it may be marked deleted until deinit; NULL: not initialised */
	const struct bs_snapshot *snapshot;
	struct bs_source *sources;
	struct bs_id_table *tables; /* one for each segment, and one for the overlay */
	/* scratch */
	struct bs_buffer id;
};
/* Prepares for lookups in a snapshot, in one pass over its documents. On failure *ends is released.
 * BS_CORRUPT, BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_id_ends_init(struct bs_id_ends *ends, const struct bs_snapshot *snapshot,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_id_ends_deinit(struct bs_id_ends *ends);
/* Finds the live document whose local id equals id, or else the live document whose id does; of
 * several, the first in document order. Rows of collections are ignored. ref_out->segment is
 * BS_DOC_NONE if there is none. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_id_ends_find(struct bs_id_ends *ends, const void *id, size_t id_bytes,
                               struct bs_doc_ref *ref_out, struct bs_error *err) BS_WARN_UNUSED;
