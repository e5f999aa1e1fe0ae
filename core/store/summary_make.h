/*
 * summary_make.h: makes the summary of a commit (summary.h) before the commit. It updates the
 * summary of the last commit for added and removed segments. It makes one from scratch if there is
 * none, if much has changed, or if the number of places has become too small or much too large.
 *
 * The place of a word (its bucket, see summary.h) is counted once for each segment with the word
 * (multiset.h). So adding or removing a segment needs only its own lexicon. Trigrams have no
 * counts: those of a removed segment are looked up in the sets of the other segments. Encoded lists
 * are copied unchanged to the next file until much has changed.
 */
#pragma once

#include "core/base/vector.h"
#include "core/store/snapshot.h"
#include "core/store/summary.h"

/* Maximum number of terms, over all segments, of an index with a summary. Making one takes 24 bytes
 * per term. */
#define BS_SUMMARY_MOST_TERMS (UINT64_C(1) << 26)

struct bs_summary_segment {
	uint64_t number;  /* file seg-NUMBER */
	uint64_t n_words; /* the number of its hashes in bs_summary_cache.hashes */
};

BS_VECTOR(bs_summary_segments, struct bs_summary_segment);

/* Word hashes of segments that were just built, so that their lexicons need not be read.
 * Zero-initialised it is empty. */
struct bs_summary_cache {
	struct bs_summary_segments segments;
	struct bs_u64s hashes; /* bs_hash_term of each word, segment by segment */
};
void bs_summary_cache_deinit(struct bs_summary_cache *cache);

/* Sets manifest->summary to the numbers of the two files: those of the last commit if they are
 * still correct, otherwise new files, which it writes; 0 if the index has no summary. The segments
 * of the manifest must have been written. If either file of the last commit is missing or damaged,
 * both are made from scratch. old: the last commit, open; NULL: none. cache: nullable. If this
 * takes more than memory_bytes, uses temporary files of dir, unless dir is an index in memory
 * without a folder; the result is the same. BS_CORRUPT, BS_IO, BS_NO_MEMORY. */
enum bs_status bs_summary_update(const struct bs_dir *dir, const struct bs_snapshot *old,
                                 const struct bs_summary_cache *cache, uint64_t memory_bytes,
                                 struct bs_manifest *manifest, struct bs_error *err) BS_WARN_UNUSED;

/* Checks that the summary of the snapshot, if it has one, and its counts equal those made from
 * scratch. BS_NOT_FOUND, BS_CORRUPT. file_out (nullable) is set to the summary's files, which the
 * caller closes; to zeros if there is no summary. */
enum bs_status bs_summary_verify(const struct bs_snapshot *snapshot,
                                 struct bs_summary_file *file_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
