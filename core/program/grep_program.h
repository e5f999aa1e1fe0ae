/* grep_program.h: bs_grep with what the program adds. Private, as options.h. */
#pragma once

#include "core/bitsift/grep.h"
#include "core/program/options.h"

/* As bs_grep, which is this with program NULL. */
enum bs_status bs_grep_for_program(const struct bs_grep_request *request,
                                   const struct bs_grep_program *program,
                                   struct bs_grep_result *result_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
