/*
 * rust_words.h: the last step before PCRE2 gets a pattern of Rust's syntax for text beyond ASCII.
 * PCRE2 10.42 defines \w as letters, numbers and _; Rust (and Unicode's UTS18) as alphabetic
 * characters, marks, decimal numbers, connectors and joiners. PCRE2's \s has U+180E in addition.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/bitsift/status.h"

struct bs_rust_words {
	struct bs_buffer text;
	bool is_changed;    /* a part was replaced by a longer text */
	uint32_t n_defined; /* groups that were added, after all others */
};

/* Appends the pattern, which rust_syntax.h and regex_rewrite.h wrote, to words->text, with \w \W \s
 * \S \b \B replaced by Unicode's definitions. calls: each definition is written once, at the end,
 * and called where it is needed. This is slower, but shorter: a call takes 3 bytes of the 64 KiB to
 * which PCRE2 limits a compiled pattern. BS_NO_MEMORY. */
enum bs_status bs_rust_words(const uint8_t *text, size_t n_bytes, bool calls,
                             struct bs_rust_words *words, struct bs_error *err) BS_WARN_UNUSED;
