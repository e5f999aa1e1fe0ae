/* test_vector.c: typed vectors (core/base/vector.h) and binary search
 * (core/collections/binary_search.h). */
#include "core/base/vector.h"
#include "core/collections/binary_search.h"
#include "tests/rigs/core_rig.h"

struct point {
	uint32_t x;
	uint64_t y;
};

BS_VECTOR(points, struct point);

static void test_appends(void **state)
{
	struct points points = {0};
	assert_int_equal(bs_vector_n(&points), 0);
	assert_null(points.items);
	for (uint32_t i = 0; i < 1000; i++) {
		const struct point point = {i, (uint64_t)i * i};
		ok(bs_vector_append(&points, &point, ERR));
		assert_int_equal(bs_vector_n(&points), i + 1);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(points.items[i].x, i);
		assert_int_equal(points.items[i].y, (uint64_t)i * i);
	}
	const struct point *kept = points.items;
	bs_vector_clear(&points);
	assert_int_equal(bs_vector_n(&points), 0);
	const struct point another = {7, 8};
	ok(bs_vector_append(&points, &another, ERR));
	assert_ptr_equal(points.items, kept);
	assert_int_equal(points.items[0].y, 8);
	bs_vector_deinit(&points);
	assert_int_equal(bs_vector_n(&points), 0);
	assert_null(points.items);
}

static void test_extends(void **state)
{
	static const uint16_t numbers[] = {3, 1, 4, 1, 5};
	AUTO(vector_deinit) struct bs_u16s list = {0};
	ok(bs_vector_extend(&list, numbers, 0, ERR));
	assert_int_equal(bs_vector_n(&list), 0);
	ok(bs_vector_extend(&list, numbers, COUNT(numbers), ERR));
	ok(bs_vector_extend(&list, numbers + 2, 2, ERR));
	assert_int_equal(bs_vector_n(&list), 7);
	assert_memory_equal(list.items, numbers, sizeof(numbers));
	assert_int_equal(list.items[5], 4);
	assert_int_equal(list.items[6], 1);
}

static void test_room(void **state)
{
	AUTO(vector_deinit) struct bs_u64s list = {0};
	ok(bs_vector_reserve(&list, 100, ERR));
	assert_int_equal(bs_vector_n(&list), 0);
	uint64_t *items = list.items;
	for (uint64_t i = 0; i < 100; i++)
		items[i] = i;
	bs_vector_set_n(&list, 100);
	assert_int_equal(bs_vector_n(&list), 100);
	assert_int_equal(list.items[99], 99);
	bs_vector_set_n(&list, 40);
	assert_int_equal(bs_vector_n(&list), 40);
	/* A failure leaves the vector unchanged. */
	expect_status(bs_vector_reserve(&list, SIZE_MAX / 16, ERR), BS_NO_MEMORY);
	assert_int_equal(bs_vector_n(&list), 40);
	assert_int_equal(list.items[39], 39);
}

/* Searches every part of an array, also empty parts, for every number up to 17. */
static void test_search(void **state)
{
	static const uint32_t items[] = {2, 4, 4, 4, 8, 10, 10, 16};
	for (size_t low = 0; low <= COUNT(items); low++) {
		for (size_t high = low; high <= COUNT(items); high++) {
			for (uint32_t wanted = 0; wanted <= 17; wanted++) {
				uint32_t found;
				size_t expected = low;
				BS_BINARY_SEARCH(found, i, low, high, items[i] < wanted);
				while (expected < high && items[expected] < wanted)
					expected++;
				assert_int_equal(found, expected);
			}
		}
	}
}

/* A search reads no item outside its bounds, and only a few within them. */
static void test_search_looks(void **state)
{
	for (uint64_t wanted = 1000; wanted <= 2024; wanted += 64) {
		size_t n_looks = 0;
		uint64_t found;
		BS_BINARY_SEARCH(found, i, 1000, 2024,
		                 (n_looks++, assert_in_range(i, 1000, 2023), i < wanted));
		assert_int_equal(found, wanted);
		assert_true(n_looks <= 11);
	}
}

RUN_TESTS(test_appends, test_extends, test_room, test_search, test_search_looks)
