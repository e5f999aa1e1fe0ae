/* scan_top.h: scans a segment for the k best hits only. Candidates are weighed 512 at a time, by
 * the words they have and the tf levels they reach, and are dropped if they cannot be among the k
 * best so far. The scores of the others are computed from the index (rank.h). A document that
 * certainly matches and whose score is exact becomes a hit. Other documents wait, with an upper
 * bound of their scores, until their texts are read. */
#pragma once

#include "query/rank/rank.h"
#include "query/scan/scan.h"

/* For queries with more words, every match is scored instead. */
#define BS_TOP_SCAN_WORDS 64u

/* The state of a search for the k best hits. The caller sets all members but `waiting`, which it
 * zero-initialises. */
struct bs_top_scan {
	const struct bs_scorer *scorer; /* With at most BS_TOP_SCAN_WORDS words. */
	/* The best hits so far. Assumes that their sources are unchanged. */
	struct bs_top *top;
	/* The documents whose texts must be read: a heap with the highest upper bound on top. */
	struct bs_ranked_hits waiting;
	struct bs_rank_stats *stats;
	uint64_t *n_hits; /* Incremented for each document offered to top. */
	/* Called after each shard. May verify some of the waiting documents to raise the threshold.
	 * are_few: this was the first round of an OR of words, which finds only documents with a
	 * rare word. They are few and mostly among the best, so more of them should be verified. */
	enum bs_status (*settle)(void *context, bool are_few, struct bs_error *err);
	/* Called between scanning and ranking a window of a shard, so that their times are measured
	 * separately. */
	void (*filtered)(void *context);
	void *context;
};
void bs_top_scan_deinit(struct bs_top_scan *best);

/* The score of the worst of the k best hits so far; 0 while there are fewer than k. */
double bs_top_scan_threshold(const struct bs_top_scan *best);

/* Whether a document with this score or upper bound may be among the k best. */
bool bs_top_scan_is_possible(const struct bs_top_scan *best, double score);

/* Scans segment s. Returns the failures of bs_scan_segment and of settle. */
enum bs_status bs_scan_top(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                           const struct bs_kernel *kernel, struct bs_top_scan *best,
                           struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;
