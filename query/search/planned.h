/* planned.h: makes the plan of a request for purposes other than finding documents. */
#pragma once

#include "query/search/searcher.h"

/* Calls use with the plan of a request and the scratch memory for scanning; nothing is searched.
 * Members of the request that are about hits are ignored. *error_byte_out (nullable) is set if the
 * result is BS_INVALID. Fails as bs_search. */
enum bs_status bs_searcher_plan(struct bs_searcher *searcher,
                                const struct bs_search_request *request,
                                enum bs_status (*use)(void *context, const struct bs_plan *plan,
                                                      struct bs_scan *scan, struct bs_error *err),
                                void *context, size_t *error_byte_out,
                                struct bs_error *err) BS_WARN_UNUSED;
