/* pg_letters.h: adds the characters of a pattern to a pattern tree of the library, so that it
 * matches at least the characters that PostgreSQL matches. Used for LIKE and regular
 * expressions. */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_LETTERS_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_LETTERS_H

#include "postgres.h"

#include "core/bitsift/pattern_tree.h"

/* How a collation maps the case of i: with or without dot, capital or small. */
enum bsp_letter_i {
	BSP_I_PLAIN,  /* only I and i are cases of each other */
	BSP_I_DOTTED, /* U+0130 lowers to i, possibly followed by U+0307 */
	BSP_I_OTHER,  /* as in Turkish or Lithuanian, or unknown: any form of i may map to any
	               * other */
};
enum bsp_letter_i bsp_letter_i_of(Oid collation);

/* Returns the character at text[*at] and advances *at past it. If it is not valid UTF-8, returns -1
 * and advances *at by one byte. */
int32 bsp_next_character(const char *text, size_t n_bytes, size_t *at);
/* Adds a character of the pattern to a tree; -1 adds any text. `is_caseless` must be the tree's
 * case folding. May add several parts. */
void bsp_add_character(struct bs_pattern_tree *tree, int32 character, bool is_caseless,
                       enum bsp_letter_i letter_i);
/* Adds a part that matches any text. */
void bsp_add_any_text(struct bs_pattern_tree *tree);

/* Returns an empty tree, owned by the current memory context. */
struct bs_pattern_tree *bsp_pattern_tree(bool fold_case);
/* Completes a tree. */
void bsp_pattern_tree_end(struct bs_pattern_tree *tree);

#endif
