/*
 * stats.h: the whole funnel of a query in one struct, from lines read to hits. Every stage adds to it; --stats and the
 * benchmarks print it.
 */
#ifndef BS_QUERY_SEARCH_STATS_H
#define BS_QUERY_SEARCH_STATS_H

#include <stdint.h>

enum bs_stage {
	BS_STAGE_PARSE,
	BS_STAGE_PLAN,
	BS_STAGE_SCAN,
	BS_STAGE_RANK,
	BS_STAGE_VERIFY,
	BS_STAGES,
};

struct bs_query_stats {
	uint64_t stage_ns[BS_STAGES];
	uint64_t total_ns;
	uint64_t lines_read;      /* 64-byte lines of columns */
	uint64_t document_lines;  /* those of document and exact columns among them */
	uint64_t blocks_live;     /* blocks with a candidate */
	uint64_t candidates;      /* documents that passed the filter and are not deleted */
	uint64_t blocks_skipped;  /* ranking: blocks passed over with their slab, since nothing there could be among the best */
	uint64_t blocks_weighed;  /* ranking: live blocks whose documents were weighed, 512 at a time */
	uint64_t blocks_dropped;  /* those of them that hold none of the best, by their weights */
	uint64_t scored;          /* documents whose scores, or bounds of them, were worked out from the index */
	uint32_t planes;          /* ranking: bits of a sum of weights; 0: nothing was weighed */
	double threshold;         /* ranking: the score of the last of the k best; 0: there are fewer */
	uint64_t verified;        /* documents whose text was read */
	uint64_t hits;
	uint64_t false_positives; /* verified, and no hit */
	uint64_t bytes_verified;  /* of their texts; of a record that fails unparsed, of its line */
};

#endif
