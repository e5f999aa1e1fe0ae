/*
 * scan_top.h: the scan of a segment when only the k best hits are wanted. The candidates of a shard
 * are weighed 512 at a time, by the words they have and the tf levels these reach; candidates that
 * cannot be among the k best so far are dropped without computing their scores. The scores of the
 * others are computed from the index (rank.h). A document that certainly matches, with an exact
 * score, is a hit. The others wait, with an upper bound of their scores, until their texts are
 * read.
 */
#pragma once

#include "query/rank/rank.h"
#include "query/scan/scan.h"

/* With more words, every match is scored instead. */
#define BS_TOP_SCAN_WORDS 64u

/* The best hits so far. The caller sets scorer and top and zero-initialises the rest before it sets
 * the callbacks. */
struct bs_top_scan {
	const struct bs_scorer *scorer; /* Has at most BS_TOP_SCAN_WORDS words. */
	/* The hits, on the assumption that their sources are unchanged. */
	struct bs_top *top;
	/* Documents whose texts must be read: a heap (rank.h) with the highest bound on top. */
	struct bs_ranked_hits waiting;
	struct bs_rank_stats *stats;
	uint64_t *n_hits; /* Incremented for each document offered to top. */
	/* Called after each shard. May verify some of the waiting documents, so that there is a
	 * threshold to compare with. are_few: the round's candidates have a rare word, so they are
	 * few and good, and more of them should be verified. */
	enum bs_status (*settle)(void *context, bool are_few, struct bs_error *err);
	/* Called between the scan and the ranking of a window, to charge the time to each. */
	void (*filtered)(void *context);
	void *context;
};
void bs_top_scan_deinit(struct bs_top_scan *best);

/* The score of the last of the k best so far; 0 while there are fewer than k. */
double bs_top_scan_threshold(const struct bs_top_scan *best);

/* Whether a document with this score, or with this upper bound, may be among the k best. */
bool bs_top_scan_is_possible(const struct bs_top_scan *best, double score);

/* Scans all of segment s. Returns the failures of bs_scan_segment and of settle. */
enum bs_status bs_scan_top(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                           const struct bs_kernel *kernel, struct bs_top_scan *best,
                           struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;
