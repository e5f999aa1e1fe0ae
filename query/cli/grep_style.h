/* grep_style.h: `--colors` and `--hyperlink-format` of `bitsift grep`. */
#pragma once

#include <stddef.h>

#include "core/bitsift/status.h"
#include "core/program/options.h"

/* Sets rg's default colours and then applies the specifications TYPE:ATTRIBUTE:VALUE in order. The
 * message of BS_INVALID names the invalid one. */
enum bs_status bs_grep_colors_set(struct bs_grep_colors *colors, const char *const *specs,
                                  size_t n_specs, struct bs_error *err) BS_WARN_UNUSED;

/* Translates a hyperlink format of rg, or the name of one, into the `hyperlink` of struct
 * bs_grep_program: *out, which the caller frees; "" means no links. host: the value of {host}.
 * BS_INVALID, BS_NO_MEMORY. */
enum bs_status bs_grep_hyperlink_format(const char *format, const char *host, char **out,
                                        struct bs_error *err) BS_WARN_UNUSED;

#define BS_GREP_HOST_BYTES 512

/* Sets `out` to the host's name for hyperlinks: the output of the program `command` without the
 * white space around it, or the system's name if command is NULL or "", or if it fails or prints
 * nothing. "": no name. */
void bs_grep_host_name(const char *command, char out[BS_GREP_HOST_BYTES]);
