/*
 * rust_words.h: the last step before PCRE2 gets a pattern of Rust's syntax for text beyond ASCII.
 * PCRE2 10.42 defines \w as letters and numbers; Rust (and Unicode's UTS18) as alphabetic
 * characters, marks, decimal numbers, connectors and joiners. PCRE2's \s has U+180E in addition.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/bitsift/status.h"

/* Appends the pattern, which rust_syntax.h and regex_rewrite.h wrote, with \w \W \s \S \b \B
 * replaced by Unicode's definitions. BS_NO_MEMORY. */
enum bs_status bs_rust_words(const uint8_t *text, size_t n_bytes, struct bs_buffer *text_out,
                             struct bs_error *err) BS_WARN_UNUSED;
