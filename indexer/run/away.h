/*
 * away.h: recorded sources that held documents and are not there: gone, or an empty folder, as if
 * its file system were not mounted. A refresh keeps their documents; a run that reads everything
 * again keeps those whose text is stored, and is refused while there are others. Here: which
 * sources these are, and what is said of them, with the commands that change it.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/snapshot.h"
#include "corpus/changes/recorded.h"

/* The index that a run is about. */
struct bs_away_index {
	const struct bs_dir *dir;
	/* NULL: it is damaged, so that what its sources held is not known */
	const struct bs_snapshot *snapshot;
	const struct bs_manifest *manifest; /* of its last commit */
	bool is_located;                    /* nobody named it: commands need not either */
};

/*
 * What stands where source `number` of the index was, which is followed and openable as `source`:
 * BS_STANDING_THERE if it held no documents. why: the reason of GONE and UNREAD. BS_NO_MEMORY.
 */
enum bs_status bs_away_look(const struct bs_away_index *index, uint32_t number,
                            const struct bs_source *source, enum bs_standing *standing_out,
                            struct bs_error *why, struct bs_error *err) BS_WARN_UNUSED;

/* Appends the line about a source that is GONE or EMPTY and whose documents stay: how to read it
 * anew, and how to forget it; NUL-ended. BS_NO_MEMORY. */
enum bs_status bs_away_tell(const struct bs_away_index *index, const struct bs_source *source,
                            enum bs_standing standing, struct bs_buffer *line,
                            struct bs_error *err) BS_WARN_UNUSED;

/* Everything is to be read again, and nothing else has the text of this source, which is not THERE.
 * why as above, of UNREAD. Returns BS_NOT_FOUND, or BS_IO if it is UNREAD. */
enum bs_status bs_away_refuse(const struct bs_away_index *index, const struct bs_source *source,
                              enum bs_standing standing, const struct bs_error *why,
                              struct bs_error *err);
