/*
 * refresh.h: what has become of the sources of an index since its commit. `bitsift index` makes the
 * answer the next commit; `query --fresh` searches it without writing anything.
 *
 *      for each source: bs_refresh_begin -> a feed of what may be new or changed, if there is
 *        anything
 *                       the documents that come out of it -> bs_refresh_take, files that are as
 *                         they were ->
 *                       bs_refresh_unchanged
 *                       bs_refresh_end: what is gone, changed or replaced is marked deleted in the
 *                         snapshot
 *
 * Files and folders: every path is looked at, those of another fingerprint are read. Collections:
 * one of another fingerprint is read on where reading ended if what was read is still the same,
 * else from the start. Standard input: read if it is given; what came before stays. A source that
 * is read anew is compared with nothing: all of it is read, and what the index had of standard
 * input goes. A later record replaces an earlier one of the same id: of standard input at once,
 * where it is looked up by its id, so that a few records cost no pass over all that came before.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/bitsift/skip.h"
#include "core/store/manifest.h"
#include "core/store/snapshot.h"
#include "corpus/changes/exclusions.h"
#include "corpus/changes/id_lookup.h"
#include "corpus/changes/id_owners.h"
#include "corpus/read/feed.h"
#include "corpus/read/source.h"

/* Documents of one source, one after the other in a segment. */
struct bs_refresh_range {
	uint32_t source, segment, first, end;
};

/* Zero-initialise but for snapshot; release with bs_refresh_deinit. One thread. */
struct bs_refresh {
	struct bs_snapshot *snapshot; /* borrowed, and marked */
	struct bs_id_owners owners;   /* of the documents that are read */
	struct bs_exclusions exclusions;
	struct bs_id_lookup ids; /* of standard input, when records of it are taken, */
	struct bs_buffer id;     /* and that of the one in hand */
	struct bs_doc_bits seen;
	uint64_t n_unchanged; /* documents of the snapshot */
	uint64_t n_changed;   /* ... whose text is another now */
	/* ... read again, and their text was the same: counted as unchanged too */
	uint64_t n_renewed;
	uint64_t n_removed;
	uint64_t n_kept_out; /* documents read that stay deleted */
	/* documents read of sources that could not be read to their end */
	uint64_t n_withdrawn;
	uint32_t owners_of;              /* the source whose ids owners has */
	struct bs_refresh_range *ranges; /* of the snapshot, by source */
	size_t n_ranges;
};

/* A source under way. The collections that are met in a folder are so while it is. */
struct bs_refreshing {
	const struct bs_source *source;
	uint32_t number;
	struct bs_fingerprint fingerprint; /* of a collection, before it was read */
	bool is_racy;                      /* it proves nothing */
	bool is_appended;
	uint64_t last_line;          /* of the last record that was a document */
	uint64_t n_bad[BS_SKIP_MAX]; /* records read that are none, by enum bs_skip */
	uint64_t n_read_again;       /* of the documents that are read */
};

/* exclusions_of: where the exclusions are, mostly the snapshot itself (a full re-index knows
 * nothing else of it). now, moves (nullable): see bs_exclusions_init. accumulated: where documents
 * go that are taken. */
enum bs_status bs_refresh_init(struct bs_refresh *refresh, struct bs_snapshot *snapshot,
                               const struct bs_snapshot *exclusions_of,
                               const struct bs_manifest *now, const struct bs_source_move *moves,
                               const struct bs_doc_table_builder *accumulated,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_refresh_deinit(struct bs_refresh *refresh);

/* Whether the snapshot has documents of the source, live or not. */
bool bs_refresh_has_documents(const struct bs_refresh *refresh, uint32_t number);

/* A source is not there, or none any more: its documents are gone. */
enum bs_status bs_refresh_lose(struct bs_refresh *refresh, uint32_t number,
                               struct bs_error *err) BS_WARN_UNUSED;

/* A source is there, for all we know, but cannot be read: its documents stay. has_begun: that came
 * out after bs_refresh_begin, which bs_refresh_end will not follow: what was read of it is of no
 * use. Its record must stay, too. */
enum bs_status bs_refresh_keep(struct bs_refresh *refresh, uint32_t number, bool has_begun,
                               struct bs_error *err) BS_WARN_UNUSED;

/*
 * Fills *at_out. source: number `number` of the manifest, as it is found now, borrowed until the
 * end; record: as recorded (zeros if it is new). *feed_out is the caller's, NULL if there is
 * nothing to read; read_stdin: standard input was given. report as for bs_feed_open. Errors as
 * those of reading: BS_IO and BS_NOT_FOUND are the source's.
 */
enum bs_status bs_refresh_begin(
	struct bs_refresh *refresh, uint32_t number, const struct bs_source *source,
	const struct bs_source_record *record, const struct bs_source_options *options,
	bool read_stdin, void (*report)(void *context, enum bs_skip reason, const char *message),
	void *report_context, struct bs_refreshing *at_out, struct bs_feed **feed_out,
	struct bs_error *err) BS_WARN_UNUSED;

/* A file is what the index has. BS_NO_MEMORY. */
enum bs_status bs_refresh_unchanged(struct bs_refresh *refresh, struct bs_doc_ref known,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* The live document of the snapshot that bears the id, of the source under way, which is standard
 * input; ref_out->segment BS_DOC_NONE: none. record_out nullable. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_refresh_find_given(struct bs_refresh *refresh, const struct bs_refreshing *at,
                                     const void *id, size_t id_bytes, struct bs_doc_ref *ref_out,
                                     struct bs_doc_record *record_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Asks the memory for what will be looked at when this document is taken, some documents later. */
void bs_refresh_prefetch(struct bs_refresh *refresh, const struct bs_refreshing *at,
                         const struct bs_doc_record *record);

/* A document was read and is about to be added to those accumulated, as the last of them. known:
 * what it was, if the feed said so. */
enum bs_status bs_refresh_take(struct bs_refresh *refresh, struct bs_refreshing *at,
                               const struct bs_doc_record *record, struct bs_doc_ref known,
                               struct bs_error *err) BS_WARN_UNUSED;

/* The feed (NULL if there was none) is at its end. Writes what is known of the source now to
 * record. */
enum bs_status bs_refresh_end(struct bs_refresh *refresh, struct bs_refreshing *at,
                              const struct bs_feed *feed, struct bs_source_record *record,
                              struct bs_error *err) BS_WARN_UNUSED;
