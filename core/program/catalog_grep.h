/* catalog_grep.h: bs_catalog_grep with what the program adds. Private, as options.h. */
#pragma once

#include "core/bitsift/catalog.h"
#include "core/program/options.h"

/* As bs_catalog_grep, which is this with program NULL. BS_INVALID, too: a task of the program,
 * which no index is needed for. */
enum bs_status bs_catalog_grep_for_program(struct bs_catalog *catalog,
                                           const struct bs_catalog_grep_request *request,
                                           const struct bs_grep_program *program,
                                           struct bs_catalog_grep_result *result_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
