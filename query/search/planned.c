/* planned.c: see planned.h. */
#include "query/search/planned.h"

#include "query/search/feedback_terms.h"
#include "query/search/run.h"

static enum bs_status run_to_plan(struct bs_run *run, struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	const struct bs_question *question = run->question;
	bs_loader_begin(searcher->loader, question->run.verbose, question->run.no_stat);
	enum bs_status status = bs_query_analysis_begin(searcher->analysis, &question->stop,
	                                                question->statistics, err);
	if (!status)
		status = bs_expand_question(searcher, question, run->stats, &run->learnt,
		                            &run->error_byte, err);
	return status ? status : bs_run_begin(run, err);
}

enum bs_status bs_searcher_plan(struct bs_searcher *searcher,
                                const struct bs_search_request *request,
                                enum bs_status (*use)(void *context, const struct bs_plan *plan,
                                                      struct bs_scan *scan, struct bs_error *err),
                                void *context, size_t *error_byte_out, struct bs_error *err)
{
	struct bs_search_request planned = *request;
	struct bs_query_stats stats = {.hits = 0};
	struct bs_question question;
	struct bs_searcher_use call;
	planned.output.mode = BS_SEARCH_COUNT;
	planned.method.approx = false;
	planned.callbacks.batch = NULL;
	planned.output.offset = 0;
	planned.output.sort_field = NULL;
	enum bs_status status = bs_question_make(&planned, NULL, &question, err);
	if (!status)
		status = bs_searcher_enter(searcher, request->limits, &call, err);
	if (status)
		return status;
	struct bs_run run = {.searcher = searcher,
	                     .question = &question,
	                     .stats = &stats,
	                     .error_byte = SIZE_MAX};
	searcher->listener = &question.listener;
	status = run_to_plan(&run, err);
	if (!status)
		status = bs_deadline_check(err);
	if (!status)
		status = use(context, run.plan, &searcher->memory.scan, err);
	bs_run_end(&run);
	searcher->listener = NULL;
	bs_searcher_leave(&call);
	if (error_byte_out && status == BS_INVALID)
		*error_byte_out = run.error_byte;
	return status;
}
