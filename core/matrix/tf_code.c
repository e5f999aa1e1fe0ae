/* tf_code.c: see tf_code.h; bytes in FORMAT.md. */
#include "core/matrix/tf_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/file/segment_sections.h"
#include "core/system/deadline.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
/* Equation j adds (FIRST_LEVEL + j) * GOLDEN to the hash, as bs_hash_probe adds level * GOLDEN.
 * Columns and tf levels use lower levels. */
#define FIRST_LEVEL 32u
#define FACTOR      UINT64_C(0x94d049bb133111eb)
#define WIDTH       64u
#define MOST_ONES   31u /* maximum number of ones in a gamma code: a tf has 32 bits */
#define FIRST_GAMMA 1u  /* first equation of the gamma code, after the one for "repeated" */

void bs_tf_coder_deinit(struct bs_tf_coder *coder)
{
	bs_buffer_deinit(&coder->equations);
	bs_buffer_deinit(&coder->scratch);
}

/* The coefficients of an equation: bit i is the coefficient of stored bit start + i. */
struct coefficients {
	uint64_t start;
	uint64_t mask;
};

static inline struct coefficients coefficients_of(struct bs_tf_equation equation, uint64_t n_bytes)
{
	if (n_bytes < WIDTH / 8)
		return (struct coefficients){0,
		                             equation.mask & ((UINT64_C(1) << (n_bytes * 8)) - 1)};
	uint64_t byte = bs_hash_reduce(equation.a, (uint32_t)(n_bytes - WIDTH / 8) + 1);
	return (struct coefficients){byte * 8, equation.mask};
}

static inline struct bs_tf_equation equation_of(uint64_t hash, uint32_t j)
{
	struct bs_product product =
		bs_hash_multiply(hash + (uint64_t)(FIRST_LEVEL + j) * GOLDEN, FACTOR);
	return (struct bs_tf_equation){product.low, product.low ^ product.high};
}

void bs_tf_key_init(struct bs_tf_key *key, uint64_t hash)
{
	key->hash = hash;
	for (uint32_t j = 0; j < BS_TF_KEY_BITS; j++)
		key->equations[j] = equation_of(hash, j);
}

/* A document's bits and the word to decode. */
struct reading {
	const uint8_t *bits;
	size_t n_bytes;
	uint64_t hash;
	const struct bs_tf_key *key; /* nullable */
};

static inline unsigned bit_of(const struct reading *from, uint32_t j)
{
	bool is_known = from->key && j < BS_TF_KEY_BITS;
	struct bs_tf_equation equation =
		is_known ? from->key->equations[j] : equation_of(from->hash, j);
	struct coefficients at = coefficients_of(equation, from->n_bytes);
	return (unsigned)__builtin_parityll(bs_load_u64(from->bits + at.start / 8) & at.mask);
}

static uint32_t decode_gamma(const struct reading *from)
{
	uint32_t j = FIRST_GAMMA, n_digits = 0;
	uint64_t value = 1;
	while (n_digits < MOST_ONES && bit_of(from, j++))
		n_digits++;
	for (uint32_t i = 0; i < n_digits; i++)
		value = value << 1 | bit_of(from, j++);
	return value + 1 < BS_TF_UNKNOWN ? (uint32_t)value + 1 : BS_TF_UNKNOWN;
}

static inline uint32_t decode(const struct reading *from)
{
	return from->n_bytes > 0 && bit_of(from, 0) ? decode_gamma(from) : 1;
}

uint32_t bs_tf_decode(const uint8_t *bits, size_t n_bytes, uint64_t hash)
{
	const struct reading from = {.bits = bits, .n_bytes = n_bytes, .hash = hash};
	return decode(&from);
}

uint32_t bs_tf_decode_key(const uint8_t *bits, size_t n_bytes, const struct bs_tf_key *key)
{
	const struct reading from = {
		.bits = bits, .n_bytes = n_bytes, .hash = key->hash, .key = key};
	return decode(&from);
}

/* An equation with its right side, `value`. */
struct spelled {
	struct bs_tf_equation equation;
	uint64_t value;
};

static inline struct spelled spelled_as(uint64_t hash, uint32_t j, bool value)
{
	return (struct spelled){equation_of(hash, j), value};
}

/* The number of binary digits of tf - 1 after the first; tf >= 2. */
static inline uint32_t digits_behind(uint32_t tf)
{
	return bs_log2(tf - 1);
}

static inline uint32_t count_digits(uint32_t tf)
{
	if (tf == 1)
		return 1;
	uint32_t n_behind = digits_behind(tf);
	return FIRST_GAMMA + 2 * n_behind + (n_behind < MOST_ONES);
}

static struct spelled *spell_gamma(struct spelled *to, const struct bs_tf_word *word)
{
	uint32_t n_behind = digits_behind(word->tf);
	uint32_t j = FIRST_GAMMA;
	for (uint32_t i = 0; i < n_behind; i++)
		*to++ = spelled_as(word->hash, j++, true);
	if (n_behind < MOST_ONES)
		*to++ = spelled_as(word->hash, j++, false);
	for (uint32_t i = n_behind; i-- > 0;)
		*to++ = spelled_as(word->hash, j++, (word->tf - 1) >> i & 1);
	return to;
}

/* A system of more than MOST_SPELLED equations uses the plain solver, and computes equations each
 * time instead of storing them: 25 bytes per equation instead of 122. (The other solvers would
 * switch to the plain one anyway, at a byte where more than 64 equations are open; nearly every
 * system this large has such a byte.) */
#define MOST_SPELLED (1u << 20)
#define MOST_DIGITS  (FIRST_GAMMA + 2 * 32)
#define WORD_NS      50u /* approximate time to place one word, for the deadline */

static bool is_long(size_t n)
{
	return n > MOST_SPELLED;
}

/* Computes all n equations of the words, unless the system is long: first the equation "is
 * repeated" of each word, without branches, which would be mispredicted; then the other equations
 * of repeated words. */
static enum bs_status spell_all(struct bs_tf_coder *coder, const struct bs_tf_word *words,
                                size_t n_words, size_t n, struct bs_error *err)
{
	bs_buffer_clear(&coder->equations);
	if (is_long(n))
		return BS_OK;
	enum bs_status status = bs_buffer_reserve(
		&coder->equations, n * sizeof(struct spelled) + n_words * sizeof(*words), err);
	if (status)
		return status;
	struct spelled *to = (struct spelled *)(void *)coder->equations.data;
	struct bs_tf_word *repeated = (struct bs_tf_word *)(void *)(to + n);
	size_t n_repeated = 0;
	for (size_t i = 0; i < n_words; i++) {
		*to++ = spelled_as(words[i].hash, 0, words[i].tf > 1);
		repeated[n_repeated] = words[i];
		n_repeated += words[i].tf > 1;
	}
	for (size_t i = 0; i < n_repeated; i++)
		to = spell_gamma(to, &repeated[i]);
	return BS_OK;
}

/* Computes the equations of one word; returns their number. */
static size_t spell_word(struct spelled to[MOST_DIGITS], const struct bs_tf_word *word)
{
	to[0] = spelled_as(word->hash, 0, word->tf > 1);
	return word->tf > 1 ? (size_t)(spell_gamma(to + 1, word) - to) : 1;
}

static size_t lines_for(size_t n_bytes)
{
	return (n_bytes + BS_LINE_BYTES - 1) / BS_LINE_BYTES;
}

/* Allocates an empty system of n equations and n_bytes unknown bytes as one piece of memory. */
static enum bs_status lay_out(struct bs_tf_coder *coder, size_t n, uint64_t n_bytes,
                              struct bs_band *band_out, uint32_t **n_begun_out,
                              uint64_t **values_out, struct bs_error *err)
{
	size_t n_blocks = (n + 63) / 64;
	size_t n_starts = n_bytes < WIDTH / 8 ? 1 : n_bytes - WIDTH / 8 + 1;
	size_t mask_lines = 8 * n_blocks;
	size_t value_lines = lines_for(n_blocks * 8);
	size_t begun_lines = lines_for(n_starts * sizeof(uint32_t));
	size_t step_lines = is_long(n) ? 0 : lines_for(n_bytes * sizeof(struct bs_band_step));
	size_t band_lines = is_long(n) ? BS_PLAIN_BAND_LINES(n_bytes) : BS_BAND_LINES(n_bytes);
	size_t n_lines = mask_lines + value_lines + begun_lines + step_lines + band_lines;
	bs_buffer_clear(&coder->scratch);
	enum bs_status status =
		bs_buffer_reserve(&coder->scratch, (n_lines + 1) * BS_LINE_BYTES, err);
	if (status)
		return status;
	uint8_t *at = coder->scratch.data;
	at += -(uintptr_t)at % BS_LINE_BYTES;
	*band_out = (struct bs_band){.n_bytes = (uint32_t)n_bytes, .n_starts = (uint32_t)n_starts};
	band_out->masks = (uint64_t *)(void *)at;
	memset(at + (mask_lines - 8) * BS_LINE_BYTES, 0,
	       (8 + value_lines + begun_lines) * BS_LINE_BYTES);
	at += mask_lines * BS_LINE_BYTES;
	band_out->values = *values_out = (uint64_t *)(void *)at;
	at += value_lines * BS_LINE_BYTES;
	band_out->n_begun = *n_begun_out = (uint32_t *)(void *)at;
	at += begun_lines * BS_LINE_BYTES;
	band_out->steps = (struct bs_band_step *)(void *)at;
	band_out->lines = (uint64_t *)(void *)(at + step_lines * BS_LINE_BYTES);
	return BS_OK;
}

/* Stores the equations in a small system, which needs no sorting: at most 64 equations for at most
 * 8 unknown bytes, so that all equations begin at byte 0. */
static void place_dense(const struct spelled *spelled, size_t n, const struct bs_band *band,
                        uint32_t *n_begun, uint64_t *values)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < n; i++) {
		band->masks[bs_band_place(i)] =
			coefficients_of(spelled[i].equation, band->n_bytes).mask;
		bits |= spelled[i].value << i;
	}
	values[0] = bits;
	n_begun[0] = (uint32_t)n;
}

/* A counting sort of the equations by the byte where they begin. After count_begun, n_begun has for
 * each byte the number of equations that begin there; after sum_begun, the number that begin at
 * earlier bytes; after take_places, the number that begin there or earlier. */
static void count_begun(const struct spelled *spelled, size_t n, const struct bs_band *band,
                        uint32_t *n_begun)
{
	for (size_t i = 0; i < n; i++)
		n_begun[coefficients_of(spelled[i].equation, band->n_bytes).start / 8]++;
}

static void sum_begun(const struct bs_band *band, uint32_t *n_begun)
{
	for (uint32_t byte = 0, n_before = 0; byte < band->n_starts; byte++) {
		uint32_t n_here = n_begun[byte];
		n_begun[byte] = n_before;
		n_before += n_here;
	}
}

static void take_places(const struct spelled *spelled, size_t n, const struct bs_band *band,
                        uint32_t *n_begun, uint64_t *values)
{
	for (size_t i = 0; i < n; i++) {
		struct coefficients at = coefficients_of(spelled[i].equation, band->n_bytes);
		uint32_t place = n_begun[at.start / 8]++;
		band->masks[bs_band_place(place)] = at.mask;
		values[place / 64] |= spelled[i].value << (place % 64);
	}
}

/* Sorts equations as they are computed, word by word. Their order within a byte differs from that
 * of spell_all, which does not change the solution. */
static enum bs_status place_words(const struct bs_tf_word *words, size_t n_words,
                                  const struct bs_band *band, uint32_t *n_begun, uint64_t *values,
                                  struct bs_error *err)
{
	struct spelled spelled[MOST_DIGITS];
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_words && !status; i++) {
		count_begun(spelled, spell_word(spelled, &words[i]), band, n_begun);
		status = bs_deadline_each(i, WORD_NS, err);
	}
	if (status)
		return status;
	sum_begun(band, n_begun);
	for (size_t i = 0; i < n_words && !status; i++) {
		take_places(spelled, spell_word(spelled, &words[i]), band, n_begun, values);
		status = bs_deadline_each(i, WORD_NS, err);
	}
	return status;
}

static enum bs_status solve(struct bs_tf_coder *coder, const struct bs_tf_word *words,
                            size_t n_words, size_t n, uint64_t n_bytes, uint8_t *bits,
                            bool *solved_out, struct bs_error *err)
{
	const struct spelled *spelled = (const struct spelled *)(const void *)coder->equations.data;
	const struct bs_kernel *kernel = coder->kernel;
	struct bs_band band;
	uint32_t *n_begun;
	uint64_t *values;
	enum bs_status status = lay_out(coder, n, n_bytes, &band, &n_begun, &values, err);
	*solved_out = false;
	if (status)
		return status;
	if (is_long(n))
		status = bs_kernel_choose("plain", &kernel, err);
	if (is_long(n)) {
		status = status ? status : place_words(words, n_words, &band, n_begun, values, err);
	} else if (band.n_starts == 1) {
		place_dense(spelled, n, &band, n_begun, values);
	} else {
		count_begun(spelled, n, &band, n_begun);
		sum_begun(&band, n_begun);
		take_places(spelled, n, &band, n_begun, values);
	}
	*solved_out = !status && kernel->solve_band(&band, bits);
	return status;
}

static int compare_hashes(const void *a, const void *b)
{
	const struct bs_tf_word *x = a, *y = b;
	return bs_compare_u64(x->hash, y->hash);
}

/* Marks the tf of words with equal hashes as unknown: their equations may contradict each other. */
static void forget_twins(struct bs_tf_word *words, size_t n_words)
{
	qsort(words, n_words, sizeof(*words), compare_hashes);
	for (size_t i = 0; i + 1 < n_words; i++)
		if (words[i].hash == words[i + 1].hash)
			words[i].tf = words[i + 1].tf = BS_TF_UNKNOWN;
}

/* The first attempt to solve a system of up to 64 equations, which is dense, has one unknown bit
 * for each equation, rounded up to bytes; with one more byte it is usually solvable. A longer
 * system is a band and has 1/64 more unknown bits than equations. After a failed attempt, the
 * number of bytes grows by 1/64 and a byte. After TWINS_TRY failed attempts, words with equal
 * hashes are the likely cause (forget_twins). */
#define SLACK_SHIFT 6
#define TWINS_TRY   16u

static size_t count_equations(const struct bs_tf_word *words, size_t n_words)
{
	size_t n = 0;
	for (size_t i = 0; i < n_words; i++)
		n += count_digits(words[i].tf);
	return n;
}

enum bs_status bs_tf_encode(struct bs_tf_coder *coder, struct bs_tf_word *words, size_t n_words,
                            struct bs_buffer *bits, struct bs_error *err)
{
	bool is_solved = false;
	size_t n = count_equations(words, n_words);
	/* no word is repeated */
	if (n == n_words)
		return BS_OK;
	enum bs_status status = spell_all(coder, words, n_words, n, err);
	uint64_t n_bytes = (n + (n > WIDTH ? n >> SLACK_SHIFT : 0) + 7) / 8;
	for (unsigned try = 0; !status && !is_solved; try++) {
		if (try == TWINS_TRY) {
			forget_twins(words, n_words);
			n = count_equations(words, n_words);
			status = spell_all(coder, words, n_words, n, err);
		}
		n_bytes += try ? 1 + (n_bytes >> SLACK_SHIFT) : 0;
		if (try == TWINS_TRY && n_bytes < (n + 7) / 8)
			n_bytes = (n + 7) / 8;
		if (!status)
			status = bs_buffer_reserve(bits, n_bytes, err);
		if (!status)
			status = solve(coder, words, n_words, n, n_bytes,
			               bits->data + bits->used_bytes, &is_solved, err);
		if (!status && !is_solved)
			status = bs_deadline_check(err);
	}
	if (!status)
		bits->used_bytes += n_bytes;
	return status;
}

enum bs_status bs_tf_table_add(struct bs_tf_table_builder *builder, const uint8_t *bits,
                               size_t n_bytes, struct bs_error *err)
{
	static const uint64_t start = 0;
	enum bs_status status = builder->ends.used_bytes ? BS_OK
	                                                 : bs_buffer_append(&builder->ends, &start,
	                                                                    sizeof(start), err);
	if (!status && n_bytes)
		status = bs_buffer_append(&builder->bits, bits, n_bytes, err);
	uint64_t end = builder->bits.used_bytes;
	return status ? status : bs_buffer_append(&builder->ends, &end, sizeof(end), err);
}

enum bs_status bs_tf_table_pad(struct bs_tf_table_builder *builder, struct bs_error *err)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	enum bs_status status = bs_buffer_append(&builder->bits, pad, sizeof(pad), err);
	if (!status)
		builder->bits.used_bytes -= sizeof(pad);
	return status;
}

const uint8_t *bs_tf_table_added(const struct bs_tf_table_builder *builder, uint32_t document,
                                 size_t *n_bytes_out)
{
	const uint8_t *ends = builder->ends.data + (uint64_t)document * 8;
	uint64_t start = bs_load_u64(ends);
	*n_bytes_out = (size_t)(bs_load_u64(ends + 8) - start);
	return builder->bits.data + start;
}

void bs_tf_table_write(const struct bs_tf_table_builder *builder, struct bs_file_writer *writer)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	static const uint64_t start = 0;
	bool is_empty = builder->ends.used_bytes == 0;
	bs_packed_write_u64(writer, BS_SECTION_DOC_TF_OFFSETS, 0,
	                    is_empty ? &start : (const uint64_t *)(const void *)builder->ends.data,
	                    is_empty ? 1 : builder->ends.used_bytes / 8);
	bs_file_writer_put(writer, BS_SECTION_DOC_TFS, 0, builder->bits.data,
	                   builder->bits.used_bytes);
	bs_file_writer_bytes(writer, pad, sizeof(pad));
}

void bs_tf_table_builder_clear(struct bs_tf_table_builder *builder)
{
	bs_buffer_clear(&builder->ends);
	bs_buffer_clear(&builder->bits);
}

void bs_tf_table_builder_deinit(struct bs_tf_table_builder *builder)
{
	bs_buffer_deinit(&builder->ends);
	bs_buffer_deinit(&builder->bits);
}

enum bs_status bs_tf_table_open(struct bs_tf_table *table, const struct bs_container *file,
                                uint64_t n_docs, struct bs_error *err)
{
	*table = (struct bs_tf_table){.bits = bs_container_section(file, BS_SECTION_DOC_TFS, 0)};
	if (table->bits.n_bytes < BS_TF_PAD_BYTES)
		return bs_container_corrupt(file, err,
		                            "the frequencies of words in documents are cut off");
	return bs_packed_open(&table->offsets,
	                      bs_container_section(file, BS_SECTION_DOC_TF_OFFSETS, 0), n_docs + 1,
	                      err);
}

enum bs_status bs_tf_table_get(const struct bs_tf_table *table, uint32_t document,
                               const uint8_t **bits_out, size_t *n_bytes_out, struct bs_error *err)
{
	uint64_t start, end;
	enum bs_status status = bs_packed_get_span(&table->offsets, document, &start, &end, err);
	if (status)
		return status;
	if (start > end || end > table->bits.n_bytes - BS_TF_PAD_BYTES || end - start >= UINT32_MAX)
		return bs_container_corrupt(
			table->bits.file, err,
			"the frequencies of words in document %u have impossible bounds", document);
	*bits_out = table->bits.data + start;
	*n_bytes_out = (size_t)(end - start);
	return bs_section_touch(&table->bits, start, end - start + BS_TF_PAD_BYTES, err);
}
