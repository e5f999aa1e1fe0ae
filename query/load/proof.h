/*
 * proof.h: what the bytes say of a collection whose stamp proves nothing: does it begin with what was indexed, and which
 * records stand behind it? They are read once for all finders of an index, for as long as the stamp stays.
 */
#pragma once

#include "core/store/snapshot.h"
#include "query/load/moved.h"

/* Immutable, and shared by those who took it. */
struct bs_proof {
	uint64_t stamp[4];           /* of the collection then */
	bool is_lasting;             /* another content would have another stamp */
	bool is_same;                /* what was indexed stands at the beginning, and then: */
	bool has_replaced;
	struct bs_moved behind;      /* the records behind it */
	struct bs_doc_bits replaced; /* documents whose ids stand once more there, or seem to, by their hashes */
	unsigned n_users;            /* private */
};

/* Those of an index. Thread-safe. */
struct bs_proofs;
/* snapshot is borrowed; it keeps its sources. */
enum bs_status bs_proofs_new(const struct bs_snapshot *snapshot, struct bs_proofs **proofs_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_proofs_free(struct bs_proofs *proofs); /* none is in use */

/* That of a source, a collection which has the stamp now. Whoever asks while another thread reads waits for its proof.
 * reader is the caller's. NULL: it could not be read. */
const struct bs_proof *bs_proof_take(struct bs_proofs *proofs, uint32_t number, const struct bs_source *source,
                                     const struct bs_source_options *options, struct bs_reader *reader,
                                     const struct bs_stamp *stamp) BS_WARN_UNUSED;
void bs_proof_release(struct bs_proofs *proofs, const struct bs_proof *proof); /* NULL is fine */
