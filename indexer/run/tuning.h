/*
 * tuning.h: what experiments and tests set of an index run (bs_build_request.tuning).
 */
#pragma once

#include <stdint.h>

#include "core/matrix/term_treatment.h"
#include "indexer/segment/size_classes.h"

/* What experiments and tests set of a struct bs_build_request. Zero: defaults. */
struct bs_build_tuning {
	const struct bs_term_treatment_policy *policy;
	uint32_t max_shard_blocks;
	/* of columns; documents that need more even alone become forward indexes */
	uint64_t max_shard_bytes;
	uint32_t max_segment_docs;
	enum bs_forward_mode forward_mode;
	/* of a sample of the text, for pairs of words to be indexed */
	uint64_t pairs_least_bytes;
	/* of all pairs, for each posting of a word; BS_PRICE_PAIR_MOST_BITS */
	double pair_bits;
};
