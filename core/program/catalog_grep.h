/* catalog_grep.h: bs_catalog_grep with the additions of the program. Private, see options.h. */
#pragma once

#include "core/bitsift/catalog.h"
#include "core/program/options.h"

/* Like bs_catalog_grep, which passes NULL for program. Also fails with BS_INVALID if program->task
 * is not BS_GREP_AS_REQUESTED, because the other tasks need no index. */
enum bs_status bs_catalog_grep_for_program(struct bs_catalog *catalog,
                                           const struct bs_catalog_grep_request *request,
                                           const struct bs_grep_program *program,
                                           struct bs_catalog_grep_result *result_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
