/* needle.c: see needle.h. */
#include "core/simd/needle.h"

#include <string.h>

#include "core/base/byte_rate.h"

void bs_needle_init(struct bs_needle *needle, const uint8_t *bytes, size_t n_bytes)
{
	size_t reach = n_bytes < BS_NEEDLE_REACH ? n_bytes : BS_NEEDLE_REACH;
	size_t first = 0;
	for (size_t i = 1; i < reach; i++)
		if (bs_byte_rate(bytes[i]) < bs_byte_rate(bytes[first]))
			first = i;
	size_t second = first == 0 && reach > 1 ? 1 : 0;
	for (size_t i = second; i < reach; i++)
		if (i != first && bs_byte_rate(bytes[i]) < bs_byte_rate(bytes[second]))
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
