/* random_ask.h: random texts, and queries about them that usually have hits: word queries, LIKE
 * patterns, regular expressions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tests/rigs/dice.h"

bool one_in(unsigned n); /* true once in n times */

/* A growing string, always NUL-terminated. */
struct text {
	char *bytes;
	size_t n_bytes, capacity;
};

void text_clear(struct text *text);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t n_bytes);
/* Appends the string as an SQL literal. */
void text_add_quoted(struct text *text, const char *string);
void text_free(struct text *text);
/* Declares a text that is freed at the end of its block. */
#define TEXT __attribute__((cleanup(text_free))) struct text

/* Makes the text one of the last N_LATELY texts, of which queries take parts. ask_text does so for
 * each text that it makes. */
#define N_LATELY 256
void ask_remember(const char *text);
/* The functions below replace the content of their argument. A text may be empty, but never NULL.
 * They need a locale with UTF-8 (LC_CTYPE). */
void ask_text(struct text *text_out);
void ask_query(struct text *query_out);
/* A query with words, for ORDER BY. */
void ask_ranking(struct text *query_out);
void ask_like(struct text *pattern_out);
void ask_regex(struct text *pattern_out);
