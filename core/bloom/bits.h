/* bits.h: arrays of bits as the Bloom family has them in memory and in files: bit i is bit i % 8 of byte i / 8, and there are as
 * many bytes as fill 64-bit words, the bits behind the last being 0; and which of them a key has. */
#ifndef BS_CORE_BLOOM_BITS_H
#define BS_CORE_BLOOM_BITS_H

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/bloom.h"

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
	return n_bits % 64 == 0 || bs_load_u64(bits + bs_bits_bytes(n_bits) - 8) >> n_bits % 64 == 0;
}

/* The positions of a key, one after the other: bloom.h has the formula, whose differences these are. */
struct bs_positions {
	uint64_t at;
	uint64_t step;
	uint64_t turn;
};

static inline struct bs_positions bs_positions_of(struct bs_bloom_key key)
{
	return (struct bs_positions){key.start, key.step, 0};
}

static inline uint32_t bs_positions_next(struct bs_positions *positions, uint32_t n_bits)
{
	uint32_t position = bs_hash_reduce(positions->at, n_bits);
	positions->at += positions->step;
	positions->turn += UINT64_C(0x9e3779b97f4a7c15);
	positions->step += positions->turn;
	return position;
}

/* BS_INVALID unless a filter can have so many bits and hashes. */
enum bs_status bs_bloom_check_shape(uint64_t n_bits, uint32_t n_hashes, struct bs_error *err) BS_WARN_UNUSED;
/* BS_INVALID unless both have the same. */
enum bs_status bs_bloom_check_same(struct bs_bloom_view a, struct bs_bloom_view b, struct bs_error *err) BS_WARN_UNUSED;
/* The bits of a filter, for who builds one otherwise than by adding keys. */
uint8_t *bs_bloom_bits(struct bs_bloom *bloom);

#endif
