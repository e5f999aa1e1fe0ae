/*
 * byte_superset.h: derives from a pattern a simpler one over bytes that matches in at least the
 * same lines. A fast automaton (line_filter.h) finds the lines in which the simpler pattern
 * matches, and PCRE2 decides on these lines only.
 *
 * Made simpler: a character beyond ASCII in a set becomes one to four bytes above 0x7f; lookaround
 * is left out; back references become any text; \b remains only next to a character that is
 * certainly an ASCII word character; large counts are reduced; repeats at the beginning and the end
 * of the pattern are reduced to their least count, because only the line matters, not the match.
 */
#pragma once

#include "query/regex/regex_set.h"

struct bs_byte_superset_options {
	bool is_caseless; /* the whole pattern ignores letter case */
	bool is_line;     /* a match must be a whole line */
	/* -P: the lines found must be those of PCRE2. The simpler pattern is then exact only with
	 * is_ascii, because with .*x PCRE2 looks only at the starts of lines, and misses a match
	 * after an invalid byte. */
	bool is_pcre2;
	bool is_crlf; /* a carriage return before a line feed is a part of the line end */
	/* The result is for ASCII text only: characters beyond ASCII are left out of sets, and \b
	 * remains everywhere. Its automaton is smaller and many times faster, and the result is
	 * exact more often. */
	bool is_ascii;
};

/* Appends the simpler pattern to text_out, NUL-terminated, in Hyperscan's syntax with its flag
 * MULTILINE. No match of it contains a line feed. Appends nothing if the simpler pattern would
 * be useless: the pattern needs a line feed, may match the empty text or is not understood, or the
 * simpler one would be too large. *is_exact_out: the simpler pattern matches in exactly the lines
 * in which the pattern matches. BS_NO_MEMORY. */
enum bs_status bs_regex_byte_superset(const struct bs_regex *regex,
                                      const struct bs_byte_superset_options *options,
                                      struct bs_buffer *text_out, bool *is_exact_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Whether each match in ASCII text begins and ends with a word character. */
bool bs_regex_has_word_edges(const struct bs_regex *regex, bool is_caseless);
