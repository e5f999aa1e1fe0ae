/*
 * gram_filter.h: finds the candidates: the documents of an index whose files or records may satisfy
 * a gram tree (gram_tree.h), judged only by the grams in the index. Every document that satisfies
 * the tree is a candidate. No text is read.
 */
#pragma once

#include "core/store/snapshot.h"
#include "query/regex/gram_tree.h"

struct bs_gram_filter_stats {
	uint64_t n_columns;    /* reads of the first piece of a column */
	uint64_t column_bytes; /* bytes read of columns */
	uint64_t n_candidates;
	/* candidates without grams in the index; included in n_candidates */
	uint64_t n_unknown;
};

struct bs_gram_filter_how {
	unsigned n_threads; /* >= 1: the most threads to use, including the caller's */
	/* true: all documents that words find, records included. False: files, and rows of
	 * collections. */
	bool of_documents;
	/* Estimate only: some pieces of shards are read, stats->n_candidates is extrapolated, and
	 * no bit is set. */
	bool is_sample;
};

/*
 * Sets the bits of the candidates, all of them live documents. Zero-initialise candidates_out;
 * release it with bs_doc_bits_deinit, also after a failure. A document without grams (the index may
 * have been made without them) is a candidate for every tree except NONE. A record without grams is
 * a candidate only with how.of_documents. stats is nullable. Any number of threads may filter one
 * snapshot. BS_CORRUPT, BS_NO_MEMORY.
 */
enum bs_status bs_gram_filter(const struct bs_snapshot *snapshot, const struct bs_gram_tree *tree,
                              struct bs_gram_filter_how how, struct bs_doc_bits *candidates_out,
                              struct bs_gram_filter_stats *stats,
                              struct bs_error *err) BS_WARN_UNUSED;
