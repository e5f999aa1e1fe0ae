/* bitsift_find.c: the opening and searching parts of bitsift.h, put upon search.h. */
#include "core/bitsift.h"

#include <stdlib.h>

#include "core/store/index_dir.h"
#include "query/search/search.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define USUAL_N_BEST 10

struct bs_index {
	struct bs_search search;
};

struct bs_finder {
	const struct bs_index *index;
	struct bs_searcher *searcher;
	const struct bs_find_request *request; /* being run */
};

/* ---- opening ---- */

enum bs_status bs_index_open_with(const struct bs_open_request *request, struct bs_index **index_out, struct bs_error *err)
{
	*index_out = NULL;
	enum bs_status status = bs_check_reserved("struct bs_open_request", request->reserved, COUNT(request->reserved), err);
	if (status)
		return status;
	struct bs_index *index = calloc(1, sizeof(*index));
	if (!index)
		return bs_fail_memory(err, "an index", sizeof(*index));
	status = bs_search_open(request->dir, request->consent, request->kernel, &index->search, err);
	if (!status && request->fresh)
		status = bs_search_freshen(&index->search, request->notice, request->context, err);
	if (status)
		bs_index_close(index);
	else
		*index_out = index;
	return status;
}

enum bs_status bs_index_open(const char *dir, const char *kernel, struct bs_index **index_out, struct bs_error *err)
{
	struct bs_open_request request = {.dir = dir, .kernel = kernel};
	return bs_index_open_with(&request, index_out, err);
}

enum bs_status bs_index_open_fresh(const char *dir, const char *kernel,
                                   void (*notice)(void *context, const char *message), void *context,
                                   struct bs_index **index_out, struct bs_error *err)
{
	struct bs_open_request request = {.dir = dir, .kernel = kernel, .fresh = true, .notice = notice, .context = context};
	return bs_index_open_with(&request, index_out, err);
}

void bs_index_close(struct bs_index *index)
{
	if (!index)
		return;
	bs_search_deinit(&index->search);
	free(index);
}

enum bs_status bs_index_locate(char **dir_out, struct bs_error *err)
{
	return bs_index_find(dir_out, err);
}

void bs_index_describe(const struct bs_index *index, struct bs_index_info *info_out)
{
	const struct bs_snapshot *snapshot = &index->search.snapshot;
	*info_out = (struct bs_index_info){
		.n_docs = snapshot->n_live_docs,
		.n_deleted = snapshot->n_docs + snapshot->overlay.n_docs - snapshot->n_live_docs,
		.n_segments = snapshot->manifest.n_segments,
		.generation = snapshot->manifest.generation,
		.is_other_unicode = index->search.is_other_unicode,
		.icu_version = snapshot->manifest.icu_version,
		.unicode_version = snapshot->manifest.unicode_version,
		.kernel = index->search.kernel->name,
		.n_unread = index->search.n_unread,
	};
}

/* ---- callbacks ---- */

static enum bs_status tell_hit(void *context, const struct bs_search_hit *hit, struct bs_error *err)
{
	const struct bs_finder *finder = context;
	const struct bs_find_request *request = finder->request;
	struct bs_find_hit told = {
		.rank = hit->rank,
		.score = hit->score,
		.id = hit->id_bytes ? (const char *)hit->id : "",
		.id_bytes = hit->id_bytes,
		.path = hit->path,
		.snippet = (const char *)hit->snippet,
		.snippet_bytes = hit->snippet_bytes,
	};
	if (request->hit(request->context, &told) != 0)
		return bs_fail(err, BS_STOPPED, "stopped");
	return BS_OK;
}

static void tell_notice(void *context, const char *message)
{
	const struct bs_finder *finder = context;
	if (finder->request && finder->request->notice)
		finder->request->notice(finder->request->context, message);
}

static void tell_explain(void *context, const char *text, size_t text_bytes)
{
	const struct bs_finder *finder = context;
	finder->request->explain(finder->request->context, text, text_bytes);
}

/* ---- searching ---- */

enum bs_status bs_finder_new(const struct bs_index *index, struct bs_finder **finder_out, struct bs_error *err)
{
	struct bs_finder *finder = calloc(1, sizeof(*finder));
	*finder_out = NULL;
	if (!finder)
		return bs_fail_memory(err, "a finder", sizeof(*finder));
	finder->index = index;
	struct bs_search_sink sink = {
		.context = finder,
		.hit = tell_hit,
		.notice = tell_notice,
		.explain = tell_explain,
	};
	enum bs_status status = bs_searcher_new(&index->search, &sink, &finder->searcher, err);
	if (status) {
		free(finder);
		return status;
	}
	*finder_out = finder;
	return BS_OK;
}

void bs_finder_free(struct bs_finder *finder)
{
	if (!finder)
		return;
	bs_searcher_free(finder->searcher);
	free(finder);
}

static enum bs_status check_request(const struct bs_find_request *request, enum bs_search_mode *mode_out,
                                    struct bs_error *err)
{
	switch (request->mode) {
	case BS_FIND_TOP:
		*mode_out = BS_SEARCH_TOP;
		break;
	case BS_FIND_IDS:
		*mode_out = BS_SEARCH_IDS;
		break;
	case BS_FIND_COUNT:
		*mode_out = BS_SEARCH_COUNT;
		break;
	default:
		return bs_fail(err, BS_UNSUPPORTED, "struct bs_find_request: no mode %d", (int)request->mode);
	}
	if (request->approx && request->mode != BS_FIND_TOP)
		return bs_fail(err, BS_INVALID, "struct bs_find_request: only ranked hits can be had approximately");
	if (!request->hit && request->mode != BS_FIND_COUNT)
		return bs_fail(err, BS_INVALID, "struct bs_find_request: no function for hits");
	return bs_check_reserved("struct bs_find_request", request->reserved, COUNT(request->reserved), err);
}

static struct bs_search_request make_request(const struct bs_find_request *request, enum bs_search_mode mode)
{
	return (struct bs_search_request){
		.text = (const uint8_t *)request->query,
		.text_bytes = request->query_bytes,
		.mode = mode,
		.k = request->n_best ? request->n_best : USUAL_N_BEST,
		.any = request->any,
		.approx = request->approx,
		.brute = request->brute,
		.explain = request->explain != NULL,
		.snippets = request->snippets,
		.mark_start = request->mark_start,
		.mark_stop = request->mark_stop,
	};
}

static void copy_stats(const struct bs_query_stats *stats, struct bs_find_result *result)
{
	result->n_hits = stats->hits;
	result->parse_ns = stats->stage_ns[BS_STAGE_PARSE];
	result->plan_ns = stats->stage_ns[BS_STAGE_PLAN];
	result->scan_ns = stats->stage_ns[BS_STAGE_SCAN];
	result->rank_ns = stats->stage_ns[BS_STAGE_RANK];
	result->verify_ns = stats->stage_ns[BS_STAGE_VERIFY];
	result->lines_read = stats->lines_read;
	result->blocks_live = stats->blocks_live;
	result->candidates = stats->candidates;
	result->verified = stats->verified;
	result->false_positives = stats->false_positives;
	result->bytes_verified = stats->bytes_verified;
}

enum bs_status bs_find(struct bs_finder *finder, const struct bs_find_request *request,
                       struct bs_find_result *result_out, struct bs_error *err)
{
	struct bs_find_result result = {.error_byte = SIZE_MAX};
	struct bs_query_stats stats = {.total_ns = 0};
	enum bs_search_mode mode = BS_SEARCH_TOP;
	enum bs_status status = check_request(request, &mode, err);
	if (!status) {
		struct bs_search_request search_request = make_request(request, mode);
		uint64_t n_failures = bs_searcher_failures(finder->searcher);
		size_t error_byte = SIZE_MAX;
		finder->request = request;
		status = bs_searcher_run(finder->searcher, &search_request, &stats, &error_byte, err);
		finder->request = NULL;
		if (status == BS_INVALID)
			result.error_byte = error_byte;
		result.n_unreadable = bs_searcher_failures(finder->searcher) - n_failures + finder->index->search.n_unfollowed;
	}
	copy_stats(&stats, &result);
	if (result_out)
		*result_out = result;
	return status;
}
