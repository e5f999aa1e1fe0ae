/* attenuated.c: the attenuated Bloom filter (Rhea and Kubiatowicz, "Probabilistic Location and
 * Routing", 2002). See bitsift/bloom.h. */
#include <stdlib.h>

#include "core/base/error.h"
#include "core/bitsift/bloom.h"
#include "core/bloom/plain.h"
#include "core/bloom/stored.h"

#define MAX_LEVELS 64u

struct bs_attenuated {
	uint32_t n_bits;
	uint32_t n_hashes;
	uint32_t n_levels;
	uint8_t bits[];
};

static uint64_t all_bytes(uint64_t n_levels, uint64_t n_bits)
{
	return bs_bits_bytes(n_bits) * n_levels;
}

enum bs_status bs_attenuated_new(uint32_t n_levels, uint64_t n_bits, uint32_t n_hashes,
                                 struct bs_attenuated **attenuated_out, struct bs_error *err)
{
	*attenuated_out = NULL;
	if (n_levels == 0 || n_levels > MAX_LEVELS)
		return bs_fail(err, BS_INVALID,
		               "an attenuated Bloom filter has 1 to %u levels, not %u", MAX_LEVELS,
		               n_levels);
	enum bs_status status = bs_bloom_check_shape(n_bits, n_hashes, err);
	if (status)
		return status;
	uint64_t n_bytes = sizeof(struct bs_attenuated) + all_bytes(n_levels, n_bits);
	struct bs_attenuated *attenuated = n_bytes <= SIZE_MAX ? calloc(1, (size_t)n_bytes) : NULL;
	if (!attenuated)
		return bs_fail_memory(err, "an attenuated Bloom filter", n_bytes);
	*attenuated = (struct bs_attenuated){(uint32_t)n_bits, n_hashes, n_levels};
	*attenuated_out = attenuated;
	return BS_OK;
}

void bs_attenuated_free(struct bs_attenuated *attenuated)
{
	free(attenuated);
}

void bs_attenuated_clear(struct bs_attenuated *attenuated)
{
	memset(attenuated->bits, 0, (size_t)all_bytes(attenuated->n_levels, attenuated->n_bits));
}

struct bs_attenuated_view bs_attenuated_look(const struct bs_attenuated *attenuated)
{
	return (struct bs_attenuated_view){attenuated->bits, attenuated->n_bits,
	                                   attenuated->n_hashes, attenuated->n_levels};
}

struct bs_bloom_view bs_attenuated_level(struct bs_attenuated_view view, uint32_t level)
{
	return (struct bs_bloom_view){view.bits + bs_bits_bytes(view.n_bits) * level, view.n_bits,
	                              view.n_hashes};
}

enum bs_status bs_attenuated_unite(struct bs_attenuated *attenuated, struct bs_bloom_view own,
                                   struct bs_error *err)
{
	enum bs_status status = bs_bloom_check_same(
		bs_attenuated_level(bs_attenuated_look(attenuated), 0), own, err);
	for (size_t i = 0; !status && i < bs_bits_bytes(own.n_bits); i++)
		attenuated->bits[i] |= own.bits[i];
	return status;
}

enum bs_status bs_attenuated_hear(struct bs_attenuated *attenuated,
                                  struct bs_attenuated_view neighbour, struct bs_error *err)
{
	struct bs_attenuated_view mine = bs_attenuated_look(attenuated);
	enum bs_status status = bs_bloom_check_same(bs_attenuated_level(mine, 0),
	                                            bs_attenuated_level(neighbour, 0), err);
	if (!status && mine.n_levels != neighbour.n_levels)
		status = bs_fail(err, BS_INVALID, "attenuated Bloom filters of %u levels and of %u",
		                 mine.n_levels, neighbour.n_levels);
	if (status)
		return status;
	/* Level i of the neighbour is ORed into level i + 1. */
	size_t hop_bytes = bs_bits_bytes(mine.n_bits),
	       n_bytes = (size_t)all_bytes(mine.n_levels - 1, mine.n_bits);
	for (size_t i = 0; i < n_bytes; i++)
		attenuated->bits[hop_bytes + i] |= neighbour.bits[i];
	return BS_OK;
}

uint32_t bs_attenuated_nearest(struct bs_attenuated_view view, struct bs_bloom_key key)
{
	uint32_t level = 0;
	while (level < view.n_levels && !bs_bloom_has(bs_attenuated_level(view, level), key))
		level++;
	return level;
}

size_t bs_attenuated_stored_bytes(struct bs_attenuated_view view)
{
	return (size_t)(BS_STORED_HEAD_BYTES + all_bytes(view.n_levels, view.n_bits));
}

void bs_attenuated_store(struct bs_attenuated_view view, uint8_t *to)
{
	memcpy(to + BS_STORED_HEAD_BYTES, view.bits, (size_t)all_bytes(view.n_levels, view.n_bits));
	struct bs_stored stored = {BS_STORED_ATTENUATED, view.n_hashes, view.n_bits, view.n_levels};
	bs_stored_seal(&stored, to, bs_attenuated_stored_bytes(view));
}

enum bs_status bs_attenuated_read_head(const uint8_t *bytes, size_t n_bytes,
                                       struct bs_attenuated_view *view_out, struct bs_error *err)
{
	struct bs_stored stored;
	*view_out = (struct bs_attenuated_view){0};
	enum bs_status status = bs_stored_read(BS_STORED_ATTENUATED, bytes, n_bytes, &stored, err);
	if (status)
		return status;
	if (stored.number == 0 || stored.number > MAX_LEVELS)
		return bs_stored_corrupt(BS_STORED_ATTENUATED, 40, err, "%llu levels",
		                         (unsigned long long)stored.number);
	struct bs_attenuated_view view = {bytes + BS_STORED_HEAD_BYTES, (uint32_t)stored.n_bits,
	                                  stored.n_hashes, (uint32_t)stored.number};
	if (n_bytes != BS_STORED_HEAD_BYTES + all_bytes(view.n_levels, view.n_bits))
		return bs_stored_corrupt(BS_STORED_ATTENUATED, 24, err,
		                         "%zu bytes do not hold %u levels of %u bits", n_bytes,
		                         view.n_levels, view.n_bits);
	*view_out = view;
	return BS_OK;
}

enum bs_status bs_attenuated_read(const uint8_t *bytes, size_t n_bytes,
                                  struct bs_attenuated_view *view_out, struct bs_error *err)
{
	struct bs_attenuated_view view;
	*view_out = (struct bs_attenuated_view){0};
	enum bs_status status = bs_attenuated_read_head(bytes, n_bytes, &view, err);
	if (!status)
		status = bs_stored_check_body(BS_STORED_ATTENUATED, bytes, n_bytes, err);
	for (uint32_t i = 0; !status && i < view.n_levels; i++)
		if (!bs_bits_have_clean_tail(bs_attenuated_level(view, i).bits, view.n_bits))
			status = bs_stored_corrupt(
				BS_STORED_ATTENUATED,
				BS_STORED_HEAD_BYTES + bs_bits_bytes(view.n_bits) * (i + 1) - 8,
				err, "set bits after the last of %u", view.n_bits);
	if (!status)
		*view_out = view;
	return status;
}
