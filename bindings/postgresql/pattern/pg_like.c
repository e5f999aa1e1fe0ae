/* pg_like.c: see pg_like.h. */
#include "bindings/postgresql/pattern/pg_like.h"

#include "bindings/postgresql/pattern/pg_letters.h"

/* The number of characters `c` that the text begins with. */
static size_t n_equal(const char *text, size_t n_bytes, char c)
{
	size_t n = 0;
	while (n < n_bytes && text[n] == c)
		n++;
	return n;
}

struct bs_pattern_tree *bsp_like_pattern(const char *pattern, size_t n_bytes, bool is_caseless,
                                         Oid collation)
{
	struct bs_pattern_tree *tree = bsp_pattern_tree(is_caseless);
	enum bsp_letter_i letter_i = is_caseless ? bsp_letter_i_of(collation) : BSP_I_PLAIN;
	size_t at = n_equal(pattern, n_bytes, '%');
	bool is_open = at > 0;
	if (!is_open)
		bs_pattern_tree_place(tree, BS_PATTERN_TEXT_START);
	while (at < n_bytes) {
		size_t n_any = n_equal(pattern + at, n_bytes - at, '%');
		/* A trailing % leaves the end of the match open. */
		is_open = n_any == n_bytes - at;
		if (is_open)
			break;
		if (n_any > 0) {
			bsp_add_any_text(tree);
			at += n_any;
		} else if (pattern[at] == '_') {
			/* ILIKE lowercases the text first, which may turn one of its characters
			 * into two. Two _ then match this one character, so each may match none. */
			bs_pattern_tree_any(tree);
			if (is_caseless)
				bs_pattern_tree_repeat(tree, 0, 1);
			at++;
		} else {
			/* A backslash at the end is an error, but LIKE reports it only when it
			 * reaches that place. */
			is_open = pattern[at] == '\\' && ++at == n_bytes;
			if (is_open)
				break;
			bsp_add_character(tree, bsp_next_character(pattern, n_bytes, &at),
			                  is_caseless, letter_i);
		}
	}
	if (!is_open)
		bs_pattern_tree_place(tree, BS_PATTERN_TEXT_END);
	bsp_pattern_tree_end(tree);
	return tree;
}
