/* plain.c: the plain Bloom filter. See bitsift/bloom.h. */
#include <math.h>
#include <stdlib.h>

#include "core/base/error.h"
#include "core/bitsift/bloom.h"
#include "core/bloom/plain.h"
#include "core/bloom/stored.h"

struct bs_bloom {
	uint32_t n_bits;
	uint32_t n_hashes;
	uint8_t bits[];
};

struct bs_bloom_key bs_bloom_key_of_hash(uint64_t hash)
{
	struct bs_probe probe = bs_hash_probe(hash, 0);
	return (struct bs_bloom_key){probe.start, probe.step};
}

struct bs_bloom_key bs_bloom_key_of_bytes(const void *bytes, size_t n_bytes)
{
	return bs_bloom_key_of_hash(bs_hash_term(bytes, n_bytes));
}

struct bs_bloom_key bs_bloom_key_of_hash_wide(uint64_t low, uint64_t high)
{
	return (struct bs_bloom_key){low, high};
}

enum bs_status bs_bloom_check_shape(uint64_t n_bits, uint32_t n_hashes, struct bs_error *err)
{
	if (n_bits == 0 || n_bits > UINT32_MAX)
		return bs_fail(err, BS_INVALID, "a Bloom filter has 1 to 2^32-1 bits, not %llu",
		               (unsigned long long)n_bits);
	if (n_hashes == 0 || n_hashes > BS_BLOOM_MAX_HASHES)
		return bs_fail(err, BS_INVALID, "a Bloom filter has 1 to %u hashes, not %u",
		               BS_BLOOM_MAX_HASHES, n_hashes);
	return BS_OK;
}

enum bs_status bs_bloom_check_same(struct bs_bloom_view a, struct bs_bloom_view b,
                                   struct bs_error *err)
{
	if (a.n_bits == b.n_bits && a.n_hashes == b.n_hashes)
		return BS_OK;
	return bs_fail(
		err, BS_INVALID,
		"Bloom filters of different shape: %u bits and %u hashes, %u bits and %u hashes",
		a.n_bits, a.n_hashes, b.n_bits, b.n_hashes);
}

enum bs_status bs_bloom_new(uint64_t n_bits, uint32_t n_hashes, struct bs_bloom **bloom_out,
                            struct bs_error *err)
{
	*bloom_out = NULL;
	enum bs_status status = bs_bloom_check_shape(n_bits, n_hashes, err);
	if (status)
		return status;
	size_t n_bytes = sizeof(struct bs_bloom) + bs_bits_bytes(n_bits);
	struct bs_bloom *bloom = calloc(1, n_bytes);
	if (!bloom)
		return bs_fail_memory(err, "a Bloom filter", n_bytes);
	bloom->n_bits = (uint32_t)n_bits;
	bloom->n_hashes = n_hashes;
	*bloom_out = bloom;
	return BS_OK;
}

enum bs_status bs_bloom_copy(struct bs_bloom_view view, struct bs_bloom **bloom_out,
                             struct bs_error *err)
{
	enum bs_status status = bs_bloom_new(view.n_bits, view.n_hashes, bloom_out, err);
	if (!status)
		memcpy((*bloom_out)->bits, view.bits, bs_bits_bytes(view.n_bits));
	return status;
}

void bs_bloom_free(struct bs_bloom *bloom)
{
	free(bloom);
}

void bs_bloom_add(struct bs_bloom *bloom, struct bs_bloom_key key)
{
	struct bs_positions positions = bs_positions_of(key);
	for (uint32_t i = 0; i < bloom->n_hashes; i++) {
		uint32_t bit = bs_positions_next(&positions, bloom->n_bits);
		bloom->bits[bit / 8] |= (uint8_t)(1 << bit % 8);
	}
}

struct bs_bloom_view bs_bloom_look(const struct bs_bloom *bloom)
{
	return (struct bs_bloom_view){bloom->bits, bloom->n_bits, bloom->n_hashes};
}

uint8_t *bs_bloom_bits(struct bs_bloom *bloom)
{
	return bloom->bits;
}

static inline bool has(struct bs_bloom_view view, struct bs_bloom_key key)
{
	struct bs_positions positions = bs_positions_of(key);
	for (uint32_t i = 0; i < view.n_hashes; i++) {
		uint32_t bit = bs_positions_next(&positions, view.n_bits);
		if (!(view.bits[bit / 8] >> bit % 8 & 1))
			return false;
	}
	return true;
}

bool bs_bloom_has(struct bs_bloom_view view, struct bs_bloom_key key)
{
	return has(view, key);
}

/* The number of filters queried together: one for each bit of the result of ask_group. */
#define PASS_GROUP 64

/* Returns a mask of n <= 64 bits: bit i is set if views[i] may have the key. Each round tests one
 * bit of every filter that is still a candidate; all these bits are prefetched first. */
static uint64_t ask_group(const struct bs_bloom_view *views, uint32_t n, struct bs_bloom_key key)
{
	struct bs_positions positions[PASS_GROUP];
	uint32_t bits[PASS_GROUP];
	uint8_t asked[PASS_GROUP]; /* numbers of the candidates, ascending */
	uint64_t passed = 0;
	for (uint32_t i = 0; i < n; i++) {
		positions[i] = bs_positions_of(key);
		asked[i] = (uint8_t)i;
	}
	for (uint32_t round = 1; n; round++) {
		for (uint32_t i = 0; i < n; i++) {
			const struct bs_bloom_view *view = &views[asked[i]];
			bits[i] = bs_positions_next(&positions[asked[i]], view->n_bits);
			__builtin_prefetch(view->bits + bits[i] / 8);
		}
		uint32_t n_left = 0;
		for (uint32_t i = 0; i < n; i++) {
			const struct bs_bloom_view *view = &views[asked[i]];
			uint32_t is_set = view->bits[bits[i] / 8] >> bits[i] % 8 & 1,
				 is_last = view->n_hashes == round;
			passed |= (uint64_t)(is_set & is_last) << asked[i];
			asked[n_left] = asked[i];
			n_left += is_set & !is_last;
		}
		n = n_left;
	}
	return passed;
}

size_t bs_bloom_pass(const struct bs_bloom_view *views, size_t n_views,
                     const struct bs_bloom_key *keys, size_t n_keys, uint32_t *passed_out)
{
	size_t n_passed = 0;
	for (size_t first = 0; first < n_views; first += PASS_GROUP) {
		uint32_t n =
			n_views - first < PASS_GROUP ? (uint32_t)(n_views - first) : PASS_GROUP;
		uint64_t passed = n_keys ? ask_group(views + first, n, keys[0])
		                         : UINT64_MAX >> (PASS_GROUP - n);
		for (; passed; passed &= passed - 1) {
			size_t i = first + (size_t)__builtin_ctzll(passed), k = 1;
			while (k < n_keys && has(views[i], keys[k]))
				k++;
			passed_out[n_passed] = (uint32_t)i;
			n_passed += k >= n_keys;
		}
	}
	return n_passed;
}

enum bs_status bs_bloom_unite(struct bs_bloom *bloom, struct bs_bloom_view other,
                              struct bs_error *err)
{
	enum bs_status status = bs_bloom_check_same(bs_bloom_look(bloom), other, err);
	for (size_t i = 0; !status && i < bs_bits_bytes(bloom->n_bits); i++)
		bloom->bits[i] |= other.bits[i];
	return status;
}

enum bs_status bs_bloom_intersect(struct bs_bloom *bloom, struct bs_bloom_view other,
                                  struct bs_error *err)
{
	enum bs_status status = bs_bloom_check_same(bs_bloom_look(bloom), other, err);
	for (size_t i = 0; !status && i < bs_bits_bytes(bloom->n_bits); i++)
		bloom->bits[i] &= other.bits[i];
	return status;
}

uint64_t bs_bloom_n_set(struct bs_bloom_view view)
{
	return bs_bits_count(view.bits, bs_bits_bytes(view.n_bits));
}

static double cardinality(struct bs_bloom_view shape, uint64_t n_set)
{
	double m = shape.n_bits;
	return -(m / shape.n_hashes) * log1p(-(double)n_set / m);
}

double bs_bloom_cardinality(struct bs_bloom_view view)
{
	return cardinality(view, bs_bloom_n_set(view));
}

enum bs_status bs_bloom_cardinality_of_either(struct bs_bloom_view a, struct bs_bloom_view b,
                                              double *n_keys_out, struct bs_error *err)
{
	*n_keys_out = 0;
	enum bs_status status = bs_bloom_check_same(a, b, err);
	if (status)
		return status;
	uint64_t n_set = 0;
	for (size_t i = 0; i < bs_bits_bytes(a.n_bits); i += 8)
		n_set += bs_count_bits(bs_load_u64(a.bits + i) | bs_load_u64(b.bits + i));
	*n_keys_out = cardinality(a, n_set);
	return BS_OK;
}

/* Estimates the number of keys in both filters: |a| + |b| - |a or b|. */
enum bs_status bs_bloom_cardinality_of_both(struct bs_bloom_view a, struct bs_bloom_view b,
                                            double *n_keys_out, struct bs_error *err)
{
	double either, of_a = bs_bloom_cardinality(a), of_b = bs_bloom_cardinality(b);
	enum bs_status status = bs_bloom_cardinality_of_either(a, b, &either, err);
	*n_keys_out = status ? 0 : isinf(either) ? fmin(of_a, of_b) : fmax(0, of_a + of_b - either);
	return status;
}

size_t bs_bloom_stored_bytes(struct bs_bloom_view view)
{
	return BS_STORED_HEAD_BYTES + bs_bits_bytes(view.n_bits);
}

void bs_bloom_store(struct bs_bloom_view view, uint8_t *to)
{
	memcpy(to + BS_STORED_HEAD_BYTES, view.bits, bs_bits_bytes(view.n_bits));
	struct bs_stored stored = {BS_STORED_PLAIN, view.n_hashes, view.n_bits, 0};
	bs_stored_seal(&stored, to, bs_bloom_stored_bytes(view));
}

enum bs_status bs_bloom_read_head(const uint8_t *bytes, size_t n_bytes,
                                  struct bs_bloom_view *view_out, struct bs_error *err)
{
	struct bs_stored stored;
	*view_out = (struct bs_bloom_view){0};
	enum bs_status status = bs_stored_read(BS_STORED_PLAIN, bytes, n_bytes, &stored, err);
	if (status)
		return status;
	if (stored.number != 0)
		return bs_stored_corrupt(BS_STORED_PLAIN, 40, err, "not 0");
	struct bs_bloom_view view = {bytes + BS_STORED_HEAD_BYTES, (uint32_t)stored.n_bits,
	                             stored.n_hashes};
	if (n_bytes != bs_bloom_stored_bytes(view))
		return bs_stored_corrupt(BS_STORED_PLAIN, 24, err, "%zu bytes do not hold %u bits",
		                         n_bytes, view.n_bits);
	*view_out = view;
	return BS_OK;
}

enum bs_status bs_bloom_read(const uint8_t *bytes, size_t n_bytes, struct bs_bloom_view *view_out,
                             struct bs_error *err)
{
	enum bs_status status = bs_bloom_read_head(bytes, n_bytes, view_out, err);
	if (!status)
		status = bs_stored_check_body(BS_STORED_PLAIN, bytes, n_bytes, err);
	if (!status && !bs_bits_have_clean_tail(view_out->bits, view_out->n_bits))
		status = bs_stored_corrupt(BS_STORED_PLAIN, n_bytes - 8, err,
		                           "set bits after the last of %u", view_out->n_bits);
	if (status)
		*view_out = (struct bs_bloom_view){0};
	return status;
}
