/*
 * grep_sort.h: the files of a source in another order: by times, or the other way round. As ripgrep
 * 13 has it, the entries of each folder are sorted, files and folders alike, a folder by its own
 * time: what lies below a folder stays together. The paths of the command line keep their order.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/grep/read/grep_source.h"

/* Whether the order is another than that in which sources give their files. */
bool bs_grep_sort_is_wanted(const struct bs_grep_files *files);

/* Takes the source over, which is closed with the new one, or after a failure; files is borrowed.
 * BS_NO_MEMORY. next fails with BS_UNSUPPORTED, too: a file system does not tell when a file was
 * created. */
enum bs_status bs_grep_sort_open(struct bs_grep_source *of, const struct bs_grep_files *files,
                                 struct bs_grep_source **source_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
