/* slab_build.c: see slab_build.h. */
#include "indexer/slab_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "indexer/slab_audit.h"

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
	free(builder->audit_rows);
	builder->exact_terms = NULL;
	builder->audit_rows = NULL;
}

void bs_slab_builder_deinit(struct bs_slab_builder *builder)
{
	free_slab(builder);
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

static uint32_t blocks_of(const struct bs_slab_builder *builder)
{
	return (builder->shape.n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
}

/* Of documents, in the order of rows: each is some way off in memory. */
BS_PREFETCHING void prefetch_row(const struct bs_slab_builder *builder, uint32_t row)
{
	const uint32_t ahead = 4;
	if (row + ahead < builder->shape.n_docs)
		__builtin_prefetch(bs_gather_docs(builder->plan->gather)[builder->rows[row + ahead]].codes);
}

/* Some terms of a document: all that is looked at by number and by place, as the memory is asked for it. */
struct chunk {
	uint32_t n;
	uint32_t numbers[BS_TERM_CHUNK];
	uint32_t places[BS_TERM_CHUNK];
};

static inline bool next_chunk(const struct bs_slab_plan *plan, struct bs_term_reader *reader, struct chunk *chunk)
{
	chunk->n = bs_slab_plan_next(plan, reader, chunk->numbers);
	bs_slab_plan_places(plan, chunk->numbers, chunk->n, chunk->places);
	return chunk->n > 0;
}

/* ---- first pass: which terms get exact columns ---- */

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
	double least = plan->exact_share * blocks_of(builder) * BS_LINE_BITS;
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
		builder->frequent[pairs[2 * i + 1]].exact = i + 1;
		pairs[i] = pairs[2 * i];
	}
	builder->shape.n_exact = n_exact;
	return BS_OK;
}

/* From counts to where each term's rows begin. */
static enum bs_status place_audit_rows(struct bs_slab_builder *builder, struct bs_error *err)
{
	uint64_t n_all = 0;
	for (uint32_t i = 0; i < builder->plan->n_frequent; i++) {
		struct bs_slab_frequent *here = &builder->frequent[i];
		uint32_t n_rows = here->next;
		bool is_audited = !here->exact && builder->plan->frequent[i].has_exceptions;
		here->next = is_audited ? (uint32_t)n_all : BS_NOT_AUDITED;
		n_all += is_audited ? n_rows : 0;
		if (n_all >= BS_NOT_AUDITED)
			return bs_fail(err, BS_INVALID, "2^32 postings and more in one slab; use less --memory");
	}
	builder->frequent[builder->plan->n_frequent] = (struct bs_slab_frequent){.next = BS_NOT_AUDITED};
	builder->n_audit_rows = (uint32_t)n_all;
	return BS_OK;
}

static uint32_t least_length(const struct bs_slab_builder *builder, uint32_t n_rows)
{
	uint32_t least = UINT32_MAX;
	for (uint32_t row = 0; row < n_rows; row++) {
		uint32_t length = bs_doc_table_gathered_length(&builder->plan->gather->doc_table, builder->rows[row]);
		least = length < least ? length : least;
	}
	return least;
}

/* What is known of a term by its place; of those that are not frequent one behind them all, of which nothing is wanted. */
static inline struct bs_slab_frequent *frequent_of(const struct bs_slab_builder *builder, uint32_t place)
{
	uint32_t n_frequent = builder->plan->n_frequent;
	uint32_t index = place - 1;
	return &builder->frequent[index < n_frequent ? index : n_frequent];
}

enum bs_status bs_slab_count(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                             struct bs_error *err)
{
	const struct bs_slab_plan *plan = builder->plan;
	struct chunk chunk;
	free_slab(builder);
	builder->rows = rows;
	builder->shape = (struct bs_slab_shape){.n_docs = n_rows, .least_length = least_length(builder, n_rows)};
	memset(builder->frequent, 0, ((size_t)plan->n_frequent + 1) * sizeof(*builder->frequent));
	for (uint32_t row = 0; row < n_rows; row++) {
		struct bs_term_reader reader = bs_slab_plan_read(plan, rows[row]);
		prefetch_row(builder, row);
		while (next_chunk(plan, &reader, &chunk)) {
			for (uint32_t i = 0; i < chunk.n; i++)
				__builtin_prefetch(frequent_of(builder, chunk.places[i]), 1);
			for (uint32_t i = 0; i < chunk.n; i++)
				frequent_of(builder, chunk.places[i])->next++;
		}
	}
	enum bs_status status = choose_exact(builder, err);
	if (!status)
		status = place_audit_rows(builder, err);
	return status;
}

/* ---- marks: which term was in which row last ---- */

/* The value that row 0 marks with, a multiple of 512; those of the rows follow, and are new. */
static uint32_t take_marks(struct bs_slab_builder *builder)
{
	uint32_t n = blocks_of(builder) * BS_LINE_BITS;
	if (builder->next_mark > UINT32_MAX - n) {
		memset(builder->marks, 0, ((size_t)builder->plan->n_repeated + 1) * sizeof(*builder->marks));
		builder->next_mark = BS_LINE_BITS;
	}
	uint32_t first = builder->next_mark;
	builder->next_mark += n;
	return first;
}

/* Marks the term; bits from the lane's shift up are set if the lane has not had it yet. A term of one document needs no
 * mark. */
static inline uint32_t mark_term(uint32_t *marks, uint32_t place, uint32_t mark)
{
	if (place == 0)
		return UINT32_MAX;
	uint32_t changed = marks[place] ^ mark;
	marks[place] = mark;
	return changed;
}

/* ---- between the passes: how wide each level must be ---- */

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

/* Asks for what stands at the places of a chunk, that of frequent terms first, since more hangs on it. */
BS_PREFETCHING void prefetch_places(const struct bs_slab_builder *builder, const struct chunk *chunk)
{
	const struct bs_slab_plan *plan = builder->plan;
	for (uint32_t i = 0; i < chunk->n; i++) {
		uint32_t place = chunk->places[i];
		__builtin_prefetch(frequent_of(builder, place), 1);
		__builtin_prefetch(&builder->marks[place], 1);
		__builtin_prefetch(&plan->treatment_of[place]);
		__builtin_prefetch(&plan->has_levels[place]);
	}
}

/* The same of one chunk: of all its hashed terms, and of those that are new to their lane, likewise packed. */
struct chunk_counts {
	uint64_t all;
	uint64_t fresh;
};

/* The columns of the levels that a word's tf reaches in a document. */
static inline uint32_t tf_columns(const struct bs_slab_plan *plan, uint32_t place, struct bs_row_tfs tfs)
{
	uint32_t tf = bs_tf_decode(tfs.bits, tfs.n_bytes, plan->hashes[place]);
	return bs_tf_levels_of(plan->tf_levels, tf) * plan->tf_levels->n_columns;
}

static struct chunk_counts measure_chunk(const struct bs_slab_builder *builder, const uint64_t counts[BS_MAX_TREATMENTS],
                                         const struct chunk *chunk, const uint32_t shifts[BS_MAX_LEVELS],
                                         struct bs_row_tfs tfs, uint32_t mark)
{
	const struct bs_slab_plan *plan = builder->plan;
	uint32_t n_frequent = plan->n_frequent;
	uint32_t *marks = builder->marks;
	struct chunk_counts sums = {0, 0};
	prefetch_places(builder, chunk);
	for (uint32_t i = 0; i < chunk->n; i++) {
		uint32_t place = chunk->places[i];
		uint32_t index = place - 1;
		if (tfs.n_bytes && plan->has_levels[place])
			sums.all += tf_columns(plan, place, tfs);
		if (index < n_frequent && builder->frequent[index].exact)
			continue;
		uint32_t changed = mark_term(marks, place, mark);
		uint64_t packed = counts[plan->treatment_of[place]];
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
	uint64_t n_blocks = blocks_of(builder);
	return n_measured == 0 || n_measured >= n_blocks || row / BS_LINE_BITS * n_measured % n_blocks < n_measured;
}

static void measure(struct bs_slab_builder *builder, struct measured *measured)
{
	uint64_t counts[BS_MAX_TREATMENTS];
	uint32_t shifts[BS_MAX_LEVELS];
	struct chunk chunk;
	uint64_t lane_bits[BS_MAX_LEVELS] = {0};
	uint32_t n_rows = builder->shape.n_docs;
	uint32_t first_mark = take_marks(builder);
	*measured = (struct measured){0};
	pack_counts(builder->plan->treatments, counts);
	level_shifts(builder, shifts);
	for (uint32_t row = 0; row < n_rows; row++) {
		struct bs_term_reader reader = bs_slab_plan_read(builder->plan, builder->rows[row]);
		uint64_t bits[BS_MAX_LEVELS] = {0};
		if (!is_measured(builder, row)) {
			row += BS_LINE_BITS - 1;
			continue;
		}
		struct bs_row_tfs tfs = bs_slab_plan_tfs(builder->plan, builder->rows[row]);
		prefetch_row(builder, row);
		while (next_chunk(builder->plan, &reader, &chunk)) {
			struct chunk_counts sums = measure_chunk(builder, counts, &chunk, shifts, tfs, first_mark + row);
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
	uint32_t n_blocks = blocks_of(builder);
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

/* ---- second pass: bits ---- */

/*
 * One level while it is filled. A document's bits (a group's, a block's) are set in a row of words of its own, which stays
 * in the first cache however wide the level is; 512 such rows are turned into a line of each column.
 */
struct filling {
	uint8_t rank;
	uint32_t shift;      /* a lane is 2^shift documents */
	uint32_t n_columns;
	uint32_t n_lines;    /* of a column */
	uint32_t lane_words;
	uint64_t *columns;   /* in the product */
	uint64_t *lanes;     /* 512 rows of lane_words */
	uint64_t *lane;      /* the one under way */
};

/*
 * Terms wait in batches of one level and one number of columns: how many bits to set is then known beforehand, where term
 * by term it would be guessed wrong for every other one.
 */
#define BATCH_TERMS 64u

struct waiting {
	uint64_t hash;
	uint64_t *lane;
};

struct batch {
	uint32_t n;
	uint32_t k;     /* columns of a term */
	uint32_t level;
	struct waiting terms[BATCH_TERMS];
};

struct fill {
	struct filling levels[BS_MAX_LEVELS + 1]; /* behind the last level: the exact columns */
	uint32_t n_levels;                        /* those included */
	uint64_t *lanes;
	struct batch *batches[BS_MAX_TREATMENTS][BS_MAX_LEVELS]; /* by treatment and level, shared by those of equal k */
	struct batch *all_batches;
	uint32_t n_batches;
	struct batch *tf_batch; /* of tf levels, at the document level */
};

static void place_filling(struct fill *fill, uint8_t rank, uint32_t n_docs, uint32_t n_columns)
{
	fill->levels[fill->n_levels++] = (struct filling){
		.rank = rank,
		.shift = bs_level_shift(rank, n_docs),
		.n_columns = n_columns,
		.n_lines = bs_level_lines(rank, (n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS),
		.lane_words = (n_columns + 63) / 64,
	};
}

static struct batch *find_batch(struct fill *fill, uint32_t level, uint32_t k)
{
	for (uint32_t i = 0; i < fill->n_batches; i++)
		if (fill->all_batches[i].level == level && fill->all_batches[i].k == k)
			return &fill->all_batches[i];
	struct batch *batch = &fill->all_batches[fill->n_batches++];
	batch->n = 0;
	batch->level = level;
	batch->k = k;
	return batch;
}

static enum bs_status make_batches(struct fill *fill, const struct bs_slab_plan *plan, const struct bs_slab_shape *shape,
                                   struct bs_error *err)
{
	const struct bs_treatment_table *treatments = plan->treatments;
	size_t n = (size_t)treatments->n_entries * BS_MAX_LEVELS + 1;
	fill->all_batches = malloc(n * sizeof(*fill->all_batches));
	if (!fill->all_batches)
		return bs_fail_memory(err, "a slab", n * sizeof(*fill->all_batches));
	for (uint32_t i = 0; i < treatments->n_entries; i++)
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			fill->batches[i][level] = find_batch(fill, level, bs_slab_hashes(&treatments->entries[i], shape->n_columns,
			                                                                 level));
	fill->tf_batch = find_batch(fill, 0, plan->tf_levels->n_columns);
	return BS_OK;
}

/* Where levels and exact columns stand in the product. */
static enum bs_status fill_init(struct fill *fill, const struct bs_slab_builder *builder,
                                struct bs_slab_product *product, struct bs_error *err)
{
	const struct bs_treatment_table *treatments = builder->plan->treatments;
	const struct bs_slab_shape *shape = &builder->shape;
	uint64_t n_lines = 0;
	uint64_t n_words = 0;
	*fill = (struct fill){.n_levels = 0};
	for (uint32_t level = 0; level < treatments->n_levels; level++)
		place_filling(fill, treatments->ranks[level], shape->n_docs, shape->n_columns[level]);
	place_filling(fill, BS_RANK_DOCUMENT, shape->n_docs, shape->n_exact);
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		n_lines += (uint64_t)fill->levels[i].n_columns * fill->levels[i].n_lines;
		n_words += (uint64_t)fill->levels[i].lane_words * BS_LINE_BITS;
	}
	product->image.n_lines = n_lines;
	product->columns = aligned_alloc(BS_LINE_BYTES, (size_t)(n_lines + 1) * BS_LINE_BYTES);
	fill->lanes = calloc((size_t)n_words + 1, sizeof(*fill->lanes));
	if (!product->columns || !fill->lanes)
		return bs_fail_memory(err, "a slab", n_lines * BS_LINE_BYTES);
	uint64_t *columns = product->columns;
	uint64_t *lanes = fill->lanes;
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		struct filling *filling = &fill->levels[i];
		filling->columns = columns;
		filling->lanes = lanes;
		columns += (size_t)filling->n_columns * filling->n_lines * BS_LINE_WORDS;
		lanes += (size_t)filling->lane_words * BS_LINE_BITS;
	}
	return make_batches(fill, builder->plan, shape, err);
}

/* Bit j of word i becomes bit i of word j: halves of 32 change places, then those of 16, ... (Warren, "Hacker's Delight",
 * 7-3). */
static void transpose(uint64_t words[64])
{
	uint64_t mask = UINT32_MAX;
	for (uint32_t half = 32; half > 0; half >>= 1, mask ^= mask << half) {
		for (uint32_t i = 0; i < 64; i = (i + half + 1) & ~half) {
			uint64_t swap = (words[i] >> half ^ words[i + half]) & mask;
			words[i] ^= swap << half;
			words[i + half] ^= swap;
		}
	}
}

/* The lanes of one line -> their columns, 64 columns at a time. */
static void turn_lanes(struct filling *filling, uint32_t line)
{
	uint64_t *to = filling->columns + (size_t)line * BS_LINE_WORDS;
	size_t stride = (size_t)filling->n_lines * BS_LINE_WORDS;
	for (uint32_t word = 0; word < filling->lane_words; word++) {
		uint64_t turned[BS_LINE_WORDS][64];
		for (uint32_t i = 0; i < BS_LINE_WORDS; i++) {
			for (uint32_t lane = 0; lane < 64; lane++)
				turned[i][lane] = filling->lanes[(size_t)(i * 64 + lane) * filling->lane_words + word];
			transpose(turned[i]);
		}
		for (uint32_t c = 0; c < 64 && word * 64 + c < filling->n_columns; c++)
			for (uint32_t i = 0; i < BS_LINE_WORDS; i++)
				to[(size_t)(word * 64 + c) * stride + i] = turned[i][c];
	}
	memset(filling->lanes, 0, (size_t)filling->lane_words * BS_LINE_BITS * sizeof(*filling->lanes));
}

/* Sets the bits of the terms that wait: the first k of bs_hash_position each. */
static void set_batch(const struct filling *filling, struct batch *batch)
{
	for (uint32_t t = 0; t < batch->n; t++) {
		struct bs_probe probe = bs_hash_probe(batch->terms[t].hash, filling->rank);
		for (uint32_t i = 0; i < batch->k; i++) {
			uint32_t column = bs_hash_position(probe, i, filling->n_columns);
			batch->terms[t].lane[column / 64] |= UINT64_C(1) << (column % 64);
		}
	}
	batch->n = 0;
}

/* After a row: turns the lanes that it completes. */
static void end_row(struct fill *fill, uint32_t level, uint32_t row, uint32_t n_rows)
{
	struct filling *filling = &fill->levels[level];
	uint32_t lane = row >> filling->shift;
	uint32_t next_lane = (row + 1) >> filling->shift;
	if (row + 1 != n_rows && (next_lane == lane || next_lane % BS_LINE_BITS != 0))
		return;
	for (uint32_t i = 0; i < fill->n_batches; i++)
		if (fill->all_batches[i].level == level)
			set_batch(filling, &fill->all_batches[i]);
	turn_lanes(filling, lane / BS_LINE_BITS);
}

/* Lets the term wait for its bits of a level, if is_fresh and there are any. */
static inline void add_term(struct fill *fill, uint32_t level, struct batch *batch, uint64_t hash, bool is_fresh)
{
	batch->terms[batch->n] = (struct waiting){hash, fill->levels[level].lane};
	batch->n += is_fresh & (batch->k > 0);
	if (batch->n == BATCH_TERMS)
		set_batch(&fill->levels[level], batch);
}

static void add_tf_levels(const struct bs_slab_plan *plan, struct fill *fill, uint32_t place, struct bs_row_tfs tfs)
{
	uint64_t hash = plan->hashes[place];
	uint32_t n_levels = bs_tf_levels_of(plan->tf_levels, bs_tf_decode(tfs.bits, tfs.n_bytes, hash));
	for (uint32_t l = 0; l < n_levels; l++)
		add_term(fill, 0, fill->tf_batch, bs_tf_level_hash(hash, l), true);
}

/* Asks for where the row will be left with terms of the chunk, now that what tells should be there. */
BS_PREFETCHING void prefetch_audit(const struct bs_slab_builder *builder, const struct chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->n; i++) {
		uint32_t next = frequent_of(builder, chunk->places[i])->next;
		__builtin_prefetch(&builder->audit_rows[next != BS_NOT_AUDITED ? next : 0], 1);
		__builtin_prefetch(&builder->plan->hashes[chunk->places[i]]);
	}
}

/* Also leaves the row with those terms that may have exceptions. */
static void fill_chunk(struct bs_slab_builder *builder, struct fill *fill, const struct chunk *chunk,
                       struct bs_row_tfs tfs, uint32_t row, uint32_t mark)
{
	const struct bs_slab_plan *plan = builder->plan;
	uint64_t *exact_lane = fill->levels[fill->n_levels - 1].lane;
	uint32_t n_frequent = plan->n_frequent;
	prefetch_places(builder, chunk);
	prefetch_audit(builder, chunk);
	for (uint32_t i = 0; i < chunk->n; i++) {
		uint32_t place = chunk->places[i];
		uint32_t index = place - 1;
		if (tfs.n_bytes && plan->has_levels[place])
			add_tf_levels(plan, fill, place, tfs);
		if (index < n_frequent) {
			struct bs_slab_frequent *here = &builder->frequent[index];
			if (here->exact) {
				uint32_t column = here->exact - 1;
				exact_lane[column / 64] |= UINT64_C(1) << (column % 64);
				continue;
			}
			if (here->next != BS_NOT_AUDITED)
				builder->audit_rows[here->next++] = row;
		}
		uint8_t treatment = plan->treatment_of[place];
		uint64_t hash = bs_slab_plan_hash(plan, chunk->numbers[i], place);
		uint32_t changed = mark_term(builder->marks, place, mark);
		add_term(fill, 0, fill->batches[treatment][0], hash, true);
		add_term(fill, 1, fill->batches[treatment][1], hash, changed >> fill->levels[1].shift != 0);
		add_term(fill, 2, fill->batches[treatment][2], hash, changed >> fill->levels[2].shift != 0);
	}
}

static enum bs_status fill_slab(struct bs_slab_builder *builder, struct bs_slab_product *product, struct bs_error *err)
{
	struct fill fill;
	struct chunk chunk;
	uint32_t n_rows = builder->shape.n_docs;
	uint32_t first_mark = take_marks(builder);
	enum bs_status status = fill_init(&fill, builder, product, err);
	for (uint32_t row = 0; row < n_rows && !status; row++) {
		struct bs_term_reader reader = bs_slab_plan_read(builder->plan, builder->rows[row]);
		struct bs_row_tfs tfs = bs_slab_plan_tfs(builder->plan, builder->rows[row]);
		prefetch_row(builder, row);
		for (uint32_t i = 0; i < fill.n_levels; i++) {
			struct filling *filling = &fill.levels[i];
			filling->lane = filling->lanes + (size_t)((row >> filling->shift) % BS_LINE_BITS) * filling->lane_words;
		}
		while (next_chunk(builder->plan, &reader, &chunk))
			fill_chunk(builder, &fill, &chunk, tfs, row, first_mark + row);
		for (uint32_t i = 0; i < fill.n_levels; i++)
			end_row(&fill, i, row, n_rows);
	}
	free(fill.lanes);
	free(fill.all_batches);
	return status;
}

enum bs_status bs_slab_build(struct bs_slab_builder *builder, uint64_t first_row, struct bs_slab_product *product_out,
                             struct bs_error *err)
{
	struct measured measured;
	*product_out = (struct bs_slab_product){0};
	measure(builder, &measured);
	choose_widths(builder, &measured);
	builder->audit_rows = malloc(((size_t)builder->n_audit_rows + 1) * sizeof(*builder->audit_rows));
	if (!builder->audit_rows)
		return bs_fail_memory(err, "the audit of a slab", (size_t)builder->n_audit_rows * sizeof(*builder->audit_rows));
	product_out->exact_terms = builder->exact_terms;
	builder->exact_terms = NULL;
	enum bs_status status = fill_slab(builder, product_out, err);
	product_out->image.shape = builder->shape;
	product_out->image.rows = builder->rows;
	product_out->image.columns = product_out->columns;
	product_out->image.exact_terms = product_out->exact_terms;
	product_out->image.kernel = builder->plan->kernel;
	product_out->image.treatments = builder->plan->treatments;
	if (!status)
		status = bs_slab_audit(builder, first_row, product_out, err);
	free_slab(builder);
	if (status)
		bs_slab_product_deinit(product_out);
	return status;
}
