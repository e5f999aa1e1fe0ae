/* rust_options.h: the options of a translation of Rust's syntax (rust_syntax.h), and what it
 * reports about the patterns. */
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

/* Returns an error message if no match can contain the character c, because no searched line has
 * it; NULL if a match can. bans_nul: see struct bs_rust_options. */
const char *bs_rust_banned(const struct bs_grep_pattern *pattern, bool bans_nul, uint32_t c);
/* Notes a literal character for smart case. BS_UNSUPPORTED: ICU is needed and missing. */
enum bs_status bs_rust_see_literal(struct bs_rust_traits *traits, uint32_t c,
                                   struct bs_error *err) BS_WARN_UNUSED;
