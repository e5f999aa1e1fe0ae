/*
 * regex_grams.h: pattern -> gram tree. For each part of a pattern it is worked out which texts it can match, or, where
 * these are too many, what they begin and end with and what they hold between; in the way of Russ Cox's "Regular
 * Expression Matching with a Trigram Index" (2012), with strings as long as they come instead of trigrams. Strings are folded
 * as grams are (core/grams.h), so letter case is of no account.
 *
 * Sound by construction: a part that is not understood stands for every text. The work is bounded: a pattern that needs
 * more of it gets ANY.
 */
#ifndef BS_QUERY_REGEX_GRAMS_H
#define BS_QUERY_REGEX_GRAMS_H

#include "query/gram_tree.h"
#include "query/regex_tree.h"

/* The tree of "the pattern matches". Of lines that do not match (-v) grams know nothing, nor of bytes that are not read as UTF-8
 * where the pattern holds more than ASCII: do not ask. BS_NO_MEMORY; BS_UNSUPPORTED: characters beyond ASCII, and no ICU. */
enum bs_status bs_regex_grams(const struct bs_regex *regex, struct bs_gram_tree **tree_out,
                              struct bs_error *err) BS_WARN_UNUSED;

#endif
