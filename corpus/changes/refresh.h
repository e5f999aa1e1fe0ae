/*
 * refresh.h: finds the changes of an index's sources since its commit. `bitsift index` commits
 * them; `query --fresh` searches them without writing anything.
 *
 *        for each source:
 *          bs_refresh_begin       returns a feed of documents that may be new or changed, if any
 *          bs_refresh_take        for each document that the feed yields
 *          bs_refresh_unchanged   for each file with the recorded fingerprint
 *          bs_refresh_end         marks removed, changed and replaced documents deleted
 *
 * Files and folders: every path is checked; files whose fingerprint changed are read. Collections:
 * if the fingerprint changed, reading resumes where it ended, provided that the text read before is
 * unchanged; otherwise from the start. Standard input: read if the caller passes it; earlier
 * records stay. A source that is read anew is not compared: all of it is read, and all of its
 * earlier records are removed, even those of standard input. A later record replaces an earlier one
 * with the same id. For standard input this happens at once, by a lookup of the id, so that a few
 * records need no pass over all earlier ones.
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

/* Consecutive documents of one source in a segment. */
struct bs_refresh_range {
	uint32_t source, segment, first, end;
};

/* Zero-initialise before bs_refresh_init; release with bs_refresh_deinit. One thread. */
struct bs_refresh {
	struct bs_snapshot *snapshot; /* borrowed; deleted documents are marked in it */
	struct bs_id_owners owners;   /* ids of the documents that are read */
	struct bs_exclusions exclusions;
	/* finds records of standard input in the snapshot by id; created by the first
	 * bs_refresh_find_stdin that needs it */
	struct bs_id_lookup ids;
	struct bs_buffer id; /* scratch: the id of the current record */
	/* documents of the snapshot that were seen unchanged */
	struct bs_doc_bits seen;
	uint64_t n_unchanged; /* documents of the snapshot whose text is unchanged */
	uint64_t n_changed;   /* documents of the snapshot whose text changed */
	/* documents that were read again with the same text; also counted in n_unchanged */
	uint64_t n_renewed;
	/* documents of the snapshot that no longer exist */
	uint64_t n_removed;
	uint64_t n_kept_out; /* documents that were read but are excluded */
	/* documents that were read from sources whose reading failed later */
	uint64_t n_withdrawn;
	uint32_t owners_of;              /* number of the source whose ids are in owners */
	struct bs_refresh_range *ranges; /* ranges of the snapshot, sorted by source */
	size_t n_ranges;
};

/* A source that is being read. An inner collection is read while its folder is. */
struct bs_refreshing {
	const struct bs_source *source;
	uint32_t number;
	struct bs_fingerprint fingerprint; /* fingerprint of a collection, before it was read */
	bool is_racy;                      /* the fingerprint may hide a later change */
	/* earlier records stay, unless a new record replaces them */
	bool is_appended;
	uint64_t last_line;          /* line of the last record that was a document */
	uint64_t n_bad[BS_SKIP_MAX]; /* invalid records that were read, by enum bs_skip */
	uint64_t n_read_again;       /* documents that were read and that the snapshot has */
};

/* Prepares to find the changes of the snapshot's sources. exclusions_of: the snapshot whose
 * exclusions apply. This is `snapshot` itself, except in a full re-index, where `snapshot` is empty
 * and the previous commit has the exclusions. now, moves (nullable): see bs_exclusions_init.
 * accumulated: the table that taken documents are added to. */
enum bs_status bs_refresh_init(struct bs_refresh *refresh, struct bs_snapshot *snapshot,
                               const struct bs_snapshot *exclusions_of,
                               const struct bs_manifest *now, const struct bs_source_move *moves,
                               const struct bs_doc_table_builder *accumulated,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_refresh_deinit(struct bs_refresh *refresh);

/* True if the snapshot has documents of the source, live or deleted. */
bool bs_refresh_has_documents(const struct bs_refresh *refresh, uint32_t number);

/* Removes all documents of a source that does not exist, or that is no longer a source. */
enum bs_status bs_refresh_lose(struct bs_refresh *refresh, uint32_t number,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Keeps the documents of a source that exists but cannot be read; the caller keeps its record in
 * the manifest. has_begun: reading failed after bs_refresh_begin; documents read since then are
 * withdrawn, and the caller does not call bs_refresh_end. */
enum bs_status bs_refresh_keep(struct bs_refresh *refresh, uint32_t number, bool has_begun,
                               struct bs_error *err) BS_WARN_UNUSED;

/*
 * Begins a source and fills *at_out. source: source `number` of the manifest as found now, borrowed
 * until bs_refresh_end. record: its record in the manifest, zeros if it is new. *feed_out: owned by
 * the caller, NULL if there is nothing to read. read_stdin: standard input was passed. report: see
 * bs_feed_open. BS_IO or BS_NOT_FOUND if the source cannot be read, BS_INVALID if a collection is
 * not a regular file. Other statuses (BS_CORRUPT of the index, BS_NO_MEMORY, those of the deadline)
 * are not failures of the source.
 */
enum bs_status bs_refresh_begin(
	struct bs_refresh *refresh, uint32_t number, const struct bs_source *source,
	const struct bs_source_record *record, const struct bs_source_options *options,
	bool read_stdin, void (*report)(void *context, enum bs_skip reason, const char *message),
	void *report_context, struct bs_refreshing *at_out, struct bs_feed **feed_out,
	struct bs_error *err) BS_WARN_UNUSED;

/* Call for a file that still has the recorded fingerprint: its document `known` stays.
 * BS_NO_MEMORY. */
enum bs_status bs_refresh_unchanged(struct bs_refresh *refresh, struct bs_doc_ref known,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Finds the live document of the snapshot with this id in the current source, which is standard
 * input. ref_out->segment: BS_DOC_NONE if there is none. record_out is nullable. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_refresh_find_stdin(struct bs_refresh *refresh, const struct bs_refreshing *at,
                                     const void *id, size_t id_bytes, struct bs_doc_ref *ref_out,
                                     struct bs_doc_record *record_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Prefetches memory that bs_refresh_take, called some documents later, reads for this document. */
void bs_refresh_prefetch(struct bs_refresh *refresh, const struct bs_refreshing *at,
                         const struct bs_doc_record *record);

/* Call for each document that was read, before adding it to `accumulated`. known: its earlier entry
 * in the index, if the feed reported one. */
enum bs_status bs_refresh_take(struct bs_refresh *refresh, struct bs_refreshing *at,
                               const struct bs_doc_record *record, struct bs_doc_ref known,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Ends a source after its feed (NULL if there was none) has ended. Updates the record to the
 * present state of the source. */
enum bs_status bs_refresh_end(struct bs_refresh *refresh, struct bs_refreshing *at,
                              const struct bs_feed *feed, struct bs_source_record *record,
                              struct bs_error *err) BS_WARN_UNUSED;
