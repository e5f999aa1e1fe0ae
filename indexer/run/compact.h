/*
 * compact.h: many small segments into fewer large ones, and deleted documents out of them.
 *
 * The live documents of the chosen segments are read again and made into new segments. A document whose text is not, by
 * checksum, what was indexed stays where it is, so that a compaction never changes what a query finds; only scores move,
 * since N, df and the mean length no longer count what was deleted.
 */
#ifndef BS_INDEXER_RUN_COMPACT_H
#define BS_INDEXER_RUN_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/manifest.h"
#include "core/base/status.h"
#include "indexer/run/indexer.h"

/* Which segments to merge, and how much of them. */
struct bs_compaction {
	bool *chosen;        /* one a segment of the manifest, on the heap */
	uint32_t n_chosen;   /* 0: nothing is to be done */
	uint64_t text_bytes; /* documents are moved until they make up this much; UINT64_MAX: all of them */
};

/*
 * What is due after a commit, in bounded work; see compact.c for the rule. is_all: everything that makes the index
 * smaller or the number of segments less. Free chosen. BS_NO_MEMORY.
 */
enum bs_status bs_compaction_plan(const struct bs_manifest *manifest, bool is_all, struct bs_compaction *plan_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Does what is due, as a commit of its own. The lock is held. Adds to the report: n_compacted, n_moved, n_stayed,
 * compacted_bytes, and with is_all the sources that are not followed. Errors as bs_index_build; the index is as it was after them. */
enum bs_status bs_compact(const struct bs_build_request *request, const struct bs_dir *dir, bool is_all, struct bs_build_report *report,
                          struct bs_error *err) BS_WARN_UNUSED;

#endif
