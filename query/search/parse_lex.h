/*
 * parse_lex.h: query bytes -> tokens. Inside query/ only. What a token's text means as words is parse.c's business.
 */
#ifndef BS_QUERY_SEARCH_PARSE_LEX_H
#define BS_QUERY_SEARCH_PARSE_LEX_H

#include "query/search/parse.h"

enum bs_lex_kind {
	BS_LEX_START, /* before the first token */
	BS_LEX_END,
	BS_LEX_OPEN,
	BS_LEX_CLOSE,
	BS_LEX_AND,
	BS_LEX_OR,
	BS_LEX_NOT,
	BS_LEX_MINUS,
	BS_LEX_PHRASE, /* inner: between the quotes */
	BS_LEX_NEAR,   /* the same, with a distance */
	BS_LEX_WORD,   /* inner: all of it */
	BS_LEX_FIELD,  /* made by the parser: the name and colon in front of a word */
};

/* Offsets into the query. */
struct bs_lex_token {
	enum bs_lex_kind kind;
	size_t start_byte;
	size_t end_byte;
	size_t inner_start_byte;
	size_t inner_end_byte;
	uint32_t distance; /* NEAR: at most BS_QUERY_MAX_DISTANCE */
};

/*
 * Reads the token at or after from_byte. after_minus: a `-` stands directly before, so that neither another `-` nor
 * AND, OR and NOT are more than text. Returns false, with a PHRASE of what there is, if a quote is not closed.
 */
bool bs_lex_next(const uint8_t *text, size_t text_bytes, size_t from_byte, bool after_minus,
		 struct bs_lex_token *token_out);

/*
 * What stands at the end of a word, text[start_byte..end_byte): `*` or `~1` or `~2`, unless it is all of the word.
 * Returns the element kind, TERM without any, and where the text in front of it ends.
 */
enum bs_element_kind bs_lex_suffix(const uint8_t *text, size_t start_byte, size_t end_byte, uint8_t *distance_out,
				   size_t *text_end_out);

/* Whether the word ends in ~ and digits that are no distance: surely a mistake, and worth a warning. */
bool bs_lex_has_bad_distance(const uint8_t *text, size_t start_byte, size_t end_byte);

/*
 * The length of the field name, colon included, that the word begins with; 0 if it begins with none. Only names that a
 * token can hold are ever found.
 */
size_t bs_lex_field(const uint8_t *text, size_t start_byte, size_t end_byte, const struct bs_term_table *fields,
		    uint32_t longest_bytes, uint32_t *field_out);

#endif
