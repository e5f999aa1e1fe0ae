/* slab_plan.c: see slab_plan.h. */
#include "indexer/slab_plan.h"

#include <stdlib.h>

#include "core/lexicon.h"

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

/* Words only: pairs are not counted in a document. */
static bool has_levels(const struct bs_slab_plan *plan, uint32_t number)
{
	const struct bs_term_table *table = &plan->gather->terms;
	return plan->tf_levels->n_levels > 0 && table->entries[number].df >= plan->tf_levels->min_df &&
	       bs_term_table_key(table, number)[0] != BS_KEY_PAIR;
}

static void set_place(struct bs_slab_plan *plan, const struct kinds *kinds, uint32_t place, uint64_t hash, uint32_t df)
{
	plan->has_levels[place] = false;
	plan->hashes[place] = hash;
	plan->treatment_of[place] = treatment_of(kinds, df);
	plan->weights[place] = weight_of(kinds, df);
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
	uint32_t n_repeated = 0;
	for (uint32_t i = 0; i < table->n_terms; i++)
		plan->n_frequent += is_frequent(&kinds, table->entries[i].df);
	for (uint32_t i = 0; i < table->n_terms; i++)
		n_repeated += !is_frequent(&kinds, table->entries[i].df) && table->entries[i].df > 1;
	plan->n_repeated = plan->n_frequent + n_repeated;
	size_t n_places = (size_t)plan->n_repeated + 1;
	plan->place_of = malloc(((size_t)table->n_terms + 1) * sizeof(*plan->place_of));
	plan->hashes = malloc(n_places * sizeof(*plan->hashes));
	plan->treatment_of = malloc(n_places);
	plan->weights = malloc(n_places);
	plan->has_levels = malloc(n_places * sizeof(*plan->has_levels));
	plan->frequent = malloc(((size_t)plan->n_frequent + 1) * sizeof(*plan->frequent));
	if (!plan->place_of || !plan->hashes || !plan->treatment_of || !plan->weights || !plan->has_levels ||
	    !plan->frequent)
		return bs_fail_memory(err, "what slabs share", (size_t)table->n_terms * sizeof(*plan->place_of));
	bs_buffer_advise(plan->place_of, ((size_t)table->n_terms + 1) * sizeof(*plan->place_of));
	bs_buffer_advise(plan->hashes, n_places * sizeof(*plan->hashes));
	set_place(plan, &kinds, 0, 0, 1);
	uint32_t next_frequent = 1;
	uint32_t next_repeated = plan->n_frequent + 1;
	for (uint32_t i = 0; i < table->n_terms; i++) {
		const struct bs_term_entry *entry = &table->entries[i];
		bool frequent = is_frequent(&kinds, entry->df);
		plan->place_of[i] = 0;
		if (!frequent && entry->df <= 1)
			continue;
		uint32_t place = frequent ? next_frequent++ : next_repeated++;
		plan->place_of[i] = place;
		set_place(plan, &kinds, place, entry->hash, entry->df);
		plan->has_levels[place] = has_levels(plan, i);
		if (frequent)
			plan->frequent[place - 1] = (struct bs_frequent_term){
				i, ordinal_of[i], plan->treatments->entries[plan->treatment_of[place]].is_exact};
	}
	return BS_OK;
}

void bs_slab_plan_deinit(struct bs_slab_plan *plan)
{
	free(plan->place_of);
	free(plan->hashes);
	free(plan->treatment_of);
	free(plan->weights);
	free(plan->has_levels);
	free(plan->frequent);
	*plan = (struct bs_slab_plan){0};
}

uint64_t bs_slab_document_weight(const struct bs_slab_plan *plan, uint32_t document)
{
	struct bs_term_reader reader = bs_slab_plan_read(plan, document);
	uint32_t numbers[BS_TERM_CHUNK];
	uint32_t places[BS_TERM_CHUNK];
	uint64_t weight = 0;
	for (uint32_t n; (n = bs_slab_plan_next(plan, &reader, numbers)) > 0;) {
		bs_slab_plan_places(plan, numbers, n, places);
		for (uint32_t i = 0; i < n; i++)
			weight += plan->weights[places[i]];
	}
	return weight;
}
