/*
 * rust_syntax.h: translates patterns in the syntax of Rust's regex crate (1.12), as ripgrep's own
 * engine reads it, into one pattern of PCRE2. A construct that this syntax lacks is an error that
 * names it, with three exceptions, which mean what they mean to PCRE2: lookaround, back references
 * and atomic groups.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/regex/rust/rust_write.h"

struct bs_rust_options {
	enum bs_rust_form form;
	bool caseless;
	bool bans_nul;  /* a NUL that must match is an error: no searched line has one */
	bool strips_cr; /* BS_RUST_BYTES only: nothing matches \r */
	bool is_ascii;  /* BS_RUST_LINEAR only: for ASCII text */
	/* BS_RUST_LINEAR only: each match begins and ends with an ASCII word character */
	bool has_word_edges;
	bool calls; /* BS_RUST_BYTES only: slower to match, but shorter (rust_write.h) */
};

struct bs_rust_traits {
	bool has_literal, has_upper_case; /* for smart case */
	/* see struct bs_rust_writer */
	bool has_bytes, has_characters, sees_validity;
	bool has_extension;    /* has lookaround, a back reference or an atomic group */
	bool is_beyond_linear; /* BS_RUST_LINEAR cannot express the pattern */
};

/* Why a match cannot contain the character, because no searched line has it. NULL: it can.
 * bans_nul: see struct bs_rust_options. */
const char *bs_rust_banned(const struct bs_grep_pattern *pattern, bool bans_nul, uint32_t c);
/* Notes a literal character for smart case. BS_UNSUPPORTED: ICU is needed and missing. */
enum bs_status bs_rust_see_literal(struct bs_rust_traits *traits, uint32_t c,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* The start of a line, which -x adds before a pattern in parentheses. */
static inline const char *bs_rust_line_start(const struct bs_grep_pattern *pattern)
{
	/* To PCRE2, ^ also matches between \r and \n. */
	return pattern->crlf && pattern->is_multi_line && !pattern->is_pcre2
	               ? "(?:^(?!(?<=\\r)\\n))"
	               : "^";
}

/* The end of a line, which -x adds after it. */
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

/* Appends the patterns, joined by |. With pattern->is_line, each of several patterns is anchored.
 * BS_INVALID: a pattern is not valid; the message is one line with the construct and its position.
 * BS_UNSUPPORTED: ICU is needed and missing. */
enum bs_status bs_rust_translate(const struct bs_grep_pattern *pattern,
                                 const struct bs_rust_options *options, struct bs_buffer *text_out,
                                 struct bs_rust_traits *traits_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
