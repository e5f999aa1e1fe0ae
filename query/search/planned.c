/* planned.c: see planned.h. */
#include "query/search/planned.h"

#include "query/search/learn.h"
#include "query/search/run.h"

static enum bs_status run_to_plan(struct bs_run *run, struct bs_error *err)
{
	struct bs_finder *finder = run->finder;
	const struct bs_question *question = run->question;
	bs_loader_begin(finder->loader, question->run.verbose, question->run.no_stat);
	enum bs_status status = bs_reading_begin(finder->reading, &question->stop, question->statistics, err);
	if (!status)
		status = bs_learn(finder, question, run->stats, &run->learnt, &run->error_byte, err);
	return status ? status : bs_run_begin(run, err);
}

enum bs_status bs_finder_plan(struct bs_finder *finder, const struct bs_find_request *request,
                              enum bs_status (*use)(void *context, const struct bs_plan *plan, struct bs_scan *scan,
                                                    struct bs_error *err),
                              void *context, size_t *error_byte_out, struct bs_error *err)
{
	struct bs_find_request planned = *request;
	struct bs_query_stats stats = {.hits = 0};
	struct bs_question question;
	struct bs_finder_use call;
	planned.mode = BS_FIND_COUNT;
	planned.approx = false;
	planned.batch = NULL;
	planned.offset = 0;
	planned.sort_field = NULL;
	enum bs_status status = bs_question_make(&planned, NULL, &question, err);
	if (!status)
		status = bs_finder_enter(finder, request->limits, &call, err);
	if (status)
		return status;
	struct bs_run run = {.finder = finder, .question = &question, .stats = &stats, .error_byte = SIZE_MAX};
	finder->listener = &question.listener;
	status = run_to_plan(&run, err);
	if (!status)
		status = bs_watch_ask(err);
	if (!status)
		status = use(context, run.plan, &finder->memory.scan, err);
	bs_run_end(&run);
	finder->listener = NULL;
	bs_finder_leave(&call);
	if (error_byte_out && status == BS_INVALID)
		*error_byte_out = run.error_byte;
	return status;
}
