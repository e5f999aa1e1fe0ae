/*
 * slab_fill.c: see slab_fill.h. A document's terms are first told apart, without a branch, since what a term is is anyone's
 * guess: those that are frequent may have a column of their own, and leave their row for the audit; all others, and those that
 * have not, wait with their like until there are enough of them to set bits in one go.
 */
#include "indexer/segment/slab_fill.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"

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
};

/* Terms of one treatment wait together: how many bits to set is then known beforehand, where term by term it would be guessed
 * wrong for every other one. */
#define BATCH_TERMS 64u

struct waiting {
	uint64_t hash;
	uint32_t row;
	uint32_t changed; /* see bs_slab_mark */
};

struct batch {
	uint32_t n;
	uint32_t hashes[BS_MAX_LEVELS]; /* columns of a term at each level */
	struct waiting terms[BATCH_TERMS];
};

struct fill {
	struct bs_slab_builder *builder;
	struct filling levels[BS_MAX_LEVELS + 1]; /* behind the last level: the exact columns */
	uint32_t n_levels;                        /* those included */
	struct batch *batches; /* by treatment, and then that of tf levels */
	uint32_t n_batches;
};

/* n_spare: columns that no one reads. */
static void place_filling(struct fill *fill, uint8_t rank, uint32_t n_docs, uint32_t n_columns, uint32_t n_spare)
{
	fill->levels[fill->n_levels++] = (struct filling){
		.rank = rank,
		.shift = bs_level_shift(rank, n_docs),
		.n_columns = n_columns,
		.n_lines = bs_level_lines(rank, (n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS),
		.lane_words = (n_columns + n_spare + 63) / 64,
	};
}

static enum bs_status make_batches(struct fill *fill, struct bs_error *err)
{
	const struct bs_slab_plan *plan = fill->builder->plan;
	const struct bs_treatment_table *treatments = plan->treatments;
	fill->n_batches = treatments->n_entries + 1;
	fill->batches = malloc(fill->n_batches * sizeof(*fill->batches));
	if (!fill->batches)
		return bs_fail_memory(err, "a slab", fill->n_batches * sizeof(*fill->batches));
	for (uint32_t i = 0; i < fill->n_batches; i++) {
		struct batch *batch = &fill->batches[i];
		batch->n = 0;
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			batch->hashes[level] = i == treatments->n_entries ? (level == 0 ? plan->tf_levels->n_columns : 0)
			                       : bs_slab_hashes(&treatments->entries[i], fill->builder->shape.n_columns, level);
	}
	return BS_OK;
}

static enum bs_status reserve_columns(struct bs_slab_product *product, struct bs_error *err)
{
	uint64_t n_lines = product->image.n_lines + 1;
	if (n_lines <= product->most_lines)
		return BS_OK;
	free(product->columns);
	product->most_lines = 0;
	product->columns = aligned_alloc(BS_LINE_BYTES, (size_t)n_lines * 2 * BS_LINE_BYTES);
	if (!product->columns)
		return bs_fail_memory(err, "a slab", n_lines * 2 * BS_LINE_BYTES);
	product->most_lines = n_lines * 2;
	return BS_OK;
}

static enum bs_status reserve_lanes(struct bs_slab_builder *builder, size_t n_words, struct bs_error *err)
{
	if (n_words <= builder->lanes_capacity)
		return BS_OK;
	free(builder->lanes);
	builder->lanes_capacity = 0;
	builder->lanes = calloc(n_words, sizeof(*builder->lanes));
	if (!builder->lanes)
		return bs_fail_memory(err, "a slab", n_words * sizeof(*builder->lanes));
	builder->lanes_capacity = n_words;
	return BS_OK;
}

/* Where levels and exact columns stand in the product. Terms without an exact column set one behind them. */
static enum bs_status fill_init(struct fill *fill, struct bs_slab_builder *builder, struct bs_slab_product *product,
                                struct bs_error *err)
{
	const struct bs_treatment_table *treatments = builder->plan->treatments;
	const struct bs_slab_shape *shape = &builder->shape;
	uint64_t n_lines = 0;
	uint64_t n_words = 0;
	*fill = (struct fill){.builder = builder};
	for (uint32_t level = 0; level < treatments->n_levels; level++)
		place_filling(fill, treatments->ranks[level], shape->n_docs, shape->n_columns[level], 0);
	place_filling(fill, BS_LEVEL_DOCUMENT, shape->n_docs, shape->n_exact, 1);
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		n_lines += (uint64_t)fill->levels[i].n_columns * fill->levels[i].n_lines;
		n_words += (uint64_t)fill->levels[i].lane_words * BS_LINE_BITS;
	}
	product->image.n_lines = n_lines;
	enum bs_status status = reserve_columns(product, err);
	if (!status)
		status = reserve_lanes(builder, (size_t)n_words + 1, err);
	if (status)
		return status;
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
	return filling->lanes + (size_t)((row >> filling->shift) % BS_LINE_BITS) * filling->lane_words;
}

/* The lanes of one line -> their columns, 64 columns at a time. */
static void turn_lanes(struct filling *filling, uint32_t line)
{
	uint64_t *to = filling->columns + (size_t)line * BS_LINE_WORDS;
	size_t stride = (size_t)filling->n_lines * BS_LINE_WORDS;
	for (uint32_t word = 0; word * 64 < filling->n_columns; word++) {
		uint64_t turned[BS_LINE_WORDS][64];
		for (uint32_t i = 0; i < BS_LINE_WORDS; i++) {
			for (uint32_t lane = 0; lane < 64; lane++)
				turned[i][lane] = filling->lanes[(size_t)(i * 64 + lane) * filling->lane_words + word];
			bs_transpose_64(turned[i]);
		}
		for (uint32_t c = 0; c < 64 && word * 64 + c < filling->n_columns; c++)
			for (uint32_t i = 0; i < BS_LINE_WORDS; i++)
				to[(size_t)(word * 64 + c) * stride + i] = turned[i][c];
	}
	memset(filling->lanes, 0, (size_t)filling->lane_words * BS_LINE_BITS * sizeof(*filling->lanes));
}

/* Sets the bits of one level: the first k of bs_hash_position of each term that is new to its lane. */
static void set_level(const struct filling *filling, const struct batch *batch, uint32_t k)
{
	struct filling at = *filling; /* which no bit that is set can change */
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

static inline void add_term(const struct fill *fill, struct batch *batch, uint64_t hash, uint32_t row, uint32_t changed)
{
	batch->terms[batch->n++] = (struct waiting){hash, row, changed};
	if (batch->n == BATCH_TERMS)
		set_batch(fill, batch);
}

/* After a row: turns the lanes that it completes. */
static void end_row(struct fill *fill, uint32_t row, uint32_t n_rows)
{
	if (row + 1 != n_rows && (row + 1) % BS_LINE_BITS != 0)
		return;
	for (uint32_t i = 0; i < fill->n_batches; i++)
		set_batch(fill, &fill->batches[i]);
	for (uint32_t i = 0; i < fill->n_levels; i++) {
		struct filling *filling = &fill->levels[i];
		uint32_t lane = row >> filling->shift;
		if (row + 1 == n_rows || ((row + 1) >> filling->shift) / BS_LINE_BITS != lane / BS_LINE_BITS)
			turn_lanes(filling, lane / BS_LINE_BITS);
	}
}

/* Terms of a chunk by what is done with them. */
struct sorted_chunk {
	uint32_t n_frequent;
	uint32_t n_hashed;
	uint32_t frequent[BS_TERM_CHUNK];
	uint32_t hashed[BS_TERM_CHUNK]; /* those of the frequent ones included that have no exact column */
};

/* What is looked at of frequent terms is asked for here. */
static inline void sort_chunk(const struct bs_slab_builder *builder, const uint32_t *places, uint32_t n,
                              struct sorted_chunk *sorted)
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
		__builtin_prefetch(&builder->audit_rows[builder->frequent[sorted->frequent[i]].next], 1);
}

/* Sets the bits of exact columns and leaves the row with those terms that may have exceptions, each term doing as all others
 * do: who has no exact column, and who is not audited, does it in a place behind them, where it matters to no one. */
static inline void put_frequent(const struct fill *fill, struct sorted_chunk *sorted, uint64_t *lane, uint32_t row)
{
	const struct bs_slab_builder *builder = fill->builder;
	uint32_t n_exact = builder->shape.n_exact;
	uint32_t n_audit_rows = builder->n_audit_rows;
	for (uint32_t i = 0; i < sorted->n_frequent; i++) {
		uint32_t place = sorted->frequent[i];
		struct bs_slab_frequent *here = &builder->frequent[place];
		uint32_t column = here->exact < n_exact ? here->exact : n_exact;
		uint32_t next = here->next;
		lane[column / 64] |= UINT64_C(1) << (column % 64);
		builder->audit_rows[next] = row;
		here->next = next + (next < n_audit_rows);
		sorted->hashed[sorted->n_hashed] = place;
		sorted->n_hashed += column == n_exact;
	}
}

static inline void put_hashed(const struct fill *fill, const struct sorted_chunk *sorted, uint32_t row, uint32_t mark)
{
	const struct bs_slab_builder *builder = fill->builder;
	const struct bs_slab_plan *plan = builder->plan;
	for (uint32_t i = 0; i < sorted->n_hashed; i++) {
		uint32_t repeated = bs_slab_plan_repeated(plan, sorted->hashed[i]);
		__builtin_prefetch(&plan->hashes[sorted->hashed[i]]);
		__builtin_prefetch(&builder->marks[repeated], 1);
		__builtin_prefetch(&plan->kinds[repeated]);
	}
	for (uint32_t i = 0; i < sorted->n_hashed; i++) {
		uint32_t place = sorted->hashed[i];
		uint32_t treatment = plan->kinds[bs_slab_plan_repeated(plan, place)] & ~BS_KIND_HAS_LEVELS;
		add_term(fill, &fill->batches[treatment], plan->hashes[place], row, bs_slab_mark(builder, place, mark));
	}
}

static void put_tf_levels(const struct fill *fill, const uint32_t *places, uint32_t n, const struct bs_row_tfs *tfs,
                          uint32_t row)
{
	const struct bs_slab_plan *plan = fill->builder->plan;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_levels = bs_slab_plan_levels(plan, places[i], tfs);
		for (uint32_t level = 0; level < n_levels; level++)
			add_term(fill, &fill->batches[fill->n_batches - 1], bs_tf_level_hash(plan->hashes[places[i]], level), row,
			         UINT32_MAX);
	}
}

static void put_document(const struct fill *fill, uint32_t row, uint32_t mark)
{
	const struct bs_slab_plan *plan = fill->builder->plan;
	uint32_t document = fill->builder->rows[row];
	struct bs_term_reader reader = bs_accumulator_read(plan->accumulator, document);
	struct bs_row_tfs tfs = bs_slab_plan_tfs(plan, document);
	uint64_t *exact_lane = lane_of(&fill->levels[fill->n_levels - 1], row);
	uint32_t places[BS_TERM_CHUNK];
	struct sorted_chunk sorted;
	for (uint32_t n; (n = bs_accumulator_next(&reader, places)) > 0;) {
		sort_chunk(fill->builder, places, n, &sorted);
		put_frequent(fill, &sorted, exact_lane, row);
		put_hashed(fill, &sorted, row, mark);
		put_tf_levels(fill, places, bs_row_tfs_next(&tfs, n), &tfs, row);
	}
}

enum bs_status bs_slab_fill(struct bs_slab_builder *builder, struct bs_slab_product *product, struct bs_error *err)
{
	struct fill fill;
	uint32_t n_rows = builder->shape.n_docs;
	uint32_t first_mark = bs_slab_take_marks(builder);
	enum bs_status status = fill_init(&fill, builder, product, err);
	for (uint32_t row = 0; row < n_rows && !status; row++) {
		bs_slab_prefetch_row(builder, row);
		put_document(&fill, row, first_mark + row);
		end_row(&fill, row, n_rows);
	}
	free(fill.batches);
	return status;
}
