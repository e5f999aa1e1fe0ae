/*
 * pg_pattern.h: patterns of PostgreSQL, as the library understands them. What is made of one need not mean the same: it matches every text
 * that the pattern matches, and perhaps more, so that nothing which it rules out matches. What is not surely understood matches all.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_PATTERN_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_PATTERN_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Letters that a collation makes small, or large, in other ways than the library folds them: i with and without dots. */
enum bsp_letter_i {
	BSP_I_PLAIN,  /* I and i are one letter, and no other is */
	BSP_I_DOTTED, /* U+0130 becomes i, perhaps with U+0307 */
	BSP_I_OTHER,  /* as Turkish or Lithuanian has them: any may become any */
};
enum bsp_letter_i bsp_letter_i_of(Oid collation);

/* Each appends a pattern of PCRE2, in UTF-8, in which a dot is any character. */
void bsp_like_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation);
/* *caseless_out: its letters are those of both cases. */
void bsp_regex_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation,
                       bool *caseless_out);

/* The character at text[*at], which is moved on; -1: it is not UTF-8. */
int32 bsp_next_character(const char *text, size_t n_bytes, size_t *at);
/* One character of the text, as it stands there, or in another case. */
void bsp_append_character(StringInfo out, int32 character, bool is_caseless, enum bsp_letter_i letter_i);
/* Does the library fold it as PostgreSQL's cases do? */
bool bsp_is_folded_alike(int32 character);

#endif
