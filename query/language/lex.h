/*
 * lex.h: splits query text into the tokens of the grammar in parse.h. Resolves malformed text:
 * every bracket among the tokens has its partner, every operator its operands, and every field its
 * operand. A sign without these becomes text or is dropped, with a notice.
 */
#pragma once

#include "query/language/query_tree.h"

/* The pseudo-field of file paths. Records may also have a field of this name. */
#define BS_LEX_FILE_NAME "name"

enum bs_lex_kind {
	BS_LEX_WORD,
	BS_LEX_PHRASE,
	BS_LEX_NEAR,  /* a phrase with a distance */
	BS_LEX_FIELD, /* a field name and its colon, before a primary */
	BS_LEX_OPEN,
	BS_LEX_CLOSE,
	BS_LEX_AND,
	BS_LEX_OR,
	BS_LEX_NOT,
	BS_LEX_END, /* always the last token */
};

/* A token. Offsets are into the query text. */
struct bs_lexeme {
	uint8_t kind; /* enum bs_lex_kind */
	/* WORD: the token contains a quote, or ( and ) in unequal numbers. If the analyzer finds no
	 * word in such a token, the parser drops it without a notice. */
	bool is_rest;
	/* FIELD: the field number. NEAR: the distance, at most BS_QUERY_MAX_DISTANCE */
	uint32_t value;
	uint32_t start_byte, end_byte;
	/* WORD, PHRASE, NEAR: the token without fields, quotes, weight and the distance of a NEAR.
	 * A WORD keeps *, ~1 or ~2 at its end. */
	uint32_t inner_start_byte, inner_end_byte;
	/* WORD, PHRASE, NEAR, CLOSE: the weight; 1 if there is none */
	double weight;
};

struct bs_lex_bracket; /* defined in lex.c */

BS_VECTOR(bs_lexemes, struct bs_lexeme);
BS_VECTOR(bs_lex_brackets, struct bs_lex_bracket);

/* The state of the lexer. The first failure is sticky. */
struct bs_lexing {
	const uint8_t *text;
	size_t text_bytes;
	const struct bs_query_options *options;
	struct bs_query_tree *query; /* receives the notices */
	struct bs_lexemes tokens;
	/* an enum mark for each byte of the text; empty: no brackets or quotes */
	struct bs_buffer marks;
	struct bs_lex_brackets open; /* a stack of open brackets */
	uint32_t n_names_tried;      /* names so far that may be misspelt fields */
	size_t error_byte;           /* position in the text of a BS_INVALID failure */
	enum bs_status status;       /* the first failure */
	struct bs_error *err;
};

void bs_lex(struct bs_lexing *lexing);
void bs_lex_deinit(struct bs_lexing *lexing);

/* bs_lex_keep records a status; bs_lex_fail records a BS_INVALID failure at a byte of the text.
 * These two and bs_lex_notice do nothing after a failure. */
void bs_lex_keep(struct bs_lexing *lexing, enum bs_status status);
void bs_lex_fail(struct bs_lexing *lexing, size_t byte, const char *message);
/* Adds a notice: text[start_byte..end_byte) followed by the message. With options->strict, fails
 * instead. */
void bs_lex_notice(struct bs_lexing *lexing, size_t start_byte, size_t end_byte,
                   const char *message);

/* True for a letter, mark, number or underscore. */
bool bs_lex_is_word_character(int32_t c);

static inline bool bs_lex_is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}
