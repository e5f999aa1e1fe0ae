/* grep_program.h: searches files, with options that the command `bitsift grep` needs and the
 * library does not offer (struct bs_grep_program). Not installed. */
#pragma once

#include "core/bitsift/grep.h"
#include "core/program/options.h"

/* The same as bs_grep (bitsift/grep.h), with a further argument `program`; NULL: no additional
 * options. */
enum bs_status bs_grep_for_program(const struct bs_grep_request *request,
                                   const struct bs_grep_program *program,
                                   struct bs_grep_result *result_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
