/* token.h: a term as the words analyzer (tokenizer.h) yields it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* So many bytes behind a token's term may be read, whatever they are: keys are loaded whole. */
#define BS_TOKEN_SLACK_BYTES 16u

/* One term as it stands in the text. */
struct bs_token {
	const uint8_t *term; /* folded UTF-8, not NUL-ended; valid until the callback returns */
	uint32_t term_bytes; /* > 0; no maximum but the text's own */
	/* 0, 1, 2, ... from first_position; a pair bears the position of its first code point */
	uint32_t position;
	/* Where it stands in the text as given: [start_byte, end_byte), never past the text. */
	uint64_t start_byte;
	/* for a run: of the whole run, since a fold may move code points; a pair: as its second */
	uint64_t end_byte;
	/* an aid to the filter: takes no position, is not scored, not counted in the length */
	bool is_bigram;
	/* an identifier of several parts, which follow: the first has this position, too */
	bool is_whole;
};

/* Gets tokens in text order, n_tokens >= 1 at a time. Anything but BS_OK stops the analysis and is
 * returned from it. */
typedef enum bs_status (*bs_token_fn)(void *context, const struct bs_token *tokens, size_t n_tokens,
                                      struct bs_error *err);
