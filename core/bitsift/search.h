/*
 * search.h: searching an opened index for words. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_SEARCH_H
#define BITSIFT_SEARCH_H

#include "search_request.h"
#include "index_open.h"

BS_BEGIN_DECLS

/* All that is written while searching. One thread at a time may use it; it may pass from one to another. It keeps its
 * memory for the next search, and what it learnt of sources that changed since they were indexed: where those go on
 * changing, make a new one now and then. A collection that only grew is read once for all searchers of an index, each time
 * that it has grown. */
struct bs_searcher;

/* *searcher_out is the caller's, for bs_searcher_free; NULL on failure: BS_NO_MEMORY, BS_UNSUPPORTED (ICU has no data for
 * it), BS_CORRUPT, BS_IO. The index must stay open for longer. */
BS_API enum bs_status bs_searcher_new(const struct bs_index *index, struct bs_searcher **searcher_out, struct bs_error *err)
	BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_searcher_free(struct bs_searcher *searcher);

/*
 * Runs one query: the hits are exactly the documents that match, as they are now if their sources have changed. They
 * are those of the index's commit; a document that is not in it is not found, unless the index was opened fresh.
 *
 * BS_INVALID (the query does not parse or is empty: err says why, result_out->error_byte where; or no callback for
 * hits, a bad glob, an unknown type, a date that is none, a field to sort by that has no numbers or dates), BS_NOT_FOUND
 * (nothing of a place is in the index, no document has like_id, no such field), BS_STOPPED, BS_DEADLINE, BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY.
 * The searcher is fit for the next search after any
 * of them. Hits that were handed out before a failure are hits. result_out may be NULL.
 */
BS_API enum bs_status bs_search(struct bs_searcher *searcher, const struct bs_search_request *request,
                              struct bs_search_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

/*
 * The texts of the document that bears this id, as they are now: of a file one, of a field without name; of a record or a given
 * document the fields that are indexed, dots between names. The id is one of a in-memory document, or else as those of
 * bs_delete_request: for the first of these the searcher passes by all documents, and keeps some nine bytes of each, by which it
 * looks up the others; of several that have it this is the first. *is_changed_out (nullable): it is not what was indexed.
 * *texts_out is borrowed until the searcher is used next. BS_NOT_FOUND: no document has that id, or its source is gone; BS_IO: it
 * cannot be read, or may not be; BS_CORRUPT, BS_NO_MEMORY; within a callback of a call with limits, BS_DEADLINE, BS_STOPPED.
 */
BS_API enum bs_status bs_document(struct bs_searcher *searcher, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                                  size_t *n_texts_out, bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;
/* The same of a document by its number (struct bs_hit), which takes no look for it. */
BS_API enum bs_status bs_document_numbered(struct bs_searcher *searcher, uint64_t document, const struct bs_text **texts_out,
                                           size_t *n_texts_out, bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;

/* For people: the query and, on a line of its own, a caret under the character at error_byte (or one past the end),
 * without a final line feed. Control characters and what is not UTF-8 are shown as U+FFFD; a long query is cut around
 * the caret. *text_out is for free(). BS_INVALID (error_byte > query_bytes), BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_query_caret(const char *query, size_t query_bytes, size_t error_byte, char **text_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
