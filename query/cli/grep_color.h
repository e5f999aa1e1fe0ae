/* grep_color.h: `--colors TYPE:ATTRIBUTE:VALUE`, as rg's: what switches a colour on. */
#ifndef BS_QUERY_CLI_GREP_COLOR_H
#define BS_QUERY_CLI_GREP_COLOR_H

#include "core/bitsift.h"

/* rg's colours, then each of the specifications in turn. BS_INVALID names the one that is wrong. */
enum bs_status bs_grep_colors_set(struct bs_grep_colors *colors, const char *const *specs, size_t n_specs,
                                  struct bs_error *err) BS_WARN_UNUSED;

#endif
