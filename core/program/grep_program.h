/* grep_program.h: bs_grep with the additions of the program. Private, see options.h. */
#pragma once

#include "core/bitsift/grep.h"
#include "core/program/options.h"

/* Like bs_grep, which passes NULL for program. */
enum bs_status bs_grep_for_program(const struct bs_grep_request *request,
                                   const struct bs_grep_program *program,
                                   struct bs_grep_result *result_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
