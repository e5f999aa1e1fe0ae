/* finder.c: see finder.h. */
#include "query/search/finder.h"

#include <stdlib.h>

void bs_finder_notice(void *context, const char *message)
{
	const struct bs_finder *finder = context;
	if (finder->listener && finder->listener->notice)
		finder->listener->notice(finder->listener->context, message);
}

/* Makes what reads texts, on the caller's thread and on others. */
static enum bs_status make_readers(struct bs_finder *finder, struct bs_error *err)
{
	enum bs_status status = bs_loader_new(&finder->list, finder->proofs, bs_finder_notice, finder, &finder->loader, err);
	if (!status)
		status = bs_verify_crew_new(&finder->list, finder->proofs, finder->loader, &finder->crew, err);
	if (status) {
		bs_loader_free(finder->loader);
		finder->loader = NULL;
	}
	return status;
}

/* Lists the indexes. Entries that read queries in the same way get the same number. */
static enum bs_status list_indexes(struct bs_finder *finder, const struct bs_finder_index *indexes, uint32_t n, struct bs_error *err)
{
	struct bs_list_entry *entries = calloc(n, sizeof(*entries));
	finder->proofs = calloc(n, sizeof(*finder->proofs));
	enum bs_status status = entries && finder->proofs ? BS_OK : bs_fail_memory(err, "a finder", n * sizeof(*entries));
	for (uint32_t i = 0; i < n && !status; i++) {
		const struct bs_index *index = indexes[i].index;
		uint32_t like = 0;
		entries[i] = (struct bs_list_entry){.snapshot = &index->snapshot, .has_other_words = index->has_other_words,
		                                    .is_passed_over = indexes[i].is_passed_over, .name = indexes[i].name};
		while (like < i && !bs_reading_is_alike(&entries[like], &entries[i]))
			like++;
		entries[i].analysis = like < i ? entries[like].analysis : finder->n_readings++;
		finder->proofs[i] = index->proofs;
		finder->n_unfollowed += index->n_unfollowed;
		finder->has_other_words |= index->has_other_words;
	}
	if (!status)
		status = bs_snapshot_list_init(&finder->list, entries, n, err);
	free(entries);
	return status;
}

static enum bs_status init_readings(struct bs_finder *finder, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	finder->reading = finder->readings = calloc(finder->n_readings, sizeof(*finder->readings));
	if (!finder->readings)
		return bs_fail_memory(err, "a finder", finder->n_readings * sizeof(*finder->readings));
	for (uint32_t i = 0, n = 0; i < finder->list.n_entries && !status; i++)
		if (finder->list.entries[i].analysis == n)
			status = bs_reading_init(&finder->readings[n++], &finder->list, i, err);
	return status;
}

static enum bs_status init(struct bs_finder *finder, const struct bs_finder_index *indexes, uint32_t n, struct bs_error *err)
{
	enum bs_status status = list_indexes(finder, indexes, n, err);
	if (!status)
		status = init_readings(finder, err);
	return status ? status : make_readers(finder, err);
}

enum bs_status bs_finder_make(const struct bs_finder_index *indexes, uint32_t n_indexes, struct bs_finder **finder_out,
                              struct bs_error *err)
{
	struct bs_finder *finder = calloc(1, sizeof(*finder));
	*finder_out = NULL;
	if (!finder)
		return bs_fail_memory(err, "a finder", sizeof(*finder));
	finder->index = indexes[0].index;
	finder->account.most_bytes = UINT64_MAX;
	struct bs_account *before = bs_account_here;
	bs_account_here = &finder->account;
	enum bs_status status = init(finder, indexes, n_indexes, err);
	bs_account_here = before;
	if (status) {
		bs_finder_destroy(finder);
		return status;
	}
	*finder_out = finder;
	return BS_OK;
}

/* Frees all that a query makes again. */
static void free_memory(struct bs_finder *finder)
{
	struct bs_query_memory *memory = &finder->memory;
	struct bs_learning *learning = &finder->learning;
	bs_filter_free(finder->filter);
	finder->filter = NULL;
	bs_plan_deinit(&memory->plan);
	bs_named_deinit(&memory->named);
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
	bs_presenter_deinit(&finder->presenter);
	bs_batches_free(finder->batches);
	finder->batches = NULL;
	bs_document_texts_deinit(&finder->texts);
}

void bs_finder_destroy(struct bs_finder *finder)
{
	if (!finder)
		return;
	struct bs_account *before = bs_account_here;
	bs_account_here = &finder->account;
	free_memory(finder);
	bs_verify_crew_free(finder->crew);
	for (uint32_t i = 0; i < finder->n_readings && finder->readings; i++)
		bs_reading_deinit(&finder->readings[i]);
	free(finder->readings);
	free(finder->proofs);
	bs_loader_free(finder->loader);
	bs_snapshot_list_deinit(&finder->list);
	bs_account_here = before;
	free(finder);
}

enum bs_status bs_finder_enter(struct bs_finder *finder, const struct bs_limits *limits, struct bs_finder_use *use,
                               struct bs_error *err)
{
	enum bs_status status = bs_watch_begin(&use->watch, limits, err);
	if (status)
		return status;
	finder->account.most_bytes = limits && limits->memory_bytes ? limits->memory_bytes : UINT64_MAX;
	use->account = bs_account_here;
	bs_account_here = &finder->account;
	return BS_OK;
}

void bs_finder_leave(struct bs_finder_use *use)
{
	bs_account_here = use->account;
	bs_watch_end(&use->watch);
}

enum bs_status bs_finder_trim(struct bs_finder *finder, struct bs_error *err)
{
	struct bs_loader *loader = finder->loader;
	struct bs_verify_crew *crew = finder->crew;
	uint64_t most_bytes = finder->account.most_bytes;
	if (finder->account.held_bytes <= 0 || (uint64_t)finder->account.held_bytes <= most_bytes)
		return BS_OK;
	finder->account.most_bytes = UINT64_MAX;
	enum bs_status status = make_readers(finder, err);
	finder->account.most_bytes = most_bytes;
	if (status) {
		finder->loader = loader;
		finder->crew = crew;
		return status;
	}
	free_memory(finder);
	bs_verify_crew_free(crew);
	bs_loader_free(loader);
	return BS_OK;
}

enum bs_status bs_finder_need_filter(struct bs_finder *finder, struct bs_error *err)
{
	return finder->filter ? BS_OK : bs_filter_new(finder->loader, &finder->filter, err);
}
