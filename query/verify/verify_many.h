/* verify_many.h: verifies many candidates of a segment on several threads. The results and their
 * order do not depend on the number of threads. */
#pragma once

#include "query/scan/scan.h"
#include "query/verify/verify.h"

/* The worker threads' memory, reused from query to query. */
struct bs_verify_crew;

/* Makes a crew of worker threads. All inputs are borrowed. prefix_checks has one entry for each
 * snapshot. own: the loader of the caller's thread. Each worker thread is set up on first use.
 * BS_NO_MEMORY. */
enum bs_status bs_verify_crew_new(const struct bs_snapshot_list *snapshots,
                                  struct bs_prefix_checks *const *prefix_checks,
                                  struct bs_loader *own, struct bs_verify_crew **crew_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_verify_crew_free(struct bs_verify_crew *crew); /* NULL does nothing. */
/* Ends the query. All lists that are verified between two calls of this function must have the same
 * request. */
void bs_verify_crew_end(struct bs_verify_crew *crew);

/* Candidates of one segment, in ascending order, and `take`, which receives their results. `take`
 * is called on the caller's thread, once for each candidate, in order. If a result has is_open, the
 * caller must verify the candidate itself, for example because starting threads did not pay, or
 * because the document has changed, needs no text, or could not be read. */
struct bs_verify_list {
	uint32_t segment;
	const struct bs_candidate *candidates;
	size_t n;
	enum bs_status (*take)(void *context, const struct bs_candidate *candidate,
	                       const struct bs_verified *verified, struct bs_error *err);
	void *context;
};

/* Verifies a list. Uses as many threads as pay, including the caller's, but at most n_threads (0:
 * one per processor). Threads are started for this call only. Fails like take, or with
 * BS_NO_MEMORY. */
enum bs_status bs_verify_many(struct bs_verify_crew *crew, const struct bs_verify_request *request,
                              const struct bs_verify_list *list, uint32_t n_threads,
                              struct bs_error *err) BS_WARN_UNUSED;
