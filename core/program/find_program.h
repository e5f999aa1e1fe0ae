/* find_program.h: bs_find with what the program adds. Private, as options.h. */
#pragma once

#include "core/bitsift/search.h"
#include "core/program/options.h"

/* As bs_find, which is this with program NULL. */
enum bs_status bs_find_for_program(struct bs_finder *finder, const struct bs_find_request *request,
                                   const struct bs_find_program *program, struct bs_find_result *result_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
