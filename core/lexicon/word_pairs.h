/*
 * word_pairs.h: pairs of common words that are terms of their own, so that a phrase of them has
 * columns of its own.
 *
 * "of the" stands in few of the documents that hold both words, and every one of those would have
 * to be read. So some pairs (those of words that often meet in a document:
 * indexer/choose/word_pair_choice.c) are indexed as terms: a document has the pair (a, b) if a
 * stands at some position and b at the next one. Their keys in the lexicon are 0xff, a, 0xff, b; no
 * word holds a byte 0xff. A *wide* pair begins with a pair in place of a word: ((a, b), c) is of
 * the documents in which c follows a b; its key is that of (a, b), 0xff, c. Which pairs a segment
 * knows is nowhere written down: those in its lexicon, each for all its documents. Of another pair
 * the lexicon says nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/term_table.h"

/* A set of pairs. Zero-initialise; once filled, shared by threads. */
struct bs_word_pairs {
	/* those that some pair has, and the keys of pairs that wide ones begin with */
	struct bs_term_table words;
	struct bs_buffer keys; /* of the pairs, one after the other */
	struct bs_u64s ends;   /* where the key of each pair ends in keys */
	/* of each pair its number among the words, or BS_NO_WORD: no wide pair begins with it */
	struct bs_u16s heads;
	/* first word << 32 | second word << 16 | pair + 1; 0 is empty */
	uint64_t *slots;
	uint32_t n_slots; /* a power of two, or 0 */
	uint64_t factor;  /* secret: of the slots */
	uint32_t n_word_pairs;
};
void bs_word_pairs_deinit(struct bs_word_pairs *pairs);

#define BS_MAX_WORD_PAIRS  8192u
#define BS_NO_WORD         UINT16_MAX
#define BS_PAIR_MOST_WORDS 4u /* that a wide pair has */

/* A key of the lexicon taken apart; borrowed from it. */
struct bs_word_pair {
	const uint8_t *first; /* a word, or the key of a pair */
	const uint8_t *second;
	uint32_t first_bytes;
	uint32_t second_bytes;
};

/* Appends the lexicon's key of a pair; a may be the key of one. */
enum bs_status bs_word_pair_key(const uint8_t *a, uint32_t a_bytes, const uint8_t *b,
                                uint32_t b_bytes, struct bs_buffer *key,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Whether a key of the lexicon is that of a pair of words, and of what. */
bool bs_word_pair_split(const uint8_t *key, uint32_t key_bytes, struct bs_word_pair *pair_out);

/* Adds a pair, unless it is there or the set is full, or a is the key of a pair that is not
 * there. */
enum bs_status bs_word_pairs_add(struct bs_word_pairs *pairs, const uint8_t *a, uint32_t a_bytes,
                                 const uint8_t *b, uint32_t b_bytes,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* The number of a word that has a pair, or BS_NO_WORD. hash: bs_hash_slot of it. */
uint16_t bs_word_pairs_word(const struct bs_word_pairs *pairs, const uint8_t *word,
                            uint32_t n_bytes, uint64_t hash);

/* The number of the pair of words a and b, if it is one. */
bool bs_word_pairs_find(const struct bs_word_pairs *pairs, uint16_t a, uint16_t b,
                        uint32_t *pair_out);

/* Its number as the first of wide pairs, or BS_NO_WORD. */
static inline uint16_t bs_word_pairs_head(const struct bs_word_pairs *pairs, uint32_t pair)
{
	return pairs->heads.items[pair];
}

/* Its key. */
const uint8_t *bs_word_pairs_key(const struct bs_word_pairs *pairs, uint32_t pair,
                                 uint32_t *key_bytes_out);
