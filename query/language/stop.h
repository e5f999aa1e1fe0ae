/*
 * stop.h: stop words. They do not score, and with `any` a stop word that is not part of a phrase or
 * negation is ignored. If a query has no other words that are not negated, they are like other
 * words. They are indexed like other words. Lists contain unstemmed words, and the words of a query
 * are compared with them unstemmed. A stem is a stop word if it is the stem of a word on the list.
 */
#pragma once

#include "core/bitsift/status.h"
#include "core/collections/term_table.h"
#include "core/text/tokenizer.h"

/* The choice of a list. Borrowed. */
struct bs_stop_choice {
	const char *language; /* name of a built-in list; NULL: none */
	const char *words; /* additional words, in the format of a file of stop words; NULL: none */
	size_t words_bytes;
};

/* Zero-initialise; reusable; release with bs_stop_deinit. */
struct bs_stop {
	struct bs_term_table words;     /* the stop words, folded, not stemmed */
	struct bs_term_table stems;     /* their stems; empty if the index does not stem */
	struct bs_buffer text;          /* the text of the current list */
	struct bs_tokenizer *unstemmed; /* borrowed: the analyzer of the index without stemming */
};
void bs_stop_deinit(struct bs_stop *stop);

/* Reads the chosen list, which may be empty. unstemmed is NULL if tokenizer does not stem.
 * BS_INVALID: there is no list of that name. Also fails like bs_tokenizer_analyze. */
enum bs_status bs_stop_begin(struct bs_stop *stop, const struct bs_stop_choice *choice,
                             struct bs_tokenizer *tokenizer, struct bs_tokenizer *unstemmed,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Appends a byte for each word of a text (not for bigrams): 1 if the unstemmed word is on the list,
 * otherwise 0. Fails like bs_tokenizer_analyze. */
enum bs_status bs_stop_mark(const struct bs_stop *stop, const uint8_t *text, size_t text_bytes,
                            struct bs_buffer *marks, struct bs_error *err) BS_WARN_UNUSED;

/* True if a term, which the analyzer of the index made, comes from a word on the list. */
bool bs_stop_has_term(const struct bs_stop *stop, const uint8_t *term, size_t term_bytes);
