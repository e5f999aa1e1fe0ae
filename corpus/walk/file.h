/*
 * file.h: opens a file by a path of any length, takes its fingerprint, reads it whole, and decodes
 * it to UTF-8.
 *
 * Files are read, never mapped, because a file may be truncated while it is mapped. For
 * corpus/ and query/grep/read; source.h has the functions for other modules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "corpus/walk/document.h"

/* A document, raw or as text, must be shorter than this. */
#define BS_FILE_LIMIT_BYTES (UINT64_C(1) << 32)

/* Like openat with O_CLOEXEC and O_NOCTTY added, also for paths longer than PATH_MAX. Returns -1
 * and sets errno like openat. */
int bs_file_open(int dir_fd, const char *path, int flags);

/* Makes later reads through fd leave the access time of the file unchanged, if the process owns the
 * file or is privileged. flags: the flags with which fd was opened. Indexing must not disturb `grep
 * --sort accessed`. */
void bs_file_keep_access_time(int fd, int flags);

/* Like fstatat without AT_SYMLINK_NOFOLLOW, for a path of any length. Returns -1 and sets errno
 * like fstatat. */
int bs_file_stat(int dir_fd, const char *path, struct stat *stat_out);

/*
 * Opens a file at a path of any length below the folder dir_fd. No component may be a symlink,
 * because a new symlink may lead out of the folder that the user named. Returns -1 and sets errno,
 * ELOOP for a symlink. bs_file_open_by_step is the implementation for kernels without openat2;
 * public for tests.
 */
int bs_file_open_below(int dir_fd, const char *path, int flags);
int bs_file_open_by_step(int dir_fd, const char *path, int flags);

/* The folder of the last lookup. It may stay open, so that its files are looked up by their last
 * component only. Zero-initialise; close it before dir_fd becomes another folder. */
struct bs_file_place {
	int fd;                /* -1: the folder is not open */
	struct bs_buffer path; /* below dir_fd, NUL-terminated; empty: there was no lookup */
};
void bs_file_place_close(struct bs_file_place *place);

/* Like bs_file_open_below, but faster if many files of the same folder are opened one after the
 * other: from the second file on, `place` holds the open folder. flags include neither O_PATH nor
 * O_CREAT. */
int bs_file_open_near(int dir_fd, const char *path, struct bs_file_place *place, int flags);

/* Like lstat, for a path below dir_fd; folders must not be symlinks. Errors: see
 * bs_file_open_below. */
int bs_file_stat_below(int dir_fd, const char *path, struct bs_file_place *place,
                       struct stat *stat_out);

/* Overwrites path with folder, a slash (unless folder ends in one) and name. It is NUL-terminated;
 * used_bytes does not count the NUL. BS_NO_MEMORY. */
enum bs_status bs_file_join(const char *folder, const void *name, size_t name_bytes,
                            struct bs_buffer *path, struct bs_error *err) BS_WARN_UNUSED;

/* Appends the relative path between two places that are given relative to one folder: "../x" from
 * sub to x, "b" from sub to sub/b, ".." from sub/deep to sub. from must not contain symlinks.
 * BS_NO_MEMORY. */
enum bs_status bs_file_relative_path(const char *from, const void *to, size_t to_bytes,
                                     struct bs_buffer *way, struct bs_error *err) BS_WARN_UNUSED;

/* The absolute path with symlinks resolved; the caller frees it. NULL if the file does not exist or
 * cannot be reached. BS_NO_MEMORY. */
enum bs_status bs_file_real_path(const char *path, char **real_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Makes the fingerprint of a file from the result of its stat. */
struct bs_fingerprint bs_file_fingerprint(const struct stat *found);

/* True if the errno means that no file has this name. Only then is a document removed. */
bool bs_file_is_gone(int error_number);

/* Converts an errno. BS_NOT_FOUND: no file has this name; BS_NO_MEMORY: a shortage of the process
 * or the machine (EMFILE, ENFILE, ENOMEM), which says nothing about the file; otherwise BS_IO. */
enum bs_status bs_file_status(int error_number);

/* Decides whether the beginning of a large file is enough. Called after each piece that is read,
 * except the last, with the fingerprint and all bytes so far. */
struct bs_file_head {
	bool (*is_enough)(void *context, const struct bs_fingerprint *fingerprint,
	                  const uint8_t *bytes, size_t n_bytes);
	void *context;
};

/*
 * Reads a regular file whole into bytes, which is overwritten. Below dir_fd no symlink is followed;
 * dir_fd AT_FDCWD: a path that the user named. A file that grows or shrinks meanwhile is read to
 * its end at that time. *fingerprint_out is taken before the first byte is read. refuse_binary: a
 * NUL byte in the first 64 KiB is a refusal, before the rest is read, unless the file begins with a
 * mark of UTF-16. A file over limit_bytes (below BS_FILE_LIMIT_BYTES) is a refusal; if its size is
 * known, only its head is read. Errors of the file are returned in *refusal_out; the function fails
 * only with BS_NO_MEMORY or at the deadline. head (nullable) may end the reading early; it is not
 * called for UTF-16.
 */
enum bs_status bs_file_load(int dir_fd, const char *path, bool refuse_binary, uint64_t limit_bytes,
                            const struct bs_file_head *head, struct bs_buffer *bytes,
                            struct bs_fingerprint *fingerprint_out, struct bs_refusal *refusal_out,
                            struct bs_error *err) BS_WARN_UNUSED;

/* The refusal of a binary file. nul_end: offset after its first NUL byte; 0: it is UTF-16. */
struct bs_refusal bs_file_refuse_binary(uint32_t nul_end);

/* True if the first 64 KiB contain a NUL byte. */
bool bs_file_is_binary(const uint8_t *bytes, size_t n_bytes);

/* True if the bytes begin with a byte order mark of UTF-16. */
bool bs_file_is_utf16(const uint8_t *bytes, size_t n_bytes);

/* Converts UTF-16 bytes (without byte order mark) to UTF-8, and overwrites text. An invalid unit
 * and an odd last byte become U+FFFD. BS_NO_MEMORY, and statuses of the deadline. */
enum bs_status bs_file_decode_utf16(const uint8_t *bytes, size_t n_bytes, bool big_endian,
                                    struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;
