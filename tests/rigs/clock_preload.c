/*
 * clock_preload.c: clock_rig.c as a library to be preloaded. It acts only in the program bitsift:
 * fingerprints of files written before the program's start are not racy. If the variable WORK is
 * set, the library appends a line to the file $WORK when the program ends: the number of readings
 * of CLOCK_MONOTONIC, and the number of bytes read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rigs/clock_rig.h"

__attribute__((constructor)) static void begin(void)
{
	if (strcmp(program_invocation_short_name, "bitsift") == 0)
		clock_make_old();
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("WORK");
	if (!path || strcmp(program_invocation_short_name, "bitsift") != 0)
		return;
	FILE *file = fopen(path, "a"), *io = fopen("/proc/self/io", "r");
	uint64_t n_read = 0;
	if (file && io && fscanf(io, "rchar: %" SCNu64, &n_read) == 1)
		fprintf(file, "%" PRIu64 " %" PRIu64 "\n", clock_looks(), n_read);
	if (io)
		fclose(io);
	if (file)
		fclose(file);
}
