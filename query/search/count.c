/* count.c: see count.h. */
#include "query/search/count.h"

/* Counts the matches of a segment by the df in its lexicon. Only possible if the matches are
 * exactly the documents that have one term (a word or a word pair), and none is deleted or filtered
 * out. False: not applicable. */
static bool count_by_lexicon(struct bs_run *run, uint32_t segment)
{
	const struct bs_plan *plan = run->plan;
	const struct bs_plan_scope *scope = &plan->scope;
	if (run->query->n_nodes > 1 || scope->filter || scope->n_left_out > 0 ||
	    run->question->run.exhaustive || bs_list_segment(plan->list, segment)->tombstones)
		return false;
	uint32_t term = bs_plan_equivalent_term(plan, segment, 0);
	if (term == UINT32_MAX)
		return false;
	run->stats->scan.candidates += bs_plan_place(plan, segment, term)->df;
	run->stats->hits += bs_plan_place(plan, segment, term)->df;
	return true;
}

static enum bs_status count_segment(struct bs_run *run, uint32_t segment, uint64_t *n_maybe,
                                    struct bs_error *err)
{
	struct bs_candidate_list *candidates = &run->searcher->memory.candidates;
	const struct bs_hit_sink sink = {.take = NULL};
	bool has_columns = bs_plan_source(run->plan, segment) == BS_PLAN_COLUMNS,
	     are_candidates = run->question->run.candidates;
	bool is_unchanged = are_candidates;
	uint64_t n_counted = 0;
	enum bs_status status = BS_OK;
	if (has_columns && !are_candidates)
		status = bs_loader_is_segment_unchanged(run->searcher->loader, segment,
		                                        &is_unchanged, err);
	if (!status && has_columns && is_unchanged && count_by_lexicon(run, segment))
		return BS_OK;
	if (!status)
		status = bs_run_candidates(run, segment, candidates,
		                           is_unchanged ? &n_counted : NULL, err);
	run->stats->hits += n_counted;
	if (status || !are_candidates)
		return status ? status : bs_run_verify(run, segment, candidates, &sink, err);
	run->stats->hits += bs_vector_n(candidates);
	for (size_t i = 0; i < bs_vector_n(candidates); i++)
		*n_maybe += !candidates->items[i].is_sure;
	return BS_OK;
}

enum bs_status bs_run_count(struct bs_run *run, uint64_t *n_maybe, struct bs_error *err)
{
	enum bs_status status = bs_deadline_check(err);
	for (uint32_t s = 0; s < run->plan->list->n_segments && !status; s++)
		if (bs_plan_source(run->plan, s) != BS_PLAN_NOTHING)
			status = count_segment(run, s, n_maybe, err);
	return status;
}
