/*
 * engine_filter.c: bitsift's candidates: the stages parse, plan and scan of query/search/search.c
 * without verification. This is the only file of the benchmark that includes headers of query/,
 * because the library has no function that returns the candidates of a query of words.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/engine_bitsift.h"
#include "bench/tool.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "query/language/parse.h"
#include "query/plan/plan.h"
#include "query/scan/scan.h"
#include "query/search/index_handle.h"

struct filter {
	struct bs_index *index;
	struct bs_tokenizer *tokenizer;
	struct bs_plan plan;
	struct bs_scan scan;
	struct bs_candidate_list candidates;
	struct bs_snapshot_list list;
	struct bs_file_names names; /* empty; bs_plan_make needs it */
};

void *filter_open(const struct corpus *corpus, const char *index_path, const struct query_set *set)
{
	struct filter *filter = grown(NULL, sizeof(*filter));
	struct bs_error err;
	(void)corpus, (void)set;
	*filter = (struct filter){0};
	if (bs_index_open_with(
		    &(struct bs_open_request){.dir = index_path, .kernel = bitsift_options.kernel},
		    &filter->index, &err))
		die("%s", err.text);
	const struct bs_list_entry entry = {.snapshot = &filter->index->snapshot};
	if (bs_snapshot_list_init(&filter->list, &entry, 1, &err) ||
	    bs_tokenizer_new(NULL, &filter->tokenizer, &err))
		die("%s", err.text);
	return filter;
}

void filter_ask(void *handle, const struct query *query, struct answer *answer_out)
{
	struct filter *filter = handle;
	struct bs_query_options options = {
		.tokenizer = filter->tokenizer,
		.fields = &filter->index->snapshot.manifest.fields,
		.longest_field_bytes = BS_QUERY_MAX_FIELD_BYTES,
	};
	struct bs_scan_stats stats = {0};
	struct bs_query_tree *parsed;
	struct bs_error err;
	uint64_t n_sure = 0;
	enum bs_status status = bs_query_parse((const uint8_t *)query->text, strlen(query->text),
	                                       &options, &parsed, NULL, &err);
	if (!status)
		status = bs_plan_make(&filter->plan,
		                      &(struct bs_plan_inputs){.query = parsed,
		                                               .list = &filter->list,
		                                               .names = &filter->names,
		                                               .corpus = {&filter->list, NULL}},
		                      &err);
	for (uint32_t s = 0; s < filter->list.n_segments && !status; s++) {
		if (bs_plan_source(&filter->plan, s) != BS_PLAN_COLUMNS)
			continue;
		bs_vector_clear(&filter->candidates);
		/* Counts certain candidates without listing them, as bitsift's exact counts do. */
		status = bs_scan_segment(&filter->scan, &filter->plan, s, filter->index->kernel,
		                         &filter->candidates, &n_sure, &stats, &err);
	}
	if (status)
		die("%s: %s", query->text, err.text);
	answer_out->count = stats.candidates;
	answer_out->touched =
		(struct touched){.is_known = true, .index_bytes = stats.lines_read * 64};
	bs_query_tree_free(parsed);
}

void filter_close(void *handle)
{
	struct filter *filter = handle;
	bs_plan_deinit(&filter->plan);
	bs_scan_deinit(&filter->scan);
	bs_tokenizer_free(filter->tokenizer);
	bs_vector_deinit(&filter->candidates);
	bs_snapshot_list_deinit(&filter->list);
	bs_index_close(filter->index);
	free(filter);
}
