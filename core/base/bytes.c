/* bytes.c: see bytes.h. */
#include "core/base/bytes.h"

/* The maximum number of bytes whose matches are summed in a uint8_t; below 256, so that the sum
 * cannot overflow. A multiple of 16, the size of a vector, so that no bytes of a whole block remain
 * for the compiler's scalar loop. Warning: GCC 12 miscompiles the inner loop if its number of bytes
 * is the constant 16; the tests of line numbers show it. */
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
