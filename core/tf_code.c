/* tf_code.c: see tf_code.h. */
#include "core/tf_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/hash.h"

#define GOLDEN      UINT64_C(0x9e3779b97f4a7c15)
#define FIRST_LEVEL 32u /* of bs_hash_probe; columns have lower ones */
#define WIDTH       64u
#define LAST_UNARY  4u
#define MOST_ONES   31u /* of the gamma code: a tf has 32 bits */

void bs_tf_coder_deinit(struct bs_tf_coder *coder)
{
	bs_buffer_deinit(&coder->equations);
	bs_buffer_deinit(&coder->rows);
}

/* The coefficients of bits start, start + 1, ...: bit i is that of bit start + i. */
struct coefficients {
	uint64_t start;
	uint64_t mask;
};

static inline struct coefficients coefficients_of(uint64_t a, uint64_t mask, uint64_t n_bytes)
{
	if (n_bytes < WIDTH / 8)
		return (struct coefficients){0, mask & ((UINT64_C(1) << (n_bytes * 8)) - 1)};
	return (struct coefficients){(uint64_t)bs_hash_reduce(a, (uint32_t)(n_bytes - WIDTH / 8) + 1) * 8, mask};
}

static inline uint64_t equation_of(uint64_t hash, uint32_t j)
{
	return bs_hash_mix(hash + (uint64_t)(FIRST_LEVEL + j) * GOLDEN);
}

/* ---- reading ---- */

void bs_tf_key_init(struct bs_tf_key *key, uint64_t hash)
{
	key->hash = hash;
	for (uint32_t j = 0; j < BS_TF_KEY_BITS; j++) {
		key->places[j] = equation_of(hash, j);
		key->masks[j] = bs_hash_mix(key->places[j]);
	}
}

/* A document's bits, and whose equations they answer. */
struct reading {
	const uint8_t *bits;
	size_t n_bytes;
	uint64_t hash;
	const struct bs_tf_key *key; /* or NULL */
};

static inline unsigned bit_of(const struct reading *from, uint32_t j)
{
	bool is_known = from->key && j < BS_TF_KEY_BITS;
	uint64_t a = is_known ? from->key->places[j] : equation_of(from->hash, j);
	struct coefficients at = coefficients_of(a, is_known ? from->key->masks[j] : bs_hash_mix(a), from->n_bytes);
	return (unsigned)__builtin_parityll(bs_load_u64(from->bits + at.start / 8) & at.mask);
}

static uint32_t decode_gamma(const struct reading *from)
{
	uint32_t j = LAST_UNARY;
	uint32_t n_digits = 0;
	uint64_t value = 1;
	while (n_digits < MOST_ONES && bit_of(from, j++))
		n_digits++;
	for (uint32_t i = 0; i < n_digits; i++)
		value = value << 1 | bit_of(from, j++);
	value += LAST_UNARY;
	return value < BS_TF_UNKNOWN ? (uint32_t)value : BS_TF_UNKNOWN;
}

static inline uint32_t decode(const struct reading *from)
{
	if (from->n_bytes == 0)
		return 1;
	for (uint32_t j = 0; j < LAST_UNARY; j++)
		if (!bit_of(from, j))
			return j + 1;
	return decode_gamma(from);
}

uint32_t bs_tf_decode(const uint8_t *bits, size_t n_bytes, uint64_t hash)
{
	const struct reading from = {.bits = bits, .n_bytes = n_bytes, .hash = hash};
	return decode(&from);
}

uint32_t bs_tf_decode_key(const uint8_t *bits, size_t n_bytes, const struct bs_tf_key *key)
{
	const struct reading from = {.bits = bits, .n_bytes = n_bytes, .hash = key->hash, .key = key};
	return decode(&from);
}

/* ---- writing ---- */

struct equation {
	uint64_t a;
	uint64_t value; /* 0 or 1 */
};

#define MOST_EQUATIONS (LAST_UNARY + 2 * MOST_ONES + 1) /* of a word */

static void add_equation(struct bs_tf_coder *coder, uint64_t hash, uint32_t j, uint64_t value)
{
	struct equation equation = {equation_of(hash, j), value};
	memcpy(coder->equations.data + coder->equations.used_bytes, &equation, sizeof(equation));
	coder->equations.used_bytes += sizeof(equation);
}

static enum bs_status spell(struct bs_tf_coder *coder, const struct bs_tf_word *word, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(&coder->equations, MOST_EQUATIONS * sizeof(struct equation), err);
	uint32_t j = 0;
	for (; j < LAST_UNARY && !status; j++) {
		add_equation(coder, word->hash, j, word->tf > j + 1);
		if (word->tf == j + 1)
			return BS_OK;
	}
	if (status)
		return status;
	uint32_t rest = word->tf - LAST_UNARY;
	uint32_t n_digits = 31 - (uint32_t)__builtin_clz(rest);
	for (uint32_t i = 0; i < n_digits; i++)
		add_equation(coder, word->hash, j++, 1);
	if (n_digits < MOST_ONES)
		add_equation(coder, word->hash, j++, 0);
	for (uint32_t i = n_digits; i-- > 0;)
		add_equation(coder, word->hash, j++, rest >> i & 1);
	return BS_OK;
}

/* A row of the system in echelon form: the coefficients from its own bit on, that one first. No coefficient: free. */
struct row {
	uint64_t mask;
	uint64_t value;
};

/* Gaussian elimination, an equation at a time; each begins behind the last one it was reduced by. */
static bool insert(struct row *rows, const struct equation *equation, uint64_t n_bytes)
{
	struct coefficients at = coefficients_of(equation->a, bs_hash_mix(equation->a), n_bytes);
	uint64_t value = equation->value;
	while (at.mask) {
		unsigned n_zeros = (unsigned)__builtin_ctzll(at.mask);
		struct row *row = &rows[at.start += n_zeros];
		at.mask >>= n_zeros;
		if (!row->mask) {
			*row = (struct row){at.mask, value};
			return true;
		}
		at.mask ^= row->mask;
		value ^= row->value;
	}
	return value == 0;
}

/* From the last bit back: what stands behind a bit decides it. Free ones are zero. */
static void substitute(const struct row *rows, uint64_t n_bytes, uint8_t *bits)
{
	uint64_t behind = 0; /* bit 0: the one right behind */
	memset(bits, 0, n_bytes);
	for (uint64_t i = n_bytes * 8; i-- > 0;) {
		uint64_t bit = rows[i].mask ? rows[i].value ^ (uint64_t)__builtin_parityll(rows[i].mask >> 1 & behind) : 0;
		bits[i / 8] |= (uint8_t)(bit << (i % 8));
		behind = behind << 1 | bit;
	}
}

static enum bs_status solve(struct bs_tf_coder *coder, uint64_t n_bytes, bool *solved_out, struct bs_error *err)
{
	const struct equation *equations = (const struct equation *)(const void *)coder->equations.data;
	size_t n = coder->equations.used_bytes / sizeof(*equations);
	bs_buffer_clear(&coder->rows);
	enum bs_status status = bs_buffer_reserve(&coder->rows, n_bytes * 8 * sizeof(struct row), err);
	*solved_out = !status;
	if (status)
		return status;
	struct row *rows = (struct row *)(void *)coder->rows.data;
	memset(rows, 0, n_bytes * 8 * sizeof(*rows));
	for (size_t i = 0; i < n && *solved_out; i++)
		*solved_out = insert(rows, &equations[i], n_bytes);
	return BS_OK;
}

static enum bs_status spell_all(struct bs_tf_coder *coder, const struct bs_tf_word *words, size_t n_words,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bs_buffer_clear(&coder->equations);
	for (size_t i = 0; i < n_words && !status; i++)
		status = spell(coder, &words[i], err);
	return status;
}

static int compare_hashes(const void *a, const void *b)
{
	const struct bs_tf_word *x = a;
	const struct bs_tf_word *y = b;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Words of one hash contradict each other. */
static void forget_twins(struct bs_tf_word *words, size_t n_words)
{
	qsort(words, n_words, sizeof(*words), compare_hashes);
	for (size_t i = 0; i + 1 < n_words; i++)
		if (words[i].hash == words[i + 1].hash)
			words[i].tf = words[i + 1].tf = BS_TF_UNKNOWN;
}

/* Up to 64 equations are dense, and solved in a byte more than they need at most times; a longer system is a band, and
 * wants some slack: where it fails, it gets a 32nd part and a byte more. Where it fails again and again, twins are to
 * blame. */
#define SLACK_SHIFT 5
#define TWINS_TRY   16u

enum bs_status bs_tf_encode(struct bs_tf_coder *coder, struct bs_tf_word *words, size_t n_words, struct bs_buffer *bits,
                            struct bs_error *err)
{
	bool is_plain = true;
	bool is_solved = false;
	for (size_t i = 0; i < n_words; i++)
		is_plain &= words[i].tf == 1;
	if (is_plain)
		return BS_OK;
	enum bs_status status = spell_all(coder, words, n_words, err);
	uint64_t n = coder->equations.used_bytes / sizeof(struct equation);
	uint64_t n_bytes = (n + (n > WIDTH ? n >> SLACK_SHIFT : 0) + 7) / 8;
	for (unsigned try = 0; !status && !is_solved; try++) {
		if (try == TWINS_TRY) {
			forget_twins(words, n_words);
			status = spell_all(coder, words, n_words, err);
		}
		n_bytes += try ? 1 + (n_bytes >> SLACK_SHIFT) : 0;
		if (!status)
			status = solve(coder, n_bytes, &is_solved, err);
	}
	if (!status)
		status = bs_buffer_reserve(bits, n_bytes, err);
	if (status)
		return status;
	substitute((const struct row *)(const void *)coder->rows.data, n_bytes, bits->data + bits->used_bytes);
	bits->used_bytes += n_bytes;
	return BS_OK;
}
