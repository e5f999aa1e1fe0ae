/* collect.c: see collect.h. */
#include "query/search/collect.h"

static enum bs_status take_hit(void *context, const struct bs_ranked_hit *hit, struct bs_error *err)
{
	return bs_vector_append((struct bs_ranked_hits *)context, hit, err);
}

static enum bs_status take_unverified(struct bs_run *run, uint32_t segment,
                                      const struct bs_candidate_list *candidates,
                                      struct bs_ranked_hits *hits, uint64_t *n_maybe,
                                      struct bs_error *err)
{
	size_t n = bs_vector_n(candidates), n_before = bs_vector_n(hits);
	uint64_t n_unsure = 0;
	enum bs_status status = bs_vector_reserve(hits, n, err);
	if (status)
		return status;
	struct bs_ranked_hit *to = hits->items + n_before;
	for (size_t i = 0; i < n; i++) {
		const struct bs_candidate *candidate = &candidates->items[i];
		n_unsure += !candidate->is_sure;
		to[i] = (struct bs_ranked_hit){.segment = segment,
		                               .document = candidate->document,
		                               .score = !candidate->is_sure};
	}
	bs_vector_set_n(hits, n_before + n);
	run->stats->hits += n;
	*n_maybe += n_unsure;
	return BS_OK;
}

enum bs_status bs_run_collect(struct bs_run *run, struct bs_ranked_hits *hits, uint64_t *n_maybe,
                              struct bs_error *err)
{
	struct bs_candidate_list *candidates = &run->searcher->memory.candidates;
	const struct bs_hit_sink sink = {take_hit, hits};
	enum bs_status status = bs_deadline_check(err);
	for (uint32_t s = 0; s < run->plan->list->n_segments && !status; s++) {
		if (bs_plan_source(run->plan, s) == BS_PLAN_NOTHING)
			continue;
		status = bs_run_candidates(run, s, candidates, NULL, err);
		if (!status)
			status = run->question->run.candidates
			                 ? take_unverified(run, s, candidates, hits, n_maybe, err)
			                 : bs_run_verify(run, s, candidates, &sink, err);
	}
	return status;
}
