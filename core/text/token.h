/* token.h: a term as the tokenizer (tokenizer.h) returns it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* Bytes after a token's term that must be readable (their values do not matter), because keys are
 * loaded as whole machine words. */
#define BS_TOKEN_SLACK_BYTES 16u

/* One term at its place in the text. */
struct bs_token {
	/* folded UTF-8, not NUL-terminated; valid until the callback returns */
	const uint8_t *term;
	uint32_t term_bytes; /* > 0; a term may be as long as the text */
	/* Counts from first_position on. A position is left free between two script runs without a
	 * word between them. A bigram has the position of its first code point. */
	uint32_t position;
	/* The place in the original text is [start_byte, end_byte), never beyond the text. Each
	 * term of a script run has the place of the whole run, because folding may move code
	 * points. A bigram has the place of its second term. */
	uint64_t start_byte;
	uint64_t end_byte;
	/* A bigram serves to filter documents. It takes no position, is not scored, and is not
	 * counted in the length. */
	bool is_bigram;
	/* Whether the term is an identifier of several parts. The parts follow as tokens of their
	 * own; the first part has the same position as the identifier. */
	bool is_whole;
};

/* Receives tokens in text order, n_tokens >= 1 at a time. A status other than BS_OK stops the
 * analysis, which returns it. */
typedef enum bs_status (*bs_token_fn)(void *context, const struct bs_token *tokens, size_t n_tokens,
                                      struct bs_error *err);
