/*
 * engine_bitsift.c: bitsift through its public library: exact counts, the best ten, all ids, and
 * reading every text (--brute). Only bitsift-stat and bitsift-brute check the sources for changes;
 * the others do not (no_stat), because the other products do not either. engine_filter.c has
 * bitsift's candidates without verification.
 */
#include "bench/engine_bitsift.h"

#include <stdlib.h>
#include <string.h>

#include "bench/tool.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/status.h"

struct bitsift_options bitsift_options;

/* Consents to reading sources outside the folder of the index, because the corpus is elsewhere. */
static const struct bs_consent consent = {.all = true};

struct bitsift {
	struct bs_index *index;
	struct bs_searcher *searcher;
};

void *bitsift_open(const struct corpus *corpus, const char *index_path, const struct query_set *set)
{
	struct bitsift *bitsift = grown(NULL, sizeof(*bitsift));
	struct bs_error err;
	(void)corpus, (void)set;
	struct bs_open_request open = {
		.dir = index_path, .kernel = bitsift_options.kernel, .host.consent = &consent};
	if (bs_index_open_with(&open, &bitsift->index, &err) ||
	    bs_searcher_new(bitsift->index, &bitsift->searcher, &err))
		die("%s", err.text);
	return bitsift;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	(void)context, (void)hit;
	return 0;
}

/* Runs a query. request: only its mode and method are set. */
static void ask(struct bitsift *bitsift, const struct query *query,
                struct bs_search_request request, struct answer *answer_out)
{
	request.query.text = query->text;
	request.query.text_bytes = strlen(query->text);
	request.query.any = query->is_any;
	/* One thread, as the other engines, unless the engine's name states otherwise. */
	if (request.method.n_threads == 0)
		request.method.n_threads = 1;
	/* Only for counts: the search for the ten best never takes a count from a df. */
	request.method.exhaustive =
		bitsift_options.exhaustive && request.output.mode == BS_SEARCH_COUNT;
	request.callbacks.hit = take_hit;
	struct bs_search_result result;
	struct bs_error err;
	if (bs_search(bitsift->searcher, &request, &result, &err))
		die("%s: %s", query->text, err.text);
	if (result.n_unreadable)
		die("%s: the source of the index has gone or changed", query->text);
	answer_out->count = result.n_hits;
	answer_out->touched = (struct touched){.is_known = true,
	                                       .index_bytes = result.stats.scan.lines_read * 64,
	                                       .text_bytes = result.stats.verify.bytes,
	                                       .n_texts = result.stats.verify.verified};
}

void bitsift_count(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, query,
	    (struct bs_search_request){.output.mode = BS_SEARCH_COUNT, .method.no_stat = true},
	    answer_out);
}

void bitsift_count_stat(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, query, (struct bs_search_request){.output.mode = BS_SEARCH_COUNT}, answer_out);
}

void bitsift_count_two_threads(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, query,
	    (struct bs_search_request){
		    .output.mode = BS_SEARCH_COUNT, .method.no_stat = true, .method.n_threads = 2},
	    answer_out);
}

void bitsift_ids(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, query,
	    (struct bs_search_request){.output.mode = BS_SEARCH_IDS, .method.no_stat = true},
	    answer_out);
}

void bitsift_top(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, query,
	    (struct bs_search_request){.output.mode = BS_SEARCH_TOP, .method.no_stat = true},
	    answer_out);
}

void bitsift_brute(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, query,
	    (struct bs_search_request){.output.mode = BS_SEARCH_COUNT, .method.brute = true},
	    answer_out);
}

void bitsift_close(void *handle)
{
	struct bitsift *bitsift = handle;
	bs_searcher_free(bitsift->searcher);
	bs_index_close(bitsift->index);
	free(bitsift);
}

/* Building. */

static void build(const struct corpus *corpus, const char *path, uint32_t n_threads, double density,
                  struct build_times *times_out)
{
	const char *sources[] = {corpus->source};
	struct bs_build_request request = {.dir = path,
	                                   .sources = sources,
	                                   .n_sources = 1,
	                                   .index.words = true,
	                                   .write.n_threads = n_threads,
	                                   .index.density = density,
	                                   .host.consent = &consent,
	                                   /* as in tokens_write.c */
	                                   .rules.no_ignore = true,
	                                   .rules.no_records = true}; /* files are documents */
	struct bs_build_report report;
	struct bs_error err;
	build_begins(times_out);
	if (bs_index_build(&request, &report, &err))
		die("%s", err.text);
	if (report.n_docs != corpus->n_docs)
		die("%s: some documents have the same id, or it has changed", corpus->source);
	build_finishes(times_out);
	build_ends(times_out);
}

void bitsift_build(const struct corpus *corpus, const char *path, struct build_times *times_out)
{
	build(corpus, path, 1, 0, times_out);
}

void bitsift_build_two_threads(const struct corpus *corpus, const char *path,
                               struct build_times *times_out)
{
	build(corpus, path, 2, 0, times_out);
}

void bitsift_build_dense(const struct corpus *corpus, const char *path,
                         struct build_times *times_out)
{
	build(corpus, path, 1, 0.5, times_out);
}
