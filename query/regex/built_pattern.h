/* built_pattern.h: what the library uses of a pattern that a host has built
 * (bitsift/pattern_tree.h). */
#pragma once

#include "core/bitsift/pattern_tree.h"
#include "query/regex/pattern.h"

/* Its options, in a request without patterns. */
struct bs_grep_pattern bs_pattern_tree_options(const struct bs_pattern_tree *tree);

/* As bs_grep_analyse, without anything that is read: analysis->regex is the tree's own, borrowed.
 * BS_INVALID: it has not been ended. BS_UNSUPPORTED, BS_NO_MEMORY. */
enum bs_status bs_pattern_tree_analyse(const struct bs_pattern_tree *tree,
                                       struct bs_grep_analysis *analysis,
                                       struct bs_error *err) BS_WARN_UNUSED;
