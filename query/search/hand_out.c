/* hand_out.c: see hand_out.h. */
#include "query/search/hand_out.h"

#define SHOW_NS 300u /* the approximate cost of a hit, without its text */
#define NAME_NS 50u  /* ... of which only the name is wanted */

static enum bs_status call(struct bs_run *run, const struct bs_find_hit *hit, bool *is_refused, struct bs_error *err)
{
	const struct bs_listener *listener = &run->question->listener;
	/* The callback's allocations are not the finder's. */
	struct bs_account *account = bs_account_here;
	bs_account_here = NULL;
	*is_refused = listener->hit(listener->context, hit) != 0;
	bs_account_here = account;
	return *is_refused ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

static enum bs_status hand_out(struct bs_run *run, const struct bs_found *found, size_t i, bool *is_refused, struct bs_error *err)
{
	struct bs_finder *finder = run->finder;
	const struct bs_wanted *wanted = &run->question->wanted;
	const struct bs_sorted_hit *sorted = found->sorted ? &found->sorted[i] : NULL;
	const struct bs_hit *hit = sorted ? &sorted->hit : &found->hits[i];
	bool are_candidates = run->question->run.candidates;
	struct bs_buffer value = {0};
	struct bs_find_hit shown = {
		.rank = found->is_ranked ? i + 1 : 0,
		.score = are_candidates ? 0 : hit->score,
		.document = (uint64_t)hit->segment << 32 | hit->document,
		.is_candidate = are_candidates && hit->score > 0,
		.snippet = "",
		.best = {.field = "", .text = ""},
	};
	enum bs_status status = bs_presenter_name(&finder->presenter, finder->loader, bs_hit_ref(hit), &shown, err);
	bool wants_text = found->is_ranked && (wanted->snippets || wanted->passages);
	uint32_t analysis = finder->list.entries[bs_list_segment(&finder->list, hit->segment)->entry].analysis;
	if (!status && wants_text && analysis != run->analysis)
		status = bs_run_turn(run, analysis, err);
	if (!status && wants_text)
		status = bs_presenter_text(&finder->presenter, finder->loader, run->verifier.matcher, wanted, bs_hit_ref(hit), &shown,
		                         err);
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

static enum bs_status hand_out_each(struct bs_run *run, const struct bs_found *found, bool *is_refused, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = run->question->offset; i < found->n && !status;) {
		if (!found->sorted)
			bs_presenter_prefetch(run->plan->list, found->hits, found->n, i);
		status = bs_watch_spend(SHOW_NS, err);
		if (!status)
			status = hand_out(run, found, i, is_refused, err);
		if (!*is_refused && bs_run_is_cut(run, status))
			status = BS_OK;
		else
			i++;
	}
	return status;
}

static enum bs_status hand_out_batches(struct bs_run *run, const struct bs_found *found, bool *is_refused, struct bs_error *err)
{
	struct bs_finder *finder = run->finder;
	const struct bs_listener *listener = &run->question->listener;
	const struct bs_batch_target target = {finder->loader, &finder->presenter, listener->batch, listener->context};
	enum bs_status status = bs_batches_begin(&finder->batches, &target, err);
	for (size_t i = run->question->offset; i < found->n && !status; i++) {
		status = bs_watch_spend(NAME_NS, err);
		if (bs_run_is_cut(run, status))
			status = BS_OK;
		if (!status)
			status = bs_batches_add(finder->batches, bs_hit_ref(&found->hits[i]),
			                        run->question->run.candidates && found->hits[i].score > 0, err);
	}
	*is_refused = bs_batches_is_refused(finder->batches);
	/* The time is up: hits that were added are still handed out. */
	if (run->is_partial && bs_watch_ended(status) && !*is_refused)
		status = BS_OK;
	if (!status)
		status = bs_batches_flush(finder->batches, err);
	*is_refused = bs_batches_is_refused(finder->batches);
	return status;
}

enum bs_status bs_run_hand_out(struct bs_run *run, const struct bs_found *found, struct bs_error *err)
{
	bool is_refused = false;
	enum bs_status status = run->question->listener.batch ? hand_out_batches(run, found, &is_refused, err)
	                                                      : hand_out_each(run, found, &is_refused, err);
	/* The callback's refusal is an error; the end of the time is not, if partial results are wanted. */
	if (is_refused)
		return bs_fail(err, BS_STOPPED, "stopped");
	return run->is_partial && bs_watch_ended(status) ? BS_OK : status;
}
