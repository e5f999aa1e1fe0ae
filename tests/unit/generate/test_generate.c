/* test_generate.c: the text generator: fixed output, statistical properties, unique words. */
#include <math.h>

#include "core/base/hash.h"
#include "tests/generate/generate.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_generator, bs_generator_free)

static struct bs_generator *new_generator(struct bs_generator_options options)
{
	struct bs_generator *generator;
	ok(bs_generator_new(&options, &generator, ERR));
	return generator;
}

/* The checksum of the corpus with these options. */
static uint64_t checksum_of(struct bs_generator_options options)
{
	FREED char *bytes = NULL;
	size_t n_bytes;
	FILE *file = open_memstream(&bytes, &n_bytes);
	AUTO(bs_generator_free_at) struct bs_generator *generator = new_generator(options);
	ok(bs_generator_write_jsonl(generator, file, ERR));
	fclose(file);
	return bs_checksum(bytes, n_bytes);
}

/* Benchmarks name corpora by these options: a change of the output invalidates all recorded
 * results. */
static void test_output_is_frozen(void **state)
{
	struct bs_generator_options options = bs_generator_defaults();
	options.n_docs = 100;
	assert_int_equal(checksum_of(options), UINT64_C(0xaa9af0bfda269197));
	options.seed++;
	assert_int_equal(checksum_of(options), UINT64_C(0x11a7f82c6ca98039));
	options.n_words = 5000000;
	options.zipf_milli = 1333;
	options.mean_words = 20;
	options.spread_milli = 2000;
	options.topic_milli = 1000;
	options.topic_docs = 7;
	assert_int_equal(checksum_of(options), UINT64_C(0xb3cb6859f3fe8d6c));
}

/* A document does not depend on the order of generation or on the size of the corpus. */
static void test_documents_stand_alone(void **state)
{
	AUTO(bs_generator_free_at)
	struct bs_generator *generator = new_generator(bs_generator_defaults());
	AUTO(bs_buffer_deinit) struct bs_buffer last = {0}, first = {0}, again = {0};
	ok(bs_generator_document(generator, UINT64_MAX, &last, ERR));
	ok(bs_generator_document(generator, 0, &first, ERR));
	ok(bs_generator_document(generator, UINT64_MAX, &again, ERR));
	assert_buffers_equal(&last, &again);
	assert_true(first.used_bytes != last.used_bytes ||
	            memcmp(first.data, last.data, first.used_bytes) != 0);
}

struct entry {
	char word[BS_GENERATOR_WORD_BYTES];
	uint32_t rank;
};

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->word, ((const struct entry *)b)->word);
}

static struct entry *sorted_words(uint32_t first_rank, uint32_t n_words)
{
	struct entry *entries = must_malloc(n_words * sizeof(*entries));
	for (uint32_t i = 0; i < n_words; i++) {
		entries[i].rank = first_rank + i;
		size_t n_bytes = bs_generator_word(first_rank + i, entries[i].word);
		assert_int_equal(strlen(entries[i].word), n_bytes);
		assert_in_range(n_bytes, 2, BS_GENERATOR_WORD_BYTES - 1);
		assert_int_equal(strspn(entries[i].word, "abcdefghijklmnopqrstuvwxyz"), n_bytes);
	}
	qsort(entries, n_words, sizeof(*entries), compare_entries);
	return entries;
}

static void assert_unique(uint32_t first_rank, uint32_t n_words)
{
	FREED struct entry *entries = sorted_words(first_rank, n_words);
	for (uint32_t i = 1; i < n_words; i++)
		assert_int_not_equal(compare_entries(&entries[i - 1], &entries[i]), 0);
}

/* Words of different groups differ in length (generate.c), so it suffices to check ranges within a
 * group and across a boundary. */
static void test_words_are_unique(void **state)
{
	assert_unique(0, 400000);
	assert_unique(3110880 - 100000, 200000);
	assert_unique(BS_GENERATOR_MAX_WORDS - 100000, 100000);
}

/* Counts the words of n_docs documents by rank, without our tokenizer. Returns their total. */
static uint64_t count_words(struct bs_generator_options options, uint64_t *counts)
{
	FREED struct entry *entries = sorted_words(0, options.n_words);
	AUTO(bs_generator_free_at) struct bs_generator *generator = new_generator(options);
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	uint64_t n_words = 0;
	memset(counts, 0, options.n_words * sizeof(*counts));
	for (uint64_t doc = 0; doc < options.n_docs; doc++) {
		ok(bs_generator_document(generator, doc, &text, ERR));
		assert_int_equal(text.data[text.used_bytes - 1], '\n');
		struct entry key = {{0}, 0};
		size_t n_bytes = 0;
		for (size_t i = 0; i < text.used_bytes; i++) {
			uint8_t byte = text.data[i] | 0x20;
			if (byte >= 'a' && byte <= 'z') {
				assert_true(n_bytes + 1 < sizeof(key.word));
				key.word[n_bytes++] = (char)byte;
				continue;
			}
			assert_non_null(memchr(" ,.\n", text.data[i], 4));
			if (!n_bytes)
				continue;
			key.word[n_bytes] = '\0';
			struct entry *entry = bsearch(&key, entries, options.n_words,
			                              sizeof(*entries), compare_entries);
			assert_non_null(entry);
			counts[entry->rank]++;
			n_words++;
			n_bytes = 0;
		}
	}
	return n_words;
}

static void assert_near(uint64_t number, uint64_t expected, uint64_t percent)
{
	assert_in_range(number, expected * (100 - percent) / 100, expected * (100 + percent) / 100);
}

/* The word of rank r (from 1) has a share in proportion to r^-s. */
static void test_zipf_shape(void **state)
{
	enum {
		WORDS = 1000
	};
	uint64_t counts[WORDS];
	struct bs_generator_options options = bs_generator_defaults();
	options.n_docs = 4000;
	options.n_words = WORDS;
	options.topic_milli = 0;
	for (options.zipf_milli = 0; options.zipf_milli <= 1500; options.zipf_milli += 500) {
		double sum = 0, s = options.zipf_milli / 1000.0;
		uint64_t n_words = count_words(options, counts);
		assert_near(n_words, UINT64_C(4000) * 200, 5);
		for (uint32_t i = 0; i < WORDS; i++)
			sum += pow(i + 1, -s);
		for (uint32_t i = 0; i < WORDS; i++) {
			double expected = (double)n_words * pow(i + 1, -s) / sum;
			assert_true(fabs((double)counts[i] - expected) <= 5 * sqrt(expected));
		}
	}
}

/* The median of a log-normal distribution with a deviation of sigma octaves is sigma^2 ln 2 / 2
 * octaves below its mean: for sigma 1.1, 200 -> 149.5. */
static void test_lengths(void **state)
{
	uint64_t counts[10];
	struct bs_generator_options options = bs_generator_defaults();
	struct bs_generator *generator = new_generator(options);
	struct bs_buffer text = {0};
	size_t n_below = 0;
	for (uint64_t doc = 0; doc < 10000; doc++) {
		size_t n_words = 0;
		ok(bs_generator_document(generator, doc, &text, ERR));
		for (size_t i = 0; i < text.used_bytes; i++)
			n_words += text.data[i] == ' ' || text.data[i] == '\n';
		n_below += n_words < 150;
	}
	assert_near(n_below, 5000, 5);
	bs_buffer_deinit(&text);
	bs_generator_free(generator);
	options.n_docs = 50;
	options.n_words = 10;
	options.spread_milli = 0;
	assert_int_equal(count_words(options, counts), 50 * 200);
	options.mean_words = 1;
	assert_int_equal(count_words(options, counts), 50);
}

/* Returns how many words of one document also occur in another one; both have 1,000 words. */
static unsigned shared_words(const struct bs_generator_options *options, uint64_t doc_a,
                             uint64_t doc_b)
{
	static uint8_t seen[100000];
	AUTO(bs_generator_free_at) struct bs_generator *generator = new_generator(*options);
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	unsigned n_shared = 0;
	memset(seen, 0, sizeof(seen));
	for (int pass = 0; pass < 2; pass++) {
		ok(bs_generator_document(generator, pass ? doc_b : doc_a, &text, ERR));
		append_bytes(&text, "", 1);
		char *rest = NULL;
		for (char *word = strtok_r((char *)text.data, " ,.\n", &rest); word;
		     word = strtok_r(NULL, " ,.\n", &rest)) {
			*word = (char)(*word | 0x20);
			uint64_t hash = bs_hash_term(word, strlen(word)) % sizeof(seen);
			if (!pass) {
				seen[hash] = 1;
			} else if (seen[hash]) {
				seen[hash] = 0;
				n_shared++;
			}
		}
	}
	return n_shared;
}

static void test_neighbours_share_words(void **state)
{
	struct bs_generator_options options = bs_generator_defaults();
	options.mean_words = 1000;
	options.spread_milli = 0;
	options.topic_milli = 500;
	options.topic_docs = 10;
	unsigned neighbours = 0, strangers = 0;
	for (uint64_t doc = 0; doc < 100; doc += 10) {
		neighbours += shared_words(&options, doc, doc + 9);
		strangers += shared_words(&options, doc, doc + 10);
	}
	assert_true(neighbours > strangers + strangers / 4);
}

static void test_bad_options(void **state)
{
	static const struct {
		size_t offset; /* of an option of 32 bits */
		uint32_t value;
		const char *what;
	} bad[] = {
		{offsetof(struct bs_generator_options, n_words), 0, "vocabulary"},
		{offsetof(struct bs_generator_options, n_words), BS_GENERATOR_MAX_WORDS + 1,
	         "vocabulary"},
		{offsetof(struct bs_generator_options, zipf_milli), 3001, "exponent"},
		{offsetof(struct bs_generator_options, mean_words), 0, "mean length"},
		{offsetof(struct bs_generator_options, spread_milli), 2001, "spread"},
		{offsetof(struct bs_generator_options, topic_milli), 1001, "topic share"},
		{offsetof(struct bs_generator_options, topic_docs), 0, "documents per topic"},
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct bs_generator_options options = bs_generator_defaults();
		memcpy((uint8_t *)&options + bad[i].offset, &bad[i].value, sizeof(bad[i].value));
		AUTO(bs_generator_free_at) struct bs_generator *generator;
		expect_error(bs_generator_new(&options, &generator, ERR), BS_INVALID, bad[i].what);
		assert_null(generator);
	}
}

/* Extreme options: a vocabulary of one word, and a large exponent, which gives most words the
 * minimal weight. */
static void test_extreme_options(void **state)
{
	uint64_t counts[1];
	struct bs_generator_options options = bs_generator_defaults();
	options.n_docs = 10;
	options.n_words = 1;
	uint64_t n_words = count_words(options, counts);
	assert_int_equal(n_words, counts[0]);
	options.n_words = 1 << 20; /* the maximum would take seconds */
	options.zipf_milli = 3000;
	AUTO(bs_generator_free_at) struct bs_generator *generator = new_generator(options);
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	ok(bs_generator_document(generator, 1, &text, ERR));
}

static void test_full_disk(void **state)
{
	FILE *file = fopen("/dev/full", "w");
	if (!file)
		skip();
	struct bs_generator *generator = new_generator(bs_generator_defaults());
	assert_int_equal(bs_generator_write_jsonl(generator, file, ERR), BS_IO);
	bs_generator_free(generator);
	fclose(file);
}

RUN_TESTS(test_output_is_frozen, test_documents_stand_alone, test_words_are_unique, test_zipf_shape,
          test_lengths, test_neighbours_share_words, test_bad_options, test_extreme_options,
          test_full_disk)
