/*
 * regex_rewrite.h: a pattern as PCRE2 is given it to search many lines at once.
 *
 * Every set that holds a line feed is written so that it does not: \s becomes [^\S\n], [^a] becomes
 * [^\na]. Then a line feed is to each part of the pattern what the end of the text is, to ^, $ and
 * \b too, and a search over many lines finds what a search in each alone would find. What depends
 * on the text's own ends (\A, \z, \G), on a line feed by name, or on more than the text (verbs,
 * recursion) is not rewritten: that is searched for line by line. Everything else is copied as it
 * stands.
 */
#pragma once

#include "query/regex/regex_tree.h"

struct bs_regex_rewrite_options {
	bool dot_all;
	bool is_crlf; /* nothing matches \r either: so rg's own engine has it with --crlf */
	/* but $ does before one that ends the line, as there if a match must hold a literal */
	bool end_passes_cr;
};

struct bs_regex_lines {
	bool is_exact;      /* the rewritten pattern finds the same over many lines */
	bool can_span;      /* may match a line's end */
	bool has_assertion; /* where it matches may depend on what stands around */
	bool is_ascii;      /* means the same to a PCRE2 without Unicode, in ASCII text */
};

/* Appends the pattern, rewritten as far as that is possible, to text_out. BS_NO_MEMORY. */
enum bs_status bs_regex_rewrite(const struct bs_regex *regex,
                                const struct bs_regex_rewrite_options *options,
                                struct bs_buffer *text_out, struct bs_regex_lines *lines_out,
                                struct bs_error *err) BS_WARN_UNUSED;
