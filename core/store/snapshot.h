/*
 * snapshot.h: an open commit: its manifest, segments, tombstones and exclusions.
 *
 * A snapshot keeps the files that it opened, even if a writer replaces or removes them. It is
 * immutable once it is shared, and any number of threads may use it. Before that, its owner may
 * change it in memory: the indexer marks the documents that a refresh found deleted. `query
 * --fresh` also does this, and adds an overlay: documents that are in no segment. These changes are
 * not on disk.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/collections/term_table.h"
#include "core/store/doc_table.h"
#include "core/store/manifest.h"
#include "core/store/segment.h"
#include "core/store/summary.h"

/* The deleted documents of each segment and of the overlay, which is the last entry. */
struct bs_snapshot_tombstones {
	struct bs_container **files; /* one per segment; NULL: none deleted on disk */
	/* bit d % 8 of byte d / 8: document d is deleted; NULL: none */
	const uint8_t **bits;
	uint8_t **changed; /* owned; equals `bits` if changed in memory, otherwise NULL */
};

/* The documents that were deleted by id. They stay excluded until they change. */
struct bs_snapshot_exclusions {
	struct bs_container *file; /* NULL: nothing is excluded */
	struct bs_doc_table table;
};

/* Opens the exclusions of a commit, which may have none. Release with bs_exclusions_close, also
 * after a failure. Failures as bs_container_open. */
enum bs_status bs_exclusions_open(struct bs_snapshot_exclusions *exclusions,
                                  const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_exclusions_close(struct bs_snapshot_exclusions *exclusions);

/* Documents in memory only, added after opening and before the snapshot is shared. */
struct bs_snapshot_overlay {
	struct bs_doc_table_builder docs;
	/* names of the fields in which documents of the overlay have numbers or dates */
	struct bs_term_table value_names;
};

/* Totals over the segments of documents, for scores. Segments of rows are not counted. */
struct bs_snapshot_totals {
	uint32_t n_word_segments;
	uint64_t n_docs; /* including deleted documents, as scores count them */
	/* Documents that are not deleted. The code that changes the snapshot in memory
	 * (corpus/changes) updates it; it then includes the overlay. */
	uint64_t n_live_docs;
	uint64_t n_positions;
};

struct bs_snapshot {
	const struct bs_dir *dir; /* borrowed */
	/* Texts of documents that are not stored; set by the caller. Borrowed, nullable. */
	const struct bs_text_provider *texts;
	struct bs_manifest manifest;
	struct bs_segment *segments; /* manifest.n_segments */
	struct bs_snapshot_tombstones tombstones;
	struct bs_snapshot_exclusions exclusions;
	struct bs_summary_file summary; /* zeros, unless bs_snapshot_use_summary found one */
	struct bs_snapshot_overlay overlay;
	struct bs_snapshot_totals totals;
};

/* Opens the last commit into the caller's struct. Release with bs_snapshot_deinit; dir is borrowed
 * until then. BS_NOT_FOUND: no index. Other failures as bs_container_open. */
enum bs_status bs_snapshot_open(const struct bs_dir *dir, struct bs_snapshot *snapshot_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Opens a manifest that is not committed, as bs_snapshot_open opens the last commit. Takes over the
 * manifest, also if it fails. */
enum bs_status bs_snapshot_open_as(const struct bs_dir *dir, struct bs_manifest *manifest,
                                   struct bs_snapshot *snapshot_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_snapshot_deinit(struct bs_snapshot *snapshot);
/* Closes the file descriptors; the files stay mapped. Call before the snapshot is shared. */
void bs_snapshot_close_files(struct bs_snapshot *snapshot);
/* Commits the manifest (bs_manifest_write), after checking that each new file that it names can be
 * opened. before: the previous commit; NULL: none, or all files are new. After a failure the
 * previous commit stays, unless only syncing the directory failed. */
enum bs_status bs_snapshot_commit(const struct bs_dir *dir, const struct bs_manifest *before,
                                  const struct bs_manifest *manifest,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Keeps decoded names in `spill` (core/file/spill.h, borrowed), which limits their memory, for a
 * run that may read all names. Call before any name is read. */
void bs_snapshot_use_spill(struct bs_snapshot *snapshot, struct bs_spill *spill);

/* Opens the summary of the commit, if it has one and at least least_segments segments of documents.
 * A damaged summary is ignored. BS_IO, BS_UNTRUSTED, BS_NO_MEMORY. */
enum bs_status bs_snapshot_use_summary(struct bs_snapshot *snapshot, uint32_t least_segments,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* least_segments for a caller that has already consulted the summary (a catalog does so before it
 * opens the index). The summary rules out nothing more, but one look-up in it is still cheaper than
 * look-ups in this many segments. */
#define BS_SUMMARY_MANY_SEGMENTS 6u

/* Whether some segment may have the term with this key (lexicon.h), by the summary. True if no
 * summary is open, if it is damaged, and for bigrams and word pairs. hash is bs_hash_term of the
 * key. */
enum bs_status bs_snapshot_may_have(const struct bs_snapshot *snapshot, const uint8_t *key,
                                    uint64_t hash, bool *may_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

static inline bool bs_snapshot_is_deleted(const struct bs_snapshot *snapshot, uint32_t segment,
                                          uint32_t document)
{
	const uint8_t *bits = snapshot->tombstones.bits[segment];
	return bits && (bits[document / 8] >> (document % 8) & 1);
}

/* The number of documents of a segment or of the overlay, live or not. */
static inline uint32_t bs_snapshot_segment_docs(const struct bs_snapshot *snapshot,
                                                uint32_t segment)
{
	return segment < snapshot->manifest.n_segments
	               ? (uint32_t)snapshot->segments[segment].meta.n_docs
	               : snapshot->overlay.docs.n_docs;
}

/* Whether a segment, or the overlay, has documents. Otherwise it is a segment of rows (collections
 * as files), which only searches of files use. */
static inline bool bs_snapshot_has_words(const struct bs_snapshot *snapshot, uint32_t segment)
{
	return segment >= snapshot->manifest.n_segments ||
	       !snapshot->manifest.segments[segment].is_rows;
}

/* Whether the segment has documents whose text is not in the index (BS_DOC_NOT_STORED). */
static inline bool bs_snapshot_has_external_texts(const struct bs_snapshot *snapshot,
                                                  uint32_t segment)
{
	return bs_container_features(snapshot->segments[segment].file) & BS_FEATURE_NOT_STORED;
}

/* Reads the record of a document, which may be deleted. record_out->name is borrowed from the
 * snapshot. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_record(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                  struct bs_doc_record *record_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Reads the source of a document and, if it is a file in a folder, its name, but perhaps no other
 * fields of the record. Faster than bs_snapshot_record. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_name(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                struct bs_doc_record *record_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Whether some document may have a number or a date in the field. True if a segment of an earlier
 * program does not record this. BS_CORRUPT. */
enum bs_status bs_snapshot_has_values(const struct bs_snapshot *snapshot, const uint8_t *name,
                                      uint32_t name_bytes, bool *has_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Whether the field has values and all of them are known to be dates; then no range of numbers
 * matches. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_has_dates_alone(const struct bs_snapshot *snapshot, const uint8_t *name,
                                           uint32_t name_bytes, bool *has_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Whether some document may have a number or a date in any field. */
bool bs_snapshot_has_some_values(const struct bs_snapshot *snapshot);

/* Changes in memory, by the owner. */

/* Marks a document of a segment or the overlay as deleted, or as live. BS_NO_MEMORY. */
enum bs_status bs_snapshot_mark(struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                bool is_deleted, struct bs_error *err) BS_WARN_UNUSED;
/* The number of live documents in [first, end) of a segment. */
uint32_t bs_snapshot_n_live(const struct bs_snapshot *snapshot, uint32_t segment, uint32_t first,
                            uint32_t end);
/* The number of documents of the segment that are deleted now. */
uint64_t bs_snapshot_n_deleted(const struct bs_snapshot *snapshot, uint32_t segment);

/* One bit for each document of the segments and the overlay, all zero at first. Allocated when the
 * first bit is set. */
struct bs_doc_bits {
	/* One bitmap per segment, then one for the overlay; a NULL bitmap has no bits set. NULL: no
	 * bitmaps. */
	uint8_t **segments;
	uint32_t n_segments;
};
/* Sets the bit of a document. BS_NO_MEMORY. */
enum bs_status bs_doc_bits_set(struct bs_doc_bits *bits, const struct bs_snapshot *snapshot,
                               struct bs_doc_ref ref, struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_bits_deinit(struct bs_doc_bits *bits);

static inline bool bs_doc_bits_has(const struct bs_doc_bits *bits, struct bs_doc_ref ref)
{
	const uint8_t *segment = bits->segments ? bits->segments[ref.segment] : NULL;
	return segment && (segment[ref.document / 8] >> (ref.document % 8) & 1);
}
