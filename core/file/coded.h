/*
 * coded.h: compresses ascending numbers to about their entropy. The code can be queried in place,
 * for example in a mapped file.
 *
 *      header | directory: first number of each block of 512, and where its gaps begin | gaps
 *
 * Gaps are coded in Rice's code (1979), which suits randomly distributed numbers, or in an
 * exponential Golomb code (Teuhola 1978) whose parameter depends on the previous gap, which suits
 * clustered numbers. The writer estimates which code is smaller and uses it. Such an array can be a
 * filter: if its numbers are the hashes of n keys, reduced to [0, n / p), it has a false positive
 * rate of p and takes log2(1 / p) + 1.6 bits per key. This is Mitzenmacher's compressed Bloom
 * filter with one hash. FORMAT.md, "Coded numbers", describes the bytes. They have no checksum of
 * their own; the containing file has.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"

#define BS_CODED_BLOCK      512u
#define BS_CODED_HEAD_BYTES 24u
#define BS_CODED_MOST       ((UINT64_C(1) << 56) - 1) /* maximum of the numbers in a list */

/* Appends the code of n ascending numbers; equal numbers are allowed. The code has a multiple of 8
 * bytes. BS_NO_MEMORY. */
enum bs_status bs_coded_write(const uint64_t *numbers, size_t n, struct bs_buffer *to,
                              struct bs_error *err) BS_WARN_UNUSED;

/* The functions below read. They are thread-safe. */

struct bs_coded {
	const uint8_t *bytes; /* borrowed */
	uint64_t n;           /* count of numbers */
	uint64_t n_bits;      /* bits of all gaps */
	uint64_t n_blocks;
	uint64_t n_bytes;    /* bytes of the whole code */
	bool is_set;         /* no two numbers are equal */
	uint8_t code;        /* Rice's parameter, or 65 for the exponential Golomb code */
	uint8_t first_bytes; /* width in bytes of the first number in a directory entry */
	uint8_t place_bytes; /* width in bytes of the offset of the gaps in a directory entry */
};

/* Decodes the header. n_bytes may exceed the length of the code. BS_CORRUPT. */
enum bs_status bs_coded_open(const uint8_t *bytes, uint64_t n_bytes, struct bs_coded *coded_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* A range of bytes of the code, for callers that verify bytes before they are read.
 * bs_coded_directory returns the range of the directory. */
struct bs_coded_span {
	uint64_t offset;
	uint64_t n_bytes;
};
struct bs_coded_span bs_coded_directory(const struct bs_coded *coded);
/* Sets the range of bytes that has the gaps of a block. Reads the directory. BS_CORRUPT. */
enum bs_status bs_coded_block_span(const struct bs_coded *coded, uint64_t block,
                                   struct bs_coded_span *span_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Finds the block that has the number if any block has it, by reading the directory. False if no
 * block can have it. */
bool bs_coded_find(const struct bs_coded *coded, uint64_t number, uint64_t *block_out);
/* Whether the block has the number. BS_CORRUPT. */
enum bs_status bs_coded_block_has(const struct bs_coded *coded, uint64_t block, uint64_t number,
                                  bool *has_out, struct bs_error *err) BS_WARN_UNUSED;
/* Whether any block has the number. BS_CORRUPT. */
enum bs_status bs_coded_has(const struct bs_coded *coded, uint64_t number, bool *has_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Decodes the numbers of BS_CODED_BLOCKS blocks from `block` on, or of fewer at the end of the
 * array. *n_out is the count of decoded numbers. Checks that numbers ascend within each block, but
 * not from one block to the next. BS_CORRUPT. */
#define BS_CODED_BLOCKS         4u
#define BS_CODED_BLOCKS_NUMBERS (BS_CODED_BLOCKS * BS_CODED_BLOCK)
enum bs_status bs_coded_read_blocks(const struct bs_coded *coded, uint64_t block,
                                    uint64_t numbers[BS_CODED_BLOCKS_NUMBERS], size_t *n_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Appends all numbers, a u64 each. BS_CORRUPT if they do not ascend or bits are left over;
 * BS_NO_MEMORY. */
enum bs_status bs_coded_read(const struct bs_coded *coded, struct bs_buffer *numbers,
                             struct bs_error *err) BS_WARN_UNUSED;
