/*
 * term_codes.h: the prefix codes in which a lexicon's terms are written, private to the lexicon's reader, writer and
 * tests.
 *
 * A term is coded as a head and its rest. The head says in one symbol how many bytes to drop from the end of the term
 * before, and the class of its document frequency. The rest is a string of symbols, each up to eight bytes that the
 * segment's terms often have in a row, perhaps with the end of the term: "x", "0x00", "_shift" and the end. Both are
 * Huffman codes of at most 15 bits, with the code chosen by context: a head's by how the term before ended, a rest's
 * first symbol by the bytes dropped, a later one by the byte before it. A reader knows all of these without rebuilding
 * the term. Bytes: FORMAT.md.
 */
#ifndef BS_CORE_LEXICON_TERM_CODES_H
#define BS_CORE_LEXICON_TERM_CODES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/file/container.h"
#include "core/base/status.h"

#define BS_CODE_MAX_BITS  15u
#define BS_CODE_FAST_BITS 10u /* codes up to this long take one look: 4 KiB of table a code */

#define BS_N_HEADS         256u
#define BS_HEAD_CONTEXTS   19u
#define BS_REST_CONTEXTS   12u
#define BS_SYMBOL_BYTES    8u
#define BS_MAX_SYMBOLS     65536u /* that a reader takes */

#define BS_TERM_CODES_HEAD_BYTES 16u
#define BS_HEAD_CODE_BYTES       (BS_N_HEADS / 2)

/* Heads: eight times the bytes dropped, and the class of df. */

#define BS_DROP_MORE   31u /* so many or more: a number follows */
#define BS_DF_MAGNITUDES  8u
#define BS_DF_MORE     7u  /* class of df >= BS_DF_MORE_LEAST: a number follows */
#define BS_DF_MORE_LEAST 64u

/* 1, 2, 3, then 4.., 8.., 16.., 32.. to the double, then all others. */
static inline uint32_t bs_df_magnitude(uint64_t df)
{
	if (df <= 3)
		return (uint32_t)df - 1;
	return df >= BS_DF_MORE_LEAST ? BS_DF_MORE : 64 - (uint32_t)__builtin_clzll(df);
}

/* Bits that follow in classes 3 to 6; the class begins at 1 << bits. */
static inline uint32_t bs_df_bits(uint32_t df_magnitude)
{
	return df_magnitude - 1;
}

/* Of the head of the first term of a block: 0. Of others: by the rest and the class of the term before. */
static inline uint32_t bs_head_context(uint64_t last_rest_bytes, uint32_t last_df_magnitude)
{
	static const uint8_t row[12] = {0, 0, 1, 1, 2, 3, 3, 4, 4, 4, 4, 5};
	return 1 + row[last_rest_bytes < 11 ? last_rest_bytes : 11] * 3u + (last_df_magnitude < 2 ? last_df_magnitude : 2);
}

/* Of the first symbol. */
static inline uint32_t bs_first_context(uint64_t n_dropped)
{
	return n_dropped < 7 ? (uint32_t)n_dropped : 7;
}

/* Of a symbol after this byte. */
static inline uint32_t bs_next_context(uint8_t byte)
{
	if (byte >= 0x80)
		return 11;
	return byte >= 'a' && byte <= 'z' ? 10 : (byte >= '0' && byte <= '9' ? 9 : 8);
}

/* A decoded symbol in one word; 0 is none. */
#define BS_CODED(symbol, n_bytes, is_end, context) \
	((uint32_t)(symbol) << 16 | (uint32_t)(context) << 12 | (uint32_t)(is_end) << 11 | (uint32_t)(n_bytes) << 4)
#define BS_CODED_BITS(coded)    ((coded) & 15)
#define BS_CODED_BYTES(coded)   ((coded) >> 4 & 15)
#define BS_CODED_IS_END(coded)  ((coded) >> 11 & 1)
#define BS_CODED_CONTEXT(coded) ((coded) >> 12 & 15)
#define BS_CODED_SYMBOL(coded)  ((coded) >> 16)

struct bs_code {
	/* By the next bits: a symbol, or for a longer code where to look on: place in longer << 8 | further bits << 4. */
	uint32_t fast[1u << BS_CODE_FAST_BITS];
	const uint32_t *longer; /* of all codes; the first two are 0, for bits that are no code */
};

/* Bits of a block, the highest of a byte first. */
struct bs_bits {
	uint64_t window;      /* the next n_bits, from the highest on, zeros below */
	uint32_t n_bits;
	const uint8_t *at;    /* those after them */
	const uint8_t *end;   /* of the block; BS_LEXICON_PAD_BYTES more may be read */
};

/* At least 33 bits in the window. False if the block ended before the bits taken so far did. */
static inline bool bs_bits_fill(struct bs_bits *bits)
{
	if (bits->n_bits > 32)
		return true;
	if (bits->at > bits->end + 4)
		return false;
	uint32_t word;
	memcpy(&word, bits->at, sizeof(word));
	bits->window |= (uint64_t)__builtin_bswap32(word) << (32 - bits->n_bits);
	bits->n_bits += 32;
	bits->at += 4;
	return true;
}

static inline void bs_bits_skip(struct bs_bits *bits, uint32_t n)
{
	bits->window <<= n;
	bits->n_bits -= n;
}

/* The symbol whose code begins the window (of which the first bit is the highest); 0 if none does. */
static inline uint32_t bs_code_get(const struct bs_code *code, uint64_t window)
{
	uint32_t coded = code->fast[window >> (64 - BS_CODE_FAST_BITS)];
	if (BS_CODED_BITS(coded))
		return coded;
	return code->longer[(coded >> 8) + (uint32_t)(window << BS_CODE_FAST_BITS >> (64 - (coded >> 4 & 15)))];
}

/* Lengths of the codes that take the fewest bits for these counts, none above 15; 0 where the count is 0. n <= 32768.
 * lengths has n entries. Equal counts give equal lengths everywhere. BS_NO_MEMORY. */
enum bs_status bs_code_lengths(const uint64_t *counts, uint32_t n, uint8_t *lengths, struct bs_error *err) BS_WARN_UNUSED;

/* The codes themselves, each shifted by 4, and its length: of a length in the order of symbols, the shorter lengths first. */
void bs_code_values(const uint8_t *lengths, uint32_t n, uint32_t *values);

struct bs_term_codes {
	uint64_t n_terms;
	uint32_t n_symbols;
	uint8_t (*symbols)[BS_SYMBOL_BYTES];
	struct bs_code *codes;
	uint32_t *longer;
	size_t n_longer;
	size_t longer_capacity;
	const struct bs_code *heads[BS_HEAD_CONTEXTS];
	const struct bs_code *rests[BS_REST_CONTEXTS];
};

/* The caller's struct; release with bs_term_codes_deinit, also after a failure. Touches the section. BS_CORRUPT. */
enum bs_status bs_term_codes_read(struct bs_term_codes *codes, const struct bs_section *section, struct bs_error *err)
	BS_WARN_UNUSED;
void bs_term_codes_deinit(struct bs_term_codes *codes);

#endif
