/*
 * tokenizer_near.h: what can be said of the words of a text from its bytes, without analysing all
 * of it. For the verifier, which looks for words by their bytes and analyses only what stands
 * around them. The analyzer (tokenizer.h) has the last word; what is said here follows from its
 * rules, and the tests compare the two.
 *
 * A term of ASCII stands in a text in one of two ways. Either all of its source is ASCII, and then
 * it is the term itself but for the case of its letters; or its source has a code point that the
 * analyzer turns into ASCII or into nothing (the Kelvin sign, a ligature, a soft hyphen). Why:
 * NFKC_Casefold, and the dropping of accents, replace every code point by itself and then compose;
 * composing makes no ASCII out of anything else. So in a text without such code points every term
 * of ASCII can be found by its bytes. With stemming none of this holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text/tokenizer.h"

/* What a code point beyond ASCII may become in a term. */
enum bs_tokenizer_ascii_form {
	BS_ASCII_FORM_NONE, /* never ASCII, never nothing: it hides no term of ASCII */
	/* ASCII, but no letter, digit or _: it may be part of terms like 3.14 and don't */
	BS_ASCII_FORM_OTHER,
	BS_ASCII_FORM_WORD, /* a letter, digit or _ of ASCII, or nothing at all */
};

/* c: a code point from 0x80 on. Remembered for the next time. */
enum bs_status bs_tokenizer_ascii_form(struct bs_tokenizer *tokenizer, int32_t c,
                                       enum bs_tokenizer_ascii_form *ascii_form_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Whether terms are found by their bytes at all: not where they are stemmed, or cut by somebody
 * else. */
bool bs_tokenizer_keeps_bytes(const struct bs_tokenizer *tokenizer);

/* Two bytes of ASCII that stand side by side, both of a word: whether it may end between them all
 * the same, because a date is cut there (at a T) or an identifier is split. */
bool bs_tokenizer_may_end_between(const struct bs_tokenizer *tokenizer, uint8_t before,
                                  uint8_t after);

/* Whether a term of digits, t and perhaps digits may stand for a date, which is no word where its T
 * is large. */
bool bs_tokenizer_may_be_date(const struct bs_tokenizer *tokenizer, const uint8_t *term,
                              size_t term_bytes);

/* Whether identifiers are split: a word may have several positions, and then its first one
 * twice. */
bool bs_tokenizer_splits(const struct bs_tokenizer *tokenizer);

/* Whether a word of ASCII that is all of this text has several parts. */
bool bs_tokenizer_has_parts(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                            size_t n_bytes);

/* What a byte is to the words around it. */
enum bs_byte_kind {
	BS_BYTE_LETTER, /* an ASCII letter or digit */
	/* any other byte that may begin, end or continue a word: _ and, by some versions of ICU,
	 * @ */
	BS_BYTE_JOINER,
	/* no part of a word, whatever stands beside it: white space, most punctuation */
	BS_BYTE_INERT,
	/* no part of a word but, perhaps, between two of the first two kinds: ' . : and the like */
	BS_BYTE_MID,
	BS_BYTE_HIGH, /* not ASCII: anything */
};
void bs_tokenizer_byte_kinds(const struct bs_tokenizer *tokenizer, uint8_t kinds_out[256]);

/* The last safe cut in [low, at], or the first in [at, high]; at itself may be one. 0 and
 * text_bytes are. Texts are analysed the same whether or not they are cut at a safe cut. False if
 * there is none. low <= at <= high <= text_bytes. */
bool bs_tokenizer_cut_before(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                             size_t text_bytes, size_t low, size_t at, size_t *cut_out);
bool bs_tokenizer_cut_after(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                            size_t text_bytes, size_t at, size_t high, size_t *cut_out);
