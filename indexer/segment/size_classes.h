/*
 * size_classes.h: divides documents into size classes, whose documents share shards. All documents
 * of a shard have rows of one width, so they should set a similar number of bits. The same idea is
 * called "compact" in COBS (Bingmann, Bradley, Gauger and Iqbal, "COBS: a Compact Bit-Sliced
 * Signature Index", SPIRE 2019). size_classes.c has the cost function.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/matrix/term_treatment.h"
#include "indexer/segment/forward_build.h"

#define BS_MAX_SIZE_CLASSES 384u /* most size classes of a segment */

/* The input for one document. */
struct bs_size_class_doc {
	/* by level: columns that its terms set, exact columns excluded */
	uint32_t n_columns[BS_MAX_LEVELS];
	uint32_t n_terms;
	/* terms that would be in rare-term lists if the document were a row of a matrix */
	uint32_t n_listed;
};

enum bs_forward_mode {
	BS_FORWARD_AUTO = 0, /* choose forward indexes where they cost less */
	BS_FORWARD_NEVER,    /* only if a single block exceeds max_shard_bytes */
	BS_FORWARD_ALWAYS,
};

/* Documents of one class, in document order. */
struct bs_size_class {
	uint32_t *docs; /* n_docs elements of bs_size_classes.docs */
	uint32_t n_docs;
	bool is_forward;
	uint32_t max_rows;    /* most rows of a shard: a multiple of 512; is_forward: UINT32_MAX */
	uint64_t block_bytes; /* estimated bytes of columns for 512 documents */
};

/* Parameters of the cost function. */
struct bs_size_class_rules {
	double density;    /* share of bits that are set in hashed columns */
	uint32_t n_levels; /* number of levels of the term treatments */
	/* by level: its rank */
	uint8_t ranks[BS_MAX_LEVELS];
	/* price of size: ns that a query may take longer if the index is smaller by one bit per
	 * posting */
	double bit_ns;
	uint32_t max_blocks;      /* most blocks of a shard */
	uint64_t max_shard_bytes; /* maximum bytes of the columns of a shard */
	enum bs_forward_mode forward_mode;
	double n_ordinals; /* ordinals in the lexicon */
	/* lists[i]: the load of a sample of forward indexes of size i (bs_forward_size) */
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
