/* present_left_out.h: what a run or an index left out, in a few words. */
#ifndef BS_QUERY_PRESENT_PRESENT_LEFT_OUT_H
#define BS_QUERY_PRESENT_PRESENT_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/bitsift/skip.h"

/* Prints `before` and what was left out, on one line without its end: "130 binary files (40 png, 30
 * jpg, 60 other), 20 hidden files". False: nothing was left out, and nothing is printed. */
bool bs_present_left_out(const uint64_t skipped[BS_SKIP_MAX], const struct bs_skip_kind binary[BS_SKIP_KINDS],
                         const char *before, FILE *out);

#endif
