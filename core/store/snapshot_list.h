/*
 * snapshot_list.h: the opened indexes of one query, 1 or more. Segments are numbered consecutively:
 * those of the first snapshot, its overlay, those of the second, its overlay, and so on. A document
 * is identified by the number of its segment in the list and its number in the segment (struct
 * bs_doc_ref). In a list of one snapshot both equal the snapshot's own numbers.
 */
#pragma once

#include "core/store/snapshot.h"

/* An opened index. */
struct bs_list_entry {
	const struct bs_snapshot *snapshot; /* borrowed */
	/* The words of the index were tokenized by other rules than this library's, so its columns
	 * are not used and all its texts are searched. */
	bool has_other_words;
	bool is_passed_over; /* its words count in scores, but its documents are not hits */
	/* queries are analysed in the same way for all entries with the same number */
	uint32_t analysis;
	const char *name; /* prefix of notices about the index's sources; borrowed, nullable */
};

struct bs_list_segment {
	const struct bs_snapshot *snapshot;
	const struct bs_segment *segment; /* NULL: the overlay of the snapshot */
	/* As in bs_snapshot.tombstones.bits; NULL: nothing is deleted. */
	const uint8_t *tombstones;
	uint32_t n_docs; /* live or not */
	uint32_t number; /* number of the segment in the snapshot */
	uint32_t entry;  /* index of the snapshot in the list */
};

/* Immutable; shared by threads. Release with bs_snapshot_list_deinit. */
struct bs_snapshot_list {
	struct bs_list_entry *entries;
	uint32_t n_entries;
	uint32_t n_segments; /* including overlays */
	struct bs_list_segment *segments;
	/* Sum over the snapshots. Includes deleted documents that are still in the index, as scores
	 * count them. */
	uint64_t n_docs;
	uint64_t n_live_docs; /* sum over the snapshots */
	uint64_t n_positions; /* sum over the snapshots */
};

/* Copies the entries. The snapshots must not change while the list is in use. After BS_NO_MEMORY
 * the list is empty. */
enum bs_status bs_snapshot_list_init(struct bs_snapshot_list *list,
                                     const struct bs_list_entry *entries, uint32_t n_entries,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_snapshot_list_deinit(struct bs_snapshot_list *list);

static inline const struct bs_list_segment *bs_list_segment(const struct bs_snapshot_list *list,
                                                            uint32_t segment)
{
	return &list->segments[segment];
}

/* Converts a reference in the list to a reference in the document's own snapshot, which is
 * bs_list_segment(list, ref.segment)->snapshot. */
static inline struct bs_doc_ref bs_list_own_ref(const struct bs_snapshot_list *list,
                                                struct bs_doc_ref ref)
{
	return (struct bs_doc_ref){list->segments[ref.segment].number, ref.document};
}

static inline bool bs_list_is_deleted(const struct bs_snapshot_list *list, struct bs_doc_ref ref)
{
	const uint8_t *bits = list->segments[ref.segment].tombstones;
	return bits && (bits[ref.document / 8] >> (ref.document % 8) & 1);
}

/* Whether a segment, or an overlay, has documents. Otherwise it is a segment of rows (collections
 * as files), which only searches of files use. */
static inline bool bs_list_has_words(const struct bs_snapshot_list *list, uint32_t segment)
{
	return bs_snapshot_has_words(list->segments[segment].snapshot,
	                             list->segments[segment].number);
}

/* The number of the first segment of a snapshot. */
uint32_t bs_list_first_segment(const struct bs_snapshot_list *list, uint32_t entry);

/* Compares two documents in document order (doc_order.h): first by the order of snapshots in the
 * list, then by bs_document_order. */
int bs_list_order(const struct bs_snapshot_list *list, struct bs_doc_ref a, struct bs_doc_ref b);
