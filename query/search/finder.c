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
	struct bs_proofs *const *proofs = &finder->index->proofs;
	enum bs_status status = bs_loader_new(&finder->list, proofs, bs_finder_notice, finder, &finder->loader, err);
	if (!status)
		status = bs_verify_crew_new(&finder->list, proofs, finder->loader, &finder->crew, err);
	if (status) {
		bs_loader_free(finder->loader);
		finder->loader = NULL;
	}
	return status;
}

static enum bs_status init(struct bs_finder *finder, const struct bs_index *index, struct bs_error *err)
{
	const struct bs_list_entry entry = {&index->snapshot, index->has_other_words};
	enum bs_status status = bs_snapshot_list_init(&finder->list, &entry, 1, err);
	if (!status)
		status = bs_reading_init(&finder->reading, &finder->list, err);
	return status ? status : make_readers(finder, err);
}

enum bs_status bs_finder_make(const struct bs_index *index, struct bs_finder **finder_out, struct bs_error *err)
{
	struct bs_finder *finder = calloc(1, sizeof(*finder));
	*finder_out = NULL;
	if (!finder)
		return bs_fail_memory(err, "a finder", sizeof(*finder));
	finder->index = index;
	finder->account.most_bytes = UINT64_MAX;
	struct bs_account *before = bs_account_here;
	bs_account_here = &finder->account;
	enum bs_status status = init(finder, index, err);
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
	bs_reading_deinit(&finder->reading);
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

enum bs_status bs_finder_has_place(struct bs_finder *finder, const char *path, bool *has_out, struct bs_error *err)
{
	enum bs_status status = bs_finder_need_filter(finder, err);
	return status ? status : bs_filter_has_place(finder->filter, path, has_out, err);
}

void bs_finder_teach(struct bs_finder *finder, const struct bs_taught *taught)
{
	finder->learning.taught = taught;
}
