/*
 * tokenizer_near.h: facts about the words of a text that follow from its bytes, without tokenizing
 * all of it. For the verifier, which searches words by their bytes and tokenizes only their
 * surroundings. The tokenizer (tokenizer.h) decides; these facts follow from its rules, and the
 * tests compare both.
 *
 * An ASCII term can occur in a text in two ways. Either all bytes of the word in the text are
 * ASCII; then they are the term, ignoring case. Or the word has a code point that the tokenizer
 * turns into ASCII or into nothing (the Kelvin sign, a ligature, a soft hyphen). Reason:
 * NFKC_Casefold and the removal of accents replace each code point separately and then compose, and
 * composition never yields ASCII. So in a text without such code points every ASCII term can be
 * found by its bytes. This does not hold with stemming or an application's analyzer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text/tokenizer.h"

/* What a code point beyond ASCII may become in a term. */
enum bs_tokenizer_ascii_form {
	BS_ASCII_FORM_NONE, /* not ASCII, and not nothing: no part of an ASCII term */
	/* ASCII, but not a letter, digit or _; it may be part of terms such as 3.14 and don't. */
	BS_ASCII_FORM_OTHER,
	BS_ASCII_FORM_WORD, /* an ASCII letter, digit or _, or nothing */
};

/* The ASCII form of c, a code point >= 0x80. Caches the result. BS_NO_MEMORY, BS_UNSUPPORTED. */
enum bs_status bs_tokenizer_ascii_form(struct bs_tokenizer *tokenizer, int32_t c,
                                       enum bs_tokenizer_ascii_form *ascii_form_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Whether terms can be found by their bytes: false with stemming or an application's analyzer. */
bool bs_tokenizer_keeps_bytes(const struct bs_tokenizer *tokenizer);

/* Whether a word may end between two adjacent ASCII bytes of words, because a date is cut there (at
 * a T) or an identifier is split. */
bool bs_tokenizer_may_end_between(const struct bs_tokenizer *tokenizer, uint8_t before,
                                  uint8_t after);

/* Whether the term is digits, a t, and perhaps digits. Such bytes are one word of a text if the t
 * is lower case (02t03); with an upper-case T they may be a date, which is cut at the T. */
bool bs_tokenizer_may_be_date(const struct bs_tokenizer *tokenizer, const uint8_t *term,
                              size_t term_bytes);

/* Whether identifiers are split. Then a word may take several positions, the first of which also
 * has the whole word. */
bool bs_tokenizer_splits(const struct bs_tokenizer *tokenizer);

/* Whether this text, which is one ASCII word, has several parts. True if it is over 256 bytes. */
bool bs_tokenizer_has_parts(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                            size_t n_bytes);

/* The role of a byte next to words. */
enum bs_byte_kind {
	BS_BYTE_LETTER, /* an ASCII letter or digit */
	/* Another byte that may begin, end or continue a word: _ and, in some versions of ICU,
	 * @. */
	BS_BYTE_JOINER,
	/* Never part of a word, whatever its neighbours: white space, most punctuation. */
	BS_BYTE_INERT,
	/* Part of a word only between two letters, digits or joiners, if at all: ' . : and the
	 * like. */
	BS_BYTE_MID,
	BS_BYTE_HIGH, /* not ASCII: any role */
};
void bs_tokenizer_byte_kinds(const struct bs_tokenizer *tokenizer, uint8_t kinds_out[256]);

/* bs_tokenizer_cut_before finds the last safe cut in [low, at], bs_tokenizer_cut_after the first in
 * [at, high]; false if there is none. Splitting a text at a safe cut does not change its tokens; 0
 * and text_bytes are safe cuts. low <= at <= high <= text_bytes. */
bool bs_tokenizer_cut_before(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                             size_t text_bytes, size_t low, size_t at, size_t *cut_out);
bool bs_tokenizer_cut_after(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                            size_t text_bytes, size_t at, size_t high, size_t *cut_out);
