/* search_program.h: searches an index, with options that the command `bitsift query` and the Python
 * module need and the library does not offer (struct bs_search_program). Not installed. */
#pragma once

#include "core/bitsift/search.h"
#include "core/program/options.h"

/* The same as bs_search (bitsift/search.h), with a further argument `program`; NULL: no additional
 * options. */
enum bs_status bs_search_for_program(struct bs_searcher *searcher,
                                     const struct bs_search_request *request,
                                     const struct bs_search_program *program,
                                     struct bs_search_result *result_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
