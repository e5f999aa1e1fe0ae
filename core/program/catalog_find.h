/* catalog_find.h: bs_catalog_find with what the program adds. Private, as options.h. */
#pragma once

#include "core/bitsift/catalog.h"
#include "core/program/options.h"

/* As bs_catalog_find, which is this with program NULL. */
enum bs_status bs_catalog_find_for_program(struct bs_catalog *catalog, const struct bs_catalog_find_request *request,
                                           const struct bs_find_program *program, struct bs_catalog_result *result_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
