/* counting.c: the counting Bloom filter (Fan, Cao, Almeida and Broder, "Summary Cache: A Scalable
 * Wide-Area Web Cache Sharing Protocol", 2000). See bitsift/bloom.h. Counter i is the low half of
 * byte i / 2 if i is even, otherwise the high half. */
#include <stdlib.h>

#include "core/base/error.h"
#include "core/bitsift/bloom.h"
#include "core/bloom/plain.h"
#include "core/bloom/stored.h"

#define COUNTER_MAX 15u
/* In the stored form, the number of keys (a u64) precedes the counters. */
#define COUNTING_FIELD_BYTES 8u

struct bs_counting {
	uint32_t n_counters;
	uint32_t n_hashes;
	uint64_t n_keys;
	uint64_t n_overflows;
	uint8_t counters[];
};

static size_t counter_bytes(uint64_t n_counters)
{
	return (size_t)((n_counters + 15) / 16 * 8);
}

enum bs_status bs_counting_new(uint64_t n_counters, uint32_t n_hashes,
                               struct bs_counting **counting_out, struct bs_error *err)
{
	*counting_out = NULL;
	enum bs_status status = bs_bloom_check_shape(n_counters, n_hashes, err);
	if (status)
		return status;
	size_t n_bytes = sizeof(struct bs_counting) + counter_bytes(n_counters);
	struct bs_counting *counting = calloc(1, n_bytes);
	if (!counting)
		return bs_fail_memory(err, "a counting Bloom filter", n_bytes);
	counting->n_counters = (uint32_t)n_counters;
	counting->n_hashes = n_hashes;
	*counting_out = counting;
	return BS_OK;
}

void bs_counting_free(struct bs_counting *counting)
{
	free(counting);
}

static uint32_t counter_at(const struct bs_counting *counting, uint32_t i)
{
	return (uint32_t)counting->counters[i / 2] >> i % 2 * 4 & COUNTER_MAX;
}

/* The distinct counters of a key. A counter that several positions of the key share counts the key
 * once. */
static uint32_t counters_of(const struct bs_counting *counting, struct bs_bloom_key key,
                            uint32_t found[BS_BLOOM_MAX_HASHES])
{
	struct bs_positions positions = bs_positions_of(key);
	uint32_t n = 0;
	for (uint32_t i = 0; i < counting->n_hashes; i++) {
		found[n] = bs_positions_next(&positions, counting->n_counters);
		__builtin_prefetch(&counting->counters[found[n] / 2], 1);
		uint32_t same = 0;
		while (found[same] != found[n])
			same++;
		n += same == n;
	}
	return n;
}

void bs_counting_add(struct bs_counting *counting, struct bs_bloom_key key)
{
	uint32_t at[BS_BLOOM_MAX_HASHES], n = counters_of(counting, key, at);
	for (uint32_t i = 0; i < n; i++) {
		if (counter_at(counting, at[i]) == COUNTER_MAX)
			counting->n_overflows++;
		else
			counting->counters[at[i] / 2] =
				(uint8_t)(counting->counters[at[i] / 2] + (1 << at[i] % 2 * 4));
	}
	counting->n_keys++;
}

bool bs_counting_remove(struct bs_counting *counting, struct bs_bloom_key key)
{
	uint32_t at[BS_BLOOM_MAX_HASHES], n = counters_of(counting, key, at);
	for (uint32_t i = 0; i < n; i++)
		if (counter_at(counting, at[i]) == 0)
			return false;
	/* After an overflow, a counter at 15 may represent more than 15 and is never
	 * decremented. */
	uint32_t stays = counting->n_overflows ? COUNTER_MAX : COUNTER_MAX + 1;
	for (uint32_t i = 0; i < n; i++)
		if (counter_at(counting, at[i]) < stays)
			counting->counters[at[i] / 2] =
				(uint8_t)(counting->counters[at[i] / 2] - (1 << at[i] % 2 * 4));
	counting->n_keys -= counting->n_keys > 0;
	return true;
}

bool bs_counting_has(const struct bs_counting *counting, struct bs_bloom_key key)
{
	struct bs_positions positions = bs_positions_of(key);
	for (uint32_t i = 0; i < counting->n_hashes; i++)
		if (counter_at(counting, bs_positions_next(&positions, counting->n_counters)) == 0)
			return false;
	return true;
}

void bs_counting_describe(const struct bs_counting *counting, struct bs_counting_info *info_out)
{
	*info_out = (struct bs_counting_info){.n_counters = counting->n_counters,
	                                      .n_keys = counting->n_keys,
	                                      .n_overflows = counting->n_overflows,
	                                      .n_hashes = counting->n_hashes};
}

/* Returns 16 bits: bit i is 1 if counter i is not 0. */
static uint32_t counted(uint64_t counters)
{
	counters |= counters >> 1;
	counters |= counters >> 2;
	counters &= UINT64_C(0x1111111111111111);
	counters = (counters | counters >> 3) & UINT64_C(0x0303030303030303);
	counters = (counters | counters >> 6) & UINT64_C(0x000f000f000f000f);
	counters = (counters | counters >> 12) & UINT64_C(0x000000ff000000ff);
	return (uint32_t)(counters | counters >> 24) & 0xffff;
}

enum bs_status bs_counting_to_bloom(const struct bs_counting *counting, struct bs_bloom **bloom_out,
                                    struct bs_error *err)
{
	enum bs_status status =
		bs_bloom_new(counting->n_counters, counting->n_hashes, bloom_out, err);
	if (status)
		return status;
	uint8_t *bits = bs_bloom_bits(*bloom_out);
	for (size_t i = 0; i < counter_bytes(counting->n_counters); i += 8, bits += 2) {
		uint32_t set = counted(bs_load_u64(counting->counters + i));
		bits[0] = (uint8_t)set;
		bits[1] = (uint8_t)(set >> 8);
	}
	return BS_OK;
}

size_t bs_counting_stored_bytes(const struct bs_counting *counting)
{
	return BS_STORED_HEAD_BYTES + COUNTING_FIELD_BYTES + counter_bytes(counting->n_counters);
}

void bs_counting_store(const struct bs_counting *counting, uint8_t *to)
{
	uint8_t *body = to + BS_STORED_HEAD_BYTES;
	bs_store_u64(body, counting->n_keys);
	memcpy(body + COUNTING_FIELD_BYTES, counting->counters,
	       counter_bytes(counting->n_counters));
	struct bs_stored stored = {BS_STORED_COUNTING, counting->n_hashes, counting->n_counters,
	                           counting->n_overflows};
	bs_stored_seal(&stored, to, bs_counting_stored_bytes(counting));
}

enum bs_status bs_counting_read(const uint8_t *bytes, size_t n_bytes,
                                struct bs_counting **counting_out, struct bs_error *err)
{
	struct bs_stored stored;
	*counting_out = NULL;
	enum bs_status status = bs_stored_read(BS_STORED_COUNTING, bytes, n_bytes, &stored, err);
	if (!status)
		status = bs_stored_check_body(BS_STORED_COUNTING, bytes, n_bytes, err);
	if (status)
		return status;
	size_t wanted = BS_STORED_HEAD_BYTES + COUNTING_FIELD_BYTES + counter_bytes(stored.n_bits);
	if (n_bytes != wanted)
		return bs_stored_corrupt(BS_STORED_COUNTING, 24, err,
		                         "%zu bytes do not hold %llu counters", n_bytes,
		                         (unsigned long long)stored.n_bits);
	if (stored.n_bits % 16 && bs_load_u64(bytes + n_bytes - 8) >> stored.n_bits % 16 * 4)
		return bs_stored_corrupt(BS_STORED_COUNTING, n_bytes - 8, err,
		                         "nonzero counters after the last of %llu",
		                         (unsigned long long)stored.n_bits);
	status = bs_counting_new(stored.n_bits, stored.n_hashes, counting_out, err);
	if (status)
		return status;
	(*counting_out)->n_keys = bs_load_u64(bytes + BS_STORED_HEAD_BYTES);
	(*counting_out)->n_overflows = stored.number;
	memcpy((*counting_out)->counters, bytes + BS_STORED_HEAD_BYTES + COUNTING_FIELD_BYTES,
	       counter_bytes(stored.n_bits));
	return BS_OK;
}
