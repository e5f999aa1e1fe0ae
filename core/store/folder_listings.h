/*
 * folder_listings.h: the file `folders` of an index: what the folders of its sources held when they
 * were last read, each under the fingerprint that it had then. Whoever walks a source again need
 * not read a folder whose fingerprint is still the same.
 *
 * The file is no part of a commit: each listing proves itself by its fingerprint, so that it may be
 * older or newer than the manifest, or missing. Bytes in FORMAT.md. Who takes listings, and when
 * one may be trusted: corpus/walk/walk.h.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/folder_listing.h"
#include "core/file/container.h"

/* Before any other use: whether the list decodes, to names in order that lead nowhere else. */
bool bs_folder_listing_is_valid(const struct bs_folder_listing *list);

/* Reading: any number of threads, a cursor each. */

struct bs_folders {
	struct bs_container *file;
	struct bs_section records;
};

/* Where a walk is: it asks for folders in the order in which it meets them, and each answer is
 * found from the last one on. Zeros at first; right in any order. */
struct bs_folder_cursor {
	uint64_t at;     /* of a record */
	uint64_t before; /* the one before that, unless at is 0 */
};

/* The caller's struct; release with bs_folders_close, also after a failure. BS_NOT_FOUND if there
 * is no such file. */
enum bs_status bs_folders_open(const struct bs_dir *dir, struct bs_folders *folders_out,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_folders_close(struct bs_folders *folders);

/* The valid list of a folder of a source; false if there is none for that fingerprint. path: below
 * the source, a slash at its end, or empty. Borrowed until close. */
bool bs_folders_find(const struct bs_folders *folders, struct bs_folder_cursor *cursor,
                     uint32_t source, const char *path, size_t path_bytes,
                     const uint64_t fingerprint[4], struct bs_folder_listing *list_out);

/* Every byte of it. BS_CORRUPT. */
enum bs_status bs_folders_check(const struct bs_folders *folders,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Appends the record of a folder; they must come in order: by source, then as a walk meets them.
 * BS_NO_MEMORY. */
enum bs_status bs_folders_add(struct bs_buffer *records, uint32_t source, const char *path,
                              size_t path_bytes, const uint64_t fingerprint[4],
                              const struct bs_folder_listing *list,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Appends all records of a source, as they are. BS_NO_MEMORY. */
enum bs_status bs_folders_copy(const struct bs_folders *folders, uint32_t source,
                               struct bs_buffer *records, struct bs_error *err) BS_WARN_UNUSED;
/* Replaces the file, unless it says just this already; without records there is none. BS_IO,
 * BS_NO_MEMORY. */
enum bs_status bs_folders_write(const struct bs_dir *dir, const struct bs_buffer *records,
                                struct bs_error *err) BS_WARN_UNUSED;
