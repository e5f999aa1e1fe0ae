/*
 * regex_rewrite.h: rewrites a pattern so that PCRE2 can search many lines at once.
 *
 * Every set that contains a line feed is replaced by one that does not: \s becomes [^\S\n], [^a]
 * becomes [^\na]. Then a line feed is to each part of the pattern, also to ^, $ and \b, what the
 * end of the text is, and a search over many lines finds what a search of each line would find.
 * Patterns that depend on the ends of the text (\A, \z, \G), match a line feed explicitly, or
 * depend on more than the text (verbs, recursion) cannot be rewritten so; they are searched line by
 * line. The rest of a pattern is copied verbatim.
 */
#pragma once

#include "query/regex/regex_tree.h"

struct bs_regex_rewrite_options {
	bool dot_all;
	bool is_crlf; /* --crlf: nothing matches \r either, as in ripgrep's own engine */
	/* $ matches before a \r that ends the line, as in ripgrep if every match contains a
	 * literal */
	bool end_passes_cr;
};

struct bs_regex_lines {
	bool is_exact;      /* the rewritten pattern finds the same over many lines */
	bool can_span;      /* may match a line end */
	bool has_assertion; /* a match may depend on the text around it */
	bool is_ascii;      /* in ASCII text, means the same to PCRE2 without Unicode */
};

/* Appends the pattern, rewritten as far as possible, to text_out. BS_NO_MEMORY. */
enum bs_status bs_regex_rewrite(const struct bs_regex *regex,
                                const struct bs_regex_rewrite_options *options,
                                struct bs_buffer *text_out, struct bs_regex_lines *lines_out,
                                struct bs_error *err) BS_WARN_UNUSED;
