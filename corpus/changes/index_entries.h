/*
 * index_entries.h: what a snapshot knows of a source, for the feeds and readers of corpus/read,
 * which know no index: so that what is unchanged need not be read, and that documents of the index
 * can be read again.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "corpus/read/feed.h"
#include "corpus/read/source.h"

/* Of a folder or file that is source number `source` of the snapshot (borrowed): the batches of the
 * feed say what the index knows of each path, exclusions included, and of each document where the
 * walk could not look. is_anew: no fingerprint that is known is that of the file. BS_NO_MEMORY,
 * BS_CORRUPT. */
enum bs_status bs_index_entries_attach(struct bs_feed *feed, const struct bs_snapshot *snapshot,
                                       uint32_t source, bool is_anew,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Of a recorded collection that was named: its row among the grams; ref.segment is BS_DOC_NONE if
 * there is none. BS_CORRUPT. */
enum bs_status bs_index_entries_row(const struct bs_snapshot *snapshot, uint32_t source,
                                    struct bs_index_entry *known_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Which documents of a source are to be read again. */
struct bs_recall_choice {
	/* those in segments with an entry that is true; borrowed, as long as the feed */
	const bool *segments;
	bool are_rows; /* these segments are of rows */
	/* what takes too much memory, or cannot be read, stays where it is; else it would be
	 * lost */
	bool may_stay;
	uint64_t limit_bytes; /* the most text that is recalled */
};
/* A feed of the live documents of source number `number` of the snapshot, in document order; of a
 * folder with those of the collections in it, which batches are of on their own. source and
 * snapshot are borrowed. BS_NO_MEMORY. */
enum bs_status bs_index_entries_recall(const struct bs_source *source,
                                       const struct bs_snapshot *snapshot, uint32_t number,
                                       const struct bs_recall_choice *choice,
                                       struct bs_feed **feed_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
