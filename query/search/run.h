/*
 * run.h: one query on its way through the stages: parse, plan, then one of
 *
 *      count.h     the number of documents that match
 *      collect.h   all of them, in document order
 *      ranked.h    the best by score
 *      sorted.h    the first in the order of a field
 *
 * and finally hand_out.h. A search for documents whose words are added to the query is a separate
 * run (feedback_terms.h).
 */
#pragma once

#include "core/base/clock.h"
#include "query/search/searcher.h"

struct bs_run {
	struct bs_searcher *searcher; /* The searcher whose memory is used. */
	const struct bs_question *question;
	/* The number of the query analysis in use. Only indexes with this analysis have hits in
	 * this run. */
	uint32_t analysis;
	/* The terms to add to the query (bs_expand_question); may be empty. */
	const struct bs_feedback *learnt;
	struct bs_query_tree *query;
	const struct bs_plan *plan;
	struct bs_verify_request verify;
	struct bs_verifier verifier;
	struct bs_query_stats *stats;
	uint64_t since_ns; /* The time at which the current stage began. */
	size_t error_byte; /* For BS_INVALID, the place of the error in the query, or SIZE_MAX. */
	/* Another run reports the notices about the query, so this run does not. */
	bool is_silent;
	bool is_partial; /* A limit ended the run, so only the hits found so far are returned. */
};

/* Adds the time since the last call to that of a stage. */
static inline void bs_run_charge(struct bs_run *run, enum bs_stage stage)
{
	uint64_t now = bs_now_ns();
	run->stats->stage_ns[stage] += now - run->since_ns;
	run->since_ns = now;
}

/* Whether the run uses neither score bounds nor the byte verifier: the request is brute, or some
 * index was made with other tokenizer rules. */
static inline bool bs_run_is_brute(const struct bs_run *run)
{
	return run->question->run.brute || run->searcher->has_other_words;
}

/* Begins a run, parses the query and makes its plan. bs_run_end must follow, even after a failure.
 * Fails as bs_search. */
enum bs_status bs_run_begin(struct bs_run *run, struct bs_error *err) BS_WARN_UNUSED;
/* Ends a run, and begins it again for the indexes with another query analysis, without repeating
 * the notices about the query. Fails like bs_run_begin. */
enum bs_status bs_run_restart(struct bs_run *run, uint32_t analysis,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_run_end(struct bs_run *run);

/* Whether `status` means that a limit has ended a call that accepts partial results. If so, sets
 * is_partial and grants a little more time, for returning them. True at most once in a run; never
 * in a silent run. */
bool bs_run_is_cut(struct bs_run *run, enum bs_status status);

/* Receives the documents that match, one by one. take NULL: they are only counted. */
struct bs_hit_sink {
	enum bs_status (*take)(void *context, const struct bs_ranked_hit *hit,
	                       struct bs_error *err);
	void *context;
};

/* Verifies one document, and passes it to the sink if it matches. is_sure: it matches if its source
 * is unchanged. */
enum bs_status bs_run_verify_one(struct bs_run *run, struct bs_doc_ref ref, bool is_sure,
                                 const struct bs_hit_sink *sink,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Verifies the candidates of a segment, in ascending order, and passes those that match to the
 * sink. Uses several threads if there are many candidates. */
enum bs_status bs_run_verify(struct bs_run *run, uint32_t segment,
                             const struct bs_candidate_list *candidates,
                             const struct bs_hit_sink *sink, struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites candidates with those of a segment, by columns or all its documents, as the plan says.
 * n_counted: see bs_scan_segment. */
enum bs_status bs_run_candidates(struct bs_run *run, uint32_t segment,
                                 struct bs_candidate_list *candidates, uint64_t *n_counted,
                                 struct bs_error *err) BS_WARN_UNUSED;
