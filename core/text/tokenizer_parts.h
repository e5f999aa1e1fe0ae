/*
 * tokenizer_parts.h: splits an identifier into parts: at underscores (and other characters of
 * category Pc), before an upper-case letter that follows a lower-case one (camel|Case), before the
 * last of several upper-case letters if a lower-case one follows (HTTP|Server), and between letters
 * and digits (Server|2). All other characters, such as the apostrophe, belong to their neighbours.
 * Identifiers are split before folding, because folding loses upper case.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The role of a character in splitting. */
enum bs_part_kind {
	BS_PART_OTHER, /* ' . and the like: no part begins next to it */
	BS_PART_GAP,   /* _: belongs to no part */
	BS_PART_MARK,  /* belongs to the character before: marks, invisible characters */
	BS_PART_DIGIT,
	BS_PART_LETTER, /* without case */
	BS_PART_LOWER,
	BS_PART_UPPER,
};

/* The kind of a code point. Needs bs_icu_load. */
enum bs_part_kind bs_part_kind_of(int32_t c);

/* The next part [*start_out, *end_out) of a word of n characters (enum bs_part_kind each). Starts
 * at *end_out, initially 0. Returns false if there are no more parts. */
bool bs_part_next(const uint8_t *kinds, size_t n, size_t *start_out, size_t *end_out);

/* Whether the word has two parts or more. */
bool bs_part_are_several(const uint8_t *kinds, size_t n);
