/*
 * regex_literals.h: the longest literal that stands in every match: what a search through text looks for before it
 * asks PCRE2. Conservative: what is not understood is no part of it, and there may be none.
 */
#ifndef BS_QUERY_REGEX_REGEX_LITERALS_H
#define BS_QUERY_REGEX_REGEX_LITERALS_H

#include "query/regex/regex_tree.h"

/* Appends the literal, or nothing, in its own letter case, though ASCII's may be of no account. is_match_out: it is
 * the whole of every match, in this letter case, and there are no groups in it. BS_NO_MEMORY. */
enum bs_status bs_regex_literal(const struct bs_regex *regex, bool is_caseless, struct bs_buffer *literal,
                                bool *is_match_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
