/* bytes.h: little-endian integers, varints, bits, and comparisons of byte strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bs_load_u32(const uint8_t *from)
{
	return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
	       (uint32_t)from[3] << 24;
}

static inline uint64_t bs_load_u64(const uint8_t *from)
{
	return (uint64_t)bs_load_u32(from) | (uint64_t)bs_load_u32(from + 4) << 32;
}

static inline void bs_store_u32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static inline void bs_store_u64(uint8_t *to, uint64_t value)
{
	bs_store_u32(to, (uint32_t)value);
	bs_store_u32(to + 4, (uint32_t)(value >> 32));
}

/* The position of the highest set bit of x; 0 for x = 0. */
static inline uint32_t bs_log2(uint64_t x)
{
	return 63 - (uint32_t)__builtin_clzll(x | 1);
}

/* n / size, rounded up, for any n and size > 0. */
static inline uint64_t bs_count_blocks(uint64_t n, uint64_t size)
{
	return n / size + (n % size != 0);
}

/* LEB128: seven bits a byte, least significant first; a set high bit means that another byte
 * follows. */
#define BS_VARINT_MAX_BYTES 10

/* Writes value (1..10 bytes) and returns the number of bytes. `to` has room for
 * BS_VARINT_MAX_BYTES. */
static inline size_t bs_varint_put(uint8_t *to, uint64_t value)
{
	size_t n = 0;
	while (value >= 0x80) {
		to[n++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	to[n++] = (uint8_t)value;
	return n;
}

/* Reads a varint from [from, end). Returns the byte after it, or NULL if it is truncated or exceeds
 * 64 bits. */
static inline const uint8_t *bs_varint_get(const uint8_t *from, const uint8_t *end,
                                           uint64_t *value_out)
{
	uint64_t value = 0;
	for (unsigned shift = 0; from < end && shift < 64; shift += 7) {
		uint8_t byte = *from++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			if (shift == 63 && byte > 1)
				return NULL;
			*value_out = value;
			return from;
		}
	}
	return NULL;
}

/* ORs value into zeroed bytes from bit `at` on, lowest bit first. value < 2^57 unless `at` is a
 * multiple of 8. */
static inline void bs_put_bits(uint8_t *bytes, uint64_t at, uint64_t value)
{
	value <<= at % 8;
	for (uint64_t byte = at / 8; value; byte++, value >>= 8)
		bytes[byte] |= (uint8_t)value;
}

/* Like bs_put_bits with the low n_bits of value, n_bits <= 56. Returns the position of the bit
 * after these. */
static inline uint64_t bs_append_bits(uint8_t *bytes, uint64_t at, uint64_t value, uint32_t n_bits)
{
	bs_put_bits(bytes, at, value & ((UINT64_C(1) << n_bits) - 1));
	return at + n_bits;
}

/* Transposes a bit matrix: bit c of word r becomes bit r of word c. Swaps quarters of ever smaller
 * squares (Warren, "Hacker's Delight", 7-3). */
static inline void bs_transpose_64(uint64_t words[64])
{
	uint64_t mask = UINT32_MAX;
	for (uint32_t half = 32; half > 0; half >>= 1, mask ^= mask << half) {
		for (uint32_t i = 0; i < 64; i = (i + half + 1) & ~half) {
			uint64_t swap = (words[i] >> half ^ words[i + half]) & mask;
			words[i] ^= swap << half;
			words[i + half] ^= swap;
		}
	}
}

/* The first eight bytes as a big-endian number; missing bytes count as zeros. */
static inline uint64_t bs_first_eight(const uint8_t *bytes, size_t n_bytes)
{
	uint64_t first = 0;
	for (size_t i = 0; i < 8; i++)
		first = first << 8 | (i < n_bytes ? bytes[i] : 0);
	return first;
}

/* The length of the common prefix. */
static inline size_t bs_common_bytes(const uint8_t *a, size_t a_bytes, const uint8_t *b,
                                     size_t b_bytes)
{
	size_t n = 0;
	while (n < a_bytes && n < b_bytes && a[n] == b[n])
		n++;
	return n;
}

static inline int bs_compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Negative, zero or positive: bytewise order, a prefix before the longer string. A pointer may be
 * NULL if its length is 0. */
static inline int bs_compare_bytes(const uint8_t *a, size_t a_bytes, const uint8_t *b,
                                   size_t b_bytes)
{
	size_t n_bytes = a_bytes < b_bytes ? a_bytes : b_bytes;
	int order = n_bytes ? memcmp(a, b, n_bytes) : 0;
	return order ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

size_t bs_count_byte(const uint8_t *bytes, size_t n_bytes, uint8_t byte);

static inline bool bs_is_ascii(const uint8_t *bytes, size_t n_bytes)
{
	uint8_t seen = 0;
	for (size_t i = 0; i < n_bytes; i++)
		seen |= bytes[i];
	return seen < 0x80;
}

/* The number of set bits. Does not use __builtin_popcountll, because without flags for the target
 * that is a library call with a table. */
static inline uint32_t bs_count_bits(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}
