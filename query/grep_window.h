/*
 * grep_window.h: pattern -> a few bytes in a row that stand in every match, by their classes (core/byte_window.h). A line
 * where they do not stand needs no further look. Where literals end this begins: [a-z]+_[0-9]+\( has in each match a small
 * letter, _ and a digit; foo|bar|quux has one of three words, or of a longer one some bytes.
 *
 * Conservative: what is not understood is no part of it, and there may be none that is rare enough to be of use.
 */
#ifndef BS_QUERY_GREP_WINDOW_H
#define BS_QUERY_GREP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/byte_window.h"
#include "core/status.h"

struct bs_grep_window_options {
	bool is_caseless;
	bool keeps_line_end; /* a match may hold the line's end */
	uint8_t line_end;
};

/*
 * Chooses the window that is expected to fit least often; rate_out: in how many of all places, by what text usually
 * holds. window_out->n_bytes 0: there is none. BS_NO_MEMORY.
 */
enum bs_status bs_grep_window_choose(const uint8_t *pattern, size_t n_bytes, const struct bs_grep_window_options *options,
                                     struct bs_byte_window *window_out, double *rate_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

#endif
