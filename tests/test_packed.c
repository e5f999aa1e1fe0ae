/* test_packed.c: every value comes out as it went in, at every width; damage is told or harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/bytes.h"
#include "core/file/packed.h"
#include "core_rig.h"

#define SECTION 7u
#define MOST    1000u

static void write_values(const uint64_t *values, uint64_t n, bool as_u32)
{
	struct bs_error err = {""};
	struct bs_file_writer *writer;
	uint32_t narrow[MOST];
	for (uint64_t i = 0; i < n && as_u32; i++)
		narrow[i] = (uint32_t)values[i];
	unlink("file");
	expect_ok(bs_file_writer_open(dir_at("."), "file", BS_FILE_SEGMENT, &writer, &err), &err);
	bs_file_writer_section(writer, SECTION, 0);
	if (as_u32)
		bs_packed_write_u32(writer, narrow, n);
	else
		bs_packed_write_u64(writer, values, n);
	expect_ok(bs_file_writer_finish(writer, NULL, &err), &err);
}

/* FORMAT.md read literally: bit by bit, and no byte that is not accounted for. */
static void check_twin(const struct bs_section *section, const uint64_t *values, uint64_t n)
{
	uint64_t n_blocks = (n + 127) / 128;
	uint64_t at = n_blocks * 16;
	for (uint64_t block = 0; block < n_blocks; block++) {
		uint64_t least = bs_load_u64(section->data + block * 16);
		uint64_t width = section->data[block * 16 + 8];
		uint64_t n_here = n - block * 128 < 128 ? n - block * 128 : 128;
		bool has_least = false, needs_width = width == 0;
		assert_int_equal(bs_load_u64(section->data + block * 16 + 8) >> 8, at);
		for (uint64_t i = 0; i < n_here; i++) {
			uint64_t more = 0;
			for (uint64_t bit = 0; bit < width; bit++) {
				uint64_t where = at * 8 + i * width + bit;
				more |= (uint64_t)(section->data[where / 8] >> (where % 8) & 1) << bit;
			}
			assert_int_equal(least + more, values[block * 128 + i]);
			has_least |= more == 0;
			needs_width |= width > 0 && more >> (width == 64 ? 56 : width - 1);
		}
		assert_true(has_least && needs_width);
		at += (n_here * width + 7) / 8;
	}
	assert_int_equal(bs_load_u64(section->data + at), n);
	assert_int_equal(at + 8, section->n_bytes);
}

static void check_values(const uint64_t *values, uint64_t n, bool as_u32)
{
	struct bs_error err = {""};
	struct bs_container *file;
	struct bs_packed packed, counted;
	uint64_t value, next;
	write_values(values, n, as_u32);
	expect_ok(bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, &err), &err);
	expect_ok(bs_packed_open(&packed, bs_container_section(file, SECTION, 0), n, &err), &err);
	expect_ok(bs_packed_open_counted(&counted, packed.section, &err), &err);
	assert_int_equal(counted.n, n);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t narrow;
		expect_ok(bs_packed_get(&packed, i, &value, &err), &err);
		assert_int_equal(value, values[i]);
		enum bs_status status = bs_packed_get_u32(&packed, i, &narrow, &err);
		assert_int_equal(status, values[i] > UINT32_MAX ? BS_CORRUPT : BS_OK);
		assert_true(status || narrow == values[i]);
		if (i + 1 < n) {
			expect_ok(bs_packed_get_span(&packed, i, &value, &next, &err), &err);
			assert_true(value == values[i] && next == values[i + 1]);
		}
	}
	expect_status(bs_packed_get(&packed, n, &value, &err), BS_CORRUPT, &err);
	expect_status(bs_packed_get(&packed, UINT64_MAX, &value, &err), BS_CORRUPT, &err);
	expect_ok(bs_packed_check(&packed, &err), &err);
	check_twin(&packed.section, values, n);
	bs_container_close(file);
}

static const uint64_t counts[] = {0, 1, 2, 7, 127, 128, 129, 255, 256, 257, MOST};

static void test_widths(void **state)
{
	(void)state;
	uint64_t random = 31;
	uint64_t values[MOST];
	for (unsigned width = 0; width <= BS_PACKED_WORD_WIDTH; width++) {
		for (size_t c = 0; c < COUNT(counts); c++) {
			uint64_t base = next_random(&random) >> random_below(&random, 60) >> 2;
			bool as_u32 = width <= 31 && c % 2;
			base = as_u32 ? base & INT32_MAX : base;
			for (uint64_t i = 0; i < counts[c]; i++)
				values[i] = base + (width ? next_random(&random) >> (64 - width) : 0);
			check_values(values, counts[c], as_u32);
		}
	}
}

/* Blocks of many widths behind each other, up to the largest numbers. */
static void test_mixed(void **state)
{
	(void)state;
	uint64_t random = 32;
	uint64_t values[MOST];
	for (int round = 0; round < 60; round++) {
		unsigned shift = 8;
		for (uint64_t i = 0; i < MOST; i++) {
			if (i % 128 == 0)
				shift = (unsigned)random_below(&random, 64);
			values[i] = UINT64_MAX - (next_random(&random) >> shift);
		}
		check_values(values, MOST, false);
	}
}

static void test_find(void **state)
{
	(void)state;
	uint64_t random = 33;
	uint64_t values[MOST];
	for (int round = 0; round < 40; round++) {
		struct bs_error err = {""};
		struct bs_container *file;
		struct bs_packed packed;
		uint64_t n = counts[random_below(&random, COUNT(counts))];
		uint64_t last = random_below(&random, 50);
		for (uint64_t i = 0; i < n; i++)
			last = values[i] = last + 1 + random_below(&random, round % 4 ? 1 + (uint64_t)round : 2);
		write_values(values, n, round % 2);
		expect_ok(bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, &err), &err);
		expect_ok(bs_packed_open(&packed, bs_container_section(file, SECTION, 0), n, &err), &err);
		uint64_t i = 0;
		for (uint64_t value = 0; value < last + 3; value++) {
			bool found;
			uint64_t where;
			expect_ok(bs_packed_find(&packed, value, &found, &where, &err), &err);
			i += i < n && values[i] < value;
			assert_true(found == (i < n && values[i] == value));
			assert_true(!found || where == i);
		}
		bs_container_close(file);
	}
}

static void test_wrong_counts(void **state)
{
	(void)state;
	struct bs_error err = {""};
	struct bs_container *file;
	struct bs_packed packed;
	uint64_t values[200] = {5};
	static const uint64_t wrong[] = {UINT32_MAX, UINT64_C(1) << 60, UINT64_MAX - 126, UINT64_MAX};
	write_values(values, 200, true);
	expect_ok(bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, &err), &err);
	struct bs_section section = bs_container_section(file, SECTION, 0);
	for (size_t i = 0; i < COUNT(wrong); i++)
		expect_status(bs_packed_open(&packed, section, wrong[i], &err), BS_CORRUPT, &err);
	/* As many blocks, or fewer: only a check can tell. */
	for (uint64_t n = 0; n < 256; n++) {
		expect_ok(bs_packed_open(&packed, section, n, &err), &err);
		assert_int_equal(bs_packed_check(&packed, &err), n == 200 ? BS_OK : BS_CORRUPT);
	}
	/* No section is no array, not even an empty one. */
	section = bs_container_section(file, SECTION + 1, 0);
	expect_status(bs_packed_open(&packed, section, 0, &err), BS_CORRUPT, &err);
	expect_status(bs_packed_open_counted(&packed, section, &err), BS_CORRUPT, &err);
	bs_container_close(file);
}

/* Reads all there is in every way; whether the values are the right ones goes to *same. */
static enum bs_status read_all(struct bs_section section, const uint64_t *values, uint64_t n, bool *same,
                               enum bs_status *checked, struct bs_error *err)
{
	struct bs_packed packed;
	enum bs_status status = bs_packed_open(&packed, section, n, err);
	*same = true;
	*checked = status ? status : bs_packed_check(&packed, err);
	for (uint64_t i = 0; i < n && !status; i++) {
		uint64_t value, where;
		bool found;
		status = bs_packed_get(&packed, i, &value, err);
		*same &= value == values[i];
		if (!status)
			status = bs_packed_find(&packed, values[i], &found, &where, err);
	}
	if (!status)
		status = bs_packed_open_counted(&packed, section, err);
	return status;
}

static void test_damage(void **state)
{
	(void)state;
	uint64_t random = 34;
	uint64_t values[300];
	struct bs_buffer good = {0};
	struct bs_buffer bad = {0};
	unsigned n_told = 0;
	for (uint64_t i = 0; i < COUNT(values); i++)
		values[i] = i * 9 + random_below(&random, 9);
	write_values(values, COUNT(values), false);
	read_bytes("file", &good);
	size_t table_off = (size_t)bs_load_u64(good.data + 24);
	for (int round = 0; round < 6000; round++) {
		struct bs_error err = {""};
		struct bs_container *file;
		bool is_sealed = round % 3;
		bs_buffer_clear(&bad);
		expect_ok(bs_buffer_append(&bad, good.data, good.used_bytes, &err), &err);
		/* The directory, which stands first, more often than bits; with right checksums the section's length, too. */
		size_t end = round % 2 ? 64 + 3 * BS_PACKED_ENTRY_BYTES : is_sealed ? table_off + 32 : table_off;
		for (uint64_t flips = 1 + random_below(&random, 3); flips > 0; flips--)
			bad.data[64 + random_below(&random, end - 64)] ^= (uint8_t)(1u << random_below(&random, 8));
		if (is_sealed)
			reseal(bad.data, bad.used_bytes);
		write_bytes("file", bad.data, bad.used_bytes);
		enum bs_status status = bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, &err);
		if (status) {
			assert_int_equal(status, BS_CORRUPT);
			continue;
		}
		bool same;
		enum bs_status checked;
		struct bs_section section = bs_container_section(file, SECTION, 0);
		status = read_all(section, values, COUNT(values), &same, &checked, &err);
		assert_true(status == BS_OK || status == BS_CORRUPT);
		/* What passes a check gives the values of some array, and what the checksums show no wrong one. */
		assert_true(checked == BS_CORRUPT || status == BS_OK);
		assert_true(status || same || is_sealed);
		n_told += checked == BS_CORRUPT;
		bs_container_close(file);
	}
	assert_true(n_told > 2000);
	bs_buffer_deinit(&good);
	bs_buffer_deinit(&bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(test_widths),
		FOLDER_TEST(test_mixed),
		FOLDER_TEST(test_find),
		FOLDER_TEST(test_wrong_counts),
		FOLDER_TEST(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
