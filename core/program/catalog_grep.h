/* catalog_grep.h: searches the files of the indexes of a catalog, with options that the command
 * `bitsift grep` needs and the library does not offer (struct bs_grep_program). Not installed. */
#pragma once

#include "core/bitsift/catalog.h"
#include "core/program/options.h"

/* The same as bs_catalog_grep (bitsift/catalog.h), with a further argument `program`; NULL: no
 * additional options. Also fails with BS_INVALID if program->task is not BS_GREP_AS_REQUESTED,
 * because the other tasks need no index. */
enum bs_status bs_catalog_grep_for_program(struct bs_catalog *catalog,
                                           const struct bs_catalog_grep_request *request,
                                           const struct bs_grep_program *program,
                                           struct bs_catalog_grep_result *result_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
