/*
 * index_entries.h: passes the entries that a snapshot has of a source to the feeds and readers of
 * corpus/read, which do not know indexes. Feeds then skip unchanged files, and documents of the
 * index can be read again.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "corpus/read/feed.h"
#include "corpus/read/source.h"

/* Makes the batches of a feed contain the index's entry of each path (exclusions included), and the
 * entries of documents in folders that the walk could not read. The feed reads `of`, a folder or a
 * file, which is source number `source` of the snapshot. `of` and the snapshot are borrowed until
 * the feed is closed. of->is_anew: entries have no fingerprint, so all files are read. n_checkers:
 * see struct bs_source_options. BS_NO_MEMORY, BS_CORRUPT. */
enum bs_status bs_index_entries_attach(struct bs_feed *feed, const struct bs_source *of,
                                       const struct bs_snapshot *snapshot, uint32_t source,
                                       unsigned n_checkers, struct bs_error *err) BS_WARN_UNUSED;

/* The row (grep's entry) of a recorded collection that was named as a source; ref.segment:
 * BS_DOC_NONE if there is none. BS_CORRUPT. */
enum bs_status bs_index_entries_row(const struct bs_snapshot *snapshot, uint32_t source,
                                    struct bs_index_entry *known_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Which documents of a source to read again. */
struct bs_recall_choice {
	/* by segment: true if its documents are read again; borrowed until the feed is closed */
	const bool *segments;
	bool are_rows; /* the segments are segments of rows */
	bool may_stay; /* see struct bs_recall */
	/* the feed ends after the document with which the sizes of documents reach this sum */
	uint64_t limit_bytes;
};
/* Opens a feed of the live documents of source number `number` of the snapshot, in document order.
 * For a folder it includes its inner collections, which have batches of their own. source and
 * snapshot are borrowed. BS_NO_MEMORY. */
enum bs_status bs_index_entries_recall(const struct bs_source *source,
                                       const struct bs_snapshot *snapshot, uint32_t number,
                                       const struct bs_recall_choice *choice,
                                       struct bs_feed **feed_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
