/*
 * stop.h: words that say nothing about a text. They do not score, and with `any` they do not match,
 * as long as a query has others; the index has them all. A list is of words as they are written: a
 * stem is on it only where a word on it has been stemmed to that.
 */
#pragma once

#include "core/bitsift/status.h"
#include "core/collections/term_table.h"
#include "core/text/tokenizer.h"

/* Which words are on the list. Borrowed. */
struct bs_stop_choice {
	const char *language; /* the list of that name; NULL: none */
	const char *words;    /* and these, as written in a file of stop words; NULL: none */
	size_t words_bytes;
};

/* Zero-initialise; reusable; release with bs_stop_deinit. */
struct bs_stop {
	struct bs_term_table words;     /* folded, not stemmed */
	struct bs_term_table stems;     /* as the index has them; empty where it does not stem */
	struct bs_buffer text;          /* the list that this is */
	struct bs_tokenizer *unstemmed; /* borrowed: the analyzer of the index, but for stemming */
};
void bs_stop_deinit(struct bs_stop *stop);

/* Makes it the chosen list, which may be empty; unstemmed: NULL, if words does not stem.
 * BS_INVALID: there is no list of that name. BS_NO_MEMORY. */
enum bs_status bs_stop_begin(struct bs_stop *stop, const struct bs_stop_choice *choice,
                             struct bs_tokenizer *tokenizer, struct bs_tokenizer *unstemmed,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Appends a byte for each word of a text, bigrams not counted: whether it is on the list, before it
 * is stemmed. BS_NO_MEMORY. */
enum bs_status bs_stop_mark(const struct bs_stop *stop, const uint8_t *text, size_t text_bytes,
                            struct bs_buffer *marks, struct bs_error *err) BS_WARN_UNUSED;

/* Whether a term of the index comes from a word that is on it. */
bool bs_stop_has_term(const struct bs_stop *stop, const uint8_t *term, size_t term_bytes);
