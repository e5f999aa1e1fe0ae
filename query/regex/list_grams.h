/*
 * list_grams.h: a long list of patterns -> what its matches must hold, as a gram tree: one of the literals that the
 * parts need. For some literals regex_grams.h knows more and compares them with each other; its work grows with the square
 * of what it keeps, this with the number of literals.
 */
#ifndef BS_QUERY_REGEX_LIST_GRAMS_H
#define BS_QUERY_REGEX_LIST_GRAMS_H

#include "query/regex/gram_tree.h"
#include "query/regex/pattern_list.h"

/* Whether the tree is to be asked for here. */
bool bs_list_has_grams(const struct bs_pattern_list *list);

/* BS_NO_MEMORY; BS_UNSUPPORTED: characters beyond ASCII, and no ICU. */
enum bs_status bs_list_grams(const struct bs_pattern_list *list, struct bs_gram_tree **tree_out,
                             struct bs_error *err) BS_WARN_UNUSED;

#endif
