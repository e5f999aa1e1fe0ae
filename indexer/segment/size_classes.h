/*
 * size_classes.h: which documents share a shard. Documents of a shard share one signature width, so
 * they should have about the same number of bits: COBS's "compact" index by length. See
 * size_classes.c for the cost that decides.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/matrix/term_treatment.h"
#include "indexer/segment/forward_build.h"

#define BS_MAX_SIZE_CLASSES 384u

/* What deciding needs to know of a document. */
struct bs_size_class_doc {
	uint32_t n_columns[BS_MAX_LEVELS]; /* hashed ones that its terms set */
	uint32_t n_terms;
	/* terms that a list of rare terms would have, were the document a row of a matrix */
	uint32_t n_listed;
};

enum bs_forward_mode {
	BS_FORWARD_AUTO = 0, /* forward indexes where they are cheaper */
	BS_FORWARD_NEVER,    /* unless a block would not fit in max_shard_bytes */
	BS_FORWARD_ALWAYS,
};

/* Documents of one class, in document order. */
struct bs_size_class {
	uint32_t *docs; /* n_docs numbers, within the one array that bs_size_classes_deinit frees */
	uint32_t n_docs;
	bool is_forward;
	uint32_t max_rows;    /* of one shard, a multiple of 512 */
	uint64_t block_bytes; /* about what the columns of 512 documents take */
};

/* What classes are made by. */
struct bs_size_class_rules {
	double density;    /* of hashed columns */
	uint32_t n_levels; /* of the treatments, */
	uint8_t ranks[BS_MAX_LEVELS];
	double bit_ns;            /* the price of size: see term_treatment.h */
	uint32_t max_blocks;      /* of a shard */
	uint64_t max_shard_bytes; /* of its columns */
	enum bs_forward_mode forward_mode;
	double n_ordinals; /* of the lexicon */
	/* some forward indexes of each size: forward_build.h */
	struct bs_forward_load lists[BS_FORWARD_SIZES];
};

struct bs_size_classes {
	struct bs_size_class classes[BS_MAX_SIZE_CLASSES];
	uint32_t n_classes;
	uint32_t *docs;
	double ns_bits; /* what a nanosecond a query may cost: forward_build.h */
};

/* Puts documents 0..n_docs-1 in classes, short ones first. Every document is in exactly one.
 * BS_NO_MEMORY. */
enum bs_status bs_size_classes_make(const struct bs_size_class_doc *docs, uint32_t n_docs,
                                    const struct bs_size_class_rules *rules,
                                    struct bs_size_classes *classes_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_size_classes_deinit(struct bs_size_classes *classes);
