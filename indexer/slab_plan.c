/* slab_plan.c: see slab_plan.h. */
#include "indexer/slab_plan.h"

#include <stdlib.h>

/* Treatments of small dfs by df, which most terms have. */
#define SMALL_DF 64u

struct kinds {
	const struct bs_treatment_table *treatments;
	uint8_t of_small[SMALL_DF];
	double least_frequent; /* df from which on a slab of one block might give an exact column */
	double least_exact;    /* ... from which on one is expected */
};

static uint8_t find_treatment(const struct bs_treatment_table *treatments, uint64_t df)
{
	return (uint8_t)(bs_treatment_find(treatments, df) - treatments->entries);
}

static uint8_t treatment_of(const struct kinds *kinds, uint32_t df)
{
	return df < SMALL_DF ? kinds->of_small[df] : find_treatment(kinds->treatments, df);
}

static bool is_frequent(const struct kinds *kinds, uint32_t df)
{
	return df >= kinds->least_frequent || kinds->treatments->entries[treatment_of(kinds, df)].is_exact;
}

static uint8_t weight_of(const struct kinds *kinds, uint32_t df)
{
	const struct bs_treatment *treatment = &kinds->treatments->entries[treatment_of(kinds, df)];
	uint32_t weight = 0;
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		weight += treatment->n_columns[level];
	return df < kinds->least_exact ? (uint8_t)weight : 0;
}

enum bs_status bs_slab_plan_make(struct bs_slab_plan *plan, const uint32_t *ordinal_of, struct bs_error *err)
{
	const struct bs_term_table *table = &plan->gather->terms;
	uint32_t n_docs = bs_gather_n_docs(plan->gather);
	uint32_t n_blocks = (n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	struct kinds kinds = {
		.treatments = plan->treatments,
		.least_frequent = plan->exact_share * BS_LINE_BITS,
		/* Of the padded slab, as slab_build.c decides it, in whole documents. */
		.least_exact = plan->exact_share * n_blocks * BS_LINE_BITS,
	};
	kinds.least_exact = kinds.least_exact < 1 ? 1 : (double)(uint64_t)kinds.least_exact;
	for (uint32_t df = 0; df < SMALL_DF; df++)
		kinds.of_small[df] = find_treatment(plan->treatments, df);
	for (uint32_t i = 0; i < table->n_terms; i++)
		plan->n_frequent += is_frequent(&kinds, table->entries[i].df);
	plan->terms = malloc(((size_t)table->n_terms + 1) * sizeof(*plan->terms));
	plan->frequent = malloc(((size_t)plan->n_frequent + 1) * sizeof(*plan->frequent));
	if (!plan->terms || !plan->frequent)
		return bs_fail_memory(err, "what slabs share", (size_t)table->n_terms * sizeof(*plan->terms));
	uint32_t n_frequent = 0;
	plan->n_repeated = plan->n_frequent;
	for (uint32_t i = 0; i < table->n_terms; i++) {
		uint32_t df = table->entries[i].df;
		struct bs_planned_term *term = &plan->terms[i];
		*term = (struct bs_planned_term){
			.hash = table->entries[i].hash, .treatment = treatment_of(&kinds, df), .weight = weight_of(&kinds, df)};
		if (is_frequent(&kinds, df)) {
			bool has_exceptions = plan->treatments->entries[term->treatment].is_exact;
			plan->frequent[n_frequent] = (struct bs_frequent_term){i, ordinal_of[i], has_exceptions};
			term->place = ++n_frequent;
		} else if (df > 1) {
			term->place = ++plan->n_repeated;
		}
	}
	return BS_OK;
}

void bs_slab_plan_deinit(struct bs_slab_plan *plan)
{
	free(plan->terms);
	free(plan->frequent);
	*plan = (struct bs_slab_plan){0};
}

uint64_t bs_slab_document_weight(const struct bs_slab_plan *plan, uint32_t document)
{
	struct bs_term_reader reader = bs_slab_plan_read(plan, document);
	uint32_t numbers[BS_TERM_CHUNK];
	uint64_t weight = 0;
	for (uint32_t n; (n = bs_slab_plan_next(plan, &reader, numbers)) > 0;)
		for (uint32_t i = 0; i < n; i++)
			weight += plan->terms[numbers[i]].weight;
	return weight;
}
