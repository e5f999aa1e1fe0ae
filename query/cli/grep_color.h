/* grep_color.h: `--colors` of `bitsift grep`. */
#ifndef BS_QUERY_CLI_GREP_COLOR_H
#define BS_QUERY_CLI_GREP_COLOR_H

#include <stddef.h>

#include "core/bitsift/status.h"
#include "core/program/options.h"

/* rg's colours, then each of the specifications TYPE:ATTRIBUTE:VALUE in turn. BS_INVALID names the
 * wrong one. */
enum bs_status bs_grep_colors_set(struct bs_grep_colors *colors, const char *const *specs, size_t n_specs,
                                  struct bs_error *err) BS_WARN_UNUSED;

#endif
