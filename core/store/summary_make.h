/*
 * summary_make.h: makes the summary of a commit (summary.h), before the commit: from that of the
 * commit before by what came and went, or from scratch where there is none, or it has become too
 * small or much too large.
 *
 * A place counts once for each word of each segment that has it (multiset.h), so that a segment
 * comes or goes with its own lexicon alone, and nobody looks at those of the rest; of trigrams,
 * what a segment had is looked up in the sets of the others. What there was goes into the next file
 * as it is, until much has changed.
 */
#pragma once

#include "core/base/vector.h"
#include "core/store/snapshot.h"
#include "core/store/summary.h"

/* An index whose segments have more terms in all has no summary: making it would take 24 bytes a
 * term. */
#define BS_SUMMARY_MOST_TERMS (UINT64_C(1) << 26)

struct bs_summary_segment {
	uint64_t number;
	uint64_t n_words;
};

BS_VECTOR(bs_summary_segments, struct bs_summary_segment);

/* Of segments that were just built, what their lexicons would have to be read for. Zeros: nothing
 * is known. */
struct bs_summary_cache {
	struct bs_summary_segments segments;
	struct bs_u64s hashes; /* bs_hash_term of each word, segment by segment */
};
void bs_summary_cache_deinit(struct bs_summary_cache *cache);

/* Sets both numbers of manifest->summary to what belongs to its segments, which are written: to the
 * files of the commit before if these are right, or to new ones, written here; 0 if there are to be
 * none. Where either of those files is missing or damaged, both are made anew. old: that commit,
 * opened; NULL: none. known: nullable. If this takes more than memory_bytes, temporary files of dir
 * are used instead of memory, unless dir is an index in memory without a folder; the result is the
 * same. BS_CORRUPT, BS_IO, BS_NO_MEMORY. */
enum bs_status bs_summary_settle(const struct bs_dir *dir, const struct bs_snapshot *old,
                                 const struct bs_summary_cache *cache, uint64_t memory_bytes,
                                 struct bs_manifest *manifest, struct bs_error *err) BS_WARN_UNUSED;

/* That the summary of the snapshot, if it has one, and its counts are what is made from scratch.
 * BS_NOT_FOUND, BS_CORRUPT. *file_out, nullable, is to be closed: zeros if there is none. */
enum bs_status bs_summary_verify(const struct bs_snapshot *snapshot,
                                 struct bs_summary_file *file_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
