/*
 * scan_top.h: the filter, when only the k best are wanted. Of each shard, the candidates are
 * weighed 512 at a time, by which words they have and which tf levels these reach; what cannot be
 * among the k best so far is dropped unseen. The others are looked at: their scores follow from the
 * index (rank.h). Who is certain to match, with a certain score, is a hit; the rest waits, under an
 * upper bound, for someone to read its text.
 */
#pragma once

#include "query/rank/rank.h"
#include "query/scan/scan.h"

/* With more words, every match is scored. */
#define BS_TOP_SCAN_WORDS 64u

/* The best so far. Zero-initialise but for the first two. */
struct bs_top_scan {
	const struct bs_scorer *scorer; /* of at most BS_TOP_SCAN_WORDS */
	struct bs_top *top;             /* hits, whose sources are taken to be what was indexed */
	/* those whose text must be read: a heap (rank.h), the highest bound on top */
	struct bs_ranked_hits waiting;
	struct bs_rank_stats *stats;
	uint64_t *n_hits; /* documents that were offered to top are added */
	/* Between shards: may verify some that wait, so that there is something to compare with;
	 * the more so if they are few, and good. */
	enum bs_status (*settle)(void *context, bool are_few, struct bs_error *err);
	/* Between the filter and the ranking of a shard: time is charged to one and the other. */
	void (*filtered)(void *context);
	void *context;
};
void bs_top_scan_deinit(struct bs_top_scan *best);

/* The score of the last of the k best so far; 0 while there are fewer. */
double bs_top_scan_threshold(const struct bs_top_scan *best);

/* Whether a document of such a score, or less, may be among the best. */
bool bs_top_scan_is_possible(const struct bs_top_scan *best, double score);

/* All of segment s. Fails as bs_scan_segment. */
enum bs_status bs_scan_top(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                           const struct bs_kernel *kernel, struct bs_top_scan *best,
                           struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;
