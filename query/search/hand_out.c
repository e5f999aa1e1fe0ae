/* hand_out.c: see hand_out.h. */
#include "query/search/hand_out.h"

#define SHOW_NS 300u /* Estimated cost of a hit, without its text. */
#define NAME_NS 50u  /* Estimated cost of a hit, if only its name is wanted. */

static enum bs_status call(struct bs_run *run, const struct bs_hit *hit, bool *is_refused,
                           struct bs_error *err)
{
	const struct bs_search_callbacks *listener = &run->question->listener;
	/* What the callback allocates is not counted in the searcher's memory budget. */
	struct bs_memory_budget *budget = bs_memory_budget_here;
	bs_memory_budget_here = NULL;
	*is_refused = listener->hit(listener->context, hit) != 0;
	bs_memory_budget_here = budget;
	return *is_refused ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

static enum bs_status hand_out(struct bs_run *run, const struct bs_found *found, size_t i,
                               bool *is_refused, struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	const struct bs_hit_parts *wanted = &run->question->wanted;
	const struct bs_sorted_hit *sorted = found->sorted ? &found->sorted[i] : NULL;
	const struct bs_ranked_hit *hit = sorted ? &sorted->hit : &found->hits[i];
	bool are_candidates = run->question->run.candidates;
	struct bs_buffer value = {0};
	struct bs_hit shown = {
		.rank = found->is_ranked ? i + 1 : 0,
		.score = are_candidates ? 0 : hit->score,
		.document = (uint64_t)hit->segment << 32 | hit->document,
		.is_candidate = are_candidates && hit->score > 0,
		.snippet = "",
		.best = {.field = "", .text = ""},
	};
	enum bs_status status = bs_hit_assembly_name(&searcher->assembly, searcher->loader,
	                                             bs_hit_ref(hit), &shown, err);
	bool wants_text = found->is_ranked && (wanted->snippets || wanted->passages);
	uint32_t analysis =
		searcher->list.entries[bs_list_segment(&searcher->list, hit->segment)->entry]
			.analysis;
	if (!status && wants_text && analysis != run->analysis)
		status = bs_run_restart(run, analysis, err);
	if (!status && wants_text)
		status = bs_hit_assembly_text(&searcher->assembly, searcher->loader,
		                              run->verifier.matcher, wanted, bs_hit_ref(hit),
		                              &shown, err);
	if (!status && sorted && sorted->has_value) {
		status = bs_value_format(&sorted->value, &value, err);
		if (!status)
			status = bs_buffer_append(&value, "", 1, err);
		shown.value = (const char *)value.data;
		shown.is_date = sorted->value.bytes[0] == BS_VALUE_DATE;
	}
	if (!status)
		status = call(run, &shown, is_refused, err);
	bs_buffer_deinit(&value);
	return status;
}

static enum bs_status hand_out_each(struct bs_run *run, const struct bs_found *found,
                                    bool *is_refused, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = run->question->offset; i < found->n && !status;) {
		if (!found->sorted)
			bs_hit_assembly_prefetch(run->plan->list, found->hits, found->n, i);
		status = bs_deadline_check_after(SHOW_NS, err);
		if (!status)
			status = hand_out(run, found, i, is_refused, err);
		if (!*is_refused && bs_run_is_cut(run, status))
			status = BS_OK;
		else
			i++;
	}
	return status;
}

static enum bs_status hand_out_batches(struct bs_run *run, const struct bs_found *found,
                                       bool *is_refused, struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	const struct bs_search_callbacks *listener = &run->question->listener;
	const struct bs_batch_target target = {searcher->loader, &searcher->assembly,
	                                       listener->batch, listener->context};
	enum bs_status status = bs_batches_begin(&searcher->batches, &target, err);
	for (size_t i = run->question->offset; i < found->n && !status; i++) {
		status = bs_deadline_check_after(NAME_NS, err);
		if (bs_run_is_cut(run, status))
			status = BS_OK;
		if (!status)
			status = bs_batches_add(
				searcher->batches, bs_hit_ref(&found->hits[i]),
				run->question->run.candidates && found->hits[i].score > 0, err);
	}
	*is_refused = bs_batches_is_refused(searcher->batches);
	/* After the deadline, hits in the current batch are still passed on. */
	if (run->is_partial && bs_deadline_ended(status) && !*is_refused)
		status = BS_OK;
	if (!status)
		status = bs_batches_flush(searcher->batches, err);
	*is_refused = bs_batches_is_refused(searcher->batches);
	return status;
}

enum bs_status bs_run_hand_out(struct bs_run *run, const struct bs_found *found,
                               struct bs_error *err)
{
	bool is_refused = false;
	enum bs_status status = run->question->listener.batch
	                                ? hand_out_batches(run, found, &is_refused, err)
	                                : hand_out_each(run, found, &is_refused, err);
	/* It is an error if the callback stops the call. Reaching a limit is not, if the caller
	 * accepts partial results. */
	if (is_refused)
		return bs_fail(err, BS_STOPPED, "stopped");
	return run->is_partial && bs_deadline_ended(status) ? BS_OK : status;
}
