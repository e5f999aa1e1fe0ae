/* grep_join.h: several patterns, literal or not, as the text of one for PCRE2. */
#ifndef BS_QUERY_GREP_JOIN_H
#define BS_QUERY_GREP_JOIN_H

#include <stdbool.h>

#include "core/buffer.h"
#include "core/status.h"
#include "query/grep_options.h"

/* Appends them with | between. BS_INVALID for one that is not UTF-8. */
enum bs_status bs_grep_join(const struct bs_grep_pattern *pattern, struct bs_buffer *to, struct bs_error *err) BS_WARN_UNUSED;

/* Whether the pattern asks for upper case, for -S. As rg -P decides (is_pcre2), \pL does. BS_UNSUPPORTED (no ICU). */
enum bs_status bs_grep_has_upper_case(const uint8_t *text, size_t n_bytes, bool is_pcre2, bool *has_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

#endif
