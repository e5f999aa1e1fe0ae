/*
 * kernels.h: the few loops that touch columns, the first step of tokenizing, the three that look
 * through text, what makes rows of its grams, and the one that solves equations, in as many
 * versions as there are instruction sets.
 *
 * A line is 64 bytes = 512 documents (or groups, or blocks). A shard's intermediate result is an
 * array of up to 512 lines plus a live mask, one bit a block; a line whose live bit is clear is not
 * read and counts as zero. There are no tails: columns are padded to whole lines in the file.
 *
 * One body (kernel_body.h) is written with SIMDe's 512-bit types and compiled once per target; the
 * choice is made once, when an index or a words analyzer is opened. Every version gives the same
 * bits as "plain", which is compiled without any SIMD.
 */
#pragma once

#include "core/base/error.h"
#include "core/simd/needle.h"

#define BS_LINE_BYTES       64u
#define BS_LINE_WORDS       8u
#define BS_LINE_BITS        512u
#define BS_SHARD_MAX_BLOCKS 512u

/* One bit a block of a shard: block b is bit b % 64 of word b / 64. */
struct bs_live {
	uint64_t words[BS_SHARD_MAX_BLOCKS / 64];
};

/* Columns as the kernels take them: each points to its first line, aligned to 64 bytes. */
typedef const uint64_t *bs_column;

/* Up to eight classes of bytes. A byte may be of several; one from 0x80 on is of none. */
struct bs_byte_classes {
	uint8_t of[256]; /* bit s: the byte is of class s */
	uint8_t rows[8]
		    /* [s][c & 15], bit c >> 4: the same, for the kernels; bs_byte_classes_finish()
		 * fills it */
		    [16];
};

/* Weighing: what a document gets for having a term, and more for each tf level it reaches. */
struct bs_weighed_level {
	bs_column
		columns[8]; /* BS_MAX_TF_COLUMNS: ANDed with each other and with the level before */
	uint32_t n_columns;
	uint32_t weight;
};

struct bs_weighed_term {
	const uint64_t
		*lines; /* the documents that have it, where live; NULL: all that are weighed */
	const struct bs_live *live;
	uint32_t weight;
	uint32_t most; /* the weight and those of all levels, added up */
	uint32_t n_levels;
	struct bs_weighed_level levels[8]; /* BS_MAX_TF_LEVELS */
};

/* A system of n equations over GF(2) as tf codes have it (core/matrix/tf_code.h): the coefficients
 * of an equation are 64 bits of the unknown from the beginning of a byte on, or all bits of fewer
 * than 8 bytes. */
struct bs_band {
	uint32_t n_bytes;  /* unknown, at least an eighth of the equations, >= 1 */
	uint32_t n_starts; /* bytes that equations can begin at: n_bytes - 7, but at least 1 */
	const uint32_t *
		n_begun; /* by byte: equations that begin there or before; they are in this order */
	uint64_t *
		/* the coefficients, one word an equation, in blocks of 64, the last padded by
		 * zeros: where in its block says bs_band_place. Aligned as lines; changed */
		masks;
	const uint64_t *values;     /* a bit an equation: the right side */
	struct bs_band_step *steps; /* scratch, n_bytes of them */
	uint64_t *lines;            /* scratch, BS_BAND_LINES(n_bytes) lines, aligned */
};

struct bs_band_step {
	uint64_t pivots[8]; /* of its columns: the equation that decides each, or 0 */
	uint64_t values;
	size_t window; /* in lines */
};

/* A window of 8 lines for each byte and for each block of 64 equations, and a line a byte by which
 * it moves on. */
#define BS_BAND_LINES(n_bytes) (10 * (size_t)(n_bytes) + 32)

/* What the plain kernel needs, which also leaves steps alone: a row of two words for each bit. */
#define BS_PLAIN_BAND_LINES(n_bytes) (2 * (size_t)(n_bytes) + 1)

/* Where in masks equation i stands: so that eight of them that follow each other are in eight
 * lines. */
static inline size_t bs_band_place(size_t i)
{
	return (i & ~(size_t)63) | (i & 7) << 3 | (i >> 3 & 7);
}

#define BS_WEIGH_BITS 8u   /* of a document's sum of weights, */
#define BS_WEIGH_MOST 254u /* which is this at most */

/* Which of 64 bytes are of class s: bit i of of[s] is byte i's. */
struct bs_line_classes {
	uint64_t of[8];
};

/* Of a text of which grams are looked for: bytes behind the last place that are read, whatever they
 * are. */
#define BS_GRAM_REACH 32u

/* A state of two bits for every trigram. */
#define BS_GRAM_STATES_A_WORD 16u
static inline uint32_t bs_gram_state(const uint32_t *states, uint32_t trigram)
{
	return states[trigram / BS_GRAM_STATES_A_WORD] >> (2 * (trigram % BS_GRAM_STATES_A_WORD)) &
	       3;
}

/* Loops over lines of columns: boolean operators, filters and counts. */
struct bs_line_kernels {
	/* For each live block b: lines[b] = (fresh ? ones : lines[b]) AND columns[0][b] AND
	 * columns[1][b] ..., leaving the block when its line is all zero and clearing its live bit.
	 * Blocks are those of live. The first n_untested columns are read without a look at what is
	 * left: a hint, which changes nothing but the time. Returns lines read from columns. 1 <=
	 * n_untested <= n_columns. */
	uint64_t (*and_columns)(uint64_t *lines, struct bs_live *live, const bs_column *columns,
	                        size_t n_columns, size_t n_untested, bool fresh);
	/* For each live block b: every bit of groups[b] becomes eight of lines[b], its live bit
	 * cleared where that is zero. No column is read. groups has a word a block. */
	void (*spread_groups)(uint64_t *lines, struct bs_live *live, const uint64_t *groups);
	/* For each live block b: lines[b] &= ~column[b], clearing the live bit where that leaves
	 * zero. Returns lines read. */
	uint64_t (*and_not_column)(uint64_t *lines, struct bs_live *live, bs_column column);
	/* into |= from, lines and live masks both. */
	void (*or_lines)(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
	                 const struct bs_live *from_live);
	/* into &= from, lines and live masks both. */
	void (*and_lines)(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
	                  const struct bs_live *from_live);
	/* into &= ~from (a block not live in from is left as it is), live cleared where nothing
	 * remains. */
	void (*and_not_lines)(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
	                      const struct bs_live *from_live);
	/* For each live block b: kept[b], which may be lines[b], = those of lines[b] whose weights
	 * sum up to at least the threshold, >= 1. The live bit is cleared where none is kept. All
	 * weights together are at most BS_WEIGH_MOST. Quickest if the terms come in the order of
	 * their most, the greatest first. */
	void (*weigh)(const uint64_t *lines, uint64_t *kept, struct bs_live *live,
	              const struct bs_weighed_term *terms, size_t n_terms, uint32_t threshold);
	/* For each live block b: lines[b] &= those that have a value and its rank is low..last,
	 * clearing the live bit where that leaves zero. Of each block, 1 + n_slices lines stand one
	 * after the other: who has a value, then the ranks' bits, the highest first (O'Neil and
	 * Quass, "Improved query performance with variant indexes", 1997: bit-sliced range
	 * predicates). low <= last < 2^n_slices. Returns lines read: a block is left where all is
	 * decided. */
	uint64_t (*keep_ranks)(uint64_t *lines, struct bs_live *live, const uint64_t *slices,
	                       uint32_t n_slices, uint32_t low, uint32_t last);
	/* Set bits of the live lines. */
	uint64_t (*count)(const uint64_t *lines, const struct bs_live *live);
	/* Set bits of n_lines lines one after the other. */
	uint64_t (*popcount)(const uint64_t *lines, size_t n_lines);
};

/* Loops over text: search, tokenizing, and the columns of its grams. */
struct bs_text_kernels {
	/* Where in text[from..n_bytes) the needle begins first, in any case of its letters, or
	 * n_bytes. from <= n_bytes; nothing beyond n_bytes is read. */
	size_t (*find_needle)(const uint8_t *text, size_t from, size_t n_bytes,
	                      const struct bs_needle *needle);
	/* The first place in text[from..n_bytes) that is not plain ASCII, or n_bytes: a byte from
	 * 0x80 on or, in JSON, a backslash with a u behind it. from <= n_bytes; nothing beyond
	 * n_bytes is read. */
	size_t (*find_opaque)(const uint8_t *text, size_t from, size_t n_bytes, bool is_json);
	/* The first place of text[from..n_bytes) where the window fits, or n_bytes. from <=
	 * n_bytes; nothing beyond n_bytes is read. */
	size_t (*find_window)(const uint8_t *text, size_t from, size_t n_bytes,
	                      const struct bs_byte_window *window);
	/* Classifies n_lines * 64 bytes of text, which need no alignment, and makes its ASCII
	 * letters small, in place. */
	void (*classify)(const struct bs_byte_classes *classes, uint8_t *text, size_t n_lines,
	                 struct bs_line_classes *lines_out);
	/* The grams that begin at places text[0..n_places), n_places of some thousands at most.
	 * 5-grams: sets bits, those of their hashes' words and bits (core/text/grams.h), of 32 <<
	 * log; of those in a frequent bucket, a bit each of BS_GRAM_BUCKETS, only the first hash's.
	 * Trigrams: those not of state 0, in order, with repeats, to trigrams_out, with room for
	 * n_places + 8. Returns how many. */
	size_t (*find_grams)(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits,
	                     const uint32_t *frequent, const uint32_t *states,
	                     uint32_t *trigrams_out);
	/* The 8 n columns (core/text/grams.h) of each of n_groups groups of 256 bits, that is, of
	 * eight words: n bytes a group. 4 <= n <= 7. */
	void (*fill_gram_row)(const uint64_t *bits, size_t n_groups, uint32_t n, uint8_t *row);
};

/* One version of all loops, for one instruction set. Immutable. */
struct bs_kernel {
	const char *name; /* as bs_kernel_choose takes it */
	struct bs_line_kernels lines;
	struct bs_text_kernels text;
	/* Solves a system into bits[0..n_bytes): by Gaussian elimination from the first bit on, all
	 * free bits zero, which is one solution only. False: there is none. */
	bool (*solve_band)(const struct bs_band *band, uint8_t *bits);
};

/* Fills rows from of, of which nothing may be set from 0x80 on. */
void bs_byte_classes_finish(struct bs_byte_classes *classes);

/* The best version for this machine, or the one named; NULL: best. BS_UNSUPPORTED if there is none
 * of that name here (the message lists those that are). */
enum bs_status bs_kernel_choose(const char *name, const struct bs_kernel **kernel_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Every version this machine can run, best first; returns how many (>= 1), filling at most capacity
 * pointers. */
size_t bs_kernel_list(const struct bs_kernel **kernels, size_t capacity);
