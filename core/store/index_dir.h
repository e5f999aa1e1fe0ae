/*
 * index_dir.h: the directory of an index: making it, the writer's lock, modes, and the removal of
 * files that no commit names. snapshot.h opens the files of a commit. The files are:
 *
 *      manifest      the last commit; replaced by rename
 *      lock          locked by the writer; contains the process id of the last writer
 *      seg-N, del-N  segments and tombstones; a number is never reused
 *      exc-N         exclusions: documents deleted by id, which a refresh must not add again
 *      summary-N, counts-N   the summary of the words and trigrams, and its counts (summary.h)
 *      folders       listings of the folders of the sources (folder_listings.h)
 *      condensed-N   in memory only: the condensed form of seg-N (bitsift/index_restore.h)
 *      .gitignore, CACHEDIR.TAG   make git and backup programs skip the index
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/doc_table.h"
#include "core/store/manifest.h"
#include "core/store/snapshot.h"

/* Creates the directory with mode 0700 if it does not exist, and its parents, as mkdir -p does.
 * *made_bytes_out is the length of the path of the first created directory; 0 if the directory
 * existed. BS_IO with the path; BS_NO_MEMORY. */
enum bs_status bs_index_create_dir(const char *dir, size_t *made_bytes_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Cleans up after a failed run that created the directory. The caller holds the lock and has called
 * bs_index_sweep_failed. Removes the directory and the parents created for it, unless it has a
 * commit or foreign files. */
void bs_index_remove_new(const struct bs_dir *dir, size_t made_bytes);

/* BS_UNTRUSTED if path is a symlink. For an index that was found, not named by the user: a symlink
 * may lead anywhere. */
enum bs_status bs_index_refuse_link(const char *path, struct bs_error *err) BS_WARN_UNUSED;

/* The number for a new file: greater than that of every file in the directory, and not less than
 * next_number of `old` (nullable). Numbers are not reused, because a reader of an old manifest
 * could open a file of a new one. */
uint64_t bs_index_next_number(const struct bs_dir *dir, const struct bs_manifest *old);

/* Total bytes of the files of the commit and of the file `folders`. */
uint64_t bs_index_bytes(const struct bs_dir *dir, const struct bs_manifest *manifest);

struct bs_index_lock {
	int fd;                         /* -1: not held, unless memory is set */
	struct bs_memory_index *memory; /* the index in memory whose lock is held; NULL: none */
};

#define BS_INDEX_LOCK "lock" /* name of the writer's lock */

/* Takes the lock `name`: BS_INDEX_LOCK, or another one for another purpose. It is an OS lock, which
 * ends with the process; an index in memory has a single lock instead. Without wait, BS_BUSY names
 * the process that holds it. With wait, waits until the deadline (BS_DEADLINE, BS_STOPPED).
 * BS_IO. */
enum bs_status bs_index_lock_take(const struct bs_dir *dir, const char *name, bool wait,
                                  struct bs_index_lock *lock_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Takes the writer's lock of an existing index. BS_NOT_FOUND if there is no index; then makes no
 * lock file. Sets dir->file_mode so that new files are as private as the manifest. */
enum bs_status bs_index_lock_existing(struct bs_dir *dir, bool wait, struct bs_index_lock *lock_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
static inline bool bs_index_lock_is_held(const struct bs_index_lock *lock)
{
	return lock->fd >= 0 || lock->memory;
}
void bs_index_lock_release(struct bs_index_lock *lock);

/* Removes the numbered and temporary files of an index that the manifest does not name (all if the
 * manifest is NULL). The caller holds the lock. Readers have their files mapped and are not
 * affected. */
void bs_index_sweep(const struct bs_dir *dir, const struct bs_manifest *manifest);
/* Cleans up after a failed run that started from the commit `old` (NULL: none), as bs_index_sweep
 * does. Removes nothing if the manifest cannot be read, or was replaced and only syncing the
 * directory failed: after a crash, either commit may then be the last. */
void bs_index_sweep_failed(const struct bs_dir *dir, const struct bs_manifest *old);

/* The group of new files in the directory. 0 for an index in memory. BS_IO. */
enum bs_status bs_index_group(const struct bs_dir *dir, uint64_t *group_out,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Sets the modes of the directory and its files: the group and others have the access that the
 * umask leaves them, without the bits of `denied` (0066: only the owner has access). New files get
 * the same mode. The caller holds the lock. BS_IO. */
enum bs_status bs_index_set_modes(struct bs_dir *dir, mode_t denied,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Writes a segment's tombstones (n_docs bits) to the file del-NUMBER. */
enum bs_status bs_tombstones_write(const struct bs_dir *dir, uint64_t number, const uint8_t *bits,
                                   uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
/* Writes exclusions to the file exc-NUMBER. Documents of folders must be in document order. */
enum bs_status bs_exclusions_write(const struct bs_dir *dir, uint64_t number,
                                   const struct bs_doc_table_builder *excluded,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Adds the segments of the snapshot to the manifest of the next commit. Drops a segment that lost
 * its last live document, and writes new tombstones for other segments whose number of deleted
 * documents has changed. *n_changed_out: the number of dropped and changed segments. */
enum bs_status bs_index_keep_segments(const struct bs_snapshot *snapshot,
                                      struct bs_manifest *manifest, uint32_t *n_changed_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
