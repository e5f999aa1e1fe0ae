/* bloom.c: the classic Bloom filter. See bloom.h. */
#include "core/matrix/bloom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"

#define BLOOM_MAGIC      "BSBLOOM\n"
#define BLOOM_HEAD_BYTES 24
#define BLOOM_SUM_BYTES  8
#define BLOOM_MAX_HASHES 64

struct bs_bloom {
	uint64_t n_bits;
	uint32_t n_hashes;
	uint64_t words[]; /* bit i is bit i % 64 of word i / 64 */
};

static size_t bloom_words(uint64_t n_bits)
{
	return (size_t)((n_bits + 63) / 64);
}

uint64_t bs_bloom_optimal_bits(uint64_t n_keys, double p)
{
	double bits = ceil(-(double)n_keys * log(p) / (M_LN2 * M_LN2));
	if (bits < 1)
		return 1;
	return bits < 0x1p64 ? (uint64_t)bits : UINT64_MAX;
}

uint32_t bs_bloom_optimal_hashes(uint64_t n_bits, uint64_t n_keys)
{
	if (n_keys == 0)
		return 1;
	double k = round((double)n_bits / (double)n_keys * M_LN2);
	if (k < 1)
		return 1;
	return k > BLOOM_MAX_HASHES ? BLOOM_MAX_HASHES : (uint32_t)k;
}

double bs_bloom_density(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys)
{
	return -expm1(-(double)n_hashes * (double)n_keys / (double)n_bits);
}

double bs_bloom_false_rate(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys)
{
	return pow(bs_bloom_density(n_bits, n_hashes, n_keys), (double)n_hashes);
}

double bs_bloom_bits_per_key(double n_hashes, double density)
{
	return n_hashes / -log1p(-density);
}

enum bs_status bs_bloom_new(uint64_t n_bits, uint32_t n_hashes, struct bs_bloom **bloom_out, struct bs_error *err)
{
	*bloom_out = NULL;
	if (n_bits == 0 || n_bits > UINT32_MAX)
		return bs_fail(err, BS_INVALID, "a Bloom filter has 1 to 2^32-1 bits, not %llu", (unsigned long long)n_bits);
	if (n_hashes == 0 || n_hashes > BLOOM_MAX_HASHES)
		return bs_fail(err, BS_INVALID, "a Bloom filter has 1 to 64 hashes, not %u", n_hashes);
	size_t n_bytes = sizeof(struct bs_bloom) + bloom_words(n_bits) * sizeof(uint64_t);
	struct bs_bloom *bloom = calloc(1, n_bytes);
	if (!bloom)
		return bs_fail_memory(err, "a Bloom filter", n_bytes);
	bloom->n_bits = n_bits;
	bloom->n_hashes = n_hashes;
	*bloom_out = bloom;
	return BS_OK;
}

void bs_bloom_free(struct bs_bloom *bloom)
{
	free(bloom);
}

void bs_bloom_add(struct bs_bloom *bloom, const void *key, size_t key_bytes)
{
	struct bs_probe probe = bs_hash_probe(bs_hash_term(key, key_bytes), 0);
	for (uint32_t i = 0; i < bloom->n_hashes; i++) {
		uint32_t bit = bs_hash_position(probe, i, (uint32_t)bloom->n_bits);
		bloom->words[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

bool bs_bloom_query(const struct bs_bloom *bloom, const void *key, size_t key_bytes)
{
	struct bs_probe probe = bs_hash_probe(bs_hash_term(key, key_bytes), 0);
	for (uint32_t i = 0; i < bloom->n_hashes; i++) {
		uint32_t bit = bs_hash_position(probe, i, (uint32_t)bloom->n_bits);
		if (!(bloom->words[bit / 64] >> (bit % 64) & 1))
			return false;
	}
	return true;
}

enum bs_status bs_bloom_union(struct bs_bloom *into, const struct bs_bloom *other, struct bs_error *err)
{
	if (into->n_bits != other->n_bits || into->n_hashes != other->n_hashes)
		return bs_fail(err, BS_INVALID, "Bloom filters of different shape have no union: %llu bits and %u hashes, "
		               "%llu bits and %u hashes", (unsigned long long)into->n_bits, into->n_hashes,
		               (unsigned long long)other->n_bits, other->n_hashes);
	for (size_t i = 0; i < bloom_words(into->n_bits); i++)
		into->words[i] |= other->words[i];
	return BS_OK;
}

double bs_bloom_cardinality(const struct bs_bloom *bloom)
{
	uint64_t n_set = 0;
	for (size_t i = 0; i < bloom_words(bloom->n_bits); i++)
		n_set += (uint64_t)__builtin_popcountll(bloom->words[i]);
	double m = (double)bloom->n_bits;
	return -(m / bloom->n_hashes) * log1p(-(double)n_set / m);
}

uint64_t bs_bloom_n_bits(const struct bs_bloom *bloom)
{
	return bloom->n_bits;
}

uint32_t bs_bloom_n_hashes(const struct bs_bloom *bloom)
{
	return bloom->n_hashes;
}

size_t bs_bloom_serialized_bytes(const struct bs_bloom *bloom)
{
	return BLOOM_HEAD_BYTES + bloom_words(bloom->n_bits) * 8 + BLOOM_SUM_BYTES;
}

void bs_bloom_serialize(const struct bs_bloom *bloom, uint8_t *to)
{
	uint8_t *at = to;
	memcpy(at, BLOOM_MAGIC, 8);
	bs_store_u32(at + 8, BS_HASH_SCHEME);
	bs_store_u32(at + 12, bloom->n_hashes);
	bs_store_u64(at + 16, bloom->n_bits);
	at += BLOOM_HEAD_BYTES;
	for (size_t i = 0; i < bloom_words(bloom->n_bits); i++, at += 8)
		bs_store_u64(at, bloom->words[i]);
	bs_store_u64(at, bs_checksum(to, (size_t)(at - to)));
}

enum bs_status bs_bloom_deserialize(const uint8_t *bytes, size_t n_bytes, struct bs_bloom **bloom_out,
                                    struct bs_error *err)
{
	*bloom_out = NULL;
	if (n_bytes < BLOOM_HEAD_BYTES + BLOOM_SUM_BYTES || memcmp(bytes, BLOOM_MAGIC, 8) != 0)
		return bs_fail(err, BS_CORRUPT, "not a serialised Bloom filter");
	if (bs_load_u64(bytes + n_bytes - 8) != bs_checksum(bytes, n_bytes - 8))
		return bs_fail(err, BS_CORRUPT, "serialised Bloom filter: checksum mismatch");
	if (bs_load_u32(bytes + 8) != BS_HASH_SCHEME)
		return bs_fail(err, BS_UNSUPPORTED, "serialised Bloom filter: unknown hash scheme %u", bs_load_u32(bytes + 8));
	uint64_t n_bits = bs_load_u64(bytes + 16);
	if (n_bits == 0 || n_bits > UINT32_MAX ||
	    n_bytes != BLOOM_HEAD_BYTES + bloom_words(n_bits) * 8 + BLOOM_SUM_BYTES)
		return bs_fail(err, BS_CORRUPT, "serialised Bloom filter: %zu bytes cannot hold %llu bits", n_bytes,
		               (unsigned long long)n_bits);
	if (n_bits % 64 && bs_load_u64(bytes + n_bytes - BLOOM_SUM_BYTES - 8) >> (n_bits % 64))
		return bs_fail(err, BS_CORRUPT, "serialised Bloom filter: bits beyond its %llu",
		               (unsigned long long)n_bits);
	struct bs_bloom *bloom;
	enum bs_status status = bs_bloom_new(n_bits, bs_load_u32(bytes + 12), &bloom, err);
	if (status)
		return status == BS_INVALID ? BS_CORRUPT : status;
	for (size_t i = 0; i < bloom_words(n_bits); i++)
		bloom->words[i] = bs_load_u64(bytes + BLOOM_HEAD_BYTES + i * 8);
	*bloom_out = bloom;
	return BS_OK;
}
