/* gram_hash.h: the hashes of grams (core/text/grams.h), shared with the SIMD kernels. They are part
 * of the index format. */
#pragma once

#include <stdint.h>

/* The number of possible trigrams. A trigram's number is the low 24 bits of its key. */
#define BS_GRAM_TRIGRAMS (1u << 24)

/* Factors of the 32-bit hashes of 5-grams. An indexer hashes every 5-gram of a text, so these
 * hashes use only operations that a vector does on eight lanes at once. The first hash is of the
 * first four bytes, as a little-endian number, and of the last byte. The second hash is computed
 * from the first one. Products carry all bytes into the upper bits; shifts bring them back to the
 * lower bits, from which columns are chosen. */
#define BS_GRAM_FIRST_FACTOR  UINT32_C(0x9e3779b1)
#define BS_GRAM_LAST_FACTOR   UINT32_C(0x85ebca6b)
#define BS_GRAM_FINAL_FACTOR  UINT32_C(0xc2b2ae35)
#define BS_GRAM_SECOND_FACTOR UINT32_C(0x27d4eb2f)

static inline uint32_t bs_gram_long_hash(uint32_t first, uint32_t last)
{
	uint32_t hash = first * BS_GRAM_FIRST_FACTOR + last * BS_GRAM_LAST_FACTOR;
	hash = (hash ^ hash >> 15) * BS_GRAM_FINAL_FACTOR;
	return hash ^ hash >> 16;
}

static inline uint32_t bs_gram_second_hash(uint32_t hash)
{
	hash *= BS_GRAM_SECOND_FACTOR;
	return hash ^ hash >> 15;
}

/* Frequent 5-grams are too many to be listed one by one. Therefore buckets are listed: a bucket
 * holds the 5-grams with equal upper 18 bits of the first hash, and is listed if one of them is
 * frequent. A 5-gram of a listed bucket has one column; other 5-grams have up to two. A rare 5-gram
 * in a listed bucket also has only one column, so more files match it by chance. */
#define BS_GRAM_BUCKETS (1u << 18)

static inline uint32_t bs_gram_bucket(uint32_t hash)
{
	return hash >> 14;
}
