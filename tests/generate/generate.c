/*
 * generate.c: random Zipf text. See generate.h.
 *
 * The output is the same everywhere, because floating point and libm are not used. Zipf weights and
 * log-normal lengths are computed by a fixed-point log2 and exp2 (below). Words are drawn from an
 * alias table of integers. Random bits come from xoshiro256++, one stream per document.
 */
#include "tests/generate/generate.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

/* A word of n_bytes letters; the others are 0. The struct has 16 bytes, for copies of 16 bytes. */
struct word {
	char letters[15];
	uint8_t n_bytes;
};

/* Bits of the exponent's fraction that exp2_negative_q32 uses. log2_q32 has the same precision. */
#define EXP_BITS 26

struct bs_generator {
	struct bs_generator_options options;
	uint64_t *columns; /* the alias table; see make_columns */
	struct word *words;
	uint32_t topic_limit; /* topic_milli as a share of 2^16 */
	uint64_t exp_steps[EXP_BITS];
};

/* Random bits: xoshiro256++ 1.0 seeded by SplitMix64, after the authors' public-domain descriptions
 * (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021; Steele, Lea and
 * Flood, "Fast splittable pseudorandom number generators", 2014). */

#define GAMMA UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd: SplitMix64's step */

struct random {
	uint64_t state[4];
};

/* Derives a number from all arguments. purpose: 1 for documents, 2 for topics. */
static uint64_t derive_seed(uint64_t seed, uint64_t purpose, uint64_t number)
{
	return bs_hash_mix(bs_hash_mix(seed + purpose * GAMMA) + number * GAMMA);
}

static struct random random_from(uint64_t seed)
{
	struct random random;
	for (int i = 0; i < 4; i++)
		random.state[i] = bs_hash_mix(seed += GAMMA);
	return random;
}

static uint64_t rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t next_random(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

/* Fixed point: Q32 is a number times 2^32. log2 halves its argument to a mantissa in [1, 2); then
 * each squaring yields one bit of the logarithm. Truncation costs at most 2^-31 of the mantissa per
 * step, so the result is accurate to about 2^-26. Weights then have errors of less than a
 * millionth, which is far below the noise of any sample. */
static uint64_t log2_q32(uint32_t x)
{
	assert(x > 0);
	uint64_t whole = 0;
	while (x >> whole > 1)
		whole++;
	uint64_t mantissa = ((uint64_t)x << 31) >> whole; /* Q31, in [2^31, 2^32) */
	uint64_t log2 = whole << 32;
	for (int bit = 31; bit >= 0; bit--) {
		mantissa = (mantissa * mantissa) >> 31;
		if (mantissa >> 32) {
			mantissa >>= 1;
			log2 |= UINT64_C(1) << bit;
		}
	}
	return log2;
}

static uint64_t square_root(uint64_t x)
{
	uint64_t root = 0;
	for (int bit = 31; bit >= 0; bit--) {
		uint64_t trial = root | UINT64_C(1) << bit;
		if (trial * trial <= x)
			root = trial;
	}
	return root;
}

/* Sets steps[i] = 2^-(2^-(i + 1)) in Q32: the first is the square root of 1/2, each other the
 * square root of the one before it. */
static void make_exp_steps(uint64_t steps[EXP_BITS])
{
	uint64_t step = UINT64_C(1) << 31;
	for (int i = 0; i < EXP_BITS; i++)
		steps[i] = step = square_root(step << 32);
}

/* Returns 2^-exponent; both are Q32. */
static uint64_t exp2_negative_q32(const uint64_t steps[EXP_BITS], uint64_t exponent)
{
	uint64_t whole = exponent >> 32;
	if (whole > 32)
		return 0;
	uint64_t result = UINT64_C(1) << 32;
	for (int i = 0; i < EXP_BITS; i++)
		if (exponent >> (31 - i) & 1)
			result = (result * steps[i]) >> 32;
	return result >> whole;
}

/*
 * Words: 1 to 4 syllables of consonant and vowel, and perhaps a closing consonant. The length of a
 * word determines its number of syllables and whether it is closed, so every word can be parsed in
 * only one way:
 *
 *     rank   0 ..        479   one syllable     "ba"   .. "zut"
 *          480 ..     38,879   two              "baba" .. "zuzut"
 *       38,880 ..  3,110,879   three
 *    3,110,880 ..              four
 *
 * Within a group, ranks step through the words by a stride that is coprime to the size of the group
 * (2^i 3 5^j). Thus each word is used once, and neighbouring ranks do not begin alike.
 */
static const char consonants[] = "bdfghjklmnprstvz";
static const char vowels[] = "aeiou";
static const char closings[] = "lnrst";

enum {
	N_CONSONANTS = sizeof(consonants) - 1,
	N_VOWELS = sizeof(vowels) - 1,
	N_SYLLABLES = N_CONSONANTS * N_VOWELS,
	N_ENDINGS = 1 + sizeof(closings) - 1,
};

size_t bs_generator_word(uint32_t rank, char word_out[BS_GENERATOR_WORD_BYTES])
{
	assert(rank < BS_GENERATOR_MAX_WORDS);
	/* Primes near the group's size / golden ratio. */
	static const uint64_t strides[4] = {307, 23741, 1898609, 151888057};
	size_t n_syllables = 1;
	uint64_t group_words = N_SYLLABLES * N_ENDINGS;
	uint64_t number = rank;
	while (number >= group_words) {
		number -= group_words;
		group_words *= N_SYLLABLES;
		n_syllables++;
	}
	number = number * strides[n_syllables - 1] % group_words;
	uint64_t ending = number % N_ENDINGS;
	number /= N_ENDINGS;
	size_t n_bytes = 0;
	for (size_t i = 0; i < n_syllables; i++) {
		word_out[n_bytes++] = consonants[number % N_CONSONANTS];
		number /= N_CONSONANTS;
		word_out[n_bytes++] = vowels[number % N_VOWELS];
		number /= N_VOWELS;
	}
	if (ending)
		word_out[n_bytes++] = closings[ending - 1];
	word_out[n_bytes] = '\0';
	return n_bytes;
}

/*
 * The alias table (Walker 1977, in the form of Vose 1991) has n columns. Each has a threshold and
 * another word. A draw picks a column; it returns the column's own word if a random fraction is
 * below the threshold, otherwise the other word. A column is
 *
 *     63                                  24 23                 0
 *     [ threshold, a fraction of 2^40       | the other word    ]
 *
 * Weights are Q39 and at least 1. Hence their sum W, and every weight times n, is at most 2^39 *
 * 2^24 = 2^63.
 */
#define OTHER_BITS     24
#define THRESHOLD_BITS 40
#define OTHER_MASK     ((UINT64_C(1) << OTHER_BITS) - 1)

static inline uint32_t pick_word(const struct bs_generator *generator, uint64_t bits)
{
	/* 40 random bits times n: the column is above bit 40, a fraction of 40 bits below it. */
	uint64_t product = (bits >> (64 - THRESHOLD_BITS)) * generator->options.n_words;
	uint64_t column_word = product >> THRESHOLD_BITS;
	uint64_t fraction = product & ((UINT64_C(1) << THRESHOLD_BITS) - 1);
	uint64_t column = generator->columns[column_word];
	return (uint32_t)(fraction < column >> OTHER_BITS ? column_word : column & OTHER_MASK);
}

/* Returns part / whole as a fraction of 2^40, by long division, because part << 40 does not fit
 * into 64 bits. Requires part < whole. */
static uint64_t fraction_of(uint64_t part, uint64_t whole)
{
	uint64_t fraction = 0;
	for (int i = 0; i < THRESHOLD_BITS; i++) {
		part <<= 1;
		fraction <<= 1;
		if (part >= whole) {
			part -= whole;
			fraction |= 1;
		}
	}
	return fraction;
}

/* Sets weights[rank] = (rank + 1)^-s in Q39, at least 1. Returns their sum. */
static uint64_t make_weights(const struct bs_generator *generator, uint64_t *weights)
{
	uint64_t sum = 0;
	for (uint32_t rank = 0; rank < generator->options.n_words; rank++) {
		uint64_t exponent = log2_q32(rank + 1) * generator->options.zipf_milli / 1000;
		/* The whole part of the exponent is applied last, which gives rare words 7 more
		 * bits than Q32. */
		uint64_t mantissa = exp2_negative_q32(generator->exp_steps, exponent & UINT32_MAX)
		                    << 7;
		uint64_t shift = exponent >> 32;
		uint64_t weight = shift < 40 ? mantissa >> shift : 0;
		weights[rank] = weight ? weight : 1;
		sum += weights[rank];
	}
	return sum;
}

/* Makes the alias table. Overwrites weights. order: scratch of n_words numbers; words whose scaled
 * weight is below sum are listed from its start, the others from its end. */
static void make_columns(uint64_t *weights, uint64_t sum, uint32_t n_words, uint32_t *order,
                         uint64_t *columns)
{
	uint32_t n_small = 0, large_from = n_words;
	for (uint32_t i = 0; i < n_words; i++) {
		weights[i] *= n_words;
		if (weights[i] < sum)
			order[n_small++] = i;
		else
			order[--large_from] = i;
	}
	while (n_small && large_from < n_words) {
		uint32_t small = order[--n_small];
		uint32_t large = order[large_from];
		columns[small] = fraction_of(weights[small], sum) << OTHER_BITS | large;
		weights[large] -= sum - weights[small];
		if (weights[large] < sum) {
			large_from++;
			order[n_small++] = large;
		}
	}
	/* The arithmetic is exact, so each remaining word fills its column; its other word is
	 * itself. */
	for (uint32_t i = 0; i < n_small; i++)
		columns[order[i]] = order[i];
	for (uint32_t i = large_from; i < n_words; i++)
		columns[order[i]] = order[i];
}

struct bs_generator_options bs_generator_defaults(void)
{
	return (struct bs_generator_options){.seed = 1,
	                                     .n_docs = 1000,
	                                     .n_words = 100000,
	                                     .zipf_milli = 1070,
	                                     .mean_words = 200,
	                                     .spread_milli = 1100,
	                                     .topic_milli = 250,
	                                     .topic_docs = 50};
}

static enum bs_status check_options(const struct bs_generator_options *options,
                                    struct bs_error *err)
{
	const struct {
		const char *name;
		uint32_t value, least, most;
	} ranges[] = {
		{"the vocabulary", options->n_words, 1, BS_GENERATOR_MAX_WORDS},
		{"the Zipf exponent in thousandths", options->zipf_milli, 0, 3000},
		{"the mean length", options->mean_words, 1, 1000000},
		{"the spread in thousandths", options->spread_milli, 0, 2000},
		{"the topic share in thousandths", options->topic_milli, 0, 1000},
		{"the documents per topic", options->topic_docs, 1, UINT32_MAX},
	};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
			return bs_fail(err, BS_INVALID,
			               "generator: %s must be from %" PRIu32 " to %" PRIu32
			               ", not %" PRIu32,
			               ranges[i].name, ranges[i].least, ranges[i].most,
			               ranges[i].value);
	return BS_OK;
}

enum bs_status bs_generator_new(const struct bs_generator_options *options,
                                struct bs_generator **generator_out, struct bs_error *err)
{
	*generator_out = NULL;
	enum bs_status status = check_options(options, err);
	if (status)
		return status;
	const uint32_t n_words = options->n_words;
	struct bs_generator *generator = calloc(1, sizeof(*generator));
	uint64_t *weights = malloc(n_words * sizeof(*weights));
	uint32_t *order = malloc(n_words * sizeof(*order));
	if (generator) {
		generator->columns = malloc(n_words * sizeof(*generator->columns));
		generator->words = calloc(n_words, sizeof(*generator->words));
	}
	if (!generator || !weights || !order || !generator->columns || !generator->words) {
		status = bs_fail_memory(err, "a text generator", UINT64_C(36) * n_words);
		goto out;
	}
	generator->options = *options;
	make_exp_steps(generator->exp_steps);
	generator->topic_limit = options->topic_milli * 65536 / 1000;
	uint64_t sum = make_weights(generator, weights);
	make_columns(weights, sum, n_words, order, generator->columns);
	for (uint32_t rank = 0; rank < n_words; rank++)
		generator->words[rank].n_bytes =
			(uint8_t)bs_generator_word(rank, generator->words[rank].letters);
	*generator_out = generator;
	generator = NULL;
out:
	free(order);
	free(weights);
	bs_generator_free(generator);
	return status;
}

void bs_generator_free(struct bs_generator *generator)
{
	if (!generator)
		return;
	free(generator->columns);
	free(generator->words);
	free(generator);
}

/* The length, in words, at which the tail of the log-normal distribution is cut off. */
#define MAX_DOCUMENT_WORDS (UINT32_C(1) << 24)

/* Draws mean * 2^(sigma z - sigma^2 ln 2 / 2). The subtrahend makes the expectation equal to the
 * mean, because the expectation of 2^(sigma z) = e^(sigma ln 2 z) is e^((sigma ln 2)^2 / 2). z is
 * approximately normal: the sum of 12 uniform numbers has variance 1 and mean 6 (Irwin-Hall). */
static uint32_t draw_length(const struct bs_generator *generator, struct random *random)
{
	const struct bs_generator_options *options = &generator->options;
	int64_t z_q32 = -(INT64_C(6) << 32);
	for (int i = 0; i < 12; i++)
		z_q32 += (int64_t)(next_random(random) >> 32);
	const int64_t sigma_milli = options->spread_milli;
	/* ln(2) / 2 * 2^32 = 0.34657359 * 4294967296 */
	const int64_t half_ln2_q32 = INT64_C(1488522236);
	int64_t octaves =
		z_q32 * sigma_milli / 1000 - sigma_milli * sigma_milli * half_ln2_q32 / 1000000;
	/* octaves < 12. exp2_negative_q32 takes only negative exponents, so it gets octaves - 12;
	 * >> 20 instead of 32 adds the 12 again. */
	uint64_t share =
		exp2_negative_q32(generator->exp_steps, (uint64_t)((INT64_C(12) << 32) - octaves));
	uint64_t n_words = (options->mean_words * share + (UINT64_C(1) << 19)) >> 20;
	if (n_words < 1)
		return 1;
	return n_words < MAX_DOCUMENT_WORDS ? (uint32_t)n_words : MAX_DOCUMENT_WORDS;
}

/* A topic has TOPIC_WORDS words. They are drawn by Zipf's law, so that every word keeps its share
 * over many topics. The first words of a topic are its most frequent ones, because the product of
 * two uniform numbers is usually small. Topics are not stored: the word at a place of a topic is a
 * function of both. */
#define TOPIC_WORDS 128

static inline uint32_t pick_topic_word(const struct bs_generator *generator, uint64_t topic_seed,
                                       uint64_t bits)
{
	uint64_t product_q32 = (bits >> 48) * (bits >> 32 & 0xffff);
	uint64_t place = product_q32 * TOPIC_WORDS >> 32;
	return pick_word(generator, bs_hash_mix(topic_seed + place * GAMMA));
}

/* Thresholds for 8 random bits that decide what follows a word. On average a sentence has 12.8
 * words and a line 5 sentences. */
enum {
	LINE_BELOW = 4,
	SENTENCE_BELOW = 20,
	COMMA_BELOW = 36
};

enum bs_status bs_generator_document(const struct bs_generator *generator, uint64_t doc,
                                     struct bs_buffer *text, struct bs_error *err)
{
	const struct bs_generator_options *options = &generator->options;
	struct random random = random_from(derive_seed(options->seed, 1, doc));
	const uint64_t topic_seed = derive_seed(options->seed, 2, doc / options->topic_docs);
	const uint32_t n_words = draw_length(generator, &random);
	bs_buffer_clear(text);
	/* A word takes at most 9 letters and 2 bytes after it, but is copied as a struct word. */
	enum bs_status status =
		bs_buffer_reserve(text, (size_t)n_words * 11 + sizeof(struct word), err);
	if (status)
		return status;
	uint8_t *to = text->data;
	bool is_start = true;
	for (uint32_t i = 0; i < n_words; i++) {
		/* the upper 40 bits choose the word, the lower 24 everything else */
		uint64_t bits = next_random(&random);
		uint32_t rank =
			(bits & 0xffff) < generator->topic_limit
				? pick_topic_word(generator, topic_seed, next_random(&random))
				: pick_word(generator, bits);
		memcpy(to, &generator->words[rank], sizeof(struct word));
		if (is_start)
			*to = (uint8_t)(*to - 'a' + 'A');
		to += generator->words[rank].n_bytes;
		uint32_t after = bits >> 16 & 0xff;
		if (i + 1 == n_words)
			after = 0;
		is_start = after < SENTENCE_BELOW;
		if (after < COMMA_BELOW)
			*to++ = is_start ? '.' : ',';
		*to++ = after < LINE_BELOW ? '\n' : ' ';
	}
	text->used_bytes = (size_t)(to - text->data);
	return BS_OK;
}

/* JSON requires only the line feeds of a generated text to be escaped. */
static void write_record(FILE *file, uint64_t doc, const uint8_t *text, size_t text_bytes)
{
	fprintf(file, "{\"id\": \"d%" PRIu64 "\", \"text\": \"", doc);
	const uint8_t *end = text + text_bytes;
	while (text < end) {
		const uint8_t *line_feed = memchr(text, '\n', (size_t)(end - text));
		size_t n_bytes = (size_t)((line_feed ? line_feed : end) - text);
		fwrite(text, 1, n_bytes, file);
		text += n_bytes;
		if (line_feed) {
			fputs("\\n", file);
			text++;
		}
	}
	fputs("\"}\n", file);
}

enum bs_status bs_generator_write_jsonl(const struct bs_generator *generator, FILE *file,
                                        struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = BS_OK;
	for (uint64_t doc = 0; !ferror(file) && doc < generator->options.n_docs; doc++) {
		status = bs_generator_document(generator, doc, &text, err);
		if (status)
			break;
		write_record(file, doc, text.data, text.used_bytes);
	}
	bs_buffer_deinit(&text);
	if (!status && (fflush(file) || ferror(file)))
		status =
			bs_fail(err, BS_IO, "cannot write the generated text: %s", strerror(errno));
	return status;
}
