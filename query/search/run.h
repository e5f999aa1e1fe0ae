/*
 * run.h: one query on its way through the stages: parse, plan, then one of
 *
 *      count.h     how many documents match
 *      collect.h   all of them, in document order
 *      ranked.h    the best by score
 *      sorted.h    the first in the order of a field
 *
 * and at last hand_out.h. A search for documents to learn from is a run of its own
 * (feedback_terms.h).
 */
#pragma once

#include "core/base/clock.h"
#include "query/search/searcher.h"

/* Lives for one query. */
struct bs_run {
	struct bs_searcher *searcher; /* whose memory is used */
	const struct bs_question *question;
	/* the number of the searcher's reading that is used: only the indexes that read queries so
	 * have hits */
	uint32_t analysis;
	const struct bs_feedback *learnt; /* terms to be added to the query, perhaps none */
	struct bs_query_tree *query;
	const struct bs_plan *plan;
	struct bs_verify_request verify;
	struct bs_verifier verifier;
	struct bs_query_stats *stats;
	uint64_t since_ns; /* when the stage under way began */
	size_t error_byte; /* BS_INVALID: where in the query; SIZE_MAX: nowhere */
	/* its hits are only learnt from: notices on the query are left to the run that follows */
	bool is_silent;
	bool is_partial; /* a limit ended it, and what was found until then is the answer */
};

/* Adds the time since the last call to a stage. */
static inline void bs_run_charge(struct bs_run *run, enum bs_stage stage)
{
	uint64_t now = bs_now_ns();
	run->stats->stage_ns[stage] += now - run->since_ns;
	run->since_ns = now;
}

/* Whether texts alone decide: the question asks for that, or the words of the index were cut by
 * other rules. */
static inline bool bs_run_is_brute(const struct bs_run *run)
{
	return run->question->run.brute || run->searcher->has_other_words;
}

/* Begins a run, parses the query and makes its plan. bs_run_end must follow, whatever is returned.
 * Fails as bs_search. */
enum bs_status bs_run_begin(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;
/* Ends a run and begins it again with another reading, without notices about the query. Fails as
 * bs_run_begin. */
enum bs_status bs_run_turn(struct bs_run *run, uint32_t analysis,
                           struct bs_error *err) BS_WARN_UNUSED;
void bs_run_end(struct bs_run *run);

/* Whether a call has ended by a limit, and the caller takes what was found until then: from then on
 * a little more time is granted, once. */
bool bs_run_is_cut(struct bs_run *run, enum bs_status status);

/* Receives the documents that match, one after the other. */
struct bs_hit_sink {
	enum bs_status (*take)(void *context, const struct bs_ranked_hit *hit,
	                       struct bs_error *err);
	void *context;
};

/* Verifies one document and passes it on if it matches. is_sure: it matches if its source is
 * unchanged. */
enum bs_status bs_run_verify_one(struct bs_run *run, struct bs_doc_ref ref, bool is_sure,
                                 const struct bs_hit_sink *sink,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Verifies the candidates of a segment, ascending, on several threads if they are many; passes on
 * those that match. */
enum bs_status bs_run_verify(struct bs_run *run, uint32_t segment,
                             const struct bs_candidate_list *candidates,
                             const struct bs_hit_sink *sink, struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites candidates with those of a segment, from the source that the plan names. n_counted: as
 * bs_scan_segment has it. */
enum bs_status bs_run_candidates(struct bs_run *run, uint32_t segment,
                                 struct bs_candidate_list *candidates, uint64_t *n_counted,
                                 struct bs_error *err) BS_WARN_UNUSED;
