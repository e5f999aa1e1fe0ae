/* built_pattern.h: internal functions for a pattern tree that a host builds by calls
 * (bitsift/pattern_tree.h). */
#pragma once

#include "core/bitsift/pattern_tree.h"
#include "query/regex/pattern.h"

/* Returns the options of the tree in the form of a search pattern without text: letter case,
 * dot_all, is_multi_line. */
struct bs_grep_pattern bs_pattern_tree_options(const struct bs_pattern_tree *tree);

/* Like bs_grep_analyse, but reads no pattern text: analysis->regex is borrowed from the tree.
 * BS_INVALID: bs_pattern_tree_end was not called. BS_UNSUPPORTED: ICU is needed and missing.
 * BS_NO_MEMORY. */
enum bs_status bs_pattern_tree_analyse(const struct bs_pattern_tree *tree,
                                       struct bs_grep_analysis *analysis,
                                       struct bs_error *err) BS_WARN_UNUSED;
