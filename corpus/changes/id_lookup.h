/*
 * id_lookup.h: the live document of a snapshot that bears an id, among those of standard input and
 * those that were given: of one source, so that there is one at most. It does not pass by all of
 * them, unless a segment has no table of ids (id_table.h) and they do not ascend: then once, to
 * make one.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"

struct bs_id_lookup_segment;

/* Zero-initialise; release with bs_id_lookup_deinit. One thread. */
struct bs_id_lookup {
	const struct bs_snapshot *snapshot;    /* borrowed; NULL: not made yet */
	uint32_t number;                       /* of the source */
	struct bs_id_lookup_segment *segments; /* those that have documents of it */
	uint32_t n_segments;
	struct bs_buffer id;
};
/* BS_NO_MEMORY. */
enum bs_status bs_id_lookup_init(struct bs_id_lookup *ids, const struct bs_snapshot *snapshot,
                                 uint32_t number, struct bs_error *err) BS_WARN_UNUSED;
void bs_id_lookup_deinit(struct bs_id_lookup *ids);
/* ref_out->segment is BS_DOC_NONE if there is none; record_out nullable. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_id_lookup_find(struct bs_id_lookup *ids, const void *id, size_t id_bytes,
                                 struct bs_doc_ref *ref_out, struct bs_doc_record *record_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
