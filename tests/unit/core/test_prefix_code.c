/* test_prefix_code.c: code lengths are at most 15, and optimal if none is 15; encoded symbols are
 * decoded; lengths that form no code are refused. */
#include "core/collections/prefix_code.h"
#include "tests/rigs/core_rig.h"

#define MOST_SYMBOLS 700u
#define N_CODES      3u

/* Huffman's algorithm. Returns the bits that symbols with these counts take in an optimal code. */
static uint64_t least_bits(uint64_t *counts, uint32_t n)
{
	uint64_t sum = n == 1 ? counts[0] : 0;
	for (; n > 1; n--) {
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t least = i;
			for (uint32_t j = i; j < n; j++)
				least = counts[j] < counts[least] ? j : least;
			uint64_t count = counts[i];
			counts[i] = counts[least];
			counts[least] = count;
		}
		counts[0] += counts[1];
		sum += counts[0];
		counts[1] = counts[n - 1];
	}
	return sum;
}

static void test_lengths(void **state)
{
	uint64_t random = 39;
	static uint64_t counts[MOST_SYMBOLS], used[MOST_SYMBOLS];
	static uint8_t lengths[MOST_SYMBOLS];
	for (int round = 0; round < 300; round++) {
		uint32_t n = 1 + (uint32_t)random_below(&random, round < 200 ? 40 : MOST_SYMBOLS);
		bool is_steep = round % 3 == 0; /* Fibonacci numbers give the longest codes */
		uint32_t n_used = 0;
		for (uint32_t i = 0; i < n; i++) {
			counts[i] =
				is_steep
					? (i < 2 ? 1 : (i < 45 ? counts[i - 1] + counts[i - 2] : 1))
					: next_random(&random) >> (random_below(&random, 20) + 40);
			if (counts[i])
				used[n_used++] = counts[i];
		}
		ok(bs_code_lengths(counts, n, lengths, ERR));
		uint64_t bits = 0, kraft = 0;
		bool is_limited = false;
		for (uint32_t i = 0; i < n; i++) {
			assert_true((lengths[i] > 0) == (counts[i] > 0) &&
			            lengths[i] <= BS_CODE_MAX_BITS);
			bits += counts[i] * lengths[i];
			kraft += lengths[i] ? (1u << BS_CODE_MAX_BITS) >> lengths[i] : 0;
			is_limited = is_limited || lengths[i] == BS_CODE_MAX_BITS;
		}
		assert_true(kraft <= 1u << BS_CODE_MAX_BITS);
		if (!is_limited)
			assert_true(bits == least_bits(used, n_used));
	}
}

/* Codes that are decoded together, with different numbers of symbols. */
struct coded {
	uint32_t n[N_CODES];
	uint8_t lengths[N_CODES][MOST_SYMBOLS];
	uint32_t values[N_CODES][MOST_SYMBOLS];
};

/* Draws a symbol that has a code. */
static uint32_t symbol_at(const struct coded *coded, uint32_t code, uint64_t *random)
{
	for (;;) {
		uint32_t symbol = (uint32_t)random_below(random, coded->n[code]);
		if (coded->lengths[code][symbol])
			return symbol;
	}
}

static void draw_codes(struct coded *coded, uint64_t *random)
{
	uint64_t counts[MOST_SYMBOLS];
	for (uint32_t code = 0; code < N_CODES; code++) {
		coded->n[code] = 1 + (uint32_t)random_below(
					     random, random_below(random, 2) ? 30 : MOST_SYMBOLS);
		uint64_t steep = random_below(random, 40);
		for (uint32_t i = 0; i < coded->n[code]; i++)
			counts[i] = i == 0 || random_below(random, 5)
			                    ? 1 + (next_random(random) >> 24 >>
			                           random_below(random, steep + 1))
			                    : 0;
		ok(bs_code_lengths(counts, coded->n[code], coded->lengths[code], ERR));
		bs_code_values(coded->lengths[code], coded->n[code], coded->values[code]);
	}
}

/* Packs the lengths of a code as a file has them, four bits each. */
static void put_nibbles(const struct coded *coded, uint32_t code, uint8_t *nibbles)
{
	memset(nibbles, 0, MOST_SYMBOLS / 2 + 1);
	for (uint32_t i = 0; i < coded->n[code]; i++)
		nibbles[i / 2] |= (uint8_t)(coded->lengths[code][i] << (i % 2 * 4));
}

static void read_codes(const struct coded *coded, struct bs_code_set *set)
{
	uint8_t nibbles[MOST_SYMBOLS / 2 + 1];
	uint32_t what[MOST_SYMBOLS];
	bool valid;
	for (uint32_t i = 0; i < MOST_SYMBOLS; i++)
		what[i] = i << 4;
	ok(bs_code_set_init(set, N_CODES, ERR));
	for (uint32_t code = 0; code < N_CODES; code++) {
		put_nibbles(coded, code, nibbles);
		ok(bs_code_read(set, code, nibbles, what, coded->n[code], &valid, ERR));
		assert_true(valid);
	}
	bs_code_set_finish(set, N_CODES);
}

/* Messages have symbols of all codes in turn, each followed by a number of 0 to 17 bits. */
static void test_messages(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	struct bs_code_set set;
	uint64_t random = 67;
	static struct coded coded;
	for (int round = 0; round < 60; round++) {
		draw_codes(&coded, &random);
		read_codes(&coded, &set);
		bs_buffer_clear(&bytes);
		ok(bs_buffer_reserve(&bytes, 3000 * 8, ERR));
		struct bs_bits_writer writer = {.to = &bytes};
		uint64_t written = random;
		for (uint32_t i = 0; i < 3000; i++) {
			uint32_t code = i % N_CODES, n_bits = (uint32_t)random_below(&random, 18);
			bs_bits_put_code(&writer,
			                 coded.values[code][symbol_at(&coded, code, &random)]);
			bs_bits_put(&writer, n_bits ? next_random(&random) >> (64 - n_bits) : 0,
			            n_bits);
		}
		bs_bits_end(&writer);
		memset(bytes.data + bytes.used_bytes, 0xff, BS_BITS_PAD_BYTES);
		struct bs_bits bits = {.at = bytes.data, .end = bytes.data + bytes.used_bytes};
		random = written;
		for (uint32_t i = 0; i < 3000; i++) {
			uint32_t code = i % N_CODES, n_bits = (uint32_t)random_below(&random, 18);
			uint32_t symbol = symbol_at(&coded, code, &random);
			assert_true(bs_bits_fill(&bits));
			uint32_t got = bs_code_get(&set.codes[code], bits.window);
			assert_int_equal(got, symbol << 4 | coded.lengths[code][symbol]);
			bs_bits_skip(&bits, BS_CODED_BITS(got));
			assert_int_equal(bs_bits_take(&bits, n_bits),
			                 n_bits ? next_random(&random) >> (64 - n_bits) : 0);
		}
		bs_code_set_deinit(&set);
	}
}

/* Lengths that need more codes than exist, and nonzero bits after the last length, are refused.
 * Lengths that leave codes unused are valid. */
static void test_no_codes(void **state)
{
	static const struct {
		uint8_t nibbles[3];
		uint32_t n;
		bool valid;
	} cases[] = {
		{{0x11, 0x00}, 3, true},  {{0x11, 0x01}, 3, false}, {{0x21, 0x02}, 3, true},
		{{0x21, 0x22}, 4, false}, {{0x21, 0x12}, 3, false}, {{0x00, 0x00}, 4, true},
		{{0xff, 0xff}, 4, true},  {{0x1f, 0x0f}, 3, true},  {{0x11, 0x0f}, 3, false},
		{{0x00, 0x01}, 3, true},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		AUTO(bs_code_set_deinit) struct bs_code_set set;
		const uint32_t what[4] = {0, 1 << 4, 2 << 4, 3 << 4};
		bool valid;
		ok(bs_code_set_init(&set, 1, ERR));
		ok(bs_code_read(&set, 0, cases[i].nibbles, what, cases[i].n, &valid, ERR));
		bs_code_set_finish(&set, 1);
		if (valid != cases[i].valid)
			fail_msg("case %zu", i);
		for (uint64_t window = 0; valid && window < 1u << BS_CODE_MAX_BITS; window++) {
			uint32_t got =
				bs_code_get(&set.codes[0], window << (64 - BS_CODE_MAX_BITS));
			assert_true(got == 0 || got >> 4 < cases[i].n);
		}
	}
}

RUN_TESTS(test_lengths, test_messages, test_no_codes)
