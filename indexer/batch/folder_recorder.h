/*
 * folder_recorder.h: what an index run notes of the folders that it walks through, for the file
 * `folders` (core/store/folder_listings.h). What the run before noted spares this one the reading.
 */
#pragma once

#include "core/store/folder_listings.h"
#include "corpus/walk/walk.h"

struct bs_folder_recorder {
	struct bs_folders old;
	struct bs_folder_cursor cursor;
	/* for bs_folders_write, once all sources have been walked through */
	struct bs_buffer records;
	uint32_t source; /* the one being walked through; set by the owner */
	bool is_kept;    /* of that one nothing is noted: what was stays */
	int64_t racy_from_ns;
	struct bs_walk_listings lists; /* for the walk, which goes on in one thread */
};

/* Where nothing has been noted, or that is damaged, all is read. The struct must stay where it is
 * until deinit. */
void bs_folder_recorder_init(struct bs_folder_recorder *notes, const struct bs_dir *dir,
                             int64_t racy_from_ns);
/* What was noted of the source stays. BS_NO_MEMORY. */
enum bs_status bs_folder_recorder_keep(struct bs_folder_recorder *notes,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Zeros are fine. */
void bs_folder_recorder_deinit(struct bs_folder_recorder *notes);
