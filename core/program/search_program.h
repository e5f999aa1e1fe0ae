/* search_program.h: bs_search with the additions of the program. Private, see options.h. */
#pragma once

#include "core/bitsift/search.h"
#include "core/program/options.h"

/* Like bs_search, which passes NULL for program. */
enum bs_status bs_search_for_program(struct bs_searcher *searcher,
                                     const struct bs_search_request *request,
                                     const struct bs_search_program *program,
                                     struct bs_search_result *result_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
