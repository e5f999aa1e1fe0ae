/*
 * prefix_code.h: Huffman codes of at most 15 bits: which lengths are best, the codes that follow
 * from the lengths (as in Deflate, RFC 1951), and tables that decode them in one look or two. The
 * lexicon and the lists of rare terms are written in such codes. Bytes: FORMAT.md.
 */
#pragma once

#include <string.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

#define BS_CODE_MAX_BITS 15u
/* Codes up to this long take one look: 1 KiB of table a code. With 10 bits the codes of a lexicon
 * take 124 KiB a segment, which the caches forget between two questions: 3 to 5 % of what a server
 * answers with seven segments takes. */
#define BS_CODE_FAST_BITS 8u
#define BS_BITS_PAD_BYTES 8u /* behind a row of bits, that may be read */

/* What is decoded: a word whose low four bits are those of the code, 1 to 15; the others are its
 * owner's. 0: no code. */
#define BS_CODED_BITS(coded) ((coded)&15)

struct bs_code {
	/* By the next bits: what they code, or for a longer code where to look on: place in longer
	 * << 8 | further bits << 4. */
	uint32_t fast[1u << BS_CODE_FAST_BITS];
	/* of all codes of the set; the first two are 0, for bits that are no code */
	const uint32_t *longer;
};

/* Codes that are read together. Release with bs_code_set_deinit. */
struct bs_code_set {
	struct bs_code *codes;
	uint32_t *longer;
	size_t n_longer;
	size_t longer_capacity;
};

/* Bits in a row, the highest of a byte first. */
struct bs_bits {
	uint64_t window; /* the next n_bits, from the highest on, zeros below */
	uint32_t n_bits;
	const uint8_t *at;  /* those after them */
	const uint8_t *end; /* of the row; BS_BITS_PAD_BYTES more may be read */
};

/* At least 33 bits in the window. False if the row ended before the bits taken so far did. */
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

static inline uint64_t bs_bits_take(struct bs_bits *bits, uint32_t n)
{
	uint64_t value = bits->window >> 1 >> (63 - n);
	bs_bits_skip(bits, n);
	return value;
}

/* What the code that begins the window (of which the first bit is the highest) stands for; 0 if
 * none does. */
static inline uint32_t bs_code_get(const struct bs_code *code, uint64_t window)
{
	uint32_t coded = code->fast[window >> (64 - BS_CODE_FAST_BITS)];
	if (BS_CODED_BITS(coded))
		return coded;
	return code->longer[(coded >> 8) +
	                    (uint32_t)(window << BS_CODE_FAST_BITS >> (64 - (coded >> 4 & 15)))];
}

/* The other way: bits that are appended to a buffer, in which the caller reserved room for them and
 * for eight bytes more. */
struct bs_bits_writer {
	struct bs_buffer *to;
	uint64_t bits; /* not yet there: the lowest n_bits */
	uint32_t n_bits;
};

/* n <= 32 bits of value, the highest first. */
static inline void bs_bits_put(struct bs_bits_writer *writer, uint64_t value, uint32_t n)
{
	writer->bits = writer->bits << n | value;
	writer->n_bits += n;
	if (writer->n_bits < 32)
		return;
	writer->n_bits -= 32;
	uint32_t word = __builtin_bswap32((uint32_t)(writer->bits >> writer->n_bits));
	memcpy(writer->to->data + writer->to->used_bytes, &word, sizeof(word));
	writer->to->used_bytes += sizeof(word);
}

/* A code as bs_code_values has it. */
static inline void bs_bits_put_code(struct bs_bits_writer *writer, uint32_t value)
{
	bs_bits_put(writer, value >> 4, value & 15);
}

/* Zeros up to the next byte, and all that is left. */
static inline void bs_bits_end(struct bs_bits_writer *writer)
{
	bs_bits_put(writer, 0, (8 - writer->n_bits % 8) % 8);
	for (; writer->n_bits > 0; writer->n_bits -= 8)
		writer->to->data[writer->to->used_bytes++] =
			(uint8_t)(writer->bits >> (writer->n_bits - 8));
}

/* Lengths of the codes that take the fewest bits for these counts, none above 15; 0 where the count
 * is 0. n <= 32768. lengths has n entries. Equal counts give equal lengths everywhere.
 * BS_NO_MEMORY. */
enum bs_status bs_code_lengths(const uint64_t *counts, uint32_t n, uint8_t *lengths,
                               struct bs_error *err) BS_WARN_UNUSED;

/* The codes themselves, each shifted by 4, and its length: of a length in the order of symbols, the
 * shorter lengths first. */
void bs_code_values(const uint8_t *lengths, uint32_t n, uint32_t *values);

/* Both, of at most 256 symbols: those of [first, end) have codes even if they were not counted, the
 * others have none. */
enum bs_status bs_code_smoothed(const uint64_t *counts, uint32_t n, uint32_t first, uint32_t end,
                                uint8_t *lengths, uint32_t *values,
                                struct bs_error *err) BS_WARN_UNUSED;

/* An even number of lengths as files have them: half a byte each, the low half first. */
void bs_code_nibbles(const uint8_t *lengths, uint32_t n, uint8_t *to);

/* A set of n_codes, to be read. BS_NO_MEMORY. */
enum bs_status bs_code_set_init(struct bs_code_set *set, size_t n_codes,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_code_set_deinit(struct bs_code_set *set);

/* Makes code `which` of the lengths of its n symbols, half a byte each, the low half first; what[i]
 * is what symbol i stands for, its low four bits zero; NULL: i << 4. *valid_out: the lengths leave
 * no two codes alike, and what fills up the last byte is zero. BS_NO_MEMORY. */
enum bs_status bs_code_read(struct bs_code_set *set, size_t which, const uint8_t *nibbles,
                            const uint32_t *what, uint32_t n, bool *valid_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* After the last of them, before the first bs_code_get. */
void bs_code_set_finish(struct bs_code_set *set, size_t n_codes);
