/*
 * grep_sort.h: the files of a source in another order: by time, or reversed. As in ripgrep 15,
 * there is one order for the files of all paths of the command line. Files with equal times keep
 * the order of the source. Files without a time come last, or first if the order is reversed.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/grep/read/grep_source.h"

/* True if `files` asks for an order other than that of sources. */
bool bs_grep_sort_is_wanted(const struct bs_grep_files *files);

/* Opens a source that returns the files of `of`, another source, in the order that `files` asks
 * for. Takes ownership of `of`, which is closed with the new source or after a failure. `files` is
 * borrowed. BS_NO_MEMORY. */
enum bs_status bs_grep_sort_open(struct bs_grep_source *of, const struct bs_grep_files *files,
                                 struct bs_grep_source **source_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
