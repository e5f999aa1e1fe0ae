/* pattern_grams.h: patterns -> what each match must hold, as a gram tree (gram_tree.h): of the
 * patterns of a request, or of a long list. */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/bitsift/pattern_tree.h"
#include "core/bitsift/status.h"
#include "query/regex/gram_tree.h"
#include "query/regex/pattern_list.h"

/* tree_out is NULL if nothing is known. For a text that is not UTF-8 but is searched as U+FFFD, see
 * bs_gram_tree_has_replacement. BS_INVALID (a pattern that is not UTF-8), BS_UNSUPPORTED (ICU is
 * needed, and is not there), BS_NO_MEMORY. */
enum bs_status bs_pattern_grams(const struct bs_grep_pattern *pattern,
                                struct bs_gram_tree **tree_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* The same of a tree that a host has built. BS_INVALID: it has not been ended. */
enum bs_status bs_pattern_tree_grams(const struct bs_pattern_tree *pattern,
                                     struct bs_gram_tree **tree_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Whether the list is long, so that its tree is that of bs_regex_grams_of_literals. */
bool bs_list_has_grams(const struct bs_pattern_list *list);
