/* explain.c: see explain.h. */
#include "query/explain.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/hash.h"
#include "query/rank.h"

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

/* What a term's columns look like in one segment: over its slabs, how many are exact, and the mean densities. */
struct term_columns {
	uint32_t n_exact;
	uint32_t n_lists;
	double exact_density;
	double level_density[BS_MAX_LEVELS]; /* product over the term's columns of a level, averaged over slabs */
	uint32_t n_hashed;
};

static enum bs_status look_at_slab(const struct bs_slab *slab, const struct bs_plan_term *term,
                                   const struct bs_term_place *place, struct term_columns *sum, struct bs_error *err)
{
	bool found = false;
	uint32_t column = 0;
	uint32_t popcount;
	enum bs_status status = BS_OK;
	if (slab->n_levels == 0) {
		sum->n_lists++;
		return BS_OK;
	}
	if (slab->exact.n_columns > 0)
		status = bs_slab_find_exact(slab, place->ordinal, &found, &column, err);
	if (!status && found) {
		status = bs_slab_popcount(slab, &slab->exact, column, &popcount, err);
		sum->n_exact++;
		sum->exact_density += popcount / (double)slab->n_docs;
		return status;
	}
	sum->n_hashed++;
	for (uint32_t l = 0; l < slab->n_levels && !status; l++) {
		const struct bs_level *level = &slab->levels[l];
		struct bs_probe probe = bs_hash_probe(term->hash, level->rank);
		uint32_t n_spans = level->rank == BS_RANK_BLOCK ? slab->n_blocks
			: (level->rank == BS_RANK_GROUP ? level->n_lines * BS_LINE_BITS : slab->n_docs);
		double density = 1;
		for (uint32_t i = 0; i < bs_slab_hashes(place->treatment, slab->n_columns, l) && !status; i++) {
			popcount = 0;
			if (level->n_columns > 0)
				status = bs_slab_popcount(slab, level, bs_hash_position(probe, i, level->n_columns), &popcount, err);
			density *= popcount / (double)n_spans;
		}
		sum->level_density[l] += density;
	}
	return status;
}

static const char *level_name(uint8_t rank)
{
	return rank == BS_RANK_BLOCK ? "block" : (rank == BS_RANK_GROUP ? "group" : "document");
}

static enum bs_status explain_place(const struct bs_plan *plan, uint32_t s, uint32_t t, struct bs_buffer *text,
                                    struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	const struct bs_term_place *place = bs_plan_place(plan, s, t);
	struct term_columns sum = {0};
	if (!place->is_found)
		return print(text, err, "      segment %u: absent\n", s);
	enum bs_status status = BS_OK;
	for (uint64_t i = 0; i < segment->meta.n_slabs && !status; i++)
		status = look_at_slab(&segment->slabs[i], &plan->terms[t], place, &sum, err);
	if (!status)
		status = print(text, err, "      segment %u: df %llu;", s, (unsigned long long)place->df);
	if (!status && sum.n_exact)
		status = print(text, err, " exact column in %u slabs (density %.3f);", sum.n_exact,
		               sum.exact_density / sum.n_exact);
	if (!status && sum.n_hashed) {
		status = print(text, err, " hashed in %u slabs:", sum.n_hashed);
		for (uint32_t l = segment->treatments.n_levels; l-- > 0 && !status;)
			status = print(text, err, " %u %s columns (AND %.2g)%s", place->treatment->n_columns[l],
			               level_name(segment->treatments.ranks[l]), sum.level_density[l] / sum.n_hashed,
			               l ? "," : ";");
	}
	if (!status && sum.n_lists)
		status = print(text, err, " plain signatures in %u slabs;", sum.n_lists);
	return status ? status : bs_buffer_append(text, "\n", 1, err);
}

enum bs_status bs_explain_plan(const struct bs_plan *plan, const struct bs_query_field *fields, struct bs_buffer *text,
                               struct bs_error *err)
{
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
		const struct bs_element *element = &plan->query->elements[term->element];
		bool is_pair = element->kind == BS_ELEMENT_PAIR;
		const uint8_t *key = plan->keys.data + term->key_offset + is_pair;
		uint32_t key_bytes = term->key_bytes - is_pair;
		status = print(text, err, "  %s %.*s: df %llu", is_pair ? "pair" : "term",
		               key_bytes < 100 ? (int)key_bytes : 100, (const char *)key, (unsigned long long)term->df);
		if (!status && element->is_scored)
			status = print(text, err, ", idf %.3f", bs_bm25_idf(snapshot->n_docs, term->df));
		if (!status)
			status = bs_buffer_append(text, "\n", 1, err);
		for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
			status = explain_place(plan, s, t, text, err);
	}
	return status;
}

enum bs_status bs_explain_stats(const struct bs_query_stats *stats, struct bs_buffer *text, struct bs_error *err)
{
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
