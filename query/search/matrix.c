/* matrix.c: see core/bitsift/matrix.h. Exposes the shards and terms of core/matrix and the
 * candidates of scan.c. */
#include "core/bitsift/matrix.h"
#include "core/bitsift/search.h"
#include "core/bitsift/status.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "query/scan/scan.h"
#include "query/search/planned.h"

_Static_assert(BS_MATRIX_TERM_COLUMNS >= BS_SHARD_MAX_HASHES,
               "room for the columns of absent levels too");

/* The public name of level l of a segment. The number l alone does not determine the level, because
 * a segment may lack some levels. */
static enum bs_matrix_level level_of(const struct bs_segment *segment, uint32_t l)
{
	uint8_t rank = segment->terms.treatments.ranks[l];
	return rank == BS_LEVEL_BLOCK   ? BS_MATRIX_BLOCK
	       : rank == BS_LEVEL_GROUP ? BS_MATRIX_GROUP
	                                : BS_MATRIX_DOCUMENT;
}

static enum bs_status find_segment(const struct bs_index *index, uint32_t segment,
                                   const struct bs_segment **segment_out, struct bs_error *err)
{
	if (segment >= index->snapshot.manifest.n_segments)
		return bs_fail(err, BS_INVALID, "the index has %u segments, no number %u",
		               index->snapshot.manifest.n_segments, segment);
	*segment_out = &index->snapshot.segments[segment];
	return BS_OK;
}

static enum bs_status find_shard(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                 const struct bs_segment **segment_out,
                                 const struct bs_shard **shard_out, struct bs_error *err)
{
	enum bs_status status = find_segment(index, segment, segment_out, err);
	if (!status && shard >= (*segment_out)->meta.n_shards)
		status = bs_fail(err, BS_INVALID, "segment %u has %llu shards, no number %u",
		                 segment, (unsigned long long)(*segment_out)->meta.n_shards, shard);
	if (!status)
		*shard_out = &(*segment_out)->shards[shard];
	return status;
}

uint32_t bs_matrix_n_segments(const struct bs_index *index)
{
	return index->snapshot.manifest.n_segments;
}

enum bs_status bs_matrix_segment_at(const struct bs_index *index, uint32_t segment,
                                    struct bs_matrix_segment *segment_out, struct bs_error *err)
{
	const struct bs_segment *from = NULL;
	*segment_out = (struct bs_matrix_segment){.n_docs = 0};
	enum bs_status status = find_segment(index, segment, &from, err);
	if (status)
		return status;
	*segment_out = (struct bs_matrix_segment){
		.n_docs = from->meta.n_docs,
		.n_deleted = bs_snapshot_n_deleted(&index->snapshot, segment),
		.n_terms = from->meta.n_terms,
		.n_postings = from->meta.n_postings,
		.n_positions = from->meta.n_positions,
		.n_shards = (uint32_t)from->meta.n_shards,
		.n_treatments = from->meta.n_shards > 0 ? from->terms.treatments.n_entries : 0,
		.density = (double)from->meta.density_ppm / 1e6,
	};
	return BS_OK;
}

enum bs_status bs_matrix_term_treatment_at(const struct bs_index *index, uint32_t segment,
                                           uint32_t treatment,
                                           struct bs_matrix_term_treatment *treatment_out,
                                           struct bs_error *err)
{
	const struct bs_segment *from = NULL;
	*treatment_out = (struct bs_matrix_term_treatment){.min_df = 0};
	enum bs_status status = find_segment(index, segment, &from, err);
	if (status)
		return status;
	if (from->meta.n_shards == 0 || treatment >= from->terms.treatments.n_entries)
		return bs_fail(err, BS_INVALID, "segment %u has no treatment number %u", segment,
		               treatment);
	const struct bs_term_treatment *entry = &from->terms.treatments.entries[treatment];
	treatment_out->min_df = entry->min_df;
	treatment_out->has_false_positives = entry->has_false_positives;
	for (uint32_t l = 0; l < from->terms.treatments.n_levels; l++)
		treatment_out->n_columns[level_of(from, l)] = entry->n_columns[l];
	return BS_OK;
}

/* Describes the exact columns of a shard. In a shard of forward indexes, their length is not
 * rounded up to whole lines, but to whole words of 64 bits. */
static enum bs_status describe_exact(const struct bs_shard *shard,
                                     struct bs_matrix_columns *columns, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*columns = (struct bs_matrix_columns){
		.n_columns = shard->exact.level.n_columns,
		.column_words = shard->hashed.n_levels ? shard->exact.level.n_lines * BS_LINE_WORDS
	                                               : bs_forward_groups(shard->n_docs),
		.n_lanes = shard->n_docs,
		.lane_rows = 1,
	};
	for (uint32_t c = 0; c < columns->n_columns && !status; c++) {
		uint32_t n_set = 0;
		status = bs_shard_exact_popcount(shard, c, &n_set, err);
		columns->n_set += n_set;
	}
	return status;
}

enum bs_status bs_matrix_shard_at(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                  struct bs_matrix_shard *shard_out, struct bs_error *err)
{
	const struct bs_segment *of = NULL;
	const struct bs_shard *from = NULL;
	*shard_out = (struct bs_matrix_shard){.n_rows = 0};
	enum bs_status status = find_shard(index, segment, shard, &of, &from, err);
	if (status)
		return status;
	shard_out->n_rows = from->n_docs;
	shard_out->is_lists = from->hashed.n_levels == 0;
	for (uint32_t l = 0; l < from->hashed.n_levels && !status; l++) {
		const struct bs_level *level = &from->hashed.levels[l];
		struct bs_matrix_columns *columns = &shard_out->levels[level_of(of, l)];
		if (level->n_columns == 0)
			continue;
		*columns = (struct bs_matrix_columns){
			.n_columns = level->n_columns,
			.column_words = level->n_lines * BS_LINE_WORDS,
			.n_lanes = bs_level_lanes(level->rank, from->n_docs),
			.lane_rows = 1u << bs_level_shift(level->rank, from->n_docs),
		};
		status = bs_shard_level_popcount(from, l, &columns->n_set, err);
	}
	return status ? status : describe_exact(from, &shard_out->levels[BS_MATRIX_EXACT], err);
}

/* Where the columns of a level are in a section. */
struct place {
	const struct bs_section *section;
	uint64_t start_byte, column_bytes;
	uint32_t n_columns;
};

static struct place place_of(const struct bs_segment *of, const struct bs_shard *shard,
                             enum bs_matrix_level level)
{
	struct place place = {.section = &shard->columns};
	const struct bs_level *found = level == BS_MATRIX_EXACT ? &shard->exact.level : NULL;
	for (uint32_t l = 0; l < shard->hashed.n_levels && !found; l++)
		found = level_of(of, l) == level ? &shard->hashed.levels[l] : NULL;
	if (found)
		place = (struct place){&shard->columns, found->first_line * BS_LINE_BYTES,
		                       (uint64_t)found->n_lines * BS_LINE_BYTES, found->n_columns};
	if (found && shard->hashed.n_levels == 0)
		place = (struct place){&shard->forward.columns, 0,
		                       (uint64_t)bs_forward_groups(shard->n_docs) * 8,
		                       found->n_columns};
	return place;
}

enum bs_status bs_matrix_words(const struct bs_index *index, uint32_t segment, uint32_t shard,
                               enum bs_matrix_level level, uint32_t first, uint32_t n,
                               const uint64_t **words_out, struct bs_error *err)
{
	const struct bs_segment *of = NULL;
	const struct bs_shard *from = NULL;
	*words_out = NULL;
	enum bs_status status = find_shard(index, segment, shard, &of, &from, err);
	if (status)
		return status;
	struct place place = place_of(of, from, level);
	if (first > place.n_columns || n > place.n_columns - first)
		return bs_fail(err, BS_INVALID,
		               "shard %u has %u such columns: not %u from number %u on", shard,
		               place.n_columns, n, first);
	uint64_t start = place.start_byte + first * place.column_bytes;
	*words_out = (const uint64_t *)(const void *)(place.section->data + start);
	return n ? bs_section_touch(place.section, start, n * place.column_bytes, err) : BS_OK;
}

enum bs_status bs_matrix_popcounts(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                   enum bs_matrix_level level, uint32_t first, uint32_t n,
                                   uint32_t *counts_out, struct bs_error *err)
{
	const uint64_t *words;
	struct bs_matrix_shard shape;
	enum bs_status status =
		bs_matrix_words(index, segment, shard, level, first, n, &words, err);
	if (!status)
		status = bs_matrix_shard_at(index, segment, shard, &shape, err);
	for (uint32_t c = 0; c < n && !status; c++) {
		counts_out[c] = 0;
		for (uint32_t w = 0; w < shape.levels[level].column_words; w++)
			counts_out[c] += bs_count_bits(*words++);
	}
	return status;
}

enum bs_status bs_matrix_documents(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                   uint64_t *documents_out, struct bs_error *err)
{
	const struct bs_segment *of = NULL;
	const struct bs_shard *from = NULL;
	enum bs_status status = find_shard(index, segment, shard, &of, &from, err);
	for (uint32_t row = 0; !status && row < from->n_docs; row++) {
		uint32_t document = 0;
		status = bs_packed_get_u32(&from->rows, row, &document, err);
		documents_out[row] = (uint64_t)segment << 32 | document;
	}
	return status;
}

static bool is_document(const struct bs_snapshot *snapshot, struct bs_doc_ref ref)
{
	return ref.segment <= snapshot->manifest.n_segments &&
	       ref.document < bs_snapshot_segment_docs(snapshot, ref.segment);
}

bool bs_matrix_is_deleted(const struct bs_index *index, uint64_t document)
{
	struct bs_doc_ref ref = {(uint32_t)(document >> 32), (uint32_t)document};
	return !is_document(&index->snapshot, ref) ||
	       bs_snapshot_is_deleted(&index->snapshot, ref.segment, ref.document);
}

enum bs_status bs_matrix_name(struct bs_searcher *searcher, uint64_t document,
                              struct bs_hit *hit_out, struct bs_error *err)
{
	struct bs_doc_ref ref = {(uint32_t)(document >> 32), (uint32_t)document};
	*hit_out = (struct bs_hit){.document = document};
	if (!is_document(&searcher->index->snapshot, ref))
		return bs_fail(err, BS_INVALID, "no document of this index: %llu",
		               (unsigned long long)document);
	struct bs_searcher_use use;
	enum bs_status status = bs_searcher_enter(searcher, NULL, &use, err);
	if (status)
		return status;
	status = bs_hit_assembly_name(&searcher->assembly, searcher->loader, ref, hit_out, err);
	bs_searcher_leave(&use);
	return status;
}

/* Finds a term in a segment. BS_NOT_FOUND. */
static enum bs_status find_term(const struct bs_segment *segment, const char *term,
                                size_t term_bytes, struct bs_and_term *found_out,
                                struct bs_error *err)
{
	const uint8_t *key = (const uint8_t *)term;
	uint64_t ordinal = 0, df = 0;
	bool is_there = false;
	enum bs_status status = BS_OK;
	if (segment->meta.n_shards > 0 && term_bytes > 0 && term_bytes <= UINT32_MAX)
		status = bs_lexicon_find(&segment->terms.lexicon, key, (uint32_t)term_bytes,
		                         &is_there, &ordinal, &df, err);
	if (!status && !is_there)
		status = bs_fail(err, BS_NOT_FOUND, "no term of this segment: %.*s",
		                 term_bytes < 100 ? (int)term_bytes : 100, term);
	if (!status)
		bs_and_term_init(found_out, bs_hash_term(key, (uint32_t)term_bytes), ordinal, df,
		                 &segment->terms.treatments);
	return status;
}

static struct bs_matrix_term describe_term(const struct bs_segment *segment, const char *term,
                                           size_t term_bytes, uint64_t ordinal, uint64_t df)
{
	return (struct bs_matrix_term){
		.term = term,
		.term_bytes = term_bytes,
		.ordinal = ordinal,
		.df = df,
		.treatment = (uint32_t)(bs_term_treatment_find(&segment->terms.treatments, df) -
	                                segment->terms.treatments.entries),
	};
}

enum bs_status bs_matrix_find_term(const struct bs_index *index, uint32_t segment, const char *term,
                                   size_t term_bytes, struct bs_matrix_term *term_out,
                                   struct bs_error *err)
{
	const struct bs_segment *from = NULL;
	struct bs_and_term found;
	*term_out = (struct bs_matrix_term){.term = NULL};
	enum bs_status status = find_segment(index, segment, &from, err);
	if (!status)
		status = find_term(from, term, term_bytes, &found, err);
	if (!status)
		*term_out = describe_term(from, term, term_bytes, found.ordinal, found.df);
	return status;
}

enum bs_status bs_matrix_terms(const struct bs_index *index, uint32_t segment, const char *from,
                               size_t from_bytes,
                               int (*take)(void *context, const struct bs_matrix_term *term),
                               void *context, struct bs_error *err)
{
	const struct bs_segment *of = NULL;
	bool end = false;
	enum bs_status status = find_segment(index, segment, &of, err);
	if (status || of->meta.n_shards == 0)
		return status;
	struct bs_lexicon_cursor cursor = {.lexicon = &of->terms.lexicon};
	status = from_bytes > UINT32_MAX ? bs_fail(err, BS_INVALID, "no term is that long")
	                                 : bs_lexicon_cursor_seek(&cursor, (const uint8_t *)from,
	                                                          (uint32_t)from_bytes, err);
	while (!status && !(status = bs_lexicon_cursor_next(&cursor, &end, err)) && !end) {
		struct bs_matrix_term term =
			describe_term(of, (const char *)cursor.term.data, cursor.term.used_bytes,
		                      cursor.ordinal, cursor.df);
		if (take(context, &term))
			status = bs_fail(err, BS_STOPPED, "stopped");
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}

enum bs_status bs_matrix_find_columns(const struct bs_index *index, uint32_t segment,
                                      uint32_t shard, const char *term, size_t term_bytes,
                                      struct bs_matrix_term_columns *columns_out,
                                      struct bs_error *err)
{
	const struct bs_segment *of = NULL;
	const struct bs_shard *from = NULL;
	struct bs_and_term found;
	struct bs_shard_term here;
	memset(columns_out, 0, sizeof(*columns_out));
	enum bs_status status = find_shard(index, segment, shard, &of, &from, err);
	if (!status)
		status = find_term(of, term, term_bytes, &found, err);
	if (!status)
		status = bs_shard_term_init(&here, from, &found, err);
	if (!status && here.exact_column != BS_NO_COLUMN) {
		columns_out->n_columns[BS_MATRIX_EXACT] = 1;
		columns_out->columns[BS_MATRIX_EXACT][0] = here.exact_column;
		return BS_OK;
	}
	for (uint32_t l = 0; !status && l < from->hashed.n_levels; l++) {
		enum bs_matrix_level level = level_of(of, l);
		uint32_t n = from->hashed.levels[l].n_columns
		                     ? bs_shard_hashes(found.treatment, from->hashed.n_columns, l)
		                     : 0;
		columns_out->n_columns[level] = n;
		for (uint32_t i = 0; i < n; i++)
			columns_out->columns[level][i] = bs_hash_position(
				found.probes[l], i, from->hashed.levels[l].n_columns);
	}
	return status;
}

/* The context of ask_shards. */
struct asked {
	int (*take)(void *context, const struct bs_matrix_candidates *candidates);
	void *context;
	const struct bs_kernel *kernel;
	struct bs_candidate_list found; /* The candidates of the current shard. */
	struct bs_u64s words;           /* The same candidates, as one bit for each row. */
};

static enum bs_status hand_out(struct asked *asked, const struct bs_shard_scan *at,
                               struct bs_error *err)
{
	const struct bs_candidate *found = asked->found.items;
	struct bs_matrix_candidates candidates = {
		.segment = at->segment,
		.shard = (uint32_t)(at->shard - bs_plan_segment(at->plan, at->segment)->shards),
		.n_rows = at->shard->n_docs,
		.n_words = ((size_t)at->shard->n_docs + 63) / 64,
		.n_set = bs_vector_n(&asked->found),
	};
	bs_vector_clear(&asked->words);
	enum bs_status status = bs_vector_reserve(&asked->words, candidates.n_words, err);
	if (status)
		return status;
	uint64_t *words = asked->words.items;
	memset(words, 0, candidates.n_words * 8);
	for (size_t i = 0; i < candidates.n_set; i++) {
		words[found[i].row / 64] |= UINT64_C(1) << (found[i].row % 64);
		candidates.n_sure += found[i].is_sure;
	}
	candidates.words = words;
	/* What the callback allocates is not counted in the searcher's memory budget. */
	struct bs_memory_budget *budget = bs_memory_budget_here;
	bs_memory_budget_here = NULL;
	bool is_refused = asked->take(asked->context, &candidates) != 0;
	bs_memory_budget_here = budget;
	return is_refused ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

static enum bs_status ask_shards(void *context, const struct bs_plan *plan, struct bs_scan *scan,
                                 struct bs_error *err)
{
	struct asked *asked = context;
	struct bs_scan_stats stats = {.lines_read = 0};
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < plan->list->n_segments && !status; s++) {
		const struct bs_segment *segment = bs_plan_segment(plan, s);
		if (!segment)
			continue;
		status = bs_scan_start(scan, plan, 0, err);
		for (uint32_t i = 0; i < segment->meta.n_shards && !status; i++) {
			struct bs_shard_scan at = {
				scan,  plan, &segment->shards[i], asked->kernel, &stats, err, s,
				BS_OK, {0}};
			bs_vector_clear(&asked->found);
			bs_scan_shard(&at, &asked->found, NULL);
			status = at.status ? at.status : hand_out(asked, &at, err);
		}
	}
	bs_vector_deinit(&asked->found);
	bs_vector_deinit(&asked->words);
	return status;
}

enum bs_status bs_matrix_query(struct bs_searcher *searcher,
                               const struct bs_search_request *request,
                               int (*take)(void *context,
                                           const struct bs_matrix_candidates *candidates),
                               void *context, size_t *error_byte_out, struct bs_error *err)
{
	const struct bs_index *index = searcher->index;
	struct asked asked = {.take = take, .context = context, .kernel = index->kernel};
	if (error_byte_out)
		*error_byte_out = SIZE_MAX;
	if (index->has_other_words)
		return bs_fail(err, BS_UNSUPPORTED,
		               "the index was made by another version of the tokenizer: its "
		               "columns do not answer a query");
	return bs_searcher_plan(searcher, request, ask_shards, &asked, error_byte_out, err);
}
