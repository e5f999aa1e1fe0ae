/*
 * coded.h: ascending numbers in about as few bits as their entropy, to be asked where they lie: in
 * a mapped file, say.
 *
 *      head | directory: of each block of 512 numbers the first, and where its gaps begin | gaps,
 *        block by block
 *
 * Gaps are in Rice's code (1979), which suits numbers that lie as if at random, or in an
 * exponential Golomb code (Teuhola 1978) whose parameter follows from the gap before, which suits
 * crowds and deserts: whichever is smaller. One hash of each of n keys, taken as a number below n /
 * p, is a set that says "maybe" to an absent key at the rate p in log2(1 / p) + 1.6 bits a key, all
 * told: Mitzenmacher's compressed Bloom filter with one hash. Bytes in FORMAT.md, "Coded numbers".
 * Here are no checksums: who keeps them has those.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"

#define BS_CODED_BLOCK      512u
#define BS_CODED_HEAD_BYTES 24u
#define BS_CODED_MOST       ((UINT64_C(1) << 56) - 1) /* no number is greater */

/* Appends n numbers, each no less than the one before. A multiple of 8 bytes. BS_NO_MEMORY. */
enum bs_status bs_coded_write(const uint64_t *numbers, size_t n, struct bs_buffer *to,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Reading: any number of threads. */

struct bs_coded {
	const uint8_t *bytes; /* borrowed */
	uint64_t n;           /* numbers */
	uint64_t n_bits;      /* of their gaps */
	uint64_t n_blocks;
	uint64_t n_bytes;    /* all told */
	bool is_set;         /* no two are equal */
	uint8_t code;        /* Rice's parameter, or how the other code is told */
	uint8_t first_bytes; /* of a directory entry: a number, */
	uint8_t place_bytes; /* and its place */
};

/* Looks at the head alone, of bytes that may go on behind the last. BS_CORRUPT: there are no such
 * numbers in so many bytes. */
enum bs_status bs_coded_open(const uint8_t *bytes, uint64_t n_bytes, struct bs_coded *coded_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Bytes in which something stands, for who verifies before he reads. */
struct bs_coded_span {
	uint64_t offset;
	uint64_t n_bytes;
};
struct bs_coded_span bs_coded_directory(const struct bs_coded *coded);
/* Of the gaps of a block, once the directory may be read. BS_CORRUPT. */
enum bs_status bs_coded_block_span(const struct bs_coded *coded, uint64_t block,
                                   struct bs_coded_span *span_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* The block that has the number, if any has: false if none can. Reads the directory. */
bool bs_coded_find(const struct bs_coded *coded, uint64_t number, uint64_t *block_out);
/* Whether that block has it. BS_CORRUPT. */
enum bs_status bs_coded_block_has(const struct bs_coded *coded, uint64_t block, uint64_t number,
                                  bool *has_out, struct bs_error *err) BS_WARN_UNUSED;
/* All of these at once. */
enum bs_status bs_coded_has(const struct bs_coded *coded, uint64_t number, bool *has_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* The numbers of a few blocks, of which no more than that they ascend within one is looked at.
 * BS_CORRUPT. */
#define BS_CODED_BLOCKS         4u
#define BS_CODED_BLOCKS_NUMBERS (BS_CODED_BLOCKS * BS_CODED_BLOCK)
enum bs_status bs_coded_read_blocks(const struct bs_coded *coded, uint64_t block,
                                    uint64_t numbers[BS_CODED_BLOCKS_NUMBERS], size_t *n_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Appends every number, u64 each. BS_CORRUPT: they do not ascend, or there are other bits than
 * theirs; BS_NO_MEMORY. */
enum bs_status bs_coded_read(const struct bs_coded *coded, struct bs_buffer *numbers,
                             struct bs_error *err) BS_WARN_UNUSED;
