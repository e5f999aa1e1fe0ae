/* bits.h: arrays of bits as the Bloom family has them in memory and in files: bit i is bit i % 8 of
 * byte i / 8, and there are as many bytes as fill 64-bit words, the bits behind the last being
 * 0. */
#pragma once

#include <stdbool.h>

#include "core/base/bytes.h"

#define BS_BLOOM_MAX_HASHES 64u

/* Of so many bits. */
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

/* Whether the bits behind the last of them are 0. */
static inline bool bs_bits_end_well(const uint8_t *bits, uint64_t n_bits)
{
	return n_bits % 64 == 0 ||
	       bs_load_u64(bits + bs_bits_bytes(n_bits) - 8) >> n_bits % 64 == 0;
}
