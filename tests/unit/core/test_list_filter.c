/* test_list_filter.c: filters of forward indexes pass each row that has the term, and few others;
 * damage causes no crash. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_index.h"
#include "tests/rigs/core_rig.h"

#define SHARD        3u
#define MOST_ORDINAL 5000u

/* Rows with the ascending ordinals of their terms. */
struct rows {
	uint32_t n_rows, n_terms[300], ordinals[300][80];
	uint64_t n_words;
	struct bs_forward_hashing hashing;
};

static void draw_rows(struct rows *rows, uint32_t n_rows, uint32_t most_terms, uint64_t *random)
{
	rows->n_rows = n_rows;
	for (uint32_t row = 0; row < n_rows; row++) {
		uint32_t n = (uint32_t)random_below(random, most_terms + 1);
		uint32_t next = 0;
		rows->n_terms[row] = n;
		for (uint32_t i = 0; i < n; i++) {
			next += 1 + (uint32_t)random_below(random, 2 * MOST_ORDINAL / (n + 1));
			rows->ordinals[row][i] = next;
		}
	}
}

static uint32_t near_of(const struct rows *rows, uint32_t row)
{
	return bs_forward_neighbourhoods(rows->hashing.near_log2, rows->ordinals[row],
	                                 rows->n_terms[row]);
}

/* Writes the filter as the indexer does. */
static void write_filter(struct rows *rows)
{
	uint32_t n_groups = bs_forward_groups(rows->n_rows);
	AUTO(bs_buffer_deinit) struct bs_buffer words = {0};
	unlink("file");
	struct bs_file_writer *writer = new_file("file");
	bs_file_writer_section(writer, BS_SECTION_FORWARD_FILTER_OFFSETS, SHARD);
	bs_file_writer_u64(writer, 0);
	for (uint32_t group = 0; group < n_groups; group++) {
		uint32_t first = group * BS_FORWARD_GROUP_ROWS;
		uint32_t most = 0;
		for (uint32_t row = first;
		     row < rows->n_rows && row < first + BS_FORWARD_GROUP_ROWS; row++)
			most = near_of(rows, row) > most ? near_of(rows, row) : most;
		uint32_t width = bs_forward_filter_width(rows->hashing, most);
		uint64_t *filter = must_calloc(width, sizeof(*filter));
		for (uint32_t row = first;
		     row < rows->n_rows && row < first + BS_FORWARD_GROUP_ROWS; row++)
			bs_forward_filter_set(rows->hashing, filter, width, row - first,
			                      rows->ordinals[row], rows->n_terms[row]);
		append_bytes(&words, filter, (size_t)width * 8);
		free(filter);
		bs_file_writer_u64(writer, words.used_bytes / 8);
	}
	bs_file_writer_section(writer, BS_SECTION_FORWARD_FILTERS, SHARD);
	bs_file_writer_bytes(writer, words.data, words.used_bytes);
	finish_file(writer);
	rows->n_words = words.used_bytes / 8;
}

/* True if the row has a term in the ordinal's neighbourhood; *has_out: it has the term itself. */
static bool is_near(const struct rows *rows, uint32_t row, uint32_t ordinal, bool *has_out)
{
	bool near = false;
	*has_out = false;
	for (uint32_t i = 0; i < rows->n_terms[row]; i++) {
		*has_out |= rows->ordinals[row][i] == ordinal;
		near |= rows->ordinals[row][i] >> rows->hashing.near_log2 ==
		        ordinal >> rows->hashing.near_log2;
	}
	return near;
}

/* Looks up a term in every group. Counts the rows that have no term near it, and how many of these
 * pass nevertheless. */
static void check_term(const struct rows *rows, const struct bs_forward_filter *filter,
                       uint32_t ordinal, uint64_t *n_not, uint64_t *n_seem)
{
	struct bs_probe probe = bs_forward_filter_probe(filter->hashing, ordinal);
	for (uint32_t group = 0; group < bs_forward_groups(rows->n_rows); group++) {
		uint64_t found;
		ok(bs_forward_filter_rows(filter, group, probe, UINT64_MAX, &found, ERR));
		for (uint32_t i = 0; i < BS_FORWARD_GROUP_ROWS; i++) {
			uint32_t row = group * BS_FORWARD_GROUP_ROWS + i;
			bool passes = found >> i & 1;
			bool has = false;
			bool near = row < rows->n_rows && is_near(rows, row, ordinal, &has);
			assert_true(passes || !has);
			assert_true(row < rows->n_rows || !passes);
			*n_not += !near && row < rows->n_rows;
			*n_seem += passes && !near;
		}
	}
}

/* The filter is at most half full, so a row without a near term passes with a probability
 * of at most 2^-n_hashes. With few columns, up to five times as many rows may pass. */
static void check_rows(struct rows *rows, uint64_t *random, uint32_t n_asked)
{
	struct bs_forward_filter filter, none;
	uint64_t n_not = 0, n_seem = 0;
	write_filter(rows);
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	ok(bs_forward_filter_open(&filter, file, SHARD, rows->n_rows, rows->hashing, ERR));
	for (uint32_t i = 0; i < n_asked; i++)
		check_term(rows, &filter, (uint32_t)random_below(random, MOST_ORDINAL * 6 / 5),
		           &n_not, &n_seem);
	assert_true(n_seem << rows->hashing.n_hashes <=
	            5 * n_not + (UINT64_C(40) << rows->hashing.n_hashes));
	expect_status(
		bs_forward_filter_open(&none, file, SHARD, rows->n_rows + 64, rows->hashing, ERR),
		BS_CORRUPT);
	expect_status(
		bs_forward_filter_open(&none, file, SHARD + 1, rows->n_rows, rows->hashing, ERR),
		BS_CORRUPT);
}

static void test_rows(void **state)
{
	static const uint32_t row_counts[] = {1, 2, 63, 64, 65, 127, 128, 129, 300};
	static const uint32_t term_counts[] = {0, 1, 2, 10, 80};
	static struct rows rows = {.hashing = {7, 1}};
	uint64_t random = 21;
	for (size_t r = 0; r < COUNT(row_counts); r++) {
		for (size_t t = 0; t < COUNT(term_counts); t++) {
			draw_rows(&rows, row_counts[r], term_counts[t], &random);
			check_rows(&rows, &random, 200);
		}
	}
}

static void test_hashing(void **state)
{
	static const uint32_t impossible[][2] = {{0, 0},
	                                         {0, 1},
	                                         {BS_FORWARD_MOST_HASHES + 1, 1},
	                                         {7, BS_FORWARD_MOST_NEAR_LOG2 + 1},
	                                         {UINT32_MAX, 0},
	                                         {1, UINT32_MAX}};
	static struct rows rows;
	uint64_t random = 24;
	for (uint32_t n_hashes = 1; n_hashes <= BS_FORWARD_MOST_HASHES; n_hashes++) {
		for (uint32_t near_log2 = 0; near_log2 <= BS_FORWARD_MOST_NEAR_LOG2; near_log2++) {
			rows.hashing = (struct bs_forward_hashing){n_hashes, near_log2};
			draw_rows(&rows, 129, 80, &random);
			check_rows(&rows, &random, 20);
		}
	}
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	for (size_t i = 0; i < COUNT(impossible); i++) {
		struct bs_forward_filter none;
		struct bs_forward_hashing hashing = {impossible[i][0], impossible[i][1]};
		expect_status(bs_forward_filter_open(&none, file, SHARD, rows.n_rows, hashing, ERR),
		              BS_CORRUPT);
	}
}

static void test_width(void **state)
{
	const struct bs_forward_hashing hashing = {7, 1};
	assert_int_equal(bs_forward_filter_width(hashing, 0), 1);
	assert_int_equal(bs_forward_filter_width(hashing, 1), 11);
	assert_int_equal(bs_forward_filter_width(hashing, 100), 1010);
	assert_int_equal(bs_forward_filter_width(hashing, UINT64_MAX), UINT32_MAX / 2);
	assert_int_equal(bs_forward_filter_width((struct bs_forward_hashing){1, 4}, 100), 145);
}

static void test_damage(void **state)
{
	static struct rows rows;
	uint64_t random = 22;
	AUTO(bs_buffer_deinit) struct bs_buffer good = {0};
	unsigned n_told = 0;
	rows.hashing = (struct bs_forward_hashing){7, 1};
	draw_rows(&rows, 150, 9, &random);
	write_filter(&rows);
	read_bytes("file", &good);
	size_t table_off = (size_t)bs_load_u64(good.data + 24);
	for (int round = 0; round < 6000; round++) {
		AUTO(bs_container_close_at) struct bs_container *file = NULL;
		struct bs_forward_filter filter;
		bool is_sealed = round % 3;
		/* Every other round changes only the offsets, at the beginning. The other rounds
		 * with valid checksums also change the lengths of the sections. */
		size_t end = round % 2 ? 64 + 32 : is_sealed ? table_off + 64 : table_off;
		write_flipped(&good, end, is_sealed, &random);
		enum bs_status status =
			bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, ERR);
		if (status) {
			assert_int_equal(status, BS_CORRUPT);
			continue;
		}
		status = bs_forward_filter_open(&filter, file, SHARD, rows.n_rows, rows.hashing,
		                                ERR);
		for (uint32_t row = 0; row < rows.n_rows && !status; row++) {
			for (uint32_t i = 0; i < rows.n_terms[row] && !status; i++) {
				uint64_t found;
				struct bs_probe probe = bs_forward_filter_probe(
					filter.hashing, rows.ordinals[row][i]);
				status =
					bs_forward_filter_rows(&filter, row / BS_FORWARD_GROUP_ROWS,
				                               probe, UINT64_MAX, &found, ERR);
				assert_true(status || is_sealed ||
				            found >> (row % BS_FORWARD_GROUP_ROWS) & 1);
			}
		}
		assert_true(status == BS_OK || status == BS_CORRUPT);
		n_told += status == BS_CORRUPT;
	}
	assert_true(n_told > 2000);
}

RUN_FOLDER_TESTS(test_rows, test_hashing, test_width, test_damage)
