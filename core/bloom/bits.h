/* bits.h: arrays of bits, in memory and in files. Bit i is bit i % 8 of byte i / 8. The number of
 * bytes is a multiple of 8; unused bits at the end are 0. */
#pragma once

#include <stdbool.h>

#include "core/base/bytes.h"

#define BS_BLOOM_MAX_HASHES 64u

/* The length in bytes of an array of n_bits bits. */
static inline size_t bs_bits_bytes(uint64_t n_bits)
{
	return (size_t)((n_bits + 63) / 64 * 8);
}

static inline uint64_t bs_bits_count(const uint8_t *bits, size_t n_bytes)
{
	uint64_t n_set = 0;
	for (size_t i = 0; i < n_bytes; i += 8)
		n_set += bs_count_bits(bs_load_u64(bits + i));
	return n_set;
}

/* True if the unused bits at the end are 0. */
static inline bool bs_bits_have_clean_tail(const uint8_t *bits, uint64_t n_bits)
{
	return n_bits % 64 == 0 ||
	       bs_load_u64(bits + bs_bits_bytes(n_bits) - 8) >> n_bits % 64 == 0;
}
