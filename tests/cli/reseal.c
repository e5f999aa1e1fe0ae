/* reseal.c: bitsift-reseal FILE VERSION makes a file of an index claim another format version, its head's checksum
 * right, as a file written by another bitsift would. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/bytes.h"
#include "core/hash.h"

#define HEAD_BYTES    64
#define VERSION_OFF   8
#define CHECKSUM_OFF  56

int main(int argc, char **argv)
{
	uint8_t head[HEAD_BYTES];
	FILE *file = argc == 3 ? fopen(argv[1], "r+be") : NULL;
	if (!file || fread(head, 1, sizeof(head), file) != sizeof(head))
		return 2;
	bs_store_u32(head + VERSION_OFF, (uint32_t)strtoul(argv[2], NULL, 10));
	bs_store_u64(head + CHECKSUM_OFF, bs_checksum(head, CHECKSUM_OFF));
	rewind(file);
	bool is_written = fwrite(head, 1, sizeof(head), file) == sizeof(head);
	return fclose(file) == 0 && is_written ? 0 : 2;
}
