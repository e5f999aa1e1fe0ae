/* delete_matches.c: bs_index_delete: of ids by corpus/changes/exclusions.c; of a query, what is found is deleted. */
#include <stdlib.h>

#include "core/store/index_dir.h"
#include "corpus/changes/exclusions.h"
#include "query/search/search.h"

static enum bs_status delete_ids(const struct bs_delete_request *request, struct bs_dir *dir,
                                 struct bs_delete_result *result, struct bs_error *err)
{
	struct bs_error line;
	bool *found = calloc(request->n_ids + 1, sizeof(*found));
	if (!found)
		return bs_fail_memory(err, "ids", request->n_ids);
	enum bs_status status =
		bs_delete_ids(dir, request->wait, request->ids, request->n_ids, found, &result->n_deleted, err);
	for (size_t i = 0; i < request->n_ids && !status && request->notice; i++) {
		if (found[i])
			continue;
		(void)bs_fail(&line, BS_OK, "%s: no document has this id", request->ids[i]);
		request->notice(request->context, line.text);
	}
	free(found);
	return status;
}

struct matches {
	const struct bs_delete_request *request;
	struct bs_buffer refs;
};

static int take_hit(void *context, const struct bs_find_hit *hit)
{
	struct matches *matches = context;
	struct bs_doc_ref ref = bs_find_hit_ref(hit);
	return bs_buffer_append(&matches->refs, &ref, sizeof(ref), NULL) != BS_OK;
}

static void tell(void *context, const char *message)
{
	const struct matches *matches = context;
	if (matches->request->notice)
		matches->request->notice(matches->request->context, message);
}

static enum bs_status find_matches(struct matches *matches, const struct bs_index *index,
                                   struct bs_delete_result *result, struct bs_error *err)
{
	struct bs_find_request request = {
		.query = matches->request->query,
		.query_bytes = matches->request->query_bytes,
		.mode = BS_FIND_IDS,
		.any = matches->request->any,
		.hit = take_hit,
		.notice = tell,
		.context = matches,
	};
	struct bs_finder *finder = NULL;
	struct bs_find_result found = {.error_byte = SIZE_MAX};
	enum bs_status status = bs_finder_new(index, &finder, err);
	if (!status)
		status = bs_find(finder, &request, &found, err);
	result->error_byte = found.error_byte;
	result->n_unreadable = status ? 0 : found.n_unreadable;
	result->changes = found.changes;
	bs_finder_free(finder);
	return status == BS_STOPPED ? bs_fail_memory(err, "matches", matches->refs.used_bytes) : status;
}

/* With the lock held from before the query is run: what is deleted is what was found. */
static enum bs_status delete_matches(const struct bs_delete_request *request, struct bs_dir *dir,
                                     struct bs_delete_result *result, struct bs_error *err)
{
	struct matches matches = {.request = request};
	struct bs_open_request open = {.dir = dir->path, .consent = dir->consent};
	struct bs_index *index = NULL;
	struct bs_index_lock lock;
	enum bs_status status = bs_index_lock_existing(dir, request->wait, &lock, err);
	if (!status)
		status = bs_index_open_with(&open, &index, err);
	if (!status)
		status = find_matches(&matches, index, result, err);
	size_t n = matches.refs.used_bytes / sizeof(struct bs_doc_ref);
	if (!status && n > 0)
		status = bs_delete_documents(&index->snapshot,
		                             (const struct bs_doc_ref *)(const void *)matches.refs.data, n, err);
	result->n_deleted = status ? 0 : n;
	bs_index_close(index);
	bs_index_lock_release(&lock);
	bs_buffer_deinit(&matches.refs);
	return status;
}

enum bs_status bs_index_delete(const struct bs_delete_request *request, struct bs_delete_result *result_out,
                               struct bs_error *err)
{
	struct bs_delete_result own, *result = result_out ? result_out : &own;
	struct bs_dir dir = {.fd = -1};
	*result = (struct bs_delete_result){.error_byte = SIZE_MAX};
	enum bs_status status = bs_check_reserved("struct bs_delete_request", request->reserved,
	                                          sizeof(request->reserved) / sizeof(*request->reserved), err);
	if (!status)
		status = bs_dir_open(&dir, request->dir, request->consent, err);
	if (!status)
		status = request->query ? delete_matches(request, &dir, result, err) : delete_ids(request, &dir, result, err);
	bs_dir_close(&dir);
	return status;
}
