/* bytes.c: see bytes.h. */
#include "core/base/bytes.h"

/* The most bytes that are counted in a byte: a multiple of the size of vectors, so that no single
 * bytes remain for the compiler's scalar loop. Scar: GCC 12 miscompiles this loop if the number of
 * bytes is a constant 16; every test with line numbers would notice. */
#define BLOCK_BYTES ((size_t)240)

size_t bs_count_byte(const uint8_t *bytes, size_t n_bytes, uint8_t byte)
{
	size_t count = 0;
	while (n_bytes > 0) {
		size_t block = n_bytes < BLOCK_BYTES ? n_bytes : BLOCK_BYTES;
		uint8_t sum = 0;
		for (size_t i = 0; i < block; i++)
			sum = (uint8_t)(sum + (bytes[i] == byte));
		count += sum;
		bytes += block;
		n_bytes -= block;
	}
	return count;
}
