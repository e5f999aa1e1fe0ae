/*
 * wildcard.h: words with * (any run of characters) and ? (one of them) in them: which signs of a
 * token are wildcards, what pattern the analyzer makes of it, and which terms match that.
 *
 * The analyzer cuts and folds what stands around a wildcard as it does with a word, because it is
 * given a letter in the wildcard's place: one of Ugaritic, or beside Hangul, which ICU cuts off
 * from other letters, one of that; one that the token lacks, that nothing else folds to, and that
 * changes no neighbour.
 */
#pragma once

#include "core/base/buffer.h"

/* In a pattern, among UTF-8, which has no such bytes. No ANY follows another. */
#define BS_PATTERN_ANY 0xffu
#define BS_PATTERN_ONE 0xfeu

/* of a token with wildcards: matching takes that many steps a byte of a term, at most */
#define BS_PATTERN_MAX_BYTES 1024u

/* Whether all of the term matches. */
bool bs_pattern_matches(const uint8_t *pattern, size_t pattern_bytes, const uint8_t *term,
                        size_t term_bytes);

/* How many bytes stand before the first wildcard. */
size_t bs_pattern_head(const uint8_t *pattern, size_t pattern_bytes);

/* A text with letters for wildcards. Zero-initialise; release with bs_wildcards_deinit. */
struct bs_wildcards {
	struct bs_buffer text;
	uint8_t any[2], one[2]; /* the last bytes of the letters, of Ugaritic and of Hangul */
	uint32_t n;             /* letters in it */
	bool is_too_long;       /* it has a * in so long a token that nothing is a wildcard */
	bool is_misplaced;      /* a * within a word or between full stops was taken back */
};

/* Finds the wildcards of a token, text[token..text_bytes), what stands before it being text
 * only. */
enum bs_status bs_wildcards_find(struct bs_wildcards *wildcards, const uint8_t *text, size_t token,
                                 size_t text_bytes, struct bs_error *err) BS_WARN_UNUSED;
void bs_wildcards_deinit(struct bs_wildcards *wildcards);

/* Those before a byte of the text are signs after all. */
void bs_wildcards_take_back(struct bs_wildcards *wildcards, size_t end_byte);

/* Of a term that was made of the text, how many bytes hold wildcards that must be signs: a ? in
 * front of it; all, if it has no letter or number beside. */
size_t bs_wildcards_excess(const struct bs_wildcards *wildcards, const uint8_t *term,
                           size_t term_bytes);

/* Appends the pattern that such a term is; is_open: with a * behind it. */
enum bs_status bs_wildcards_append(const struct bs_wildcards *wildcards, const uint8_t *term,
                                   size_t term_bytes, bool is_open, struct bs_buffer *pattern,
                                   struct bs_error *err) BS_WARN_UNUSED;
