/*
 * grep_index.h: the files for grep, without those that the grams of an index rule out.
 *
 * By default the walk's files are checked with stat, and the index is used only for files that are
 * unchanged: the result is that of searching everything, whatever has changed. If the index is
 * trusted (no_stat), its list of candidates replaces the walk if the walk would follow the same
 * rules; otherwise a walk asks the index without stat.
 */
#pragma once

#include "core/file/dir.h"
#include "query/grep/grep_run.h"

/* True if some files may be left out: files without a match do not appear in the output, and the
 * searched text is the indexed text. */
bool bs_grep_can_filter(const struct bs_grep_request *request, enum bs_grep_coding coding);

/*
 * Opens the files of a search by the index in dir. search and dir are borrowed. A line about the
 * filter is appended to explained (nullable). BS_NOT_FOUND, BS_IO, BS_CORRUPT, BS_UNSUPPORTED: the
 * index cannot be used; the message names it. BS_NO_MEMORY.
 */
enum bs_status bs_grep_index_open(const struct bs_grep_search *search, const struct bs_dir *dir,
                                  struct bs_buffer *explained, struct bs_grep_source **source_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
