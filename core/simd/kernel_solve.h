/*
 * kernel_solve.h: the part of kernel_body.h that solves equations over GF(2), for the tf codes of
 * documents.
 *
 * The plain solver (solve_slowly) reduces each equation by the equations before it: a chain of
 * dependent steps. The other solvers work on columns. A column represents one unknown bit: a word
 * of 64 bits, which mark the open equations (up to 64) that have the unknown bit. Eight columns are
 * a line, and eight columns are processed at a time:
 *
 * 1. For each of the eight columns, in order: the first open equation that has the column's bit
 * becomes the pivot of the column and is closed. It is added (XOR) to all other equations that have
 * the bit. The column's pivot and these other equations are recorded.
 *
 * 2. For each later column, a line at a time: if its word has the bit of a pivot, the bits of the
 * other equations recorded with this pivot flip.
 *
 * The coefficients of an equation span 64 bits, so a window of 64 columns (8 lines) suffices; it
 * advances a line at a time. Equations that begin later take the slots of closed equations, but in
 * a copy of the window: the closed equations, in the old window, are needed again when the unknown
 * bits are computed from the last byte to the first.
 */
#pragma once

#include <string.h>

#include "core/simd/kernel_lines.h"
#include "core/simd/kernels.h"
#include "core/system/deadline.h"

/* Row i of the system in echelon form, which decides unknown bit i. */
struct solve_row {
	uint64_t mask;  /* the coefficients of bits i, i + 1, ...; bit i lowest. 0: bit i is free */
	uint64_t value; /* the right side */
};

#define ROW_NS 50u /* approximate time of a row, for the deadline */

/* Adds rows to an equation until no row decides its first bit, then inserts it as the row of this
 * bit. `start`: the unknown bit that bit 0 of row.mask stands for. Returns false if the equation
 * contradicts the rows. */
static bool insert_row(struct solve_row *rows, size_t start, struct solve_row row)
{
	while (row.mask) {
		unsigned n_zeros = (unsigned)__builtin_ctzll(row.mask);
		struct solve_row *here = &rows[start += n_zeros];
		row.mask >>= n_zeros;
		if (!here->mask) {
			*here = row;
			return true;
		}
		row.mask ^= here->mask;
		row.value ^= here->value;
	}
	return row.value == 0;
}

/* Computes the unknown bits from the last to the first, because each depends on later ones. Free
 * bits are zero. Returns false if the deadline has passed or the call is cancelled. */
static bool substitute_rows(const struct solve_row *rows, size_t n_bytes, uint8_t *bits)
{
	uint64_t behind = 0; /* the bits after bit i; bit 0 is the next one */
	memset(bits, 0, n_bytes);
	for (size_t i = n_bytes * 8; i-- > 0;) {
		uint64_t bit = rows[i].mask ? rows[i].value ^ (uint64_t)__builtin_parityll(
								      rows[i].mask >> 1 & behind)
		                            : 0;
		bits[i / 8] |= (uint8_t)(bit << (i % 8));
		behind = behind << 1 | bit;
		if (bs_deadline_each(i, ROW_NS, NULL))
			return false;
	}
	return true;
}

static bool solve_slowly(const struct bs_band *band, uint8_t *bits)
{
	struct solve_row *rows = (struct solve_row *)(void *)band->lines;
	size_t i = 0;
	memset(rows, 0, band->n_bytes * 8 * sizeof(*rows));
	for (size_t byte = 0; byte < band->n_starts; byte++) {
		for (; i < band->n_begun[byte]; i++) {
			struct solve_row row = {band->masks[bs_band_place(i)],
			                        band->values[i / 64] >> (i % 64) & 1};
			/* If the deadline has passed, the result is also "not solved"; the caller
			 * checks the deadline. */
			if (!insert_row(rows, byte * 8, row) || bs_deadline_each(i, ROW_NS, NULL))
				return false;
		}
	}
	return substitute_rows(rows, band->n_bytes, bits);
}

#if defined(SIMDE_NO_NATIVE)

static bool solve_band(const struct bs_band *band, uint8_t *bits)
{
	return solve_slowly(band, bits);
}

#else

#define WINDOW_LINES 8u

struct solving {
	const struct bs_band *band;
	uint64_t *window; /* the columns from the current byte on, one line per byte */
	uint64_t open;    /* open equations, one bit per slot; equation i begins in slot i % 64 */
	uint64_t values;  /* right sides of the equations in the slots */
	size_t n_begun;   /* equations that have a slot or had one */
	/* The columns of the current block of 64 equations. */
	_Alignas(BS_LINE_BYTES) uint64_t block[WINDOW_LINES][BS_LINE_WORDS];
};

/* Exchanges the upper parts of the words of a with the lower parts of the words of b. */
static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t lower)
{
	for (size_t w = 0; w < BS_LINE_WORDS; w++) {
		uint64_t changed = ((a[w] >> shift) ^ b[w]) & lower;
		b[w] ^= changed;
		a[w] ^= changed << shift;
	}
}

/* Transposes 64 equations into their 64 columns. Equation i is word i / 8 of line i % 8. After
 * three rounds of exchanges (of halves, quarters and eighths of words) byte i of line b is byte b
 * of equation i. Then column 8 b + c consists of bit c of each byte of line b. */
static void turn_block(const uint64_t *masks, uint64_t (*block)[BS_LINE_WORDS])
{
	uint64_t lines[WINDOW_LINES][BS_LINE_WORDS] __attribute__((aligned(BS_LINE_BYTES)));
	/* The first exchange also copies the masks, because compilers turn a loop that only copies
	 * into a string instruction, which is slow to start. */
	for (size_t i = 0; i < 4; i++) {
		for (size_t w = 0; w < BS_LINE_WORDS; w++) {
			uint64_t a = masks[i * BS_LINE_WORDS + w];
			uint64_t b = masks[(i + 4) * BS_LINE_WORDS + w];
			lines[i][w] = (a & UINT32_MAX) | b << 32;
			lines[i + 4][w] = a >> 32 | (b >> 32 << 32);
		}
	}
	for (size_t i = 0; i < 8; i += i % 4 == 1 ? 3 : 1)
		exchange(lines[i], lines[i + 2], 16, UINT64_C(0x0000ffff0000ffff));
	for (size_t i = 0; i < 8; i += 2)
		exchange(lines[i], lines[i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
	for (size_t b = 0; b < WINDOW_LINES; b++) {
		for (size_t c = BS_LINE_WORDS; c-- > 0;) {
			block[b][c] = high_bytes(load_line(lines[b]));
			for (size_t w = 0; w < BS_LINE_WORDS; w++)
				lines[b][w] <<= 1;
		}
	}
}

/* Moves open equations out of the slots that new equations will take. Returns false if too few of
 * the other slots are free. */
static bool make_room(struct solving *solving, uint64_t *window, uint64_t slots, size_t n_lines)
{
	while (solving->open & slots) {
		uint64_t from = solving->open & slots & (~(solving->open & slots) + 1);
		uint64_t left = ~(solving->open | slots);
		uint64_t to = left & (~left + 1);
		if (!to)
			return false;
		for (size_t l = 0; l < n_lines; l++) {
			uint64_t *at = window + l * BS_LINE_WORDS;
			store_line(at, flip_words(and_not_line(all_words(to), load_line(at)), from,
			                          to));
		}
		solving->values = (solving->values & ~to) | (solving->values & from ? to : 0);
		solving->open ^= from | to;
	}
	return true;
}

/* Adds the next equations, up to number `until` or the end of their block of 64, to a copy of the
 * window. Call it until n_begun is `until`: the number of equations that begin at the window's
 * first byte or before. False if too few slots are free. */
static bool admit(struct solving *solving, size_t until, size_t n_lines)
{
	size_t block = solving->n_begun / 64;
	size_t first = solving->n_begun % 64;
	size_t n = until - solving->n_begun < 64 - first ? until - solving->n_begun : 64 - first;
	uint64_t slots = UINT64_MAX >> (64 - n) << first;
	const uint64_t *from = solving->window;
	uint64_t *next = solving->window + WINDOW_LINES * BS_LINE_WORDS;
	if (first == 0)
		turn_block(solving->band->masks + block * 64, solving->block);
	if (solving->open & slots) {
		memcpy(next, from, n_lines * BS_LINE_BYTES);
		from = next;
		if (!make_room(solving, next, slots, n_lines))
			return false;
	}
	for (size_t l = 0; l < n_lines; l++) {
		line_t kept = and_not_line(all_words(slots), load_line(from + l * BS_LINE_WORDS));
		store_line(next + l * BS_LINE_WORDS,
		           or_line(kept, and_line(load_line(solving->block[l]), all_words(slots))));
	}
	solving->values = (solving->values & ~slots) | (solving->band->values[block] & slots);
	solving->open |= slots;
	solving->n_begun += n;
	solving->window = next;
	return true;
}

/* Step 1: chooses a pivot equation for each column of the byte. A column in which no open equation
 * has a coefficient gets pivot 0, which flips nothing. */
static inline void find_pivots(struct solving *solving, uint64_t *pivots, uint64_t *others)
{
	uint64_t at_first = solving->open; /* equations that are closed already do not change */
	uint64_t open = at_first;
	uint64_t values = solving->values;
	uint64_t columns[8];
	for (size_t c = 0; c < 8; c++)
		columns[c] = solving->window[c];
#pragma GCC unroll 8
	for (size_t c = 0; c < 8; c++) {
		uint64_t waiting = columns[c] & open;
		uint64_t pivot = waiting & (~waiting + 1);
		uint64_t rest = (columns[c] & at_first) ^ pivot;
#pragma GCC unroll 8
		for (size_t k = c + 1; k < 8; k++)
			columns[k] ^= -(uint64_t)((columns[k] & pivot) != 0) & rest;
		values ^= -(uint64_t)((values & pivot) != 0) & rest;
		open ^= pivot;
		pivots[c] = pivot;
		others[c] = rest;
	}
	solving->open = open;
	solving->values = values;
}

/* Step 1 and step 2 for eight columns. */
static inline void eliminate(struct solving *solving, struct bs_band_step *step, size_t n_lines)
{
	uint64_t others[8];
	find_pivots(solving, step->pivots, others);
	step->values = solving->values;
	step->window = (size_t)(solving->window - solving->band->lines) / BS_LINE_WORDS;
	for (size_t l = 1; l < n_lines; l++) {
		line_t line = load_line(solving->window + l * BS_LINE_WORDS);
		for (size_t c = 0; c < 8; c++)
			line = flip_words(line, step->pivots[c], others[c]);
		store_line(solving->window + l * BS_LINE_WORDS, line);
	}
}

static inline uint64_t fold_line(line_t line)
{
	uint64_t words[BS_LINE_WORDS] __attribute__((aligned(BS_LINE_BYTES)));
	store_line(words, line);
	return words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5] ^ words[6] ^
	       words[7];
}

/* Computes the eight unknown bits of a byte from the right sides of its pivots and from all later
 * bits. */
static inline uint8_t read_off(const struct bs_band *band, size_t byte, const uint8_t *bits)
{
	const struct bs_band_step *step = &band->steps[byte];
	const uint64_t *window = band->lines + step->window * BS_LINE_WORDS;
	size_t n_lines = band->n_bytes - byte < WINDOW_LINES ? band->n_bytes - byte : WINDOW_LINES;
	line_t sum = zero_line();
	for (size_t l = 1; l < n_lines; l++)
		sum = xor_line(sum,
		               choose_words(load_line(window + l * BS_LINE_WORDS), bits[byte + l]));
	uint64_t values = step->values ^ fold_line(sum);
	uint8_t found = 0;
#pragma GCC unroll 8
	for (size_t c = 0; c < 8; c++)
		found |= (uint8_t)(((values & step->pivots[c]) != 0) << c);
	return found;
}

static bool solve_band(const struct bs_band *band, uint8_t *bits)
{
	struct solving solving; /* solving.block needs no initialisation */
	solving.band = band;
	solving.window = band->lines;
	solving.open = 0;
	solving.values = 0;
	solving.n_begun = 0;
	for (size_t l = 0; l < WINDOW_LINES; l++)
		store_line(band->lines + l * BS_LINE_WORDS, zero_line());
	for (size_t byte = 0; byte < band->n_bytes; byte++) {
		size_t n_lines =
			band->n_bytes - byte < WINDOW_LINES ? band->n_bytes - byte : WINDOW_LINES;
		size_t until = band->n_begun[byte < band->n_starts ? byte : band->n_starts - 1];
		while (solving.n_begun < until)
			if (!admit(&solving, until, n_lines))
				return solve_slowly(band, bits);
		eliminate(&solving, &band->steps[byte], n_lines);
		solving.window += BS_LINE_WORDS;
		store_line(solving.window + (WINDOW_LINES - 1) * BS_LINE_WORDS, zero_line());
	}
	if (solving.values & solving.open)
		return false;
	for (size_t byte = band->n_bytes; byte-- > 0;)
		bits[byte] = read_off(band, byte, bits);
	return true;
}

#endif
