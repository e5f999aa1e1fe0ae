/*
 * folder_listings.h: the file `folders` of an index: the entries of each folder of its sources when
 * it was last read, with the fingerprint of the folder at that time. A walk does not read a folder
 * again if its fingerprint is unchanged.
 *
 * The file is not part of a commit. Each listing is validated by its fingerprint, so the file may
 * be older or newer than the manifest, or missing. Format: FORMAT.md. corpus/walk/walk.h has
 * the rules for recording and trusting listings.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/folder_listing.h"
#include "core/file/container.h"

/* Whether a list from a file decodes to names in order, none of which leads out of the folder. Must
 * be called before any other use of the list. */
bool bs_folder_listing_is_valid(const struct bs_folder_listing *list);

/* Reading. Any number of threads, each with its own cursor. */

struct bs_folders {
	struct bs_container *file;
	struct bs_section records;
};

/* The position of a walk in the file. A walk looks up folders in the order of the file, so each
 * search starts at the previous result. Look-ups in any other order are only slower.
 * Zero-initialise. */
struct bs_folder_cursor {
	uint64_t at;     /* offset of a record */
	uint64_t before; /* offset of the previous record, unless at is 0 */
};

/* Opens the file into the caller's struct. Release with bs_folders_close, also after a failure.
 * BS_NOT_FOUND if the file does not exist; other failures as bs_container_open. */
enum bs_status bs_folders_open(const struct bs_dir *dir, struct bs_folders *folders_out,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_folders_close(struct bs_folders *folders);

/* Finds the valid list of a folder of a source; false if there is none with this fingerprint. path
 * is relative to the source and ends in a slash, or is empty. The list is borrowed until
 * bs_folders_close. */
bool bs_folders_find(const struct bs_folders *folders, struct bs_folder_cursor *cursor,
                     uint32_t source, const char *path, size_t path_bytes,
                     const uint64_t fingerprint[4], struct bs_folder_listing *list_out);

/* Checks the whole file. BS_CORRUPT. */
enum bs_status bs_folders_check(const struct bs_folders *folders,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Appends the record of a folder. Records must be added in order: by source, then in the order of
 * the walk. BS_NO_MEMORY. */
enum bs_status bs_folders_add(struct bs_buffer *records, uint32_t source, const char *path,
                              size_t path_bytes, const uint64_t fingerprint[4],
                              const struct bs_folder_listing *list,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Appends the valid records of a source unchanged. BS_NO_MEMORY. */
enum bs_status bs_folders_copy(const struct bs_folders *folders, uint32_t source,
                               struct bs_buffer *records, struct bs_error *err) BS_WARN_UNUSED;
/* Replaces the file, unless its contents are equal. Removes it if there are no records. BS_IO,
 * BS_NO_MEMORY. */
enum bs_status bs_folders_write(const struct bs_dir *dir, const struct bs_buffer *records,
                                struct bs_error *err) BS_WARN_UNUSED;
