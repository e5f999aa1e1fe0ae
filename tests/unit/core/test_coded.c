/* test_coded.c: coded numbers decode to the same numbers, whatever their gaps; damage is detected
 * or harmless. */
#include <math.h>

#include "core/base/bytes.h"
#include "core/file/coded.h"
#include "tests/rigs/core_rig.h"

static int compare(const void *a, const void *b)
{
	return bs_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static size_t make_set(uint64_t *numbers, size_t n)
{
	size_t n_left = 0;
	qsort(numbers, n, sizeof(*numbers), compare);
	for (size_t i = 0; i < n; i++)
		if (n_left == 0 || numbers[n_left - 1] != numbers[i])
			numbers[n_left++] = numbers[i];
	return n_left;
}

/* Decodes the bytes bit by bit as FORMAT.md says, and compares the numbers. */
static void check_literally(const uint8_t *bytes, size_t n_bytes, const uint64_t *numbers, size_t n)
{
	uint64_t n_bits = bs_load_u64(bytes + 8), n_blocks = (n + 511) / 512, at = 0, value = 0,
		 before = 0;
	uint8_t code = bytes[16], first_bytes = bytes[18], place_bytes = bytes[19];
	const uint8_t *entry = bytes + 24,
		      *bits = entry + n_blocks * (uint64_t)(first_bytes + place_bytes);
	assert_int_equal(bs_load_u64(bytes), n);
	assert_int_equal(n_bytes % 8, 0);
	for (size_t i = 0; i < n; i++) {
		if (i % 512 == 0) {
			uint64_t first = 0, place = 0;
			memcpy(&first, entry, first_bytes);
			memcpy(&place, entry + first_bytes, place_bytes);
			entry += first_bytes + place_bytes;
			assert_int_equal(place, at);
			value = first;
			before = 0;
		} else {
			uint64_t quotient = 0, gap, k = 0;
			while (take_bits(bits, &at, 1) == 0)
				quotient++;
			while (before + 1 >= UINT64_C(4) << 2 * k)
				k++;
			gap = code == 65 ? (UINT64_C(1) << (quotient + k)) +
			                           take_bits(bits, &at, quotient + k) -
			                           (UINT64_C(1) << k)
			                 : (quotient << code) + take_bits(bits, &at, code);
			value += gap + bytes[17];
			before = gap;
		}
		assert_int_equal(value, numbers[i]);
	}
	assert_int_equal(at, n_bits);
	for (const uint8_t *rest = bits + (n_bits + 7) / 8; rest < bytes + n_bytes; rest++)
		assert_int_equal(*rest, 0);
}

static bool stands_there(const uint64_t *numbers, size_t n, uint64_t number)
{
	return n && bsearch(&number, numbers, n, sizeof(number), compare) != NULL;
}

static size_t check_numbers(const uint64_t *numbers, size_t n)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, again = {0};
	struct bs_coded coded;
	uint64_t random = 7;
	append_bytes(&bytes, "before!", 8);
	ok(bs_coded_write(numbers, n, &bytes, ERR));
	size_t n_bytes = bytes.used_bytes - 8;
	check_literally(bytes.data + 8, n_bytes, numbers, n);
	/* A copy of the exact size, so that a sanitizer detects reads past the end. */
	FREED uint8_t *copy = malloc(n_bytes);
	memcpy(copy, bytes.data + 8, n_bytes);
	ok(bs_coded_open(copy, n_bytes, &coded, ERR));
	assert_int_equal(coded.n_bytes, n_bytes);
	ok(bs_coded_read(&coded, &again, ERR));
	assert_int_equal(again.used_bytes, n * sizeof(*numbers));
	assert_true(n == 0 || memcmp(again.data, numbers, again.used_bytes) == 0);
	for (size_t i = 0; i < 600; i++) {
		uint64_t number = i < 300 && n
		                          ? numbers[random_below(&random, n)] + i % 3 - 1
		                          : random_below(&random, (n ? numbers[n - 1] : 0) + 10);
		bool has;
		ok(bs_coded_has(&coded, number, &has, ERR));
		assert_int_equal(has, stands_there(numbers, n, number));
	}
	for (size_t cut = 0; cut < n_bytes; cut += 1 + n_bytes / 50)
		assert_int_equal(bs_coded_open(copy, cut, &coded, NULL), BS_CORRUPT);
	return n_bytes;
}

static void test_edges(void **state)
{
	static const uint64_t few[] = {
		0, 0, 1, 5, 5, 5, BS_CODED_MOST - 1, BS_CODED_MOST, BS_CODED_MOST};
	uint64_t many[1000];
	check_numbers(few, 0);
	for (size_t first = 0; first < COUNT(few); first++)
		for (size_t n = 1; first + n <= COUNT(few); n++)
			check_numbers(few + first, n);
	for (size_t n = 510; n < 516; n++) {
		for (size_t i = 0; i < n; i++)
			many[i] = 3 * i;
		check_numbers(many, n);
		memset(many, 0, sizeof(many));
		check_numbers(many, n);
		many[n - 1] = BS_CODED_MOST;
		check_numbers(many, n);
	}
}

static void test_random(void **state)
{
	static uint64_t numbers[20000];
	uint64_t random = 42;
	for (int round = 0; round < 300; round++) {
		size_t n = random_below(&random, round % 10 ? 1500 : COUNT(numbers));
		uint64_t below = UINT64_C(1) << random_below(&random, 57),
			 crowd = 1 + random_below(&random, 40);
		uint64_t value = 0;
		for (size_t i = 0; i < n; i++) {
			if (round % 2)
				numbers[i] = random_below(&random, below);
			else /* small gaps, and now and then a large one */
				numbers[i] = value += random_below(&random, crowd)
				                              ? random_below(&random, 3)
				                              : random_below(&random, 1 << 20);
		}
		qsort(numbers, n, sizeof(*numbers), compare);
		check_numbers(numbers, n);
		check_numbers(numbers, make_set(numbers, n));
	}
}

/* A large gap in a block that the writer does not sample when it chooses the code. */
static void test_outlier(void **state)
{
	static uint64_t numbers[100000];
	for (size_t i = 0; i < COUNT(numbers); i++)
		numbers[i] = 100 * i + (i >= 77777 ? UINT64_C(1) << 50 : 0);
	assert_true(check_numbers(numbers, COUNT(numbers)) < COUNT(numbers) * 8);
}

/* Codes hashes drawn below N / rate. The code takes at most log2(1 / rate) + 1.65 bits per hash. */
static void test_size(void **state)
{
	enum {
		N = 100000
	};
	static uint64_t numbers[N];
	uint64_t random = 3;
	for (double rate = 0.1; rate > 0.0005; rate /= 10) {
		for (size_t i = 0; i < N; i++)
			numbers[i] = random_below(&random, (uint64_t)(N / rate));
		size_t n = make_set(numbers, N), n_bytes = check_numbers(numbers, n);
		print_message("rate %g: %.3f bits a key, bound %.3f\n", rate,
		              8.0 * (double)n_bytes / (double)n, log2(1 / rate) + log2(M_E));
		assert_true(8.0 * (double)n_bytes / (double)n < log2(1 / rate) + 1.65);
	}
}

/* Reading changed bytes gives an error or some numbers; a sanitizer detects reads out of bounds. */
static void test_damage(void **state)
{
	uint64_t numbers[700], random = 99;
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, again = {0};
	for (size_t i = 0; i < COUNT(numbers); i++)
		numbers[i] = random_below(&random, 1 << 20);
	size_t n = make_set(numbers, COUNT(numbers));
	ok(bs_coded_write(numbers, n, &bytes, ERR));
	for (int round = 0; round < 20000; round++) {
		FREED uint8_t *copy = malloc(bytes.used_bytes);
		struct bs_coded coded;
		memcpy(copy, bytes.data, bytes.used_bytes);
		for (uint64_t i = 1 + random_below(&random, 3); i > 0; i--)
			copy[random_below(&random, round % 2 ? 40 : bytes.used_bytes)] =
				(uint8_t)next_random(&random);
		bs_buffer_clear(&again);
		if (bs_coded_open(copy, bytes.used_bytes, &coded, NULL) == BS_OK) {
			bool has;
			for (int i = 0; i < 10; i++)
				(void)!bs_coded_has(&coded, random_below(&random, 1 << 20), &has,
				                    NULL);
			(void)!bs_coded_read(&coded, &again, NULL);
		}
	}
}

static void put_literally(uint8_t *bits, uint64_t *at, uint64_t value, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++, ++*at)
		bits[*at / 8] |= (uint8_t)((value >> i & 1) << (*at % 8));
}

static uint64_t highest_bit(uint64_t x)
{
	return 63 - (uint64_t)__builtin_clzll(x);
}

static void put_gap_literally(uint8_t *bits, uint64_t *at, uint64_t gap, uint64_t before,
                              uint8_t code)
{
	uint64_t k = code == 65 ? highest_bit(before + 1) / 2 : code;
	uint64_t value = code == 65 ? gap + (UINT64_C(1) << k) : gap;
	uint64_t n_low = code == 65 ? highest_bit(value) : k;
	*at += code == 65 ? n_low - k : gap >> k;
	put_literally(bits, at, 1, 1);
	put_literally(bits, at, value, n_low);
}

/* Gaps whose sum overflows 64 bits, so that the last number would be small, are refused. */
static void test_round_the_world(void **state)
{
	FREED uint8_t *bytes = must_calloc(1, 4000);
	AUTO(bs_buffer_deinit) struct bs_buffer numbers = {0};
	struct bs_coded coded;
	bool has;
	for (int i = 0; i < 4; i++) {
		const bool is_set = i % 2;
		const uint8_t code = i < 2 ? 65 : 56;
		/* Nearly the largest possible gaps; their sum is just below 2^64, so that the next
		 * gap makes it overflow. */
		const uint64_t gap = (UINT64_C(1) << (code == 65 ? 57 : 56)) - (UINT64_C(1) << 29),
			       n_gaps = code == 65 ? 128 : 256;
		uint64_t at = 0, before = 0, sum = 0;
		memset(bytes, 0, 4000);
		for (uint64_t g = 0; g < n_gaps; g++, before = gap, sum += gap + is_set)
			put_gap_literally(bytes + 24 + 3, &at, gap, before, code);
		uint64_t last = (is_set ? 200 : 100) - sum - is_set;
		assert_in_range(last, 1, UINT64_C(1) << 40);
		put_gap_literally(bytes + 24 + 3, &at, last, before, code);
		/* a gap of 0: in a multiset the number again, in a set the next larger number */
		put_gap_literally(bytes + 24 + 3, &at, 0, last, code);
		bs_store_u64(bytes, n_gaps + 3);
		bs_store_u64(bytes + 8, at);
		bytes[16] = code;
		bytes[17] = is_set;
		bytes[18] = 1;
		bytes[19] = 2;
		ok(bs_coded_open(bytes, 4000, &coded, ERR));
		assert_int_equal(bs_coded_read(&coded, &numbers, NULL), BS_CORRUPT);
		assert_int_equal(bs_coded_has(&coded, BS_CODED_MOST, &has, NULL), BS_CORRUPT);
		assert_false(has);
	}
}

/* Reading all numbers refuses data that our writer never writes. So does a lookup in one block that
 * would read out of bounds. */
static void test_lies(void **state)
{
	enum {
		N = 2 * BS_CODED_BLOCK + 7
	};
	static const struct {
		size_t at;
		uint8_t value;
	} heads[] = {{16, 57}, {16, 63}, {16, 255}, {17, 2}, {18, 0},
	             {18, 8},  {19, 0},  {19, 9},   {20, 1}, {23, 1}};
	uint64_t numbers[N], block;
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, again = {0};
	struct bs_coded coded;
	struct bs_coded_span span;
	bool has;
	for (size_t i = 0; i < N; i++)
		numbers[i] = 50 * i + i % 7;
	ok(bs_coded_write(numbers, N, &bytes, ERR));
	for (size_t i = 0; i < COUNT(heads); i++) {
		uint8_t was = bytes.data[heads[i].at];
		bytes.data[heads[i].at] = heads[i].value;
		assert_int_equal(bs_coded_open(bytes.data, bytes.used_bytes, &coded, NULL),
		                 BS_CORRUPT);
		bytes.data[heads[i].at] = was;
	}
	ok(bs_coded_open(bytes.data, bytes.used_bytes, &coded, ERR));
	/* the entry of the second block */
	uint8_t *entry = bytes.data + BS_CODED_HEAD_BYTES + coded.first_bytes + coded.place_bytes;
	uint64_t first = numbers[BS_CODED_BLOCK - 1], beyond = coded.n_bits + 1, place = 0;
	/* First the second block begins with the last number of the first block. Then the gaps of
	 * the second block begin after the end of all gaps. */
	memcpy(entry, &first, coded.first_bytes);
	assert_int_equal(bs_coded_read(&coded, &again, NULL), BS_CORRUPT);
	memcpy(entry, &numbers[BS_CODED_BLOCK], coded.first_bytes);
	ok(bs_coded_read(&coded, &again, ERR));
	memcpy(&place, entry + coded.first_bytes, coded.place_bytes);
	assert_true(beyond >> (8 * coded.place_bytes) == 0);
	memcpy(entry + coded.first_bytes, &beyond, coded.place_bytes);
	for (size_t i = 0; i < 2; i++) {
		assert_true(bs_coded_find(&coded, numbers[i * BS_CODED_BLOCK + 2], &block) &&
		            block == i);
		assert_int_equal(bs_coded_block_span(&coded, block, &span, NULL), BS_CORRUPT);
		assert_int_equal(bs_coded_block_has(&coded, block, numbers[i * BS_CODED_BLOCK + 2],
		                                    &has, NULL),
		                 BS_CORRUPT);
	}
	assert_int_equal(bs_coded_read(&coded, &again, NULL), BS_CORRUPT);
	memcpy(entry + coded.first_bytes, &place, coded.place_bytes);
	/* The header counts one number less than there are. */
	bs_store_u64(bytes.data, N - 1);
	ok(bs_coded_open(bytes.data, bytes.used_bytes, &coded, ERR));
	assert_int_equal(bs_coded_read(&coded, &again, NULL), BS_CORRUPT);
	/* A gap of 2^64 + 5 is refused, although it is 5 modulo 2^64. */
	FREED uint8_t *made = must_calloc(1, 8000);
	uint64_t at = 0;
	for (int i = 0; i < 4; i++)
		put_literally(made + 24 + 3, &at, 0, 64);
	put_literally(made + 24 + 3, &at, 1 | 5 << 1, 57);
	bs_store_u64(made, 2);
	bs_store_u64(made + 8, at);
	made[16] = 56;
	made[18] = 1;
	made[19] = 2;
	ok(bs_coded_open(made, 8000, &coded, ERR));
	assert_int_equal(bs_coded_read(&coded, &again, NULL), BS_CORRUPT);
}

RUN_TESTS(test_edges, test_random, test_outlier, test_size, test_damage, test_round_the_world,
          test_lies)
