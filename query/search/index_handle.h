/*
 * index_handle.h: an opened index (bitsift.h) from within. Immutable and shared by threads; a finder belongs to one thread
 * and holds everything that is written while searching.
 */
#ifndef BS_QUERY_SEARCH_INDEX_HANDLE_H
#define BS_QUERY_SEARCH_INDEX_HANDLE_H

#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/simd/kernels.h"
#include "core/store/snapshot.h"
#include "core/system/watch.h"
#include "query/load/proof.h"

struct bs_index {
	struct bs_snapshot snapshot;
	struct bs_proofs *proofs; /* of collections that grew; filled by finders */
	const struct bs_kernel *kernel;
	const struct bs_log *log; /* nullable */
	struct bs_dir dir;
	uint64_t n_unfollowed; /* sources that a fresh index was not to look at */
	uint64_t n_unread;     /* files, folders and sources that it could not look at: answers may be incomplete */
	uint32_t longest_field_bytes; /* of those that a query can mean */
	bool has_files;        /* some source is of files, not of records */
	bool has_other_words; /* its words were cut by other rules: only scanning finds what matches */
};

/* As bs_index_open_with, for who perhaps asked the summary before: then it is of no more use, unless there are many segments. */
enum bs_status bs_index_open_asked(const struct bs_open_request *request, bool is_asked, struct bs_index **index_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

struct bs_plan;
struct bs_reading;
struct bs_scan;

/* A call that uses a finder: it ends by its own limits, and what it allocates counts for the finder. */
struct bs_finder_use {
	struct bs_watch watch;
	struct bs_account *account; /* of the call around it */
};

/* limits: nullable. bs_finder_leave is to follow if that is BS_OK. Fails as bs_watch_begin. */
enum bs_status bs_finder_enter(struct bs_finder *finder, const struct bs_limits *limits, struct bs_finder_use *use,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_finder_leave(struct bs_finder_use *use);

/* For matrix.c. The index that a finder searches. */
const struct bs_index *bs_finder_index(const struct bs_finder *finder);
/* Calls use with the plan of a request and what it takes to scan by it; nothing is searched. As bs_find. */
enum bs_status bs_finder_plan(struct bs_finder *finder, const struct bs_find_request *request,
                              enum bs_status (*use)(void *context, const struct bs_plan *plan, struct bs_scan *scan,
                                                    struct bs_error *err),
                              void *context, size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;
/* What a document is called, as a hit. Borrowed until the next use of the finder. */
enum bs_status bs_finder_name(struct bs_finder *finder, struct bs_doc_ref ref, struct bs_find_hit *hit_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* As bs_filter_has_place. */
enum bs_status bs_finder_has_place(struct bs_finder *finder, const char *path, bool *has_out, struct bs_error *err) BS_WARN_UNUSED;

/* For catalog_learn.c: what was learnt of several indexes counts beside the queries of this one, in place of what it would learn, and these
 * of its documents are no hits. Borrowed until it is taught something else; NULL: nothing. */
struct bs_feedback;
struct bs_taught {
	const struct bs_feedback *feedback;
	const struct bs_buffer *left_out; /* struct bs_doc_ref each */
};
void bs_finder_teach(struct bs_finder *finder, const struct bs_taught *taught);

/* For document_text.c. */
struct bs_document_texts;
struct bs_fetcher;
struct bs_document_texts *bs_finder_texts(struct bs_finder *finder);
struct bs_fetcher *bs_finder_fetcher(struct bs_finder *finder);

/* How the finder reads queries (reading.h); between them. */
struct bs_reading *bs_finder_reading(struct bs_finder *finder);

/* Of a document's number, and of a hit's. */
static inline struct bs_doc_ref bs_document_ref(uint64_t number)
{
	return (struct bs_doc_ref){(uint32_t)(number >> 32), (uint32_t)number};
}

static inline struct bs_doc_ref bs_find_hit_ref(const struct bs_find_hit *hit)
{
	return bs_document_ref(hit->document);
}

/* For delete_matches.c: what a writer has not committed, as an index. */
enum bs_status bs_index_open_uncommitted(struct bs_writer *writer, struct bs_index **index_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
