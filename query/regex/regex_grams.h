/*
 * regex_grams.h: pattern -> what its matches must hold, in two alphabets. For each part of a
 * pattern it is worked out which texts it can match, or, where these are too many, what they begin
 * and end with and what they hold between; in the way of Russ Cox's "Regular Expression Matching
 * with a Trigram Index" (2012), with strings as long as they come.
 *
 * For an index, a gram tree: strings of bytes, folded as grams are (core/text/grams.h), so letter
 * case is of no account. For a search through text, a window: a few bytes in a row that stand in
 * every match, by their classes (core/simd/needle.h). Where literals end windows begin:
 * [a-z]+_[0-9]+\( has in each match a small letter, _ and a digit; foo|bar|quux has one of three
 * words.
 *
 * Sound by construction: a part that is not understood stands for every text. The work is bounded:
 * a pattern that needs more of it gets ANY, or no window.
 */
#pragma once

#include "core/simd/needle.h"
#include "query/regex/gram_tree.h"
#include "query/regex/literal_set.h"
#include "query/regex/regex_tree.h"

/* The tree of "the pattern matches". Of lines that do not match (-v) grams know nothing, nor of
 * bytes that are not read as UTF-8 where the pattern holds more than ASCII: do not ask.
 * BS_NO_MEMORY; BS_UNSUPPORTED: characters beyond ASCII, and no ICU. */
enum bs_status bs_regex_grams(const struct bs_regex *regex, struct bs_gram_tree **tree_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* The tree of "each of these n patterns matches"; n >= 1. */
enum bs_status bs_regex_grams_of_all(const struct bs_regex *const *regexes, size_t n,
                                     struct bs_gram_tree **tree_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* The tree of "one of these literals matches", n > 1, for long lists: literals are not compared
 * with each other, and few grams of each are taken. BS_NO_MEMORY; BS_UNSUPPORTED as above. */
enum bs_status bs_regex_grams_of_literals(const struct bs_literals *literals,
                                          struct bs_gram_tree **tree_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

struct bs_regex_window_options {
	bool is_caseless;
	bool keeps_line_end; /* a match may hold the line's end */
	uint8_t line_end;
};

/*
 * Chooses the window that is expected to fit least often; rate_out: in how many of all places, by
 * what text usually holds. window_out->n_bytes 0: there is none. BS_NO_MEMORY.
 */
enum bs_status bs_regex_window(const struct bs_regex *regex,
                               const struct bs_regex_window_options *options,
                               struct bs_byte_window *window_out, double *rate_out,
                               struct bs_error *err) BS_WARN_UNUSED;
