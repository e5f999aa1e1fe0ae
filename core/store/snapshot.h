/*
 * snapshot.h: what one commit names, opened: its manifest, segments, tombstones and exclusions.
 *
 * A snapshot keeps what it opened, whatever writers do. Opened, it is immutable and shared by any
 * number of threads. Before it is shared, whoever opened it may change it in memory: the indexer
 * marks what a refresh found dead, and `query --fresh` does the same and adds an overlay, documents
 * that are in no segment. Nothing of that is on disk.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/collections/term_table.h"
#include "core/store/doc_table.h"
#include "core/store/manifest.h"
#include "core/store/segment.h"
#include "core/store/summary.h"

/* The deleted documents of each segment and of the overlay, which is the last. */
struct bs_snapshot_tombstones {
	struct bs_container **files; /* one a segment, NULL: none deleted on disk */
	const uint8_t **bits;        /* bit d of byte d / 8: document d is deleted; NULL: none */
	uint8_t **changed;           /* same as `bits` if changed in memory (owned), else NULL */
};

/* The documents that were deleted by id: they stay excluded until they change. */
struct bs_snapshot_exclusions {
	struct bs_container *file; /* NULL: nothing is excluded */
	struct bs_doc_table table;
};

/* Those of a commit; none is fine. For bs_exclusions_close, also after a failure. As
 * bs_container_open. */
enum bs_status bs_exclusions_open(struct bs_snapshot_exclusions *exclusions,
                                  const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_exclusions_close(struct bs_snapshot_exclusions *exclusions);

/* Documents in memory only, added after opening, before the snapshot is shared. */
struct bs_snapshot_overlay {
	struct bs_doc_table_builder docs;
	struct bs_term_table value_names; /* names of their fields with numbers or dates */
};

/* Totals over the segments of documents, for scores. Segments of rows are not counted. */
struct bs_snapshot_totals {
	uint32_t n_word_segments;
	uint64_t n_docs; /* including deleted documents, as scores count them */
	/* as opened, or as a refresh in memory left it; includes the overlay */
	uint64_t n_live_docs;
	uint64_t n_positions;
};

struct bs_snapshot {
	const struct bs_dir *dir; /* borrowed */
	/* of documents not stored; set by the caller. Borrowed, nullable */
	const struct bs_text_provider *texts;
	struct bs_manifest manifest;
	struct bs_segment *segments; /* manifest.n_segments */
	struct bs_snapshot_tombstones tombstones;
	struct bs_snapshot_exclusions exclusions;
	struct bs_summary_file summary; /* zeros, unless bs_snapshot_use_summary found one */
	struct bs_snapshot_overlay overlay;
	struct bs_snapshot_totals totals;
};

/* Opens the last commit. The caller's struct; release with bs_snapshot_deinit. dir is borrowed
 * until then. BS_NOT_FOUND: no index there. */
enum bs_status bs_snapshot_open(const struct bs_dir *dir, struct bs_snapshot *snapshot_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* The same of what a commit of this manifest, which becomes the snapshot's, would be. */
enum bs_status bs_snapshot_open_as(const struct bs_dir *dir, struct bs_manifest *manifest,
                                   struct bs_snapshot *snapshot_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_snapshot_deinit(struct bs_snapshot *snapshot);
/* Closes the descriptors of its files, which stay mapped. Before it is shared. */
void bs_snapshot_close_files(struct bs_snapshot *snapshot);
/* Makes the manifest the last commit of the index (bs_manifest_write), after each of its files that
 * the commit before did not have was opened as a reader does. before: that commit; NULL: none, or
 * all files are new. On failure the commit before stays; also BS_CORRUPT. */
enum bs_status bs_snapshot_commit(const struct bs_dir *dir, const struct bs_manifest *before,
                                  const struct bs_manifest *manifest,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Before any name is asked for: names that were decoded are kept there (borrowed), for a run that
 * may ask for all of them. */
void bs_snapshot_use_spill(struct bs_snapshot *snapshot, struct bs_spill *spill);

/* Opens the summary of the commit, if it has one, and so many segments of documents, or more; one
 * that is damaged counts as none. BS_IO, BS_UNTRUSTED, BS_NO_MEMORY. */
enum bs_status bs_snapshot_use_summary(struct bs_snapshot *snapshot, uint32_t least_segments,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Who has asked it already learns no more from it, but that it is less to ask it for all segments
 * than so many of them. */
#define BS_SUMMARY_MANY_SEGMENTS 6u

/* Whether some segment may have the term of this key (lexicon.h), whose hash is bs_hash_term of it,
 * by the summary, if it is open. */
enum bs_status bs_snapshot_may_have(const struct bs_snapshot *snapshot, const uint8_t *key,
                                    uint64_t hash, bool *may_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

static inline bool bs_snapshot_is_deleted(const struct bs_snapshot *snapshot, uint32_t segment,
                                          uint32_t document)
{
	const uint8_t *bits = snapshot->tombstones.bits[segment];
	return bits && (bits[document / 8] >> (document % 8) & 1);
}

/* Documents of a segment or the overlay, live or not. */
static inline uint32_t bs_snapshot_segment_docs(const struct bs_snapshot *snapshot,
                                                uint32_t segment)
{
	return segment < snapshot->manifest.n_segments
	               ? (uint32_t)snapshot->segments[segment].meta.n_docs
	               : snapshot->overlay.docs.n_docs;
}

/* Whether the segment, or overlay, is one of documents; else it has rows, which searches of files
 * alone look at. */
static inline bool bs_snapshot_has_words(const struct bs_snapshot *snapshot, uint32_t segment)
{
	return segment >= snapshot->manifest.n_segments ||
	       !snapshot->manifest.segments[segment].is_rows;
}

/* Whether the segment has documents whose text is not in the index (BS_DOC_NOT_STORED). */
static inline bool bs_snapshot_is_elsewhere(const struct bs_snapshot *snapshot, uint32_t segment)
{
	return bs_container_features(snapshot->segments[segment].file) & BS_FEATURE_NOT_STORED;
}

/* Any document, live or not. The name is borrowed from the snapshot. BS_CORRUPT. */
enum bs_status bs_snapshot_record(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                  struct bs_doc_record *record_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Of its record only the source, which is recorded, and of one that is no record the name; for
 * those who look at very many. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_name(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                struct bs_doc_record *record_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Whether some document may have a number or a date in the field: a segment made by an earlier
 * program does not tell. BS_CORRUPT. */
enum bs_status bs_snapshot_has_values(const struct bs_snapshot *snapshot, const uint8_t *name,
                                      uint32_t name_bytes, bool *has_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Whether the values of the field are dates, as far as is known: then no range of numbers has one.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_has_dates_alone(const struct bs_snapshot *snapshot, const uint8_t *name,
                                           uint32_t name_bytes, bool *has_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Whether any field may have a value. */
bool bs_snapshot_has_some_values(const struct bs_snapshot *snapshot);

/* Changes in memory, by the one who opened it. */

/* Marks a document of a segment or the overlay deleted, or not. BS_NO_MEMORY. */
enum bs_status bs_snapshot_mark(struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                bool is_deleted, struct bs_error *err) BS_WARN_UNUSED;
/* Live documents among those of a segment from first to end, exclusive. */
uint32_t bs_snapshot_n_live(const struct bs_snapshot *snapshot, uint32_t segment, uint32_t first,
                            uint32_t end);
/* Documents of the segment that are deleted now. */
uint64_t bs_snapshot_n_deleted(const struct bs_snapshot *snapshot, uint32_t segment);

/* A bit for each document of the segments and the overlay, cleared at first; made when the first
 * one is set. */
struct bs_doc_bits {
	uint8_t **segments; /* NULL, or one a segment and one for the overlay, NULL: none set */
	uint32_t n_segments;
};
enum bs_status bs_doc_bits_set(struct bs_doc_bits *bits, const struct bs_snapshot *snapshot,
                               struct bs_doc_ref ref,
                               struct bs_error *err) BS_WARN_UNUSED; /* BS_NO_MEMORY */
void bs_doc_bits_deinit(struct bs_doc_bits *bits);

static inline bool bs_doc_bits_has(const struct bs_doc_bits *bits, struct bs_doc_ref ref)
{
	const uint8_t *segment = bits->segments ? bits->segments[ref.segment] : NULL;
	return segment && (segment[ref.document / 8] >> (ref.document % 8) & 1);
}
