/*
 * snapshot_loader.h: the text of a document of the index, as it is now, and whether it is still
 * what was indexed.
 *
 * A file, a record of a collection, or stored text. A source that changed since is read as it is: a
 * record is looked up by its id, wherever it stands now. Each changed file is counted once.
 */
#pragma once

#include "core/store/snapshot.h"
#include "corpus/read/source.h"
#include "query/load/prefix_check.h"

/* One thread's way to the texts. */
struct bs_snapshot_loader;

/* snapshot and proofs are borrowed. notice (nullable) gets one printable line for a source that
 * cannot be read. */
enum bs_status bs_snapshot_loader_new(const struct bs_snapshot *snapshot,
                                      struct bs_prefix_checks *prefix_checks,
                                      void (*notice)(void *context, const char *message),
                                      void *context,
                                      struct bs_snapshot_loader **snapshot_loader_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
void bs_snapshot_loader_free(struct bs_snapshot_loader *snapshot_loader);

/* Before each query: what was read, and what is known of sources that had not changed, is of the
 * one before. verbose: notice gets a line for each source that changed or cannot be read, not only
 * for the first that cannot. trusts: nothing has changed, for all that is asked without reading. */
void bs_snapshot_load_begin(struct bs_snapshot_loader *snapshot_loader, bool verbose, bool trusts);
/* From then on, and for good: what is not what was indexed is not looked for, and comes as
 * BS_FETCHED_CHANGED, GONE or FAILED. For a thread that leaves such documents to another, whose
 * snapshot loader knows of it what this one does not. */
void bs_snapshot_load_leave_changed(struct bs_snapshot_loader *snapshot_loader);
/* Whether a document that another snapshot loader found to be what was indexed is so for this one.
 * No file is looked at, a collection once a query. */
bool bs_snapshot_load_agrees(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                             uint32_t document);
/* Whether a document is a line of a collection, or stored: quickly read. */
bool bs_snapshot_load_is_of_line(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                 uint32_t document);
/* What was met in this query for the first time. Borrowed. */
const struct bs_changes *bs_snapshot_loader_changes(
	const struct bs_snapshot_loader *snapshot_loader);
/* The documents of a segment that will be asked for, ascending, so that neighbours are read
 * together. Borrowed until the next call or bs_snapshot_load_begin. */
void bs_snapshot_load_expect(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                             const uint32_t *documents, size_t n_documents);

enum bs_fetched {
	BS_FETCHED_UNCHANGED, /* as indexed */
	/* there, with the fingerprint that was indexed, which proves nothing (BS_DOC_RACY) */
	BS_FETCHED_RACY,
	BS_FETCHED_CHANGED, /* there, with another fingerprint */
	BS_FETCHED_GONE,    /* no longer there: drop it */
	/* there, but cannot be read: noticed, drop it, and let the range end with an error */
	BS_FETCHED_FAILED,
};

/* The document's text, borrowed until the next call. Fails only with BS_CORRUPT (the index) and
 * BS_NO_MEMORY. */
enum bs_status bs_snapshot_load(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                uint32_t document, struct bs_document *document_out,
                                enum bs_fetched *fetched_out, struct bs_error *err) BS_WARN_UNUSED;

/* From then on bs_snapshot_load asks is_enough about the beginning of a large file that is what was
 * indexed; if it is, the document's text is that beginning. NULL: it does not ask. */
void bs_snapshot_load_ask_head(struct bs_snapshot_loader *snapshot_loader,
                               bool (*is_enough)(void *context, const uint8_t *text,
                                                 size_t n_bytes),
                               void *context);

/* The line of JSON that the document was made from, if it is a record whose source is what was
 * indexed, and can be read; else *line_out is NULL, and bs_snapshot_load has more to say. Borrowed
 * until the next call. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_load_line(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                     uint32_t document, const uint8_t **line_out,
                                     size_t *line_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* The fields of that line with all escapes left in their texts, borrowed until the next call; false
 * if it is not that easy. */
bool bs_snapshot_load_cut_line(struct bs_snapshot_loader *snapshot_loader, const uint8_t *line,
                               size_t line_bytes, struct bs_document *document_out);
/* Puts what they stand for in the place of the escapes in the fields just cut; false if it
 * cannot. */
bool bs_snapshot_load_resolve(struct bs_snapshot_loader *snapshot_loader,
                              struct bs_document *document);

/* Whether the document's source is what was indexed, by its fingerprint, without reading it. */
enum bs_status bs_snapshot_load_is_unchanged(struct bs_snapshot_loader *snapshot_loader,
                                             uint32_t segment, uint32_t document,
                                             bool *unchanged_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Whether that is so for all documents of a segment, and can be told by a look at a few sources:
 * those of collections and standard input. Files of folders must be looked at one by one. */
enum bs_status bs_snapshot_load_is_segment_unchanged(struct bs_snapshot_loader *snapshot_loader,
                                                     uint32_t segment, bool *unchanged_out,
                                                     struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites id with the document's id, local_id with what it is called here
 * (bs_source_append_local_id), and path with where its text stands, openable from here ("-":
 * stored). */
enum bs_status bs_snapshot_load_id(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                   uint32_t document, struct bs_buffer *id,
                                   struct bs_buffer *local_id, struct bs_buffer *path,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Of a in-memory document, what these three are, borrowed from the index: nothing is copied, as
 * often very many are asked for. *is_in_memory_out: it is one. */
enum bs_status bs_snapshot_load_in_memory_id(struct bs_snapshot_loader *snapshot_loader,
                                             uint32_t segment, uint32_t document,
                                             bool *is_in_memory_out, const uint8_t **id_out,
                                             uint32_t *id_bytes_out, const char **path_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites path with that of a document of a recorded source; of its record, source and name
 * count. */
enum bs_status bs_snapshot_load_path(const struct bs_snapshot_loader *snapshot_loader,
                                     const struct bs_doc_record *record, struct bs_buffer *path,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* A source of the index, borrowed. */
const struct bs_source *bs_snapshot_load_source(const struct bs_snapshot_loader *snapshot_loader,
                                                uint32_t number);

/* Documents that failed to be read so far. After the first few they are no longer noticed one by
 * one. */
uint64_t bs_snapshot_loader_failures(const struct bs_snapshot_loader *snapshot_loader);
