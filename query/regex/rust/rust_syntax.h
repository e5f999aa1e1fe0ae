/*
 * rust_syntax.h: translates patterns in the syntax of Rust's regex crate (1.12), as ripgrep's own
 * engine reads it, into one pattern for PCRE2 or RE2. A construct that this syntax lacks is an
 * error that names it, with three exceptions, which mean what they mean to PCRE2: lookaround, back
 * references and atomic groups.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/regex/rust/rust_options.h"

/* The start of a line, which -x adds before a pattern in parentheses. */
static inline const char *bs_rust_line_start(const struct bs_grep_pattern *pattern)
{
	/* To PCRE2, ^ also matches between \r and \n. */
	return pattern->crlf && pattern->is_multi_line && !pattern->is_pcre2
	               ? "(?:^(?!(?<=\\r)\\n))"
	               : "^";
}

/* The end of a line, which -x adds after a pattern in parentheses. */
static inline const char *bs_rust_line_end(const struct bs_grep_pattern *pattern)
{
	/* To PCRE2, $ also matches between \r and \n. Without -U, no text contains both. */
	return pattern->crlf && pattern->is_multi_line && !pattern->is_pcre2
	               ? "(?:$(?!(?<=\\r)\\n))"
	               : "$";
}

/* An addition to a pattern that lets a match start between \r and \n. With --crlf, PCRE2 skips this
 * position unless the pattern contains one of the two. */
static inline const char *bs_rust_start_anywhere(const struct bs_grep_pattern *pattern)
{
	return pattern->crlf && pattern->is_multi_line && !pattern->is_pcre2 ? "\\r{0}" : "";
}

/* Appends the translations of the patterns, joined by |, to text_out. With pattern->is_line, each
 * of several patterns is anchored. BS_INVALID: a pattern is not valid; the message is one line with
 * the construct and its position. BS_UNSUPPORTED: ICU is needed and missing. BS_NO_MEMORY. */
enum bs_status bs_rust_translate(const struct bs_grep_pattern *pattern,
                                 const struct bs_rust_options *options, struct bs_buffer *text_out,
                                 struct bs_rust_traits *traits_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
