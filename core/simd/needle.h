/*
 * needle.h: search terms, prepared for the kernels that search text (kernels.h).
 *
 * A needle is a string, whose ASCII letters match in either case. A kernel compares two bytes of it
 * with 64 places of the text at once, and the other bytes only where both match. The two bytes are
 * those that are least frequent in source text, so that few places match by chance.
 *
 * A window is a few consecutive bytes, each of a class, in up to eight variants. A variant is a
 * sequence of classes: "a digit, a dot, a digit", or "f, o, o". The variants that match at a place
 * of a text are
 *
 *     of[0][text[at]] & of[1][text[at + 1]] & ...      0: no variant matches
 *
 * A table of 256 bytes does not fit into a register, but two of 16 bytes do. So a kernel first
 * looks up the two halves of each byte, at 64 places at once:
 *
 *     low[i][byte & 15] & high[i][byte >> 4]           a superset of of[i][byte]
 *
 * The kernel reads of[] only at places where the AND of these over i is not 0. This test also
 * passes bytes outside a class that is not a product of halves, such as 0-9 and A-F together; it
 * never rejects a byte of the class.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Both compared bytes are among the first 64 bytes of the needle, so that the search does not read
 * far ahead. */
#define BS_NEEDLE_REACH 64u

struct bs_needle {
	const uint8_t *bytes; /* borrowed; ASCII letters are in lower case */
	size_t n_bytes;       /* > 0 */
	/* Offsets of the two bytes compared first, ascending; equal if the needle has one byte. */
	size_t probe[2];
};

/* Borrows bytes for the life of the needle. n_bytes > 0. */
void bs_needle_init(struct bs_needle *needle, const uint8_t *bytes, size_t n_bytes);

/* Converts an upper-case ASCII letter to lower case; returns other bytes unchanged. */
static inline uint8_t bs_needle_fold(uint8_t byte)
{
	return (uint8_t)(byte | ((uint8_t)(byte - 'A') < 26 ? 0x20 : 0));
}

#define BS_WINDOW_MOST_BYTES    4u
#define BS_WINDOW_MOST_VARIANTS 8u

/* To make a window: zero-initialise, set n_bytes and `of`, call bs_byte_window_finish. */
struct bs_byte_window {
	size_t n_bytes; /* 1 to BS_WINDOW_MOST_BYTES */
	/* Bit v of of[i][b] is set if in variant v byte i may be b. */
	uint8_t of[BS_WINDOW_MOST_BYTES][256];
	uint8_t low[BS_WINDOW_MOST_BYTES][16]; /* tables of halves: see the top of this file */
	uint8_t high[BS_WINDOW_MOST_BYTES][16];
};

/* Computes `low` and `high` from `of`. */
void bs_byte_window_finish(struct bs_byte_window *window);

/* A class of bytes, for a test that is exact. To make one: zero-initialise, set `has`, call
 * bs_byte_class_finish. */
struct bs_byte_class {
	uint8_t has[256]; /* 1: the byte is in the class; 0: it is not */
	/* Bit (c >> 4) & 7 of rows[c >> 7][c & 15] is set if byte c is in the class. */
	uint8_t rows[2][16];
};

/* Computes `rows` from `has`. */
void bs_byte_class_finish(struct bs_byte_class *class);

/* The variants that match at `at`, where n_bytes bytes must be readable. */
static inline uint8_t bs_byte_window_at(const struct bs_byte_window *window, const uint8_t *at)
{
	uint8_t variants = 0xff;
	for (size_t i = 0; i < window->n_bytes; i++)
		variants &= window->of[i][at[i]];
	return variants;
}
