/* pattern_grams.h: makes the gram tree (gram_tree.h) of patterns. A long list of literals is
 * analysed differently from other patterns. */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/bitsift/pattern_tree.h"
#include "core/bitsift/status.h"
#include "query/regex/gram_tree.h"
#include "query/regex/pattern_list.h"

/* Makes the gram tree of patterns. The tree is ANY if no grams are known that every match needs.
 * *tree_out is NULL if the patterns are matched by bytes (!is_legible in pattern.h), so that
 * nothing is known about their matches. If invalid UTF-8 is searched as U+FFFD, do not use a tree
 * with bs_gram_tree_has_replacement(): invalid bytes can match it, but have no such gram in the
 * index. BS_INVALID: a pattern is not UTF-8. BS_UNSUPPORTED: ICU is needed and missing.
 * BS_NO_MEMORY. */
enum bs_status bs_pattern_grams(const struct bs_grep_pattern *pattern,
                                struct bs_gram_tree **tree_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Like bs_pattern_grams, for a pattern of a grep: see bs_grep_analyse_rust. BS_INVALID also for any
 * other error in a pattern. */
enum bs_status bs_pattern_grams_rust(const struct bs_grep_pattern *pattern,
                                     struct bs_gram_tree **tree_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* The gram tree of a pattern that a host built. BS_INVALID: bs_pattern_tree_end was not called.
 * Otherwise fails as bs_pattern_grams. */
enum bs_status bs_pattern_tree_grams(const struct bs_pattern_tree *pattern,
                                     struct bs_gram_tree **tree_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* True if the tree of the list comes from bs_regex_grams_of_literals: the list has many literals,
 * and literals are known for each of its parts. */
bool bs_list_has_grams(const struct bs_pattern_list *list);
