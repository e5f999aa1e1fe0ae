/* test_false_positives.c: exactly the rows that were added are read again, in order; damage is
 * detected or harmless. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"
#include "core/matrix/false_positives.h"
#include "tests/rigs/core_rig.h"

/* ---- the expected pairs of a term and a row, sorted ---- */

struct pair {
	uint32_t ordinal, row;
};

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Draws at most n distinct pairs of a term and a row. */
static size_t draw_pairs(struct pair *pairs, size_t n, uint32_t n_terms, uint32_t n_rows,
                         uint64_t *random)
{
	size_t n_kept = 0;
	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct pair){(uint32_t)random_below(random, n_terms),
		                         (uint32_t)random_below(random, n_rows)};
	if (n > 1)
		qsort(pairs, n, sizeof(*pairs), compare_pairs);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || compare_pairs(&pairs[i], &pairs[n_kept - 1]) != 0)
			pairs[n_kept++] = pairs[i];
	return n_kept;
}

/* Adds those rows of the term of pairs[i] that are in [first, end), if any, in one call. Returns
 * the index after the pairs of this term. */
static size_t add_run(struct bs_false_positives_builder *builder, const struct pair *pairs,
                      size_t n, size_t i, uint64_t first, uint64_t end)
{
	uint32_t ordinal = pairs[i].ordinal;
	AUTO(bs_buffer_deinit) struct bs_buffer rows = {0};
	for (; i < n && pairs[i].ordinal == ordinal; i++)
		if (pairs[i].row >= first && pairs[i].row < end)
			append_bytes(&rows, &pairs[i].row, 4);
	if (rows.used_bytes > 0)
		ok(bs_false_positives_add(builder, ordinal,
		                          (const uint32_t *)(const void *)rows.data,
		                          (uint32_t)(rows.used_bytes / 4), ERR));
	return i;
}

/* Adds pairs shard by shard, with the terms in ascending and descending order alternately, because
 * an indexer numbers the terms of each shard differently. */
static void write_pairs(const struct pair *pairs, size_t n, uint64_t shard_rows, uint32_t n_rows)
{
	AUTO(bs_false_positives_builder_deinit) struct bs_false_positives_builder builder = {0};
	FREED size_t *starts = must_malloc((n + 1) * sizeof(*starts));
	size_t n_starts = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || pairs[i].ordinal != pairs[i - 1].ordinal)
			starts[n_starts++] = i;
	unsigned turn = 0;
	for (uint64_t first = 0; first < n_rows; first += shard_rows, turn++)
		for (size_t s = 0; s < n_starts; s++)
			add_run(&builder, pairs, n, starts[turn % 2 ? s : n_starts - 1 - s], first,
			        first + shard_rows);
	unlink("file");
	struct bs_file_writer *writer = new_file("file");
	ok(bs_false_positives_write(&builder, n_rows, writer, ERR));
	finish_file(writer);
}

/* ---- reading ---- */

/* Draws live blocks of a shard whose first row is `first`, clears the false positives of the term
 * in them, and checks every bit of the shard. */
static void check_clear(const struct bs_term_false_positives *list, const uint32_t *rows, size_t n,
                        uint64_t first, uint64_t *random)
{
	static uint64_t lines[BS_SHARD_MAX_BLOCKS * BS_LINE_WORDS];
	struct bs_live live;
	bool is_dense = random_below(random, 2);
	for (size_t word = 0; word < COUNT(live.words); word++) {
		live.words[word] = random_below(random, UINT64_MAX);
		for (int i = 0; i < 4 && !is_dense; i++)
			live.words[word] &= random_below(random, UINT64_MAX);
	}
	memset(lines, 0xff, sizeof(lines));
	ok(bs_false_positives_clear(list, first, &live, lines, ERR));
	for (size_t i = 0; i < n; i++) {
		uint64_t row = rows[i] - first;
		if (rows[i] < first || row >= COUNT(lines) * 64)
			continue;
		bool is_live = live.words[row / 512 / 64] >> (row / 512 % 64) & 1;
		assert_int_equal(lines[row / 64] >> (row % 64) & 1, !is_live);
		lines[row / 64] |= UINT64_C(1) << (row % 64);
	}
	for (size_t word = 0; word < COUNT(lines); word++)
		assert_true(lines[word] == UINT64_MAX);
}

static void check_term(const struct bs_false_positives *false_positives, const struct pair *pairs,
                       size_t n, uint32_t ordinal, uint64_t *random)
{
	struct bs_term_false_positives list;
	AUTO(vector_deinit) struct bs_u32s rows = {0};
	size_t n_found = 0;
	ok(bs_false_positives_find(false_positives, ordinal, &list, ERR));
	ok(bs_false_positives_read(&list, &rows, ERR));
	const uint32_t *found = rows.items;
	for (size_t i = 0; i < n; i++) {
		if (pairs[i].ordinal != ordinal)
			continue;
		assert_true(n_found < bs_vector_n(&rows));
		assert_int_equal(found[n_found++], pairs[i].row);
	}
	assert_int_equal(n_found, bs_vector_n(&rows));
	if (random_below(random, 4) == 0)
		check_clear(&list, found, n_found,
		            n_found ? found[random_below(random, n_found)] / 2 : 0, random);
}

static uint64_t number(const struct bs_packed *packed, uint64_t i)
{
	uint64_t value;
	ok(bs_packed_get(packed, i, &value, ERR));
	return value;
}

/* Decodes the sections as FORMAT.md describes them, and compares them with the pairs. */
static void check_twin(const struct bs_container *file, const struct pair *pairs, size_t n,
                       uint64_t n_rows)
{
	struct bs_packed terms, offsets;
	ok(bs_packed_open_counted(
		&terms, bs_container_section(file, BS_SECTION_FALSE_POSITIVE_TERMS, 0), ERR));
	ok(bs_packed_open_counted(
		&offsets, bs_container_section(file, BS_SECTION_FALSE_POSITIVE_OFFSETS, 0), ERR));
	ok(bs_packed_check(&terms, ERR));
	ok(bs_packed_check(&offsets, ERR));
	struct bs_section rows = bs_container_section(file, BS_SECTION_FALSE_POSITIVE_ROWS, 0);
	ok(bs_section_touch(&rows, 0, rows.n_bytes, ERR));
	size_t i = 0;
	uint64_t at = 0;
	assert_int_equal(offsets.n, terms.n + 1);
	for (uint64_t t = 0; t < terms.n; t++) {
		uint64_t n_here = 0, low_bits = 0, n_seen = 0, low = 0;
		assert_int_equal(number(&offsets, t), at);
		assert_true(t == 0 || number(&terms, t - 1) < number(&terms, t));
		for (unsigned shift = 0; shift == 0 || rows.data[at - 1] & 0x80; at++, shift += 7)
			n_here |= (uint64_t)(rows.data[at] & 0x7f) << shift;
		while (n_rows / n_here >> low_bits > 1)
			low_bits++;
		uint64_t n_buckets = ((n_rows - 1) >> low_bits) + 1;
		const uint8_t *samples = rows.data + at;
		const uint8_t *bits = samples + (n_buckets - 1) / 128 * 4;
		uint64_t high = n_here * low_bits;
		for (uint64_t bucket = 0; bucket < n_buckets; bucket++) {
			if (bucket > 0 && bucket % 128 == 0)
				assert_int_equal(bs_load_u32(samples + (bucket / 128 - 1) * 4),
				                 n_seen);
			for (; take_bits(bits, &high, 1); n_seen++, i++) {
				uint64_t row = bucket << low_bits | take_bits(bits, &low, low_bits);
				assert_true(i < n);
				assert_int_equal(pairs[i].ordinal, number(&terms, t));
				assert_int_equal(pairs[i].row, row);
			}
		}
		assert_int_equal(n_seen, n_here);
		at = (uint64_t)(bits - rows.data) + (high + 7) / 8;
	}
	assert_int_equal(i, n);
	assert_int_equal(at + 8, rows.n_bytes);
	assert_int_equal(bs_load_u64(rows.data + at), 0);
	assert_int_equal(number(&offsets, terms.n), at);
}

static void check_file(const struct pair *pairs, size_t n, uint32_t n_terms, uint32_t n_rows,
                       uint64_t *random)
{
	struct bs_false_positives false_positives;
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	ok(bs_false_positives_open(&false_positives, file, n_rows, ERR));
	check_twin(file, pairs, n, n_rows);
	for (int i = 0; i < 100; i++)
		check_term(&false_positives, pairs, n, (uint32_t)random_below(random, n_terms),
		           random);
	for (size_t i = 0; i < n; i += 1 + random_below(random, 20))
		check_term(&false_positives, pairs, n, pairs[i].ordinal, random);
	check_term(&false_positives, pairs, n, UINT32_MAX, random);
}

static void test_round_trip(void **state)
{
	static const uint32_t row_counts[] = {1, 2, 127, 129, 512, 20000, 262144, UINT32_MAX - 1};
	static const uint32_t term_counts[] = {1, 3, 200, 70000, UINT32_MAX};
	uint64_t random = 11;
	struct pair pairs[3000];
	for (int round = 0; round < 120; round++) {
		uint32_t n_rows = row_counts[random_below(&random, COUNT(row_counts))];
		uint32_t n_terms = term_counts[random_below(&random, COUNT(term_counts))];
		size_t n = draw_pairs(pairs,
		                      (size_t)random_below(&random, round % 3 ? 40 : COUNT(pairs)),
		                      n_terms, n_rows, &random);
		uint64_t shard_rows = 1 + n_rows / (1 + random_below(&random, 8));
		write_pairs(pairs, n, shard_rows, n_rows);
		check_file(pairs, n, n_terms, n_rows, &random);
	}
}

static void test_empty(void **state)
{
	struct bs_false_positives false_positives;
	uint64_t random = 1;
	write_pairs(NULL, 0, 512, 1000);
	check_file(NULL, 0, 5, 1000, &random);
	/* A file without the sections is invalid, because there is always at least one offset. */
	unlink("file");
	finish_file(new_file("file"));
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	expect_status(bs_false_positives_open(&false_positives, file, 1000, ERR), BS_CORRUPT);
}

/* Appends all lists to `found`, as pairs. Each row must be a row of the segment. */
static enum bs_status read_all(uint32_t n_terms, uint64_t n_rows, struct bs_buffer *found,
                               struct bs_error *err)
{
	AUTO(bs_container_close_at) struct bs_container *file = NULL;
	struct bs_false_positives false_positives;
	enum bs_status status = bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, err);
	bs_buffer_clear(found);
	if (status)
		return status;
	status = bs_false_positives_open(&false_positives, file, n_rows, err);
	for (uint32_t t = 0; t < n_terms && !status; t++) {
		struct bs_term_false_positives list;
		AUTO(vector_deinit) struct bs_u32s rows = {0};
		static uint64_t lines[BS_SHARD_MAX_BLOCKS * BS_LINE_WORDS];
		struct bs_live live;
		memset(&live, 0xff, sizeof(live));
		status = bs_false_positives_find(&false_positives, t, &list, err);
		/* A query clears bits with a list that it has not read in full, so clearing with a
		 * damaged list must be harmless. */
		if (!status)
			status = bs_false_positives_clear(&list, t * 7, &live, lines, err);
		if (!status)
			status = bs_false_positives_read(&list, &rows, err);
		for (size_t i = 0; i < bs_vector_n(&rows) && !status; i++) {
			struct pair pair = {t, rows.items[i]};
			assert_true(pair.row < n_rows);
			append_bytes(found, &pair, sizeof(pair));
		}
	}
	return status;
}

static void test_damage(void **state)
{
	uint64_t random = 12;
	struct pair pairs[60];
	AUTO(bs_buffer_deinit) struct bs_buffer good = {0}, found = {0};
	unsigned n_told = 0;
	size_t n = draw_pairs(pairs, COUNT(pairs), 30, 700, &random);
	write_pairs(pairs, n, 300, 700);
	read_bytes("file", &good);
	size_t table_off = (size_t)bs_load_u64(good.data + 24);
	for (int round = 0; round < 6000; round++) {
		bool is_sealed = round % 3;
		/* Some of the changes under valid checksums are in the lengths of the sections,
		 * which may then not fit the file. */
		size_t end = is_sealed && round % 4 == 0 ? table_off + 96 : table_off;
		write_flipped(&good, end, is_sealed, &random);
		enum bs_status status = read_all(40, 700, &found, ERR);
		assert_true(status == BS_OK || status == BS_CORRUPT);
		n_told += status == BS_CORRUPT;
		/* Under valid checksums, a damaged file may give any answer. Otherwise reading must
		 * fail or give the right answer. */
		if (!status && !is_sealed)
			assert_true(found.used_bytes == n * sizeof(*pairs) &&
			            memcmp(found.data, pairs, found.used_bytes) == 0);
	}
	assert_true(n_told > 2000);
}

RUN_FOLDER_TESTS(test_round_trip, test_empty, test_damage)
