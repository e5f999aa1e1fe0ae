/* catalog_search.h: bs_catalog_search with the additions of the program. Private, see options.h. */
#pragma once

#include "core/bitsift/catalog.h"
#include "core/program/options.h"

/* Like bs_catalog_search, which passes NULL for program. */
enum bs_status bs_catalog_search_for_program(struct bs_catalog *catalog,
                                             const struct bs_catalog_search_request *request,
                                             const struct bs_search_program *program,
                                             struct bs_catalog_search_result *result_out,
                                             struct bs_error *err) BS_WARN_UNUSED;
