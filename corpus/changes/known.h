/*
 * known.h: what a snapshot knows of a source, for the feeds and readers of corpus/read, which know no index: so that
 * what is unchanged need not be read, and that documents of the index can be read again.
 */
#ifndef BS_CORPUS_CHANGES_KNOWN_H
#define BS_CORPUS_CHANGES_KNOWN_H

#include "core/base/status.h"
#include "core/store/snapshot.h"
#include "corpus/read/source.h"

/* Of a folder or file that is source number `source` of the snapshot (borrowed): the batches of the feed say what the
 * index knows of each path, exclusions included, and of each document where the walk could not look. BS_NO_MEMORY,
 * BS_CORRUPT. */
enum bs_status bs_known_tell(struct bs_feed *feed, const struct bs_snapshot *snapshot, uint32_t source,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Of a recorded collection that was named: its row among the grams; ref.segment is BS_DOC_NONE if there is none.
 * BS_CORRUPT. */
enum bs_status bs_known_row(const struct bs_snapshot *snapshot, uint32_t source, struct bs_known *known_out,
                            struct bs_error *err) BS_WARN_UNUSED;

/* A feed of the live documents of source number `number` of the snapshot that lie in the chosen segments (an entry a
 * segment, and what takes too much memory stays there; NULL: all, whatever they take), to be read again, in document
 * order, until they make up limit_bytes; of a folder with those of the collections in it, which batches are of on their
 * own. are_rows: the segments are of rows. All is borrowed. */
enum bs_status bs_known_recall(const struct bs_source *source, const struct bs_snapshot *snapshot, uint32_t number,
                               const bool *chosen, bool are_rows, uint64_t limit_bytes, struct bs_feed **feed_out,
                               struct bs_error *err) BS_WARN_UNUSED;

#endif
