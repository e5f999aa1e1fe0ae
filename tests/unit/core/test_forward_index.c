/* test_forward_index.c: forward indexes contain exactly the ordinals that were added; damage is
 * harmless. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_index.h"
#include "tests/rigs/core_rig.h"

/* ---- making lists ---- */

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Makes at most n distinct ordinals below `limit`, in runs of up to `run`; returns how many. */
static uint32_t make_ordinals(uint32_t *ordinals, uint32_t n, uint64_t limit, uint32_t run,
                              uint64_t *random)
{
	uint32_t n_made = 0;
	for (uint32_t i = 0; i < n;) {
		uint64_t first = random_below(random, limit);
		for (uint64_t j = 1 + random_below(random, run); j > 0 && i < n; j--, i++)
			ordinals[i] = (uint32_t)(first + j <= limit ? first + j - 1 : first);
	}
	qsort(ordinals, n, sizeof(*ordinals), compare_u32);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || ordinals[i] != ordinals[n_made - 1])
			ordinals[n_made++] = ordinals[i];
	return n_made;
}

static void write_list(const char *path, const struct bs_buffer *list)
{
	unlink(path);
	struct bs_file_writer *writer = new_file(path);
	bs_file_writer_section(writer, BS_SECTION_FORWARD_TERMS, 0);
	bs_file_writer_bytes(writer, list->data, list->used_bytes);
	finish_file(writer);
}

static struct bs_container *open_list(const char *path, struct bs_section *section)
{
	struct bs_container *file = open_file(path);
	*section = bs_container_section(file, BS_SECTION_FORWARD_TERMS, 0);
	return file;
}

/* ---- a reader that follows FORMAT.md literally ---- */

static uint64_t read_gamma(const uint8_t *bytes, uint64_t *at)
{
	uint32_t n_zeros = 0;
	while (!take_bits(bytes, at, 1))
		n_zeros++;
	return UINT64_C(1) << n_zeros | take_bits(bytes, at, n_zeros);
}

static void check_twin(const uint8_t *list, uint64_t n_bytes, const uint32_t *ordinals, uint32_t n)
{
	uint32_t n_runs = bs_load_u32(list + 4);
	uint32_t n_samples = (n_runs - 1) / 32;
	const uint8_t *pairs = list + 8 + n_samples * 8;
	uint64_t at = 0, next = 0;
	uint32_t i = 0;
	assert_int_equal(bs_load_u32(list), n);
	for (uint32_t r = 0; r < n_runs; r++) {
		if (r > 0 && r % 32 == 0) {
			assert_int_equal(bs_load_u32(list + 8 + (r / 32 - 1) * 8), next);
			assert_int_equal(bs_load_u32(list + 8 + (r / 32 - 1) * 8 + 4), at);
		}
		uint64_t gap = (read_gamma(pairs, &at) - 1) * 16;
		gap += take_bits(pairs, &at, 4);
		uint64_t ordinal = next + gap + (r > 0);
		for (uint64_t length = read_gamma(pairs, &at); length > 0; length--)
			assert_int_equal(ordinal++, ordinals[i++]);
		next = ordinal;
	}
	assert_int_equal(i, n);
	assert_int_equal(pairs + (at + 7) / 8 - list, n_bytes);
}

/* ---- looking up ---- */

static bool is_in(const uint32_t *ordinals, uint32_t n, uint64_t ordinal)
{
	uint32_t place;
	BS_BINARY_SEARCH(place, i, 0, n, ordinals[i] < ordinal);
	return place < n && ordinals[place] == ordinal;
}

static void check_has(const struct bs_section *section, uint64_t start, uint64_t end,
                      const uint32_t *ordinals, uint32_t n, uint64_t ordinal)
{
	bool has;
	ok(bs_forward_index_has(section, start, end, ordinal, &has, ERR));
	assert_int_equal(has, is_in(ordinals, n, ordinal));
}

static void check_list(const uint32_t *ordinals, uint32_t n, uint64_t limit, uint64_t *random)
{
	AUTO(bs_buffer_deinit) struct bs_buffer list = {0}, again = {0};
	struct bs_section section;
	uint32_t n_counted;
	/* The list is surrounded by bytes that belong to no list. */
	uint64_t start = random_below(random, 20);
	for (uint64_t i = 0; i < start; i++)
		append_bytes(&list, "\xff", 1);
	ok(bs_forward_index_append(&list, ordinals, n, ERR));
	uint64_t end = list.used_bytes;
	assert_int_equal(end - start, bs_forward_index_bytes(ordinals, n));
	append_bytes(&list, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", random_below(random, 10));
	write_list("list", &list);
	AUTO(bs_container_close_at) struct bs_container *file = open_list("list", &section);
	if (n > 0)
		check_twin(list.data + start, end - start, ordinals, n);
	ok(bs_forward_index_count(&section, start, end, &n_counted, ERR));
	assert_int_equal(n_counted, n);
	ok(bs_forward_index_read(&section, start, end, UINT32_MAX, &again, ERR));
	assert_int_equal(again.used_bytes, (size_t)n * 4);
	if (n > 0) {
		assert_memory_equal(again.data, ordinals, again.used_bytes);
		/* Reads the list for a lexicon that has all these terms, then for one that lacks
		 * the last term. */
		ok(bs_forward_index_read(&section, start, end, ordinals[n - 1] + UINT64_C(1),
		                         &again, ERR));
		expect_status(
			bs_forward_index_read(&section, start, end, ordinals[n - 1], &again, ERR),
			BS_CORRUPT);
	}
	for (uint32_t i = 0; i < n; i += 1 + n / 1000)
		for (uint64_t near = 0; near < 5; near++)
			check_has(&section, start, end, ordinals, n,
			          (uint64_t)ordinals[i] + near - (ordinals[i] >= 2 ? 2 : 0));
	for (int i = 0; i < 200; i++)
		check_has(&section, start, end, ordinals, n, random_below(random, limit));
	static const uint64_t far[] = {0, 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
	for (size_t i = 0; i < COUNT(far); i++)
		check_has(&section, start, end, ordinals, n, far[i]);
}

static void test_random(void **state)
{
	static uint32_t ordinals[30000];
	uint64_t random = 51;
	static const uint64_t limits[] = {
		1, 2, 100, 129, 5000, 70000, 5500000, UINT64_C(1) << 31, UINT32_MAX};
	static const uint32_t runs[] = {1, 10, 3000};
	for (size_t l = 0; l < COUNT(limits); l++)
		for (size_t r = 0; r < COUNT(runs); r++)
			for (uint32_t n = 1; n <= COUNT(ordinals); n = n * 5 + 2)
				check_list(ordinals,
				           make_ordinals(ordinals, n, limits[l], runs[r], &random),
				           limits[l], &random);
	check_list(ordinals, 0, 10, &random);
}

/* Lists with extreme shapes: a run of the smallest ordinals; this run and the largest ordinal; a
 * run of the largest ordinals. */
static void test_extremes(void **state)
{
	static uint32_t ordinals[5000];
	uint64_t random = 52;
	for (uint32_t n = 1; n < COUNT(ordinals); n = n * 2 + 1) {
		for (uint32_t i = 0; i < n; i++)
			ordinals[i] = i;
		check_list(ordinals, n, n + 10, &random);
		ordinals[n] = UINT32_MAX - 1;
		check_list(ordinals, n + 1, UINT32_MAX, &random);
		for (uint32_t i = 0; i < n; i++)
			ordinals[i] = UINT32_MAX - 1 - n + i;
		check_list(ordinals, n + 1, UINT32_MAX, &random);
	}
}

/* ---- damage ---- */

/* Changes every byte of small lists, under valid checksums. Reading must either fail or give a list
 * that is encoded to the same bytes. A lookup may give any answer or BS_CORRUPT. */
static void test_damage(void **state)
{
	static const uint8_t harmful[] = {0x01, 0x80, 0x7f, 0xff};
	static const uint64_t limits[] = {60, 2000, UINT32_MAX};
	uint64_t random = 54;
	for (size_t l = 0; l < COUNT(limits); l++) {
		uint32_t ordinals[300];
		AUTO(bs_buffer_deinit)
		struct bs_buffer list = {0}, bad = {0}, read = {0}, again = {0};
		struct bs_section section;
		uint32_t n = make_ordinals(ordinals, 300, limits[l], 2, &random);
		ok(bs_forward_index_append(&list, ordinals, n, ERR));
		for (size_t i = 0; i < list.used_bytes * COUNT(harmful); i++) {
			copy_bytes(&bad, &list);
			bad.data[i / COUNT(harmful)] ^= harmful[i % COUNT(harmful)];
			write_list("list", &bad);
			AUTO(bs_container_close_at)
			struct bs_container *file = open_list("list", &section);
			enum bs_status status = bs_forward_index_read(&section, 0, section.n_bytes,
			                                              UINT32_MAX, &read, ERR);
			assert_true(status == BS_OK || status == BS_CORRUPT);
			if (!status) {
				bs_buffer_clear(&again);
				ok(bs_forward_index_append(
					&again, (const uint32_t *)(const void *)read.data,
					(uint32_t)(read.used_bytes / 4), ERR));
				assert_buffers_equal(&again, &bad);
			}
			for (int j = 0; j < 20; j++) {
				bool has;
				status = bs_forward_index_has(&section, 0, section.n_bytes,
				                              random_below(&random, limits[l] + 1),
				                              &has, ERR);
				assert_true(status == BS_OK || status == BS_CORRUPT);
			}
		}
	}
}

RUN_FOLDER_TESTS(test_random, test_extremes, test_damage)
