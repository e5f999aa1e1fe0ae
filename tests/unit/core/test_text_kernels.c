/*
 * test_text_kernels.c: compares all versions of the text kernels of this machine with loops over
 * bytes. Texts end at the end of their memory, so that a sanitizer detects reads past it.
 */
#include "core/base/bytes.h"
#include "core/simd/kernels.h"
#include "tests/rigs/core_rig.h"

#define MAX_KERNELS 8

static size_t naive_find_needle(const uint8_t *text, size_t from, size_t n_bytes,
                                const uint8_t *word, size_t word_bytes)
{
	for (size_t at = from; at + word_bytes <= n_bytes; at++) {
		size_t i = 0;
		while (i < word_bytes) {
			uint8_t byte = text[at + i];
			if (byte >= 'A' && byte <= 'Z')
				byte = (uint8_t)(byte + 'a' - 'A');
			if (byte != word[i])
				break;
			i++;
		}
		if (i == word_bytes)
			return at;
	}
	return n_bytes;
}

static size_t naive_find_opaque(const uint8_t *text, size_t from, size_t n_bytes, bool is_json)
{
	size_t at = from;
	while (at < n_bytes && text[at] < 0x80 &&
	       !(is_json && at + 1 < n_bytes && memcmp(text + at, "\\u", 2) == 0))
		at++;
	return at;
}

/* Fills with few distinct bytes, so that words are found, nearly found, or differ in one bit. */
static void fill(uint8_t *bytes, size_t n_bytes, uint64_t *random, const char *alphabet)
{
	size_t n = strlen(alphabet);
	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)alphabet[random_below(random, n)];
}

static void test_find_needle(void **state)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	uint64_t random = 5;
	for (int i = 0; i < 30000; i++) {
		size_t n_bytes = (size_t)random_below(&random, i % 3 ? 90 : 400);
		size_t word_bytes = (size_t)(1 + random_below(&random, i % 7 ? 6 : 150));
		size_t from =
			(size_t)random_below(&random, random_below(&random, 2) ? n_bytes + 1 : 1);
		FREED uint8_t *text = must_malloc(n_bytes);
		uint8_t word[150];
		fill(text, n_bytes, &random, i % 2 ? "aAbB_\x7f@`1\x11 \xe1" : "aA");
		fill(word, word_bytes, &random, i % 2 ? "ab_@1`" : "a");
		if (word_bytes <= n_bytes && random_below(&random, 2)) {
			size_t at = (size_t)random_below(&random, n_bytes - word_bytes + 1);
			memcpy(text + at, word, word_bytes);
		}
		struct bs_needle needle;
		bs_needle_init(&needle, word, word_bytes);
		size_t wanted = naive_find_needle(text, from, n_bytes, word, word_bytes);
		for (size_t k = 0; k < n_kernels; k++)
			assert_int_equal(kernels[k]->text.find_needle(text, from, n_bytes, &needle),
			                 wanted);
	}
}

static void test_find_opaque(void **state)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	uint64_t random = 6;
	for (int i = 0; i < 30000; i++) {
		size_t n_bytes = (size_t)random_below(&random, i % 3 ? 90 : 400);
		size_t from =
			(size_t)random_below(&random, random_below(&random, 2) ? n_bytes + 1 : 1);
		FREED uint8_t *text = must_malloc(n_bytes);
		fill(text, n_bytes, &random, i % 4 ? "uuuuun\x7f\x01" : "u\\n");
		if (n_bytes && i % 2)
			text[random_below(&random, n_bytes)] =
				(uint8_t)(random_below(&random, 2) ? 0x80 : '\\');
		for (int is_json = 0; is_json < 2; is_json++)
			for (size_t k = 0; k < n_kernels; k++)
				assert_int_equal(
					kernels[k]->text.find_opaque(text, from, n_bytes, is_json),
					naive_find_opaque(text, from, n_bytes, is_json));
	}
}

/* Makes a window whose variants have classes of few bytes, or of more than half of all bytes. */
static void random_window(struct bs_byte_window *window, uint64_t *random)
{
	static const char *const classes[] = {
		"a", "b", "aA", "0123456789", "_", "abcdefABCDEF0123456789", "\x80\xff", "`@"};
	size_t n_variants = (size_t)(1 + random_below(random, BS_WINDOW_MOST_VARIANTS));
	*window = (struct bs_byte_window){
		.n_bytes = (size_t)(1 + random_below(random, BS_WINDOW_MOST_BYTES))};
	for (size_t v = 0; v < n_variants; v++) {
		for (size_t i = 0; i < window->n_bytes; i++) {
			bool is_wide = random_below(random, 4) == 0;
			for (const char *byte = classes[random_below(random, COUNT(classes))];
			     *byte; byte++)
				window->of[i][(uint8_t)*byte] |= (uint8_t)(1u << v);
			for (size_t byte = 'g'; is_wide && byte < 256; byte++)
				window->of[i][byte] |= (uint8_t)(1u << v);
		}
	}
	bs_byte_window_finish(window);
}

static size_t naive_find_window(const uint8_t *text, size_t from, size_t n_bytes,
                                const struct bs_byte_window *window)
{
	for (size_t at = from; at + window->n_bytes <= n_bytes; at++)
		for (size_t v = 0; v < BS_WINDOW_MOST_VARIANTS; v++) {
			size_t i = 0;
			while (i < window->n_bytes && window->of[i][text[at + i]] >> v & 1)
				i++;
			if (i == window->n_bytes)
				return at;
		}
	return n_bytes;
}

static void test_find_window(void **state)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	uint64_t random = 7;
	for (int i = 0; i < 30000; i++) {
		struct bs_byte_window window;
		size_t n_bytes = (size_t)random_below(&random, i % 3 ? 90 : 400);
		size_t from =
			(size_t)random_below(&random, random_below(&random, 2) ? n_bytes + 1 : 1);
		FREED uint8_t *text = must_malloc(n_bytes);
		random_window(&window, &random);
		fill(text, n_bytes, &random,
		     i % 4 ? "........................aA_`0" : "abAB_07@\x80 ");
		size_t wanted = naive_find_window(text, from, n_bytes, &window);
		for (size_t k = 0; k < n_kernels; k++)
			assert_int_equal(kernels[k]->text.find_window(text, from, n_bytes, &window),
			                 wanted);
	}
}

static void test_find_class(void **state)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	uint64_t random = 9;
	for (int i = 0; i < 300; i++) {
		struct bs_byte_class class = {.rows = {{0}}};
		uint8_t text[1 + 5 * 64];
		uint64_t places[5];
		uint64_t share = random_below(&random, 5);
		for (size_t c = 0; c < 256; c++)
			class.has[c] = random_below(&random, 4) < share;
		bs_byte_class_finish(&class);
		for (size_t at = 0; at < sizeof(text); at++)
			text[at] = (uint8_t)random_below(&random, 256);
		for (size_t k = 0; k < n_kernels; k++) {
			kernels[k]->text.find_class(&class, text + 1, 5, places);
			for (size_t at = 0; at < sizeof(text) - 1; at++)
				assert_int_equal(places[at / 64] >> at % 64 & 1,
				                 class.has[text[1 + at]]);
		}
	}
}

static void test_and_shifted(void **state)
{
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MAX_KERNELS);
	uint64_t random = 10;
	for (uint32_t i = 0; i < 65 * 24; i++) {
		uint64_t into[24], from[24], other[24];
		uint32_t shift = i % 65;
		size_t n = i / 65;
		for (size_t w = 0; w < 24; w++) {
			other[w] = random_below(&random, UINT64_MAX);
			from[w] = random_below(&random, UINT64_MAX);
		}
		/* `from` may be `into`: every other call. */
		for (size_t k = 0; k < 2 * n_kernels; k++) {
			const uint64_t *before = k % 2 ? from : other;
			memcpy(into, before, sizeof(into));
			kernels[k / 2]->text.and_shifted(into, k % 2 ? into : from, n, shift);
			for (size_t bit = 0; bit < 24 * 64; bit++) {
				size_t at = bit + shift;
				bool is_in = before[bit / 64] >> bit % 64 & 1;
				is_in &= bit >= 64 * n || (from[at / 64] >> at % 64 & 1);
				assert_int_equal(into[bit / 64] >> bit % 64 & 1, is_in);
			}
		}
	}
}

static void test_probes(void **state)
{
	static const char *const words[] = {"a", "ab", "quiz", "the_zone", "aaaa", "don't"};
	for (size_t i = 0; i < COUNT(words); i++) {
		struct bs_needle needle;
		bs_needle_init(&needle, (const uint8_t *)words[i], strlen(words[i]));
		assert_true(needle.probe[0] <= needle.probe[1] && needle.probe[1] < needle.n_bytes);
		assert_true(needle.n_bytes == 1 || needle.probe[0] < needle.probe[1]);
	}
}

static void test_count_byte(void **state)
{
	uint64_t random = 8;
	for (size_t n_bytes = 0; n_bytes < 1000; n_bytes++) {
		FREED uint8_t *text = must_malloc(n_bytes);
		size_t wanted = 0;
		fill(text, n_bytes, &random, n_bytes % 2 ? "\n" : "\na\r");
		for (size_t i = 0; i < n_bytes; i++)
			wanted += text[i] == '\n';
		assert_int_equal(bs_count_byte(text, n_bytes, '\n'), wanted);
	}
}

RUN_TESTS(test_find_needle, test_find_opaque, test_find_window, test_find_class, test_and_shifted,
          test_probes, test_count_byte)
