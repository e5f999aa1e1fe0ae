/*
 * word_pairs.h: pairs of common words that are terms, so that a phrase of common words has columns.
 *
 * "of the" occurs in few of the documents that have both words. Without pairs, a query for this
 * phrase would read all documents that have both words. Therefore some pairs (of words that often
 * occur in the same document, see indexer/choose/word_pair_choice.c) are indexed as terms. A
 * document has the pair (a, b) if b occurs at the position after a. The pair's key in the lexicon
 * is 0xff, a, 0xff, b; no word contains the byte 0xff. A *wide* pair begins with a pair, possibly a
 * wide one: a document has ((a, b), c) if c follows a b. Its key is the key of (a, b), then 0xff,
 * c. The pairs of a segment are those in its lexicon; each is indexed for all documents of the
 * segment. The lexicon says nothing about other pairs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/term_table.h"

/* A set of pairs. Zero-initialise. Once filled, it is safe to share between threads. */
struct bs_word_pairs {
	/* The parts of all pairs: words, and the keys of pairs that begin wide pairs. */
	struct bs_term_table words;
	struct bs_buffer keys; /* keys of all pairs, concatenated */
	struct bs_u64s ends;   /* end of each pair's key in `keys` */
	/* For each pair, the number of its key in `words`, or BS_NO_WORD if no wide pair begins
	 * with the pair. */
	struct bs_u16s heads;
	/* Hash table of pairs: number of the first part << 32 | number of the second part << 16 |
	 * number of the pair + 1; 0: empty slot. */
	uint64_t *slots;
	uint32_t n_slots; /* a power of two, or 0 */
	uint64_t factor;  /* secret factor of the hash, so that nobody can construct collisions */
	uint32_t n_word_pairs;
};
void bs_word_pairs_deinit(struct bs_word_pairs *pairs);

#define BS_MAX_WORD_PAIRS  8192u
#define BS_NO_WORD         UINT16_MAX
#define BS_PAIR_MOST_WORDS 4u /* maximum number of words of a wide pair */

/* The two parts of a pair's key; borrowed from the key. */
struct bs_word_pair {
	const uint8_t *first; /* a word, or the key of a pair */
	const uint8_t *second;
	uint32_t first_bytes;
	uint32_t second_bytes;
};

/* Appends the key of the pair (a, b) to `key`. a is a word or the key of a pair. BS_NO_MEMORY. */
enum bs_status bs_word_pair_key(const uint8_t *a, uint32_t a_bytes, const uint8_t *b,
                                uint32_t b_bytes, struct bs_buffer *key,
                                struct bs_error *err) BS_WARN_UNUSED;
/* True if the key is the key of a word pair; sets the parts of the pair. */
bool bs_word_pair_split(const uint8_t *key, uint32_t key_bytes, struct bs_word_pair *pair_out);

/* Adds the pair (a, b). Does nothing if the set has it already or is full, or if a is the key of a
 * pair that is not in the set. BS_NO_MEMORY. */
enum bs_status bs_word_pairs_add(struct bs_word_pairs *pairs, const uint8_t *a, uint32_t a_bytes,
                                 const uint8_t *b, uint32_t b_bytes,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* The number of a word among the parts (`words`), or BS_NO_WORD if the word is part of no pair.
 * hash: bs_hash_slot of the word. */
uint16_t bs_word_pairs_word(const struct bs_word_pairs *pairs, const uint8_t *word,
                            uint32_t n_bytes, uint64_t hash);

/* True if the pair (a, b) is in the set, where a and b are numbers of parts; sets the number of the
 * pair. */
bool bs_word_pairs_find(const struct bs_word_pairs *pairs, uint16_t a, uint16_t b,
                        uint32_t *pair_out);

/* The number of the pair's key among the parts (`words`), or BS_NO_WORD if no wide pair begins with
 * the pair. */
static inline uint16_t bs_word_pairs_head(const struct bs_word_pairs *pairs, uint32_t pair)
{
	return pairs->heads.items[pair];
}

/* The key of a pair; valid until the next bs_word_pairs_add. */
const uint8_t *bs_word_pairs_key(const struct bs_word_pairs *pairs, uint32_t pair,
                                 uint32_t *key_bytes_out);
