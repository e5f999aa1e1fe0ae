/* slab_build.c: see slab_build.h. */
#include "indexer/segment/slab_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "indexer/segment/slab_exceptions.h"
#include "indexer/segment/slab_fill.h"

uint64_t bs_slab_builder_bytes(const struct bs_slab_plan *plan)
{
	return (uint64_t)plan->n_frequent * sizeof(struct bs_slab_frequent) + ((uint64_t)plan->n_repeated + 1) * 4;
}

enum bs_status bs_slab_builder_init(struct bs_slab_builder *builder, const struct bs_slab_plan *plan,
                                    struct bs_error *err)
{
	*builder = (struct bs_slab_builder){.plan = plan, .next_mark = BS_LINE_BITS};
	builder->frequent = malloc(((size_t)plan->n_frequent + 1) * sizeof(*builder->frequent));
	builder->marks = calloc((size_t)plan->n_repeated + 1, sizeof(*builder->marks));
	if (builder->frequent && builder->marks)
		return BS_OK;
	bs_slab_builder_deinit(builder);
	return bs_fail_memory(err, "a slab's counters", bs_slab_builder_bytes(plan));
}

static void free_slab(struct bs_slab_builder *builder)
{
	free(builder->exact_terms);
	builder->exact_terms = NULL;
}

/* They are kept from slab to slab: memory that is new costs more than what is done with it. So there are twice as many at once,
 * in address space, since slabs come in all sizes. */
static enum bs_status reserve_audit_rows(struct bs_slab_builder *builder, struct bs_error *err)
{
	size_t n = (size_t)builder->n_audit_rows + 1;
	if (n <= builder->audit_capacity)
		return BS_OK;
	n *= 2;
	free(builder->audit_rows);
	builder->audit_capacity = 0;
	builder->audit_rows = malloc(n * sizeof(*builder->audit_rows));
	if (!builder->audit_rows)
		return bs_fail_memory(err, "the audit of a slab", n * sizeof(*builder->audit_rows));
	builder->audit_capacity = n;
	return BS_OK;
}

void bs_slab_builder_deinit(struct bs_slab_builder *builder)
{
	free_slab(builder);
	free(builder->audit_rows);
	free(builder->lanes);
	free(builder->frequent);
	free(builder->marks);
	*builder = (struct bs_slab_builder){0};
}

void bs_slab_product_deinit(struct bs_slab_product *product)
{
	free(product->columns);
	free(product->exact_terms);
	bs_exceptions_builder_deinit(&product->exceptions);
	*product = (struct bs_slab_product){0};
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Terms at or above the share, in lexicon order. A last block that is not full costs a whole line, so the share is one of
 * the padded slab. */
static enum bs_status choose_exact(struct bs_slab_builder *builder, struct bs_error *err)
{
	const struct bs_slab_plan *plan = builder->plan;
	double least = plan->exact_share * bs_slab_blocks(builder) * BS_LINE_BITS;
	uint32_t n_exact = 0;
	for (uint32_t i = 0; i < plan->n_frequent; i++)
		n_exact += builder->frequent[i].next > 0 && builder->frequent[i].next >= least;
	builder->exact_terms = malloc(((size_t)n_exact + 1) * 8);
	if (!builder->exact_terms)
		return bs_fail_memory(err, "exact columns", ((size_t)n_exact + 1) * 8);
	/* Sort (ordinal, index) pairs by ordinal; then keep the ordinals. */
	uint32_t *pairs = builder->exact_terms;
	n_exact = 0;
	for (uint32_t i = 0; i < plan->n_frequent; i++) {
		if (builder->frequent[i].next == 0 || builder->frequent[i].next < least)
			continue;
		pairs[2 * n_exact] = plan->frequent[i].ordinal;
		pairs[2 * n_exact + 1] = i;
		n_exact++;
	}
	qsort(pairs, n_exact, 8, compare_u32);
	for (uint32_t i = 0; i < n_exact; i++) {
		builder->frequent[pairs[2 * i + 1]].exact = i;
		pairs[i] = pairs[2 * i];
	}
	builder->shape.n_exact = n_exact;
	return BS_OK;
}

/* From counts to where each term's rows begin; there is room for one more behind the last, for those of all others. */
static enum bs_status place_audit_rows(struct bs_slab_builder *builder, struct bs_error *err)
{
	uint64_t n_all = 0;
	for (uint32_t i = 0; i < builder->plan->n_frequent; i++) {
		uint32_t n_rows = builder->frequent[i].next;
		bool is_audited = bs_slab_is_audited(builder, i);
		builder->frequent[i].next = is_audited ? (uint32_t)n_all : UINT32_MAX;
		n_all += is_audited ? n_rows : 0;
		if (n_all >= UINT32_MAX)
			return bs_fail(err, BS_INVALID, "2^32 postings and more in one slab; use less --memory");
	}
	builder->n_audit_rows = (uint32_t)n_all;
	for (uint32_t i = 0; i < builder->plan->n_frequent; i++)
		if (builder->frequent[i].next == UINT32_MAX)
			builder->frequent[i].next = builder->n_audit_rows;
	return BS_OK;
}

static uint32_t least_length(const struct bs_slab_builder *builder, uint32_t n_rows)
{
	uint32_t least = UINT32_MAX;
	for (uint32_t row = 0; row < n_rows; row++) {
		uint32_t length = bs_doc_table_builder_get_length(&builder->plan->accumulator->doc_table, builder->rows[row]);
		least = length < least ? length : least;
	}
	return least;
}

enum bs_status bs_slab_count(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                             struct bs_error *err)
{
	const struct bs_slab_plan *plan = builder->plan;
	uint32_t n_frequent = plan->n_frequent;
	uint32_t places[BS_TERM_CHUNK];
	free_slab(builder);
	builder->rows = rows;
	builder->shape = (struct bs_slab_shape){.n_docs = n_rows, .least_length = least_length(builder, n_rows)};
	for (uint32_t i = 0; i <= n_frequent; i++)
		builder->frequent[i] = (struct bs_slab_frequent){.exact = UINT32_MAX};
	for (uint32_t row = 0; row < n_rows; row++) {
		struct bs_term_reader reader = bs_accumulator_read(plan->accumulator, rows[row]);
		bs_slab_prefetch_row(builder, row);
		for (uint32_t n; (n = bs_accumulator_next(&reader, places)) > 0;)
			for (uint32_t i = 0; i < n; i++)
				builder->frequent[places[i] < n_frequent ? places[i] : n_frequent].next++;
	}
	enum bs_status status = choose_exact(builder, err);
	if (!status)
		status = place_audit_rows(builder, err);
	return status;
}

uint32_t bs_slab_take_marks(struct bs_slab_builder *builder)
{
	uint32_t n = bs_slab_blocks(builder) * BS_LINE_BITS;
	if (builder->next_mark > UINT32_MAX - n) {
		memset(builder->marks, 0, ((size_t)builder->plan->n_repeated + 1) * sizeof(*builder->marks));
		builder->next_mark = BS_LINE_BITS;
	}
	uint32_t first = builder->next_mark;
	builder->next_mark += n;
	return first;
}

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

#define N_CHOICES (1u << (BS_MAX_LEVELS - 1))

/* What the passes measure. Whether a coarse level will be there decides who has how many columns at the document level,
 * and is decided by what is measured: so the document level is measured for every choice, bit l - 1 of which says that
 * level l is left out. */
struct measured {
	struct level_load documents[N_CHOICES];
	struct level_load coarse[BS_MAX_LEVELS]; /* a span is the documents of a lane */
	uint64_t n_columns[BS_MAX_LEVELS];       /* of all postings measured */
	uint32_t n_rows;                         /* that were measured */
};

/* Counts of columns by level in one word, for sums over a chunk. */
#define COUNT_BITS 21
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
_Static_assert(BS_MAX_LEVELS == 3 && BS_TERM_CHUNK * (BS_MAX_HASHES + BS_MAX_TF_LEVELS * BS_MAX_TF_COLUMNS) <= COUNT_MASK,
               "sums of a chunk do not overflow");

static uint64_t count_at(uint64_t counts, uint32_t level)
{
	return counts >> (level * COUNT_BITS) & COUNT_MASK;
}

static void pack_counts(const struct bs_treatment_table *treatments, uint64_t counts[BS_MAX_TREATMENTS])
{
	for (uint32_t i = 0; i < treatments->n_entries; i++) {
		counts[i] = 0;
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			counts[i] |= (uint64_t)treatments->entries[i].n_columns[level] << (level * COUNT_BITS);
	}
}

/* Shifts of the levels; of those that are not there any will do, their counts being zero. */
static void level_shifts(const struct bs_slab_builder *builder, uint32_t shifts[BS_MAX_LEVELS])
{
	const struct bs_treatment_table *treatments = builder->plan->treatments;
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		shifts[level] = level < treatments->n_levels ? bs_level_shift(treatments->ranks[level], builder->shape.n_docs) : 0;
}

/* Of a chunk: of all its hashed terms, and of those that are new to their lane, likewise packed. */
struct chunk_counts {
	uint64_t all;
	uint64_t fresh;
};

static struct chunk_counts measure_chunk(const struct bs_slab_builder *builder, const uint64_t counts[BS_MAX_TREATMENTS],
                                         const uint32_t *places, uint32_t n, const uint32_t shifts[BS_MAX_LEVELS],
                                         uint32_t mark)
{
	const struct bs_slab_plan *plan = builder->plan;
	struct chunk_counts sums = {0, 0};
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&builder->marks[bs_slab_plan_repeated(plan, places[i])], 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = places[i];
		if (place < plan->n_frequent && builder->frequent[place].exact < builder->shape.n_exact)
			continue;
		uint32_t changed = bs_slab_mark(builder, place, mark);
		uint64_t packed = counts[plan->kinds[bs_slab_plan_repeated(plan, place)] & ~BS_KIND_HAS_LEVELS];
		uint64_t mask = (changed >> shifts[1] ? COUNT_MASK << COUNT_BITS : 0) |
		                (changed >> shifts[2] ? COUNT_MASK << (2 * COUNT_BITS) : 0);
		sums.all += packed;
		sums.fresh += packed & mask;
	}
	return sums;
}

static void measure_document(struct measured *measured, const uint64_t bits[BS_MAX_LEVELS])
{
	for (uint32_t choice = 0; choice < N_CHOICES; choice++)
		load_add(&measured->documents[choice], bits[0] + (choice & 1 ? bits[1] : 0) + (choice & 2 ? bits[2] : 0));
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		measured->n_columns[level] += bits[level];
}

/* Blocks that are spread evenly; small slabs are measured whole. */
static bool is_measured(const struct bs_slab_builder *builder, uint32_t row)
{
	uint64_t n_measured = builder->plan->measured_blocks;
	uint64_t n_blocks = bs_slab_blocks(builder);
	return n_measured == 0 || n_measured >= n_blocks || row / BS_LINE_BITS * n_measured % n_blocks < n_measured;
}

static void measure(struct bs_slab_builder *builder, struct measured *measured)
{
	uint64_t counts[BS_MAX_TREATMENTS];
	uint32_t shifts[BS_MAX_LEVELS];
	uint32_t places[BS_TERM_CHUNK];
	uint64_t lane_bits[BS_MAX_LEVELS] = {0};
	uint32_t n_rows = builder->shape.n_docs;
	uint32_t first_mark = bs_slab_take_marks(builder);
	*measured = (struct measured){0};
	pack_counts(builder->plan->treatments, counts);
	level_shifts(builder, shifts);
	for (uint32_t row = 0; row < n_rows; row++) {
		struct bs_term_reader reader = bs_accumulator_read(builder->plan->accumulator, builder->rows[row]);
		uint64_t bits[BS_MAX_LEVELS] = {0};
		if (!is_measured(builder, row)) {
			row += BS_LINE_BITS - 1;
			continue;
		}
		struct bs_row_tfs tfs = bs_slab_plan_tfs(builder->plan, builder->rows[row]);
		bs_slab_prefetch_row(builder, row);
		for (uint32_t n; (n = bs_accumulator_next(&reader, places)) > 0;) {
			struct chunk_counts sums = measure_chunk(builder, counts, places, n, shifts, first_mark + row);
			for (uint32_t i = 0, n_tfs = bs_row_tfs_next(&tfs, n); i < n_tfs; i++)
				sums.all += bs_slab_plan_levels(builder->plan, places[i], &tfs) *
				            (uint64_t)builder->plan->tf_levels->n_columns;
			for (uint32_t level = 0; level < BS_MAX_LEVELS; level++) {
				bits[level] += count_at(sums.all, level);
				lane_bits[level] += count_at(sums.fresh, level);
			}
		}
		measure_document(measured, bits);
		for (uint32_t level = 1; level < BS_MAX_LEVELS; level++) {
			bool is_last = row + 1 == n_rows || ((row + 1) & ((1u << shifts[level]) - 1)) == 0;
			if (is_last)
				load_add(&measured->coarse[level], lane_bits[level]);
			lane_bits[level] = is_last ? 0 : lane_bits[level];
		}
		measured->n_rows++;
	}
}

/*
 * A coarse level is worth its bytes if they are not many more than those of as many document columns in its place, and
 * there is something to skip. Padding costs a block column up to twice its bits, a group column of n blocks 8 / n more.
 */
#define COARSE_WORTH      2.0
#define COARSE_MIN_BLOCKS 4

/* Widths of all levels: coarse ones that are left out make the document level wider. */
static void choose_widths(struct bs_slab_builder *builder, const struct measured *measured)
{
	const struct bs_slab_plan *plan = builder->plan;
	uint32_t n_blocks = bs_slab_blocks(builder);
	uint32_t choice = 0;
	for (uint32_t level = 1; level < plan->treatments->n_levels; level++) {
		uint32_t m = level_width(&measured->coarse[level], plan->density);
		double n_bits = (double)m * bs_level_lines(plan->treatments->ranks[level], n_blocks) * BS_LINE_BITS;
		double n_columns = (double)measured->n_columns[level] * builder->shape.n_docs / measured->n_rows;
		double n_bits_instead = n_columns / -log1p(-plan->density);
		bool is_worth = n_blocks >= COARSE_MIN_BLOCKS && n_bits <= n_bits_instead * COARSE_WORTH;
		builder->shape.n_columns[level] = is_worth || plan->keep_coarse ? m : 0;
		choice |= builder->shape.n_columns[level] ? 0 : 1u << (level - 1);
	}
	builder->shape.n_columns[0] = level_width(&measured->documents[choice], plan->density);
}

enum bs_status bs_slab_build(struct bs_slab_builder *builder, uint64_t first_row, struct bs_slab_product *product,
                             struct bs_error *err)
{
	struct measured measured;
	*product = (struct bs_slab_product){.columns = product->columns, .most_lines = product->most_lines};
	measure(builder, &measured);
	choose_widths(builder, &measured);
	enum bs_status status = reserve_audit_rows(builder, err);
	if (status)
		return status;
	product->exact_terms = builder->exact_terms;
	builder->exact_terms = NULL;
	status = bs_slab_fill(builder, product, err);
	product->image.shape = builder->shape;
	product->image.rows = builder->rows;
	product->image.columns = product->columns;
	product->image.exact_terms = product->exact_terms;
	product->image.kernel = builder->plan->kernel;
	product->image.treatments = builder->plan->treatments;
	if (!status)
		status = bs_slab_audit(builder, first_row, product, err);
	free_slab(builder);
	if (status)
		bs_slab_product_deinit(product);
	return status;
}
