/* parse_lex.c: query bytes -> tokens. See parse_lex.h. */
#include "query/search/parse_lex.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/visible.h"

/* The bytes of the white space at `at`, 0 if there is none. */
static size_t space_bytes(const uint8_t *text, size_t text_bytes, size_t at)
{
	if (at >= text_bytes)
		return 0;
	size_t next = at;
	return bs_visible_is_space(bs_visible_next(text, text_bytes, &next)) ? next - at : 0;
}

static bool is_delimiter(const uint8_t *text, size_t text_bytes, size_t at)
{
	return at >= text_bytes || text[at] == '(' || text[at] == ')' || text[at] == '"' ||
	       space_bytes(text, text_bytes, at) > 0;
}

/* The byte after the last of a word; continuation bytes never look like a delimiter. */
static size_t word_end(const uint8_t *text, size_t text_bytes, size_t at)
{
	while (!is_delimiter(text, text_bytes, at))
		at++;
	return at;
}

static enum bs_lex_kind word_kind(const uint8_t *word, size_t word_bytes)
{
	if (word_bytes == 3 && memcmp(word, "AND", 3) == 0)
		return BS_LEX_AND;
	if (word_bytes == 2 && memcmp(word, "OR", 2) == 0)
		return BS_LEX_OR;
	if (word_bytes == 3 && memcmp(word, "NOT", 3) == 0)
		return BS_LEX_NOT;
	return BS_LEX_WORD;
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* Takes the ~N behind a closing quote into the token, if it is one. */
static void lex_distance(const uint8_t *text, size_t text_bytes, struct bs_lex_token *token)
{
	size_t at = token->end_byte;
	if (at >= text_bytes || text[at] != '~')
		return;
	uint32_t distance = 0;
	for (at++; at < text_bytes && is_digit(text[at]); at++) {
		uint64_t longer = (uint64_t)distance * 10 + (text[at] - (uint8_t)'0');
		distance = longer < BS_QUERY_MAX_DISTANCE ? (uint32_t)longer : BS_QUERY_MAX_DISTANCE;
	}
	if (at == token->end_byte + 1 || !is_delimiter(text, text_bytes, at))
		return;
	token->kind = BS_LEX_NEAR;
	token->distance = distance;
	token->end_byte = at;
}

static bool lex_phrase(const uint8_t *text, size_t text_bytes, struct bs_lex_token *token)
{
	token->kind = BS_LEX_PHRASE;
	token->inner_start_byte = token->start_byte + 1;
	size_t left_bytes = text_bytes - token->inner_start_byte;
	const uint8_t *close = left_bytes ? memchr(text + token->inner_start_byte, '"', left_bytes) : NULL;
	token->inner_end_byte = close ? (size_t)(close - text) : text_bytes;
	token->end_byte = close ? token->inner_end_byte + 1 : text_bytes;
	if (close)
		lex_distance(text, text_bytes, token);
	return close != NULL;
}

static void lex_word(const uint8_t *text, size_t text_bytes, bool after_minus, struct bs_lex_token *token)
{
	size_t at = token->start_byte;
	if (text[at] == '-' && !after_minus && at + 1 < text_bytes && space_bytes(text, text_bytes, at + 1) == 0) {
		token->kind = BS_LEX_MINUS;
		token->end_byte = at + 1;
		return;
	}
	token->end_byte = word_end(text, text_bytes, at);
	token->inner_start_byte = at;
	token->inner_end_byte = token->end_byte;
	token->kind = after_minus ? BS_LEX_WORD : word_kind(text + at, token->end_byte - at);
}

bool bs_lex_next(const uint8_t *text, size_t text_bytes, size_t from_byte, bool after_minus,
		 struct bs_lex_token *token_out)
{
	size_t at = from_byte;
	for (size_t n_bytes; (n_bytes = space_bytes(text, text_bytes, at)) > 0;)
		at += n_bytes;
	struct bs_lex_token token = {.kind = BS_LEX_END, .start_byte = at, .end_byte = at};
	bool closed = true;
	if (at < text_bytes && (text[at] == '(' || text[at] == ')')) {
		token.kind = text[at] == '(' ? BS_LEX_OPEN : BS_LEX_CLOSE;
		token.end_byte = at + 1;
	} else if (at < text_bytes && text[at] == '"') {
		closed = lex_phrase(text, text_bytes, &token);
	} else if (at < text_bytes) {
		lex_word(text, text_bytes, after_minus, &token);
	}
	*token_out = token;
	return closed;
}

enum bs_element_kind bs_lex_suffix(const uint8_t *text, size_t start_byte, size_t end_byte, uint8_t *distance_out,
				   size_t *text_end_out)
{
	const uint8_t *end = text + end_byte;
	size_t n_bytes = end_byte - start_byte;
	*distance_out = 0;
	*text_end_out = end_byte;
	if (n_bytes > 1 && end[-1] == '*') {
		*text_end_out = end_byte - 1;
		return BS_ELEMENT_PREFIX;
	}
	if (n_bytes > 2 && end[-2] == '~' && (end[-1] == '1' || end[-1] == '2')) {
		*distance_out = (uint8_t)(end[-1] - '0');
		*text_end_out = end_byte - 2;
		return BS_ELEMENT_FUZZY;
	}
	return BS_ELEMENT_TERM;
}

bool bs_lex_has_bad_distance(const uint8_t *text, size_t start_byte, size_t end_byte)
{
	size_t at = end_byte;
	while (at > start_byte && is_digit(text[at - 1]))
		at--;
	return at > start_byte + 1 && text[at - 1] == '~';
}

size_t bs_lex_field(const uint8_t *text, size_t start_byte, size_t end_byte, const struct bs_term_table *fields,
		    uint32_t longest_bytes, uint32_t *field_out)
{
	const uint8_t *word = text + start_byte;
	size_t word_bytes = end_byte - start_byte;
	size_t reach = fields && word_bytes > longest_bytes ? (size_t)longest_bytes + 1 : word_bytes;
	size_t found_bytes = 0;
	for (size_t at = 1; fields && at < reach; at++) {
		const uint8_t *colon = memchr(word + at, ':', reach - at);
		if (!colon)
			break;
		at = (size_t)(colon - word);
		if (bs_term_table_find(fields, word, (uint32_t)at, bs_hash_slot(word, at), field_out))
			found_bytes = at + 1;
	}
	return found_bytes;
}
