/*
 * inner.h: inner collections: collections that are found in folders. Each is a source of its own,
 * whose record names the folder as its parent (manifest.h). The walk of the folder reads each at
 * its position in the folder, so that documents arrive in document order:
 *
 *      bs_inners_attach   call when the folder's feed is opened: the feed then has batches that
 *                         begin an inner collection, contain its lines, and end it (struct
 *                         bs_batch)
 *      bs_inners_end      call after the last analysed batch of an inner collection
 *      bs_inners_settle   call at the end of the folder, for inner collections that the walk did
 *                         not find
 *
 * An inner collection that the walk no longer finds (it was removed, is a plain file now, or is
 * ignored by the rules) is no longer a source.
 */
#pragma once

#include "core/bitsift/skip.h"
#include "core/collections/term_table.h"
#include "corpus/changes/refresh.h"
#include "corpus/read/recognize.h"

/* An inner collection that is being read. */
struct bs_inner {
	struct bs_source source;
	uint32_t number;
	struct bs_refreshing at;
	struct bs_feed *feed; /* NULL: nothing to read */
	bool is_kept;         /* it could not be read; its documents stay in the index */
	struct bs_inner *next;
};

/* The caller sets manifest, refresh, options, report, context and has_rows, and zero-initialises
 * the other fields; release with bs_inners_deinit. One thread. */
struct bs_inners {
	/* receives the new sources; borrowed, as are refresh, options and context */
	struct bs_manifest *manifest;
	struct bs_refresh *refresh;
	const struct bs_source_options *options;
	/* see bs_feed_open */
	void (*report)(void *context, enum bs_skip reason, const char *message);
	void *context;
	bool has_rows; /* see struct bs_inner_reader */
	/* the folder being read */
	const struct bs_source *folder;
	uint32_t folder_number;
	struct bs_inner_reader reader;
	struct bs_recognizer *recognizer; /* created on first use */
	/* the inner collections that are sources; key: number of the folder, path; df: number of
	 * the source */
	struct bs_term_table known;
	struct bs_buffer key; /* scratch */
	/* by source number, one byte each: 1 if the walk has met this inner collection */
	struct bs_buffer is_met;
	uint32_t next_free; /* no source number below this one is free for a new source */
	/* list of the inner collections being read */
	struct bs_inner *under_way;
};
void bs_inners_deinit(struct bs_inners *inners);

/* Prepares to read a folder, which is source `number`: its feed will return the inner collections
 * that the walk finds as batches of their own, if inners->options ask for inner collections.
 * BS_NO_MEMORY. */
enum bs_status bs_inners_attach(struct bs_inners *inners, struct bs_feed *feed,
                                const struct bs_source *folder, uint32_t number,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Call after the batch that ends an inner collection: ends the collection's refresh and releases
 * it. BS_NO_MEMORY, or errors of bs_refresh_end. */
enum bs_status bs_inners_end(struct bs_inners *inners, const struct bs_batch *batch,
                             struct bs_error *err) BS_WARN_UNUSED;

/* What happens to the inner collections of a folder that the walk did not find. */
enum bs_inners_fate {
	/* the folder was read: the collections are no longer sources, except at places that the
	 * feed could not read; the feed must be at its end */
	BS_INNERS_GONE,
	/* the folder does not exist: the documents of the collections are removed, the sources
	 * stay */
	BS_INNERS_LOST,
	BS_INNERS_KEPT, /* the folder was not read: the sources and their documents stay */
};
/* Applies `fate` to the inner collections of source number `folder` that the walk did not meet. If
 * this source is no longer a folder, none of them is a source any more. feed: the feed of the
 * folder; used only by BS_INNERS_GONE; nullable. BS_NO_MEMORY, and statuses of the deadline. */
enum bs_status bs_inners_settle(struct bs_inners *inners, uint32_t folder,
                                const struct bs_feed *feed, enum bs_inners_fate fate,
                                struct bs_error *err) BS_WARN_UNUSED;
