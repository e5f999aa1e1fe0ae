/* plain.h: parts of the plain Bloom filter that the other members of the Bloom family
 * (bitsift/bloom.h) share: the positions of a key, and checks of shapes. */
#pragma once

#include "core/base/hash.h"
#include "core/bitsift/bloom.h"
#include "core/bloom/bits.h"

/* Iterates over the positions of a key. Computes the formula of bitsift/bloom.h by finite
 * differences. */
struct bs_positions {
	uint64_t at;   /* x_i of the formula */
	uint64_t step; /* x_(i + 1) - x_i */
	uint64_t turn; /* the amount that was last added to `step` */
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

/* Returns BS_INVALID if a filter cannot have this number of bits or hashes. */
enum bs_status bs_bloom_check_shape(uint64_t n_bits, uint32_t n_hashes,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Returns BS_INVALID if the shapes (bits and hashes) differ. */
enum bs_status bs_bloom_check_same(struct bs_bloom_view a, struct bs_bloom_view b,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* The filter's bits, writable. For code that makes a filter without adding keys. */
uint8_t *bs_bloom_bits(struct bs_bloom *bloom);
