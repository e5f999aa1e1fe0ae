/*
 * id_lookup.h: finds the live document of a snapshot with a given id in one source: standard input
 * or in-memory documents, where ids are unique. A segment is searched by its table of ids
 * (id_table.h) or, if its ids ascend, by binary search. For any other segment a table is made once,
 * in one pass.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"

struct bs_id_lookup_segment;

/* Zero-initialise; release with bs_id_lookup_deinit. One thread. */
struct bs_id_lookup {
	const struct bs_snapshot *snapshot; /* borrowed; NULL: not initialised */
	uint32_t number;                    /* number of the source in the manifest */
	/* segments with documents of the source, ascending */
	struct bs_id_lookup_segment *segments;
	uint32_t n_segments;
	/* scratch */
	struct bs_buffer id;
};
/* BS_NO_MEMORY. */
enum bs_status bs_id_lookup_init(struct bs_id_lookup *ids, const struct bs_snapshot *snapshot,
                                 uint32_t number, struct bs_error *err) BS_WARN_UNUSED;
void bs_id_lookup_deinit(struct bs_id_lookup *ids);
/* Finds the live document with this id. ref_out->segment: BS_DOC_NONE if no live document has the
 * id. record_out is nullable. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_id_lookup_find(struct bs_id_lookup *ids, const void *id, size_t id_bytes,
                                 struct bs_doc_ref *ref_out, struct bs_doc_record *record_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
