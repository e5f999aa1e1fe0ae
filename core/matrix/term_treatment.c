/* term_treatment.c: chooses columns by document frequency. See term_treatment.h. */
#include "core/matrix/term_treatment.h"

#include <math.h>
#include <string.h>

#include "core/matrix/prices.h"

struct bs_term_treatment_policy bs_term_treatment_policy_default(void)
{
	return (struct bs_term_treatment_policy){.density = BS_DEFAULT_DENSITY,
	                                         .exact_share = BS_DEFAULT_EXACT_SHARE,
	                                         .use_groups = true,
	                                         .use_blocks = true,
	                                         .use_false_positives = true};
}

void bs_term_treatment_policy_price(struct bs_term_treatment_policy *policy, double terms_per_doc)
{
	double longer = fmax(terms_per_doc / BS_PRICE_SHORT_TERMS, 1);
	double dearer = pow(policy->density / BS_PRICE_BIT_DENSITY, BS_PRICE_DENSER_POWER);
	policy->density = fmin(
		policy->density + fmin(log2(longer) * BS_PRICE_DENSER_BY, BS_PRICE_MOST_DENSER),
		fmax(policy->density, BS_PRICE_MOST_DENSITY));
	policy->bit_ns = BS_PRICE_BIT_NS *
	                 fmin(pow(longer, BS_PRICE_LONGER_POWER), BS_PRICE_MOST_BIT_FACTOR) *
	                 dearer;
}

/*
 * The cost of a treatment, in nanoseconds per query that has the term, for a term in a share f of n
 * documents:
 *
 *   lines   reading: one line of a block column per shard, the lines of live groups, and the lines
 *           of live blocks until they are zero
 *   lists   looking up candidates (those that pass by chance and those that match) in rare-term
 *           lists, or decoding the term's false-positive list
 *   space   bits per posting, including false-positive or rare-term lists, at the price of size
 *
 * Half of the time the query is the term alone, half of the time the term and another term of equal
 * frequency. Space is counted per posting because words are queried about as often as they occur. A
 * span is the documents that share a bit of a column: 1, 8 or 512. A coarse column is charged the
 * same bits for each (span, term) pair as a document column for each posting (see BitFunnel's issue
 * #437). The constants are in core/matrix/prices.h.
 *
 * In the functions below, d is the density of hashed columns, and k[0], k[1] and k[2] are the
 * numbers of document, group and block columns of the term.
 */

/* Distinct (span, term) pairs per posting, if a span has `span` documents and postings fall on
 * spans at random. */
static double span_postings(double f, double span)
{
	double docs = f * span;
	return docs < 1e-6 ? 1.0 : -expm1(-docs) / docs;
}

/* The share of spans of `span` documents that pass k columns: spans that have the term, and d^k of
 * the others. */
static double span_passes(double f, double span, double d, unsigned k)
{
	double has = -expm1(-f * span);
	return k ? has + (1 - has) * pow(d, k) : 1;
}

/* The expected number of columns, of k, that are read until a line of 512 lanes is zero. `alive` is
 * the share of lanes set before the first column, `last` the share after all k. */
static double columns_read(double alive, double last, double d, unsigned k)
{
	double n = 0;
	for (unsigned i = 0; i < k; i++, alive *= d)
		n += -expm1(-512 * fmax(alive, last));
	return n;
}

/* The reading time of an AND of n_terms independent terms of this frequency and treatment. */
static double reading_ns(double f, double n, double d, const uint8_t k[BS_MAX_LEVELS],
                         unsigned n_terms)
{
	double n_blocks = ceil(n / 512);
	double n_shards = ceil(n_blocks / 512);
	double block_live = pow(span_passes(f, 512, d, k[2]), n_terms);
	double lane_live = pow(span_passes(f, 8, d, k[1]), n_terms);
	double doc_live = pow(span_passes(f, 1, d, k[0]), n_terms);
	double ns = n_terms * k[2] * n_shards * BS_PRICE_MISS_NS;
	double live_blocks = n_blocks * block_live;
	if (k[1]) {
		double group_live = fmin(1, 8 * block_live);
		ns += ceil(n_blocks / 8) * group_live *
		      columns_read(1, lane_live, d, n_terms * k[1]) * BS_PRICE_LINE_NS;
		live_blocks *= -expm1(-64 * lane_live);
	}
	/* Reading lines out of order costs more. If every block is live, prefetching hides the
	 * cost. */
	double line_ns = BS_PRICE_LINE_NS +
	                 (BS_PRICE_MISS_NS - BS_PRICE_LINE_NS) * (1 - live_blocks / n_blocks);
	return ns +
	       live_blocks *
	               columns_read(k[1] ? lane_live : 1, doc_live * lane_live, d, n_terms * k[0]) *
	               line_ns;
}

/* The expected number of documents that pass without having the term. */
static double expected_noise(double f, double n, double d, const uint8_t k[BS_MAX_LEVELS])
{
	return n * (1 - f) * span_passes(f, 512, d, k[2]) * span_passes(f, 8, d, k[1]) *
	       pow(d, k[0]);
}

static double treatment_cost(const struct bs_term_treatment_policy *policy, double f, double n,
                             const uint8_t k[BS_MAX_LEVELS], bool has_false_positives)
{
	double d = policy->density;
	double df = f * n;
	double noise = expected_noise(f, n, d, k);
	double bits =
		(k[0] + k[1] * span_postings(f, 8) + k[2] * span_postings(f, 512)) / -log1p(-d);
	double ns = (reading_ns(f, n, d, k, 1) + reading_ns(f, n, d, k, 2)) / 2;
	if (has_false_positives) {
		double row_bits = 2 + log2(n / fmin(fmax(noise, 1), n)); /* Elias-Fano */
		bits += (noise * row_bits + BS_PRICE_FALSE_POSITIVE_TERM_BITS) / df;
		ns += noise * BS_PRICE_FALSE_POSITIVE_NS;
	} else {
		/* A query for this term alone looks up all documents that pass; a query for two
		 * terms, those that pass both. */
		double both = n * pow(span_passes(f, 1, d, k[0]), 2);
		bits += BS_PRICE_LISTED_BITS + BS_PRICE_LISTED_DF_BITS * log2(fmax(df, 1));
		ns += (df + noise + fmin(both, df)) / 2 * BS_PRICE_LOOK_NS *
		      fmax(policy->look_times, 1);
	}
	return ns + bits * policy->bit_ns;
}

/* Finds the cheapest treatment of a term: tries all combinations of the numbers of columns at each
 * level with both kinds of lists, at most 12 * 6 * 10 * 2. Skips combinations whose columns alone
 * cost as much as the best combination so far; in small segments, that skips nearly all. */
static void choose(const struct bs_term_treatment_policy *policy, double f, double n,
                   struct bs_term_treatment *best)
{
	double group_postings = span_postings(f, 8), block_postings = span_postings(f, 512);
	double least = INFINITY;
	uint8_t most_groups = policy->use_groups ? 5 : 0;
	uint8_t most_blocks = policy->use_blocks ? 9 : 0;
	for (uint8_t k0 = 1; k0 <= 12; k0++) {
		for (uint8_t k1 = 0; k1 <= most_groups; k1++) {
			for (uint8_t k2 = 0; k2 <= most_blocks; k2++) {
				if ((k0 + k1 * group_postings + k2 * block_postings) /
				            -log1p(-policy->density) * policy->bit_ns >=
				    least)
					break;
				for (int has = 0; has <= (policy->use_false_positives &&
				                          f * n >= BS_PRICE_FALSE_POSITIVE_MIN_DF);
				     has++) {
					uint8_t k[BS_MAX_LEVELS] = {k0, k1, k2};
					double cost = treatment_cost(policy, f, n, k, has);
					if (cost >= least)
						continue;
					least = cost;
					memcpy(best->n_columns, k, sizeof(k));
					best->has_false_positives = has;
				}
			}
		}
	}
}

/* The cost of an exact column: one bit per document, and no look-ups. A query for the term alone is
 * assumed to read a line of each block; a query for two such terms, two lines of each block that
 * has the term. */
static double exact_cost(const struct bs_term_treatment_policy *policy, double f, double n)
{
	double n_blocks = ceil(n / 512);
	double lines = n_blocks * (1 + columns_read(f, f * f, 1, 2)) / 2;
	return lines * BS_PRICE_LINE_NS + policy->bit_ns / f;
}

double bs_term_treatment_exact_share(const struct bs_term_treatment_policy *policy, uint64_t n_docs)
{
	double n = n_docs ? (double)n_docs : 1;
	double f = 1;
	if (policy->exact_share >= 0)
		return policy->exact_share;
	for (; f > 0.001; f /= 1.1) {
		struct bs_term_treatment best;
		choose(policy, f, n, &best);
		if (exact_cost(policy, f, n) >
		    treatment_cost(policy, f, n, best.n_columns, best.has_false_positives))
			break;
	}
	return f * 1.1;
}

static void drop_unused_levels(struct bs_term_treatment_table *table)
{
	for (uint32_t level = 1; level < table->n_levels;) {
		bool is_used = false;
		for (uint32_t i = 0; i < table->n_entries; i++)
			is_used |= table->entries[i].n_columns[level] > 0;
		if (is_used) {
			level++;
			continue;
		}
		table->n_levels--;
		for (uint32_t l = level; l <= table->n_levels; l++) {
			bool is_last = l == table->n_levels;
			table->ranks[l] = is_last ? 0 : table->ranks[l + 1];
			for (uint32_t i = 0; i < table->n_entries; i++)
				table->entries[i].n_columns[l] =
					is_last ? 0 : table->entries[i].n_columns[l + 1];
		}
	}
}

void bs_term_treatment_table_make(const struct bs_term_treatment_policy *policy, uint64_t n_docs,
                                  struct bs_term_treatment_table *table)
{
	struct bs_term_treatment_policy priced = *policy;
	policy = &priced;
	if (priced.bit_ns <= 0)
		bs_term_treatment_policy_price(&priced, BS_PRICE_SHORT_TERMS);
	*table = (struct bs_term_treatment_table){
		.n_levels = 3,
		.ranks = {BS_LEVEL_DOCUMENT, BS_LEVEL_GROUP, BS_LEVEL_BLOCK},
		.n_entries = 0};
	double n = n_docs ? (double)n_docs : 1;
	/* Entries are a factor of sqrt 2 of the df apart; the best numbers of columns change more
	 * slowly than that. The columns of an entry are chosen for the middle of its dfs: 1.19 is
	 * the fourth root of 2. */
	for (double df = 1; df <= n * M_SQRT2 && table->n_entries < BS_MAX_TREATMENTS;
	     df *= M_SQRT2) {
		struct bs_term_treatment entry = {.min_df = table->n_entries ? (uint64_t)ceil(df)
		                                                             : 0};
		if (policy->is_forced)
			memcpy(entry.n_columns, policy->force, sizeof(entry.n_columns));
		else
			choose(policy, fmin(df * 1.19 / n, 1), n, &entry);
		entry.has_false_positives |= policy->is_forced && policy->use_false_positives;
		const struct bs_term_treatment *last =
			table->n_entries ? &table->entries[table->n_entries - 1] : NULL;
		bool is_new =
			!last ||
			(last->min_df < entry.min_df &&
		         (memcmp(last->n_columns, entry.n_columns, sizeof(entry.n_columns)) != 0 ||
		          last->has_false_positives != entry.has_false_positives));
		if (is_new)
			table->entries[table->n_entries++] = entry;
	}
	drop_unused_levels(table);
}

const struct bs_term_treatment *bs_term_treatment_find(const struct bs_term_treatment_table *table,
                                                       uint64_t df)
{
	uint32_t i = table->n_entries - 1;
	while (i > 0 && table->entries[i].min_df > df)
		i--;
	return &table->entries[i];
}

bool bs_term_treatment_table_is_valid(const struct bs_term_treatment_table *table)
{
	if (table->n_levels < 1 || table->n_levels > BS_MAX_LEVELS ||
	    table->ranks[0] != BS_LEVEL_DOCUMENT || table->n_entries < 1 ||
	    table->n_entries > BS_MAX_TREATMENTS || table->entries[0].min_df != 0)
		return false;
	for (uint32_t level = 1; level < table->n_levels; level++) {
		uint8_t rank = table->ranks[level];
		if ((rank != BS_LEVEL_GROUP && rank != BS_LEVEL_BLOCK) ||
		    rank <= table->ranks[level - 1])
			return false;
	}
	for (uint32_t i = 0; i < table->n_entries; i++) {
		if (i > 0 && table->entries[i].min_df <= table->entries[i - 1].min_df)
			return false;
		if (table->entries[i].n_columns[0] == 0)
			return false;
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			if (table->entries[i].n_columns[level] >
			    (level < table->n_levels ? BS_MAX_HASHES : 0))
				return false;
	}
	return true;
}
