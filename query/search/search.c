/* search.c: most functions of bitsift/search.h. Makes a question from the caller's request
 * (question.h), and runs the stages. */
#include "core/bitsift/search.h"

#include "core/base/clock.h"
#include "core/program/search_program.h"
#include "query/answer/explain.h"
#include "query/plan/suggest.h"
#include "query/search/collect.h"
#include "query/search/count.h"
#include "query/search/feedback_terms.h"
#include "query/search/hand_out.h"
#include "query/search/ranked.h"
#include "query/search/search_question.h"
#include "query/search/sorted.h"

enum bs_status bs_searcher_new(const struct bs_index *index, struct bs_searcher **searcher_out,
                               struct bs_error *err)
{
	const struct bs_searcher_index only = {.index = index};
	return bs_searcher_make(&only, 1, searcher_out, err);
}

void bs_searcher_free(struct bs_searcher *searcher)
{
	bs_searcher_destroy(searcher);
}

struct search {
	struct bs_run run;
	struct bs_found found;
	/* In a request for candidates: the number of hits that may match but do not surely
	 * match. */
	uint64_t n_maybe;
	bool has_begun; /* The hits in the searcher's memory are of this search. */
	/* Most documents are skipped because of upper bounds of their scores; otherwise every match
	 * is scored. */
	bool by_bounds;
};

static enum bs_status prepare(struct search *search, struct bs_error *err)
{
	struct bs_run *run = &search->run;
	const struct bs_run_options *options = &run->question->run;
	enum bs_status status = BS_OK;
	if (options->sort_field && run->analysis == 0)
		status = bs_sorted_prepare(run, err);
	else if (options->mode == BS_SEARCH_TOP && !options->sort_field)
		status = bs_ranked_prepare(run, options->n_best, &search->by_bounds, err);
	bs_run_charge(run, BS_STAGE_PLAN);
	return status;
}

static enum bs_status look(struct search *search, struct bs_error *err)
{
	struct bs_run *run = &search->run;
	const struct bs_run_options *options = &run->question->run;
	if (options->sort_field)
		return bs_sorted_search(run, err);
	switch (options->mode) {
	case BS_SEARCH_TOP:
		return bs_ranked_search(run, options->n_best, &search->by_bounds, err);
	case BS_SEARCH_IDS:
		return bs_run_collect(run, &run->searcher->memory.hits, &search->n_maybe, err);
	case BS_SEARCH_COUNT:
		break;
	}
	return bs_run_count(run, &search->n_maybe, err);
}

/* Sorts the hits, and stores them in search->found. */
static void put_in_order(struct search *search)
{
	struct bs_run *run = &search->run;
	struct bs_query_memory *memory = &run->searcher->memory;
	const struct bs_run_options *options = &run->question->run;
	struct bs_found *found = &search->found;
	found->is_ranked = options->mode == BS_SEARCH_TOP;
	if (options->sort_field) {
		found->n = bs_sorting_finish(&memory->sorting, &found->sorted);
	} else if (found->is_ranked) {
		found->n = bs_top_finish(&memory->top, &found->hits);
	} else {
		found->hits = memory->hits.items;
		found->n = bs_vector_n(&memory->hits);
		bs_sort_by_document(run->plan->list, memory->hits.items, found->n);
	}
	bs_run_charge(run, BS_STAGE_RANK);
}

/* Passes an explanation to the caller: before the search, of the plan (is_done false); after it, of
 * the results. */
static enum bs_status explain(struct search *search, bool is_done, struct bs_error *err)
{
	struct bs_run *run = &search->run;
	const struct bs_question *question = run->question;
	const struct bs_search_callbacks *listener = &question->listener;
	const struct bs_kernel *kernel = run->searcher->index->kernel;
	struct bs_query_memory *memory = &run->searcher->memory;
	enum bs_status status = BS_OK;
	if (!listener->explain)
		return BS_OK;
	bs_buffer_clear(&memory->text);
	if (is_done && !bs_run_is_brute(run))
		status = bs_explain_waterfall(run->plan, kernel, &memory->scan, run->stats,
		                              !search->by_bounds, question->explain_bars,
		                              &memory->text, err);
	if (!status)
		status = is_done ? bs_explain_stats(run->stats, &memory->text, err)
		                 : bs_explain_plan(run->plan, question->query.text, kernel,
		                                   &memory->text, err);
	if (!status)
		listener->explain(listener->context, (const char *)memory->text.data,
		                  memory->text.used_bytes);
	return status;
}

/* Sums up the times of the stages. This excludes the time that the callbacks for hits take. */
static void add_up(struct bs_query_stats *stats)
{
	stats->total_ns = 0;
	for (int stage = 0; stage < BS_STAGES; stage++)
		stats->total_ns += stats->stage_ns[stage];
}

/* Searches the indexes that have query analysis number `analysis`. */
static enum bs_status look_with(struct search *search, uint32_t analysis, struct bs_error *err)
{
	struct bs_run *run = &search->run;
	enum bs_status status =
		analysis == 0 ? bs_run_begin(run, err) : bs_run_restart(run, analysis, err);
	if (!status)
		status = prepare(search, err);
	if (!status)
		status = explain(search, false, err);
	run->since_ns = bs_now_ns();
	search->has_begun |= !status;
	return status ? status : look(search, err);
}

/* Runs the query, after bs_expand_question has found the terms to add to it. */
static enum bs_status run_query(struct search *search, struct bs_error *err)
{
	struct bs_run *run = &search->run;
	struct bs_searcher *searcher = run->searcher;
	enum bs_status status = BS_OK;
	bs_vector_clear(&searcher->memory.hits);
	for (uint32_t i = 0; i < searcher->n_readings && !status; i++)
		status = look_with(search, i, err);
	if (bs_run_is_cut(run, status))
		status = search->has_begun && search->by_bounds ? bs_ranked_keep_unchanged(run, err)
		                                                : BS_OK;
	if (!status && search->has_begun) {
		put_in_order(search);
		if (run->question->run.mode != BS_SEARCH_COUNT)
			status = bs_run_hand_out(run, &search->found, err);
	}
	if (!status && run->question->suggest && run->stats->hits == 0 && !run->is_partial)
		status =
			bs_suggest_words(run->plan, searcher->analysis->words_unstemmed != NULL,
		                         &searcher->memory.text, bs_searcher_notice, searcher, err);
	add_up(run->stats);
	if (!status && !run->is_partial)
		status = explain(search, true, err);
	/* The hits were passed on; only the reports after them were cut off. */
	if (bs_run_is_cut(run, status))
		status = BS_OK;
	bs_run_end(run);
	return status;
}

static enum bs_status find(struct search *search, struct bs_error *err)
{
	struct bs_run *run = &search->run;
	struct bs_searcher *searcher = run->searcher;
	const struct bs_question *question = run->question;
	searcher->memory.sorting.n_passed = 0;
	searcher->memory.sorting.is_open = false;
	bs_loader_begin(searcher->loader, question->run.verbose, question->run.no_stat);
	searcher->analysis = searcher->readings;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < searcher->n_readings && !status; i++)
		status = bs_query_analysis_begin(&searcher->readings[i], &question->stop,
		                                 question->statistics, err);
	if (!status)
		status = bs_expand_question(searcher, question, run->stats, &run->learnt,
		                            &run->error_byte, err);
	if (!status)
		return run_query(search, err);
	return bs_run_is_cut(run, status) ? BS_OK : status;
}

static void fill_result(const struct search *search, enum bs_status status,
                        uint64_t n_failures_before, struct bs_search_result *result)
{
	const struct bs_run *run = &search->run;
	const struct bs_searcher *searcher = run->searcher;
	const struct bs_sorting *sorting = &searcher->memory.sorting;
	bool is_sorted = run->question->run.sort_field;
	result->error_byte = status == BS_INVALID ? run->error_byte : SIZE_MAX;
	result->stats.hits += is_sorted && !status ? sorting->n_passed : 0;
	result->n_hits = result->stats.hits;
	result->n_candidates = search->n_maybe;
	result->is_partial = run->is_partial;
	result->is_at_least = !status && ((search->by_bounds && bs_ranked_is_open(run)) ||
	                                  (is_sorted && sorting->is_open) || run->is_partial);
	result->changes = bs_loader_changes(searcher->loader);
	result->n_unreadable =
		bs_loader_failures(searcher->loader) - n_failures_before + searcher->n_unfollowed;
}

static enum bs_status find_in_use(struct bs_searcher *searcher, const struct bs_question *question,
                                  struct bs_search_result *result, struct bs_error *err)
{
	struct search search = {.run = {.searcher = searcher,
	                                .question = question,
	                                .stats = &result->stats,
	                                .error_byte = SIZE_MAX}};
	searcher->listener = &question->listener;
	enum bs_status status = bs_searcher_trim(searcher, err);
	uint64_t n_failures = bs_loader_failures(searcher->loader);
	if (!status)
		status = find(&search, err);
	searcher->listener = NULL;
	fill_result(&search, status, n_failures, result);
	return status;
}

enum bs_status bs_search(struct bs_searcher *searcher, const struct bs_search_request *request,
                         struct bs_search_result *result_out, struct bs_error *err)
{
	return bs_search_for_program(searcher, request, NULL, result_out, err);
}

enum bs_status bs_search_for_program(struct bs_searcher *searcher,
                                     const struct bs_search_request *request,
                                     const struct bs_search_program *program,
                                     struct bs_search_result *result_out, struct bs_error *err)
{
	struct bs_search_result own, *result = result_out ? result_out : &own;
	struct bs_question question;
	*result = (struct bs_search_result){.error_byte = SIZE_MAX};
	enum bs_status status = bs_question_make(request, program, &question, err);
	return status ? status
	              : bs_searcher_find(searcher, &question, request->limits, result, err);
}

enum bs_status bs_searcher_find(struct bs_searcher *searcher, const struct bs_question *question,
                                const struct bs_limits *limits, struct bs_search_result *result_out,
                                struct bs_error *err)
{
	const struct bs_log *log = searcher->index->log;
	struct bs_searcher_use use;
	*result_out = (struct bs_search_result){.error_byte = SIZE_MAX};
	enum bs_status status = bs_searcher_enter(searcher, limits, &use, err);
	if (status)
		return status;
	uint64_t start_ns = log ? bs_now_ns() : 0;
	status = find_in_use(searcher, question, result_out, err);
	bs_searcher_leave(&use);
	if (log)
		bs_question_log(log, question, result_out, status, bs_now_ns() - start_ns, err);
	return status;
}

enum bs_status bs_searcher_suggest(struct bs_searcher *searcher, const struct bs_question *question,
                                   struct bs_error *err)
{
	struct bs_query_stats stats = {.hits = 0};
	const struct bs_feedback *learnt = &searcher->learning.feedback;
	struct bs_run run = {.searcher = searcher,
	                     .question = question,
	                     .learnt = learnt,
	                     .stats = &stats,
	                     .is_silent = true};
	struct bs_searcher_use use;
	enum bs_status status = bs_searcher_enter(searcher, NULL, &use, err);
	if (status)
		return status;
	searcher->listener = &question->listener;
	status = bs_query_analysis_begin(searcher->analysis, &question->stop, question->statistics,
	                                 err);
	if (!status)
		status = bs_run_begin(&run, err);
	if (!status)
		status =
			bs_suggest_words(run.plan, searcher->analysis->words_unstemmed != NULL,
		                         &searcher->memory.text, bs_searcher_notice, searcher, err);
	bs_run_end(&run);
	searcher->listener = NULL;
	bs_searcher_leave(&use);
	return status;
}

static enum bs_status read_document(struct bs_searcher *searcher, struct bs_doc_ref ref,
                                    const struct bs_text **texts_out, size_t *n_texts_out,
                                    bool *is_changed_out, struct bs_error *err)
{
	struct bs_document_texts *texts = &searcher->texts;
	enum bs_status status = bs_document_read(texts, searcher->loader, ref, is_changed_out, err);
	if (status)
		return status;
	*texts_out = texts->texts.items;
	*n_texts_out = bs_vector_n(&texts->texts);
	return BS_OK;
}

enum bs_status bs_document(struct bs_searcher *searcher, const char *id, size_t id_bytes,
                           const struct bs_text **texts_out, size_t *n_texts_out,
                           bool *is_changed_out, struct bs_error *err)
{
	struct bs_doc_ref ref;
	struct bs_searcher_use use;
	*texts_out = NULL;
	*n_texts_out = 0;
	enum bs_status status = bs_searcher_enter(searcher, NULL, &use, err);
	if (status)
		return status;
	status = bs_document_find(&searcher->texts, &searcher->list, id, id_bytes, &ref, err);
	if (!status)
		status = read_document(searcher, ref, texts_out, n_texts_out, is_changed_out, err);
	bs_searcher_leave(&use);
	return status;
}

enum bs_status bs_document_numbered(struct bs_searcher *searcher, uint64_t document,
                                    const struct bs_text **texts_out, size_t *n_texts_out,
                                    bool *is_changed_out, struct bs_error *err)
{
	const struct bs_snapshot_list *list = &searcher->list;
	struct bs_doc_ref ref = bs_document_ref(document);
	struct bs_searcher_use use;
	*texts_out = NULL;
	*n_texts_out = 0;
	if (ref.segment >= list->n_segments ||
	    ref.document >= bs_list_segment(list, ref.segment)->n_docs ||
	    !bs_list_has_words(list, ref.segment) || bs_list_is_deleted(list, ref))
		return bs_fail(err, BS_NOT_FOUND, "there is no document %llu",
		               (unsigned long long)document);
	enum bs_status status = bs_searcher_enter(searcher, NULL, &use, err);
	if (status)
		return status;
	status = read_document(searcher, ref, texts_out, n_texts_out, is_changed_out, err);
	bs_searcher_leave(&use);
	return status;
}
