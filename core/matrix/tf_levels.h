/*
 * tf_levels.h: of which words an index knows, 512 documents at a time, how often they stand there
 * at least: tf levels.
 *
 * A tf level is "the word stands at least 2 (3, 5, 9) times in the document", as terms of their own
 * in the document columns of a shard. Of a document that has the word they bound its tf from above,
 * 512 documents at a time, by which ranking passes over most of them (query/rank/scan_top.c); how
 * often exactly the document's tf code says (tf_code.h).
 *
 * Only words of at least min_df documents of a segment have them: of rarer ones the few documents
 * are looked at one by one. A level has no df and no coarse columns: it is asked for only where its
 * word is. In FORMAT.md: section 5.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"

#define BS_MAX_TF_LEVELS  8u
#define BS_MAX_TF_COLUMNS 8u

struct bs_tf_levels {
	uint64_t min_df;    /* of words that have levels */
	uint32_t n_levels;  /* 0: there are none */
	uint32_t n_columns; /* document columns of each level, 1..BS_MAX_TF_COLUMNS */
	/* tf from which on a document has level l; ascending, the first >= 2 */
	uint32_t least[BS_MAX_TF_LEVELS];
};

/* What a level hashes to, in place of a term's hash. */
static inline uint64_t bs_tf_level_hash(uint64_t term_hash, uint32_t level)
{
	return bs_hash_probe(term_hash, 16 + level).start;
}

/* Levels that a tf reaches. */
static inline uint32_t bs_tf_levels_of(const struct bs_tf_levels *levels, uint32_t tf)
{
	uint32_t n = 0;
	while (n < levels->n_levels && tf >= levels->least[n])
		n++;
	return n;
}

/* Our choice for a segment of n_docs documents whose columns are to have this density. is_small:
 * for tests, what makes a difference only in large indexes makes one in small ones. */
struct bs_tf_levels bs_tf_levels_make(uint64_t n_docs, double density, bool is_small);

/* Whether levels read from a file keep every rule stated above. */
bool bs_tf_levels_are_valid(const struct bs_tf_levels *levels);
