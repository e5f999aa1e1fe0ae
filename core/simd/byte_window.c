/* byte_window.c: see byte_window.h. */
#include "core/simd/byte_window.h"

#include <string.h>

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
