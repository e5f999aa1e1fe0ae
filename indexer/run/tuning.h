/*
 * tuning.h: parameters of an index run for experiments and tests.
 */
#pragma once

#include <stdint.h>

#include "core/matrix/term_treatment.h"
#include "indexer/segment/size_classes.h"

/* For bs_build_request.tuning. Zeros: defaults. */
struct bs_build_tuning {
	const struct bs_term_treatment_policy *policy;
	/* limit of blocks in a shard */
	uint32_t max_shard_blocks;
	/* limit for the columns of a shard; documents that are too large for it get forward
	 * indexes */
	uint64_t max_shard_bytes;
	uint32_t max_segment_docs;
	enum bs_forward_mode forward_mode;
	/* if a sample has less text, no word pair is chosen */
	uint64_t pairs_least_bytes;
	/* limit for the bits of all word pairs, for each posting of a word; 0:
	 * BS_PRICE_PAIR_MOST_BITS */
	double pair_bits;
};
