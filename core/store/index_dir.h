/*
 * index_dir.h: an index is a directory. This file owns what lies in it besides the bytes of each
 * file: names, the writer's lock, and the removal of files that no commit names. snapshot.h opens
 * what a commit names.
 *
 *      manifest      the last commit; replaced by rename
 *      lock          held by the one writer, with its process number inside
 *      seg-N, del-N  segments and tombstones; a number is used once
 *      exc-N         exclusions: what was deleted by id, and is not to come back with the next
 *        refresh
 *      .gitignore, CACHEDIR.TAG   for others, who may pass the index over
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/doc_table.h"
#include "core/store/manifest.h"
#include "core/store/snapshot.h"

/* Creates the directory, for its owner alone, if it is not there, and the folders above it, as
 * mkdir -p does. *made_bytes_out: the length of the path of the first one that was made; 0: the
 * directory was there. BS_IO names it; BS_NO_MEMORY. */
enum bs_status bs_index_create_dir(const char *dir, size_t *made_bytes_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Of a run that made the directory and failed, was swept up after, and holds the lock: the
 * directory and the folders that were made for it go, unless there is a commit in it or something
 * of somebody else. */
void bs_index_remove_new(const struct bs_dir *dir, size_t made_bytes);

/* BS_UNTRUSTED if a directory that nobody named, found at path, is a symbolic link: it may lead
 * anywhere. */
enum bs_status bs_index_refuse_link(const char *path, struct bs_error *err) BS_WARN_UNUSED;

/* A number for a new file: greater than that of every file in DIR, and not less than the one that
 * old (nullable) recorded. Numbers are not used again, lest a reader of an old manifest open a file
 * of a new one. */
uint64_t bs_index_next_number(const struct bs_dir *dir, const struct bs_manifest *old);

/* Of all the files that the commit names, and of folders. */
uint64_t bs_index_bytes(const struct bs_dir *dir, const struct bs_manifest *manifest);

struct bs_index_lock {
	int fd;                         /* -1: not held, */
	struct bs_memory_index *memory; /* unless this is the index in memory whose lock it is */
};

#define BS_INDEX_LOCK "lock" /* the name of the writer's */

/* An OS lock, gone when the process is: the writer's, or one of another name, for which other users
 * of the directory wait. BS_BUSY names the holder's process, unless wait is true: then it waits, as
 * long as the deadline allows (BS_DEADLINE, BS_STOPPED). */
enum bs_status bs_index_lock_take(const struct bs_dir *dir, const char *name, bool wait,
                                  struct bs_index_lock *lock_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The same for an index that must be there: BS_NOT_FOUND leaves no lock file where there is none.
 * What is then created is as private as the manifest. */
enum bs_status bs_index_lock_existing(struct bs_dir *dir, bool wait, struct bs_index_lock *lock_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
static inline bool bs_index_lock_is_held(const struct bs_index_lock *lock)
{
	return lock->fd >= 0 || lock->memory;
}
void bs_index_lock_release(struct bs_index_lock *lock);

/* Removes segments, tombstones and temporary files that manifest does not name (all of them if it
 * is NULL). Only with the lock held. Readers have their files mapped and are not disturbed. */
void bs_index_sweep(const struct bs_dir *dir, const struct bs_manifest *manifest);
/* After a failed run upon the commit old (NULL: none): the same, unless the manifest was replaced
 * after all, and only flushing it failed. Then nothing goes: after a crash either commit may be the
 * last. */
void bs_index_sweep_failed(const struct bs_dir *dir, const struct bs_manifest *old);

/* Makes the directory and what is in it readable for others, as far as the umask has it, or for the
 * owner alone; so will be what is created from now on. Only with the lock held. BS_IO. */
enum bs_status bs_index_set_modes(struct bs_dir *dir, bool is_shared,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Writes a segment's tombstones (n_docs bits) as file del-NUMBER. */
enum bs_status bs_tombstones_write(const struct bs_dir *dir, uint64_t number, const uint8_t *bits,
                                   uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
/* Writes exclusions as file exc-NUMBER; documents of folders must be in document order. */
enum bs_status bs_exclusions_write(const struct bs_dir *dir, uint64_t number,
                                   const struct bs_doc_table_builder *excluded,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Adds the segments of the snapshot to the manifest of the next commit: without those that have no
 * live document left, and with new tombstones, written here, for those that were marked.
 * *n_changed_out: how many are not as they were. */
enum bs_status bs_index_keep_segments(const struct bs_snapshot *snapshot,
                                      struct bs_manifest *manifest, uint32_t *n_changed_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
