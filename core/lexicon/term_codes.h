/*
 * term_codes.h: the prefix codes of a lexicon's terms. Private to the lexicon's reader, writer and
 * tests.
 *
 * A term is coded as a head and a rest. The head is one symbol for two things: the number of bytes
 * to drop from the end of the previous term, and the class of the term's df. The rest is a sequence
 * of symbols. A symbol of a rest is up to eight bytes that often occur together in the segment's
 * terms, possibly with the end of the term: "x", "0x00", or "_shift" and the end. Heads and rests
 * use Huffman codes of at most 15 bits, and the code depends on a context: for a head, the length
 * of the rest and the df class of the previous term; for the first symbol of a rest, the number of
 * bytes dropped; for later symbols, the last byte of the previous symbol. A reader knows all
 * contexts without rebuilding the term. FORMAT.md describes the bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/error.h"
#include "core/collections/prefix_code.h"
#include "core/file/container.h"

#define BS_N_HEADS       256u
#define BS_HEAD_CONTEXTS 19u
#define BS_REST_CONTEXTS 12u
#define BS_SYMBOL_BYTES  8u
#define BS_MAX_SYMBOLS   65536u /* maximum number of symbols that a reader accepts */

#define BS_TERM_CODES_HEAD_BYTES 16u
#define BS_HEAD_CODE_BYTES       (BS_N_HEADS / 2)

/* A head is 8 * (bytes to drop) + class of the df. With BS_DROP_MORE, or the class BS_DF_MORE, the
 * number does not fit into the head and follows it. */

#define BS_DROP_MORE     31u /* 31 bytes or more; their number less 31 follows the head */
#define BS_DF_MAGNITUDES 8u
#define BS_DF_MORE       7u /* df >= BS_DF_MORE_LEAST; df - BS_DF_MORE_LEAST follows the head */
#define BS_DF_MORE_LEAST 64u

/* The class of a df. Classes 0 to 2 are df 1, 2 and 3; classes 3 to 6 begin at df 4, 8, 16 and 32;
 * class 7 is df 64 and more. */
static inline uint32_t bs_df_magnitude(uint64_t df)
{
	if (df <= 3)
		return (uint32_t)df - 1;
	return df >= BS_DF_MORE_LEAST ? BS_DF_MORE : 64 - (uint32_t)__builtin_clzll(df);
}

/* The number of bits that follow a head of class 3 to 6. The least df of the class is 1 << bits. */
static inline uint32_t bs_df_bits(uint32_t df_magnitude)
{
	return df_magnitude - 1;
}

/* The context of a term's head, which selects the code of the head. The first term of a block has
 * context 0; this function is for the others. last_rest_bytes and last_df_magnitude: the length of
 * the rest and the df class of the previous term. */
static inline uint32_t bs_head_context(uint64_t last_rest_bytes, uint32_t last_df_magnitude)
{
	static const uint8_t row[12] = {0, 0, 1, 1, 2, 3, 3, 4, 4, 4, 4, 5};
	return 1 + row[last_rest_bytes < 11 ? last_rest_bytes : 11] * 3u +
	       (last_df_magnitude < 2 ? last_df_magnitude : 2);
}

/* The context of the first symbol of a term's rest. n_dropped: the number of bytes dropped from the
 * end of the previous term. */
static inline uint32_t bs_first_context(uint64_t n_dropped)
{
	return n_dropped < 7 ? (uint32_t)n_dropped : 7;
}

/* The context of a later symbol of a rest. byte: the last byte of the symbol before it. */
static inline uint32_t bs_next_context(uint8_t byte)
{
	if (byte >= 0x80)
		return 11;
	return byte >= 'a' && byte <= 'z' ? 10 : (byte >= '0' && byte <= '9' ? 9 : 8);
}

/* A decoded symbol in one word: a decoded entry of core/collections/prefix_code.h, whose low four
 * bits are the length of the code. */
#define BS_CODED(symbol, n_bytes, is_end, context)                                         \
	((uint32_t)(symbol) << 16 | (uint32_t)(context) << 12 | (uint32_t)(is_end) << 11 | \
	 (uint32_t)(n_bytes) << 4)
#define BS_CODED_BYTES(coded)   ((coded) >> 4 & 15)
#define BS_CODED_IS_END(coded)  ((coded) >> 11 & 1)
#define BS_CODED_CONTEXT(coded) ((coded) >> 12 & 15)
#define BS_CODED_SYMBOL(coded)  ((coded) >> 16)

struct bs_term_codes {
	uint64_t n_terms;   /* number of terms of the lexicon, as recorded with the codes */
	uint32_t n_symbols; /* symbols of rests */
	uint8_t (*symbols)[BS_SYMBOL_BYTES]; /* the bytes of each symbol; unused bytes are 0 */
	struct bs_code_set codes;
	/* The code of each context. A small lexicon has one code for all heads and one for all
	 * rests. */
	const struct bs_code *heads[BS_HEAD_CONTEXTS];
	const struct bs_code *rests[BS_REST_CONTEXTS];
};

/* Reads the codes from the section, and verifies its pages. The caller calls bs_term_codes_deinit,
 * also after a failure. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_term_codes_read(struct bs_term_codes *codes, const struct bs_section *section,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_term_codes_deinit(struct bs_term_codes *codes);
