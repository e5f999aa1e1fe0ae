/*
 * grep.h: searching files for lines that match a pattern. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_GREP_H
#define BITSIFT_GREP_H

#include "grep_request.h"

BS_BEGIN_DECLS

/*
 * Searches files, with an index or without: the answer is the same, but for what no_stat leaves
 * unseen. Nothing is believed that the index says of a source that is not followed: its files are
 * searched.
 *
 * BS_INVALID (a pattern, glob, type or cursor that makes no sense, neither write nor line),
 * BS_STOPPED (by a callback), BS_DEADLINE (of a search of results, and where it ended is_partial,
 * results is not called), BS_UNSUPPORTED (an encoding, a kernel), BS_NO_MEMORY, BS_IO; of the
 * index, without try_index, as bs_index_open. What a single file fails with is a notice. result_out
 * may be NULL. Any thread.
 */
BS_API enum bs_status bs_grep(const struct bs_grep_request *request,
                              struct bs_grep_result *result_out,
                              struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
