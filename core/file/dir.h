/*
 * dir.h: the open directory of an index. All files of an index are opened through it.
 *
 * An index may come from an archive, or be in a place where others can write. Therefore every file
 * is opened relative to the directory's descriptor, symlinks are refused, and a file must be a
 * regular file with at most one hard link. Its owner must be trusted: the user, root, the owner of
 * the directory, or one that struct bs_consent allows. A pipe or a device in place of a file is
 * refused without blocking.
 *
 * The directory may also be an in-memory index (memory.h). Nothing of it is flushed to disk, and it
 * has no other owners.
 */
#pragma once

#include <sys/stat.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

struct bs_dir {
	struct bs_memory_index *memory; /* borrowed; NULL for a directory */
	int fd;                         /* opened with O_PATH; -1: closed, or an in-memory index */
	char *path;                     /* as the caller wrote it, for messages */
	/* The canonical path. For an in-memory index, a path that cannot exist. */
	char *place;
	uid_t user;   /* the effective user */
	uid_t owner;  /* owner of the directory: the effective user, root, or a trusted user */
	dev_t device; /* of the directory */
	ino_t inode;  /* of the directory */
	/* permissions of new files, before the umask; bs_dir_open sets 0600 */
	mode_t file_mode;
	const struct bs_consent *consent; /* nullable */
};

/* Opens the directory `path`, following symlinks, or the in-memory index `memory`; the other
 * argument is NULL. The caller owns the struct and calls bs_dir_close; objects that receive the
 * struct borrow it. BS_INVALID (neither or both), BS_NOT_FOUND, BS_IO (also if path is not a
 * directory), BS_UNTRUSTED, BS_UNSUPPORTED (a reserved field of `consent` is not zero),
 * BS_NO_MEMORY. */
enum bs_status bs_dir_open(struct bs_dir *dir, const char *path, struct bs_memory_index *memory,
                           const struct bs_consent *consent, struct bs_error *err) BS_WARN_UNUSED;
/* A zero-initialised struct is allowed. */
void bs_dir_close(struct bs_dir *dir);
/* Closes the descriptor; after that no file can be opened. */
void bs_dir_close_descriptor(struct bs_dir *dir);

/* Opens a file for reading. BS_NOT_FOUND, BS_IO, BS_CORRUPT (a symlink, a pipe, a file with several
 * hard links), BS_UNTRUSTED. */
enum bs_status bs_dir_open_file(const struct bs_dir *dir, const char *name, int *fd_out,
                                struct stat *found_out, struct bs_error *err) BS_WARN_UNUSED;
/* Opens the lock file for reading and writing; creates it if it is missing. Fails like
 * bs_dir_open_file. */
enum bs_status bs_dir_open_lock(const struct bs_dir *dir, const char *name, int *fd_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Creates a file, which must not exist. BS_IO; in an in-memory index also BS_NO_MEMORY. */
enum bs_status bs_dir_create_file(const struct bs_dir *dir, const char *name, int *fd_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Creates a file without a name, which is removed when it is closed. BS_IO. */
enum bs_status bs_dir_create_nameless(const struct bs_dir *dir, mode_t mode, int *fd_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Makes an empty buffer keep its bytes in a nameless file (bs_buffer_use_file). Does nothing if the
 * buffer already has memory or a file. BS_IO. */
enum bs_status bs_dir_place(const struct bs_dir *dir, struct bs_buffer *buffer,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Moves the bytes of a buffer into a nameless file if they are more than most_bytes and
 * bs_dir_has_folder is true. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_dir_spill(const struct bs_dir *dir, struct bs_buffer *buffer, uint64_t most_bytes,
                            struct bs_error *err) BS_WARN_UNUSED;
/* True if nameless files are on disk; false for an in-memory index without a folder. */
bool bs_dir_has_folder(const struct bs_dir *dir);

/* True if the directory has an entry of this name, of any type, or if this cannot be determined. */
bool bs_dir_has(const struct bs_dir *dir, const char *name);
/* The size of the file; 0 if it is missing. */
uint64_t bs_dir_file_bytes(const struct bs_dir *dir, const char *name);
/* Removes the file if it exists. Never removes folders. */
void bs_dir_remove(const struct bs_dir *dir, const char *name);
enum bs_status bs_dir_rename(const struct bs_dir *dir, const char *from, const char *to,
                             struct bs_error *err) BS_WARN_UNUSED;
/* Writes the directory's entries to disk (fsync). BS_IO. */
enum bs_status bs_dir_flush(const struct bs_dir *dir, struct bs_error *err) BS_WARN_UNUSED;
/* Appends the names of all entries, each NUL-terminated. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_dir_list(const struct bs_dir *dir, struct bs_buffer *names,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Set the permission bits of a file and of the directory. Ignored: the error EPERM, and names that
 * are missing, not regular files, or have several hard links. BS_IO; for a file also BS_CORRUPT and
 * BS_UNTRUSTED. */
enum bs_status bs_dir_set_file_mode(const struct bs_dir *dir, const char *name, mode_t mode,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_dir_set_mode(const struct bs_dir *dir, mode_t mode,
                               struct bs_error *err) BS_WARN_UNUSED;

/* True if `path`, relative to the parent folder of the directory, is inside that folder after
 * symlinks are resolved, or does not exist. Also true if the path cannot be checked because of an
 * error that reading the path will report (EACCES, EIO, ESTALE). False for an in-memory index.
 * Nothing outside the parent folder is accessed if openat2 decides. */
bool bs_dir_parent_contains(const struct bs_dir *dir, const char *path);
