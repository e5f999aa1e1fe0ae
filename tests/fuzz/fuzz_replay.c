/* fuzz_replay.c: runs a fuzz target on files and on the files of folders, for compilers without
 * libFuzzer and for the tests. Fails if there are no files. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static unsigned n_files;

static int replay(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	if (type != FTW_F)
		return 0;
	size_t n_bytes = (size_t)info->st_size;
	/* exactly the input's size, as in libFuzzer: so sanitizers detect reads past the end */
	uint8_t *bytes = malloc(n_bytes ? n_bytes : 1);
	FILE *file = fopen(path, "rb");
	if (!bytes || !file || fread(bytes, 1, n_bytes, file) != n_bytes) {
		perror(path);
		exit(1);
	}
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, n_bytes);
	free(bytes);
	n_files++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], replay, 8, FTW_PHYS))
			return 1;
	printf("%u inputs\n", n_files);
	return n_files == 0;
}
