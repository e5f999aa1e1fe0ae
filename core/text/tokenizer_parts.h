/*
 * tokenizer_parts.h: the parts of an identifier: what stands between low lines (and other
 * characters of category Pc), where an upper-case letter follows a lower-case one (camel|Case),
 * before the last of several upper-case letters that a lower-case one follows (HTTP|Server), and
 * between letters and digits (Server|2). All else, as the apostrophe, stays with what stands beside
 * it. Of the text as it stands, before folding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a character is to the parts of a word. */
enum bs_part_kind {
	BS_PART_OTHER, /* ' . and the like: no part begins beside it */
	BS_PART_GAP,   /* of no part: _ */
	BS_PART_MARK,  /* goes with the character before: marks, and what is not seen */
	BS_PART_DIGIT,
	BS_PART_LETTER, /* without case */
	BS_PART_LOWER,
	BS_PART_UPPER,
};

/* c: a code point. ICU must be loaded. */
enum bs_part_kind bs_part_kind_of(int32_t c);

/* The next part of a word of n characters (enum bs_part_kind each), from *end_out on, where 0 is
 * its beginning: [*start_out, *end_out). False: there is none. */
bool bs_part_next(const uint8_t *kinds, size_t n, size_t *start_out, size_t *end_out);

/* Whether they are two parts or more. */
bool bs_part_are_several(const uint8_t *kinds, size_t n);
