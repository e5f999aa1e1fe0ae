/*
 * lex.h: query text -> the tokens of the grammar of parse.h. What is wrong with a text ends here:
 * every bracket among the tokens has its partner, every operator its operands, and each field its
 * own; what lacks them is text, with a notice.
 */
#pragma once

#include "query/language/query_tree.h"

#define BS_LEX_FILE_NAME "name" /* the field of files by their paths, or of records */

enum bs_lex_kind {
	BS_LEX_WORD,
	BS_LEX_PHRASE,
	BS_LEX_NEAR,  /* a phrase with a distance */
	BS_LEX_FIELD, /* the name and colon in front of a primary */
	BS_LEX_OPEN,
	BS_LEX_CLOSE,
	BS_LEX_AND,
	BS_LEX_OR,
	BS_LEX_NOT,
	BS_LEX_END, /* the last one */
};

/* Offsets into the query's text. */
struct bs_lexeme {
	uint8_t kind; /* enum bs_lex_kind */
	/* WORD: the rest of a pair of signs, or half of one: no notice if it holds no word */
	bool is_rest;
	uint32_t value; /* FIELD: the field. NEAR: the distance, at most BS_QUERY_MAX_DISTANCE */
	uint32_t start_byte, end_byte;
	/* WORD, PHRASE, NEAR: what is analysed: no field, quote, distance or weight */
	uint32_t inner_start_byte, inner_end_byte;
	/* WORD, PHRASE, NEAR, CLOSE: 1 where none stands */
	double weight;
};

struct bs_lex_bracket; /* of lex.c */

BS_VECTOR(bs_lexemes, struct bs_lexeme);
BS_VECTOR(bs_lex_brackets, struct bs_lex_bracket);

/* A text on its way into a query; the first failure sticks. */
struct bs_lexing {
	const uint8_t *text;
	size_t text_bytes;
	const struct bs_query_options *options;
	struct bs_query_tree *query; /* notices go there */
	struct bs_lexemes tokens;
	/* a byte of enum mark for each of the text's; empty: there are no brackets and quotes */
	struct bs_buffer marks;
	struct bs_lex_brackets open; /* the brackets that are not closed yet */
	uint32_t n_names_tried;      /* that are no fields */
	size_t error_byte;
	enum bs_status status;
	struct bs_error *err;
};

void bs_lex(struct bs_lexing *lexing);
void bs_lex_deinit(struct bs_lexing *lexing);

/* These do nothing after a failure. */
void bs_lex_keep(struct bs_lexing *lexing, enum bs_status status);
void bs_lex_fail(struct bs_lexing *lexing, size_t byte, const char *message);
/* What stands in text[start_byte..end_byte), and the message about it; with options->strict, an
 * error. */
void bs_lex_notice(struct bs_lexing *lexing, size_t start_byte, size_t end_byte,
                   const char *message);

/* A letter, mark, number or low line. */
bool bs_lex_is_word_character(int32_t c);

static inline bool bs_lex_is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}
