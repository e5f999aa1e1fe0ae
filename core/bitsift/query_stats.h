/* query_stats.h: the cost of a search, stage by stage. Part of the public interface; see bitsift.h. */
#ifndef BITSIFT_QUERY_STATS_H
#define BITSIFT_QUERY_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The stages of a search, in their order. */
enum bs_stage {
	BS_STAGE_PARSE,
	BS_STAGE_PLAN,
	BS_STAGE_SCAN,
	BS_STAGE_RANK,
	BS_STAGE_VERIFY,
	BS_STAGES,
};

/* The cost of the scan of columns. */
struct bs_scan_stats {
	uint64_t lines_read;     /* lines of 64 bytes read from the columns of the index */
	uint64_t document_lines; /* those of document and exact columns among them */
	uint64_t asked;          /* rows whose lists of rare terms were read */
	uint64_t blocks_live;    /* blocks of 512 documents with a candidate */
	uint64_t candidates;     /* documents that passed the scan and are not deleted */
	uint64_t reserved[4];
};

/* The cost of finding the best by bounds; zeros if every match was scored. */
struct bs_rank_stats {
	uint64_t blocks_skipped; /* left out with their slab: no document there could be among the best */
	uint64_t blocks_weighed; /* live blocks whose documents were weighed, 512 at a time */
	uint64_t blocks_dropped; /* those of them that have none of the best, by their weights */
	uint64_t scored;         /* documents whose scores, or bounds of them, were computed from the index */
	uint32_t planes;         /* bits of a sum of weights; 0: nothing was weighed */
	double threshold;        /* the score of the last of the best; 0: there are fewer than wanted */
	uint64_t reserved[4];
};

/* The cost of reading texts. */
struct bs_verify_stats {
	uint64_t verified;        /* documents whose text was read */
	uint64_t false_positives; /* those of them that are no hits */
	uint64_t bytes;           /* of their texts; of a record that fails unparsed, of its line */
	uint64_t reserved[4];
};

/* The cost of a search. */
struct bs_query_stats {
	uint64_t stage_ns[BS_STAGES]; /* without the callbacks for hits */
	uint64_t total_ns;            /* their sum */
	struct bs_scan_stats scan;
	struct bs_rank_stats rank;
	struct bs_verify_stats verify;
	uint64_t hits;
	uint64_t reserved[4];
};

#ifdef __cplusplus
}
#endif
#endif
