/*
 * needle.h: what is looked for in text, made ready for the kernels that look for it (kernels.h).
 *
 * A needle is an ASCII word, whatever the case of its letters. Two bytes of it are compared with 32
 * or 64 places of the text at once, and only where both fit are the others looked at. The two are
 * those that are least frequent in text, so that few places fit by chance.
 *
 * A window is a few bytes one after the other, each of a class, in up to eight variants. A variant
 * is a sequence of classes: "a digit, a dot, a digit", or "f, o, o". What is asked at a place of a
 * text:
 *
 *     of[0][text[at]] & of[1][text[at + 1]] & ...      which variants fit here? 0: none
 *
 * A table of 256 bytes cannot be looked up in a register, but two of 16 can. So a kernel asks for
 * the two halves of each byte first:
 *
 *     low[i][byte & 15] & high[i][byte >> 4]           is never 0 where of[i][byte] is not
 *
 * 32 or 64 places at once, and looks into of[] only where that leaves something. It leaves too much
 * where a class is no product of halves (0-9 and A-F); it never misses.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The two bytes are among this many first ones, so that the search looks no further ahead of a
 * place. */
#define BS_NEEDLE_REACH 64u

struct bs_needle {
	const uint8_t *bytes; /* borrowed: ASCII without upper-case letters */
	size_t n_bytes;       /* > 0 */
	size_t probe
		/* ascending, the same twice for one byte: offsets of the bytes compared first */
		[2];
};

/* bytes must live as long as the needle. n_bytes > 0. */
void bs_needle_init(struct bs_needle *needle, const uint8_t *bytes, size_t n_bytes);

/* The lower-case letter of an upper-case one in ASCII, any other byte as it is. */
static inline uint8_t bs_needle_fold(uint8_t byte)
{
	return (uint8_t)(byte | ((uint8_t)(byte - 'A') < 26 ? 0x20 : 0));
}

#define BS_WINDOW_MOST_BYTES    4u
#define BS_WINDOW_MOST_VARIANTS 8u

/* Zero-initialise, set n_bytes and of, and finish. */
struct bs_byte_window {
	size_t n_bytes; /* 1 to BS_WINDOW_MOST_BYTES */
	uint8_t of[BS_WINDOW_MOST_BYTES]
		  [256]; /* bit v of of[i][b]: in variant v the byte at i may be b */
	uint8_t low[BS_WINDOW_MOST_BYTES][16]; /* of halves, as above */
	uint8_t high[BS_WINDOW_MOST_BYTES][16];
};

/* Makes low and high from of. */
void bs_byte_window_finish(struct bs_byte_window *window);

/* The variants that fit at `at`, where there must be n_bytes bytes. */
static inline uint8_t bs_byte_window_at(const struct bs_byte_window *window, const uint8_t *at)
{
	uint8_t variants = 0xff;
	for (size_t i = 0; i < window->n_bytes; i++)
		variants &= window->of[i][at[i]];
	return variants;
}
