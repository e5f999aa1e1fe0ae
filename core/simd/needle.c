/* needle.c: see needle.h. */
#include "core/simd/needle.h"

#include <string.h>

/* The frequency rank of a byte in text, both cases together; 0 is the rarest. Fitted on the prose
 * and code of a Linux source tree. Only the order of two bytes matters. */
static unsigned frequency(uint8_t byte)
{
	static const char by_frequency[] = "zjq9x78654w3kv2ybhgp1mu(),*;->=./\"fl0dca_onsirte\n\t ";
	for (unsigned i = 0; i < sizeof(by_frequency) - 1; i++)
		if ((uint8_t)by_frequency[i] == byte)
			return i + 1;
	/* Any other byte (control characters, other punctuation) counts as the rarest. */
	return 0;
}

void bs_needle_init(struct bs_needle *needle, const uint8_t *bytes, size_t n_bytes)
{
	size_t reach = n_bytes < BS_NEEDLE_REACH ? n_bytes : BS_NEEDLE_REACH;
	size_t first = 0;
	for (size_t i = 1; i < reach; i++)
		if (frequency(bytes[i]) < frequency(bytes[first]))
			first = i;
	size_t second = first == 0 && reach > 1 ? 1 : 0;
	for (size_t i = second; i < reach; i++)
		if (i != first && frequency(bytes[i]) < frequency(bytes[second]))
			second = i;
	*needle = (struct bs_needle){
		.bytes = bytes,
		.n_bytes = n_bytes,
		.probe = {first < second ? first : second, first < second ? second : first},
	};
}

void bs_byte_window_finish(struct bs_byte_window *window)
{
	memset(window->low, 0, sizeof(window->low));
	memset(window->high, 0, sizeof(window->high));
	for (size_t i = 0; i < window->n_bytes; i++) {
		for (size_t byte = 0; byte < 256; byte++) {
			window->low[i][byte & 15] |= window->of[i][byte];
			window->high[i][byte >> 4] |= window->of[i][byte];
		}
	}
}

void bs_byte_class_finish(struct bs_byte_class *class)
{
	memset(class->rows, 0, sizeof(class->rows));
	for (size_t c = 0; c < 256; c++)
		class->rows[c >> 7][c & 15] |= (uint8_t)(class->has[c] << (c >> 4 & 7));
}
