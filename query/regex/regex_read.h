/* regex_read.h: reads a pattern in PCRE2's syntax into a tree (regex_tree.h). */
#pragma once

#include "query/regex/regex_tree.h"

/* Reads a pattern as pcre2_compile() would get it. Time and memory are linear in n_bytes. text is
 * borrowed. A pattern that is not understood becomes BS_REGEX_UNKNOWN, which is no failure.
 * BS_NO_MEMORY. */
enum bs_status bs_regex_read(struct bs_regex *regex, const uint8_t *text, size_t n_bytes,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The deepest nesting of groups at which a pattern with n_groups groups is read; it depends on the
 * free stack of this thread. A pattern nested deeper becomes BS_REGEX_UNKNOWN and is left to PCRE2,
 * which has its own limits. */
unsigned bs_regex_most_depth(size_t n_groups);
