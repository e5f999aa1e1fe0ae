/* searcher.c: see searcher.h. */
#include "query/search/searcher.h"

#include <stdlib.h>

void bs_searcher_notice(void *context, const char *message)
{
	const struct bs_searcher *searcher = context;
	if (searcher->listener && searcher->listener->notice)
		searcher->listener->notice(searcher->listener->context, message);
}

/* Makes the loader for the caller's thread, and the crew of worker threads. */
static enum bs_status make_readers(struct bs_searcher *searcher, struct bs_error *err)
{
	enum bs_status status = bs_loader_new(&searcher->list, searcher->prefix_checks,
	                                      bs_searcher_notice, searcher, &searcher->loader, err);
	if (!status)
		status = bs_verify_crew_new(&searcher->list, searcher->prefix_checks,
		                            searcher->loader, &searcher->crew, err);
	if (status) {
		bs_loader_free(searcher->loader);
		searcher->loader = NULL;
	}
	return status;
}

/* Makes the list of indexes. Indexes with the same query analysis get the same number for it. */
static enum bs_status list_indexes(struct bs_searcher *searcher,
                                   const struct bs_searcher_index *indexes, uint32_t n,
                                   struct bs_error *err)
{
	struct bs_list_entry *entries = calloc(n, sizeof(*entries));
	searcher->prefix_checks = calloc(n, sizeof(*searcher->prefix_checks));
	enum bs_status status = entries && searcher->prefix_checks
	                                ? BS_OK
	                                : bs_fail_memory(err, "a searcher", n * sizeof(*entries));
	for (uint32_t i = 0; i < n && !status; i++) {
		const struct bs_index *index = indexes[i].index;
		uint32_t like = 0;
		entries[i] = (struct bs_list_entry){.snapshot = &index->snapshot,
		                                    .has_other_words = index->has_other_words,
		                                    .is_passed_over = indexes[i].is_passed_over,
		                                    .name = indexes[i].name};
		while (like < i && !bs_query_analysis_is_alike(&entries[like], &entries[i]))
			like++;
		entries[i].analysis = like < i ? entries[like].analysis : searcher->n_readings++;
		searcher->prefix_checks[i] = index->prefix_checks;
		searcher->n_unfollowed += index->n_unfollowed;
		searcher->has_other_words |= index->has_other_words;
	}
	if (!status)
		status = bs_snapshot_list_init(&searcher->list, entries, n, err);
	free(entries);
	return status;
}

static enum bs_status init_readings(struct bs_searcher *searcher, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	searcher->analysis = searcher->readings =
		calloc(searcher->n_readings, sizeof(*searcher->readings));
	if (!searcher->readings)
		return bs_fail_memory(err, "a searcher",
		                      searcher->n_readings * sizeof(*searcher->readings));
	for (uint32_t i = 0, n = 0; i < searcher->list.n_entries && !status; i++)
		if (searcher->list.entries[i].analysis == n)
			status = bs_query_analysis_init(&searcher->readings[n++], &searcher->list,
			                                i, err);
	return status;
}

static enum bs_status init(struct bs_searcher *searcher, const struct bs_searcher_index *indexes,
                           uint32_t n, struct bs_error *err)
{
	enum bs_status status = list_indexes(searcher, indexes, n, err);
	if (!status)
		status = init_readings(searcher, err);
	return status ? status : make_readers(searcher, err);
}

enum bs_status bs_searcher_make(const struct bs_searcher_index *indexes, uint32_t n_indexes,
                                struct bs_searcher **searcher_out, struct bs_error *err)
{
	struct bs_searcher *searcher = calloc(1, sizeof(*searcher));
	*searcher_out = NULL;
	if (!searcher)
		return bs_fail_memory(err, "a searcher", sizeof(*searcher));
	searcher->index = indexes[0].index;
	searcher->budget.most_bytes = UINT64_MAX;
	struct bs_memory_budget *before = bs_memory_budget_here;
	bs_memory_budget_here = &searcher->budget;
	enum bs_status status = init(searcher, indexes, n_indexes, err);
	bs_memory_budget_here = before;
	if (status) {
		bs_searcher_destroy(searcher);
		return status;
	}
	*searcher_out = searcher;
	return BS_OK;
}

/* Frees the memory that is kept from query to query. */
static void free_memory(struct bs_searcher *searcher)
{
	struct bs_query_memory *memory = &searcher->memory;
	struct bs_expansion *learning = &searcher->learning;
	bs_filter_free(searcher->filter);
	searcher->filter = NULL;
	bs_plan_deinit(&memory->plan);
	bs_filename_match_deinit(&memory->named);
	bs_scan_deinit(&memory->scan);
	bs_vector_deinit(&memory->candidates);
	bs_scorer_deinit(&memory->scorer);
	bs_top_scan_deinit(&memory->top_scan);
	bs_vector_deinit(&memory->top.heap);
	bs_sorting_deinit(&memory->sorting);
	bs_vector_deinit(&memory->hits);
	bs_buffer_deinit(&memory->text);
	*memory = (struct bs_query_memory){.text = {.data = NULL}};
	bs_feedback_deinit(&learning->feedback);
	learning->feedback = (struct bs_feedback){.n_texts = 0};
	bs_vector_deinit(&learning->best);
	bs_vector_deinit(&learning->like);
	bs_hit_assembly_deinit(&searcher->assembly);
	bs_batches_free(searcher->batches);
	searcher->batches = NULL;
	bs_document_texts_deinit(&searcher->texts);
}

void bs_searcher_destroy(struct bs_searcher *searcher)
{
	if (!searcher)
		return;
	struct bs_memory_budget *before = bs_memory_budget_here;
	bs_memory_budget_here = &searcher->budget;
	free_memory(searcher);
	bs_verify_crew_free(searcher->crew);
	for (uint32_t i = 0; i < searcher->n_readings && searcher->readings; i++)
		bs_query_analysis_deinit(&searcher->readings[i]);
	free(searcher->readings);
	free(searcher->prefix_checks);
	bs_loader_free(searcher->loader);
	bs_snapshot_list_deinit(&searcher->list);
	bs_memory_budget_here = before;
	free(searcher);
}

enum bs_status bs_searcher_enter(struct bs_searcher *searcher, const struct bs_limits *limits,
                                 struct bs_searcher_use *use, struct bs_error *err)
{
	enum bs_status status = bs_deadline_begin(&use->deadline, limits, err);
	if (status)
		return status;
	searcher->budget.most_bytes =
		limits && limits->memory_bytes ? limits->memory_bytes : UINT64_MAX;
	use->budget = bs_memory_budget_here;
	bs_memory_budget_here = &searcher->budget;
	return BS_OK;
}

void bs_searcher_leave(struct bs_searcher_use *use)
{
	bs_memory_budget_here = use->budget;
	bs_deadline_end(&use->deadline);
}

enum bs_status bs_searcher_trim(struct bs_searcher *searcher, struct bs_error *err)
{
	struct bs_loader *loader = searcher->loader;
	struct bs_verify_crew *crew = searcher->crew;
	uint64_t most_bytes = searcher->budget.most_bytes;
	if (searcher->budget.held_bytes <= 0 || (uint64_t)searcher->budget.held_bytes <= most_bytes)
		return BS_OK;
	searcher->budget.most_bytes = UINT64_MAX;
	enum bs_status status = make_readers(searcher, err);
	searcher->budget.most_bytes = most_bytes;
	if (status) {
		searcher->loader = loader;
		searcher->crew = crew;
		return status;
	}
	free_memory(searcher);
	bs_verify_crew_free(crew);
	bs_loader_free(loader);
	return BS_OK;
}

enum bs_status bs_searcher_need_filter(struct bs_searcher *searcher, struct bs_error *err)
{
	return searcher->filter ? BS_OK : bs_filter_new(searcher->loader, &searcher->filter, err);
}
