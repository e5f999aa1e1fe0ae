/*
 * faults_preload.c: a library to be preloaded into the program: the Nth call of one kind (enum
 * faults_kind) fails, alone or with all later ones. Only calls from the code of the program and of
 * PCRE2, which reports failures, are counted; allocations by ICU, simdjson, the loader and the C
 * library always succeed. Calls before main() are not counted.
 *
 * FAULTS: a file of struct faults (faults.h), which determines the call that fails and receives the
 * results. test_faults.c is the driver.
 */
#include "tests/faults/faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

#define FRAMES 24

struct range {
	uintptr_t from, to;
};

static struct faults *faults;
static struct range ours[2]; /* the program, PCRE2 */
static uintptr_t base;       /* the load address of the program */
static bool is_armed;

static bool is_ours(uintptr_t address)
{
	return address - ours[0].from < ours[0].to - ours[0].from ||
	       address - ours[1].from < ours[1].to - ours[1].from;
}

static int find_ranges(struct dl_phdr_info *info, size_t info_bytes, void *context)
{
	bool *is_later = context;
	struct range *range = *is_later ? &ours[1] : &ours[0];
	if (*is_later && !strstr(info->dlpi_name, "libpcre2-8"))
		return 0;
	base = *is_later ? base : info->dlpi_addr;
	*is_later = true;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + part->p_vaddr;
		if (part->p_type == PT_LOAD && (part->p_flags & PF_X))
			*range = (struct range){from, from + part->p_memsz};
	}
	return 0;
}

/* Identifies a call by the return addresses in the program and PCRE2 that led to it. */
static uint64_t stack_hash(void)
{
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES);
	uint64_t hash = 0xcbf29ce484222325u;
	for (int i = 0; i < n; i++)
		if (is_ours((uintptr_t)frames[i]))
			hash = (hash ^ ((uintptr_t)frames[i] - base)) * 0x100000001b3u;
	return hash;
}

/* Counts a call and returns whether it must fail. */
static bool fails(enum faults_kind kind, void *caller)
{
	if (!is_armed || kind != faults->kind || !is_ours((uintptr_t)caller))
		return false;
	uint64_t n = __atomic_add_fetch(&faults->n_calls, 1, __ATOMIC_RELAXED);
	if (faults->wanted == 0 && n <= FAULTS_MAX_STACKS)
		faults->stacks[n - 1] = stack_hash();
	bool is_due = faults->wanted > 0 &&
	              (faults->is_lasting ? n >= faults->wanted : n == faults->wanted);
	if (is_due && __atomic_add_fetch(&faults->n_failed, 1, __ATOMIC_RELAXED) == 1)
		faults->caller = (uintptr_t)caller - base;
	return is_due;
}

#define CALLER __builtin_return_address(0)

static bool fails_with(enum faults_kind kind, void *caller, int error)
{
	bool is_due = fails(kind, caller);
	if (is_due)
		errno = error;
	return is_due;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Looks up the replaced function once: that of the C library, or of a sanitizer. malloc can be
 * looked up, too, because dlsym allocates only if it fails. The pointer is copied with memcpy,
 * because ISO C does not allow casting an object pointer to a function pointer. */
#define REAL(name)                                    \
	static __typeof__(&name) real;                \
	if (!real) {                                  \
		void *found = next(#name);            \
		memcpy(&real, &found, sizeof(found)); \
	}

/* Defines a function that calls the one that it replaces, with the arguments at the end, or fails:
 * it then sets errno to `error` and returns `failure`. */
#define REPLACED(type, name, kind, error, failure, parameters, ...)                           \
	type name parameters                                                                  \
	{                                                                                     \
		REAL(name)                                                                    \
		return fails_with(kind, CALLER, error) ? (type)(failure) : real(__VA_ARGS__); \
	}
#define MEMORY(type, name, ...)  REPLACED(type, name, FAULTS_MEMORY, ENOMEM, NULL, __VA_ARGS__)
#define WRITING(type, name, ...) REPLACED(type, name, FAULTS_WRITING, __VA_ARGS__)

/* ---- memory ---- */

MEMORY(void *, malloc, (size_t n_bytes), n_bytes)
MEMORY(void *, calloc, (size_t n, size_t n_bytes), n, n_bytes)
MEMORY(void *, realloc, (void *old, size_t n_bytes), old, n_bytes)
MEMORY(void *, aligned_alloc, (size_t alignment, size_t n_bytes), alignment, n_bytes)
MEMORY(char *, strdup, (const char *text), text)
MEMORY(char *, strndup, (const char *text, size_t n_bytes), text, n_bytes)
MEMORY(char *, realpath, (const char *path, char *resolved), path, resolved)
MEMORY(char *, getcwd, (char *path, size_t n_bytes), path, n_bytes)
MEMORY(DIR *, fdopendir, (int fd), fd)
MEMORY(DIR *, opendir, (const char *path), path)
MEMORY(FILE *, fopen64, (const char *path, const char *mode), path, mode)
MEMORY(void *, dlopen, (const char *name, int flags), name, flags)
REPLACED(void *, mmap64, FAULTS_MEMORY, ENOMEM, MAP_FAILED,
         (void *at, size_t n_bytes, int protection, int flags, int fd, off64_t off), at, n_bytes,
         protection, flags, fd, off)

int asprintf(char **text_out, const char *format, ...)
{
	va_list args;
	if (fails_with(FAULTS_MEMORY, CALLER, ENOMEM))
		return -1;
	va_start(args, format);
	int n = vasprintf(text_out, format, args);
	va_end(args);
	return n;
}

ssize_t __getdelim(char **line, size_t *capacity, int end, FILE *file)
{
	return fails_with(FAULTS_MEMORY, CALLER, ENOMEM) ? -1 : getdelim(line, capacity, end, file);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
	REAL(pthread_create)
	return fails(FAULTS_MEMORY, CALLER) ? EAGAIN : real(thread, attributes, run, context);
}

/* ---- reading ---- */

/* The number of bytes that a call reads; 0 if it must fail. FAULTS_SHORT imitates the kernel, which
 * returns the bytes that it could read before it reports an error. */
static size_t readable(void *caller, size_t n_bytes)
{
	errno = EIO;
	if (fails(FAULTS_READING, caller))
		return 0;
	bool is_short = n_bytes > 1 && fails(FAULTS_SHORT, caller);
	return !is_short ? n_bytes : faults->n_failed == 1 ? 1 : 0;
}

ssize_t read(int fd, void *bytes, size_t n_bytes)
{
	REAL(read)
	size_t n = readable(CALLER, n_bytes);
	return n == 0 && n_bytes > 0 ? -1 : real(fd, bytes, n);
}

ssize_t pread64(int fd, void *bytes, size_t n_bytes, off64_t off)
{
	REAL(pread64)
	size_t n = readable(CALLER, n_bytes);
	return n == 0 && n_bytes > 0 ? -1 : real(fd, bytes, n, off);
}

REPLACED(struct dirent64 *, readdir64, FAULTS_READING, EIO, NULL, (DIR * folder), folder)

/* ---- writing ---- */

WRITING(ssize_t, write, ENOSPC, -1, (int fd, const void *bytes, size_t n_bytes), fd, bytes, n_bytes)
WRITING(ssize_t, pwrite64, ENOSPC, -1, (int fd, const void *bytes, size_t n_bytes, off64_t off), fd,
        bytes, n_bytes, off)
WRITING(int, fsync, EIO, -1, (int fd), fd)
WRITING(int, rename, EIO, -1, (const char *from, const char *to), from, to)
WRITING(int, renameat, EIO, -1, (int from_fd, const char *from, int to_fd, const char *to), from_fd,
        from, to_fd, to)
WRITING(int, ftruncate64, ENOSPC, -1, (int fd, off64_t n_bytes), fd, n_bytes)
WRITING(int, mkdir, ENOSPC, -1, (const char *path, mode_t mode), path, mode)
WRITING(int, mkostemp64, ENOSPC, -1, (char *path, int flags), path, flags)

static int (*real_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **environment)
{
	is_armed = faults != NULL;
	int status = real_main(argc, argv, environment);
	is_armed = false;
	return status;
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
	            void (*)(void), void *);
	void *found = next("__libc_start_main");
	memcpy(&real, &found, sizeof(found));
	real_main = main;
	return real(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("FAULTS");
	bool is_later = false;
	void *frames[FRAMES];
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map = fd < 0 ? MAP_FAILED
	                   : mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return;
	faults = map;
	dl_iterate_phdr(find_ranges, &is_later);
	(void)backtrace(frames, FRAMES); /* loads libraries in its first call */
}
