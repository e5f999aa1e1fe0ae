/* bit_code.c: see bit_code.h. */
#include "core/bloom/bit_code.h"

#include "core/base/hash.h"
#include "core/bloom/bits.h"
#include "core/bloom/range_coder.h"

#define WORD_LEVEL 6u /* a word of 64 bits is a block of level 6 */
#define TOP_LEVEL  32u

struct model {
	/* XORed with each word: ~0 if the inverted bits are coded. */
	uint64_t flip;
	uint64_t n_bits;               /* number of bits of the array */
	uint64_t n_set;                /* number of coded bits (after `flip`) that are 1 */
	uint32_t top;                  /* level of the largest blocks */
	uint32_t empty[TOP_LEVEL + 1]; /* [L]: probability that a block of level L is empty */
	/* [L]: probability that the left one of two adjacent blocks of level L is empty, if not
	 * both are. */
	uint32_t empty_left[TOP_LEVEL + 1];
};

/* floor(2^64 * part / whole), part < whole < 2^32. */
static uint64_t fraction(uint64_t part, uint64_t whole)
{
	uint64_t high = (part << 32) / whole, rest = (part << 32) % whole;
	return high << 32 | (rest << 32) / whole;
}

static struct model model_of(uint64_t n_bits, uint64_t n_set)
{
	bool is_flipped = n_set > n_bits / 2;
	struct model model = {.flip = is_flipped ? UINT64_MAX : 0,
	                      .n_bits = n_bits,
	                      .n_set = is_flipped ? n_bits - n_set : n_set};
	if (model.n_set == 0)
		return model;
	uint64_t empty = fraction(n_bits - model.n_set, n_bits);
	for (uint32_t level = 0;; level++) {
		uint64_t q = empty >> 32;
		model.empty[level] = q ? (uint32_t)q : 1;
		q = (q << 32) / ((UINT64_C(1) << 32) + q);
		model.empty_left[level] = q ? (uint32_t)q : 1;
		model.top = level;
		if (level >= WORD_LEVEL && (empty >> 63 == 0 || UINT64_C(1) << level >= n_bits))
			return model;
		empty = bs_hash_multiply(empty, empty).high;
	}
}

/* The bits of a block of at most 64 bits. The first bit is the lowest. */
static uint64_t small_block(const struct model *model, const uint8_t *bits, uint64_t at,
                            uint32_t level)
{
	uint64_t word = bs_load_u64(bits + at / 64 * 8) ^ model->flip;
	return level == WORD_LEVEL
	               ? word
	               : word >> at % 64 & ((UINT64_C(1) << (UINT32_C(1) << level)) - 1);
}

static bool is_empty(const struct model *model, const uint8_t *bits, uint64_t at, uint32_t level)
{
	if (level < WORD_LEVEL)
		return small_block(model, bits, at, level) == 0;
	uint64_t end = at + (UINT64_C(1) << level);
	while (at < end && small_block(model, bits, at, WORD_LEVEL) == 0)
		at += 64;
	return at >= end;
}

/* Codes which halves of a nonempty block are empty. `level` is that of the halves. */
static void put_halves(const struct model *model, uint32_t level, bool left_empty, bool right_empty,
                       struct bs_range_encoder *encoder)
{
	bs_range_put(encoder, left_empty, model->empty_left[level]);
	if (!left_empty)
		bs_range_put(encoder, right_empty, model->empty[level]);
}

static void put_word(uint64_t word, uint32_t level, const struct model *model,
                     struct bs_range_encoder *encoder)
{
	if (level == 0)
		return;
	level--;
	uint32_t half = UINT32_C(1) << level;
	uint64_t left = word & ((UINT64_C(1) << half) - 1), right = word >> half;
	put_halves(model, level, !left, !right, encoder);
	if (left)
		put_word(left, level, model, encoder);
	if (right)
		put_word(right, level, model, encoder);
}

/* Codes a nonempty block that begins at bit `at`. */
static void put_block(const struct model *model, const uint8_t *bits, uint64_t at, uint32_t level,
                      struct bs_range_encoder *encoder)
{
	if (level <= WORD_LEVEL) {
		put_word(small_block(model, bits, at, level), level, model, encoder);
		return;
	}
	level--;
	uint64_t half = UINT64_C(1) << level;
	bool left_empty = is_empty(model, bits, at, level),
	     right_empty = is_empty(model, bits, at + half, level);
	put_halves(model, level, left_empty, right_empty, encoder);
	if (!left_empty)
		put_block(model, bits, at, level, encoder);
	if (!right_empty)
		put_block(model, bits, at + half, level, encoder);
}

/* Codes any block. A block that extends beyond the last bit is coded as two separate halves;
 * nothing is coded for bits that do not exist. */
static void put_any(const struct model *model, const uint8_t *bits, uint64_t at, uint32_t level,
                    struct bs_range_encoder *encoder)
{
	if (at + (UINT64_C(1) << level) <= model->n_bits) {
		bool empty = is_empty(model, bits, at, level);
		bs_range_put(encoder, empty, model->empty[level]);
		if (!empty)
			put_block(model, bits, at, level, encoder);
	} else if (at < model->n_bits) {
		put_any(model, bits, at, level - 1, encoder);
		put_any(model, bits, at + (UINT64_C(1) << (level - 1)), level - 1, encoder);
	}
}

enum bs_status bs_bit_encode(const uint8_t *bits, uint64_t n_bits, uint64_t n_set,
                             struct bs_buffer *out, struct bs_error *err)
{
	struct model model = model_of(n_bits, n_set);
	if (model.n_set == 0)
		return BS_OK;
	struct bs_range_encoder encoder = bs_range_encoder_of(out, err);
	for (uint64_t at = 0; at < n_bits && !encoder.status; at += UINT64_C(1) << model.top)
		put_any(&model, bits, at, model.top, &encoder);
	return bs_range_finish(&encoder);
}

/* Returns which halves are not empty: bit 0 is the left half, bit 1 the right half. */
static unsigned get_halves(const struct model *model, uint32_t level,
                           struct bs_range_decoder *decoder)
{
	if (bs_range_get(decoder, model->empty_left[level]))
		return 2;
	return bs_range_get(decoder, model->empty[level]) ? 1 : 3;
}

static uint64_t get_word(const struct model *model, uint32_t level,
                         struct bs_range_decoder *decoder)
{
	if (level == 0)
		return 1;
	level--;
	unsigned halves = get_halves(model, level, decoder);
	uint64_t word = halves & 1 ? get_word(model, level, decoder) : 0;
	return halves & 2 ? word | get_word(model, level, decoder) << (UINT32_C(1) << level) : word;
}

struct reading {
	struct model model;
	struct bs_range_decoder decoder;
	uint8_t *bits;
	uint64_t n_found; /* number of set bits decoded so far, before flip() */
};

/* Decodes a nonempty block that begins at bit `at`. False if the code is invalid. */
static bool get_block(struct reading *reading, uint64_t at, uint32_t level)
{
	if (bs_range_is_over(&reading->decoder))
		return false;
	if (level <= WORD_LEVEL) {
		uint64_t found = get_word(&reading->model, level, &reading->decoder);
		uint8_t *word = reading->bits + at / 64 * 8;
		bs_store_u64(word, bs_load_u64(word) | found << at % 64);
		reading->n_found += bs_count_bits(found);
		return reading->n_found <= reading->model.n_set;
	}
	level--;
	unsigned halves = get_halves(&reading->model, level, &reading->decoder);
	return (!(halves & 1) || get_block(reading, at, level)) &&
	       (!(halves & 2) || get_block(reading, at + (UINT64_C(1) << level), level));
}

static bool get_any(struct reading *reading, uint64_t at, uint32_t level)
{
	const struct model *model = &reading->model;
	if (at + (UINT64_C(1) << level) <= model->n_bits)
		return bs_range_get(&reading->decoder, model->empty[level]) ||
		       get_block(reading, at, level);
	return at >= model->n_bits ||
	       (get_any(reading, at, level - 1) &&
	        get_any(reading, at + (UINT64_C(1) << (level - 1)), level - 1));
}

static void flip(uint8_t *bits, uint64_t n_bits)
{
	size_t n_bytes = bs_bits_bytes(n_bits);
	for (size_t i = 0; i < n_bytes; i += 8)
		bs_store_u64(bits + i, ~bs_load_u64(bits + i));
	if (n_bits % 64)
		bs_store_u64(bits + n_bytes - 8,
		             bs_load_u64(bits + n_bytes - 8) & ((UINT64_C(1) << n_bits % 64) - 1));
}

bool bs_bit_decode(const uint8_t *bytes, size_t n_bytes, uint64_t n_bits, uint64_t n_set,
                   uint8_t *bits)
{
	if (n_set > n_bits)
		return false;
	struct reading reading = {.model = model_of(n_bits, n_set), .bits = bits};
	const struct model *model = &reading.model;
	if (model->n_set == 0 && n_bytes)
		return false;
	if (model->n_set) {
		reading.decoder = bs_range_decoder_of(bytes, n_bytes);
		for (uint64_t at = 0; at < n_bits; at += UINT64_C(1) << model->top)
			if (!get_any(&reading, at, model->top))
				return false;
		if (reading.n_found != model->n_set || !bs_range_ends_well(&reading.decoder))
			return false;
	}
	if (model->flip)
		flip(bits, n_bits);
	return true;
}
