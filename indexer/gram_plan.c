/* gram_plan.c: see gram_plan.h. */
#include "indexer/gram_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/grams.h"
#include "core/hash.h"

#define TRIGRAM_BITS 24u
#define TRIGRAM_MASK ((1u << TRIGRAM_BITS) - 1)
#define FILTER_BITS  (1u << 17) /* 16 KB: stays in the first level of cache; frequent trigrams are some thousands */
#define LEAST_SLOTS  64u

/* Half of the bits would be set with 1 / ln 2 columns for each that is asked for; a little more are, for the size's sake. */
#define COLUMNS_A_BIT 1.40
#define LEAST_COLUMNS 8u
#define MOST_COLUMNS  1000000000u

/* What was measured: bench/README.md. */
static const uint8_t default_hashes[BS_GRAM_TIERS] = {
	[BS_GRAM_COMMON] = 1, [BS_GRAM_MIDDLING] = 2, [BS_GRAM_RARE] = 5, [BS_GRAM_LONG] = 2};

/* ---- classes ---- */

uint32_t bs_gram_class_of(uint64_t n_bits)
{
	/* 2^(1/4), 2^(2/4), 2^(3/4), times 2^32 */
	static const uint64_t quarters[3] = {UINT64_C(5107605667), UINT64_C(6074001000), UINT64_C(7223245206)};
	if (n_bits == 0)
		return 0;
	if (n_bits > UINT32_MAX)
		return BS_GRAM_CLASSES - 1;
	uint32_t log = 63 - (uint32_t)__builtin_clzll(n_bits);
	uint64_t scaled = (n_bits << 32) >> log; /* at most 2^64: n_bits < 2^32 */
	return 1 + 4 * log + (scaled >= quarters[0]) + (scaled >= quarters[1]) + (scaled >= quarters[2]);
}

uint32_t bs_gram_class_columns(uint32_t class)
{
	/* Files of a class have from 1 to 1.19 times its least number of bits. */
	double n = bs_gram_class_least(class) * 1.09 * COLUMNS_A_BIT;
	if (class == 0)
		return 0;
	/* A file with more bits than that is a candidate for everything: they are all set. */
	return n > MOST_COLUMNS ? MOST_COLUMNS : n < LEAST_COLUMNS ? LEAST_COLUMNS : (uint32_t)n;
}

/* ---- frequent trigrams ---- */

void bs_gram_plan_init(struct bs_gram_plan *plan)
{
	*plan = (struct bs_gram_plan){.filter = NULL};
	memcpy(plan->n_hashes, default_hashes, sizeof(default_hashes));
}

void bs_gram_plan_deinit(struct bs_gram_plan *plan)
{
	for (uint32_t tier = 0; tier < BS_GRAM_LISTED_TIERS; tier++)
		free(plan->listed[tier]);
	free(plan->filter);
	free(plan->slots);
	*plan = (struct bs_gram_plan){.filter = NULL};
}

enum bs_status bs_gram_plan_set_tier(struct bs_gram_plan *plan, enum bs_gram_tier tier, const uint32_t *trigrams,
                                     uint32_t n, struct bs_error *err)
{
	uint32_t *copy = malloc(((size_t)n + 1) * sizeof(*copy));
	if (!copy)
		return bs_fail_memory(err, "frequent trigrams", n * sizeof(*copy));
	if (n)
		memcpy(copy, trigrams, n * sizeof(*copy));
	free(plan->listed[tier]);
	plan->listed[tier] = copy;
	plan->n_listed[tier] = n;
	return BS_OK;
}

static inline uint32_t trigram_hash(uint32_t trigram)
{
	return (trigram * UINT32_C(0x9e3779b1)) >> 8;
}

/* Its slot, or the empty one where it would be. */
static inline uint32_t slot_of(const struct bs_gram_plan *plan, uint32_t trigram)
{
	uint32_t at = trigram_hash(trigram) & plan->slot_mask;
	while (plan->slots[at] && (plan->slots[at] & TRIGRAM_MASK) != trigram)
		at = (at + 1) & plan->slot_mask;
	return at;
}

enum bs_status bs_gram_plan_finish(struct bs_gram_plan *plan, struct bs_error *err)
{
	size_t n_slots = LEAST_SLOTS, n_listed = 0;
	for (uint32_t tier = 0; tier < BS_GRAM_LISTED_TIERS; tier++)
		n_listed += plan->n_listed[tier];
	while (n_slots < 2 * n_listed)
		n_slots *= 2;
	plan->slot_mask = (uint32_t)n_slots - 1;
	plan->filter = calloc(FILTER_BITS / 64, sizeof(*plan->filter));
	plan->slots = calloc(n_slots, sizeof(*plan->slots));
	if (!plan->filter || !plan->slots)
		return bs_fail_memory(err, "frequent trigrams", n_slots * sizeof(*plan->slots));
	for (uint32_t tier = 0; tier < BS_GRAM_LISTED_TIERS; tier++) {
		for (uint32_t i = 0; i < plan->n_listed[tier]; i++) {
			uint32_t trigram = plan->listed[tier][i], bit = trigram_hash(trigram) % FILTER_BITS;
			plan->slots[slot_of(plan, trigram)] = trigram | (tier + 1) << TRIGRAM_BITS;
			plan->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
		}
	}
	return BS_OK;
}

/* ---- rows ---- */

static inline uint8_t hashes_of(const struct bs_gram_plan *plan, uint64_t key)
{
	uint32_t trigram = (uint32_t)key & TRIGRAM_MASK, bit = trigram_hash(trigram) % FILTER_BITS;
	if (bs_gram_bytes(key) != BS_GRAM_LEAST)
		return plan->n_hashes[BS_GRAM_LONG];
	if (!(plan->filter[bit / 64] >> (bit % 64) & 1))
		return plan->n_hashes[BS_GRAM_RARE];
	uint32_t slot = plan->slots[slot_of(plan, trigram)];
	return plan->n_hashes[slot ? (slot >> TRIGRAM_BITS) - 1 : BS_GRAM_RARE];
}

uint64_t bs_gram_plan_weigh(const struct bs_gram_plan *plan, const uint64_t *keys, size_t n_keys, uint8_t *hashes_out)
{
	uint64_t n_bits = 0;
	for (size_t i = 0; i < n_keys; i++) {
		hashes_out[i] = hashes_of(plan, keys[i]);
		n_bits += hashes_out[i];
	}
	return n_bits;
}

void bs_gram_plan_row(uint32_t class, const uint64_t *keys, const uint8_t *hashes, size_t n_keys, uint64_t *row)
{
	uint32_t m = bs_gram_class_columns(class);
	for (size_t i = 0; i < n_keys; i++) {
		struct bs_probe probe = bs_hash_probe(keys[i], 0);
		for (uint32_t hash = 0; hash < hashes[i]; hash++) {
			uint32_t bit = bs_hash_position(probe, hash, m);
			row[bit / 64] |= UINT64_C(1) << (bit % 64);
		}
	}
}
