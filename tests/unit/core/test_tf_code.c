/*
 * test_tf_code.c: the tf codes of random documents decode to every tf, by hash and by bs_tf_key:
 * short and long documents, large tfs, words with equal hashes, and overfull systems of equations.
 * All kernels give the same code, and codes are small.
 */
#include "core/base/hash.h"
#include "core/matrix/tf_code.h"
#include "tests/rigs/core_rig.h"

#define MOST_KERNELS 8

struct document {
	struct bs_tf_word *words;
	size_t n_words;
	struct bs_buffer bits;
};

/* Encodes the document with a kernel. `coder` keeps the results of the last encoding. */
static void encode_with(const struct document *document, struct bs_tf_coder *coder,
                        const struct bs_kernel *kernel, struct bs_buffer *bits)
{
	FREED struct bs_tf_word *copy = must_malloc(document->n_words * sizeof(*copy) + 1);
	memcpy(copy, document->words, document->n_words * sizeof(*copy));
	coder->kernel = kernel;
	bs_buffer_clear(bits);
	ok(bs_tf_encode(coder, copy, document->n_words, bits, ERR));
	ok(bs_buffer_reserve(bits, BS_TF_PAD_BYTES, ERR));
	memset(bits->data + bits->used_bytes, 0xff, BS_TF_PAD_BYTES);
}

/* Encodes with the portable kernel, which is the last one, and checks that all other kernels give
 * the same bits. */
static void encode(struct document *document, struct bs_tf_coder *coder)
{
	const struct bs_kernel *kernels[MOST_KERNELS];
	size_t n_kernels = bs_kernel_list(kernels, MOST_KERNELS);
	AUTO(bs_buffer_deinit) struct bs_buffer bits = {0};
	assert_true(n_kernels <= MOST_KERNELS);
	encode_with(document, coder, kernels[n_kernels - 1], &document->bits);
	for (size_t i = 0; i + 1 < n_kernels; i++) {
		encode_with(document, coder, kernels[i], &bits);
		assert_int_equal(bits.used_bytes, document->bits.used_bytes);
		assert_memory_equal(bits.data, document->bits.data,
		                    bits.used_bytes + BS_TF_PAD_BYTES);
	}
}

static void expect_tfs(const struct document *document)
{
	for (size_t i = 0; i < document->n_words; i++) {
		struct bs_tf_key key;
		const struct bs_tf_word *word = &document->words[i];
		bs_tf_key_init(&key, word->hash);
		assert_int_equal(
			bs_tf_decode(document->bits.data, document->bits.used_bytes, word->hash),
			word->tf);
		assert_int_equal(
			bs_tf_decode_key(document->bits.data, document->bits.used_bytes, &key),
			word->tf);
	}
}

static void draw(struct document *document, uint64_t *random, size_t n_words, uint32_t most_tf)
{
	document->words = realloc(document->words, n_words * sizeof(*document->words) + 1);
	assert_non_null(document->words);
	document->n_words = n_words;
	document->bits.used_bytes = 0;
	for (size_t i = 0; i < n_words; i++) {
		uint32_t tf = 1;
		while (tf < most_tf && random_below(random, 5) == 0)
			tf = tf * 2 + (uint32_t)random_below(random, 2);
		document->words[i] = (struct bs_tf_word){bs_hash_mix(*random + i), tf};
	}
}

static void test_random_documents(void **state)
{
	AUTO(bs_tf_coder_deinit) struct bs_tf_coder coder = {0};
	struct document document = {0};
	uint64_t random = 1;
	for (int round = 0; round < 3000; round++) {
		size_t n_words = (size_t)random_below(&random, round % 100 == 0 ? 20000 : 200);
		draw(&document, &random, n_words, round % 3 ? 20 : UINT32_MAX / 2 - 1);
		encode(&document, &coder);
		expect_tfs(&document);
	}
	bs_buffer_deinit(&document.bits);
	free(document.words);
}

/* One of three words has a tf at each boundary of the code; the others occur once. */
static void test_edges(void **state)
{
	static const uint32_t tfs[] = {
		1,         2, 3, 4, 5, 6, 7, 8, 11, 12, 19, 20, 1u << 20, 1u << 31, UINT32_MAX - 1,
		UINT32_MAX};
	AUTO(bs_tf_coder_deinit) struct bs_tf_coder coder = {0};
	struct bs_tf_word words[3] = {{1, 1}, {2, 1}, {3, 1}};
	struct document document = {.words = words, .n_words = 3};
	encode(&document, &coder);
	assert_int_equal(document.bits.used_bytes, 0);
	expect_tfs(&document);
	for (size_t i = 0; i < COUNT(tfs); i++) {
		words[1].tf = tfs[i];
		document.bits.used_bytes = 0;
		encode(&document, &coder);
		expect_tfs(&document);
	}
	bs_buffer_deinit(&document.bits);
}

/* If two words have the same hash, their tf is unknown; that of other words is known. */
static void test_twins(void **state)
{
	AUTO(bs_tf_coder_deinit) struct bs_tf_coder coder = {0};
	struct bs_tf_word words[] = {{7, 1}, {8, 2}, {9, 3}, {7, 5}, {10, 1}};
	struct document document = {.words = words, .n_words = 5};
	encode(&document, &coder);
	words[0].tf = words[3].tf = BS_TF_UNKNOWN;
	expect_tfs(&document);
	words[3].hash = 11;
	words[0].tf = 1;
	words[3].tf = 5;
	encode(&document, &coder);
	expect_tfs(&document);
	bs_buffer_deinit(&document.bits);
}

/* A word that occurs once needs one bit, and a word that occurs twice needs two bits. A code is at
 * most a tenth larger than the sum of these bits. */
static void test_size(void **state)
{
	AUTO(bs_tf_coder_deinit) struct bs_tf_coder coder = {0};
	struct document document = {0};
	uint64_t random = 9, n_digits = 0, n_bits = 0;
	for (int round = 0; round < 500; round++) {
		draw(&document, &random, 100 + (size_t)random_below(&random, 900), 2);
		for (size_t i = 0; i < document.n_words; i++) {
			document.words[i].tf = document.words[i].tf > 2 ? 2 : document.words[i].tf;
			n_digits += document.words[i].tf;
		}
		encode(&document, &coder);
		n_bits += document.bits.used_bytes * 8;
	}
	assert_true((double)n_bits < 1.1 * (double)n_digits);
	bs_buffer_deinit(&document.bits);
	free(document.words);
}

RUN_TESTS(test_random_documents, test_edges, test_twins, test_size)
