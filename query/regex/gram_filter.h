/*
 * gram_filter.h: gram tree -> candidates: the documents of an index whose files, or records, may
 * satisfy the tree (gram_tree.h), by the bits of their grams alone. Every one that satisfies it is
 * among them. No text is read.
 */
#pragma once

#include "core/store/snapshot.h"
#include "query/regex/gram_tree.h"

struct bs_gram_filter_stats {
	uint64_t n_columns;    /* read, whole or in part */
	uint64_t column_bytes; /* of those */
	uint64_t n_candidates;
	uint64_t n_unknown; /* of those: of which the index has no grams */
};

struct bs_gram_filter_how {
	unsigned n_threads; /* > 0: it may work on so many */
	bool of_documents;  /* not of files: those of every kind, but no rows */
	/* a part of each shard: stats say how many there are about, and no bit is set */
	bool is_sample;
};

/*
 * Sets the bits of the candidates, live documents all. candidates_out: zeros; release with
 * bs_doc_bits_deinit, also after a failure. Those of which there are no grams (of an index made
 * without) are candidates of every tree but NONE; records are none of any, unless they are asked
 * for. stats may be NULL. Any number of callers at once with one snapshot. BS_CORRUPT,
 * BS_NO_MEMORY.
 */
enum bs_status bs_gram_filter(const struct bs_snapshot *snapshot, const struct bs_gram_tree *tree,
                              struct bs_gram_filter_how how, struct bs_doc_bits *candidates_out,
                              struct bs_gram_filter_stats *stats,
                              struct bs_error *err) BS_WARN_UNUSED;
