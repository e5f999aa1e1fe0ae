/* delete_matches.c: bs_index_delete and bs_writer_delete_query. Chooses the documents, by ids or by
 * a query; corpus/changes/delete.c or the writer deletes them. */
#include <stdlib.h>

#include "core/bitsift/index_delete.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/search.h"
#include "core/store/index_dir.h"
#include "core/system/deadline.h"
#include "core/system/log.h"
#include "corpus/changes/delete.h"
#include "corpus/changes/uncommitted.h"
#include "query/search/searcher.h"

struct deletion {
	const struct bs_delete_request *request;
	struct bs_delete_result *result;
	struct bs_dir dir;
	struct bs_index_lock lock;
	/* The documents to delete. For undoing deletions: the exclusions to remove. */
	struct bs_doc_refs refs;
	struct bs_doc_bits hits; /* Scratch of take_exclusions: the matches of the query. */
};

static enum bs_status choose_ids(struct deletion *at, const struct bs_snapshot *snapshot,
                                 struct bs_error *err)
{
	const struct bs_delete_request *request = at->request;
	struct bs_error line;
	bool *found = calloc(request->n_ids + 1, sizeof(*found));
	if (!found)
		return bs_fail_memory(err, "ids", request->n_ids);
	enum bs_status status = bs_delete_find(snapshot, request->undo, request->ids,
	                                       request->n_ids, found, &at->refs, err);
	for (size_t i = 0; i < request->n_ids && !status && request->callbacks.notice; i++) {
		if (found[i])
			continue;
		(void)bs_fail(&line, BS_OK,
		              request->undo ? "%s: no deleted document has this id"
		                            : "%s: no document has this id",
		              request->ids[i]);
		request->callbacks.notice(request->callbacks.context, line.text);
	}
	free(found);
	return status;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct deletion *at = context;
	struct bs_doc_ref ref = bs_find_hit_ref(hit);
	return bs_vector_append(&at->refs, &ref, NULL) != BS_OK;
}

static void tell(void *context, const char *message)
{
	const struct deletion *at = context;
	if (at->request->callbacks.notice)
		at->request->callbacks.notice(at->request->callbacks.context, message);
}

static enum bs_status find_matches(struct deletion *at, const struct bs_index *index,
                                   struct bs_error *err)
{
	struct bs_search_request request = {
		.query.text = at->request->query,
		.query.text_bytes = at->request->query_bytes,
		.output.mode = BS_SEARCH_IDS,
		.query.any = at->request->any,
		.query.strict = true, /* An ambiguous query is an error and deletes nothing. */
		.callbacks.hit = take_hit,
		.callbacks.notice = tell,
		.callbacks.context = at,
	};
	struct bs_searcher *searcher = NULL;
	struct bs_search_result found = {.error_byte = SIZE_MAX};
	enum bs_status status = bs_searcher_new(index, &searcher, err);
	if (!status)
		status = bs_search(searcher, &request, &found, err);
	at->result->error_byte = found.error_byte;
	at->result->n_unreadable = status ? 0 : found.n_unreadable;
	at->result->changes = found.changes;
	bs_searcher_free(searcher);
	/* With a partial result, some matches would not be deleted. */
	if (!status && found.is_partial)
		status = bs_fail(err, BS_DEADLINE, "out of time: not all matches were found");
	bool lacks_memory = status == BS_STOPPED && !bs_deadline_is_over();
	return lacks_memory ? bs_fail_memory(err, "matches", at->refs.bytes.used_bytes) : status;
}

/* For undoing deletions: the query was run on the deleted documents, as if they were the index.
 * Replaces the matches in at->refs by their exclusions. places[i]: the document of exclusion i
 * (bs_delete_show). */
static enum bs_status take_exclusions(struct deletion *at, const struct bs_snapshot *snapshot,
                                      const struct bs_doc_ref *places, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < bs_vector_n(&at->refs) && !status; i++)
		status = bs_doc_bits_set(&at->hits, snapshot, at->refs.items[i], err);
	bs_vector_clear(&at->refs);
	for (uint32_t i = 0; i < snapshot->exclusions.table.n_docs && !status; i++)
		if (places[i].segment != BS_DOC_NONE && bs_doc_bits_has(&at->hits, places[i]))
			status = bs_vector_append(&at->refs,
			                          (&(struct bs_doc_ref){BS_DOC_EXCLUDED, i}), err);
	bs_doc_bits_deinit(&at->hits);
	return status;
}

/* Passes the chosen documents to the caller's callback. snapshot is the commit in which they were
 * found: in a dry run, the lock is not held, so a newer commit may exist. */
static enum bs_status list(const struct deletion *at, const struct bs_snapshot *snapshot,
                           struct bs_error *err)
{
	const struct bs_delete_request *request = at->request;
	return request->callbacks.document
	               ? bs_delete_list(snapshot, at->refs.items, bs_vector_n(&at->refs),
	                                request->callbacks.document, request->callbacks.context,
	                                err)
	               : BS_OK;
}

static enum bs_status choose_matches(struct deletion *at, struct bs_error *err)
{
	struct bs_open_request open = {.dir = at->request->dir,
	                               .memory = at->request->memory,
	                               .host.texts = at->request->host.texts,
	                               .host.consent = at->dir.consent,
	                               .host.analyzer = at->request->host.analyzer,
	                               .host.log = at->request->host.log};
	struct bs_index *index = NULL;
	struct bs_doc_ref *places = NULL;
	enum bs_status status = bs_index_open_with(&open, &index, err);
	if (!status && at->request->undo)
		status = bs_delete_show(&index->snapshot, &places, err);
	if (!status)
		status = find_matches(at, index, err);
	if (!status && at->request->undo)
		status = take_exclusions(at, &index->snapshot, places, err);
	if (!status)
		status = list(at, &index->snapshot, err);
	free(places);
	bs_index_close(index);
	return status;
}

static enum bs_status choose(struct deletion *at, struct bs_error *err)
{
	struct bs_snapshot snapshot;
	if (at->request->query)
		return choose_matches(at, err);
	enum bs_status status = bs_snapshot_open(&at->dir, &snapshot, err);
	if (status)
		return status;
	status = choose_ids(at, &snapshot, err);
	if (!status)
		status = list(at, &snapshot, err);
	bs_snapshot_deinit(&snapshot);
	return status;
}

static enum bs_status carry_out(struct deletion *at, struct bs_error *err)
{
	const struct bs_delete_request *request = at->request;
	struct bs_undone undone = {0};
	struct bs_snapshot snapshot;
	if (request->callbacks.confirm &&
	    request->callbacks.confirm(request->callbacks.context, bs_vector_n(&at->refs)))
		return bs_fail(err, BS_STOPPED, "nothing is deleted");
	enum bs_status status = bs_snapshot_open(&at->dir, &snapshot, err);
	if (status)
		return status;
	status = request->undo ? bs_delete_undo(&snapshot, at->refs.items, bs_vector_n(&at->refs),
	                                        &undone, err)
	                       : bs_delete_documents(&snapshot, at->refs.items,
	                                             bs_vector_n(&at->refs), err);
	at->result->n_to_read = undone.n_to_read;
	at->result->n_lost = undone.n_lost;
	bs_snapshot_deinit(&snapshot);
	return status;
}

/* Takes the lock before the query is run, unless this is a dry run, so that exactly the documents
 * found are deleted. */
static enum bs_status run(struct deletion *at, struct bs_error *err)
{
	const struct bs_delete_request *request = at->request;
	enum bs_status status =
		bs_dir_open(&at->dir, request->dir, request->memory, request->host.consent, err);
	if (!status && !request->dry_run)
		status = bs_index_lock_existing(&at->dir, request->wait, &at->lock, err);
	if (!status)
		status = choose(at, err);
	if (!status && bs_vector_n(&at->refs) > 0 && !request->dry_run)
		status = carry_out(at, err);
	at->result->n_deleted = status ? 0 : bs_vector_n(&at->refs);
	return status;
}

enum bs_status bs_index_delete(const struct bs_delete_request *request,
                               struct bs_delete_result *result_out, struct bs_error *err)
{
	struct bs_delete_result own;
	struct deletion at = {.request = request,
	                      .result = result_out ? result_out : &own,
	                      .dir = {.fd = -1},
	                      .lock = {.fd = -1}};
	*at.result = (struct bs_delete_result){.error_byte = SIZE_MAX};
	enum bs_status status =
		BS_CHECK_RESERVED(err, BS_RESERVED(bs_delete_request, *request),
	                          BS_RESERVED(bs_delete_callbacks, request->callbacks),
	                          BS_RESERVED(bs_host, request->host));
	struct bs_deadline deadline;
	struct bs_limits limits =
		request->limits ? *request->limits : (struct bs_limits){.partial = false};
	limits.partial = false;
	if (!status)
		status = bs_deadline_begin(&deadline, request->limits ? &limits : NULL, err);
	if (!status) {
		status = run(&at, err);
		bs_deadline_end(&deadline);
	}
	if (!status && at.result->n_deleted > 0 && !request->dry_run)
		bs_log_line(request->host.log, BS_LOG_INFO, "%s: %llu documents %s", at.dir.path,
		            (unsigned long long)at.result->n_deleted,
		            request->undo ? "are no longer deleted" : "deleted");
	bs_index_lock_release(&at.lock);
	bs_dir_close(&at.dir);
	bs_vector_deinit(&at.refs);
	return status;
}

static enum bs_status delete_uncommitted(struct bs_writer *writer, const char *query,
                                         size_t query_bytes, uint64_t *n_out, struct bs_error *err)
{
	const struct bs_uncommitted *uncommitted =
		(const struct bs_uncommitted *)(const void *)writer;
	struct bs_delete_request request = {.query = query, .query_bytes = query_bytes};
	struct bs_delete_result result = {.error_byte = SIZE_MAX};
	struct deletion at = {.request = &request, .result = &result};
	struct bs_index *index = NULL;
	enum bs_status status = bs_index_open_uncommitted(writer, &index, err);
	if (!status)
		status = find_matches(&at, index, err);
	bs_index_close(index);
	if (!status && result.n_unreadable > 0)
		status = bs_fail(err, BS_IO, "%llu documents that may match cannot be read",
		                 (unsigned long long)result.n_unreadable);
	if (!status && bs_vector_n(&at.refs) > 0)
		status = uncommitted->drop(writer, at.refs.items, bs_vector_n(&at.refs), err);
	*n_out = status ? 0 : bs_vector_n(&at.refs);
	bs_vector_deinit(&at.refs);
	return status;
}

enum bs_status bs_writer_delete_query(struct bs_writer *writer, const char *query,
                                      size_t query_bytes, uint64_t *n_out, struct bs_error *err)
{
	const struct bs_uncommitted *uncommitted =
		(const struct bs_uncommitted *)(const void *)writer;
	uint64_t own, *n = n_out ? n_out : &own;
	struct bs_deadline deadline;
	*n = 0;
	enum bs_status status = bs_deadline_begin(&deadline, uncommitted->limits, err);
	if (status)
		return status;
	status = delete_uncommitted(writer, query, query_bytes, n, err);
	bs_deadline_end(&deadline);
	return status;
}
