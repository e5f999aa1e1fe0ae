/* catalog_search.h: searches a catalog, with options that the command `bitsift query` needs and the
 * library does not offer (struct bs_search_program). Not installed. */
#pragma once

#include "core/bitsift/catalog.h"
#include "core/program/options.h"

/* The same as bs_catalog_search (bitsift/catalog.h), with a further argument `program`; NULL: no
 * additional options. */
enum bs_status bs_catalog_search_for_program(struct bs_catalog *catalog,
                                             const struct bs_catalog_search_request *request,
                                             const struct bs_search_program *program,
                                             struct bs_catalog_search_result *result_out,
                                             struct bs_error *err) BS_WARN_UNUSED;
