/* explain.c: see explain.h. */
#include "query/answer/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/text/printable.h"
#include "query/language/query_format.h"
#include "query/plan/estimate.h"

/* The state of one explanation: the plan to describe, and the text to append to. The kernel counts
 * bits. The first failure is sticky. */
struct explanation {
	const struct bs_plan *plan;
	const struct bs_kernel *kernel;
	struct bs_buffer *text;
	enum bs_status status;
	struct bs_error *err;
};

BS_PRINTF(2, 3) static void print(struct explanation *to, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	size_t n_bytes = n < 0 ? 0 : ((size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
	if (!to->status)
		to->status = bs_buffer_append(to->text, line, n_bytes, to->err);
}

/* The shares of a shard's documents that pass the columns of a term. Without an exact column,
 * `passes` is an estimate: the share that has the term plus the false positives. */
struct term_density {
	bool is_exact; /* The term has an exact column, or the segment lacks the term. */
	double passes; /* The share that passes all columns of the term. */
	/* For each level: the share that passes all of the term's columns of the level. */
	double levels[BS_MAX_LEVELS];
};

/* The share of the bits of column c that are set. */
static double column_density(struct explanation *at, const struct bs_shard *shard,
                             const struct bs_level *level, uint32_t c)
{
	bs_column column;
	if (level->n_columns == 0)
		return 0;
	if (!at->status)
		at->status = bs_shard_column(shard, level, c, NULL, &column, at->err);
	uint64_t n_set = at->status ? 0 : at->kernel->lines.popcount(column, level->n_lines);
	return (double)n_set / bs_level_lanes(level->rank, shard->n_docs);
}

static void hashed_density(struct explanation *at, const struct bs_shard *shard, uint64_t hash,
                           const struct bs_term_place *place, struct term_density *density)
{
	density->passes = 1;
	for (uint32_t l = 0; l < shard->hashed.n_levels; l++) {
		const struct bs_level *level = &shard->hashed.levels[l];
		struct bs_probe probe = bs_hash_probe(hash, level->rank);
		density->levels[l] = 1;
		for (uint32_t i = 0;
		     i < bs_shard_hashes(place->term.treatment, shard->hashed.n_columns, l); i++) {
			uint32_t c = level->n_columns > 0
			                     ? bs_hash_position(probe, i, level->n_columns)
			                     : 0;
			density->levels[l] *= column_density(at, shard, level, c);
		}
		density->passes *= density->levels[l];
	}
}

static struct term_density density_of(struct explanation *at, uint32_t s,
                                      const struct bs_shard *shard, uint32_t t)
{
	const struct bs_term_place *place = bs_plan_place(at->plan, s, t);
	struct term_density density = {.is_exact = true};
	uint32_t column = 0, popcount = 0;
	if (!place->is_found)
		return density;
	double truly = (double)place->term.df / (double)bs_plan_segment(at->plan, s)->meta.n_docs;
	density.passes = truly;
	density.is_exact = false;
	if (shard->hashed.n_levels == 0 || at->status)
		return density;
	if (shard->exact.level.n_columns > 0)
		at->status = bs_shard_find_exact(shard, place->term.ordinal, &density.is_exact,
		                                 &column, at->err);
	if (!at->status && density.is_exact) {
		at->status = bs_shard_exact_popcount(shard, column, &popcount, at->err);
		density.passes = popcount / (double)shard->n_docs;
		return density;
	}
	hashed_density(at, shard, at->plan->terms.items[t].hash, place, &density);
	density.passes = density.passes + truly < 1 ? density.passes + truly : 1;
	return density;
}

/* Sums over the shards of a segment, for one term. */
struct term_columns {
	uint32_t n_exact;     /* Shards with an exact column for the term. */
	uint32_t n_lists;     /* Shards of forward indexes. */
	uint32_t n_hashed;    /* Shards with hashed columns for the term. */
	double exact_density; /* The sum of the densities of the exact columns. */
	/* For each level: the sum over the n_hashed shards of term_density.levels. */
	double level_density[BS_MAX_LEVELS];
};

static void look_at_shard(struct explanation *at, uint32_t s, const struct bs_shard *shard,
                          uint32_t t, struct term_columns *sum)
{
	if (shard->hashed.n_levels == 0) {
		sum->n_lists++;
		return;
	}
	struct term_density density = density_of(at, s, shard, t);
	if (density.is_exact) {
		sum->n_exact++;
		sum->exact_density += density.passes;
		return;
	}
	sum->n_hashed++;
	for (uint32_t l = 0; l < shard->hashed.n_levels; l++)
		sum->level_density[l] += density.levels[l];
}

static const char *level_name(uint8_t rank)
{
	return rank == BS_LEVEL_BLOCK ? "block" : (rank == BS_LEVEL_GROUP ? "group" : "document");
}

static void explain_place(struct explanation *to, uint32_t s, uint32_t t)
{
	const struct bs_segment *segment = bs_plan_segment(to->plan, s);
	const struct bs_term_place *place = bs_plan_place(to->plan, s, t);
	struct term_columns sum = {0};
	if (!bs_plan_has_columns(to->plan, s))
		return;
	if (!place->is_found) {
		print(to, "      segment %u: absent\n", s);
		return;
	}
	for (uint64_t i = 0; i < segment->meta.n_shards && !to->status; i++)
		look_at_shard(to, s, &segment->shards[i], t, &sum);
	print(to, "      segment %u: df %llu", s, (unsigned long long)place->term.df);
	if (sum.n_exact)
		print(to, "; exact column in %u shard%s (density %.3f)", sum.n_exact,
		      sum.n_exact == 1 ? "" : "s", sum.exact_density / sum.n_exact);
	if (sum.n_hashed) {
		print(to, "; hashed in %u shard%s:", sum.n_hashed, sum.n_hashed == 1 ? "" : "s");
		for (uint32_t l = segment->terms.treatments.n_levels; l-- > 0;)
			print(to, " %u %s columns (AND %.2g)%s",
			      place->term.treatment->n_columns[l],
			      level_name(segment->terms.treatments.ranks[l]),
			      sum.level_density[l] / sum.n_hashed, l ? "," : "");
	}
	if (sum.n_lists)
		print(to, "; forward indexes in %u shard%s", sum.n_lists,
		      sum.n_lists == 1 ? "" : "s");
	print(to, "\n");
}

/* Describes a word pair of a phrase, if any segment has it as a term. */
static void explain_word_pair(struct explanation *to, uint32_t t)
{
	const struct bs_plan_term *term = &to->plan->terms.items[t];
	const uint8_t *key = to->plan->keys.data + term->key_offset;
	if (term->df == 0)
		return;
	print(to, "  word pair");
	for (uint32_t at = 1, n = 0; at < term->key_bytes; at += n + 1) {
		const uint8_t *mark = memchr(key + at, BS_KEY_COMPOUND, term->key_bytes - at);
		n = mark ? (uint32_t)(mark - key) - at : term->key_bytes - at;
		print(to, " %.*s", n < 50 ? (int)n : 50, (const char *)key + at);
	}
	print(to, ": df %llu\n", (unsigned long long)term->df);
	for (uint32_t s = 0; s < to->plan->list->n_segments; s++)
		if (bs_plan_segment(to->plan, s) && bs_plan_place(to->plan, s, t)->is_found)
			explain_place(to, s, t);
}

static void explain_term(struct explanation *to, uint32_t t)
{
	const struct bs_plan_term *term = &to->plan->terms.items[t];
	const struct bs_element *element = &to->plan->query->elements[term->element];
	bool is_bigram = element->kind == BS_ELEMENT_BIGRAM;
	uint32_t key_bytes = term->key_bytes - is_bigram;
	print(to, "  %s %.*s: df %llu", is_bigram ? "bigram" : "term",
	      key_bytes < 100 ? (int)key_bytes : 100,
	      (const char *)to->plan->keys.data + term->key_offset + is_bigram,
	      (unsigned long long)term->df);
	double idf;
	if (element->is_positive && bs_plan_term_idf(to->plan, t, &idf, NULL) == BS_OK)
		print(to, ", idf %.3f", idf);
	if (element->is_positive && (element->weight < 1 || element->weight > 1))
		print(to, ", weight %.6g", element->weight);
	print(to, term->is_absent ? "; in no segment: the summary lacks it\n" : "\n");
	for (uint32_t s = 0; s < to->plan->list->n_segments && !term->is_absent; s++)
		explain_place(to, s, t);
}

enum bs_status bs_explain_learnt(const struct bs_feedback *feedback, struct bs_buffer *text,
                                 struct bs_error *err)
{
	struct explanation to = {.text = text, .err = err};
	const struct bs_weighted_term *taken = bs_feedback_taken(feedback);
	size_t n = bs_feedback_n_taken(feedback);
	print(&to, "learnt: %zu word%s of %zu text%s:", n, n == 1 ? "" : "s", feedback->n_texts,
	      feedback->n_texts == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++)
		print(&to, " %.*s^%.10g",
		      taken[i].term_bytes < 100 ? (int)taken[i].term_bytes : 100,
		      (const char *)taken[i].term, taken[i].weight);
	print(&to, "\n");
	return to.status;
}

/* Control characters of the query are escaped, because the text may go to a terminal. */
static void explain_normal_form(struct explanation *to, const char *query)
{
	struct bs_buffer normal = {0};
	print(to, "\nnormal form: ");
	if (!to->status)
		to->status = bs_query_format_normal(to->plan->query, (const uint8_t *)query,
		                                    &normal, to->err);
	if (!to->status)
		to->status = bs_escape_append(to->text, normal.data, normal.used_bytes, to->err);
	bs_buffer_deinit(&normal);
}

enum bs_status bs_explain_plan(const struct bs_plan *plan, const char *query,
                               const struct bs_kernel *kernel, struct bs_buffer *text,
                               struct bs_error *err)
{
	struct explanation to = {.plan = plan, .kernel = kernel, .text = text, .err = err};
	const struct bs_snapshot_list *list = plan->list;
	uint32_t n_segments = 0;
	for (uint32_t i = 0; i < list->n_entries; i++)
		n_segments += list->entries[i].snapshot->totals.n_word_segments;
	print(&to, "query: ");
	if (!to.status)
		to.status = bs_query_format(plan->query, text, err);
	explain_normal_form(&to, query);
	print(&to, "\nindex: %llu document%s in %u segment%s, average length %.1f words\n",
	      (unsigned long long)list->n_docs, list->n_docs == 1 ? "" : "s", n_segments,
	      n_segments == 1 ? "" : "s",
	      list->n_docs ? (double)list->n_positions / (double)list->n_docs : 0);
	for (uint32_t t = 0; t < plan->n_terms && !to.status; t++) {
		if (plan->terms.items[t].element == BS_PLAN_WORD_PAIR)
			explain_word_pair(&to, t);
		else
			explain_term(&to, t);
	}
	struct bs_plan_estimate estimate = {0};
	if (!to.status)
		to.status = bs_plan_estimate(plan, &estimate, err);
	print(&to, "estimate: %llu hit%s\n", (unsigned long long)estimate.n_hits,
	      estimate.n_hits == 1 ? "" : "s");
	return to.status;
}

enum bs_status bs_explain_stats(const struct bs_query_stats *stats, struct bs_buffer *text,
                                struct bs_error *err)
{
	struct explanation to = {.text = text, .err = err};
	if (stats->rank.scored)
		print(&to,
		      "rank: %llu blocks skipped by bound; %llu weighed in sums of %u bits, %llu "
		      "of them dropped; "
		      "%llu documents scored by the index; the last of the best has %.4f\n",
		      (unsigned long long)stats->rank.blocks_skipped,
		      (unsigned long long)stats->rank.blocks_weighed, stats->rank.planes,
		      (unsigned long long)stats->rank.blocks_dropped,
		      (unsigned long long)stats->rank.scored, stats->rank.threshold);
	print(&to,
	      "scan: %llu lines read (%llu of documents), %llu live blocks, %llu candidates\n"
	      "verify: %llu documents read (%llu bytes), %llu false positives; %llu hits\n"
	      "time: parse %.1f us, plan %.1f us, scan %.1f us, verify %.1f us, rank %.1f us; "
	      "total %.1f us\n",
	      (unsigned long long)stats->scan.lines_read,
	      (unsigned long long)stats->scan.document_lines,
	      (unsigned long long)stats->scan.blocks_live,
	      (unsigned long long)stats->scan.candidates,
	      (unsigned long long)stats->verify.verified, (unsigned long long)stats->verify.bytes,
	      (unsigned long long)stats->verify.false_positives, (unsigned long long)stats->hits,
	      (double)stats->stage_ns[BS_STAGE_PARSE] / 1e3,
	      (double)stats->stage_ns[BS_STAGE_PLAN] / 1e3,
	      (double)stats->stage_ns[BS_STAGE_SCAN] / 1e3,
	      (double)stats->stage_ns[BS_STAGE_VERIFY] / 1e3,
	      (double)stats->stage_ns[BS_STAGE_RANK] / 1e3, (double)stats->total_ns / 1e3);
	return to.status;
}
