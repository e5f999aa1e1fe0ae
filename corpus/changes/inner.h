/*
 * inner.h: collections that are found in folders. Each is a source of its own, whose record names
 * the folder as its parent (manifest.h). They are read while their folder is, in their places in
 * its walk, so that documents come in document order:
 *
 *      bs_inners_deadline -> the folder's feed, whose batches begin and end them (struct bs_batch)
 *      for the last analysed batch of one that ends one: bs_inners_end
 *      the folder is at its end: bs_inners_settle, for those that were not met
 *
 * One that is not met any more, since it is gone, or a plain file, or the rules leave it out, is a
 * source no more.
 */
#pragma once

#include "core/bitsift/skip.h"
#include "core/collections/term_table.h"
#include "corpus/changes/refresh.h"
#include "corpus/read/recognize.h"

/* One under way. */
struct bs_inner {
	struct bs_source source;
	uint32_t number;
	struct bs_refreshing at;
	struct bs_feed *feed; /* NULL: there is nothing to read */
	bool is_kept;         /* it could not be looked at: what is known of it stays */
	struct bs_inner *next;
};

/* Zero-initialise but for the first fields; release with bs_inners_deinit. One thread. */
struct bs_inners {
	struct bs_manifest *manifest; /* whose sources they become; borrowed, as all of these */
	struct bs_refresh *refresh;
	const struct bs_source_options *options;
	/* as for bs_feed_open */
	void (*report)(void *context, enum bs_skip reason, const char *message);
	void *context;
	bool has_rows; /* as in struct bs_inner_reader */
	/* The folder under way. */
	const struct bs_source *folder;
	uint32_t folder_number;
	struct bs_inner_reader reader;
	struct bs_recognizer *recognizer; /* made when needed */
	/* number of the folder, path: df is the number of the source */
	struct bs_term_table known;
	struct bs_buffer key;
	struct bs_buffer is_met; /* a byte a source */
	uint32_t next_free;      /* no number below is free for a new one */
	struct bs_inner *under_way;
};
void bs_inners_deinit(struct bs_inners *inners);

/* The feed is that of a folder, source `number`: its collections are told apart, if the options say
 * so. BS_NO_MEMORY. */
enum bs_status bs_inners_deadline(struct bs_inners *inners, struct bs_feed *feed,
                                  const struct bs_source *folder, uint32_t number,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* A batch ended it. Releases it. BS_NO_MEMORY, or as bs_refresh_end. */
enum bs_status bs_inners_end(struct bs_inners *inners, const struct bs_batch *batch,
                             struct bs_error *err) BS_WARN_UNUSED;

/* What becomes of those of a folder that were not met. */
enum bs_inners_fate {
	/* they are no sources any more, but those that the feed, which is at its end, could not
	 * look at */
	BS_INNERS_GONE,
	BS_INNERS_LOST, /* the folder is not there: nor are they, but both may come back */
	BS_INNERS_KEPT, /* it was not looked at */
};
enum bs_status bs_inners_settle(struct bs_inners *inners, uint32_t folder,
                                const struct bs_feed *feed, enum bs_inners_fate fate,
                                struct bs_error *err) BS_WARN_UNUSED;
