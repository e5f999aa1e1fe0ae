/*
 * regex_grams.h: patterns -> gram tree. For each part of a pattern it is worked out which texts it can match, or, where
 * these are too many, what they begin and end with and what they hold between; in the way of Russ Cox's "Regular
 * Expression Matching with a Trigram Index" (2012), with strings as long as they come instead of trigrams.
 *
 * Sound by construction: a part that is not understood stands for every text. The work is bounded: a pattern that needs
 * more of it gets ANY.
 */
#ifndef BS_QUERY_REGEX_GRAMS_H
#define BS_QUERY_REGEX_GRAMS_H

#include "query/gram_tree.h"
#include "query/regex_parse.h"

/* One text as it is given to pcre2_compile(). */
struct bs_pattern {
	const uint8_t *text;
	size_t n_bytes;
};

/* The tree of "one of these patterns matches", n_patterns >= 0; each is a regex of its own: options that are set inside
 * of one end with it. Of lines that do not match (-v) grams know nothing: do not ask. BS_NO_MEMORY. */
enum bs_status bs_regex_grams(const struct bs_pattern *patterns, size_t n_patterns,
                              const struct bs_regex_options *options, struct bs_gram_tree **tree_out,
                              struct bs_error *err) BS_WARN_UNUSED;

#endif
