/* find_request.h: what can be said of a request for hits (struct bs_find_request of bitsift.h) without a finder. */
#ifndef BS_QUERY_SEARCH_FIND_REQUEST_H
#define BS_QUERY_SEARCH_FIND_REQUEST_H

#include "core/base/error.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/search.h"

/* BS_INVALID, BS_UNSUPPORTED: it makes no sense. */
enum bs_status bs_find_request_check(const struct bs_find_request *request, struct bs_error *err) BS_WARN_UNUSED;

/* How many of the best must be known for those to be shown. */
size_t bs_find_request_wanted(const struct bs_find_request *request);

/* What hits are to be like has no words: the query is all there is, which a notice says; if there is none, BS_INVALID. */
enum bs_status bs_find_learnt_nothing(const struct bs_find_request *request, struct bs_error *err) BS_WARN_UNUSED;

/* Tells a log, unless it is NULL, what came of it: slow ones, and those that were cut off, are warnings. */
void bs_find_request_log(const struct bs_log *log, const struct bs_find_request *request, const struct bs_find_result *result,
                         enum bs_status status, uint64_t elapsed_ns, const struct bs_error *err);

#endif
