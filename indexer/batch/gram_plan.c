/* gram_plan.c: see gram_plan.h. */
#include "indexer/batch/gram_plan.h"

#include <stdlib.h>
#include <string.h>

/* So that 0.58 of the bits are set: widths of classes are rounded up, by a tenth in the mean. */
#define COLUMNS_A_THOUSAND_BITS 1040u

/* What was measured: bench/NOTES.md. */
static const uint8_t default_hashes[BS_GRAM_TIERS] = {
	[BS_GRAM_COMMON] = 1, [BS_GRAM_MIDDLING] = 2, [BS_GRAM_RARE] = 3, [BS_GRAM_LONG_FREQUENT] = 1, [BS_GRAM_LONG] = 2};

uint32_t bs_gram_size_class_of(uint64_t n_bits)
{
	uint64_t n_columns = n_bits / 1000 * COLUMNS_A_THOUSAND_BITS + n_bits % 1000 * COLUMNS_A_THOUSAND_BITS / 1000;
	uint32_t log = BS_GRAM_LEAST_LOG;
	if (n_bits == 0)
		return 0;
	while (log < BS_GRAM_MOST_LOG && UINT64_C(7) << log < n_columns)
		log++;
	uint64_t n = (n_columns + (UINT64_C(1) << log) - 1) >> log;
	/* Rows of the last class may be too narrow for a file: then it is a candidate for nearly everything. */
	return 1 + 4 * (log - BS_GRAM_LEAST_LOG) + (n < 4 ? 0 : n > 7 ? 3 : (uint32_t)n - 4);
}

void bs_gram_plan_init(struct bs_gram_plan *plan)
{
	*plan = (struct bs_gram_plan){.n_listed = {0}};
	memcpy(plan->n_hashes, default_hashes, sizeof(default_hashes));
}

void bs_gram_plan_deinit(struct bs_gram_plan *plan)
{
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		free(plan->listed[tier]);
	*plan = (struct bs_gram_plan){.n_listed = {0}};
}

enum bs_status bs_gram_plan_set_tier(struct bs_gram_plan *plan, enum bs_gram_tier tier, const uint32_t *listed,
                                     uint32_t n, struct bs_error *err)
{
	uint32_t *copy = malloc(((size_t)n + 1) * sizeof(*copy));
	if (!copy)
		return bs_fail_memory(err, "frequent grams", n * sizeof(*copy));
	if (n)
		memcpy(copy, listed, n * sizeof(*copy));
	free(plan->listed[tier]);
	plan->listed[tier] = copy;
	plan->n_listed[tier] = n;
	return BS_OK;
}
