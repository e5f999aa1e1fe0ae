/*
 * test_shard_and.c: compares the AND of a shard, by every kernel, with an evaluation row by row
 * that follows FORMAT.md literally. The shards are random: with and without each level, with exact
 * columns, without hashed terms, with any live blocks.
 */
#include "core/matrix/shard_and.h"
#include "tests/rigs/core_rig.h"

#define MAX_TERMS 6u
#define MAX_ASKED 8u

/* A shard in memory, and which rows have which terms. */
struct world {
	struct bs_term_treatment_table table;
	struct bs_shard_shape shape;
	struct bs_shard shard;
	uint64_t *columns;
	uint32_t n_terms;
	uint64_t hashes[MAX_TERMS];
	struct bs_and_term terms[MAX_TERMS];
	struct bs_shard_term here[MAX_TERMS];
	uint8_t *rows_of[MAX_TERMS]; /* a byte for each row: 1 if the row has the term */
};

/* ---- FORMAT.md, literally ---- */

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return x;
}

static uint64_t column_of(uint64_t hash, uint32_t rank, uint32_t i, uint32_t m)
{
	uint64_t a = mix(hash + rank * UINT64_C(0x9e3779b97f4a7c15));
	uint64_t b = mix(a) | 1;
	return (uint64_t)(((unsigned __int128)(a + i * b) * m) >> 64);
}

static uint64_t lines_of(const struct world *world, uint32_t rank)
{
	uint64_t n_blocks = (world->shape.n_docs + 511) / 512;
	return rank == 0 ? n_blocks : rank == 3 ? (n_blocks + 7) / 8 : 1;
}

/* Returns the position of the bit that represents a row in a column of a level. The exact columns,
 * for which `level` is n_levels, come after the columns of all levels. */
static uint64_t bit_of(const struct world *world, uint32_t level, uint64_t column, uint32_t row)
{
	uint64_t line = 0;
	for (uint32_t l = 0; l < level; l++)
		line += world->shape.n_columns[l] * lines_of(world, world->table.ranks[l]);
	bool is_exact = level == world->table.n_levels;
	uint32_t rank = is_exact ? 0 : world->table.ranks[level];
	uint64_t lane = row;
	if (rank == 3)
		lane = row / 8;
	if (rank == 9)
		for (uint64_t span = 512; span < world->shape.n_docs; span *= 2)
			lane /= 2;
	return (line + column * lines_of(world, rank)) * 512 + lane;
}

static uint32_t hashes_at(const struct world *world, const struct bs_term_treatment *treatment,
                          uint32_t level)
{
	uint32_t k = treatment->n_columns[level];
	for (uint32_t l = 1; l < world->table.n_levels && level == 0; l++)
		if (world->shape.n_columns[l] == 0)
			k += treatment->n_columns[l];
	return world->shape.n_columns[level] || level == 0 ? k : 0;
}

enum visit {
	SET,      /* set all bits of the term for the row */
	ASK,      /* test those of document and group columns, or of the exact column */
	ASK_LANE, /* test those of block columns */
};

/* Sets the bits of a term for a row, or returns whether all bits that `visit` selects are set. */
static bool visit_bits(const struct world *world, uint32_t t, uint32_t row, enum visit visit)
{
	bool set = visit == SET;
	uint8_t *bytes = (uint8_t *)world->columns;
	if (world->here[t].exact_column != BS_NO_COLUMN) {
		uint64_t bit =
			bit_of(world, world->table.n_levels, world->here[t].exact_column, row);
		if (visit == ASK_LANE)
			return true;
		bytes[bit / 8] |= (uint8_t)(set << (bit % 8));
		return bytes[bit / 8] >> (bit % 8) & 1;
	}
	for (uint32_t l = 0; l < world->table.n_levels; l++) {
		if (visit != SET &&
		    (world->table.ranks[l] == BS_LEVEL_BLOCK) != (visit == ASK_LANE))
			continue;
		for (uint32_t i = 0; i < hashes_at(world, world->terms[t].treatment, l); i++) {
			if (world->shape.n_columns[l] == 0)
				return false;
			uint64_t column = column_of(world->hashes[t], world->table.ranks[l], i,
			                            world->shape.n_columns[l]);
			uint64_t bit = bit_of(world, l, column, row);
			bytes[bit / 8] |= (uint8_t)(set << (bit % 8));
			if (!(bytes[bit / 8] >> (bit % 8) & 1))
				return false;
		}
	}
	return true;
}

/* ---- making a shard ---- */

static void draw_table(struct bs_term_treatment_table *table, uint64_t *random)
{
	uint32_t levels = (uint32_t)random_below(random, 4);
	*table = (struct bs_term_treatment_table){.n_levels = 1, .n_entries = 2};
	if (levels & 1)
		table->ranks[table->n_levels++] = BS_LEVEL_GROUP;
	if (levels & 2)
		table->ranks[table->n_levels++] = BS_LEVEL_BLOCK;
	table->entries[1].min_df = 20;
	for (uint32_t e = 0; e < 2; e++) {
		table->entries[e].n_columns[0] = (uint8_t)(1 + random_below(random, 3));
		for (uint32_t l = 1; l < table->n_levels; l++)
			table->entries[e].n_columns[l] = (uint8_t)random_below(random, 4);
	}
	assert_true(bs_term_treatment_table_is_valid(table));
}

/* Draws the rows that have the term, some scattered, some adjacent. Returns their number. */
static uint64_t draw_term(struct world *world, uint32_t t, uint64_t *random)
{
	uint32_t n_docs = world->shape.n_docs;
	uint64_t df = 0;
	uint64_t one_in = 1 + random_below(random, random_below(random, 2) ? 10 : 2000);
	world->rows_of[t] = must_calloc(n_docs, 1);
	for (uint32_t row = 0; row < n_docs; row++)
		world->rows_of[t][row] = random_below(random, one_in) == 0;
	uint32_t first = (uint32_t)random_below(random, n_docs);
	for (uint32_t row = first; row < n_docs && row < first + 40 && one_in > 3; row++)
		world->rows_of[t][row] = 1;
	for (uint32_t row = 0; row < n_docs; row++)
		df += world->rows_of[t][row];
	return df;
}

static void draw_world(struct world *world, uint32_t n_docs, uint64_t *random)
{
	*world = (struct world){.n_terms = 1 + (uint32_t)random_below(random, MAX_TERMS)};
	draw_table(&world->table, random);
	world->shape.n_docs = n_docs;
	/* Few columns, so that terms share them. A coarse level may have no columns; it is then
	 * omitted. If the document level has none, there are no hashed terms. */
	for (uint32_t l = 0; l < world->table.n_levels; l++)
		world->shape.n_columns[l] = random_below(random, l ? 3 : 12)
		                                    ? 1 + (uint32_t)random_below(random, 20)
		                                    : 0;
	for (uint32_t t = 0; t < world->n_terms; t++) {
		world->hashes[t] = next_random(random);
		bool is_exact = random_below(random, 3) == 0;
		world->here[t] = (struct bs_shard_term){
			.term = &world->terms[t],
			.exact_column = is_exact ? world->shape.n_exact++ : BS_NO_COLUMN};
	}
	uint64_t n_lines = world->shape.n_exact * lines_of(world, 0);
	for (uint32_t l = 0; l < world->table.n_levels; l++)
		n_lines += world->shape.n_columns[l] * lines_of(world, world->table.ranks[l]);
	world->columns = aligned_alloc(BS_LINE_BYTES, (size_t)(n_lines + 1) * BS_LINE_BYTES);
	assert_non_null(world->columns);
	memset(world->columns, 0, (size_t)(n_lines + 1) * BS_LINE_BYTES);
	for (uint32_t t = 0; t < world->n_terms; t++) {
		uint64_t df = draw_term(world, t, random);
		/* The df of the segment, which is at least that of this shard. */
		bs_and_term_init(&world->terms[t], world->hashes[t], t,
		                 df + random_below(random, 30), &world->table);
		world->here[t].popcount =
			world->here[t].exact_column == BS_NO_COLUMN ? 0 : (uint32_t)df;
		bool has_none = world->here[t].exact_column == BS_NO_COLUMN &&
		                world->shape.n_columns[0] == 0;
		if (has_none)
			memset(world->rows_of[t], 0, n_docs);
		for (uint32_t row = 0; row < n_docs; row++)
			if (world->rows_of[t][row])
				assert_true(visit_bits(world, t, row, SET) ||
				            world->here[t].exact_column == BS_NO_COLUMN);
	}
	bs_shard_in_memory(&world->shard, &world->shape, &world->table, world->columns, n_lines,
	                   0.25f);
	assert_int_equal(world->shard.n_blocks, (n_docs + 511) / 512);
}

static void world_deinit(struct world *world)
{
	free(world->columns);
	for (uint32_t t = 0; t < world->n_terms; t++)
		free(world->rows_of[t]);
}

/* ---- asking ---- */

struct question {
	const struct bs_shard_term *terms[MAX_ASKED];
	uint32_t numbers[MAX_ASKED];
	size_t n_terms;
	struct bs_live live;
};

static void draw_question(const struct world *world, struct question *question, uint64_t *random)
{
	question->n_terms = 1 + (size_t)random_below(random, MAX_ASKED);
	for (size_t i = 0; i < question->n_terms; i++) {
		question->numbers[i] = (uint32_t)random_below(random, world->n_terms);
		question->terms[i] = &world->here[question->numbers[i]];
	}
	bs_live_all(&question->live, world->shard.n_blocks);
	if (random_below(random, 2))
		for (uint32_t w = 0; w < BS_SHARD_MAX_BLOCKS / 64; w++)
			question->live.words[w] &=
				random_below(random, 4) ? next_random(random) | next_random(random)
							: 0;
}

struct multiset {
	uint64_t n_true, n_false, n_dead;
};

static bool is_live(const struct bs_live *live, uint32_t block)
{
	return live->words[block / 64] >> (block % 64) & 1;
}

/* True if a row of the block has the bits of all terms in the block columns. */
static bool block_passes(const struct world *world, const struct question *question, uint32_t block)
{
	for (uint32_t row = block * 512; row < world->shape.n_docs && row < (block + 1) * 512;
	     row++) {
		bool passes = true;
		for (size_t i = 0; i < question->n_terms && passes; i++)
			passes = visit_bits(world, question->numbers[i], row, ASK_LANE);
		if (passes)
			return true;
	}
	return false;
}

/* Marks the rows of a live block that pass, and counts how many of them have all terms. */
static void answer_naively(const struct world *world, const struct question *question,
                           uint32_t block, uint8_t *passing, struct multiset *multiset)
{
	bool is_kept = block_passes(world, question, block);
	for (uint32_t row = block * 512; row < world->shape.n_docs && row < (block + 1) * 512;
	     row++) {
		bool has = true;
		passing[row] = is_kept;
		for (size_t i = 0; i < question->n_terms; i++) {
			passing[row] &= visit_bits(world, question->numbers[i], row, ASK);
			has &= world->rows_of[question->numbers[i]][row];
		}
		assert_true(passing[row] || !has);
		multiset->n_true += has;
		multiset->n_false += passing[row] && !has;
	}
}

static void check_question(const struct world *world, const struct question *question,
                           struct bs_and_scratch *scratch, const struct bs_and_frame *frame,
                           struct multiset *multiset)
{
	const struct bs_kernel *kernels[8];
	size_t n_kernels = bs_kernel_list(kernels, 8);
	FREED uint8_t *passing = must_calloc(world->shape.n_docs, 1);
	struct bs_and_cost first = {0, 0};
	for (uint32_t block = 0; block < world->shard.n_blocks; block++)
		if (is_live(&question->live, block))
			answer_naively(world, question, block, passing, multiset);
	for (size_t k = 0; k < n_kernels; k++) {
		struct bs_live live = question->live;
		struct bs_and_cost cost = {0, 0};
		memset(frame->lines, (int)k * 0x5a, BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES);
		memset(frame->groups, 0xa5, BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES / 8);
		ok(bs_shard_and(&world->shard, kernels[k], question->terms, question->n_terms,
		                scratch, frame, &live, &cost, ERR));
		for (uint32_t row = 0; row < world->shape.n_docs; row++) {
			bool found = is_live(&live, row / 512) &&
			             frame->lines[row / 64] >> (row % 64) & 1;
			if (found != passing[row])
				fail_msg("kernel %s: row %u of %u %s", kernels[k]->name, row,
				         world->shape.n_docs,
				         found ? "passes, and should not" : "is lost");
		}
		/* No bits beyond the rows, and no live block without a bit. */
		for (uint32_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++) {
			if (!is_live(&live, block))
				continue;
			uint64_t any = 0;
			assert_true(block < world->shard.n_blocks &&
			            is_live(&question->live, block));
			for (uint32_t word = 0; word < BS_LINE_WORDS; word++)
				any |= frame->lines[block * BS_LINE_WORDS + word];
			assert_true(any != 0);
			for (uint32_t row = world->shape.n_docs; row / 512 == block; row++)
				assert_false(frame->lines[row / 64] >> (row % 64) & 1);
		}
		multiset->n_dead += !bs_live_any(&live);
		assert_true(cost.document_lines <= cost.lines);
		if (k == 0)
			first = cost;
		assert_true(cost.lines == first.lines &&
		            cost.document_lines == first.document_lines);
	}
}

static void test_random_shards(void **state)
{
	static const uint32_t sizes[] = {1,    2,    7,    8,    9,    511,   512,   513,
	                                 1023, 1025, 4096, 4097, 9000, 33000, 131073};
	uint64_t random = 31;
	AUTO(bs_and_deinit) struct bs_and_scratch scratch = {{0}, {0}};
	struct bs_and_frame frame = {
		.lines = aligned_alloc(BS_LINE_BYTES, BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES),
		.groups = aligned_alloc(BS_LINE_BYTES, BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES / 8)};
	struct multiset multiset = {0, 0, 0};
	assert_true(frame.lines && frame.groups);
	for (int round = 0; round < 500; round++) {
		AUTO(world_deinit) struct world world;
		struct question question;
		/* Sometimes large shards, and once the largest. */
		uint32_t size =
			round == 0 ? BS_SHARD_MAX_DOCS
				   : sizes[random_below(&random, round % 10 ? 11 : COUNT(sizes))];
		draw_world(&world, size, &random);
		for (int i = 0; i < (size > 9000 ? 2 : 8); i++) {
			draw_question(&world, &question, &random);
			check_question(&world, &question, &scratch, &frame, &multiset);
		}
	}
	print_message("%llu rows had their terms, %llu seemed to; %llu answers were empty\n",
	              (unsigned long long)multiset.n_true, (unsigned long long)multiset.n_false,
	              (unsigned long long)multiset.n_dead);
	assert_true(multiset.n_true > 1000 && multiset.n_false > 1000 && multiset.n_dead > 20);
	free(frame.lines);
	free(frame.groups);
}

static void test_live_masks(void **state)
{
	for (uint32_t n = 0; n <= BS_SHARD_MAX_BLOCKS; n++) {
		struct bs_live live;
		memset(&live, 0x77, sizeof(live));
		bs_live_all(&live, n);
		for (uint32_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++)
			assert_int_equal(is_live(&live, block), block < n);
		assert_int_equal(bs_live_any(&live), n > 0);
	}
}

RUN_TESTS(test_live_masks, test_random_shards)
