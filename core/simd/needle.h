/*
 * needle.h: an ASCII word made ready to be searched for in text, whatever the case of its letters. The search itself is
 * a kernel (kernels.h, find_needle); this file chooses what it looks for first.
 *
 * Two bytes of the word are compared with 32 or 64 places of the text at once, and only where both fit are the others
 * looked at. The two are those that are least frequent in text, so that few places fit by chance.
 */
#ifndef BS_CORE_SIMD_NEEDLE_H
#define BS_CORE_SIMD_NEEDLE_H

#include <stddef.h>
#include <stdint.h>

/* The two bytes are among this many first ones, so that the search looks no further ahead of a place. */
#define BS_NEEDLE_REACH 64u

struct bs_needle {
	const uint8_t *bytes; /* borrowed: ASCII without upper-case letters */
	size_t n_bytes;       /* > 0 */
	size_t probe[2];      /* ascending, the same twice for one byte: offsets of the bytes compared first */
};

/* bytes must live as long as the needle. n_bytes > 0. */
void bs_needle_init(struct bs_needle *needle, const uint8_t *bytes, size_t n_bytes);

/* The lower-case letter of an upper-case one in ASCII, any other byte as it is. */
static inline uint8_t bs_needle_fold(uint8_t byte)
{
	return (uint8_t)(byte | ((uint8_t)(byte - 'A') < 26 ? 0x20 : 0));
}

#endif
