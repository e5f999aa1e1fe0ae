/*
 * hash.h: from a term's bytes to the columns of its signature. Scheme 1 is frozen: index files
 * depend on every bit of it (tests/unit/core/test_hash.c has the test vectors).
 *
 * A term is hashed once, with XXH3-64 without seed (xxHash, https://xxhash.com). Each level of the
 * matrix derives its k positions from this hash by double hashing (Kirsch and Mitzenmacher, "Less
 * Hashing, Same Performance", 2006):
 *
 *      a = mix(hash + level * GOLDEN)        b = mix(a) | 1
 *      position_i = floor((a + i * b mod 2^64) * m / 2^64)          i = 0 .. k-1
 *
 * m is the number of columns of the level. The last step is Lemire's multiply-shift range
 * reduction, which needs no division and works for any m. GOLDEN is 0x9e3779b97f4a7c15, 2^64
 * divided by the golden ratio. mix is the finaliser of splitmix64 (bs_hash_mix); it makes the
 * levels of a term independent of each other.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define BS_HASH_SCHEME 1u

/* XXH3-64 of a term's key. The key of a word is its folded bytes; lexicon.h has the keys of other
 * terms. */
uint64_t bs_hash_term(const void *key, size_t key_bytes);

/* XXH3-64 with a seed that differs in every process. For in-memory hash tables of untrusted
 * strings, so that nobody can construct collisions. Neither files nor output may depend on it. */
uint64_t bs_hash_slot(const void *bytes, size_t n_bytes);

/* Two random odd numbers, chosen once per process, as seeds for other hashes of untrusted data. */
struct bs_hash_secret {
	uint64_t words[2];
};
struct bs_hash_secret bs_hash_get_secret(void);

/* XXH3-64 as a checksum of file contents. Equal to bs_hash_term; the name states the purpose. */
uint64_t bs_checksum(const void *bytes, size_t n_bytes);

/* bs_checksum of bytes that arrive in pieces. _new returns NULL when out of memory; _free accepts
 * NULL. */
struct bs_checksum_stream;
struct bs_checksum_stream *bs_checksum_stream_new(void);
void bs_checksum_stream_add(struct bs_checksum_stream *stream, const void *bytes, size_t n_bytes);
/* The checksum of the bytes added so far; more bytes may follow. */
uint64_t bs_checksum_stream_value(const struct bs_checksum_stream *stream);
void bs_checksum_stream_free(struct bs_checksum_stream *stream);

static inline uint64_t bs_hash_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

struct bs_product {
	uint64_t low;
	uint64_t high;
};

static inline struct bs_product bs_hash_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;
	return (struct bs_product){(uint64_t)product, (uint64_t)(product >> 64)};
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
	return (struct bs_product){a * b, (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32)};
#endif
}

/* The pair (a, b) of the formula at the top of this file, for one term at one level. */
struct bs_probe {
	uint64_t start; /* a */
	uint64_t step;  /* b */
};

static inline struct bs_probe bs_hash_probe(uint64_t term_hash, uint32_t level)
{
	struct bs_probe probe;
	probe.start = bs_hash_mix(term_hash + (uint64_t)level * UINT64_C(0x9e3779b97f4a7c15));
	probe.step = bs_hash_mix(probe.start) | 1;
	return probe;
}

/* floor(x * m / 2^64). */
static inline uint32_t bs_hash_reduce(uint64_t x, uint32_t m)
{
	return (uint32_t)bs_hash_multiply(x, m).high;
}

/* position_i of the formula at the top of this file: a column, 0 <= column < m. m >= 1. */
static inline uint32_t bs_hash_position(struct bs_probe probe, uint32_t i, uint32_t m)
{
	return bs_hash_reduce(probe.start + (uint64_t)i * probe.step, m);
}
