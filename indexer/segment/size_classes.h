/*
 * size_classes.h: assigns documents to shards. Documents of a shard share one signature width, so
 * they should have a similar number of bits: COBS's "compact" index by length. size_classes.c has
 * the cost function.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/matrix/term_treatment.h"
#include "indexer/segment/forward_build.h"

#define BS_MAX_SIZE_CLASSES 384u

/* The input for one document. */
struct bs_size_class_doc {
	uint32_t n_columns[BS_MAX_LEVELS]; /* hashed columns that its terms set */
	uint32_t n_terms;
	/* terms that a rare-term list would have if the document were a row of a matrix */
	uint32_t n_listed;
};

enum bs_forward_mode {
	BS_FORWARD_AUTO = 0, /* forward indexes where they cost less */
	BS_FORWARD_NEVER,    /* unless a block exceeds max_shard_bytes */
	BS_FORWARD_ALWAYS,
};

/* Documents of one class, in document order. */
struct bs_size_class {
	uint32_t *docs; /* n_docs numbers, inside bs_size_classes.docs */
	uint32_t n_docs;
	bool is_forward;
	uint32_t max_rows;    /* limit for one shard, a multiple of 512 */
	uint64_t block_bytes; /* estimated bytes of columns for 512 documents */
};

/* Parameters of the cost function. */
struct bs_size_class_rules {
	double density;    /* density of hashed columns */
	uint32_t n_levels; /* levels of the treatments */
	/* by level: its rank */
	uint8_t ranks[BS_MAX_LEVELS];
	double bit_ns;            /* price of size; see term_treatment.h */
	uint32_t max_blocks;      /* limit for a shard */
	uint64_t max_shard_bytes; /* limit for its columns */
	enum bs_forward_mode forward_mode;
	double n_ordinals; /* number of ordinals in the lexicon */
	/* by size: a sample of forward indexes; see forward_build.h */
	struct bs_forward_load lists[BS_FORWARD_SIZES];
};

struct bs_size_classes {
	struct bs_size_class classes[BS_MAX_SIZE_CLASSES];
	uint32_t n_classes;
	/* the documents of all classes; owned */
	uint32_t *docs;
	double ns_bits; /* bits that equal one nanosecond of query time; see forward_build.h */
};

/* Assigns documents 0..n_docs-1 to classes, short ones first. Every document is in exactly one
 * class. BS_NO_MEMORY. */
enum bs_status bs_size_classes_make(const struct bs_size_class_doc *docs, uint32_t n_docs,
                                    const struct bs_size_class_rules *rules,
                                    struct bs_size_classes *classes_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_size_classes_deinit(struct bs_size_classes *classes);
