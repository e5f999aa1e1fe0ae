/* explain.c: see explain.h. */
#include "core/lexicon/word_pairs.h"
#include "query/search/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "query/search/rank.h"

static enum bs_status print(struct bs_buffer *text, struct bs_error *err, const char *format, ...) BS_PRINTF(3, 4);

static enum bs_status print(struct bs_buffer *text, struct bs_error *err, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	size_t n_bytes = n < 0 ? 0 : ((size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
	return bs_buffer_append(text, line, n_bytes, err);
}

/* What is explained, and what counts bits. */
struct explained {
	const struct bs_plan *plan;
	const struct bs_kernel *kernel;
};

/* ---- densities ---- */

/* Share of a slab's documents that a term's columns let through: exactly, or what it truly has and what chance adds. */
struct term_density {
	bool is_exact;
	double passes;
	double levels[BS_MAX_LEVELS]; /* product over the term's columns of a level */
};

/* Share of a column's lanes that are set. */
static enum bs_status column_density(const struct explained *at, const struct bs_slab *slab, const struct bs_level *level,
                                     uint32_t c, double *share_out, struct bs_error *err)
{
	bs_column column;
	enum bs_status status = bs_slab_column(slab, level, c, NULL, &column, err);
	uint64_t n_set = status ? 0 : at->kernel->popcount(column, level->n_lines);
	*share_out = (double)n_set / bs_level_lanes(level->rank, slab->n_docs);
	return status;
}

static enum bs_status hashed_density(const struct explained *at, const struct bs_slab *slab, uint64_t hash,
                                     const struct bs_term_place *place, struct term_density *density,
                                     struct bs_error *err)
{
	enum bs_status status = BS_OK;
	density->passes = 1;
	for (uint32_t l = 0; l < slab->n_levels; l++) {
		const struct bs_level *level = &slab->levels[l];
		struct bs_probe probe = bs_hash_probe(hash, level->rank);
		density->levels[l] = 1;
		for (uint32_t i = 0; i < bs_slab_hashes(place->term.treatment, slab->n_columns, l) && !status; i++) {
			double share = 0;
			if (level->n_columns > 0)
				status = column_density(at, slab, level, bs_hash_position(probe, i, level->n_columns), &share, err);
			density->levels[l] *= share;
		}
		density->passes *= density->levels[l];
	}
	return status;
}

static enum bs_status density_of(const struct explained *at, uint32_t s, const struct bs_slab *slab, uint32_t t,
                                 struct term_density *density, struct bs_error *err)
{
	const struct bs_term_place *place = bs_plan_place(at->plan, s, t);
	uint64_t n_docs = at->plan->snapshot->segments[s].meta.n_docs;
	uint32_t column = 0;
	uint32_t popcount = 0;
	enum bs_status status = BS_OK;
	*density = (struct term_density){.is_exact = true};
	if (!place->is_found)
		return BS_OK;
	double truly = (double)place->term.df / (double)n_docs;
	density->passes = truly;
	density->is_exact = false;
	if (slab->n_levels == 0)
		return BS_OK;
	if (slab->exact.n_columns > 0)
		status = bs_slab_find_exact(slab, place->term.ordinal, &density->is_exact, &column, err);
	if (!status && density->is_exact) {
		status = bs_slab_exact_popcount(slab, column, &popcount, err);
		density->passes = popcount / (double)slab->n_docs;
		return status;
	}
	if (!status)
		status = hashed_density(at, slab, at->plan->terms[t].hash, place, density, err);
	density->passes = density->passes + truly < 1 ? density->passes + truly : 1;
	return status;
}

/* ---- estimate ---- */

/* Share of documents that an element lets through, its terms taken as independent. */
static enum bs_status estimate_element(const struct explained *at, uint32_t s, const struct bs_slab *slab, uint32_t e,
                                       double *share_out, struct bs_error *err)
{
	const struct bs_plan_element *element = &at->plan->elements[e];
	double none = 1;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < element->n_terms && !status; i++) {
		struct term_density density;
		status = density_of(at, s, slab, element->first_term + i, &density, err);
		none *= 1 - density.passes;
	}
	*share_out = element->is_too_broad ? 1 : 1 - none;
	return status;
}

static enum bs_status estimate_node(const struct explained *at, uint32_t s, const struct bs_slab *slab,
                                    const struct bs_query_node *node, const double *shares, double *share_out,
                                    struct bs_error *err)
{
	double share = 1;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < node->n_items + node->n_aids && !status; i++) {
		double one;
		uint32_t e = i < node->n_items ? node->items[i].element : node->aids[i - node->n_items].element;
		status = estimate_element(at, s, slab, e, &one, err);
		share *= one;
	}
	for (uint32_t i = 0; i < node->n_children; i++)
		share *= node->kind == BS_NODE_AND ? shares[node->children[i]] : 1 - shares[node->children[i]];
	*share_out = node->kind == BS_NODE_OR ? 1 - share : share;
	return status;
}

/* Candidates to be expected, were words independent of each other. A NOT is taken as if it could be used. */
static enum bs_status estimate(const struct explained *at, double *n_out, struct bs_error *err)
{
	const struct bs_query *query = at->plan->query;
	double *shares = calloc(query->n_nodes, sizeof(*shares));
	enum bs_status status = shares ? BS_OK : bs_fail_memory(err, "an estimate", query->n_nodes * sizeof(*shares));
	*n_out = 0;
	for (uint32_t s = 0; s < at->plan->snapshot->manifest.n_segments && !status; s++) {
		const struct bs_segment *segment = &at->plan->snapshot->segments[s];
		for (uint64_t i = 0; i < segment->meta.n_slabs && !status; i++) {
			for (size_t n = 0; n < query->n_nodes && !status; n++)
				status = estimate_node(at, s, &segment->slabs[i], &query->nodes[n], shares, &shares[n], err);
			*n_out += status ? 0 : shares[query->n_nodes - 1] * segment->slabs[i].n_docs;
		}
	}
	free(shares);
	return status;
}

/* ---- terms ---- */

/* What a term's columns look like in one segment: over its slabs, how many are exact, and the mean densities. */
struct term_columns {
	uint32_t n_exact;
	uint32_t n_lists;
	uint32_t n_hashed;
	double exact_density;
	double level_density[BS_MAX_LEVELS];
};

static enum bs_status look_at_slab(const struct explained *at, uint32_t s, const struct bs_slab *slab, uint32_t t,
                                   struct term_columns *sum, struct bs_error *err)
{
	struct term_density density;
	if (slab->n_levels == 0) {
		sum->n_lists++;
		return BS_OK;
	}
	enum bs_status status = density_of(at, s, slab, t, &density, err);
	if (density.is_exact) {
		sum->n_exact++;
		sum->exact_density += density.passes;
		return status;
	}
	sum->n_hashed++;
	for (uint32_t l = 0; l < slab->n_levels; l++)
		sum->level_density[l] += density.levels[l];
	return status;
}

static const char *level_name(uint8_t rank)
{
	return rank == BS_LEVEL_BLOCK ? "block" : (rank == BS_LEVEL_GROUP ? "group" : "document");
}

static enum bs_status explain_place(const struct explained *at, uint32_t s, uint32_t t, struct bs_buffer *text,
                                    struct bs_error *err)
{
	const struct bs_segment *segment = &at->plan->snapshot->segments[s];
	const struct bs_term_place *place = bs_plan_place(at->plan, s, t);
	struct term_columns sum = {0};
	if (!place->is_found)
		return print(text, err, "      segment %u: absent\n", s);
	enum bs_status status = BS_OK;
	for (uint64_t i = 0; i < segment->meta.n_slabs && !status; i++)
		status = look_at_slab(at, s, &segment->slabs[i], t, &sum, err);
	if (!status)
		status = print(text, err, "      segment %u: df %llu;", s, (unsigned long long)place->term.df);
	if (!status && sum.n_exact)
		status = print(text, err, " exact column in %u slabs (density %.3f);", sum.n_exact,
		               sum.exact_density / sum.n_exact);
	if (!status && sum.n_hashed) {
		status = print(text, err, " hashed in %u slabs:", sum.n_hashed);
		for (uint32_t l = segment->treatments.n_levels; l-- > 0 && !status;)
			status = print(text, err, " %u %s columns (AND %.2g)%s", place->term.treatment->n_columns[l],
			               level_name(segment->treatments.ranks[l]), sum.level_density[l] / sum.n_hashed,
			               l ? "," : ";");
	}
	if (!status && sum.n_lists)
		status = print(text, err, " forward lists in %u slabs;", sum.n_lists);
	return status ? status : bs_buffer_append(text, "\n", 1, err);
}

/* Two words of a phrase, if any segment has them as a term. */
static enum bs_status explain_pair(const struct explained *at, uint32_t t, struct bs_buffer *text, struct bs_error *err)
{
	const struct bs_plan_term *term = &at->plan->terms[t];
	const uint8_t *key = at->plan->keys.data + term->key_offset;
	uint32_t second;
	if (term->df == 0 || !bs_word_pair_split(key, term->key_bytes, &second))
		return BS_OK;
	uint32_t n_first = second - 2 < 50 ? second - 2 : 50;
	uint32_t n_second = term->key_bytes - second < 50 ? term->key_bytes - second : 50;
	enum bs_status status = print(text, err, "  pair %.*s %.*s: df %llu\n", (int)n_first, (const char *)key + 1,
	                              (int)n_second, (const char *)key + second, (unsigned long long)term->df);
	for (uint32_t s = 0; s < at->plan->snapshot->manifest.n_segments && !status; s++)
		if (bs_plan_place(at->plan, s, t)->is_found)
			status = explain_place(at, s, t, text, err);
	return status;
}

enum bs_status bs_explain_plan(const struct bs_plan *plan, const struct bs_query_field *fields,
                               const struct bs_kernel *kernel, struct bs_buffer *text, struct bs_error *err)
{
	const struct explained at = {plan, kernel};
	const struct bs_snapshot *snapshot = plan->snapshot;
	enum bs_status status = bs_buffer_append(text, "query: ", 7, err);
	if (!status)
		status = bs_query_format(plan->query, fields, text, err);
	if (!status)
		status = print(text, err, "\nindex: %llu documents in %u segments, average length %.1f words\n",
		               (unsigned long long)snapshot->n_docs, snapshot->manifest.n_segments,
		               snapshot->n_docs ? (double)snapshot->n_positions / (double)snapshot->n_docs : 0);
	for (uint32_t t = 0; t < plan->n_terms && !status; t++) {
		const struct bs_plan_term *term = &plan->terms[t];
		if (term->element == BS_PLAN_WORD_PAIR) {
			status = explain_pair(&at, t, text, err);
			continue;
		}
		const struct bs_element *element = &plan->query->elements[term->element];
		bool is_bigram = element->kind == BS_ELEMENT_BIGRAM;
		const uint8_t *key = plan->keys.data + term->key_offset + is_bigram;
		uint32_t key_bytes = term->key_bytes - is_bigram;
		status = print(text, err, "  %s %.*s: df %llu", is_bigram ? "pair" : "term",
		               key_bytes < 100 ? (int)key_bytes : 100, (const char *)key, (unsigned long long)term->df);
		if (!status && element->is_scored)
			status = print(text, err, ", idf %.3f", bs_bm25_idf(snapshot->n_docs, term->df));
		if (!status)
			status = bs_buffer_append(text, "\n", 1, err);
		for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
			status = explain_place(&at, s, t, text, err);
	}
	double n_estimated = 0;
	if (!status)
		status = estimate(&at, &n_estimated, err);
	return status ? status : print(text, err, "estimate: %.0f candidates\n", n_estimated);
}

enum bs_status bs_explain_stats(const struct bs_query_stats *stats, struct bs_buffer *text, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (stats->scored)
		status = print(text, err,
		               "rank: %llu blocks skipped by bound; %llu weighed in %u planes, %llu of them dropped; %llu documents "
		               "scored by the index; the last of the best has %.4f\n",
		               (unsigned long long)stats->blocks_skipped, (unsigned long long)stats->blocks_weighed, stats->planes,
		               (unsigned long long)stats->blocks_dropped, (unsigned long long)stats->scored, stats->threshold);
	if (status)
		return status;
	return print(text, err,
	             "scan: %llu lines read (%llu of documents), %llu live blocks, %llu candidates\n"
	             "verify: %llu documents read (%llu bytes), %llu false positives; %llu hits\n"
	             "time: parse %.1f us, plan %.1f us, scan %.1f us, verify %.1f us, rank %.1f us; total %.1f us\n",
	             (unsigned long long)stats->lines_read, (unsigned long long)stats->document_lines,
	             (unsigned long long)stats->blocks_live, (unsigned long long)stats->candidates,
	             (unsigned long long)stats->verified, (unsigned long long)stats->bytes_verified,
	             (unsigned long long)stats->false_positives, (unsigned long long)stats->hits,
	             (double)stats->stage_ns[BS_STAGE_PARSE] / 1e3, (double)stats->stage_ns[BS_STAGE_PLAN] / 1e3,
	             (double)stats->stage_ns[BS_STAGE_SCAN] / 1e3, (double)stats->stage_ns[BS_STAGE_VERIFY] / 1e3,
	             (double)stats->stage_ns[BS_STAGE_RANK] / 1e3, (double)stats->total_ns / 1e3);
}
