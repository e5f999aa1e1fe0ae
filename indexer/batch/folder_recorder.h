/*
 * folder_recorder.h: records the folders that an index run walks, for the file `folders`
 * (core/store/folder_listings.h). The records of the previous run save reading unchanged folders.
 */
#pragma once

#include "core/store/folder_listings.h"
#include "corpus/walk/walk.h"

struct bs_folder_recorder {
	/* records of the previous run */
	struct bs_folders old;
	struct bs_folder_cursor cursor;
	/* new records, for bs_folders_write after all sources were walked */
	struct bs_buffer records;
	uint32_t source; /* number of the source being walked; set by the owner */
	bool is_kept;    /* the source's old records are kept; nothing new is recorded for it */
	/* folders not older than this are racy and are not recorded */
	int64_t racy_from_ns;
	struct bs_walk_listings lists; /* callbacks for the walk, which runs on one thread */
};

/* Opens the old records. If there are none, or they are damaged, all folders are read. The struct
 * must not move until deinit. */
void bs_folder_recorder_init(struct bs_folder_recorder *notes, const struct bs_dir *dir,
                             int64_t racy_from_ns);
/* Copies the old records of the current source. BS_NO_MEMORY. */
enum bs_status bs_folder_recorder_keep(struct bs_folder_recorder *notes,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* A zero-initialised struct is allowed. */
void bs_folder_recorder_deinit(struct bs_folder_recorder *notes);
