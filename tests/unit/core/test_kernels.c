/*
 * test_kernels.c: compares every kernel of this machine with loops over single words on random
 * shards: the bits, the live masks, the lines read, and the bytes that must not change.
 */
#include "core/simd/kernels.h"
#include "tests/rigs/core_rig.h"

#define MAX_COLUMNS 20
#define N_WORDS     (BS_SHARD_MAX_BLOCKS * BS_LINE_WORDS)

static uint64_t *new_lines(size_t n_lines)
{
	uint64_t *lines = aligned_alloc(BS_LINE_BYTES, (n_lines ? n_lines : 1) * BS_LINE_BYTES);
	assert_non_null(lines);
	return lines;
}

/* ---- the naive versions ---- */

static bool is_live(const struct bs_live *live, size_t block)
{
	return live->words[block / 64] >> (block % 64) & 1;
}

static void set_live(struct bs_live *live, size_t block, bool value)
{
	uint64_t bit = UINT64_C(1) << (block % 64);
	live->words[block / 64] =
		value ? live->words[block / 64] | bit : live->words[block / 64] & ~bit;
}

static bool is_zero(const uint64_t *line)
{
	for (size_t w = 0; w < BS_LINE_WORDS; w++)
		if (line[w])
			return false;
	return true;
}

static uint64_t naive_and_columns(uint64_t *lines, struct bs_live *live, const bs_column *columns,
                                  size_t n_columns, size_t n_untested, bool fresh)
{
	uint64_t n_read = 0;
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++) {
		uint64_t *line = lines + block * BS_LINE_WORDS;
		if (!is_live(live, block))
			continue;
		if (fresh)
			memset(line, 0xff, BS_LINE_BYTES);
		for (size_t c = 0; c < n_columns && (c < n_untested || !is_zero(line));
		     c++, n_read++)
			for (size_t w = 0; w < BS_LINE_WORDS; w++)
				line[w] &= columns[c][block * BS_LINE_WORDS + w];
		set_live(live, block, !is_zero(line));
	}
	return n_read;
}

static void naive_spread_groups(uint64_t *lines, struct bs_live *live, const uint64_t *groups)
{
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++) {
		if (!is_live(live, block))
			continue;
		uint64_t *line = lines + block * BS_LINE_WORDS;
		if (groups[block] != 0)
			memset(line, 0, BS_LINE_BYTES);
		for (size_t lane = 0; lane < BS_LINE_BITS; lane++)
			if (groups[block] >> (lane / 8) & 1)
				line[lane / 64] |= UINT64_C(1) << (lane % 64);
		set_live(live, block, groups[block] != 0);
	}
}

static uint64_t naive_and_not_column(uint64_t *lines, struct bs_live *live, bs_column column)
{
	uint64_t n_read = 0;
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++) {
		if (!is_live(live, block))
			continue;
		for (size_t w = 0; w < BS_LINE_WORDS; w++)
			lines[block * BS_LINE_WORDS + w] &= ~column[block * BS_LINE_WORDS + w];
		n_read++;
		set_live(live, block, !is_zero(lines + block * BS_LINE_WORDS));
	}
	return n_read;
}

enum merge {
	MERGE_OR,
	MERGE_AND,
	MERGE_AND_NOT
};

/* A line that is not live counts as zero, whatever its bits are. */
static void naive_merge(enum merge merge, uint64_t *into, struct bs_live *into_live,
                        const uint64_t *from, const struct bs_live *from_live)
{
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++) {
		bool into_is = is_live(into_live, block), from_is = is_live(from_live, block);
		bool is_written = merge == MERGE_OR ? from_is : into_is && from_is;
		for (size_t w = block * BS_LINE_WORDS;
		     is_written && w < (block + 1) * BS_LINE_WORDS; w++) {
			uint64_t a = into_is ? into[w] : 0;
			into[w] = merge == MERGE_OR    ? a | from[w]
			          : merge == MERGE_AND ? a & from[w]
			                               : a & ~from[w];
		}
		bool remains = !is_zero(into + block * BS_LINE_WORDS);
		if (merge == MERGE_OR)
			set_live(into_live, block, into_is || from_is);
		else if (merge == MERGE_AND)
			set_live(into_live, block, into_is && from_is && remains);
		else
			set_live(into_live, block, into_is && (!from_is || remains));
	}
}

static uint64_t naive_popcount(const uint64_t *lines, size_t n_lines)
{
	uint64_t n = 0;
	for (size_t i = 0; i < n_lines * BS_LINE_WORDS; i++)
		for (uint64_t word = lines[i]; word; word >>= 1)
			n += word & 1;
	return n;
}

static uint64_t naive_count(const uint64_t *lines, const struct bs_live *live)
{
	uint64_t n = 0;
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++)
		if (is_live(live, block))
			n += naive_popcount(lines + block * BS_LINE_WORDS, 1);
	return n;
}

/* ---- random shards ---- */

enum fill {
	FILL_ZERO,
	FILL_ONES,
	FILL_ONE_BIT,
	FILL_SPARSE,
	FILL_HALF,
	FILL_DENSE,
	FILL_MIXED,
	N_FILLS
};

static void fill_line(uint64_t *line, enum fill fill, uint64_t *random)
{
	if (fill == FILL_MIXED)
		fill = (enum fill)random_below(random, FILL_MIXED);
	for (size_t w = 0; w < BS_LINE_WORDS; w++) {
		uint64_t word = fill == FILL_ONES ? UINT64_MAX : 0;
		if (fill == FILL_SPARSE)
			word = next_random(random) & next_random(random) & next_random(random) &
			       next_random(random);
		if (fill == FILL_HALF)
			word = next_random(random);
		if (fill == FILL_DENSE)
			word = next_random(random) | next_random(random) | next_random(random);
		line[w] = word;
	}
	if (fill == FILL_ONE_BIT) {
		uint64_t bit = random_below(random, BS_LINE_BITS);
		line[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

static void fill_lines(uint64_t *lines, size_t n_lines, uint64_t *random)
{
	enum fill fill = (enum fill)random_below(random, N_FILLS);
	for (size_t i = 0; i < n_lines; i++)
		fill_line(lines + i * BS_LINE_WORDS, fill, random);
}

static void fill_live(struct bs_live *live, size_t n_blocks, uint64_t *random)
{
	uint64_t kind = random_below(random, 5);
	*live = (struct bs_live){{0}};
	for (size_t block = 0; block < n_blocks; block++)
		set_live(live, block, kind == 0 || random_below(random, kind == 1 ? 40 : 3) == 0);
	if (kind == 2)
		*live = (struct bs_live){{0}};
	set_live(live, n_blocks - 1, kind != 2);
}

static size_t some_blocks(uint64_t *random)
{
	static const size_t edges[] = {1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 511, 512};
	return random_below(random, 2) ? edges[random_below(random, COUNT(edges))]
	                               : 1 + random_below(random, 512);
}

/* An intermediate result, and the expected result of an operation on it. Columns have exactly
 * n_blocks lines, so that a sanitizer detects reads past the end. */
struct rig {
	uint64_t random;
	size_t n_blocks;
	uint64_t *lines, *wanted, *got, *other;
	struct bs_live live, wanted_live, got_live, other_live;
	uint64_t *columns[MAX_COLUMNS];
	size_t n_columns;
	const struct bs_kernel *kernels[16];
	size_t n_kernels;
};

static struct rig rig_make(uint64_t seed)
{
	struct rig rig = {.random = seed};
	uint64_t **const results[] = {&rig.lines, &rig.wanted, &rig.got, &rig.other};
	for (size_t i = 0; i < COUNT(results); i++)
		*results[i] = new_lines(BS_SHARD_MAX_BLOCKS);
	rig.n_kernels = bs_kernel_list(rig.kernels, COUNT(rig.kernels));
	assert_true(rig.n_kernels >= 1 && rig.n_kernels <= COUNT(rig.kernels));
	assert_string_equal(rig.kernels[rig.n_kernels - 1]->name, "plain");
	return rig;
}

static void rig_clear_columns(struct rig *rig)
{
	for (size_t c = 0; c < rig->n_columns; c++)
		free(rig->columns[c]);
	rig->n_columns = 0;
}

static void rig_deinit(struct rig *rig)
{
	rig_clear_columns(rig);
	free(rig->lines);
	free(rig->wanted);
	free(rig->got);
	free(rig->other);
}

/* Draws random lines, also for blocks that are not live, and after the last block. */
static void rig_fill(struct rig *rig, size_t n_columns)
{
	rig_clear_columns(rig);
	rig->n_blocks = some_blocks(&rig->random);
	fill_lines(rig->lines, BS_SHARD_MAX_BLOCKS, &rig->random);
	fill_lines(rig->other, BS_SHARD_MAX_BLOCKS, &rig->random);
	fill_live(&rig->live, rig->n_blocks, &rig->random);
	fill_live(&rig->other_live, rig->n_blocks, &rig->random);
	rig->n_columns = n_columns;
	for (size_t c = 0; c < n_columns; c++) {
		rig->columns[c] = new_lines(rig->n_blocks);
		fill_lines(rig->columns[c], rig->n_blocks, &rig->random);
	}
	memcpy(rig->wanted, rig->lines, N_WORDS * 8);
	rig->wanted_live = rig->live;
}

static void rig_start(struct rig *rig)
{
	memcpy(rig->got, rig->lines, N_WORDS * 8);
	rig->got_live = rig->live;
}

/* Compares all lines, because no operation may change lines that are not live. */
static void rig_check(const struct rig *rig, const struct bs_kernel *kernel)
{
	if (memcmp(&rig->got_live, &rig->wanted_live, sizeof(rig->got_live)) != 0)
		fail_msg("%s: live masks differ", kernel->name);
	for (size_t i = 0; i < N_WORDS; i++)
		if (rig->got[i] != rig->wanted[i])
			fail_msg("%s: block %zu differs in word %zu", kernel->name,
			         i / BS_LINE_WORDS, i % BS_LINE_WORDS);
}

static void test_and_columns(void **state)
{
	AUTO(rig_deinit) struct rig rig = rig_make(11);
	for (int round = 0; round < 600; round++) {
		size_t n_columns = 1 + random_below(&rig.random, MAX_COLUMNS);
		size_t n_untested = 1 + random_below(&rig.random, n_columns);
		bool fresh = random_below(&rig.random, 2);
		rig_fill(&rig, n_columns);
		const bs_column *columns = (const bs_column *)rig.columns;
		uint64_t n_read = naive_and_columns(rig.wanted, &rig.wanted_live, columns,
		                                    n_columns, n_untested, fresh);
		for (size_t k = 0; k < rig.n_kernels; k++) {
			rig_start(&rig);
			assert_int_equal(rig.kernels[k]->lines.and_columns(rig.got, &rig.got_live,
			                                                   columns, n_columns,
			                                                   n_untested, fresh),
			                 n_read);
			rig_check(&rig, rig.kernels[k]);
		}
	}
}

static void test_spread_groups(void **state)
{
	AUTO(rig_deinit) struct rig rig = rig_make(12);
	for (int round = 0; round < 400; round++) {
		rig_fill(&rig, 0);
		size_t n_groups = (rig.n_blocks + 7) / 8;
		FREED uint64_t *mask = new_lines(n_groups);
		fill_lines(mask, n_groups, &rig.random);
		for (size_t w = 0; w < n_groups * BS_LINE_WORDS; w += 3)
			mask[w] = w % 2 ? 0 : mask[w] & mask[w] >> 7;
		naive_spread_groups(rig.wanted, &rig.wanted_live, mask);
		for (size_t k = 0; k < rig.n_kernels; k++) {
			rig_start(&rig);
			rig.kernels[k]->lines.spread_groups(rig.got, &rig.got_live, mask);
			rig_check(&rig, rig.kernels[k]);
		}
	}
}

static void test_and_not_column(void **state)
{
	AUTO(rig_deinit) struct rig rig = rig_make(13);
	for (int round = 0; round < 400; round++) {
		rig_fill(&rig, 1);
		uint64_t n_read =
			naive_and_not_column(rig.wanted, &rig.wanted_live, rig.columns[0]);
		for (size_t k = 0; k < rig.n_kernels; k++) {
			rig_start(&rig);
			assert_int_equal(rig.kernels[k]->lines.and_not_column(
						 rig.got, &rig.got_live, rig.columns[0]),
			                 n_read);
			rig_check(&rig, rig.kernels[k]);
		}
	}
}

static void test_merges(void **state)
{
	AUTO(rig_deinit) struct rig rig = rig_make(14);
	for (int round = 0; round < 1200; round++) {
		enum merge merge = (enum merge)(round % 3);
		rig_fill(&rig, 0);
		naive_merge(merge, rig.wanted, &rig.wanted_live, rig.other, &rig.other_live);
		for (size_t k = 0; k < rig.n_kernels; k++) {
			const struct bs_kernel *kernel = rig.kernels[k];
			rig_start(&rig);
			(merge == MERGE_OR    ? kernel->lines.or_lines
			 : merge == MERGE_AND ? kernel->lines.and_lines
			                      : kernel->lines.and_not_lines)(
				rig.got, &rig.got_live, rig.other, &rig.other_live);
			rig_check(&rig, kernel);
		}
	}
}

static void test_counts(void **state)
{
	AUTO(rig_deinit) struct rig rig = rig_make(17);
	for (int round = 0; round < 200; round++) {
		rig_fill(&rig, 1);
		uint64_t n_live_bits = naive_count(rig.lines, &rig.live);
		uint64_t n_bits = naive_popcount(rig.columns[0], rig.n_blocks);
		for (size_t k = 0; k < rig.n_kernels; k++) {
			assert_int_equal(rig.kernels[k]->lines.count(rig.lines, &rig.live),
			                 n_live_bits);
			assert_int_equal(
				rig.kernels[k]->lines.popcount(rig.columns[0], rig.n_blocks),
				n_bits);
			assert_int_equal(rig.kernels[k]->lines.popcount(rig.columns[0], 0), 0);
		}
	}
}

/* Classifies random bytes, at every alignment; bytes around the text must not change. */
static void test_classify(void **state)
{
	enum {
		MAX_LINES = 9
	};
	AUTO(rig_deinit) struct rig rig = rig_make(19);
	for (int round = 0; round < 2000; round++) {
		struct bs_byte_classes classes = {{0}, {{0}}};
		uint8_t text[MAX_LINES * 64 + 96], got[sizeof(text)];
		for (unsigned c = 0; c < 0x80; c++)
			classes.of[c] =
				(uint8_t)(next_random(&rig.random) & next_random(&rig.random));
		bs_byte_classes_finish(&classes);
		for (size_t i = 0; i < sizeof(text); i++)
			text[i] =
				(uint8_t)(round % 2 ? next_random(&rig.random) : i + (size_t)round);
		size_t from = 1 + random_below(&rig.random, 32);
		size_t n_lines = random_below(&rig.random, MAX_LINES + 1);
		for (size_t k = 0; k < rig.n_kernels; k++) {
			struct bs_line_classes lines[MAX_LINES];
			memcpy(got, text, sizeof(text));
			rig.kernels[k]->text.classify(&classes, got + from, n_lines, lines);
			for (size_t i = 0; i < sizeof(text); i++) {
				bool is_inside = i >= from && i < from + n_lines * 64;
				bool is_capital = is_inside && text[i] >= 'A' && text[i] <= 'Z';
				assert_int_equal(got[i], is_capital ? text[i] + 0x20 : text[i]);
				for (size_t s = 0; s < 8 && is_inside; s++)
					assert_int_equal(lines[(i - from) / 64].of[s] >>
					                                 ((i - from) % 64) &
					                         1,
					                 classes.of[text[i]] >> s & 1);
			}
		}
	}
}

static void test_choosing(void **state)
{
	const struct bs_kernel *kernels[16] = {NULL}, *kernel = NULL;
	size_t n = bs_kernel_list(kernels, COUNT(kernels));
	ok(bs_kernel_choose(NULL, &kernel, ERR));
	assert_ptr_equal(kernel, kernels[0]);
	for (size_t i = 0; i < n; i++) {
		print_message("kernel here: %s\n", kernels[i]->name);
		ok(bs_kernel_choose(kernels[i]->name, &kernel, ERR));
		assert_ptr_equal(kernel, kernels[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(kernels[i]->name, kernels[j]->name);
	}
	static const char *const unknown[] = {"", "plai", "plain ", "PLAIN", "avx1024"};
	for (size_t i = 0; i < COUNT(unknown); i++) {
		expect_status(bs_kernel_choose(unknown[i], &kernel, ERR), BS_UNSUPPORTED);
		for (size_t j = 0; j < n; j++)
			assert_non_null(strstr(said.text, kernels[j]->name));
		assert_int_equal(bs_kernel_choose(unknown[i], &kernel, NULL), BS_UNSUPPORTED);
	}
	const struct bs_kernel *one[2] = {NULL, NULL};
	assert_int_equal(bs_kernel_list(one, 1), n);
	assert_ptr_equal(one[0], kernels[0]);
	assert_null(one[1]);
	assert_int_equal(bs_kernel_list(NULL, 0), n);
}

/* ---- weighing ---- */

static bool has_lane(const uint64_t *lines, size_t block, size_t lane)
{
	return lines[block * BS_LINE_WORDS + lane / 64] >> (lane % 64) & 1;
}

static uint32_t naive_weight(const struct bs_weighed_term *terms, size_t n_terms, size_t block,
                             size_t lane)
{
	uint32_t sum = 0;
	for (size_t t = 0; t < n_terms; t++) {
		bool has = !terms[t].lines ||
		           (is_live(terms[t].live, block) && has_lane(terms[t].lines, block, lane));
		sum += has ? terms[t].weight : 0;
		for (uint32_t l = 0; l < terms[t].n_levels && has; l++) {
			for (uint32_t c = 0; c < terms[t].levels[l].n_columns; c++)
				has = has && has_lane(terms[t].levels[l].columns[c], block, lane);
			sum += has ? terms[t].levels[l].weight : 0;
		}
	}
	return sum;
}

#define WEIGHED_TERMS 5

/* Draws terms with weights of at most `most`. The caller chooses `most` such that the sum of all
 * weights is at most BS_WEIGH_MOST, and makes the columns dense, so that thresholds are reached. */
static void draw_weighed(struct bs_weighed_term *terms, uint64_t *columns, struct bs_live *lives,
                         uint32_t most, uint64_t *random)
{
	for (size_t t = 0; t < WEIGHED_TERMS; t++) {
		terms[t] =
			(struct bs_weighed_term){.weight = (uint32_t)random_below(random, most + 1),
		                                 .n_levels = (uint32_t)random_below(random, 4)};
		for (size_t w = 0; w < BS_SHARD_MAX_BLOCKS / 64; w++)
			lives[t].words[w] = next_random(random);
		terms[t].lines = random_below(random, 3)
		                         ? columns + random_below(random, 8) * N_WORDS
		                         : NULL;
		terms[t].live = &lives[t];
		for (uint32_t l = 0; l < terms[t].n_levels; l++) {
			terms[t].levels[l].weight = (uint32_t)random_below(random, most + 1);
			terms[t].levels[l].n_columns = 1 + (uint32_t)random_below(random, 2);
			for (uint32_t c = 0; c < terms[t].levels[l].n_columns; c++)
				terms[t].levels[l].columns[c] =
					columns + random_below(random, 8) * N_WORDS;
		}
		terms[t].most = terms[t].weight;
		for (uint32_t l = 0; l < terms[t].n_levels; l++)
			terms[t].most += terms[t].levels[l].weight;
	}
}

static void expect_weighed(const struct bs_kernel *kernel, const uint64_t *lines,
                           const struct bs_live *before, const struct bs_weighed_term *terms,
                           size_t n_terms, uint32_t threshold)
{
	FREED uint64_t *kept = new_lines(BS_SHARD_MAX_BLOCKS);
	struct bs_live live = *before;
	kernel->lines.weigh(lines, kept, &live, terms, n_terms, threshold);
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++) {
		bool any = false;
		for (size_t lane = 0; lane < BS_LINE_BITS && is_live(before, block); lane++) {
			bool wanted = has_lane(lines, block, lane) &&
			              naive_weight(terms, n_terms, block, lane) >= threshold;
			assert_int_equal(has_lane(kept, block, lane), wanted);
			any |= wanted;
		}
		assert_int_equal(is_live(&live, block), any);
	}
	/* The kernel gives the same result if its output overwrites its input. */
	FREED uint64_t *own = new_lines(BS_SHARD_MAX_BLOCKS);
	struct bs_live own_live = *before;
	memcpy(own, lines, BS_SHARD_MAX_BLOCKS * BS_LINE_WORDS * sizeof(*own));
	kernel->lines.weigh(own, own, &own_live, terms, n_terms, threshold);
	assert_memory_equal(&own_live, &live, sizeof(live));
	for (size_t block = 0; block < BS_SHARD_MAX_BLOCKS; block++)
		if (is_live(before, block))
			assert_memory_equal(own + block * BS_LINE_WORDS,
			                    kept + block * BS_LINE_WORDS,
			                    BS_LINE_WORDS * sizeof(*own));
}

static void test_weigh(void **state)
{
	const struct bs_kernel *kernels[16];
	size_t n_kernels = bs_kernel_list(kernels, COUNT(kernels));
	uint64_t random = 5;
	FREED uint64_t *columns = new_lines(8 * BS_SHARD_MAX_BLOCKS);
	for (int round = 0; round < 6; round++) {
		uint32_t most = BS_WEIGH_MOST / (WEIGHED_TERMS * 4) / (round % 2 ? 1 : 4);
		struct bs_weighed_term terms[WEIGHED_TERMS];
		struct bs_live lives[WEIGHED_TERMS], live;
		for (size_t w = 0; w < (size_t)8 * N_WORDS; w++)
			columns[w] = next_random(&random) | next_random(&random);
		for (size_t w = 0; w < BS_SHARD_MAX_BLOCKS / 64; w++)
			live.words[w] =
				next_random(&random) & next_random(&random) & next_random(&random);
		draw_weighed(terms, columns, lives, most, &random);
		uint32_t threshold = 1 + (uint32_t)random_below(&random, WEIGHED_TERMS * most);
		struct bs_weighed_term full = {
			.weight = BS_WEIGH_MOST, .lines = columns + N_WORDS, .live = &lives[0]};
		for (size_t i = 0; i < n_kernels; i++) {
			expect_weighed(kernels[i], columns, &live, terms, WEIGHED_TERMS, threshold);
			expect_weighed(kernels[i], columns, &live, terms, WEIGHED_TERMS, 1);
			expect_weighed(kernels[i], columns, &live, &full, 1, BS_WEIGH_MOST);
			for (size_t t = 0; t < WEIGHED_TERMS; t++)
				expect_weighed(kernels[i], columns, &live, &terms[t], 1,
				               1 + threshold / (WEIGHED_TERMS - (uint32_t)t));
		}
	}
}

static void test_keep_ranks(void **state)
{
	AUTO(rig_deinit) struct rig rig = rig_make(17);
	for (int round = 0; round < 300; round++) {
		rig_fill(&rig, 0);
		uint32_t n_slices = (uint32_t)random_below(&rig.random, round % 10 ? 7 : 33),
			 most = (uint32_t)((UINT64_C(1) << n_slices) - 1);
		uint32_t low = (uint32_t)next_random(&rig.random) & most,
			 last = (uint32_t)next_random(&rig.random) & most;
		size_t n_lines = rig.n_blocks * (1 + n_slices),
		       stride = (1 + n_slices) * (size_t)BS_LINE_WORDS;
		uint64_t *slices = new_lines(n_lines), n_read = 0;
		fill_lines(slices, n_lines, &rig.random);
		low = random_below(&rig.random, 4) ? low : 0;
		last = random_below(&rig.random, 4) ? last : most;
		if (low > last || random_below(&rig.random, 8) == 0)
			low = last;
		for (size_t block = 0; block < rig.n_blocks; block++) {
			for (size_t lane = 0; lane < BS_LINE_BITS && is_live(&rig.live, block);
			     lane++) {
				const uint64_t *word = slices + block * stride + lane / 64;
				uint32_t rank = 0;
				for (uint32_t s = 1; s <= n_slices; s++)
					rank = rank << 1 |
					       (word[s * BS_LINE_WORDS] >> (lane % 64) & 1);
				if (!(*word >> (lane % 64) & 1) || rank < low || rank > last)
					rig.wanted[block * BS_LINE_WORDS + lane / 64] &=
						~(UINT64_C(1) << (lane % 64));
			}
			set_live(&rig.wanted_live, block,
			         is_live(&rig.live, block) &&
			                 !is_zero(rig.wanted + block * BS_LINE_WORDS));
		}
		for (size_t k = 0; k < rig.n_kernels; k++) {
			rig_start(&rig);
			uint64_t n = rig.kernels[k]->lines.keep_ranks(rig.got, &rig.got_live,
			                                              slices, n_slices, low, last);
			rig_check(&rig, rig.kernels[k]);
			assert_true(n <= n_lines && (k == 0 || n == n_read));
			n_read = n;
		}
		free(slices);
	}
}

RUN_TESTS(test_weigh, test_keep_ranks, test_classify, test_and_columns, test_spread_groups,
          test_and_not_column, test_merges, test_counts, test_choosing)
