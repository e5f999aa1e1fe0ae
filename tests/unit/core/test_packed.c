/* test_packed.c: values of every width are read as they were written; damage is detected or
 * harmless. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/file/packed.h"
#include "tests/rigs/core_rig.h"

#define SECTION 7u
#define MOST    1000u
/* An array of this length can have blocks with slopes, one of 1,000 values cannot (FORMAT.md). */
#define LONG 4200u

static void write_values(const uint64_t *values, uint64_t n, bool as_u32)
{
	uint32_t narrow[LONG];
	for (uint64_t i = 0; i < n && as_u32; i++)
		narrow[i] = (uint32_t)values[i];
	unlink("file");
	struct bs_file_writer *writer = new_file("file");
	if (as_u32)
		bs_packed_write_u32(writer, SECTION, 0, narrow, n);
	else
		bs_packed_write_u64(writer, SECTION, 0, values, n);
	finish_file(writer);
}

/* The entry of a block, as FORMAT.md defines it. Value i of the block is first + i * slope / 256 -
 * sunk plus a number of `width` bits. `at` is the byte at which these bits begin. */
struct twin {
	uint64_t width, at, sunk, first, slope;
	bool is_sloped;
};

static struct twin twin_of(const uint8_t *entry)
{
	uint64_t low = bs_load_u64(entry);
	uint64_t high = bs_load_u64(entry + 8);
	if (high % 256 < 128)
		return (struct twin){.width = high % 256, .at = high / 256, .first = low};
	return (struct twin){.width = high % 256 - 128,
	                     .at = high / 256 % (UINT64_C(1) << 40),
	                     .sunk = high / (UINT64_C(1) << 48),
	                     .first = low % (UINT64_C(1) << 40),
	                     .slope = low / (UINT64_C(1) << 40),
	                     .is_sloped = true};
}

/* Decodes every value bit by bit, and checks that the blocks use every byte. Returns the number of
 * blocks with slopes. */
static uint64_t check_twin(const struct bs_section *section, const uint64_t *values, uint64_t n)
{
	uint64_t n_blocks = (n + 127) / 128;
	uint64_t at = n_blocks * 16;
	uint64_t n_sloped = 0;
	for (uint64_t block = 0; block < n_blocks; block++) {
		struct twin twin = twin_of(section->data + block * 16);
		uint64_t n_here = n - block * 128 < 128 ? n - block * 128 : 128;
		uint64_t where = at * 8;
		bool has_least = false, needs_width = twin.width == 0;
		assert_int_equal(twin.at, at);
		assert_true(!twin.is_sloped || (n >= 4096 && twin.first == values[block * 128]));
		for (uint64_t i = 0; i < n_here; i++) {
			uint64_t more = take_bits(section->data, &where, twin.width);
			assert_int_equal(twin.first + i * twin.slope / 256 - twin.sunk + more,
			                 values[block * 128 + i]);
			has_least |= more == 0;
			needs_width |=
				twin.width > 0 && more >> (twin.width == 64 ? 56 : twin.width - 1);
		}
		assert_true(has_least && needs_width);
		at += (n_here * twin.width + 7) / 8;
		n_sloped += twin.is_sloped;
	}
	assert_int_equal(bs_load_u64(section->data + at), n);
	assert_int_equal(at + 8, section->n_bytes);
	return n_sloped;
}

/* Returns the number of blocks with slopes. */
static uint64_t check_values(const uint64_t *values, uint64_t n, bool as_u32)
{
	struct bs_packed packed, counted;
	uint64_t value, next;
	write_values(values, n, as_u32);
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	ok(bs_packed_open(&packed, bs_container_section(file, SECTION, 0), n, ERR));
	ok(bs_packed_open_counted(&counted, packed.section, ERR));
	assert_int_equal(counted.n, n);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t narrow;
		ok(bs_packed_get(&packed, i, &value, ERR));
		assert_int_equal(value, values[i]);
		enum bs_status status = bs_packed_get_u32(&packed, i, &narrow, ERR);
		assert_int_equal(status, values[i] > UINT32_MAX ? BS_CORRUPT : BS_OK);
		assert_true(status || narrow == values[i]);
		if (i + 1 < n) {
			ok(bs_packed_get_span(&packed, i, &value, &next, ERR));
			assert_true(value == values[i] && next == values[i + 1]);
		}
	}
	expect_status(bs_packed_get(&packed, n, &value, ERR), BS_CORRUPT);
	expect_status(bs_packed_get(&packed, UINT64_MAX, &value, ERR), BS_CORRUPT);
	ok(bs_packed_check(&packed, ERR));
	uint64_t n_sloped = check_twin(&packed.section, values, n);
	assert_int_equal(bs_container_features(file), n_sloped > 0 ? BS_FEATURE_SLOPED_NUMBERS : 0);
	return n_sloped;
}

static const uint64_t counts[] = {0, 1, 2, 7, 127, 128, 129, 255, 256, 257, MOST};

static void test_widths(void **state)
{
	uint64_t random = 31, values[MOST];
	for (unsigned width = 0; width <= BS_PACKED_WORD_WIDTH; width++) {
		for (size_t c = 0; c < COUNT(counts); c++) {
			uint64_t base = next_random(&random) >> random_below(&random, 60) >> 2;
			bool as_u32 = width <= 31 && c % 2;
			base = as_u32 ? base & INT32_MAX : base;
			for (uint64_t i = 0; i < counts[c]; i++)
				values[i] =
					base + (width ? next_random(&random) >> (64 - width) : 0);
			check_values(values, counts[c], as_u32);
		}
	}
}

/* Adjacent blocks of many widths, up to the largest numbers. */
static void test_mixed(void **state)
{
	uint64_t random = 32, values[MOST];
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

/* Numbers from `first` that increase by `step` on average, with noise. */
static void make_slope(uint64_t *values, uint64_t n, uint64_t first, uint64_t step, uint64_t noise,
                       uint64_t *random)
{
	uint64_t line = first;
	for (uint64_t i = 0; i < n; i++) {
		values[i] = line + random_below(random, noise);
		line += random_below(random, 2 * step);
	}
}

static void test_slopes(void **state)
{
	uint64_t random = 35, values[LONG];
	static const uint64_t steps[] = {1, 2, 9, 300, 5000};
	for (size_t s = 0; s < COUNT(steps); s++) {
		uint64_t noise = 1 + random_below(&random, 5 * steps[s]);
		make_slope(values, LONG, random_below(&random, 1000), steps[s], noise, &random);
		assert_int_equal(check_values(values, 4095, s % 2), 0);
		assert_int_equal(check_values(values, 4096, s % 2), 32);
		/* The last block has a single number. */
		assert_true(check_values(values, 4097, s % 2) >= 32);
		assert_true(check_values(values, LONG, s % 2) >= 32);
	}
	/* Every block of values that grow by a constant has a slope. Blocks of descending values
	 * have none, because a stored slope is not negative. */
	for (uint64_t i = 0; i < LONG; i++)
		values[i] = i * 7;
	assert_int_equal(check_values(values, LONG, true), (LONG + 127) / 128);
	for (uint64_t i = 0; i < LONG; i++)
		values[i] = (LONG - i) * 7;
	assert_int_equal(check_values(values, LONG, true), 0);
}

/* Blocks at the limits of what an entry with a slope can represent. */
static void test_slopes_with_limits(void **state)
{
	uint64_t random = 36, values[LONG];
	/* Numbers that reach 2^40, the limit of `first`, in the middle. */
	make_slope(values, LONG, (UINT64_C(1) << 40) - 2100 * 50, 50, 20, &random);
	uint64_t n_sloped = check_values(values, LONG, false);
	assert_true(n_sloped >= 15 && n_sloped <= 18);
	/* Steps that are too large; values 65,535 (the limit) or 65,536 below the line of a
	 * block. */
	make_slope(values, LONG, 5, 70000, 1000, &random);
	assert_int_equal(check_values(values, LONG, false), 0);
	for (uint64_t deep = 65535; deep <= 65536; deep++) {
		for (uint64_t i = 0; i < LONG; i++)
			values[i] = i * 60000 + (i % 128 == 5 ? 0 : deep);
		assert_int_equal(check_values(values, LONG, false),
		                 deep == 65535 ? (LONG + 127) / 128 : 0);
	}
	/* Slopes save bytes if every other block is noise, but not if 15 of 16 blocks are. */
	for (uint64_t share = 2; share <= 16; share += 14) {
		for (uint64_t i = 0; i < LONG; i++)
			values[i] = i / 128 % share ? next_random(&random) >> 40 : i * 40;
		assert_int_equal(check_values(values, LONG, false) > 0, share == 2);
	}
}

static void test_find(void **state)
{
	uint64_t random = 33, values[LONG];
	for (int round = 0; round < 44; round++) {
		struct bs_packed packed;
		uint64_t n = round < 40 ? counts[random_below(&random, COUNT(counts))]
		                        : LONG - (uint64_t)round;
		uint64_t last = random_below(&random, 50);
		for (uint64_t i = 0; i < n; i++)
			last = values[i] =
				last + 1 +
				random_below(&random, round % 4 ? 1 + (uint64_t)round : 2);
		write_values(values, n, round % 2);
		AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
		ok(bs_packed_open(&packed, bs_container_section(file, SECTION, 0), n, ERR));
		uint64_t i = 0;
		for (uint64_t value = 0; value < last + 3; value++) {
			bool found;
			uint64_t where;
			ok(bs_packed_find(&packed, value, &found, &where, ERR));
			i += i < n && values[i] < value;
			assert_true(found == (i < n && values[i] == value));
			assert_true(!found || where == i);
		}
	}
}

static void test_wrong_counts(void **state)
{
	struct bs_packed packed;
	uint64_t values[200] = {5};
	static const uint64_t wrong[] = {UINT32_MAX, UINT64_C(1) << 60, UINT64_MAX - 126,
	                                 UINT64_MAX};
	write_values(values, 200, true);
	AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
	struct bs_section section = bs_container_section(file, SECTION, 0);
	for (size_t i = 0; i < COUNT(wrong); i++)
		expect_status(bs_packed_open(&packed, section, wrong[i], ERR), BS_CORRUPT);
	/* Opening accepts a wrong number of values if they need no more blocks than the section
	 * has; only the check detects it. */
	for (uint64_t n = 0; n < 256; n++) {
		ok(bs_packed_open(&packed, section, n, ERR));
		assert_int_equal(bs_packed_check(&packed, ERR), n == 200 ? BS_OK : BS_CORRUPT);
	}
	/* A missing section is not even an empty array. */
	section = bs_container_section(file, SECTION + 1, 0);
	expect_status(bs_packed_open(&packed, section, 0, ERR), BS_CORRUPT);
	expect_status(bs_packed_open_counted(&packed, section, ERR), BS_CORRUPT);
}

/* Reads, finds and checks all values; *same: they are the expected values. */
static enum bs_status read_all(struct bs_section section, const uint64_t *values, uint64_t n,
                               bool *same, enum bs_status *checked, struct bs_error *err)
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

static void damage(uint64_t *values, uint64_t n, int n_rounds)
{
	uint64_t random = 34;
	AUTO(bs_buffer_deinit) struct bs_buffer good = {0};
	unsigned n_told = 0;
	for (uint64_t i = 0; i < n; i++)
		values[i] = i * 9 + random_below(&random, 9);
	write_values(values, n, false);
	read_bytes("file", &good);
	size_t table_off = (size_t)bs_load_u64(good.data + 24);
	for (int round = 0; round < n_rounds; round++) {
		AUTO(bs_container_close_at) struct bs_container *file = NULL;
		bool is_sealed = round % 3;
		/* Every other round changes only the directory of blocks, at the beginning. The
		 * other rounds with valid checksums also change the length of the section. */
		size_t end = round % 2   ? 64 + (n + 127) / 128 * BS_PACKED_ENTRY_BYTES
		             : is_sealed ? table_off + 32
		                         : table_off;
		write_flipped(&good, end, is_sealed, &random);
		enum bs_status status =
			bs_container_open(dir_at("."), "file", BS_FILE_SEGMENT, &file, ERR);
		if (status) {
			assert_int_equal(status, BS_CORRUPT);
			continue;
		}
		bool same;
		enum bs_status checked;
		struct bs_section section = bs_container_section(file, SECTION, 0);
		status = read_all(section, values, n, &same, &checked, ERR);
		assert_true(status == BS_OK || status == BS_CORRUPT);
		/* If a check passes, all values can be read. Damage that checksums detect gives no
		 * wrong value. */
		assert_true(checked == BS_CORRUPT || status == BS_OK);
		assert_true(status || same || is_sealed);
		n_told += checked == BS_CORRUPT;
	}
	assert_true(n_told > (unsigned)n_rounds / 3);
}

static void test_damage(void **state)
{
	uint64_t values[LONG];
	damage(values, 300, 6000);
	damage(values, LONG, 600);
}

RUN_FOLDER_TESTS(test_widths, test_mixed, test_slopes, test_slopes_with_limits, test_find,
                 test_wrong_counts, test_damage)
