/*
 * prefix_check.h: reads a collection whose fingerprint is racy or has changed, and finds whether it
 * still begins with the indexed bytes and which records follow them. The result is kept and shared
 * by all searchers of an index until the fingerprint changes; a result for a racy fingerprint is
 * not kept.
 */
#pragma once

#include "core/store/snapshot.h"
#include "query/load/relocated.h"

/* Immutable and shared. Each bs_prefix_check_take needs a bs_prefix_check_release. */
struct bs_prefix_check {
	uint64_t fingerprint[4]; /* The fingerprint of the collection when it was read. */
	/* The fingerprint was not racy, so a later change of the content also changes the
	 * fingerprint. */
	bool is_lasting;
	/* The collection still begins with the indexed bytes. Otherwise `behind` and `replaced` are
	 * empty. */
	bool is_same;
	bool has_replaced;          /* `replaced` is not empty. */
	struct bs_relocated behind; /* The records after the indexed bytes. */
	/* Documents whose ids occur again after the indexed bytes. Ids are compared by hash, so
	 * some of the documents may be false positives. */
	struct bs_doc_bits replaced;
	unsigned n_users; /* Private: the reference count. */
};

/* The prefix checks of all sources of an index. Thread-safe. */
struct bs_prefix_checks;
/* Creates the prefix checks, still empty, of the sources of a snapshot, which is borrowed.
 * BS_NO_MEMORY. */
enum bs_status bs_prefix_checks_new(const struct bs_snapshot *snapshot,
                                    struct bs_prefix_checks **proofs_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* The caller must have released every prefix check. NULL does nothing. */
void bs_prefix_checks_free(struct bs_prefix_checks *prefix_checks);

/* Returns the prefix check of source `number`, a collection that has `fingerprint` now. Reads the
 * collection unless a check for this fingerprint is kept. If another thread is reading the
 * collection, the call first waits until that thread has finished. reader belongs to the caller.
 * Returns NULL after any failure: the collection cannot be read, or the deadline is over. */
const struct bs_prefix_check *bs_prefix_check_take(
	struct bs_prefix_checks *prefix_checks, uint32_t number, const struct bs_source *source,
	const struct bs_source_options *options, struct bs_reader *reader,
	const struct bs_fingerprint *fingerprint) BS_WARN_UNUSED;
/* Call once for each bs_prefix_check_take. prefix_check may be NULL. */
void bs_prefix_check_release(struct bs_prefix_checks *prefix_checks,
                             const struct bs_prefix_check *prefix_check);
