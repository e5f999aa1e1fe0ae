/*
 * away.h: missing sources: recorded sources that held documents, and now do not exist or are empty
 * folders, perhaps of unmounted file systems. A refresh keeps their documents. A run that reads
 * everything again keeps the documents whose texts are stored, and fails if there are others. This
 * file decides which sources are missing, and makes messages with the commands that resolve the
 * situation.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/snapshot.h"
#include "corpus/changes/recorded.h"

/* The index of a run. */
struct bs_away_index {
	const struct bs_dir *dir;
	/* NULL: the index is damaged, so that the documents of its sources are unknown */
	const struct bs_snapshot *snapshot;
	const struct bs_manifest *manifest; /* manifest of the last commit */
	/* the index was found, not named by the user: commands need not name it */
	bool is_located;
};

/*
 * Determines whether source `number` of the index is missing (enum bs_source_presence). `source`
 * names it; the caller has checked that it may be followed. BS_STANDING_THERE also if it held no
 * documents. why: the reason of GONE and UNREAD. BS_NO_MEMORY.
 */
enum bs_status bs_away_look(const struct bs_away_index *index, uint32_t number,
                            const struct bs_source *source, enum bs_source_presence *standing_out,
                            struct bs_error *why, struct bs_error *err) BS_WARN_UNUSED;

/* Appends a message about a missing source (GONE or EMPTY) whose documents stay: how to read it
 * again, and how to forget it. NUL-terminated. BS_NO_MEMORY. */
enum bs_status bs_away_tell(const struct bs_away_index *index, const struct bs_source *source,
                            enum bs_source_presence standing, struct bs_buffer *line,
                            struct bs_error *err) BS_WARN_UNUSED;

/* Fails a run that reads everything again, because a source is missing whose texts are not stored.
 * why: the reason of UNREAD. Returns BS_IO for UNREAD, otherwise BS_NOT_FOUND. */
enum bs_status bs_away_refuse(const struct bs_away_index *index, const struct bs_source *source,
                              enum bs_source_presence standing, const struct bs_error *why,
                              struct bs_error *err);
