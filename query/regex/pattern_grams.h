/*
 * pattern_grams.h: patterns as a request has them -> what each match must hold, as a gram tree (gram_tree.h).
 */
#ifndef BS_QUERY_REGEX_PATTERN_GRAMS_H
#define BS_QUERY_REGEX_PATTERN_GRAMS_H

#include "core/bitsift/grep.h"
#include "core/bitsift/status.h"
#include "query/regex/gram_tree.h"

/* *tree_out is NULL where nothing is known. Where a text is not UTF-8 but searched as U+FFFD, see bs_gram_tree_has_replacement. BS_INVALID
 * (a pattern that is not UTF-8), BS_UNSUPPORTED (ICU is wanted, and is not there), BS_NO_MEMORY. */
enum bs_status bs_pattern_grams(const struct bs_grep_pattern *pattern, struct bs_gram_tree **tree_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
