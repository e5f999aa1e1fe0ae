/*
 * index_dir.h: an index is a directory. This file owns what lies in it besides the bytes of each file: names, the
 * writer's lock, a reader's snapshot, and the removal of files that no commit names.
 *
 *      manifest      the last commit; replaced by rename
 *      lock          held by the one writer, with its process number inside
 *      seg-N, del-N  segments and tombstones; a number is used once
 */
#ifndef BS_CORE_INDEX_DIR_H
#define BS_CORE_INDEX_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/manifest.h"
#include "core/segment.h"
#include "core/status.h"

/* Creates the directory if it is not there (its parent must be). BS_IO names it. */
enum bs_status bs_index_create_dir(const char *dir, struct bs_error *err) BS_WARN_UNUSED;

/* DIR/PREFIX-NUMBER, to be freed by the caller; NULL when out of memory. prefix: "seg" or "del". */
char *bs_index_file_path(const char *dir, const char *prefix, uint64_t number);

/* One more than the largest number that a file in DIR bears; at least 1. */
uint64_t bs_index_next_number(const char *dir);

/* ---- the writer's lock ---- */

struct bs_index_lock {
	int fd; /* -1: not held */
};

/* An OS lock, gone when the process is. BS_BUSY names the holder's process, unless wait is true: then it waits. */
enum bs_status bs_index_lock_take(const char *dir, bool wait, struct bs_index_lock *lock_out, struct bs_error *err)
	BS_WARN_UNUSED;
void bs_index_lock_release(struct bs_index_lock *lock);

/* Removes segments, tombstones and temporary files that manifest does not name (all of them if it is NULL). Only with
 * the lock held. Readers have their files mapped and are not disturbed. */
void bs_index_sweep(const char *dir, const struct bs_manifest *manifest);

/* ---- a reader's snapshot: immutable, shared by any number of threads ---- */

struct bs_snapshot {
	char *dir;
	struct bs_manifest manifest;
	struct bs_segment *segments;        /* manifest.n_segments */
	struct bs_container **tombstone_files;   /* one a segment, NULL: none deleted */
	const uint8_t **tombstones;         /* bit d of byte d / 8: document d is deleted; NULL: none */
	uint64_t n_docs;                    /* with deleted ones, as scores count them */
	uint64_t n_live_docs;
	uint64_t n_positions;
};

/* Opens the last commit. The caller's struct; release with bs_snapshot_deinit. BS_NOT_FOUND: no index there. */
enum bs_status bs_snapshot_open(const char *dir, struct bs_snapshot *snapshot_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_snapshot_deinit(struct bs_snapshot *snapshot);

static inline bool bs_snapshot_is_deleted(const struct bs_snapshot *snapshot, uint32_t segment, uint32_t document)
{
	const uint8_t *bits = snapshot->tombstones[segment];
	return bits && (bits[document / 8] >> (document % 8) & 1);
}

/* Writes a segment's tombstones (n_docs bits) as file del-NUMBER. */
enum bs_status bs_tombstones_write(const char *dir, uint64_t number, const uint8_t *bits, uint64_t n_docs,
                                   struct bs_error *err) BS_WARN_UNUSED;

#endif
