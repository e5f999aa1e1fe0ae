/* prefix_code.h: Huffman codes of at most 15 bits: their lengths, the canonical codes of given
 * lengths (as in Deflate, RFC 1951), and tables that decode a code with one or two look-ups. The
 * lexicon, rare-term lists and term vectors use these codes. FORMAT.md describes the bytes. */
#pragma once

#include <string.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

#define BS_CODE_MAX_BITS 15u
/* Codes up to this length need one look-up; the table of a code takes 1 KiB. With 10 bits the
 * tables of a lexicon take 124 KiB a segment and do not stay in the caches between two queries,
 * which costs a server with seven segments 3 to 5 % of its time. */
#define BS_CODE_FAST_BITS 8u
/* A reader may access this many bytes after the last byte of a bit sequence. */
#define BS_BITS_PAD_BYTES 8u

/* The length of a code, from a decoded entry; 0: invalid code. The low four bits of an entry are
 * the length of its code, 1 to 15; the user of the code defines the other bits. */
#define BS_CODED_BITS(coded) ((coded)&15)

/* The decoding tables of one code. */
struct bs_code {
	/* Indexed by the next BS_CODE_FAST_BITS bits. An element is a decoded entry or, for a
	 * longer code, a reference to a table: index in `longer` << 8 | number of further bits <<
	 * 4. */
	uint32_t fast[1u << BS_CODE_FAST_BITS];
	/* The tables of the longer codes of all codes of the set. The first two elements are 0, for
	 * invalid codes. */
	const uint32_t *longer;
};

/* Codes that are used together. Release with bs_code_set_deinit. */
struct bs_code_set {
	struct bs_code *codes;
	uint32_t *longer; /* see struct bs_code */
	size_t n_longer;
	size_t longer_capacity;
};

/* Reads a sequence of bits, the highest bit of each byte first. */
struct bs_bits {
	uint64_t window;    /* the next n_bits bits from the highest bit on, then zeros */
	uint32_t n_bits;    /* number of bits in the window */
	const uint8_t *at;  /* the bytes after those in the window */
	const uint8_t *end; /* end of the sequence; BS_BITS_PAD_BYTES more must be readable */
};

/* Refills the window to at least 33 bits. False if more bits were taken than the sequence has. */
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

/* Returns the decoded entry (BS_CODED_BITS) of the code that begins with the highest bit of the
 * window. 0: invalid code. */
static inline uint32_t bs_code_get(const struct bs_code *code, uint64_t window)
{
	uint32_t coded = code->fast[window >> (64 - BS_CODE_FAST_BITS)];
	if (BS_CODED_BITS(coded))
		return coded;
	return code->longer[(coded >> 8) +
	                    (uint32_t)(window << BS_CODE_FAST_BITS >> (64 - (coded >> 4 & 15)))];
}

/* Appends bits to a buffer. The caller reserves room for all bits and eight more bytes. */
struct bs_bits_writer {
	struct bs_buffer *to;
	uint64_t bits; /* the lowest n_bits are not yet in the buffer */
	uint32_t n_bits;
};

/* Appends the low n <= 32 bits of value, the highest first. The other bits of value are 0. */
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

/* Appends a code as bs_code_values returns it. */
static inline void bs_bits_put_code(struct bs_bits_writer *writer, uint32_t value)
{
	bs_bits_put(writer, value >> 4, value & 15);
}

/* Appends zeros up to the next byte boundary and flushes. */
static inline void bs_bits_end(struct bs_bits_writer *writer)
{
	bs_bits_put(writer, 0, (8 - writer->n_bits % 8) % 8);
	for (; writer->n_bits > 0; writer->n_bits -= 8)
		writer->to->data[writer->to->used_bytes++] =
			(uint8_t)(writer->bits >> (writer->n_bits - 8));
}

/* Computes the lengths of Huffman codes for these counts; 0 where the count is 0. Lengths over 15
 * are reduced, which makes some other codes longer. n <= 32768. lengths has n entries. The result
 * is deterministic. BS_NO_MEMORY. */
enum bs_status bs_code_lengths(const uint64_t *counts, uint32_t n, uint8_t *lengths,
                               struct bs_error *err) BS_WARN_UNUSED;

/* The canonical codes of the lengths: shorter lengths first, equal lengths in the order of symbols.
 * values[i] is code << 4 | length, or 0. */
void bs_code_values(const uint8_t *lengths, uint32_t n, uint32_t *values);

/* Computes the code lengths and the codes (as bs_code_values) of n <= 256 symbols. All symbols in
 * [first, end) get codes, even if their count is 0; the others get none. BS_NO_MEMORY. */
enum bs_status bs_code_smoothed(const uint64_t *counts, uint32_t n, uint32_t first, uint32_t end,
                                uint8_t *lengths, uint32_t *values,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Packs an even number of lengths as in files: two per byte, the first in the low half. */
void bs_code_nibbles(const uint8_t *lengths, uint32_t n, uint8_t *to);

/* Allocates a set of n_codes codes to decode with. BS_NO_MEMORY. */
enum bs_status bs_code_set_init(struct bs_code_set *set, size_t n_codes,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_code_set_deinit(struct bs_code_set *set);

/* Builds code `which` of the set. nibbles: the code lengths of its n symbols, packed as by
 * bs_code_nibbles. what[i]: the decoded entry of symbol i, its low four bits 0; what NULL: i << 4.
 * *valid_out is false if the lengths are not those of a prefix code, or if the unused half of the
 * last byte is not 0. BS_NO_MEMORY. */
enum bs_status bs_code_read(struct bs_code_set *set, size_t which, const uint8_t *nibbles,
                            const uint32_t *what, uint32_t n, bool *valid_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Call after the last bs_code_read and before the first bs_code_get. */
void bs_code_set_finish(struct bs_code_set *set, size_t n_codes);
