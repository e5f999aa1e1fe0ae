/* tool.c: see tool.h. */
#include "bench/tool.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/bytes.h"

static void write_line(const char *format, va_list arguments)
{
	fputs("bitsift-bench: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
	exit(2);
}

void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

char *text_of(const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		die("out of memory");
	va_end(arguments);
	return text;
}

void *grown(void *array, size_t n_bytes)
{
	void *larger = realloc(array, n_bytes ? n_bytes : 1);
	if (!larger)
		die("out of memory: %zu bytes", n_bytes);
	return larger;
}

/* The sum of add_bytes. It is global, because nftw has no context argument. */
static uint64_t walked_bytes;

static int add_bytes(const char *path, const struct stat *found, int kind, struct FTW *ftw)
{
	(void)path, (void)ftw;
	if (kind == FTW_F)
		walked_bytes += (uint64_t)found->st_size;
	return 0;
}

uint64_t path_bytes(const char *path)
{
	/* The path itself may be a symlink; symlinks below it are not followed. */
	char *real = realpath(path, NULL);
	walked_bytes = 0;
	if (real)
		(void)nftw(real, add_bytes, 16, FTW_PHYS);
	free(real);
	return walked_bytes;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *ftw)
{
	(void)found, (void)kind, (void)ftw;
	return remove(path);
}

void remove_tree(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		die("%s: %s", path, strerror(errno));
}

void make_folder(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		die("%s: %s", path, strerror(errno));
}

FILE *open_file(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);
	if (!file)
		die("%s: %s", path, strerror(errno));
	setvbuf(file, NULL, _IOFBF, (size_t)1 << 20);
	return file;
}

void close_file(FILE *file, const char *path)
{
	if (ferror(file) || fclose(file))
		die("%s: cannot be written or read", path);
}

void put_varint(FILE *file, uint64_t value)
{
	uint8_t bytes[BS_VARINT_MAX_BYTES];
	fwrite_unlocked(bytes, 1, bs_varint_put(bytes, value), file);
}

uint64_t get_varint(FILE *file)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		int byte = getc_unlocked(file);
		if (byte == EOF)
			die("a file of the cache ends too early: make it again");
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
	/* The remainder favours small numbers, with a bias of n / 2^64, which does not matter
	 * here. */
	return random_next(state) % n;
}

bool is_listed(const char *list, const char *name)
{
	size_t n_bytes = strlen(name);
	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, n_bytes) == 0 && (at[n_bytes] == ',' || !at[n_bytes]))
			return true;
	}
	return !list;
}
