/*
 * kernels.h: the loops that use SIMD: over lines of columns, over text (search, the first step of
 * tokenizing, gram rows), and the solver of tf codes. A kernel is these loops, compiled for one
 * instruction set.
 *
 * A line is 64 bytes: 512 documents (or groups, or blocks). The intermediate result of a shard is
 * an array of up to 512 lines and a live mask with one bit per block. A line whose live bit is
 * clear is not read and counts as zero. There are no partial lines: columns are padded to whole
 * lines in the file.
 *
 * One body (kernel_body.h) is written with SIMDe and compiled once per instruction set. Callers
 * choose a kernel at run time (bs_kernel_choose). Every kernel returns the same bits as "plain",
 * which is compiled without SIMD.
 */
#pragma once

#include "core/base/error.h"
#include "core/simd/needle.h"

#define BS_LINE_BYTES       64u
#define BS_LINE_WORDS       8u
#define BS_LINE_BITS        512u
#define BS_SHARD_MAX_BLOCKS 512u

/* One bit per block of a shard: block b is bit b % 64 of word b / 64. */
struct bs_live {
	uint64_t words[BS_SHARD_MAX_BLOCKS / 64];
};

/* A pointer to the first line of a column, aligned to 64 bytes. */
typedef const uint64_t *bs_column;

/* Up to eight classes of bytes. A byte may be in several classes; a byte >= 0x80 is in none. */
struct bs_byte_classes {
	uint8_t of[256]; /* bit s: the byte is in class s */
	/* The classes in the layout of the kernels, by bs_byte_classes_finish(): bit c >> 4 of
	 * rows[s][c & 15] is set if byte c is in class s. */
	uint8_t rows[8][16];
};

/* The next two structs are for bs_line_kernels.weigh: a document gets a weight for each term that
 * it has, and a further weight for each tf level that it reaches. */
struct bs_weighed_level {
	/* Up to BS_MAX_TF_COLUMNS columns. A document reaches the level if these columns and those
	 * of all lower levels have its bit. */
	bs_column columns[8];
	uint32_t n_columns;
	uint32_t weight; /* added for documents that reach the level */
};

struct bs_weighed_term {
	/* The documents that have the term, in the blocks of `live`. NULL: all documents. */
	const uint64_t *lines;
	const struct bs_live *live; /* used only if lines is not NULL */
	uint32_t weight;            /* added for documents that have the term */
	uint32_t most;              /* the sum of the weight and the weights of all levels */
	uint32_t n_levels;
	struct bs_weighed_level levels[8]; /* room for BS_MAX_TF_LEVELS */
};

/* A system of n equations over GF(2), as in tf codes (core/matrix/tf_code.h). The coefficients of
 * an equation are those of 64 unknown bits, from the beginning of a byte on, or of all bits if
 * there are fewer than 8 bytes. */
struct bs_band {
	uint32_t n_bytes;  /* unknown bytes, >= 1 and >= n / 8 */
	uint32_t n_starts; /* bytes where equations can begin: n_bytes - 7, but at least 1 */
	/* For each byte, the number of equations that begin there or before. Equations are sorted
	 * by the byte where they begin. */
	const uint32_t *n_begun;
	/* The coefficients, one word per equation, in blocks of 64 equations; the last block is
	 * padded with zeros. bs_band_place gives the position of an equation. Aligned to lines; the
	 * solver changes them. */
	uint64_t *masks;
	const uint64_t *values;     /* the right sides, one bit per equation */
	struct bs_band_step *steps; /* scratch: n_bytes steps */
	/* scratch, aligned: BS_BAND_LINES(n_bytes) lines; BS_PLAIN_BAND_LINES for "plain" */
	uint64_t *lines;
};

/* The result of the elimination of one unknown byte: kernel_solve.h. */
struct bs_band_step {
	/* pivots[c]: one set bit, the slot of the equation that decides bit c of the byte; 0: the
	 * bit is free */
	uint64_t pivots[8];
	uint64_t values; /* the right sides of the equations in the 64 slots */
	size_t window;   /* offset in bs_band.lines, counted in lines, of the byte's window */
};

/* The number of lines of bs_band.lines, the scratch of the kernel that solves a struct bs_band: a
 * window of 8 lines for each byte, a window for each block of 64 equations (at most n_bytes / 8
 * blocks), one line for each byte, and 32 lines to spare. */
#define BS_BAND_LINES(n_bytes) (10 * (size_t)(n_bytes) + 32)

/* The same number for the plain kernel, which solves the equations with two words of scratch for
 * each unknown bit. It does not use bs_band.steps. */
#define BS_PLAIN_BAND_LINES(n_bytes) (2 * (size_t)(n_bytes) + 1)

/* The index of equation i in masks. Each eight consecutive equations are in eight different
 * lines. */
static inline size_t bs_band_place(size_t i)
{
	return (i & ~(size_t)63) | (i & 7) << 3 | (i >> 3 & 7);
}

#define BS_WEIGH_BITS 8u   /* bits of a document's sum of weights */
#define BS_WEIGH_MOST 254u /* maximum of a document's sum of weights */

/* The classes of 64 bytes: bit i of of[s] is set if byte i is in class s. */
struct bs_line_classes {
	uint64_t of[8];
};

/* Bytes after the last place of a text that find_grams may read. Their values do not matter. */
#define BS_GRAM_REACH 32u

/* The state of a trigram in an array of 2-bit states, one per trigram. The caller defines the
 * states; the kernels only distinguish 0 from the others. */
#define BS_GRAM_STATES_A_WORD 16u
static inline uint32_t bs_gram_state(const uint32_t *states, uint32_t trigram)
{
	return states[trigram / BS_GRAM_STATES_A_WORD] >> (2 * (trigram % BS_GRAM_STATES_A_WORD)) &
	       3;
}

/* Loops over lines of columns: boolean operators, filters and counts. */
struct bs_line_kernels {
	/* For each live block b: lines[b] = (fresh ? ones : lines[b]) AND columns[0][b] AND
	 * columns[1][b] ... When a line is zero, skips the remaining columns of the block and
	 * clears the live bit. The first n_untested columns are read without testing for zero; this
	 * affects only the time. Returns the number of lines read from columns. 1 <= n_untested <=
	 * n_columns. */
	uint64_t (*and_columns)(uint64_t *lines, struct bs_live *live, const bs_column *columns,
	                        size_t n_columns, size_t n_untested, bool fresh);
	/* For each live block b: bit i of groups[b] becomes bits 8i..8i+7 of lines[b]. Clears the
	 * live bit if the word is zero. Reads no column. groups has one word per block. */
	void (*spread_groups)(uint64_t *lines, struct bs_live *live, const uint64_t *groups);
	/* For each live block b: lines[b] &= ~column[b]. Clears the live bit if the line becomes
	 * zero. Returns the number of lines read. */
	uint64_t (*and_not_column)(uint64_t *lines, struct bs_live *live, bs_column column);
	/* into |= from, for lines and live masks. */
	void (*or_lines)(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
	                 const struct bs_live *from_live);
	/* into &= from, for lines and live masks. Clears the live bit of lines that become zero. */
	void (*and_lines)(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
	                  const struct bs_live *from_live);
	/* into &= ~from, unchanged in blocks that are not live in `from`. Clears the live bit of
	 * lines that become zero. */
	void (*and_not_lines)(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
	                      const struct bs_live *from_live);
	/* For each live block b: kept[b] = the documents of lines[b] whose weights sum to at least
	 * the threshold, >= 1. kept may be lines. Clears the live bit if none is kept. The sum of
	 * all weights is at most BS_WEIGH_MOST. Fastest if terms are in descending order of
	 * `most`. */
	void (*weigh)(const uint64_t *lines, uint64_t *kept, struct bs_live *live,
	              const struct bs_weighed_term *terms, size_t n_terms, uint32_t threshold);
	/* For each live block b: lines[b] &= the documents that have a value whose rank is
	 * low..last. Clears the live bit if the line becomes zero. Each block has 1 + n_slices
	 * consecutive lines: which documents have a value, then the bits of the ranks, the highest
	 * first (O'Neil and Quass, "Improved query performance with variant indexes", 1997:
	 * bit-sliced range predicates). low <= last < 2^n_slices. Returns the number of lines read;
	 * the remaining lines of a block are not read once all its documents are decided. */
	uint64_t (*keep_ranks)(uint64_t *lines, struct bs_live *live, const uint64_t *slices,
	                       uint32_t n_slices, uint32_t low, uint32_t last);
	/* The number of set bits of the live lines. */
	uint64_t (*count)(const uint64_t *lines, const struct bs_live *live);
	/* The number of set bits of n_lines consecutive lines. */
	uint64_t (*popcount)(const uint64_t *lines, size_t n_lines);
};

/* Loops over text: search, tokenizing, and the columns of grams. */
struct bs_text_kernels {
	/* The first place in text[from..n_bytes) where the needle occurs, ignoring the case of
	 * ASCII letters; n_bytes if there is none. from <= n_bytes; nothing beyond n_bytes is
	 * read. */
	size_t (*find_needle)(const uint8_t *text, size_t from, size_t n_bytes,
	                      const struct bs_needle *needle);
	/* The first place in text[from..n_bytes) that is not plain ASCII: a byte >= 0x80 or, with
	 * is_json, a backslash followed by u. n_bytes if there is none. from <= n_bytes; nothing
	 * beyond n_bytes is read. */
	size_t (*find_opaque)(const uint8_t *text, size_t from, size_t n_bytes, bool is_json);
	/* The first place in text[from..n_bytes) where a variant of the window matches; n_bytes if
	 * there is none. from <= n_bytes; nothing beyond n_bytes is read. */
	size_t (*find_window)(const uint8_t *text, size_t from, size_t n_bytes,
	                      const struct bs_byte_window *window);
	/* Bit i of places_out[w] is set if text[64 * w + i] is in the class, for w < n_words. The
	 * text has 64 * n_words bytes and needs no alignment. */
	void (*find_class)(const struct bs_byte_class *class, const uint8_t *text, size_t n_words,
	                   uint64_t *places_out);
	/* For w < n_words: into[w] &= the 64 bits of `from` that begin at bit 64 * w + shift.
	 * shift <= 64. Reads n_words + 1 words of `from`, which may be `into`. */
	void (*and_shifted)(uint64_t *into, const uint64_t *from, size_t n_words, uint32_t shift);
	/* Classifies n_lines * 64 bytes of text, then converts its ASCII letters to lower case in
	 * place. The text needs no alignment. */
	void (*classify)(const struct bs_byte_classes *classes, uint8_t *text, size_t n_lines,
	                 struct bs_line_classes *lines_out);
	/* Finds the grams that begin at text[0..n_places); n_places is some thousands at most.
	 * BS_GRAM_REACH bytes after these must be readable. For each 5-gram, sets the bits of its
	 * two hashes (core/text/grams.h) in `bits`, which has 32 << log bits; sets only the bit of
	 * the first hash if the gram's bucket is set in `frequent` (one bit for each of
	 * BS_GRAM_BUCKETS). Writes the trigrams with a state other than 0 (bs_gram_state) to
	 * trigrams_out, in order, with repeats. trigrams_out must have room for n_places + 8.
	 * Returns the number of trigrams written. */
	size_t (*find_grams)(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits,
	                     const uint32_t *frequent, const uint32_t *states,
	                     uint32_t *trigrams_out);
	/* Makes the columns of a row of grams (core/text/grams.h) from the bits that find_grams
	 * set. Each of n_groups groups of 256 bits (eight 32-bit words) gives 8 n columns, which
	 * are n bytes of `row`. 4 <= n <= 7. */
	void (*fill_gram_row)(const uint64_t *bits, size_t n_groups, uint32_t n, uint8_t *row);
};

/* The loops for one instruction set. Immutable. */
struct bs_kernel {
	const char *name; /* as bs_kernel_choose takes it */
	struct bs_line_kernels lines;
	struct bs_text_kernels text;
	/* Solves a system into bits[0..n_bytes) by Gaussian elimination from the first bit on. Free
	 * bits are zero, so the result is unique. Returns false if there is no solution, or if the
	 * deadline ended the call; the caller checks the deadline to distinguish these. */
	bool (*solve_band)(const struct bs_band *band, uint8_t *bits);
};

/* Computes `rows` from `of`, in which no byte >= 0x80 may have a class. */
void bs_byte_classes_finish(struct bs_byte_classes *classes);

/* Chooses the kernel of this name, or the best for this machine if name is NULL. BS_UNSUPPORTED if
 * the machine has no kernel of this name; the message lists the available ones. */
enum bs_status bs_kernel_choose(const char *name, const struct bs_kernel **kernel_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Lists the kernels that this machine can run, best first. Fills at most `capacity` pointers and
 * returns the number of all (>= 1). */
size_t bs_kernel_list(const struct bs_kernel **kernels, size_t capacity);
