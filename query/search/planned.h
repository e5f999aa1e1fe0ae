/* planned.h: makes the plan of a request that is not executed, such as one to be estimated. */
#pragma once

#include "query/search/searcher.h"

/* Calls `use` with the plan of a request and with scratch memory for scanning. Searches only for
 * feedback terms, if the request wants any. Ignores the members of the request that concern hits.
 * *error_byte_out (nullable): set for BS_INVALID. Fails like bs_search. */
enum bs_status bs_searcher_plan(struct bs_searcher *searcher,
                                const struct bs_search_request *request,
                                enum bs_status (*use)(void *context, const struct bs_plan *plan,
                                                      struct bs_scan *scan, struct bs_error *err),
                                void *context, size_t *error_byte_out,
                                struct bs_error *err) BS_WARN_UNUSED;
