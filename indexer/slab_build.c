/* slab_build.c: see slab_build.h. */
#include "indexer/slab_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "indexer/slab_audit.h"

enum bs_status bs_slab_builder_init(struct bs_slab_builder *builder, const struct bs_slab_plan *plan,
                                    struct bs_error *err)
{
	size_t n_terms = plan->gather->terms.n_terms;
	size_t n = n_terms ? n_terms : 1;
	*builder = (struct bs_slab_builder){.plan = plan};
	builder->counts = calloc(n, sizeof(uint32_t));
	builder->last_block = calloc(n, sizeof(uint32_t));
	builder->exact_of = calloc(n, sizeof(uint32_t));
	if (builder->counts && builder->last_block && builder->exact_of)
		return BS_OK;
	bs_slab_builder_deinit(builder);
	return bs_fail_memory(err, "a slab's counters", n * 12);
}

static void free_image(struct bs_slab_builder *builder)
{
	free(builder->columns);
	free(builder->scratch);
	free(builder->exact_terms);
	builder->columns = NULL;
	builder->scratch = NULL;
	builder->exact_terms = NULL;
}

void bs_slab_builder_deinit(struct bs_slab_builder *builder)
{
	free_image(builder);
	free(builder->counts);
	free(builder->last_block);
	free(builder->exact_of);
	bs_buffer_deinit(&builder->touched);
	*builder = (struct bs_slab_builder){0};
}

static const struct bs_treatment *treatment_of(const struct bs_slab_plan *plan, uint32_t term)
{
	return &plan->treatments->entries[plan->treatment_of[term]];
}

static uint64_t n_columns_of(const struct bs_treatment *treatment)
{
	uint64_t n = 0;
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		n += treatment->n_columns[level];
	return n;
}

uint64_t bs_slab_document_weight(const struct bs_slab_plan *plan, uint32_t document, uint64_t exact_df)
{
	const struct bs_gathered_doc *doc = &bs_gather_docs(plan->gather)[document];
	const uint8_t *codes = doc->codes;
	uint64_t weight = 0;
	for (uint32_t i = 0; i < doc->n_terms; i++) {
		uint32_t term = bs_gather_next(&codes);
		if (plan->gather->terms.entries[term].df < exact_df)
			weight += n_columns_of(treatment_of(plan, term));
	}
	return weight;
}

/* ---- first pass: which terms get exact columns ---- */

static enum bs_status count_terms(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                                  struct bs_error *err)
{
	const struct bs_gathered_doc *docs = bs_gather_docs(builder->plan->gather);
	bs_buffer_clear(&builder->touched);
	for (uint32_t row = 0; row < n_rows; row++) {
		const uint8_t *codes = docs[rows[row]].codes;
		for (uint32_t i = 0; i < docs[rows[row]].n_terms; i++) {
			uint32_t term = bs_gather_next(&codes);
			if (builder->counts[term]++ > 0)
				continue;
			enum bs_status status = bs_buffer_append(&builder->touched, &term, sizeof(term), err);
			if (status)
				return status;
		}
	}
	return BS_OK;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Terms at or above the share, in lexicon order; exact_of maps term to column + 1 until the build ends. A last block
 * that is not full costs a whole line, so the share is one of the padded slab. */
static enum bs_status choose_exact(struct bs_slab_builder *builder, uint32_t n_blocks, struct bs_error *err)
{
	const struct bs_slab_plan *plan = builder->plan;
	const uint32_t *touched = (const uint32_t *)(const void *)builder->touched.data;
	size_t n_touched = builder->touched.used_bytes / 4;
	double least = plan->exact_share * n_blocks * BS_LINE_BITS;
	uint32_t n_exact = 0;
	for (size_t i = 0; i < n_touched; i++)
		n_exact += builder->counts[touched[i]] >= least;
	builder->exact_terms = malloc(((size_t)n_exact + 1) * 8);
	if (!builder->exact_terms)
		return bs_fail_memory(err, "exact columns", ((size_t)n_exact + 1) * 8);
	/* Sort (ordinal, term) pairs by ordinal; then keep the ordinals. */
	uint32_t *pairs = builder->exact_terms;
	n_exact = 0;
	for (size_t i = 0; i < n_touched; i++) {
		if (builder->counts[touched[i]] < least)
			continue;
		pairs[2 * n_exact] = plan->ordinal_of[touched[i]];
		pairs[2 * n_exact + 1] = touched[i];
		n_exact++;
	}
	qsort(pairs, n_exact, 8, compare_u32);
	for (uint32_t i = 0; i < n_exact; i++) {
		builder->exact_of[pairs[2 * i + 1]] = i + 1;
		pairs[i] = pairs[2 * i];
	}
	builder->image.shape.n_exact = n_exact;
	return BS_OK;
}

/* ---- second pass: how wide each level must be ---- */

/* Bits set per row, span by span, of one level; a term counts once a span. */
struct level_load {
	double sum;         /* of the spans' loads */
	double sum_squares;
};

static void load_add(struct level_load *load, uint64_t bits)
{
	load->sum += (double)bits;
	load->sum_squares += (double)bits * (double)bits;
}

/*
 * m for the wanted density: bits / -ln(1 - d), where bits is the mean load of the spans weighted by their load. The plain
 * mean would leave the long ones of a mixed slab too dense, and it is there that false candidates come from.
 */
static uint32_t level_width(const struct level_load *load, double density)
{
	if (load->sum <= 0)
		return 0;
	double m = ceil(load->sum_squares / load->sum / -log1p(-density));
	return m < 8 ? 8 : (m > (double)(UINT32_MAX / 2) ? UINT32_MAX / 2 : (uint32_t)m);
}

static uint32_t hashes_of(const struct bs_slab_builder *builder, uint32_t term, uint32_t level)
{
	return bs_slab_hashes(treatment_of(builder->plan, term), builder->image.shape.n_columns, level);
}

/* Adds a document's hashed terms to the load of its span; mark is the span's own, never 0 and never used before. */
static uint64_t span_bits(struct bs_slab_builder *builder, uint32_t document, uint32_t level, uint32_t mark)
{
	const struct bs_slab_plan *plan = builder->plan;
	const struct bs_gathered_doc *doc = &bs_gather_docs(plan->gather)[document];
	const uint8_t *codes = doc->codes;
	uint64_t bits = 0;
	for (uint32_t i = 0; i < doc->n_terms; i++) {
		uint32_t term = bs_gather_next(&codes);
		if (builder->exact_of[term] || builder->last_block[term] == mark)
			continue;
		builder->last_block[term] = mark;
		bits += hashes_of(builder, term, level);
	}
	return bits;
}

/*
 * A coarse level is worth its bytes if they are not many more than those of as many document columns in its place, and
 * there is something to skip. Padding costs a block column up to twice its bits, a group column of n blocks 8 / n more.
 */
#define COARSE_WORTH      2.0
#define COARSE_MIN_BLOCKS 4

static uint64_t coarse_postings(const struct bs_slab_builder *builder, uint32_t level)
{
	const uint32_t *touched = (const uint32_t *)(const void *)builder->touched.data;
	uint64_t bits = 0;
	for (size_t i = 0; i < builder->touched.used_bytes / 4; i++)
		if (!builder->exact_of[touched[i]])
			bits += (uint64_t)builder->counts[touched[i]] * treatment_of(builder->plan, touched[i])->n_columns[level];
	return bits;
}

static void forget_marks(struct bs_slab_builder *builder)
{
	const uint32_t *touched = (const uint32_t *)(const void *)builder->touched.data;
	for (size_t i = 0; i < builder->touched.used_bytes / 4; i++)
		builder->last_block[touched[i]] = 0;
}

/* Loads of one level; a span is the documents of a lane. */
static struct level_load measure_level(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                                       uint32_t level)
{
	struct level_load load = {0, 0};
	uint32_t span_docs = 1u << bs_level_shift(builder->plan->treatments->ranks[level], n_rows);
	uint32_t mark = 0;
	for (uint32_t start = 0; start < n_rows; start += span_docs) {
		uint64_t bits = 0;
		mark++;
		for (uint32_t row = start; row < start + span_docs && row < n_rows; row++)
			bits += span_bits(builder, rows[row], level, mark);
		load_add(&load, bits);
	}
	forget_marks(builder);
	return load;
}

/* ---- third pass: bits ---- */

static void set_bit(uint64_t *lines, uint64_t line, uint32_t lane)
{
	lines[line * BS_LINE_WORDS + lane / 64] |= UINT64_C(1) << (lane % 64);
}

/* Sets the k bits of a term in column-lines where column c has its line for this span at lines[c * stride]. */
static void set_term(uint64_t *lines, uint64_t stride, uint64_t hash, uint32_t level_rank, uint32_t k, uint32_t m,
                     uint32_t lane)
{
	struct bs_probe probe = bs_hash_probe(hash, level_rank);
	for (uint32_t i = 0; i < k; i++)
		set_bit(lines, (uint64_t)bs_hash_position(probe, i, m) * stride, lane);
}

/* Where a level's columns stand in the image. */
static uint64_t *level_columns(const struct bs_slab_builder *builder, uint32_t level, uint32_t n_blocks)
{
	const struct bs_slab_shape *shape = &builder->image.shape;
	uint64_t *at = builder->columns;
	for (uint32_t l = 0; l < level; l++)
		at += (size_t)shape->n_columns[l] * bs_level_lines(builder->plan->treatments->ranks[l], n_blocks) * BS_LINE_WORDS;
	return at;
}

/* Scratch lines of one line index -> their columns. */
static void spill_lines(uint64_t *columns, uint32_t n_columns, uint32_t n_lines, uint32_t line, uint64_t *scratch)
{
	for (uint32_t c = 0; c < n_columns; c++)
		memcpy(columns + ((size_t)c * n_lines + line) * BS_LINE_WORDS, scratch + (size_t)c * BS_LINE_WORDS,
		       BS_LINE_BYTES);
	memset(scratch, 0, (size_t)n_columns * BS_LINE_BYTES);
}

/* Rank 0 and the exact columns, block by block. */
static void fill_documents(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows)
{
	const struct bs_slab_plan *plan = builder->plan;
	const struct bs_gathered_doc *docs = bs_gather_docs(plan->gather);
	const struct bs_term_entry *terms = plan->gather->terms.entries;
	uint32_t n_blocks = (n_rows + BS_LINE_BITS - 1) / BS_LINE_BITS;
	uint32_t m = builder->image.shape.n_columns[0];
	uint64_t *exact = level_columns(builder, plan->treatments->n_levels, n_blocks);
	for (uint32_t row = 0; row < n_rows; row++) {
		const struct bs_gathered_doc *doc = &docs[rows[row]];
		const uint8_t *codes = doc->codes;
		uint32_t block = row / BS_LINE_BITS;
		uint32_t lane = row % BS_LINE_BITS;
		for (uint32_t i = 0; i < doc->n_terms; i++) {
			uint32_t term = bs_gather_next(&codes);
			if (!builder->exact_of[term])
				set_term(builder->scratch, 1, terms[term].hash, BS_RANK_DOCUMENT, hashes_of(builder, term, 0), m, lane);
			else
				set_bit(exact, (uint64_t)(builder->exact_of[term] - 1) * n_blocks + block, lane);
		}
		if (row + 1 == n_rows || lane == BS_LINE_BITS - 1)
			spill_lines(builder->columns, m, n_blocks, block, builder->scratch);
	}
}

/* Group and block columns: each term sets its bits once a lane. */
static void fill_coarse(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows, uint32_t level)
{
	const struct bs_slab_plan *plan = builder->plan;
	const struct bs_gathered_doc *docs = bs_gather_docs(plan->gather);
	const struct bs_term_entry *terms = plan->gather->terms.entries;
	uint32_t n_blocks = (n_rows + BS_LINE_BITS - 1) / BS_LINE_BITS;
	uint8_t rank = plan->treatments->ranks[level];
	uint32_t shift = bs_level_shift(rank, n_rows);
	uint32_t n_lines = bs_level_lines(rank, n_blocks);
	uint64_t *columns = level_columns(builder, level, n_blocks);
	for (uint32_t row = 0; row < n_rows; row++) {
		const uint8_t *codes = docs[rows[row]].codes;
		uint32_t lane = row >> shift;
		uint64_t *lines = columns + (size_t)(lane / BS_LINE_BITS) * BS_LINE_WORDS;
		for (uint32_t i = 0; i < docs[rows[row]].n_terms; i++) {
			uint32_t term = bs_gather_next(&codes);
			if (builder->exact_of[term] || builder->last_block[term] == lane + 1)
				continue;
			builder->last_block[term] = lane + 1;
			set_term(lines, n_lines, terms[term].hash, rank, hashes_of(builder, term, level),
			         builder->image.shape.n_columns[level], lane % BS_LINE_BITS);
		}
	}
	forget_marks(builder);
}

/* Widths of all levels, coarse ones first: those that are left out make the document level wider. */
static void choose_widths(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows)
{
	const struct bs_slab_plan *plan = builder->plan;
	uint32_t *n_columns = builder->image.shape.n_columns;
	uint32_t n_blocks = (n_rows + BS_LINE_BITS - 1) / BS_LINE_BITS;
	for (uint32_t level = plan->treatments->n_levels; level-- > 1;) {
		n_columns[level] = 1; /* as if present, for measuring */
		struct level_load load = measure_level(builder, rows, n_rows, level);
		uint32_t m = level_width(&load, plan->density);
		double n_bits = (double)m * bs_level_lines(plan->treatments->ranks[level], n_blocks) * BS_LINE_BITS;
		double n_bits_instead = (double)coarse_postings(builder, level) / -log1p(-plan->density);
		bool is_worth = n_blocks >= COARSE_MIN_BLOCKS && n_bits <= n_bits_instead * COARSE_WORTH;
		n_columns[level] = is_worth || plan->keep_coarse ? m : 0;
	}
	struct level_load load = measure_level(builder, rows, n_rows, 0);
	n_columns[0] = level_width(&load, plan->density);
}

static enum bs_status allocate_image(struct bs_slab_builder *builder, uint32_t n_blocks, struct bs_error *err)
{
	const struct bs_treatment_table *treatments = builder->plan->treatments;
	struct bs_slab_shape *shape = &builder->image.shape;
	uint64_t n_lines = (uint64_t)shape->n_exact * n_blocks;
	uint32_t widest = 1;
	for (uint32_t level = 0; level < treatments->n_levels; level++) {
		n_lines += (uint64_t)shape->n_columns[level] * bs_level_lines(treatments->ranks[level], n_blocks);
		if (shape->n_columns[level] > widest)
			widest = shape->n_columns[level];
	}
	uint64_t n_bytes = (n_lines ? n_lines : 1) * BS_LINE_BYTES;
	/* calloc of this size is fresh zero pages; the alignment that kernels want is made by hand. */
	builder->columns = aligned_alloc(BS_LINE_BYTES, (size_t)n_bytes);
	builder->scratch = aligned_alloc(BS_LINE_BYTES, (size_t)widest * BS_LINE_BYTES);
	if (!builder->columns || !builder->scratch)
		return bs_fail_memory(err, "a slab", n_bytes);
	memset(builder->columns, 0, (size_t)n_bytes);
	memset(builder->scratch, 0, (size_t)widest * BS_LINE_BYTES);
	builder->image.n_lines = n_lines;
	return BS_OK;
}

static void forget_terms(struct bs_slab_builder *builder)
{
	const uint32_t *touched = (const uint32_t *)(const void *)builder->touched.data;
	for (size_t i = 0; i < builder->touched.used_bytes / 4; i++) {
		builder->counts[touched[i]] = 0;
		builder->exact_of[touched[i]] = 0;
	}
}

enum bs_status bs_slab_build(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                             uint64_t first_row, const struct bs_kernel *kernel, const struct bs_slab_image **image_out,
                             struct bs_error *err)
{
	const struct bs_treatment_table *treatments = builder->plan->treatments;
	uint32_t n_blocks = (n_rows + BS_LINE_BITS - 1) / BS_LINE_BITS;
	free_image(builder);
	builder->image = (struct bs_slab_image){.rows = rows, .kernel = kernel, .treatments = treatments};
	builder->image.shape.n_docs = n_rows;
	enum bs_status status = count_terms(builder, rows, n_rows, err);
	if (!status)
		status = choose_exact(builder, n_blocks, err);
	if (!status)
		choose_widths(builder, rows, n_rows);
	if (!status)
		status = allocate_image(builder, n_blocks, err);
	for (uint32_t level = 0; level < treatments->n_levels && !status; level++) {
		if (builder->image.shape.n_columns[level] == 0 && level > 0)
			continue;
		if (level == 0)
			fill_documents(builder, rows, n_rows);
		else
			fill_coarse(builder, rows, n_rows, level);
	}
	builder->image.columns = builder->columns;
	builder->image.exact_terms = builder->exact_terms;
	if (!status)
		status = bs_slab_audit(builder, first_row, builder->plan->exceptions, err);
	forget_terms(builder);
	*image_out = &builder->image;
	return status;
}
