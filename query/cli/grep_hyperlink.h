/* grep_hyperlink.h: `--hyperlink-format` of `bitsift grep`. */
#ifndef BS_QUERY_CLI_GREP_HYPERLINK_H
#define BS_QUERY_CLI_GREP_HYPERLINK_H

#include "core/bitsift/status.h"

/* Makes the hyperlink of struct bs_grep_program from a format of rg 14 or its alias, for free();
 * "": no links. BS_INVALID, BS_NO_MEMORY. */
enum bs_status bs_grep_hyperlink_format(const char *format, char **out, struct bs_error *err) BS_WARN_UNUSED;

#endif
