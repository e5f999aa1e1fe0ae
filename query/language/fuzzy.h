/*
 * fuzzy.h: is a term within one or two edits of a word?
 *
 * An edit inserts, deletes or replaces a code point, or swaps two adjacent ones; no substring is
 * edited twice (optimal string alignment, as in Lucene's fuzzy queries). The distance is computed
 * by the classic table (Wagner and Fischer 1974; the swap after Lowrance and Wagner 1975). The rows
 * of the table are kept between calls, so that a walk over a sorted lexicon computes only the rows
 * of the bytes that a term does not share with the previous term.
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"

/* A word, and the table rows of the term of the last call. Not thread-safe. */
struct bs_fuzzy;

/* Prepares to compare terms with a word. word is valid UTF-8, and is copied. max_distance is 1 or
 * 2. BS_NO_MEMORY. */
enum bs_status bs_fuzzy_new(const uint8_t *word, uint32_t word_bytes, uint32_t max_distance,
                            struct bs_fuzzy **fuzzy_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_fuzzy_free(struct bs_fuzzy *fuzzy);

/* Returns the distance of the term, or UINT32_MAX if it is more than max_distance. The first
 * shared_bytes bytes must be those of the term of the previous call; 0 is always correct. */
uint32_t bs_fuzzy_distance(struct bs_fuzzy *fuzzy, const uint8_t *term, uint32_t term_bytes,
                           uint32_t shared_bytes);

static inline bool bs_fuzzy_matches(struct bs_fuzzy *fuzzy, const uint8_t *term,
                                    uint32_t term_bytes, uint32_t shared_bytes)
{
	return bs_fuzzy_distance(fuzzy, term, term_bytes, shared_bytes) != UINT32_MAX;
}
