/*
 * regex_literals.h: what a search through text looks for before it asks PCRE2: the longest literal that stands in every match, or
 * a window, a few bytes in a row known by their classes (core/byte_window.h). Where literals end windows begin: [a-z]+_[0-9]+\(
 * has in each match a small letter, _ and a digit; foo|bar|quux has one of three words, or of a longer one some bytes.
 *
 * Conservative: what is not understood is no part of either, and there may be none, or no window rare enough to be of use.
 */
#ifndef BS_QUERY_REGEX_LITERALS_H
#define BS_QUERY_REGEX_LITERALS_H

#include "core/byte_window.h"
#include "query/regex_tree.h"

/* Appends the literal, or nothing, in its own letter case, though ASCII's may be of no account. is_match_out: it is the whole
 * of every match, in this letter case, and there are no groups in it. BS_NO_MEMORY. */
enum bs_status bs_regex_literal(const struct bs_regex *regex, bool is_caseless, struct bs_buffer *literal,
                                bool *is_match_out, struct bs_error *err) BS_WARN_UNUSED;

struct bs_regex_window_options {
	bool is_caseless;
	bool keeps_line_end; /* a match may hold the line's end */
	uint8_t line_end;
};

/*
 * Chooses the window that is expected to fit least often; rate_out: in how many of all places, by what text usually
 * holds. window_out->n_bytes 0: there is none. BS_NO_MEMORY.
 */
enum bs_status bs_regex_window(const struct bs_regex *regex, const struct bs_regex_window_options *options,
                               struct bs_byte_window *window_out, double *rate_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
