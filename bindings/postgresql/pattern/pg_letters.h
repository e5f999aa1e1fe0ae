/* pg_letters.h: characters of PostgreSQL's patterns as the library matches them: what LIKE and
 * regular expressions have in common. */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_LETTERS_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_LETTERS_H

#include "postgres.h"

#include "core/bitsift/pattern_tree.h"

/* Letters that a collation makes small, or large, in other ways than the library folds them: i with
 * and without dots. */
enum bsp_letter_i {
	BSP_I_PLAIN,  /* I and i are one letter, and no other is */
	BSP_I_DOTTED, /* U+0130 becomes i, perhaps with U+0307 */
	BSP_I_OTHER,  /* as Turkish or Lithuanian has them: any may become any */
};
enum bsp_letter_i bsp_letter_i_of(Oid collation);

/* The character at text[*at], which is moved on; -1: it is not UTF-8. */
int32 bsp_next_character(const char *text, size_t n_bytes, size_t *at);
/* Adds a character of the pattern to a tree, which folds case if is_caseless; -1: any text. It may
 * be several parts. */
void bsp_add_character(struct bs_pattern_tree *tree, int32 character, bool is_caseless,
                       enum bsp_letter_i letter_i);
/* Adds any text. */
void bsp_add_any_text(struct bs_pattern_tree *tree);

/* An empty tree. It belongs to the current memory context. */
struct bs_pattern_tree *bsp_pattern_tree(bool fold_case);
/* Ends a tree. */
void bsp_pattern_tree_end(struct bs_pattern_tree *tree);

#endif
