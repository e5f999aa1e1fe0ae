/* gram_hash.h: how grams (core/text/grams.h) are hashed, for the kernels too. Part of the scheme of
 * an index. */
#pragma once

#include <stdint.h>

/* that there can be; their numbers are the low bits of their keys */
#define BS_GRAM_TRIGRAMS (1u << 24)

/* Hashes, of 32 bits: with no more than what eight lanes of a vector do at once, since an indexer
 * hashes every 5-gram that it meets. A 5-gram has two, the first of its first four bytes as a
 * little-endian number and its last byte, the second of the first. Products bring all bytes to the
 * upper bits, shifts bring those back to the lower ones, which is where columns are taken from. */
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

/* 5-grams are too many for a list of the frequent ones: what is listed is buckets of them, by their
 * first hash, of which one is frequent. That a rare one shares its bucket with a frequent one costs
 * it a column, no more. */
#define BS_GRAM_BUCKETS (1u << 18)

static inline uint32_t bs_gram_bucket(uint32_t hash)
{
	return hash >> 14;
}
