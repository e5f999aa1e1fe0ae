/*
 * tf_levels.h: tf levels: columns that say which of 512 documents may reach a given tf of a word.
 *
 * A tf level states "the word occurs at least 2 (or 3, 5, 9 ...) times in the document". Levels are
 * terms of their own in the document columns of a shard. Their columns have false positives but no
 * false negatives: a document that does not pass a level has a smaller tf. So levels bound the tf
 * from above, and ranking skips most documents by these bounds (query/rank/scan_top.c). The exact
 * tf is in the document's tf code (tf_code.h).
 *
 * Only words of at least min_df documents of a segment have levels; ranking reads the tf codes of
 * the few documents of a rarer word. A level has no df and no coarse columns, because it is read
 * only where its word is present. Format: FORMAT.md, section 5.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"

#define BS_MAX_TF_LEVELS  8u
#define BS_MAX_TF_COLUMNS 8u

struct bs_tf_levels {
	uint64_t min_df;    /* minimum df of a word with levels */
	uint32_t n_levels;  /* 0: the segment has no levels */
	uint32_t n_columns; /* document columns of each level, 1..BS_MAX_TF_COLUMNS */
	/* The minimum tf of level l. Ascending; the first is >= 2. */
	uint32_t least[BS_MAX_TF_LEVELS];
};

/* The hash that selects the columns of a term's tf level, as the term's hash selects the columns of
 * the term. */
static inline uint64_t bs_tf_level_hash(uint64_t term_hash, uint32_t level)
{
	return bs_hash_probe(term_hash, 16 + level).start;
}

/* The number of levels that a tf reaches. */
static inline uint32_t bs_tf_levels_of(const struct bs_tf_levels *levels, uint32_t tf)
{
	uint32_t n = 0;
	while (n < levels->n_levels && tf >= levels->least[n])
		n++;
	return n;
}

/* Chooses the levels for a segment of n_docs documents whose columns have this target density.
 * is_small, for tests: a high density does not raise the minimum df, so that levels also occur in a
 * small segment. */
struct bs_tf_levels bs_tf_levels_make(uint64_t n_docs, double density, bool is_small);

/* Whether levels read from a file keep the rules above. */
bool bs_tf_levels_are_valid(const struct bs_tf_levels *levels);
