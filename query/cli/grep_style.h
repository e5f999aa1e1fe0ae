/* grep_style.h: `--colors` and `--hyperlink-format` of `bitsift grep`. */
#pragma once

#include <stddef.h>

#include "core/bitsift/status.h"
#include "core/program/options.h"

/* Sets rg's default colours and then applies the specifications TYPE:ATTRIBUTE:VALUE in order. The
 * message of BS_INVALID names the invalid one. */
enum bs_status bs_grep_colors_set(struct bs_grep_colors *colors, const char *const *specs,
                                  size_t n_specs, struct bs_error *err) BS_WARN_UNUSED;

/* Translates a hyperlink format of rg 14, or its alias, into the `hyperlink` of struct
 * bs_grep_program; the caller frees it. "": no links. BS_INVALID, BS_NO_MEMORY. */
enum bs_status bs_grep_hyperlink_format(const char *format, char **out,
                                        struct bs_error *err) BS_WARN_UNUSED;
