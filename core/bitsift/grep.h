/*
 * grep.h: searching files for lines that match a pattern. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_GREP_H
#define BITSIFT_GREP_H

#include "grep_request.h"

BS_BEGIN_DECLS

/*
 * Searches files, with or without an index. The answer is the same with and without an index,
 * except that a search with no_stat may miss changes of files. If a source is not followed (struct
 * bs_consent), the index rules out none of its files.
 *
 * BS_INVALID (an invalid pattern, glob, type or resume token, or neither callbacks.write nor
 * callbacks.line), BS_STOPPED (by a callback or the limits), BS_DEADLINE, BS_UNSUPPORTED (an
 * encoding, a kernel), BS_NO_MEMORY, BS_IO. If index.is_optional is not set, also fails as
 * bs_index_open. If a search is ended early, callbacks.results is not called. If a single file
 * cannot be read or searched, a notice reports it, and the search continues. result_out may be
 * NULL. The function may be called on any thread.
 */
BS_API enum bs_status bs_grep(const struct bs_grep_request *request,
                              struct bs_grep_result *result_out,
                              struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
