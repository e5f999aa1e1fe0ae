/*
 * wildcard.h: words that contain the signs * (any run of characters) or ? (one character): which
 * signs of a token are wildcards, the pattern that the analyzer makes of the token, and the terms
 * that match it.
 *
 * For the analysis, each wildcard is replaced by a letter, so that the analyzer cuts and folds the
 * text around it as in a word. The letter is Ugaritic or, next to Hangul, which ICU separates from
 * other letters, a Hangul syllable. The letter is chosen so that the token lacks it, no other
 * letter folds to it, and it does not change its neighbours.
 */
#pragma once

#include "core/base/buffer.h"

/* The bytes for * and ? in a pattern; UTF-8 has no such bytes. An ANY never follows another. */
#define BS_PATTERN_ANY 0xffu
#define BS_PATTERN_ONE 0xfeu

/* The longest token with wildcards, which bounds the steps of matching per byte of a term. */
#define BS_PATTERN_MAX_BYTES 1024u

/* True if the whole term matches. */
bool bs_pattern_matches(const uint8_t *pattern, size_t pattern_bytes, const uint8_t *term,
                        size_t term_bytes);

/* The number of bytes before the first wildcard. */
size_t bs_pattern_head(const uint8_t *pattern, size_t pattern_bytes);

/* A text with letters in place of wildcards. Zero-initialise; release with bs_wildcards_deinit. */
struct bs_wildcards {
	struct bs_buffer text;
	/* the last bytes of the letters for * and for ?, each for Ugaritic [0] and Hangul [1] */
	uint8_t any[2], one[2];
	uint32_t n; /* wildcards in the text */
	/* the token has a * but is too long; none of its signs are wildcards */
	bool is_too_long;
	/* a * with a word character or a full stop on each side was turned back into a sign */
	bool is_misplaced;
};

/* Finds the wildcards of the token text[token..text_bytes). The text before the token has none.
 * BS_NO_MEMORY. */
enum bs_status bs_wildcards_find(struct bs_wildcards *wildcards, const uint8_t *text, size_t token,
                                 size_t text_bytes, struct bs_error *err) BS_WARN_UNUSED;
void bs_wildcards_deinit(struct bs_wildcards *wildcards);

/* Turns the wildcards before end_byte back into signs. */
void bs_wildcards_take_back(struct bs_wildcards *wildcards, size_t end_byte);

/* For a term that the analyzer made of the text: returns the number of its first bytes in which
 * wildcards must be turned back into signs. These bytes are a ? at its beginning, or the whole term
 * if it has no letter or number of its own. */
size_t bs_wildcards_excess(const struct bs_wildcards *wildcards, const uint8_t *term,
                           size_t term_bytes);

/* Appends the pattern of a term that the analyzer made of the text. is_open: with a * after it.
 * BS_NO_MEMORY. */
enum bs_status bs_wildcards_append(const struct bs_wildcards *wildcards, const uint8_t *term,
                                   size_t term_bytes, bool is_open, struct bs_buffer *pattern,
                                   struct bs_error *err) BS_WARN_UNUSED;
