/*
 * id_ends.h: any document of a snapshot by its id, however it is called. How an id begins depends
 * on where one is; how it ends, behind the last slash, '#' or ':', does not: by these ends
 * documents are found, once one pass over them all has made tables of ids (id_table.h) of them.
 * Documents of standard input alone are found without: id_lookup.h.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "corpus/read/source.h"

/* Zero-initialise; release with bs_id_ends_deinit. One thread. */
struct bs_id_ends {
	/* borrowed, and not marked meanwhile; NULL: not made yet */
	const struct bs_snapshot *snapshot;
	struct bs_source *sources;
	struct bs_id_table *tables; /* one a segment, and one of the overlay */
	struct bs_buffer id;
};
/* BS_CORRUPT, BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED: then there are none. */
enum bs_status bs_id_ends_init(struct bs_id_ends *ends, const struct bs_snapshot *snapshot,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_id_ends_deinit(struct bs_id_ends *ends);
/* The live document with words that is called so here, or if there is none, whose id it is; of
 * several the first in document order. ref_out->segment is BS_DOC_NONE if there is none.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_id_ends_find(struct bs_id_ends *ends, const void *id, size_t id_bytes,
                               struct bs_doc_ref *ref_out, struct bs_error *err) BS_WARN_UNUSED;
