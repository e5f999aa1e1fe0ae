/*
 * index_delete.h: deleting documents by id or by query. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_DELETE_H
#define BITSIFT_INDEX_DELETE_H

#include "search_result.h"
#include "host.h"
#include "limits.h"

BS_BEGIN_DECLS

struct bs_delete_request {
	const char *dir;
	struct bs_memory_index *memory; /* instead; dir is NULL */
	const struct bs_text_provider *texts; /* the query: of documents that are not stored */
	/* The documents of one of these local ids (struct bs_hit), or where none has it, of that id, in whatever source; or,
	 * if there is a query, */
	const char *const *ids;
	size_t n_ids;
	const char *query;      /* those that bs_search would find by it; NULL: ids */
	size_t query_bytes;
	bool any;               /* the query: documents with any of the words, not all */
	bool undo;              /* of the documents that are deleted: they are so no longer */
	bool dry_run;           /* nothing is written */
	bool wait;              /* for another writer to be done; else BS_BUSY */
	/* As for bs_search, and a line for each id that nothing bears. */
	void (*notice)(void *context, const char *message);
	/* Called for each of the documents, in document order, before anything is done. NULL: not called. */
	void (*document)(void *context, const char *local_id, size_t local_id_bytes);
	/* Called with how many there are, if any, before they are deleted; return 0 to go on, anything else ends it with
	 * BS_STOPPED. Nobody else can write the index until it returns. NULL, and with dry_run: not called. */
	int (*confirm)(void *context, uint64_t n_documents);
	void *context;
	const struct bs_consent *consent; /* by ids, only the question about owners is asked */
	const struct bs_analyzer *analyzer; /* with a query, as that of bs_open_request */
	const struct bs_limits *limits;
	const struct bs_log *log;
	uint64_t reserved[6];
};

struct bs_delete_result {
	uint64_t n_deleted;    /* with undo: that were deleted; with dry_run: that would be, or would be no longer. 0: nothing was done */
	struct bs_changes changes; /* with a query */
	uint64_t n_unreadable; /* as that of bs_search: they may match, and stay */
	uint64_t n_to_read;    /* undo: of them, documents that the index does not hold any more: the next bs_index_build reads them */
	uint64_t n_lost;       /* undo: of them, those that came from standard input: they have to be given again */
	size_t error_byte;     /* as that of bs_search */
	uint64_t reserved[3];
};

/* Deletes documents, and commits. They stay deleted, though their sources still have them, until they have changed, or
 * undo takes that back: then they are found again at once if compaction has not removed them.
 * BS_INVALID (the query does not parse, or something in it may mean something else than it seems, as with strict_query of bs_search),
 * BS_NOT_FOUND (no index), BS_BUSY, BS_STOPPED, BS_CORRUPT, BS_IO, BS_UNTRUSTED,
 * BS_UNSUPPORTED, BS_DEADLINE, BS_NO_MEMORY: nothing is deleted. result_out may be NULL. */
BS_API enum bs_status bs_index_delete(const struct bs_delete_request *request, struct bs_delete_result *result_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

struct bs_writer; /* bitsift/writer.h */

/* Deletes the in-memory documents that match the query, of what is committed and of what was added since; *n_out (nullable): how many. Words
 * side by side must all be there. BS_INVALID: the query does not parse, or something in it may mean something else than it seems, as
 * with strict_query of bs_search; BS_IO: one that may match cannot be read. As above; but what ends or fails while it searches deletes
 * nothing, and ends nothing. What was added so far becomes a segment, so that it is better called once than after each document. */
BS_API enum bs_status bs_writer_delete_query(struct bs_writer *writer, const char *query, size_t query_bytes, uint64_t *n_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
