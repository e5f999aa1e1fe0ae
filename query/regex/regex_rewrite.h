/*
 * regex_rewrite.h: rewrites a pattern so that PCRE2 can search many lines at once.
 *
 * Every set that contains a line feed is replaced by one that does not: \s becomes [^\S\n], [^a]
 * becomes [^\na]. Then every part of the pattern, also ^, $ and \b, treats a line feed like an end
 * of the text, and a search over many lines finds the same as a search of each line. This is
 * impossible for patterns that depend on the ends of the text (\A, \z, \G), match a line feed
 * explicitly, or depend on more than the text (verbs, recursion); they are searched line by line.
 * The rest of a pattern is copied verbatim.
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
	/* the rewritten pattern, searched for in many lines at once, finds the lines that the
	 * original finds line by line */
	bool is_exact;
	bool can_span;      /* a match may contain a line end, or the pattern has ^ or $ */
	bool has_nul;       /* a match may contain a NUL byte */
	bool has_assertion; /* a match may depend on the text around it */
	/* in ASCII text the pattern finds the same matches if it is compiled without Unicode
	 * options */
	bool is_ascii;
};

/* Appends the pattern, rewritten as far as possible, to text_out. BS_NO_MEMORY. */
enum bs_status bs_regex_rewrite(const struct bs_regex *regex,
                                const struct bs_regex_rewrite_options *options,
                                struct bs_buffer *text_out, struct bs_regex_lines *lines_out,
                                struct bs_error *err) BS_WARN_UNUSED;
