/* estimate_request.c: bs_estimate (bitsift/candidates.h). */
#include "core/bitsift/candidates.h"

#include "query/plan/estimate.h"
#include "query/search/planned.h"

static enum bs_status estimate(void *context, const struct bs_plan *plan, struct bs_scan *scan,
                               struct bs_error *err)
{
	(void)scan;
	return bs_plan_estimate(plan, context, err);
}

enum bs_status bs_estimate(struct bs_searcher *searcher, const struct bs_search_request *request,
                           struct bs_search_estimate *estimate_out, struct bs_error *err)
{
	struct bs_search_request asked = {.query.text = request->query.text,
	                                  .query.text_bytes = request->query.text_bytes,
	                                  .query.any = request->query.any,
	                                  .query.stop_language = request->query.stop_language,
	                                  .query.stop_words = request->query.stop_words,
	                                  .query.stop_words_bytes = request->query.stop_words_bytes,
	                                  .query.field = request->query.field,
	                                  .limits = request->limits};
	struct bs_plan_estimate found = {0};
	enum bs_status status = bs_searcher_plan(searcher, &asked, estimate, &found, NULL, err);
	*estimate_out = (struct bs_search_estimate){
		.n_docs = status ? 0 : searcher->list.n_docs,
		.n_hits = found.n_hits,
		.n_least_df = found.n_most,
		.is_certain = found.is_certain && !searcher->index->has_other_words,
	};
	return status;
}
