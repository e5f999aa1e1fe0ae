/* shard_build.c: see shard_build.h. The parts of this file are in the order of the steps: counting,
 * measuring, filling, finding false positives. */
#include "indexer/segment/shard_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/matrix/prices.h"
#include "core/matrix/shard_and.h"

uint64_t bs_shard_builder_bytes(const struct bs_shard_plan *plan)
{
	return (uint64_t)plan->n_frequent * sizeof(struct bs_shard_frequent) +
	       ((uint64_t)plan->n_repeated + 1) * 4;
}

enum bs_status bs_shard_builder_init(struct bs_shard_builder *builder,
                                     const struct bs_shard_plan *plan, struct bs_error *err)
{
	*builder = (struct bs_shard_builder){.plan = plan, .next_mark = BS_LINE_BITS};
	builder->frequent = malloc(((size_t)plan->n_frequent + 1) * sizeof(*builder->frequent));
	builder->marks = calloc((size_t)plan->n_repeated + 1, sizeof(*builder->marks));
	if (builder->frequent && builder->marks)
		return BS_OK;
	bs_shard_builder_deinit(builder);
	return bs_fail_memory(err, "a shard's counters", bs_shard_builder_bytes(plan));
}

void bs_shard_builder_deinit(struct bs_shard_builder *builder)
{
	free(builder->exact_terms);
	free(builder->true_rows);
	free(builder->lanes);
	free(builder->frequent);
	free(builder->marks);
	*builder = (struct bs_shard_builder){0};
}

/* Returns memory for n_bytes, reallocated if it is too small; its content is undefined. Memory is
 * reused from shard to shard, because touching new pages costs more than the work on them. A new
 * allocation has twice the size, because shards vary in size; untouched pages cost nothing. */
static void *reserve(void *memory, uint64_t *room_bytes, uint64_t n_bytes, struct bs_error *err)
{
	if (n_bytes <= *room_bytes)
		return memory;
	free(memory);
	*room_bytes = (2 * n_bytes + BS_LINE_BYTES - 1) / BS_LINE_BYTES * BS_LINE_BYTES;
	memory = aligned_alloc(BS_LINE_BYTES, (size_t)*room_bytes);
	if (!memory) {
		(void)bs_fail_memory(err, "a shard", *room_bytes);
		*room_bytes = 0;
	}
	return memory;
}

static uint32_t count_blocks(const struct bs_shard_builder *builder)
{
	return (builder->shape.n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
}

/* For a frequent term: true if it needs a false-positive list. Also true if the shard lacks the
 * term, because hash collisions can make it appear present. */
static inline bool may_have_false_positives(const struct bs_shard_builder *builder, uint32_t place)
{
	return builder->plan->frequent[place].has_false_positives &&
	       builder->frequent[place].exact >= builder->shape.n_exact;
}

/* Prefetches the terms of a later row, because the documents of adjacent rows are not adjacent in
 * memory. */
BS_PREFETCHING void prefetch_row(const struct bs_shard_builder *builder, uint32_t row)
{
	const uint32_t ahead = 4;
	if (row + ahead < builder->shape.n_docs)
		__builtin_prefetch(
			builder->plan->indexing_buffer->docs.items[builder->rows[row + ahead]]
				.codes);
}

/* Reserves a mark for each row of the shard, and returns the mark of row 0, a multiple of 512; the
 * marks of further rows follow. No earlier shard has used these marks. */
static uint32_t take_marks(struct bs_shard_builder *builder)
{
	uint32_t n = count_blocks(builder) * BS_LINE_BITS;
	if (builder->next_mark > UINT32_MAX - n) {
		memset(builder->marks, 0,
		       ((size_t)builder->plan->n_repeated + 1) * sizeof(*builder->marks));
		builder->next_mark = BS_LINE_BITS;
	}
	uint32_t first = builder->next_mark;
	builder->next_mark += n;
	return first;
}

/* Sets the term's mark to that of the current row. The row's lane of 2^shift documents did not have
 * the term before if result >> shift is not 0. Terms of a single document are always new: they
 * share one mark, which is ignored. */
static inline uint32_t mark_term(const struct bs_shard_builder *builder, uint32_t place,
                                 uint32_t mark)
{
	uint32_t *last = &builder->marks[bs_shard_plan_repeated(builder->plan, place)];
	uint32_t changed = *last ^ mark;
	*last = mark;
	return place < builder->plan->n_repeated ? changed : UINT32_MAX;
}

/* Gives exact columns, in lexicon order, to the terms whose share of the rows is at least
 * exact_share. The padding of the last block counts as rows, because an incomplete block takes
 * whole lines. */
static enum bs_status choose_exact(struct bs_shard_builder *builder, struct bs_error *err)
{
	const struct bs_shard_plan *plan = builder->plan;
	double least = fmax(plan->exact_share * count_blocks(builder) * BS_LINE_BITS, 1);
	uint32_t n_exact = 0;
	for (uint32_t i = 0; i < plan->n_frequent; i++)
		n_exact += builder->frequent[i].next >= least;
	builder->exact_terms = malloc(((size_t)n_exact + 1) * sizeof(*builder->exact_terms));
	if (!builder->exact_terms)
		return bs_fail_memory(err, "exact columns",
		                      n_exact * sizeof(*builder->exact_terms));
	for (uint32_t i = 0; i < plan->n_frequent; i++) {
		uint32_t place = plan->by_ordinal[i];
		if (builder->frequent[place].next < least)
			continue;
		builder->frequent[place].exact = builder->shape.n_exact;
		builder->exact_terms[builder->shape.n_exact++] = plan->frequent[place].ordinal;
	}
	return BS_OK;
}

/* For each frequent term that may have false positives, replaces its count of rows by the index of
 * its first element in true_rows. Other terms get index 0, an element that is never read. */
static enum bs_status place_true_rows(struct bs_shard_builder *builder, struct bs_error *err)
{
	uint64_t n_all = 1;
	for (uint32_t i = 0; i < builder->plan->n_frequent; i++) {
		struct bs_shard_frequent *term = &builder->frequent[i];
		bool is_kept = may_have_false_positives(builder, i);
		uint32_t n_rows = is_kept ? term->next : 0;
		term->next = is_kept ? (uint32_t)n_all : 0;
		n_all += n_rows;
		if (n_all >= UINT32_MAX)
			return bs_fail(err, BS_INVALID,
			               "2^32 postings and more in one shard; use less --memory");
	}
	builder->n_true_rows = (uint32_t)n_all;
	return BS_OK;
}

static void count_terms(struct bs_shard_builder *builder, const uint32_t *rows, uint32_t n_rows)
{
	uint32_t n_frequent = builder->plan->n_frequent;
	uint32_t places[BS_TERM_CHUNK];
	free(builder->exact_terms);
	builder->exact_terms = NULL;
	builder->rows = rows;
	builder->shape = (struct bs_shard_shape){.n_docs = n_rows, .least_length = UINT32_MAX};
	for (uint32_t i = 0; i <= n_frequent; i++)
		builder->frequent[i] = (struct bs_shard_frequent){.exact = UINT32_MAX};
	for (uint32_t row = 0; row < n_rows; row++) {
		struct bs_term_reader reader =
			bs_indexing_buffer_read(builder->plan->indexing_buffer, rows[row]);
		prefetch_row(builder, row);
		for (uint32_t n; (n = bs_indexing_buffer_next(&reader, places)) > 0;)
			for (uint32_t i = 0; i < n; i++)
				builder->frequent[places[i] < n_frequent ? places[i] : n_frequent]
					.next++;
	}
}

enum bs_status bs_shard_count(struct bs_shard_builder *builder, const uint32_t *rows,
                              uint32_t n_rows, struct bs_error *err)
{
	count_terms(builder, rows, n_rows);
	for (uint32_t row = 0; row < n_rows; row++) {
		uint32_t length = bs_doc_table_builder_get_length(
			&builder->plan->indexing_buffer->doc_table, rows[row]);
		builder->shape.least_length =
			length < builder->shape.least_length ? length : builder->shape.least_length;
	}
	enum bs_status status = choose_exact(builder, err);
	return status ? status : place_true_rows(builder, err);
}

/* The load of a level: the numbers of bits that the spans (a document, a group or a block) set. A
 * term counts once in a span. */
struct level_load {
	double sum; /* sum of the numbers of all spans */
	double sum_squares;
};

static void load_add(struct level_load *load, uint64_t bits)
{
	load->sum += (double)bits;
	load->sum_squares += (double)bits * (double)bits;
}

/*
 * The number m of columns that gives the wanted density d: bits / -ln(1 - d), where bits is the
 * mean number of bits of a span, weighted by this number. With the plain mean, long documents of a
 * mixed shard would be too dense, and these cause most false candidates.
 */
static uint32_t level_width(const struct level_load *load, double density)
{
	if (load->sum <= 0)
		return 0;
	double m = ceil(load->sum_squares / load->sum / -log1p(-density));
	return m < 8 ? 8 : (m > (double)(UINT32_MAX / 2) ? UINT32_MAX / 2 : (uint32_t)m);
}

#define N_CHOICES (1u << (BS_MAX_LEVELS - 1))

/* Results of measuring. Whether a coarse level is kept depends on the measurement, and in turn
 * decides how many columns terms have at the document level. So the document level is measured for
 * each choice of coarse levels. Bit l - 1 of a choice: level l is left out. */
struct measured {
	struct level_load documents[N_CHOICES];
	struct level_load coarse[BS_MAX_LEVELS]; /* by level; a span is the documents of a lane */
	uint64_t n_columns[BS_MAX_LEVELS];       /* by level: columns of all measured postings */
	uint32_t n_rows;                         /* measured rows */
};

/* Numbers of columns, packed by level (bs_count_pack), summed over a chunk of terms. */
struct chunk_counts {
	uint64_t all; /* columns of all terms without an exact column */
	/* The columns of coarse levels whose current lane (a group or a block of documents) did not
	 * have the term before. */
	uint64_t fresh;
};

static struct chunk_counts measure_chunk(const struct bs_shard_builder *builder,
                                         const uint64_t counts[BS_MAX_TREATMENTS],
                                         const uint32_t *places, uint32_t n,
                                         const uint32_t shifts[BS_MAX_LEVELS], uint32_t mark)
{
	const struct bs_shard_plan *plan = builder->plan;
	struct chunk_counts sums = {0, 0};
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&builder->marks[bs_shard_plan_repeated(plan, places[i])], 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = places[i];
		if (place < plan->n_frequent &&
		    builder->frequent[place].exact < builder->shape.n_exact)
			continue;
		uint32_t changed = mark_term(builder, place, mark);
		uint64_t packed = counts[plan->kinds[bs_shard_plan_repeated(plan, place)] &
		                         ~BS_KIND_HAS_LEVELS];
		uint64_t mask = (changed >> shifts[1] ? BS_COUNT_MASK << BS_COUNT_BITS : 0) |
		                (changed >> shifts[2] ? BS_COUNT_MASK << (2 * BS_COUNT_BITS) : 0);
		sums.all += packed;
		sums.fresh += packed & mask;
	}
	return sums;
}

/* Measures blocks that are evenly spread over the shard, or all blocks of a small shard. */
static void measure(struct bs_shard_builder *builder, struct measured *measured)
{
	const struct bs_term_treatment_table *treatments = builder->plan->treatments;
	uint64_t counts[BS_MAX_TREATMENTS];
	uint32_t shifts[BS_MAX_LEVELS];
	uint32_t places[BS_TERM_CHUNK];
	uint64_t lane_bits[BS_MAX_LEVELS] = {0};
	uint32_t n_rows = builder->shape.n_docs;
	uint32_t first_mark = take_marks(builder);
	uint64_t n_blocks = count_blocks(builder);
	uint64_t n_measured = builder->plan->measured_blocks;
	n_measured = n_measured == 0 || n_measured > n_blocks ? n_blocks : n_measured;
	*measured = (struct measured){0};
	/* Levels that do not exist have zero counts, so their shift does not matter. */
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		shifts[level] = level < treatments->n_levels
		                        ? bs_level_shift(treatments->ranks[level], n_rows)
		                        : 0;
	for (uint32_t i = 0; i < treatments->n_entries; i++)
		counts[i] = bs_count_pack(treatments->entries[i].n_columns);
	for (uint32_t row = 0; row < n_rows; row++) {
		struct bs_term_reader reader =
			bs_indexing_buffer_read(builder->plan->indexing_buffer, builder->rows[row]);
		uint64_t bits[BS_MAX_LEVELS] = {0};
		if (row / BS_LINE_BITS * n_measured % n_blocks >= n_measured) {
			row += BS_LINE_BITS - 1;
			continue;
		}
		struct bs_row_tfs tfs = bs_shard_plan_tfs(builder->plan, builder->rows[row]);
		prefetch_row(builder, row);
		for (uint32_t n; (n = bs_indexing_buffer_next(&reader, places)) > 0;) {
			struct chunk_counts sums =
				measure_chunk(builder, counts, places, n, shifts, first_mark + row);
			for (uint32_t i = 0, n_tfs = bs_row_tfs_next(&tfs, n); i < n_tfs; i++)
				sums.all += bs_shard_plan_levels(builder->plan, places[i], &tfs) *
				            (uint64_t)builder->plan->tf_levels->n_columns;
			for (uint32_t level = 0; level < BS_MAX_LEVELS; level++) {
				bits[level] += bs_count_at(sums.all, level);
				lane_bits[level] += bs_count_at(sums.fresh, level);
			}
		}
		for (uint32_t choice = 0; choice < N_CHOICES; choice++)
			load_add(&measured->documents[choice],
			         bits[0] + (choice & 1 ? bits[1] : 0) + (choice & 2 ? bits[2] : 0));
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++) {
			measured->n_columns[level] += bits[level];
			if (level == 0)
				continue;
			bool is_last =
				row + 1 == n_rows || ((row + 1) & ((1u << shifts[level]) - 1)) == 0;
			if (is_last)
				load_add(&measured->coarse[level], lane_bits[level]);
			lane_bits[level] = is_last ? 0 : lane_bits[level];
		}
		measured->n_rows++;
	}
}

/*
 * Chooses which coarse levels are kept, and the widths of all levels. A coarse level is kept if
 * there are enough blocks to skip, and if it does not take many more bytes than the columns by
 * which the document level would be wider without it. Its bytes include padding: a block column
 * takes up to twice its bits, a group column of n blocks up to 8 / n more.
 */
static void choose_widths(struct bs_shard_builder *builder, const struct measured *measured)
{
	const struct bs_shard_plan *plan = builder->plan;
	uint32_t n_blocks = count_blocks(builder);
	uint32_t choice = 0;
	for (uint32_t level = 1; level < plan->treatments->n_levels; level++) {
		uint32_t m = level_width(&measured->coarse[level], plan->density);
		double n_bits = (double)m *
		                bs_level_lines(plan->treatments->ranks[level], n_blocks) *
		                BS_LINE_BITS;
		double n_columns = (double)measured->n_columns[level] * builder->shape.n_docs /
		                   measured->n_rows;
		double n_bits_instead = n_columns / -log1p(-plan->density);
		bool is_worth = n_blocks >= BS_PRICE_COARSE_MIN_BLOCKS &&
		                n_bits <= n_bits_instead * BS_PRICE_COARSE_WORTH;
		builder->shape.n_columns[level] = is_worth || plan->keep_coarse ? m : 0;
		choice |= builder->shape.n_columns[level] ? 0 : 1u << (level - 1);
	}
	builder->shape.n_columns[0] = level_width(&measured->documents[choice], plan->density);
}

/*
 * A level while it is filled. A lane (a document, a group or a block) sets its bits in a row of
 * lane_words words, which mostly fits into the first-level cache. 512 such rows are then transposed
 * into a line of each column.
 */
struct filling {
	uint8_t rank;
	uint32_t shift; /* a lane has 2^shift documents */
	uint32_t n_columns;
	uint32_t n_lines; /* lines of a column */
	uint32_t lane_words;
	uint64_t *columns; /* columns of the level in the product */
	uint64_t *lanes;   /* 512 rows of lane_words words */
};

/* Terms are put into a batch for each treatment, because all terms of a batch set the same number
 * of bits. Without batches every second branch would be mispredicted. */
#define BATCH_TERMS 64u

/* A term of a row, in a batch. */
struct waiting {
	uint64_t hash;
	uint32_t row;
	uint32_t changed; /* result of mark_term */
};

struct batch {
	uint32_t n;
	uint32_t hashes[BS_MAX_LEVELS]; /* by level: number of columns that each term sets */
	struct waiting terms[BATCH_TERMS];
};

/* The state of setting the bits of a shard. */
struct fill {
	struct bs_shard_builder *builder;
	/* all levels; the last element is the exact columns */
	struct filling levels[BS_MAX_LEVELS + 1];
	/* number of levels, including the exact columns */
	uint32_t n_levels;
	struct batch *batches; /* by treatment; the last one is for tf levels */
	uint32_t n_batches;
};

/* Adds a level to fill. n_spare: columns after the last one that are set, but not written to the
 * shard. */
static void place_filling(struct fill *fill, uint8_t rank, uint32_t n_columns, uint32_t n_spare)
{
	const struct bs_shard_shape *shape = &fill->builder->shape;
	fill->levels[fill->n_levels++] = (struct filling){
		.rank = rank,
		.shift = bs_level_shift(rank, shape->n_docs),
		.n_columns = n_columns,
		.n_lines = bs_level_lines(rank, count_blocks(fill->builder)),
		.lane_words = (n_columns + n_spare + 63) / 64,
	};
}

static enum bs_status make_batches(struct fill *fill, struct bs_error *err)
{
	const struct bs_shard_plan *plan = fill->builder->plan;
	const struct bs_term_treatment_table *treatments = plan->treatments;
	fill->n_batches = treatments->n_entries + 1;
	fill->batches = malloc(fill->n_batches * sizeof(*fill->batches));
	if (!fill->batches)
		return bs_fail_memory(err, "a shard", fill->n_batches * sizeof(*fill->batches));
	for (uint32_t i = 0; i < fill->n_batches; i++) {
		struct batch *batch = &fill->batches[i];
		batch->n = 0;
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			batch->hashes[level] =
				i == treatments->n_entries
					? (level == 0 ? plan->tf_levels->n_columns : 0)
					: bs_shard_hashes(&treatments->entries[i],
			                                  fill->builder->shape.n_columns, level);
	}
	return BS_OK;
}

/* Allocates the columns of all levels in the product. The exact columns have a spare one, which
 * terms without an exact column set. */
static enum bs_status fill_init(struct fill *fill, struct bs_shard_builder *builder,
                                struct bs_shard_product *product, struct bs_error *err)
{
	const struct bs_term_treatment_table *treatments = builder->plan->treatments;
	const struct bs_shard_shape *shape = &builder->shape;
	uint64_t n_lane_words = 1;
	*fill = (struct fill){.builder = builder};
	for (uint32_t level = 0; level < treatments->n_levels; level++)
		place_filling(fill, treatments->ranks[level], shape->n_columns[level], 0);
	place_filling(fill, BS_LEVEL_DOCUMENT, shape->n_exact, 1);
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		product->image.n_lines +=
			(uint64_t)fill->levels[i].n_columns * fill->levels[i].n_lines;
		n_lane_words += (uint64_t)fill->levels[i].lane_words * BS_LINE_BITS;
	}
	if (n_lane_words * 8 > builder->lanes_bytes) {
		free(builder->lanes);
		builder->lanes = calloc((size_t)n_lane_words, 8);
		builder->lanes_bytes = builder->lanes ? n_lane_words * 8 : 0;
	}
	product->columns = reserve(product->columns, &product->columns_bytes,
	                           (product->image.n_lines + 1) * BS_LINE_BYTES, err);
	builder->true_rows =
		reserve(builder->true_rows, &builder->true_rows_bytes,
	                (uint64_t)builder->n_true_rows * sizeof(*builder->true_rows), err);
	if (!builder->lanes)
		return bs_fail_memory(err, "a shard", n_lane_words * 8);
	if (!product->columns || !builder->true_rows)
		return BS_NO_MEMORY;
	uint64_t *columns = product->columns;
	uint64_t *lanes = builder->lanes;
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		struct filling *filling = &fill->levels[i];
		filling->columns = columns;
		filling->lanes = lanes;
		columns += (size_t)filling->n_columns * filling->n_lines * BS_LINE_WORDS;
		lanes += (size_t)filling->lane_words * BS_LINE_BITS;
	}
	return make_batches(fill, err);
}

static uint64_t *lane_of(const struct filling *filling, uint32_t row)
{
	return filling->lanes +
	       (size_t)((row >> filling->shift) % BS_LINE_BITS) * filling->lane_words;
}

/* Transposes the lanes of one line into their columns, 64 columns at a time. */
static void turn_lanes(struct filling *filling, uint32_t line)
{
	uint64_t *to = filling->columns + (size_t)line * BS_LINE_WORDS;
	size_t stride = (size_t)filling->n_lines * BS_LINE_WORDS;
	for (uint32_t word = 0; word * 64 < filling->n_columns; word++) {
		uint64_t turned[BS_LINE_WORDS][64];
		for (uint32_t i = 0; i < BS_LINE_WORDS; i++) {
			for (uint32_t lane = 0; lane < 64; lane++)
				turned[i][lane] = filling->lanes[(size_t)(i * 64 + lane) *
				                                         filling->lane_words +
				                                 word];
			bs_transpose_64(turned[i]);
		}
		for (uint32_t c = 0; c < 64 && word * 64 + c < filling->n_columns; c++)
			for (uint32_t i = 0; i < BS_LINE_WORDS; i++)
				to[(size_t)(word * 64 + c) * stride + i] = turned[i][c];
	}
	memset(filling->lanes, 0,
	       (size_t)filling->lane_words * BS_LINE_BITS * sizeof(*filling->lanes));
}

/* Sets the bits of one level: the first k positions (bs_hash_position) of each term in the batch
 * that is new to its lane. */
static void set_level(const struct filling *filling, const struct batch *batch, uint32_t k)
{
	/* a local copy, because the compiler would reload *filling after each store to the lanes */
	struct filling at = *filling;
	for (uint32_t t = 0; t < batch->n; t++) {
		const struct waiting *term = &batch->terms[t];
		if (term->changed >> at.shift == 0)
			continue;
		struct bs_probe probe = bs_hash_probe(term->hash, at.rank);
		uint64_t *lane = lane_of(&at, term->row);
		for (uint32_t i = 0; i < k; i++) {
			uint32_t column = bs_hash_position(probe, i, at.n_columns);
			lane[column / 64] |= UINT64_C(1) << (column % 64);
		}
	}
}

static void set_batch(const struct fill *fill, struct batch *batch)
{
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		if (batch->hashes[level] > 0)
			set_level(&fill->levels[level], batch, batch->hashes[level]);
	batch->n = 0;
}

static inline void add_term(const struct fill *fill, struct batch *batch, uint64_t hash,
                            uint32_t row, uint32_t changed)
{
	batch->terms[batch->n++] = (struct waiting){hash, row, changed};
	if (batch->n == BATCH_TERMS)
		set_batch(fill, batch);
}

/* If the row is the last one of a line or of the shard, transposes the lanes that are complete. */
static void end_row(struct fill *fill, uint32_t row, uint32_t n_rows)
{
	if (row + 1 != n_rows && (row + 1) % BS_LINE_BITS != 0)
		return;
	for (uint32_t i = 0; i < fill->n_batches; i++)
		set_batch(fill, &fill->batches[i]);
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		struct filling *filling = &fill->levels[i];
		uint32_t lane = row >> filling->shift;
		if (row + 1 == n_rows ||
		    ((row + 1) >> filling->shift) / BS_LINE_BITS != lane / BS_LINE_BITS)
			turn_lanes(filling, lane / BS_LINE_BITS);
	}
}

/* The terms of a chunk, sorted by how they are handled. Frequent terms may have an exact column and
 * false positives. Terms without an exact column are hashed: put into batches. Terms are selected
 * without branches, because branches on terms are unpredictable. */
struct sorted_chunk {
	uint32_t n_frequent;
	uint32_t n_hashed;
	uint32_t frequent[BS_TERM_CHUNK];
	/* terms without an exact column, frequent or not */
	uint32_t hashed[BS_TERM_CHUNK];
};

/* Sorts the terms of a chunk, and prefetches the data of its frequent terms. */
static inline void sort_chunk(const struct bs_shard_builder *builder, const uint32_t *places,
                              uint32_t n, struct sorted_chunk *sorted)
{
	uint32_t least = builder->plan->n_frequent;
	sorted->n_frequent = sorted->n_hashed = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = places[i];
		sorted->frequent[sorted->n_frequent] = place;
		sorted->hashed[sorted->n_hashed] = place;
		sorted->n_frequent += place < least;
		sorted->n_hashed += place >= least;
	}
	for (uint32_t i = 0; i < sorted->n_frequent; i++)
		__builtin_prefetch(&builder->frequent[sorted->frequent[i]], 1);
	for (uint32_t i = 0; i < sorted->n_frequent; i++)
		__builtin_prefetch(&builder->true_rows[builder->frequent[sorted->frequent[i]].next],
		                   1);
}

/* Sets the bits of frequent terms in exact columns, and records the row for terms that may have
 * false positives. To avoid branches, terms without an exact column set the spare column, and terms
 * without false positives write to true_rows[0]. */
static inline void put_frequent(const struct fill *fill, struct sorted_chunk *sorted,
                                uint64_t *lane, uint32_t row)
{
	const struct bs_shard_builder *builder = fill->builder;
	uint32_t n_exact = builder->shape.n_exact;
	for (uint32_t i = 0; i < sorted->n_frequent; i++) {
		uint32_t place = sorted->frequent[i];
		struct bs_shard_frequent *here = &builder->frequent[place];
		uint32_t column = here->exact < n_exact ? here->exact : n_exact;
		uint32_t next = here->next;
		lane[column / 64] |= UINT64_C(1) << (column % 64);
		builder->true_rows[next] = row;
		here->next = next + (next > 0);
		sorted->hashed[sorted->n_hashed] = place;
		sorted->n_hashed += column == n_exact;
	}
}

static inline void put_hashed(const struct fill *fill, const struct sorted_chunk *sorted,
                              uint32_t row, uint32_t mark)
{
	const struct bs_shard_builder *builder = fill->builder;
	const struct bs_shard_plan *plan = builder->plan;
	for (uint32_t i = 0; i < sorted->n_hashed; i++) {
		uint32_t repeated = bs_shard_plan_repeated(plan, sorted->hashed[i]);
		__builtin_prefetch(&plan->hashes[sorted->hashed[i]]);
		__builtin_prefetch(&builder->marks[repeated], 1);
		__builtin_prefetch(&plan->kinds[repeated]);
	}
	for (uint32_t i = 0; i < sorted->n_hashed; i++) {
		uint32_t place = sorted->hashed[i];
		uint32_t treatment =
			plan->kinds[bs_shard_plan_repeated(plan, place)] & ~BS_KIND_HAS_LEVELS;
		add_term(fill, &fill->batches[treatment], plan->hashes[place], row,
		         mark_term(builder, place, mark));
	}
}

static void put_tf_levels(const struct fill *fill, const uint32_t *places, uint32_t n,
                          const struct bs_row_tfs *tfs, uint32_t row)
{
	const struct bs_shard_plan *plan = fill->builder->plan;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_levels = bs_shard_plan_levels(plan, places[i], tfs);
		for (uint32_t level = 0; level < n_levels; level++)
			add_term(fill, &fill->batches[fill->n_batches - 1],
			         bs_tf_level_hash(plan->hashes[places[i]], level), row, UINT32_MAX);
	}
}

static void put_document(const struct fill *fill, uint32_t row, uint32_t mark)
{
	const struct bs_shard_plan *plan = fill->builder->plan;
	uint32_t document = fill->builder->rows[row];
	struct bs_term_reader reader = bs_indexing_buffer_read(plan->indexing_buffer, document);
	struct bs_row_tfs tfs = bs_shard_plan_tfs(plan, document);
	uint64_t *exact_lane = lane_of(&fill->levels[fill->n_levels - 1], row);
	uint32_t places[BS_TERM_CHUNK];
	struct sorted_chunk sorted;
	for (uint32_t n; (n = bs_indexing_buffer_next(&reader, places)) > 0;) {
		sort_chunk(fill->builder, places, n, &sorted);
		put_frequent(fill, &sorted, exact_lane, row);
		put_hashed(fill, &sorted, row, mark);
		put_tf_levels(fill, places, bs_row_tfs_next(&tfs, n), &tfs, row);
	}
}

static enum bs_status fill_columns(struct bs_shard_builder *builder,
                                   struct bs_shard_product *product, struct bs_error *err)
{
	struct fill fill;
	uint32_t n_rows = builder->shape.n_docs;
	uint32_t first_mark = take_marks(builder);
	enum bs_status status = fill_init(&fill, builder, product, err);
	for (uint32_t row = 0; row < n_rows && !status; row++) {
		prefetch_row(builder, row);
		put_document(&fill, row, first_mark + row);
		end_row(&fill, row, n_rows);
		if ((row + 1) % BS_LINE_BITS == 0 || row + 1 == n_rows)
			status = bs_progress_add(builder->plan->progress, row % BS_LINE_BITS + 1,
			                         err);
	}
	free(fill.batches);
	return status;
}

/* The block columns of terms are prefetched this many terms ahead. */
#define AHEAD 8u

/* Scratch for finding false positives. */
struct finding {
	struct bs_shard shard;
	struct bs_u32s wrong; /* false positives of one term */
	struct bs_and_scratch and;
	struct bs_and_frame frame;
};

/* Collects the false positives of a term: rows that pass the AND of its columns, but are not in
 * rows[0..n_rows), which all pass it. */
static enum bs_status find_wrong(struct finding *finding, const struct bs_live *live,
                                 const uint32_t *rows, uint32_t n_rows, uint64_t first_row,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint64_t *lines = finding->frame.lines;
	bs_vector_clear(&finding->wrong);
	for (uint32_t i = 0; i < n_rows; i++)
		lines[rows[i] / 64] &= ~(UINT64_C(1) << (rows[i] % 64));
	for (uint32_t live_word = 0; live_word < BS_SHARD_MAX_BLOCKS / 64; live_word++) {
		for (uint64_t blocks = live->words[live_word]; blocks && !status;
		     blocks &= blocks - 1) {
			uint32_t first = (live_word * 64 + (uint32_t)__builtin_ctzll(blocks)) *
			                 BS_LINE_WORDS;
			for (uint32_t word = first; word < first + BS_LINE_WORDS; word++) {
				for (uint64_t bits = lines[word]; bits && !status;
				     bits &= bits - 1) {
					uint32_t row = (uint32_t)first_row + word * 64 +
					               (uint32_t)__builtin_ctzll(bits);
					status = bs_vector_append(&finding->wrong, &row, err);
				}
			}
		}
	}
	return status;
}

/* Searches the shard for a term and adds the rows that are found but do not have it to
 * false_positives. rows[0..n_rows): the rows that have the term. */
static enum bs_status find_of_term(struct finding *finding, const struct bs_kernel *kernel,
                                   const struct bs_and_term *term, const uint32_t *rows,
                                   uint32_t n_rows, uint64_t first_row,
                                   struct bs_false_positives_builder *false_positives,
                                   struct bs_error *err)
{
	const struct bs_shard_term *only =
		&(struct bs_shard_term){.term = term, .exact_column = BS_NO_COLUMN};
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	bs_live_all(&live, finding->shard.n_blocks);
	enum bs_status status = bs_shard_and(&finding->shard, kernel, &only, 1, &finding->and,
	                                     &finding->frame, &live, &cost, err);
	if (!status)
		status = find_wrong(finding, &live, rows, n_rows, first_row, err);
	uint32_t n_wrong = (uint32_t)bs_vector_n(&finding->wrong);
	if (!status && n_wrong > 0)
		status = bs_false_positives_add(false_positives, (uint32_t)term->ordinal,
		                                finding->wrong.items, n_wrong, err);
	return status;
}

static struct bs_and_term term_at(const struct bs_shard_plan *plan, uint32_t place)
{
	struct bs_and_term term;
	bs_and_term_init(&term, plan->hashes[place], plan->frequent[place].ordinal,
	                 plan->frequent[place].df, plan->treatments);
	return term;
}

static enum bs_status find_false_positives(const struct bs_shard_builder *builder,
                                           uint64_t first_row, struct bs_shard_product *product,
                                           struct bs_error *err)
{
	const struct bs_shard_plan *plan = builder->plan;
	size_t lines_bytes = (size_t)BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES;
	struct finding finding = {
		.frame = {.lines = aligned_alloc(BS_LINE_BYTES, lines_bytes),
	                  .groups = aligned_alloc(BS_LINE_BYTES, lines_bytes / 8)}};
	uint32_t start = 1;
	enum bs_status status = BS_OK;
	if (!finding.frame.lines || !finding.frame.groups)
		status = bs_fail_memory(err, "a shard's false positives", lines_bytes);
	bs_shard_in_memory(&finding.shard, &builder->shape, plan->treatments, product->columns,
	                   product->image.n_lines, (float)plan->density);
	for (uint32_t place = 0; place < plan->n_frequent && !status; place++) {
		if (place + AHEAD < plan->n_frequent &&
		    may_have_false_positives(builder, place + AHEAD)) {
			struct bs_and_term ahead = term_at(plan, place + AHEAD);
			bs_shard_prefetch(&finding.shard, &ahead);
		}
		if (!may_have_false_positives(builder, place))
			continue;
		struct bs_and_term term = term_at(plan, place);
		uint32_t end = builder->frequent[place].next;
		status = find_of_term(&finding, plan->kernel, &term, builder->true_rows + start,
		                      end - start, first_row, &product->false_positives, err);
		start = end;
	}
	bs_vector_deinit(&finding.wrong);
	bs_and_deinit(&finding.and);
	free(finding.frame.lines);
	free(finding.frame.groups);
	return status;
}

/* Builds the shard, for which widths and exact columns have been chosen. */
static enum bs_status make_shard(struct bs_shard_builder *builder, uint64_t first_row,
                                 struct bs_shard_product *product, struct bs_error *err)
{
	product->exact_terms = builder->exact_terms;
	builder->exact_terms = NULL;
	enum bs_status status = fill_columns(builder, product, err);
	product->image.shape = builder->shape;
	product->image.rows = builder->rows;
	product->image.columns = product->columns;
	product->image.exact_terms = product->exact_terms;
	product->image.kernel = builder->plan->kernel;
	product->image.treatments = builder->plan->treatments;
	if (!status)
		status = find_false_positives(builder, first_row, product, err);
	if (status)
		bs_shard_product_deinit(product);
	return status;
}

static struct bs_shard_product product_of_columns(const struct bs_shard_product *other)
{
	return (struct bs_shard_product){.columns = other->columns,
	                                 .columns_bytes = other->columns_bytes};
}

enum bs_status bs_shard_build(struct bs_shard_builder *builder, uint64_t first_row,
                              struct bs_shard_product *product, struct bs_error *err)
{
	struct measured measured;
	*product = product_of_columns(product);
	measure(builder, &measured);
	choose_widths(builder, &measured);
	return make_shard(builder, first_row, product, err);
}

static enum bs_status take_exact(struct bs_shard_builder *builder, const uint32_t *exact_terms,
                                 uint32_t n_exact, struct bs_error *err)
{
	const struct bs_shard_plan *plan = builder->plan;
	builder->exact_terms = malloc(((size_t)n_exact + 1) * sizeof(*exact_terms));
	if (!builder->exact_terms)
		return bs_fail_memory(err, "exact columns", n_exact * sizeof(*exact_terms));
	memcpy(builder->exact_terms, exact_terms, n_exact * sizeof(*exact_terms));
	for (uint32_t i = 0; i < plan->n_frequent && builder->shape.n_exact < n_exact; i++)
		if (plan->frequent[plan->by_ordinal[i]].ordinal ==
		    exact_terms[builder->shape.n_exact])
			builder->frequent[plan->by_ordinal[i]].exact = builder->shape.n_exact++;
	return builder->shape.n_exact == n_exact
	               ? BS_OK
	               : bs_fail(err, BS_CORRUPT,
	                         "%u exact columns are not those of frequent terms", n_exact);
}

enum bs_status bs_shard_rebuild(struct bs_shard_builder *builder, const uint32_t *rows,
                                const struct bs_shard_shape *shape, const uint32_t *exact_terms,
                                uint64_t first_row, struct bs_shard_product *product,
                                struct bs_error *err)
{
	*product = product_of_columns(product);
	count_terms(builder, rows, shape->n_docs);
	memcpy(builder->shape.n_columns, shape->n_columns, sizeof(shape->n_columns));
	builder->shape.least_length = shape->least_length;
	enum bs_status status = take_exact(builder, exact_terms, shape->n_exact, err);
	if (!status)
		status = place_true_rows(builder, err);
	return status ? status : make_shard(builder, first_row, product, err);
}
