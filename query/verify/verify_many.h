/* verify_many.h: verifies many candidates of a segment on several threads. The results and their
 * order do not depend on the number of threads. */
#pragma once

#include "query/scan/scan.h"
#include "query/verify/verify.h"

/* The memory of the threads, kept from query to query. */
struct bs_verify_crew;

/* All inputs are borrowed. prefix_checks has one entry per snapshot. own: the loader of the
 * caller's thread. The state of other threads is created on first use. BS_NO_MEMORY. */
enum bs_status bs_verify_crew_new(const struct bs_snapshot_list *snapshots,
                                  struct bs_prefix_checks *const *prefix_checks,
                                  struct bs_loader *own, struct bs_verify_crew **crew_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_verify_crew_free(struct bs_verify_crew *crew); /* NULL does nothing. */
/* Ends the query. All lists between two calls must belong to one request. */
void bs_verify_crew_end(struct bs_verify_crew *crew);

/* Candidates of one segment, in ascending order, and the function that receives the results. It is
 * called on the caller's thread, once for each candidate, in order. If a result is is_open, the
 * caller verifies the candidate itself: starting threads did not pay, or the document has changed,
 * needs no text, or could not be read. */
struct bs_verify_list {
	uint32_t segment;
	const struct bs_candidate *candidates;
	size_t n;
	enum bs_status (*take)(void *context, const struct bs_candidate *candidate,
	                       const struct bs_verified *verified, struct bs_error *err);
	void *context;
};

/* Uses as many threads as pay, including the caller's, but no more than n_threads (0: one per
 * processor). Threads are started for this call only. Fails as take does, or with BS_NO_MEMORY. */
enum bs_status bs_verify_many(struct bs_verify_crew *crew, const struct bs_verify_request *request,
                              const struct bs_verify_list *list, uint32_t n_threads,
                              struct bs_error *err) BS_WARN_UNUSED;
