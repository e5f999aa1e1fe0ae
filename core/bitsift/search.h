/*
 * search.h: searching an opened index for words. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_SEARCH_H
#define BITSIFT_SEARCH_H

#include "index_open.h"
#include "search_request.h"

BS_BEGIN_DECLS

/*
 * The simple interface, with the defaults of struct bs_search_request. It finds the best `limit`
 * hits (0: 10), with snippets.
 *
 *      struct bs_index *index;
 *      struct bs_results *results;
 *      const struct bs_hit *hit;
 *      if (bs_index_open("notes/.bitsift", &index, NULL) ||
 *          bs_index_search(index, "ferry", 10, &results, NULL))
 *              return 1;
 *      while ((hit = bs_results_next(results)))
 *              printf("%.2f %s\n", hit->score, hit->id);
 *      bs_results_free(results);
 *      bs_index_close(index);
 *
 * Several threads may search one index at once. A thread that searches often should keep a searcher
 * and call bs_search, which also supports all options.
 */
struct bs_results;

/* Searches for a NUL-ended query in the query language of bitsift-query(1). Free *results_out with
 * bs_results_free; it is NULL on failure. The index may be closed before the results are freed.
 * Fails as bs_searcher_new and bs_search. */
BS_API enum bs_status bs_index_search(const struct bs_index *index, const char *query, size_t limit,
                                      struct bs_results **results_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* The next hit, best first; NULL after the last one. The strings of these hits are NUL-ended, and
 * borrowed until bs_results_free. One thread at a time uses a struct bs_results. */
BS_API const struct bs_hit *bs_results_next(struct bs_results *results);
/* NULL is fine. */
BS_API void bs_results_free(struct bs_results *results);

/* The memory of one thread for searching. It is used by one thread at a time, but not always by the
 * same thread. Each search reuses the memory of the search before. If a collection was changed
 * since it was indexed, in another way than by appending, the searcher looks for the places of its
 * records once, and keeps them for later searches. If such a collection changes again, these places
 * may be wrong, and records may be missed: then make a new searcher. A collection that has only
 * grown is read again each time it has grown, once for all searchers of an index. */
struct bs_searcher;

/* Creates a searcher; free it with bs_searcher_free. *searcher_out is NULL on failure:
 * BS_NO_MEMORY, BS_UNSUPPORTED (ICU data is missing), BS_CORRUPT, BS_IO. The index must stay open
 * until the searcher is freed. */
BS_API enum bs_status bs_searcher_new(const struct bs_index *index,
                                      struct bs_searcher **searcher_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_searcher_free(struct bs_searcher *searcher);

/*
 * Runs one query. The hits are exactly the matching documents of the commit that was opened. If the
 * source of a document has changed since, the document's current text is matched. Documents that
 * are not in the commit are found only if the index was opened fresh.
 *
 * BS_INVALID (the query is empty or does not parse: err says why, result_out->error_byte where; no
 * callback for hits, an invalid glob, an unknown type, an invalid date, a sort field without
 * numbers or dates), BS_NOT_FOUND (a place that is not in the index, an unknown like_id, an unknown
 * field), BS_STOPPED, BS_DEADLINE, BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY. After any of
 * these errors the searcher can be used for the next search. Hits passed to a callback before a
 * failure are valid hits. result_out may be NULL.
 */
BS_API enum bs_status bs_search(struct bs_searcher *searcher,
                                const struct bs_search_request *request,
                                struct bs_search_result *result_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/*
 * Returns the current texts of the document with this id. A file has one text, whose field has no
 * name. A record or an in-memory document has its indexed fields, with dots in nested names. If no
 * in-memory document has the id, the id is looked up as in struct bs_delete_request; if several
 * documents have it, the first one is taken. The first such look-up reads the names of all
 * documents; for later look-ups, the searcher keeps about nine bytes for each document.
 * *is_changed_out (nullable): true if the texts are not those that were indexed. *texts_out is
 * borrowed until the searcher is used again. BS_NOT_FOUND: no document has that id, or its source
 * is gone; BS_IO: the source cannot be read, or is not followed; BS_CORRUPT, BS_NO_MEMORY; within a
 * callback of a call that has limits, also BS_DEADLINE and BS_STOPPED.
 */
BS_API enum bs_status bs_document(struct bs_searcher *searcher, const char *id, size_t id_bytes,
                                  const struct bs_text **texts_out, size_t *n_texts_out,
                                  bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;
/* Like bs_document, but takes the number of a document (bs_hit.document), which needs no
 * look-up. */
BS_API enum bs_status bs_document_numbered(struct bs_searcher *searcher, uint64_t document,
                                           const struct bs_text **texts_out, size_t *n_texts_out,
                                           bool *is_changed_out,
                                           struct bs_error *err) BS_WARN_UNUSED;

/* Makes two lines for an error message: the query, and a caret under the character at error_byte
 * (or after the last one), without a final line feed. Control characters and invalid UTF-8 are
 * shown as U+FFFD. A long query is cut around the caret. Release *text_out with free(). BS_INVALID
 * (error_byte > query_bytes), BS_NO_MEMORY: *text_out is NULL. */
BS_API enum bs_status bs_query_caret(const char *query, size_t query_bytes, size_t error_byte,
                                     char **text_out, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
