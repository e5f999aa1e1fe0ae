/*
 * snapshot_loader.h: the current text of a document of the index, and whether it is still the
 * indexed text.
 *
 * A document is a file, a record of a collection, or stored text. If its source has changed, the
 * current content is read: a record is looked up by its id, wherever it is now. Each changed file
 * is counted once in the life of the loader (bs_snapshot_loader_changes).
 */
#pragma once

#include "core/store/snapshot.h"
#include "corpus/read/source.h"
#include "query/load/prefix_check.h"

/* Used by one thread. */
struct bs_snapshot_loader;

/* Creates the loader of a snapshot. snapshot and prefix_checks are borrowed. notice (nullable)
 * receives printable lines about files that cannot be read or have changed
 * (bs_snapshot_load_begin). */
enum bs_status bs_snapshot_loader_new(const struct bs_snapshot *snapshot,
                                      struct bs_prefix_checks *prefix_checks,
                                      void (*notice)(void *context, const char *message),
                                      void *context,
                                      struct bs_snapshot_loader **snapshot_loader_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
void bs_snapshot_loader_free(struct bs_snapshot_loader *snapshot_loader);

/* Call before each query. Resets the changes and the expected documents. Collections that were
 * unchanged will be checked again. verbose: notice receives a line for each file that changed or
 * cannot be read, not only for the first unreadable ones. trusts: a document counts as unchanged,
 * without a check, unless its text must be read from its source. */
void bs_snapshot_load_begin(struct bs_snapshot_loader *snapshot_loader, bool verbose, bool trusts);
/* From now on, also in later queries, bs_snapshot_load looks for no record at another place than
 * the indexed one, and reads no record whose collection changed or is racy; it reports such a
 * record as BS_LOADED_CHANGED or BS_LOADED_GONE. For worker threads, which leave these records to
 * the thread that gives notices and keeps the state of changed sources. */
void bs_snapshot_load_skip_changed(struct bs_snapshot_loader *snapshot_loader);
/* For a document that another snapshot loader found unchanged: whether it is unchanged for this
 * loader, too. Files are not checked again; a collection is checked once a query. */
bool bs_snapshot_load_agrees(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                             uint32_t document);
/* Whether a document is a record of a collection or of standard input, or an in-memory document.
 * The texts of these are quick to read. False for a document of the overlay. */
bool bs_snapshot_load_is_of_line(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                 uint32_t document);
/* The changes that this query was the first to find. Borrowed. */
const struct bs_changes *bs_snapshot_loader_changes(
	const struct bs_snapshot_loader *snapshot_loader);
/* Announces documents of a segment, in ascending order, that will be loaded, so that adjacent
 * records are read together. `documents` is borrowed until the next call or
 * bs_snapshot_load_begin. */
void bs_snapshot_load_expect(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                             const uint32_t *documents, size_t n_documents);

enum bs_load_state {
	BS_LOADED_UNCHANGED, /* The indexed text. */
	/* Present with the indexed fingerprint, which is inconclusive (BS_DOC_RACY). */
	BS_LOADED_RACY,
	/* Present, but its file or collection has changed, so the text may differ from the indexed
	 * one. After bs_snapshot_load_skip_changed, the text may be missing. */
	BS_LOADED_CHANGED,
	BS_LOADED_GONE, /* No longer present: the caller drops the document. */
	/* Present, but unreadable. The caller drops the document. bs_snapshot_loader_failures
	 * counts it; there were notices for the first few. */
	BS_LOADED_FAILED,
};

/* Loads the current text of a document, borrowed until the next call. Fails only with BS_CORRUPT
 * (the index is damaged), BS_NO_MEMORY, BS_UNSUPPORTED (a library is missing), or the status of an
 * expired deadline. */
enum bs_status bs_snapshot_load(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                uint32_t document, struct bs_document *document_out,
                                enum bs_load_state *fetched_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* From now on, bs_snapshot_load passes the beginning of a large unchanged file to is_enough. If
 * is_enough returns true, that beginning becomes the document's text. NULL: files are read
 * whole. */
void bs_snapshot_load_ask_head(struct bs_snapshot_loader *snapshot_loader,
                               bool (*is_enough)(void *context, const uint8_t *text,
                                                 size_t n_bytes),
                               void *context);

/* Sets *line_out to the line of JSON of a record whose source is unchanged and readable, borrowed
 * until the next call. Otherwise *line_out is NULL, and bs_snapshot_load reports the state of the
 * document. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_snapshot_load_line(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                     uint32_t document, const uint8_t **line_out,
                                     size_t *line_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* Splits a line of JSON into its fields, whose texts still have their escapes. Borrowed until the
 * next call. Returns false if the line needs the full parser. */
bool bs_snapshot_load_cut_line(struct bs_snapshot_loader *snapshot_loader, const uint8_t *line,
                               size_t line_bytes, struct bs_document *document_out);
/* Replaces the escapes in the fields that bs_snapshot_load_cut_line has just cut. Returns false if
 * it cannot. */
bool bs_snapshot_load_resolve(struct bs_snapshot_loader *snapshot_loader,
                              struct bs_document *document);

/* Sets *unchanged_out to true if the document is certainly unchanged, or if the loader trusts the
 * index. A file is judged by its fingerprint, a record by its collection; the text of the document
 * is not loaded. */
enum bs_status bs_snapshot_load_is_unchanged(struct bs_snapshot_loader *snapshot_loader,
                                             uint32_t segment, uint32_t document,
                                             bool *unchanged_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* *unchanged_out: the loader trusts the index, or the segment has no files and a check of its
 * sources proves that all its documents are unchanged. (Files would have to be checked one by
 * one.) */
enum bs_status bs_snapshot_load_is_segment_unchanged(struct bs_snapshot_loader *snapshot_loader,
                                                     uint32_t segment, bool *unchanged_out,
                                                     struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites id with the document's id, local_id with its id as seen from the working directory
 * (bs_source_append_local_id), and path with a path that can be opened from there ("-": stored
 * text). */
enum bs_status bs_snapshot_load_id(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                   uint32_t document, struct bs_buffer *id,
                                   struct bs_buffer *local_id, struct bs_buffer *path,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Id and path of an in-memory document, borrowed from the index. Nothing is copied, because callers
 * ask for very many documents. *is_in_memory_out is false for any other document, and the other
 * outputs are not set then. The local id equals the id. */
enum bs_status bs_snapshot_load_in_memory_id(struct bs_snapshot_loader *snapshot_loader,
                                             uint32_t segment, uint32_t document,
                                             bool *is_in_memory_out, const uint8_t **id_out,
                                             uint32_t *id_bytes_out, const char **path_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites path with the path of a document. Only record->source, which must be valid, and the
 * name of the record are used. */
enum bs_status bs_snapshot_load_path(const struct bs_snapshot_loader *snapshot_loader,
                                     const struct bs_doc_record *record, struct bs_buffer *path,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* The source with this number in the manifest. Borrowed. */
const struct bs_source *bs_snapshot_load_source(const struct bs_snapshot_loader *snapshot_loader,
                                                uint32_t number);

/* The number of documents that could not be read so far. After the first few, no more notices are
 * given for them unless the query is verbose. */
uint64_t bs_snapshot_loader_failures(const struct bs_snapshot_loader *snapshot_loader);
