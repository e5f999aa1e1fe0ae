/*
 * compact.h: merges small segments into fewer large ones, and removes deleted documents.
 *
 * The live documents of the chosen segments are read again and written to new segments. If a
 * document's text no longer has the indexed checksum, it stays in its segment, so that a compaction
 * never changes the results of a query. Scores do change, because the number of documents, the dfs
 * and the mean length no longer count deleted documents.
 */
#pragma once

#include <stdbool.h>

#include "core/base/error.h"
#include "core/bitsift/build.h"
#include "core/file/dir.h"

/* Merges the segments that are due (see compact.c for the rule), as a commit of its own. is_all:
 * merges all segments where this reduces the size of the index or the number of segments. The
 * caller holds the lock. Adds to the report: n_compacted, n_moved, n_stayed, compacted_bytes,
 * is_committed, and with is_all n_unread and the sources that may not be followed. Errors: see
 * bs_index_build; they leave the index unchanged. */
enum bs_status bs_compact(const struct bs_build_request *request, const struct bs_dir *dir,
                          bool is_all, struct bs_build_report *report,
                          struct bs_error *err) BS_WARN_UNUSED;
