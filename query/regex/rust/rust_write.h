/*
 * rust_write.h: writes the parts of a pattern in Rust's regex syntax (rust_syntax.h) as a pattern
 * for PCRE2 or RE2, in one of three forms:
 *
 *     characters   for a search by characters (PCRE2_UTF). \w, \s, \b and \B have Unicode's
 *                  definitions, as rust_words.h writes them for PCRE2; in ASCII text they mean what
 *                  they mean to PCRE2.
 *     bytes        for a search by bytes, of any text: every set is written as the UTF-8 of its
 *                  characters. This is exactly how Rust's engine matches, also next to and within
 *                  invalid characters. It is slower, so it is used only where the form of
 *                  characters would find something else.
 *     linear       like bytes, but for RE2 with its encoding Latin-1: without lookaround, except \b
 *                  and \B.
 */
#pragma once

#include "query/regex/rust/char_set.h"
#include "query/regex/text.h"

/* The flags i m s U u R x, in this order. */
struct bs_rust_flags {
	bool caseless, multi_line, dot_all, swap_greed, unicode, crlf, extended;
};

enum bs_rust_form {
	BS_RUST_CHARACTERS,
	BS_RUST_BYTES,
	BS_RUST_LINEAR,
};

enum bs_rust_place {
	BS_RUST_LINE_START,
	BS_RUST_LINE_END,
	BS_RUST_TEXT_START,
	BS_RUST_TEXT_END,
	BS_RUST_WORD_BOUNDARY,
	BS_RUST_NOT_WORD_BOUNDARY,
	BS_RUST_WORD_START,
	BS_RUST_WORD_END,
	BS_RUST_WORD_START_HALF,
	BS_RUST_WORD_END_HALF,
};

struct bs_rust_writer {
	struct bs_text_writer to;
	enum bs_rust_form form;
	struct bs_rust_flags initial; /* flags that apply to the whole pattern */
	bool strips_cr;               /* bytes only: nothing matches \r */
	bool is_ascii;                /* linear only: for ASCII text */
	bool is_beyond_linear;        /* linear only: a part cannot be written in this form */
	/* a back reference was written last, and a digit would be read as part of its number */
	bool follows_reference;
	/* bytes only: dots, \w, \W and assertions about words are calls of definitions, too */
	bool calls;
	/* bytes only. uses_words: the pattern calls the definitions of word characters. uses_any:
	 * it calls those of any character. */
	bool uses_words, uses_any;
	struct bs_buffer definitions; /* bytes only: further definitions, each NUL-terminated */
	/* A part matches single bytes beyond ASCII, perhaps within a character. */
	bool has_bytes;
	/* A part matches characters beyond ASCII, or looks at them. */
	bool has_characters;
	/* A part looks at whether the characters around it are valid. */
	bool sees_validity;
};

/* A part of a simple class: a range, or the letter of \d \s \w \D \S \W. */
struct bs_rust_member {
	uint32_t first, last;
	char letter; /* 0: a range */
};

/* Writes a character. Without flags->unicode, c >= 0x80 is written as a byte if is_byte, otherwise
 * as a character in UTF-8. */
void bs_rust_put_char(struct bs_rust_writer *writer, const struct bs_rust_flags *flags, uint32_t c,
                      bool is_byte);
void bs_rust_put_dot(struct bs_rust_writer *writer, const struct bs_rust_flags *flags);
void bs_rust_put_perl(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                      char letter);
/* Writes a class of ranges and \d \s \w nearly as the pattern has it. Only for
 * BS_RUST_CHARACTERS. */
void bs_rust_put_members(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                         const struct bs_rust_member *members, size_t n, bool is_negated);
/* Writes a set of code points or, without flags->unicode, of bytes. Letter case is not folded: the
 * set must contain all cases. */
void bs_rust_put_set(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                     struct bs_char_set *set);
/* Writes a text that never matches. */
void bs_rust_put_never(struct bs_rust_writer *writer);
void bs_rust_put_place(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                       enum bs_rust_place place);
/* Writes the definitions that the pattern calls. Call it at the end of the pattern. */
void bs_rust_put_definitions(struct bs_rust_writer *writer);

/* Replaces the text written since `start` by a call of a definition. PCRE2 writes out repetitions
 * and limits the size of the result, so a large text is written only once. defined: the definitions
 * so far, each NUL-terminated. */
void bs_rust_define(struct bs_text_writer *to, struct bs_buffer *defined, size_t start);
/* Writes the definitions that bs_rust_define collected, for the inside of (?(DEFINE)...). Returns
 * their number. */
uint32_t bs_rust_put_defined(struct bs_text_writer *to, const struct bs_buffer *defined);

/* True if c is written as several items, so that a quantifier needs a group. */
bool bs_rust_is_several(const struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                        uint32_t c);
