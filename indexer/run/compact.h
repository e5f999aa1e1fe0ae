/*
 * compact.h: many small segments into fewer large ones, and deleted documents out of them.
 *
 * The live documents of the chosen segments are read again and made into new segments. A document
 * whose text is not, by checksum, what was indexed stays where it is, so that a compaction never
 * changes what a query finds; only scores move, since N, df and the mean length no longer count
 * what was deleted.
 */
#pragma once

#include <stdbool.h>

#include "core/base/error.h"
#include "core/bitsift/build.h"
#include "core/file/dir.h"

/* Does what is due (compact.c has the rule), as a commit of its own. is_all: everything that makes
 * the index smaller or the number of segments less. The lock is held. Adds to the report:
 * n_compacted, n_moved, n_stayed, compacted_bytes, and with is_all the sources that are not
 * followed. Errors as bs_index_build; the index is unchanged after them. */
enum bs_status bs_compact(const struct bs_build_request *request, const struct bs_dir *dir,
                          bool is_all, struct bs_build_report *report,
                          struct bs_error *err) BS_WARN_UNUSED;
