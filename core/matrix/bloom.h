/*
 * bloom.h: the classic Bloom filter (B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970),
 * and its formulas.
 *
 * A filter of m bits holding n distinct keys with k hashes each
 *   is smallest for a wanted false-positive rate p at     m = -n ln p / (ln 2)^2,  k = (m / n) ln 2;
 *   has a bit set with probability (its density)          d = 1 - e^{-k n / m};
 *   answers "maybe" for an absent key with probability    d^k;
 *   with t bits set holds about                           n* = -(m / k) ln(1 - t / m)   keys.
 *
 * The program does not use it: with it the formulas are measured, on our hash. The matrix (core/matrix/slab.h) is
 * thousands of such filters side by side, one a document, and its rates follow from the same formulas.
 */
#ifndef BS_TESTS_BLOOM_H
#define BS_TESTS_BLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

/* Bits for n_keys at false-positive rate p, rounded up; at least 1, at most 2^64 - 1. p in (0, 1). */
uint64_t bs_bloom_optimal_bits(uint64_t n_keys, double p);

/* Hashes for that many bits, rounded to the nearest, within 1..64. */
uint32_t bs_bloom_optimal_hashes(uint64_t n_bits, uint64_t n_keys);

/* Expected share of set bits, in [0, 1]. */
double bs_bloom_density(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys);

/* Expected false-positive rate, in [0, 1]. */
double bs_bloom_false_rate(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys);

/* Bits a key of n_hashes hashes needs for a density d in (0, 1): k / -ln(1 - d). */
double bs_bloom_bits_per_key(double n_hashes, double density);

/* An opaque filter. Reading (query, estimate, serialise) is safe from many threads; writing is not. */
struct bs_bloom;

/* Empty filter. n_bits in 1..2^32-1, n_hashes in 1..64, else BS_INVALID; BS_NO_MEMORY. */
enum bs_status bs_bloom_new(uint64_t n_bits, uint32_t n_hashes, struct bs_bloom **bloom_out, struct bs_error *err)
	BS_WARN_UNUSED;

/* NULL is fine. */
void bs_bloom_free(struct bs_bloom *bloom);

void bs_bloom_add(struct bs_bloom *bloom, const void *key, size_t key_bytes);

/* False: never added. True: added, or a false positive. */
bool bs_bloom_query(const struct bs_bloom *bloom, const void *key, size_t key_bytes);

/* into becomes the filter of both sets (OR of the bits). BS_INVALID if their n_bits or n_hashes differ. */
enum bs_status bs_bloom_union(struct bs_bloom *into, const struct bs_bloom *other, struct bs_error *err) BS_WARN_UNUSED;

/* Estimated number of distinct keys added (n* above); infinity when every bit is set. */
double bs_bloom_cardinality(const struct bs_bloom *bloom);

uint64_t bs_bloom_n_bits(const struct bs_bloom *bloom);
uint32_t bs_bloom_n_hashes(const struct bs_bloom *bloom);

/* Bytes that serialise writes: a 24-byte head (magic, hash scheme, n_hashes, n_bits), the bits, an XXH3 checksum. */
size_t bs_bloom_serialized_bytes(const struct bs_bloom *bloom);
void bs_bloom_serialize(const struct bs_bloom *bloom, uint8_t *to);

/* BS_CORRUPT if bytes are not exactly what serialise wrote; BS_UNSUPPORTED for another hash scheme; BS_NO_MEMORY. */
enum bs_status bs_bloom_deserialize(const uint8_t *bytes, size_t n_bytes, struct bs_bloom **bloom_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

#endif
