/* treatment.c: from document frequency to columns. See treatment.h. */
#include "core/treatment.h"

#include <math.h>
#include <string.h>

struct bs_treatment_policy bs_treatment_policy_default(void)
{
	return (struct bs_treatment_policy){
		.density = BS_DEFAULT_DENSITY,
		.exact_share = BS_DEFAULT_EXACT_SHARE,
		.use_groups = true,
		.use_blocks = true,
	};
}

/*
 * The cost of a treatment, in nanoseconds a query, for a term in a share f of n documents, alone in its query:
 *
 *   lines   reading: a block column's line per slab; the lines of live groups; those of live blocks until they are zero
 *   noise   documents that pass by chance, each to be fetched and verified
 *   space   bits, at a price: what a query would gladly wait for a smaller index
 *
 * A block (or group) column costs the same bits a posting as a document column; it is charged so (BitFunnel's issue
 * #437 is the story of not doing it). But several postings in one block share the bit: span_postings.
 */
#define COST_LINE_NS      2.0    /* one line from L2 or L3, with its share of loop and branch */
#define COST_VERIFY_NS    2000.0 /* one document fetched, parsed and tokenized for nothing */
#define COST_BIT_NS       12.0   /* one bit of index a posting; calibrated so that d = 0.25 gives 15-25 bits a posting */
#define GROUP_SETUP_LINES 8.0  /* looking up, sorting and spreading the group columns of a slab, in lines' worth */
#define NOISE_WEIGHT      0.25   /* most terms stand beside others in a query, which share the work of rejecting */

/* Distinct (span, term) pairs a posting, when spans hold `span` documents and the term falls on them at random. */
static double span_postings(double f, double span)
{
	double docs = f * span;
	return docs < 1e-6 ? 1.0 : -expm1(-docs) / docs;
}

static double treatment_cost(double f, double n, double d, const uint8_t k[BS_MAX_LEVELS])
{
	double n_blocks = ceil(n / 512);
	double n_slabs = ceil(n_blocks / 512);
	double bits = k[0] + k[1] * span_postings(f, 8) + k[2] * span_postings(f, 512);
	bits /= -log1p(-d);
	/* The share of blocks, and of lanes of groups, that hold the term, or seem to. */
	double block_true = -expm1(-f * 512);
	double block_live = k[2] ? block_true + (1 - block_true) * pow(d, k[2]) : 1;
	double lane_true = -expm1(-f * 8);
	double lane_live = k[1] ? lane_true + (1 - lane_true) * pow(d, k[1]) : 1;
	double lines = k[2] * n_slabs;
	double live_blocks = n_blocks * block_live;
	if (k[1]) {
		double group_live = fmin(1, 8 * block_live);
		lines += ceil(n_blocks / 8) * group_live * k[1] + GROUP_SETUP_LINES * n_slabs;
		/* A block whose group line is zero in all lanes is not read. */
		live_blocks *= -expm1(-512 * lane_live);
	}
	double alive = k[1] ? lane_live : 1;
	for (unsigned i = 0; i < k[0]; i++, alive *= d)
		lines += live_blocks * -expm1(-512 * fmax(alive, f));
	double noise = n * (1 - f) * block_live * fmin(lane_live, 1) * pow(d, k[0]);
	if (!k[1])
		noise = n * (1 - f) * block_live * pow(d, k[0]);
	return lines * COST_LINE_NS + noise * NOISE_WEIGHT * COST_VERIFY_NS + bits * f * n * COST_BIT_NS;
}

/* Brute force over small numbers: at most 12 * 6 * 10 combinations a table entry. */
static void choose(const struct bs_treatment_policy *policy, double f, double n, uint8_t best[BS_MAX_LEVELS])
{
	double least = INFINITY;
	uint8_t most_groups = policy->use_groups ? 5 : 0;
	uint8_t most_blocks = policy->use_blocks ? 9 : 0;
	for (uint8_t k0 = 1; k0 <= 12; k0++) {
		for (uint8_t k1 = 0; k1 <= most_groups; k1++) {
			for (uint8_t k2 = 0; k2 <= most_blocks; k2++) {
				uint8_t k[BS_MAX_LEVELS] = {k0, k1, k2};
				double cost = treatment_cost(f, n, policy->density, k);
				if (cost < least) {
					least = cost;
					memcpy(best, k, sizeof(k));
				}
			}
		}
	}
}

/* Drops the levels that no entry uses, so that a slab has no empty ones. */
static void drop_unused_levels(struct bs_treatment_table *table)
{
	for (uint32_t level = 1; level < table->n_levels;) {
		bool used = false;
		for (uint32_t i = 0; i < table->n_entries; i++)
			used |= table->entries[i].n_columns[level] > 0;
		if (used) {
			level++;
			continue;
		}
		table->n_levels--;
		for (uint32_t l = level; l < table->n_levels; l++) {
			table->ranks[l] = table->ranks[l + 1];
			for (uint32_t i = 0; i < table->n_entries; i++)
				table->entries[i].n_columns[l] = table->entries[i].n_columns[l + 1];
		}
		for (uint32_t i = 0; i < table->n_entries; i++)
			table->entries[i].n_columns[table->n_levels] = 0;
		table->ranks[table->n_levels] = 0;
	}
}

void bs_treatment_table_make(const struct bs_treatment_policy *policy, uint64_t n_docs,
                             struct bs_treatment_table *table_out)
{
	struct bs_treatment_table *table = table_out;
	*table = (struct bs_treatment_table){
		.n_levels = 3, .ranks = {BS_RANK_DOCUMENT, BS_RANK_GROUP, BS_RANK_BLOCK}, .n_entries = 0};
	double n = n_docs ? (double)n_docs : 1;
	/* A step of a factor sqrt 2 in df: finer than the counts of columns change. */
	for (double df = 1; df <= n * M_SQRT2 && table->n_entries < BS_MAX_TREATMENTS; df *= M_SQRT2) {
		struct bs_treatment entry = {.min_df = table->n_entries ? (uint64_t)ceil(df) : 0};
		if (policy->is_forced)
			memcpy(entry.n_columns, policy->force, sizeof(entry.n_columns));
		else
			choose(policy, fmin(df * 1.19 / n, 1), n, entry.n_columns);
		const struct bs_treatment *last = table->n_entries ? &table->entries[table->n_entries - 1] : NULL;
		bool is_new = !last || (last->min_df < entry.min_df &&
		                        memcmp(last->n_columns, entry.n_columns, sizeof(entry.n_columns)) != 0);
		if (is_new)
			table->entries[table->n_entries++] = entry;
	}
	drop_unused_levels(table);
}

const struct bs_treatment *bs_treatment_find(const struct bs_treatment_table *table, uint64_t df)
{
	uint32_t i = table->n_entries - 1;
	while (i > 0 && table->entries[i].min_df > df)
		i--;
	return &table->entries[i];
}

bool bs_treatment_table_is_valid(const struct bs_treatment_table *table)
{
	if (table->n_levels < 1 || table->n_levels > BS_MAX_LEVELS || table->ranks[0] != BS_RANK_DOCUMENT ||
	    table->n_entries < 1 || table->n_entries > BS_MAX_TREATMENTS || table->entries[0].min_df != 0)
		return false;
	for (uint32_t level = 1; level < table->n_levels; level++) {
		uint8_t rank = table->ranks[level];
		if ((rank != BS_RANK_GROUP && rank != BS_RANK_BLOCK) || rank <= table->ranks[level - 1])
			return false;
	}
	for (uint32_t i = 0; i < table->n_entries; i++) {
		if (i > 0 && table->entries[i].min_df <= table->entries[i - 1].min_df)
			return false;
		if (table->entries[i].n_columns[0] == 0)
			return false;
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			if (table->entries[i].n_columns[level] > (level < table->n_levels ? BS_MAX_HASHES : 0))
				return false;
	}
	return true;
}
