/*
 * file.h: one file from the file system: opened by a path of any length, stamped, read whole, its
 * text as UTF-8.
 *
 * Files are read, never mapped: a file may be truncated while it is looked at. For the files of
 * corpus/ only; what others need of it stands in source.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "corpus/walk/document.h"

/* A document's bytes, raw or as text, stay below this. */
#define BS_FILE_LIMIT_BYTES (UINT64_C(1) << 32)

/* openat with O_CLOEXEC and O_NOCTTY added, for a path longer than PATH_MAX too. -1 and errno as
 * openat. */
int bs_file_open(int dir_fd, const char *path, int flags);

/* fstatat (links are followed) for a path of any length. -1 and errno as fstatat. */
int bs_file_stat(int dir_fd, const char *path, struct stat *stat_out);

/*
 * What stands at path below the folder dir_fd, for a path of any length, if no part of it is a
 * symbolic link: what became one may lead out of what its owner named. -1 and errno, ELOOP for a
 * link. _by_step is what _below does where the kernel has no openat2; for tests, too.
 */
int bs_file_open_below(int dir_fd, const char *path, int flags);
int bs_file_open_by_step(int dir_fd, const char *path, int flags);

/* A folder that stays open from one look to the next: neighbours are looked up by their last
 * component alone. Zero-initialise; to be closed when dir_fd becomes another folder. */
struct bs_file_place {
	int fd;
	struct bs_buffer path; /* below dir_fd, NUL-ended; empty: none is open */
};
void bs_file_place_close(struct bs_file_place *place);

/* The state of what stands at path below dir_fd, of a link its own; else as bs_file_open_below. */
int bs_file_stat_below(int dir_fd, const char *path, struct bs_file_place *place,
                       struct stat *stat_out);

/* Overwrites path with folder, a slash unless that ends in one, and name, NUL-ended; the NUL is not
 * counted. BS_NO_MEMORY. */
enum bs_status bs_file_join(const char *folder, const void *name, size_t name_bytes,
                            struct bs_buffer *path, struct bs_error *err) BS_WARN_UNUSED;

/* Appends the way between two places that are named from one folder: "../x" from sub to x, "b" from
 * sub to sub/b, ".." from sub/deep to sub. No link may be in from. BS_NO_MEMORY. */
enum bs_status bs_file_way(const char *from, const void *to, size_t to_bytes, struct bs_buffer *way,
                           struct bs_error *err) BS_WARN_UNUSED;

/* The absolute path without a link in it, to be freed; NULL if there is none, or no way to it.
 * BS_NO_MEMORY. */
enum bs_status bs_file_real_path(const char *path, char **real_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* The fingerprint of a file that has been stat'ed. */
struct bs_fingerprint bs_file_fingerprint(const struct stat *found);

/* Whether the errno means that nothing is there by that name: the only one by which a document may
 * go. */
bool bs_file_is_gone(int error_number);

/* BS_NOT_FOUND if the errno means that nothing is there by that name, BS_NO_MEMORY if it says
 * nothing of the file but that the process or the machine has no more of something, else BS_IO. */
enum bs_status bs_file_status(int error_number);

/* Whoever may need no more than the beginning of a large file: asked after each piece that is read,
 * with the fingerprint and all that was read so far, but not about the whole. */
struct bs_file_head {
	bool (*is_enough)(void *context, const struct bs_fingerprint *fingerprint,
	                  const uint8_t *bytes, size_t n_bytes);
	void *context;
};

/*
 * Reads the regular file at path whole into bytes, which is overwritten; below dir_fd without
 * following a link, or, if that is AT_FDCWD, as its user named it. A file that grows or shrinks
 * meanwhile is read as far as it goes. fingerprint_out is taken before the first byte is read. With
 * refuse_binary a NUL byte in the first 64 KiB is a refusal, before the rest is read, unless the
 * file begins as UTF-16 does; so are more than limit_bytes (below BS_FILE_LIMIT_BYTES), of which no
 * more than the head is read where the size is known. Whatever is wrong with the file goes to
 * refusal_out; fails only with BS_NO_MEMORY. head (nullable) may end it early; it is not asked
 * about UTF-16.
 */
enum bs_status bs_file_load(int dir_fd, const char *path, bool refuse_binary, uint64_t limit_bytes,
                            const struct bs_file_head *head, struct bs_buffer *bytes,
                            struct bs_fingerprint *fingerprint_out, struct bs_refusal *refusal_out,
                            struct bs_error *err) BS_WARN_UNUSED;

/* A byte that text does not have, among the first 64 KiB. */
bool bs_file_is_binary(const uint8_t *bytes, size_t n_bytes);

/* A byte order mark of UTF-16, either endianness. */
bool bs_file_is_utf16(const uint8_t *bytes, size_t n_bytes);

/* Overwrites text with the UTF-8 of UTF-16 without a byte order mark; a unit that is no character,
 * and an odd last byte, becomes U+FFFD. BS_NO_MEMORY; ends with the deadline. */
enum bs_status bs_file_decode_utf16(const uint8_t *bytes, size_t n_bytes, bool big_endian,
                                    struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;
