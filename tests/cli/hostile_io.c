/*
 * hostile_io.c: a library to preload that makes calls fail, as on a failing disk. Controlled by
 * environment variables:
 *
 *   FAIL_OPEN=TEXT     paths that contain TEXT cannot be opened (EIO)
 *   FAIL_READ=TEXT     files and folders whose paths contain TEXT cannot be read (EIO)
 *   FAIL_READ_FROM=N   with FAIL_READ: only reads that start at byte N or later fail
 *   NO_OPENAT2=1       openat2 does not exist (ENOSYS), as on kernels before 5.6
 *   FAIL_REALLOC=N     the Nth call of realloc fails
 *   FAIL_LOAD=TEXT     libraries whose names contain TEXT cannot be loaded
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name, result, ...) ((result(*)(__VA_ARGS__))(uintptr_t)dlsym(RTLD_NEXT, name))

static bool fails_to_open(const char *path)
{
	const char *text = getenv("FAIL_OPEN");
	bool fails = text && path && strstr(path, text);
	if (fails)
		errno = EIO;
	return fails;
}

static bool fails_to_read(int fd, off_t offset)
{
	const char *text = getenv("FAIL_READ"), *from = getenv("FAIL_READ_FROM");
	char link[64], path[4096];
	if (!text)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	if (!strstr(path, text) || (from && offset < strtoll(from, NULL, 10)))
		return false;
	errno = EIO;
	return true;
}

static int take_mode(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
}

#define OPEN(name)                                                                            \
	int name(const char *path, int flags, ...)                                            \
	{                                                                                     \
		va_list arguments;                                                            \
		va_start(arguments, flags);                                                   \
		int mode = take_mode(flags, arguments);                                       \
		va_end(arguments);                                                            \
		return fails_to_open(path)                                                    \
		               ? -1                                                           \
		               : REAL(#name, int, const char *, int, ...)(path, flags, mode); \
	}
#define OPENAT(name)                                                                  \
	int name(int at, const char *path, int flags, ...)                            \
	{                                                                             \
		va_list arguments;                                                    \
		va_start(arguments, flags);                                           \
		int mode = take_mode(flags, arguments);                               \
		va_end(arguments);                                                    \
		return fails_to_open(path) ? -1                                       \
		                           : REAL(#name, int, int, const char *, int, \
		                                  ...)(at, path, flags, mode);        \
	}
#define READDIR(name, entry)                                                                   \
	struct entry *name(DIR *dir)                                                           \
	{                                                                                      \
		return fails_to_read(dirfd(dir), 0) ? NULL                                     \
		                                    : REAL(#name, struct entry *, DIR *)(dir); \
	}
#define PREAD(name)                                                                          \
	ssize_t name(int fd, void *bytes, size_t n, off_t offset)                            \
	{                                                                                    \
		return fails_to_read(fd, offset) ? -1                                        \
		                                 : REAL(#name, ssize_t, int, void *, size_t, \
		                                        off_t)(fd, bytes, n, offset);        \
	}

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#undef open
#undef open64
#undef openat
#undef openat64
#undef pread
#undef pread64
#undef readdir
#undef readdir64
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)
PREAD(pread)
PREAD(pread64)

void *dlopen(const char *name, int flags)
{
	const char *text = getenv("FAIL_LOAD");
	return text && name && strstr(name, text)
	               ? NULL
	               : REAL("dlopen", void *, const char *, int)(name, flags);
}

void *realloc(void *old, size_t n_bytes)
{
	static atomic_long n_calls;
	const char *number = getenv("FAIL_REALLOC");
	if (!number || atomic_fetch_add(&n_calls, 1) + 1 != strtol(number, NULL, 10))
		return REAL("realloc", void *, void *, size_t)(old, n_bytes);
	errno = ENOMEM;
	return NULL;
}

ssize_t read(int fd, void *bytes, size_t n)
{
	return fails_to_read(fd, lseek(fd, 0, SEEK_CUR))
	               ? -1
	               : REAL("read", ssize_t, int, void *, size_t)(fd, bytes, n);
}

long syscall(long number, ...)
{
	va_list arguments;
	long a[6];
	va_start(arguments, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_openat2 && getenv("NO_OPENAT2")) {
		errno = ENOSYS;
		return -1;
	}
	if (number == SYS_openat2 && fails_to_open((const char *)a[1]))
		return -1;
	return REAL("syscall", long, long, ...)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
