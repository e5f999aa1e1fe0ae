/*
 * index_delete.h: deleting documents by id or by query. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_INDEX_DELETE_H
#define BITSIFT_INDEX_DELETE_H

#include "host.h"
#include "limits.h"
#include "search_result.h"

BS_BEGIN_DECLS

/* Callbacks that are NULL are not called. */
struct bs_delete_callbacks {
	/* as in struct bs_search_callbacks; also gets a line for each unknown id */
	void (*notice)(void *context, const char *message);
	/* Called for each document to be deleted, in document order, before any is deleted. */
	void (*document)(void *context, const char *local_id, size_t local_id_bytes);
	/* Called once, with the number of documents to be deleted (not 0), before any is deleted.
	 * Return 0 to continue; any other value ends the call with BS_STOPPED. Until it returns, no
	 * other writer can change the index. Not called in a dry run. */
	int (*confirm)(void *context, uint64_t n_documents);
	void *context;
	uint64_t reserved[4];
};

/* Deletes documents by their ids or, if `query` is set, by a query. */
struct bs_delete_request {
	const char *dir;
	/* an in-memory index instead of a directory; dir is then NULL */
	struct bs_memory_index *memory;
	/* Local ids (struct bs_hit) of documents. An id that is not the local id of any document
	 * refers to all documents with this id, of any source. */
	const char *const *ids;
	size_t n_ids;
	const char *query; /* deletes all documents that match; NULL: `ids` is used */
	size_t query_bytes;
	/* The query matches documents with at least one of its words. If false: with all of
	 * them. */
	bool any;
	bool undo;    /* restores deleted documents */
	bool dry_run; /* writes nothing */
	bool wait;    /* waits for another writer; otherwise BS_BUSY */
	struct bs_delete_callbacks callbacks;
	/* Deleting by ids uses only consent.all, consent.trusts and log. Deleting by a query uses
	 * all members, as in struct bs_open_request. */
	struct bs_host host;
	const struct bs_limits *limits;
	uint64_t reserved[6];
};

struct bs_delete_result {
	/* documents that were deleted or restored (in a dry run: that would have been); 0: nothing
	 * was done */
	uint64_t n_deleted;
	struct bs_changes changes; /* changed files that the search for the query found */
	/* documents that may match, but cannot be read; they are not deleted */
	uint64_t n_unreadable;
	/* undo: restored documents that are no longer in the index; the next bs_index_build reads
	 * them again */
	uint64_t n_to_read;
	/* undo: restored documents from standard input that are no longer in the index; add them
	 * again */
	uint64_t n_lost;
	size_t error_byte; /* as in struct bs_search_result */
	uint64_t reserved[3];
};

/* Deletes documents and commits. The documents stay deleted although their sources still have them,
 * until they change in a source, or until `undo` restores them. `undo` restores documents at once
 * if compaction has not removed them from the index. BS_INVALID (the query does not parse, or would
 * give a warning), BS_NOT_FOUND (no index), BS_BUSY, BS_STOPPED, BS_CORRUPT, BS_IO, BS_UNTRUSTED,
 * BS_UNSUPPORTED, BS_DEADLINE, BS_NO_MEMORY: nothing is deleted. result_out may be NULL. */
BS_API enum bs_status bs_index_delete(const struct bs_delete_request *request,
                                      struct bs_delete_result *result_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

struct bs_writer; /* bitsift/writer.h */

/* Deletes the in-memory documents that match all words of the query, both committed documents and
 * documents added since the commit. *n_out (nullable): the number of deleted documents. BS_INVALID:
 * the query does not parse, or would give a warning. BS_IO: a document that may match cannot be
 * read. If the search fails or is ended early, nothing is deleted and the transaction continues.
 * The documents added so far become a segment first; therefore call this once for many documents,
 * not after each. */
BS_API enum bs_status bs_writer_delete_query(struct bs_writer *writer, const char *query,
                                             size_t query_bytes, uint64_t *n_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
