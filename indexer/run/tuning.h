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
	/* maximum number of blocks (of 512 documents) of a shard */
	uint32_t max_shard_blocks;
	/* Maximum bytes of a shard's columns. Documents so long that a single block would exceed it
	 * get forward indexes instead of columns. */
	uint64_t max_shard_bytes;
	uint32_t max_segment_docs;
	enum bs_forward_mode forward_mode;
	/* minimum size of the sample for word pairs; with less text, no pair is chosen */
	uint64_t pairs_least_bytes;
	/* The maximum size of all word pairs in the index, in bits per posting of a word; 0:
	 * BS_PRICE_PAIR_MOST_BITS. */
	double pair_bits;
};
