/* file.c: access to one file. See file.h. */
#include "corpus/walk/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <unistd.h>

#include "core/base/date.h"
#include "core/bitsift/skip.h"
#include "core/system/deadline.h"
#include "corpus/walk/holes.h"

/* A NUL byte in these first bytes makes a file binary: ripgrep's first buffer. */
#define HEAD_BYTES 65536
/* Larger buffers are freed when the next file is much smaller. */
#define GENEROUS_BYTES (UINT64_C(64) << 20)

/* Closes fd without changing errno. */
static void close_quietly(int fd)
{
	int error_number = errno;
	close(fd);
	errno = error_number;
}

/* Opens one component, the first n_bytes of path, below dir_fd. With O_NOFOLLOW, a symlink is
 * refused even if it leads to a folder. */
static int open_component(int dir_fd, const char *path, size_t n_bytes, int flags)
{
	char name[NAME_MAX + 1];
	struct stat found;
	if (n_bytes > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, path, n_bytes);
	name[n_bytes] = '\0';
	/* An empty first component is the root folder, unless the caller must stay below dir_fd. */
	int fd = openat(dir_fd, n_bytes || flags & O_NOFOLLOW ? name : "/",
	                flags | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOTDIR && flags & O_NOFOLLOW) {
		bool is_link = fstatat(dir_fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
		               S_ISLNK(found.st_mode);
		errno = is_link ? ELOOP : ENOTDIR;
	}
	return fd;
}

/* Opens the path component by component. Symlinks are followed, unless flags have O_NOFOLLOW. */
static int open_by_step(int dir_fd, const char *path, int flags)
{
	int at = dir_fd;
	for (;;) {
		size_t n_bytes = strcspn(path, "/");
		const char *rest = path + n_bytes + strspn(path + n_bytes, "/");
		int fd =
			open_component(at, path, n_bytes,
		                       *rest ? O_PATH | O_DIRECTORY | (flags & O_NOFOLLOW) : flags);
		if (at != dir_fd)
			close_quietly(at);
		if (fd < 0 || !*rest)
			return fd;
		at = fd;
		path = rest;
	}
}

int bs_file_open(int dir_fd, const char *path, int flags)
{
	flags |= O_CLOEXEC | O_NOCTTY;
	int fd = -1;
	do {
		fd = openat(dir_fd, path, flags);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0 && errno == ENAMETOOLONG)
		return open_by_step(dir_fd, path, flags);
	return fd;
}

void bs_file_keep_access_time(int fd, int flags)
{
	(void)fcntl(fd, F_SETFL, flags | O_NOATIME);
}

int bs_file_stat(int dir_fd, const char *path, struct stat *stat_out)
{
	int result = fstatat(dir_fd, path, stat_out, 0);
	if (!result || errno != ENAMETOOLONG)
		return result;
	int fd = bs_file_open(dir_fd, path, O_PATH);
	if (fd < 0)
		return -1;
	result = fstat(fd, stat_out);
	close(fd);
	return result;
}

int bs_file_open_by_step(int dir_fd, const char *path, int flags)
{
	return open_by_step(dir_fd, path, flags | O_NOFOLLOW);
}

int bs_file_open_below(int dir_fd, const char *path, int flags)
{
	/* Unlike openat, openat2 rejects flags that have no effect with O_PATH. */
	int all = flags | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY | O_LARGEFILE);
	struct open_how how = {.flags = (uint64_t)(unsigned)all,
	                       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	long fd;
	do {
		fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	} while (fd < 0 && errno == EINTR);
	/* An older kernel, a sandbox that does not know openat2, or a path longer than PATH_MAX. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == ENAMETOOLONG))
		return bs_file_open_by_step(dir_fd, path, flags);
	return (int)fd;
}

void bs_file_place_close(struct bs_file_place *place)
{
	if (place->path.used_bytes > 0 && place->fd >= 0)
		close_quietly(place->fd);
	bs_buffer_deinit(&place->path);
}

static bool is_at(const struct bs_file_place *place, const char *path, size_t n_bytes)
{
	return place->path.used_bytes == n_bytes + 1 &&
	       memcmp(place->path.data, path, n_bytes) == 0;
}

/* Makes place the folder at path[0..n_bytes), not open yet. False: out of memory. */
static bool move_to(struct bs_file_place *place, const char *path, size_t n_bytes)
{
	struct bs_buffer *kept = &place->path;
	if (kept->used_bytes > 0 && place->fd >= 0)
		close(place->fd);
	place->fd = -1;
	bs_buffer_clear(kept);
	if (bs_buffer_reserve(kept, n_bytes + 1, NULL) != BS_OK) {
		errno = ENOMEM;
		return false;
	}
	memcpy(kept->data, path, n_bytes);
	kept->data[n_bytes] = '\0';
	kept->used_bytes = n_bytes + 1;
	return true;
}

/* Makes place the folder at path[0..n_bytes), and opens it if it is not open. */
static bool go_to(int dir_fd, const char *path, size_t n_bytes, struct bs_file_place *place)
{
	if (!is_at(place, path, n_bytes) && !move_to(place, path, n_bytes))
		return false;
	if (place->fd < 0)
		place->fd = bs_file_open_below(dir_fd, (const char *)place->path.data,
		                               O_PATH | O_DIRECTORY);
	if (place->fd < 0)
		bs_buffer_clear(&place->path);
	return place->fd >= 0;
}

int bs_file_open_near(int dir_fd, const char *path, struct bs_file_place *place, int flags)
{
	const char *slash = strrchr(path, '/');
	size_t n_bytes = slash ? (size_t)(slash - path) : 0;
	if (slash && !is_at(place, path, n_bytes)) {
		(void)move_to(place, path, n_bytes);
	} else if (slash && go_to(dir_fd, path, n_bytes, place)) {
		int fd = bs_file_open(place->fd, slash + 1, flags | O_NOFOLLOW);
		if (fd >= 0 || (errno != ENOENT && errno != EMFILE && errno != ENFILE))
			return fd;
		/* The folder may have been replaced by another one with the same path; or the
		 * process has no free descriptor. Try without the open folder. */
		bs_file_place_close(place);
	}
	return bs_file_open_below(dir_fd, path, flags);
}

int bs_file_stat_below(int dir_fd, const char *path, struct bs_file_place *place,
                       struct stat *stat_out)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return fstatat(dir_fd, path, stat_out, AT_SYMLINK_NOFOLLOW);
	if (go_to(dir_fd, path, (size_t)(slash - path), place))
		return fstatat(place->fd, slash + 1, stat_out, AT_SYMLINK_NOFOLLOW);
	if (errno != ENOMEM)
		return -1;
	/* Not enough memory to keep the folder open. */
	int fd = bs_file_open_below(dir_fd, path, O_PATH);
	int result = fd < 0 ? -1 : fstat(fd, stat_out);
	if (fd >= 0)
		close_quietly(fd);
	return result;
}

enum bs_status bs_file_join(const char *folder, const void *name, size_t name_bytes,
                            struct bs_buffer *path, struct bs_error *err)
{
	size_t n = strlen(folder), has_slash = n > 0 && folder[n - 1] == '/';
	bs_buffer_clear(path);
	enum bs_status status = bs_buffer_reserve(path, n + name_bytes + 2, err);
	if (status)
		return status;
	memcpy(path->data, folder, n);
	path->data[n] = '/';
	path->used_bytes = n + !has_slash;
	status = bs_buffer_append(path, name, name_bytes, err);
	path->data[path->used_bytes] = '\0';
	return status;
}

enum bs_status bs_file_relative_path(const char *from, const void *to, size_t to_bytes,
                                     struct bs_buffer *way, struct bs_error *err)
{
	const char *name = to;
	size_t n_from = strcmp(from, "/") == 0 ? 0 : strlen(from), at = 0, same = 0;
	enum bs_status status = BS_OK;
	for (; at < n_from && at < to_bytes && from[at] == name[at]; at++)
		same = from[at] == '/' ? at + 1 : same;
	if ((at == n_from || from[at] == '/') && (at == to_bytes || name[at] == '/'))
		same = at + 1;
	for (size_t i = same; i <= n_from && !status; i++)
		if (i == n_from || from[i] == '/')
			status = bs_buffer_append(way, "../", 3, err);
	if (!status && same < to_bytes)
		return bs_buffer_append(way, name + same, to_bytes - same, err);
	way->used_bytes -= !status && same > to_bytes;
	return status;
}

enum bs_status bs_file_real_path(const char *path, char **real_out, struct bs_error *err)
{
	*real_out = realpath(path, NULL);
	return !*real_out && errno == ENOMEM ? bs_fail_memory(err, "a path", strlen(path)) : BS_OK;
}

struct bs_fingerprint bs_file_fingerprint(const struct stat *found)
{
	return (struct bs_fingerprint){
		.size_bytes = (uint64_t)found->st_size,
		.mtime_ns = bs_moment_code((struct bs_moment){found->st_mtim.tv_sec,
	                                                      (uint32_t)found->st_mtim.tv_nsec}),
		.ctime_ns = bs_moment_code((struct bs_moment){found->st_ctim.tv_sec,
	                                                      (uint32_t)found->st_ctim.tv_nsec}),
		.inode = (uint64_t)found->st_ino,
		.mode = found->st_mode,
		.group = found->st_gid,
	};
}

bool bs_file_is_gone(int error_number)
{
	return error_number == ENOENT || error_number == ENOTDIR;
}

enum bs_status bs_file_status(int error_number)
{
	/* Running out of descriptors or memory says nothing about the file: a caller that took the
	 * file as unreadable would remove its content from the index. */
	if (error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM)
		return BS_NO_MEMORY;
	return bs_file_is_gone(error_number) ? BS_NOT_FOUND : BS_IO;
}

bool bs_file_is_binary(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes && memchr(bytes, 0, n_bytes < HEAD_BYTES ? n_bytes : HEAD_BYTES);
}

bool bs_file_is_utf16(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes >= 2 &&
	       ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff));
}

static void refuse(struct bs_refusal *refusal, enum bs_skip skip, int error_number,
                   const char *reason)
{
	*refusal =
		(struct bs_refusal){.reason = reason, .skip = skip, .error_number = error_number};
}

struct bs_refusal bs_file_refuse_binary(uint32_t nul_end)
{
	return (struct bs_refusal){
		.reason = "binary file", .skip = BS_SKIP_BINARY, .nul_end = nul_end};
}

static void refuse_errno(struct bs_refusal *refusal, int error_number, bool is_below)
{
	/* ENXIO: a socket, which cannot be opened. */
	if (error_number == ELOOP && is_below)
		refuse(refusal, BS_SKIP_LINK, ELOOP, "symbolic link");
	else
		refuse(refusal, error_number == ENXIO ? BS_SKIP_SPECIAL : BS_SKIP_UNREADABLE,
		       error_number, strerror(error_number));
}

/* STEP_BYTES: most bytes of one read, so that the deadline is checked often enough. BYTES_A_NS:
 * estimated speed of reading. */
#define STEP_BYTES ((size_t)1 << 20)
#define BYTES_A_NS 4u
/* Estimated time to convert a unit of UTF-16 to UTF-8. */
#define UNIT_NS 2u

/* Reads until bytes holds wanted_bytes or the file ends. size_bytes: the file's size by stat. */
static enum bs_status read_to(struct bs_holes *file, size_t wanted_bytes, uint64_t size_bytes,
                              struct bs_buffer *bytes, bool *at_end, struct bs_refusal *refusal,
                              struct bs_error *err)
{
	size_t more_bytes = wanted_bytes > bytes->used_bytes ? wanted_bytes - bytes->used_bytes : 0;
	enum bs_status status = bs_buffer_reserve(bytes, more_bytes, err);
	while (!status && !refusal->reason && !*at_end && bytes->used_bytes < wanted_bytes) {
		size_t left_bytes = wanted_bytes - bytes->used_bytes;
		size_t asked_bytes = left_bytes < STEP_BYTES ? left_bytes : STEP_BYTES;
		status = bs_deadline_check_after(asked_bytes / BYTES_A_NS, err);
		if (status)
			break;
		ssize_t n = bs_holes_read(file, bytes->data + bytes->used_bytes, asked_bytes);
		if (n < 0) {
			if (errno != EINTR)
				refuse_errno(refusal, errno, false);
			continue;
		}
		bytes->used_bytes += (size_t)n;
		/* A short read up to the expected size is the end, so that no further read is
		 * needed to see it. */
		*at_end = n == 0 || ((size_t)n < asked_bytes && bytes->used_bytes == size_bytes);
	}
	return status;
}

/* ask_heads reads files of at least ASKED_SIZE bytes in pieces; smaller ones are not worth several
 * reads. Pieces grow from FIRST_PIECE_BYTES to MOST_PIECE_BYTES, which still fits the cache. */
#define ASKED_SIZE        ((uint64_t)32 * 1024)
#define FIRST_PIECE_BYTES ((uint64_t)16 * 1024)
#define MOST_PIECE_BYTES  ((uint64_t)128 * 1024)

/* Reads a large file in pieces and passes the bytes so far to `head` after each piece, except the
 * last. If head accepts them, sets *at_end, and bytes holds only this beginning. */
static enum bs_status ask_heads(struct bs_holes *file, const struct bs_fingerprint *fingerprint,
                                const struct bs_file_head *head, uint64_t limit_bytes,
                                struct bs_buffer *bytes, bool *at_end, struct bs_refusal *refusal,
                                struct bs_error *err)
{
	uint64_t size_bytes = fingerprint->size_bytes, wanted_bytes = FIRST_PIECE_BYTES;
	if (!head || size_bytes < ASKED_SIZE || size_bytes > limit_bytes)
		return BS_OK;
	enum bs_status status = BS_OK;
	while (wanted_bytes < size_bytes) {
		status = read_to(file, (size_t)wanted_bytes, size_bytes, bytes, at_end, refusal,
		                 err);
		if (status || refusal->reason || *at_end ||
		    bs_file_is_utf16(bytes->data, bytes->used_bytes))
			break;
		*at_end =
			head->is_enough(head->context, fingerprint, bytes->data, bytes->used_bytes);
		if (*at_end)
			break;
		wanted_bytes += wanted_bytes < MOST_PIECE_BYTES ? wanted_bytes : MOST_PIECE_BYTES;
	}
	return status;
}

static enum bs_status read_whole(struct bs_holes *file, uint64_t size_bytes, bool refuse_binary,
                                 uint64_t limit_bytes, struct bs_buffer *bytes, bool at_end,
                                 struct bs_refusal *refusal, struct bs_error *err)
{
	/* Files of /proc have size 0, but are not empty. */
	size_t head_bytes =
		size_bytes && size_bytes < HEAD_BYTES ? (size_t)size_bytes + 1 : HEAD_BYTES;
	enum bs_status status = read_to(file, head_bytes, size_bytes, bytes, &at_end, refusal, err);
	if (status || refusal->reason)
		return status;
	if (refuse_binary && bs_file_is_binary(bytes->data, bytes->used_bytes) &&
	    !bs_file_is_utf16(bytes->data, bytes->used_bytes)) {
		const uint8_t *nul = memchr(bytes->data, '\0', bytes->used_bytes);
		*refusal = bs_file_refuse_binary(nul ? (uint32_t)(nul - bytes->data) + 1 : 0);
	} else if (size_bytes > limit_bytes || bytes->used_bytes > limit_bytes) {
		refuse(refusal, BS_SKIP_TOO_LARGE, 0, "larger than --max-document");
	}
	while (!status && !refusal->reason && !at_end) {
		uint64_t wanted = bytes->used_bytes <= size_bytes
		                          ? size_bytes + 1
		                          : bytes->used_bytes + bytes->used_bytes / 2;
		if (wanted > limit_bytes + 1)
			wanted = limit_bytes + 1;
		status = read_to(file, (size_t)wanted, size_bytes, bytes, &at_end, refusal, err);
		if (bytes->used_bytes > limit_bytes)
			refuse(refusal, BS_SKIP_TOO_LARGE, 0, "larger than --max-document");
	}
	return status;
}

enum bs_status bs_file_load(int dir_fd, const char *path, bool refuse_binary, uint64_t limit_bytes,
                            const struct bs_file_head *head, struct bs_buffer *bytes,
                            struct bs_fingerprint *fingerprint_out, struct bs_refusal *refusal_out,
                            struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool at_end = false;
	struct stat found;
	struct bs_holes file;
	*refusal_out = (struct bs_refusal){0};
	*fingerprint_out = (struct bs_fingerprint){0};
	bs_buffer_clear(bytes);
	/* O_NONBLOCK: do not wait for the writer of a pipe that replaced the file. */
	bool is_below = dir_fd != AT_FDCWD;
	int fd =
		(is_below ? bs_file_open_below : bs_file_open)(dir_fd, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &found)) {
		if (bs_file_status(errno) == BS_NO_MEMORY)
			status = bs_fail(err, BS_NO_MEMORY, "%s: %s", path, strerror(errno));
		else
			refuse_errno(refusal_out, errno, is_below);
		goto out;
	}
	*fingerprint_out = bs_file_fingerprint(&found);
	if (!S_ISREG(found.st_mode)) {
		refuse(refusal_out, BS_SKIP_SPECIAL, 0, "not a regular file");
		goto out;
	}
	bs_file_keep_access_time(fd, O_RDONLY | O_NONBLOCK);
	if (bytes->capacity_bytes > GENEROUS_BYTES &&
	    fingerprint_out->size_bytes < bytes->capacity_bytes / 4)
		bs_buffer_deinit(bytes);
	bs_holes_init(&file, fd, &found);
	status = ask_heads(&file, fingerprint_out, head, limit_bytes, bytes, &at_end, refusal_out,
	                   err);
	if (!status && !refusal_out->reason)
		status = read_whole(&file, fingerprint_out->size_bytes, refuse_binary, limit_bytes,
		                    bytes, at_end, refusal_out, err);
out:
	if (fd >= 0)
		close(fd);
	return status;
}

static uint32_t unit_at(const uint8_t *at, bool big_endian)
{
	return big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

enum bs_status bs_file_decode_utf16(const uint8_t *bytes, size_t n_bytes, bool big_endian,
                                    struct bs_buffer *text, struct bs_error *err)
{
	bs_buffer_clear(text);
	/* A unit of two bytes becomes at most three, a surrogate pair (four bytes) four, an odd
	 * byte three. */
	enum bs_status status = bs_buffer_reserve(text, n_bytes / 2 * 3 + 3, err);
	if (status)
		return status;
	size_t at = 0, asked_at = 0;
	while (at + 2 <= n_bytes) {
		if (at - asked_at > STEP_BYTES) {
			status = bs_deadline_check_after((at - asked_at) * UNIT_NS / 2, err);
			asked_at = at;
			if (status)
				return status;
		}
		uint32_t c = unit_at(bytes + at, big_endian);
		at += 2;
		if (U16_IS_SURROGATE(c)) {
			uint32_t low = U16_IS_SURROGATE_LEAD(c) && at + 2 <= n_bytes
			                       ? unit_at(bytes + at, big_endian)
			                       : 0;
			bool is_pair = U16_IS_TRAIL(low);
			c = is_pair ? (uint32_t)U16_GET_SUPPLEMENTARY(c, low) : 0xfffd;
			at += is_pair ? 2 : 0;
		}
		U8_APPEND_UNSAFE(text->data, text->used_bytes, c);
	}
	if (at < n_bytes)
		U8_APPEND_UNSAFE(text->data, text->used_bytes, 0xfffdu);
	return BS_OK;
}
