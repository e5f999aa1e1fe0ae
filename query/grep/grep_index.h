/*
 * grep_index.h: the source of the files for grep, without the files that the grams of an index rule
 * out.
 *
 * By default a file is ruled out only if a stat shows that it is unchanged, so the result is always
 * that of searching every file. If the index is trusted (no_stat), there is no stat. A list from
 * the index then replaces the walk if both have the same files; otherwise the index is asked about
 * each file of the walk.
 */
#pragma once

#include "core/file/dir.h"
#include "query/grep/grep_run.h"

/* What the output contains about files without a match, and whether an index can supply it. */
enum bs_grep_known_want {
	BS_KNOWN_NOTHING, /* nothing */
	BS_KNOWN_SUMS,    /* sums (--json, --stats) that count these files and their bytes */
	BS_KNOWN_EACH,    /* a line for each of these files; an index can supply the content */
	BS_KNOWN_TEXT,    /* more than an index knows: these files must be read */
};
/* Determines from the request what the output contains about files without a match. has_sums: the
 * program asks for sums (struct bs_grep_program). */
enum bs_grep_known_want bs_grep_known_want(const struct bs_grep_request *request, bool has_sums,
                                           enum bs_grep_coding coding);

/* True if an index may rule files out: there are patterns, is_brute is not set, the index can
 * supply what the output contains about files without a match, and the searched text is the text
 * that was indexed. An index is used to list files (BS_GREP_LIST_FILES) only if it is trusted
 * (no_stat). */
bool bs_grep_can_filter(const struct bs_grep_request *request, bool has_sums,
                        enum bs_grep_coding coding);

/*
 * Opens the source of the files of a search: those that the index in dir does not rule out. search
 * and dir are borrowed. A line about the filter is appended to explained (nullable). BS_NOT_FOUND,
 * BS_IO, BS_CORRUPT, BS_UNSUPPORTED: the index cannot be used; the message names it. BS_NO_MEMORY.
 */
enum bs_status bs_grep_index_open(const struct bs_grep_search *search, const struct bs_dir *dir,
                                  struct bs_buffer *explained, struct bs_grep_source **source_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
