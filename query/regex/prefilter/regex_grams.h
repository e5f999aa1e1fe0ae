/*
 * regex_grams.h: analyses what the matches of a pattern must contain. For each part of the pattern,
 * the analysis computes the texts that it can match or, if there are too many, how they begin and
 * end and what they contain. It follows Russ Cox's "Regular Expression Matching with a Trigram
 * Index" (2012), with strings of any length.
 *
 * The analysis has two kinds of results. For an index, the result is a gram tree of byte strings,
 * folded as grams are (core/text/grams.h), so letter case is ignored. For a search through text,
 * the result is a window: a few adjacent bytes, given by their classes (core/simd/needle.h), that
 * are part of every match. Windows help where literals do not: every match of [a-z]+_[0-9]+\(
 * contains a lower-case letter, _ and a digit; every match of foo|bar|quux contains one of three
 * words.
 *
 * Sound by construction: a part that is not understood is assumed to match every text. The work is
 * bounded: for a pattern that needs more, the tree is ANY, and there is no window.
 */
#pragma once

#include "core/simd/needle.h"
#include "query/regex/gram_tree.h"
#include "query/regex/literal_set.h"
#include "query/regex/regex_tree.h"

/* Makes the tree that a text satisfies if the pattern matches. Do not use it to find lines that do
 * not match (-v). If the pattern has characters beyond ASCII, do not use it for texts that are
 * searched as bytes instead of UTF-8. BS_NO_MEMORY. BS_UNSUPPORTED: characters beyond ASCII, and
 * ICU is missing. */
enum bs_status bs_regex_grams(const struct bs_regex *regex, struct bs_gram_tree **tree_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Makes the tree that a text satisfies if each of n patterns matches; n >= 1. Fails as
 * bs_regex_grams. */
enum bs_status bs_regex_grams_of_all(const struct bs_regex *const *regexes, size_t n,
                                     struct bs_gram_tree **tree_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Makes the tree that a text satisfies if one of the literals, two or more, matches. For long
 * lists: literals are not compared with each other, and few grams of each are used. Fails as
 * bs_regex_grams. */
enum bs_status bs_regex_grams_of_literals(const struct bs_literals *literals,
                                          struct bs_gram_tree **tree_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

struct bs_regex_window_options {
	bool is_caseless;
	bool keeps_line_end; /* a match may contain the line end */
	uint8_t line_end;
};

/*
 * Chooses the window that is expected to fit least often. *rate_out is the estimated share of
 * positions where it fits, from the byte frequencies of typical text. window_out->n_bytes is 0 if
 * there is no window. BS_NO_MEMORY.
 */
enum bs_status bs_regex_window(const struct bs_regex *regex,
                               const struct bs_regex_window_options *options,
                               struct bs_byte_window *window_out, double *rate_out,
                               struct bs_error *err) BS_WARN_UNUSED;
