/*
 * dir.h: the directory of an index, opened: the one door to the files in it.
 *
 * An index may have come with an archive, or lie where others can write. So every file is opened
 * relative to a descriptor of the directory, never through a link, and is a plain file with one
 * name that belongs to whom the directory may belong to. A pipe or a device in the place of a file
 * is refused without waiting for it.
 *
 * It may also be an index in memory (memory.h): then its files are there, nothing is flushed, and
 * nobody else owns one.
 */
#pragma once

#include <sys/stat.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

struct bs_dir {
	struct bs_memory_index *memory; /* borrowed; NULL: it is a directory */
	int fd;                         /* O_PATH; -1 in memory */
	char *path;                     /* as it was named; for messages */
	/* the same, canonical; of one in memory, which lies in no folder, one where nothing else
	 * can lie */
	char *place;
	uid_t user;  /* the effective one */
	uid_t owner; /* of the directory: that user, root, or one that is trusted */
	dev_t device;
	ino_t inode;
	mode_t file_mode; /* of files to be created, before the umask: 0600 at first */
	const struct bs_consent *consent; /* nullable */
};

/* A path that was named is followed if it is a link; path NULL: the index in memory. The caller's
 * struct, for bs_dir_close; what it is handed to borrows it. BS_INVALID (neither or both),
 * BS_NOT_FOUND, BS_IO (no directory, too), BS_UNTRUSTED, BS_NO_MEMORY. */
enum bs_status bs_dir_open(struct bs_dir *dir, const char *path, struct bs_memory_index *memory,
                           const struct bs_consent *consent, struct bs_error *err) BS_WARN_UNUSED;
/* Zeros are fine if place is NULL. */
void bs_dir_close(struct bs_dir *dir);
/* Closes the descriptor alone: no file can be opened from then on. */
void bs_dir_close_descriptor(struct bs_dir *dir);

/* A file for reading. BS_NOT_FOUND, BS_IO, BS_CORRUPT (a link, a pipe, a file of several names),
 * BS_UNTRUSTED. */
enum bs_status bs_dir_open_file(const struct bs_dir *dir, const char *name, int *fd_out,
                                struct stat *found_out, struct bs_error *err) BS_WARN_UNUSED;
/* The lock, for reading and writing, created if it is not there. As above. */
enum bs_status bs_dir_open_lock(const struct bs_dir *dir, const char *name, int *fd_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* A new file, which must not exist. BS_IO. */
enum bs_status bs_dir_create_file(const struct bs_dir *dir, const char *name, int *fd_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* A new file without a name, gone when it is closed. BS_IO. */
enum bs_status bs_dir_create_nameless(const struct bs_dir *dir, mode_t mode, int *fd_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* An empty buffer will be in such a file (bs_buffer_use_file), unless it is in one or has memory
 * already. BS_IO. */
enum bs_status bs_dir_place(const struct bs_dir *dir, struct bs_buffer *buffer,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Moves a buffer that has more than most_bytes into such a file, if the directory is a folder.
 * BS_IO. */
enum bs_status bs_dir_spill(const struct bs_dir *dir, struct bs_buffer *buffer, uint64_t most_bytes,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Whether such files are on a disk: true unless this is an index in memory without a folder. */
bool bs_dir_has_folder(const struct bs_dir *dir);

/* Whether the name is taken, by whatever it is. */
bool bs_dir_has(const struct bs_dir *dir, const char *name);
/* Bytes of the file; 0 if there is none. */
uint64_t bs_dir_file_bytes(const struct bs_dir *dir, const char *name);
/* If it is there. Folders stay. */
void bs_dir_remove(const struct bs_dir *dir, const char *name);
enum bs_status bs_dir_rename(const struct bs_dir *dir, const char *from, const char *to,
                             struct bs_error *err) BS_WARN_UNUSED;
/* Its entries are on disk. BS_IO. */
enum bs_status bs_dir_flush(const struct bs_dir *dir, struct bs_error *err) BS_WARN_UNUSED;
/* Appends the names of its entries, each NUL-ended. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_dir_list(const struct bs_dir *dir, struct bs_buffer *names,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Sets what the directory and its files may be read by. BS_IO. A file that is not there is fine. */
enum bs_status bs_dir_set_file_mode(const struct bs_dir *dir, const char *name, mode_t mode,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_dir_set_mode(const struct bs_dir *dir, mode_t mode,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Whether what stands at path, relative to the folder that holds the directory, lies in that folder
 * whatever links lead there; also if nothing stands there. Nothing outside is looked at. */
bool bs_dir_is_beside(const struct bs_dir *dir, const char *path);
