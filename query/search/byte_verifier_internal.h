/*
 * byte_verifier_internal.h: what the two files of the quick verifier share. Nobody else includes it.
 *
 *   byte_verifier.c        the query made ready, its tree, a whole document
 *   byte_verifier_near.c   one place of a text where a word was found: is it a word there, and is the phrase around it?
 */
#ifndef BS_QUERY_SEARCH_BYTE_VERIFIER_INTERNAL_H
#define BS_QUERY_SEARCH_BYTE_VERIFIER_INTERNAL_H

#include "core/text/words_near.h"
#include "query/search/byte_verifier.h"

/* A larger query is left to match.c; so is a longer word, which text can be made to resemble at every place. */
#define BS_BYTE_VERIFIER_MAX_ELEMENTS 64u
#define BS_BYTE_VERIFIER_MAX_NODES    64u
#define BS_BYTE_VERIFIER_MAX_LEAF     256u /* items of a leaf */
#define BS_BYTE_VERIFIER_MAX_WORD     256u /* bytes */
/* A longer phrase is not confirmed here. */
#define BS_BYTE_VERIFIER_MAX_ITEMS    32u

struct bs_byte_verifier_element {
	struct bs_needle needle; /* unless it is not searchable */
	bool is_searchable;      /* where its bytes are not, it is not */
	bool is_term;            /* searchable, and a word where its bytes are a word; else it is a prefix */
	bool is_plain;           /* a term that begins and ends with a letter or digit, and is one word by itself; or a
	                          * prefix that begins with one and is of letters, digits and _ */
	bool is_scored;
	uint64_t df;
};

/* A text being looked at: a field's, or a line of JSON, in which escapes stand for what they mean. */
struct bs_byte_verifier_text {
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_json;
	bool goes_on_before; /* it is a piece of a text */
	bool goes_on_after;
};

/* Around a word in JSON, so many bytes on either side are made into text to be analysed. */
#define BS_BYTE_VERIFIER_PIECE_BYTES ((size_t)384)

struct bs_byte_verifier {
	const struct bs_plan *plan;
	const struct bs_query *query;
	const struct bs_query_field *fields;
	struct bs_words *words;
	const struct bs_kernel *kernel;
	uint8_t kinds[256];         /* enum bs_byte_kind */
	enum bs_words_ascii_form worst;  /* the least ASCII form that may hide one of the query's words */
	bool has_not;
	struct bs_byte_verifier_element elements[BS_BYTE_VERIFIER_MAX_ELEMENTS];
	uint32_t rarest[BS_BYTE_VERIFIER_MAX_NODES]; /* of a phrase: index of the item to begin with; UINT32_MAX: none */
	uint64_t most[BS_BYTE_VERIFIER_MAX_NODES];   /* documents that may have it, at most: the fewest are asked first */
	uint32_t *children;                 /* like the query's, but in that order under an AND */
	uint32_t by_bytes[BS_BYTE_VERIFIER_MAX_ELEMENTS]; /* the scored terms, sorted */
	size_t n_by_bytes;
	struct bs_match_word found[BS_BYTE_VERIFIER_MAX_ELEMENTS];
	double idfs[BS_BYTE_VERIFIER_MAX_ELEMENTS];

	/* The document. */
	struct bs_byte_verifier_text text; /* the line of JSON; unless there are fields */
	const struct bs_field *doc_fields;
	size_t n_doc_fields;
	bool is_json; /* so are the fields */
	uint8_t known[BS_BYTE_VERIFIER_MAX_ELEMENTS]; /* enum bs_byte_verdict + 1 of the element in any field, or 0 */
	uint8_t piece[4 * BS_BYTE_VERIFIER_PIECE_BYTES]; /* of JSON, as text */
	size_t left_bytes;                   /* that may still be analysed for it */
	struct bs_error *err;
	enum bs_status status; /* sticky */
};

/* Whether the bytes of element e at text[at] may be a word, and the word: NO, YES or UNKNOWN. Analyses nothing. */
enum bs_byte_verdict bs_byte_verifier_may_match(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, uint32_t e, size_t at);

/* The same after analysing what stands around. JSON must be a string or a piece of one. UNKNOWN: it would be too much. */
enum bs_byte_verdict bs_byte_verifier_is_word(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, uint32_t e, size_t at);

/* Whether the words beside item i of a phrase, whose bytes stand at text[at], may be those that the phrase wants. */
bool bs_byte_verifier_phrase_may_be(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text,
                           const struct bs_query_node *phrase, uint32_t i, size_t at);

/* Whether the phrase stands there. JSON must be a string. UNKNOWN: finding out would be too much. */
enum bs_byte_verdict bs_byte_verifier_is_phrase(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text,
                                 const struct bs_query_node *phrase, uint32_t i, size_t at);

#endif
