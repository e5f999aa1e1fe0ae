/*
 * prefix_check.h: what the bytes say of a collection whose fingerprint proves nothing: does it
 * begin with what was indexed, and which records stand behind it? They are read once for all
 * searchers of an index, for as long as the fingerprint stays.
 */
#pragma once

#include "core/store/snapshot.h"
#include "query/load/relocated.h"

/* Immutable, and shared by those who took it. */
struct bs_prefix_check {
	uint64_t fingerprint[4]; /* of the collection then */
	bool is_lasting;         /* another content would have another fingerprint */
	bool is_same;            /* what was indexed stands at the beginning, and then: */
	bool has_replaced;
	struct bs_relocated behind; /* the records behind it */
	/* documents whose ids stand once more there, or seem to, by their hashes */
	struct bs_doc_bits replaced;
	unsigned n_users; /* private */
};

/* Those of an index. Thread-safe. */
struct bs_prefix_checks;
/* snapshot is borrowed; it keeps its sources. */
enum bs_status bs_prefix_checks_new(const struct bs_snapshot *snapshot,
                                    struct bs_prefix_checks **proofs_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_prefix_checks_free(struct bs_prefix_checks *prefix_checks); /* none is in use */

/* That of a source, a collection which has the fingerprint now. Whoever asks while another thread
 * reads waits for its proof. reader is the caller's. NULL: it could not be read. */
const struct bs_prefix_check *bs_prefix_check_take(
	struct bs_prefix_checks *prefix_checks, uint32_t number, const struct bs_source *source,
	const struct bs_source_options *options, struct bs_reader *reader,
	const struct bs_fingerprint *fingerprint) BS_WARN_UNUSED;
/* NULL is fine */
void bs_prefix_check_release(struct bs_prefix_checks *prefix_checks,
                             const struct bs_prefix_check *prefix_check);
