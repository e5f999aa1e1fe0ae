/* verify_many.h: many candidates of a segment verified on several threads. What the caller learns,
 * and in which order, is the same as from one. */
#pragma once

#include "query/scan/scan.h"
#include "query/verify/verify.h"

/* The memory of the threads, kept from one query to the next. */
struct bs_verify_crew;

/* Everything is borrowed; proofs: one for each snapshot; own: the loader of the caller's thread.
 * Other threads' things are made when they are first needed. BS_NO_MEMORY. */
enum bs_status bs_verify_crew_new(const struct bs_snapshot_list *snapshots,
                                  struct bs_prefix_checks *const *prefix_checks,
                                  struct bs_loader *own, struct bs_verify_crew **crew_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_verify_crew_free(struct bs_verify_crew *crew); /* NULL is fine */
/* Forgets the query, whose lists have all come from one request. */
void bs_verify_crew_end(struct bs_verify_crew *crew);

/* Those of one segment, ascending, and who takes what came of each: on the caller's thread, in
 * order, each once. What comes open he has to verify himself: no thread was worth its start, or it
 * is not what was indexed, or needed no text, or could not be read. */
struct bs_verify_list {
	uint32_t segment;
	const struct bs_candidate *candidates;
	size_t n;
	enum bs_status (*take)(void *context, const struct bs_candidate *candidate,
	                       const struct bs_verified *verified, struct bs_error *err);
	void *context;
};

/* On as many threads as they are worth, the caller's among them, and no more than n_threads (0: one
 * a processor), which are started for the time of a call alone. Fails as take does, or with
 * BS_NO_MEMORY. */
enum bs_status bs_verify_many(struct bs_verify_crew *crew, const struct bs_verify_request *request,
                              const struct bs_verify_list *list, uint32_t n_threads,
                              struct bs_error *err) BS_WARN_UNUSED;
