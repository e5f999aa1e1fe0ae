/* pg_letters.h: characters in patterns of PostgreSQL, as patterns of PCRE2 have them: what LIKE and
 * regular expressions have in common. */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_LETTERS_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_LETTERS_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* Letters that a collation makes small, or large, in other ways than the library folds them: i with and without dots. */
enum bsp_letter_i {
	BSP_I_PLAIN,  /* I and i are one letter, and no other is */
	BSP_I_DOTTED, /* U+0130 becomes i, perhaps with U+0307 */
	BSP_I_OTHER,  /* as Turkish or Lithuanian has them: any may become any */
};
enum bsp_letter_i bsp_letter_i_of(Oid collation);

/* The character at text[*at], which is moved on; -1: it is not UTF-8. */
int32 bsp_next_character(const char *text, size_t n_bytes, size_t *at);
/* One character of the text, as it stands there, or in another case. */
void bsp_append_character(StringInfo out, int32 character, bool is_caseless, enum bsp_letter_i letter_i);

#endif
