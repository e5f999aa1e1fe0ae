/* regex_read.h: reads a pattern in PCRE2's syntax into a tree (regex_tree.h). */
#pragma once

#include "query/regex/regex_tree.h"

/* Reads a pattern: what pcre2_compile() is given. Time and memory are linear in n_bytes. text is
 * kept. BS_NO_MEMORY. */
enum bs_status bs_regex_read(struct bs_regex *regex, const uint8_t *text, size_t n_bytes,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The depth up to which a pattern of n_groups groups is read, from the free stack of this thread. A
 * pattern that is nested deeper becomes BS_REGEX_UNKNOWN and is left to PCRE2 alone, which has
 * limits of its own. */
unsigned bs_regex_most_depth(size_t n_groups);
