/* slab_plan.c: see slab_plan.h. */
#include "indexer/segment/slab_plan.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "indexer/segment/renumber.h"

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

/* A word: pairs are not counted in a document. */
static bool is_counted(const struct bs_slab_plan *plan, uint32_t number)
{
	return bs_term_table_key(&plan->accumulator->terms, number)[0] != BS_KEY_COMPOUND;
}

static struct kinds make_kinds(const struct bs_slab_plan *plan)
{
	uint32_t n_docs = bs_accumulator_n_docs(plan->accumulator);
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
	return kinds;
}

/* Where terms of each df begin, in next_of[0..most]: frequent ones first, the others behind them, each from most down. */
static void place_dfs(struct bs_slab_plan *plan, const struct kinds *kinds, uint32_t most, uint32_t *next_of)
{
	uint32_t n = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t df = most + 1; df-- > 0;) {
			uint32_t n_here = next_of[df];
			if (is_frequent(kinds, df) != (pass == 0))
				continue;
			next_of[df] = n;
			n += n_here;
			if (df > 1)
				plan->n_repeated = n;
		}
		if (pass == 0)
			plan->n_frequent = plan->n_repeated = n;
	}
}

/* Places by how many documents have a term, of those of one df by number. */
static enum bs_status find_places(struct bs_slab_plan *plan, const struct kinds *kinds, uint32_t *place_of,
                                  struct bs_error *err)
{
	const struct bs_term_table *table = &plan->accumulator->terms;
	uint32_t most = 1;
	for (uint32_t i = 0; i < table->n_terms; i++)
		most = table->entries[i].df > most ? table->entries[i].df : most;
	uint32_t *next_of = calloc((size_t)most + 1, sizeof(*next_of));
	if (!next_of)
		return bs_fail_memory(err, "places of terms", ((size_t)most + 1) * sizeof(*next_of));
	for (uint32_t i = 0; i < table->n_terms; i++)
		next_of[table->entries[i].df]++;
	place_dfs(plan, kinds, most, next_of);
	for (uint32_t i = 0; i < table->n_terms; i++)
		place_of[i] = next_of[table->entries[i].df]++;
	free(next_of);
	return BS_OK;
}

/* What is known of a place; notes (renumber.h): the weight is columns of all levels, 0 of a term that is taken to get an exact
 * column. */
static void fill_places(struct bs_slab_plan *plan, const struct kinds *kinds, const uint32_t *place_of, uint8_t *notes)
{
	const struct bs_term_table *table = &plan->accumulator->terms;
	const struct bs_tf_levels *levels = plan->tf_levels;
	plan->kinds[plan->n_repeated] = treatment_of(kinds, 1);
	notes[plan->n_repeated] = weight_of(kinds, 1);
	for (uint32_t i = 0; i < table->n_terms; i++) {
		const struct bs_term_entry *entry = &table->entries[i];
		uint32_t place = place_of[i];
		plan->hashes[place] = bs_hash_term(bs_term_table_key(table, i), entry->n_bytes);
		if (place >= plan->n_repeated)
			continue;
		bool is_coded = entry->df >= levels->min_coded_df && is_counted(plan, i);
		bool has_levels = is_coded && levels->n_levels > 0 && entry->df >= levels->min_df;
		plan->kinds[place] = treatment_of(kinds, entry->df) | (has_levels ? BS_KIND_HAS_LEVELS : 0);
		notes[place] = weight_of(kinds, entry->df) | (is_coded ? BS_NOTE_IS_CODED : 0);
		if (place < plan->n_frequent)
			plan->frequent[place] = (struct bs_frequent_term){
				.df = entry->df,
				.has_exceptions = plan->treatments->entries[treatment_of(kinds, entry->df)].is_exact,
			};
	}
}

/* Places of terms in lexicon order are all over: they are asked for so many ahead. */
#define PLACES_AHEAD 16u

static void fill_ordinals(struct bs_slab_plan *plan, const uint32_t *place_of, const uint32_t *sorted)
{
	uint32_t n_terms = plan->accumulator->terms.n_terms;
	for (uint32_t i = 0; i < n_terms; i++) {
		if (n_terms - i > 2 * PLACES_AHEAD) {
			__builtin_prefetch(&place_of[sorted[i + 2 * PLACES_AHEAD]]);
			__builtin_prefetch(&plan->ordinals[place_of[sorted[i + PLACES_AHEAD]]], 1);
		}
		plan->ordinals[place_of[sorted[i]]] = i;
	}
	for (uint32_t i = 0; i < plan->n_frequent; i++)
		plan->frequent[i].ordinal = plan->ordinals[i];
}

enum bs_status bs_slab_plan_make(struct bs_slab_plan *plan, struct bs_accumulator *accumulator, const uint32_t *sorted,
                                 uint32_t n_threads, struct bs_size_class_doc *docs_out, struct bs_error *err)
{
	struct kinds kinds = make_kinds(plan);
	size_t n_terms = (size_t)accumulator->terms.n_terms + 1;
	uint32_t *place_of = malloc(n_terms * sizeof(*place_of));
	uint8_t *notes = NULL;
	plan->hashes = malloc(n_terms * sizeof(*plan->hashes));
	plan->ordinals = malloc(n_terms * sizeof(*plan->ordinals));
	enum bs_status status = BS_OK;
	if (!place_of || !plan->hashes || !plan->ordinals) {
		status = bs_fail_memory(err, "what slabs share", n_terms * sizeof(*plan->hashes));
		goto out;
	}
	bs_buffer_advise(place_of, n_terms * sizeof(*place_of));
	bs_buffer_advise(plan->hashes, n_terms * sizeof(*plan->hashes));
	status = find_places(plan, &kinds, place_of, err);
	if (status)
		goto out;
	notes = malloc((size_t)plan->n_repeated + 1);
	plan->kinds = malloc((size_t)plan->n_repeated + 1);
	plan->frequent = malloc(((size_t)plan->n_frequent + 1) * sizeof(*plan->frequent));
	if (!notes || !plan->kinds || !plan->frequent) {
		status = bs_fail_memory(err, "what slabs share", plan->n_frequent * sizeof(*plan->frequent));
		goto out;
	}
	fill_places(plan, &kinds, place_of, notes);
	fill_ordinals(plan, place_of, sorted);
	const struct bs_renumbering renumbering = {
		.new_of = place_of,
		.notes = notes,
		.hashes = plan->hashes,
		.last = plan->n_repeated,
		.min_coded_length = plan->tf_levels->min_coded_length,
		.kernel = plan->kernel,
	};
	status = bs_renumber(accumulator, &renumbering, n_threads, docs_out, err);
out:
	free(place_of);
	free(notes);
	return status;
}

void bs_slab_plan_deinit(struct bs_slab_plan *plan)
{
	free(plan->hashes);
	free(plan->ordinals);
	free(plan->kinds);
	free(plan->frequent);
	*plan = (struct bs_slab_plan){0};
}
