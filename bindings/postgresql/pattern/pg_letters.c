/* pg_letters.c: see pg_letters.h. */
#include "bindings/postgresql/pattern/pg_letters.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "utils/formatting.h"

#include "bindings/postgresql/base/pg_error.h"

static bool lowers_to(const char *from, const char *to, Oid collation)
{
	char *made = str_tolower(from, strlen(from), collation);
	bool is_same = strcmp(made, to) == 0;
	pfree(made);
	return is_same;
}

static bool raises_to(const char *from, const char *to, Oid collation)
{
	char *made = str_toupper(from, strlen(from), collation);
	bool is_same = strcmp(made, to) == 0;
	pfree(made);
	return is_same;
}

#define DOTTED_I  "\xc4\xb0" /* U+0130, capital I with dot above, in UTF-8 */
#define DOT_ABOVE "\xcc\x87" /* U+0307, combining dot above */

/* Tests how the collation changes letters, because its name says little about that. */
enum bsp_letter_i bsp_letter_i_of(Oid collation)
{
	static Oid last = InvalidOid;
	static enum bsp_letter_i last_letter;
	if (!OidIsValid(collation) || GetDatabaseEncoding() != PG_UTF8)
		return BSP_I_OTHER;
	if (collation == last)
		return last_letter;
	bool is_usual = lowers_to("I", "i", collation) &&
	                lowers_to("I" DOT_ABOVE, "i" DOT_ABOVE, collation) &&
	                lowers_to("I\xcc\x80", "i\xcc\x80", collation) &&
	                raises_to("i", "I", collation);
	last_letter = !is_usual                                  ? BSP_I_OTHER
	              : lowers_to(DOTTED_I, DOTTED_I, collation) ? BSP_I_PLAIN
	                                                         : BSP_I_DOTTED;
	last = collation;
	return last_letter;
}

int32 bsp_next_character(const char *text, size_t n_bytes, size_t *at)
{
	const unsigned char *from = (const unsigned char *)text + *at;
	int length = pg_utf_mblen(from);
	if ((size_t)length > n_bytes - *at || !pg_utf8_islegal(from, length)) {
		++*at;
		return -1;
	}
	*at += (size_t)length;
	return (int32)utf8_to_unicode(from);
}

/* True if the library's case folding surely agrees with PostgreSQL's case mapping for the
 * character. The ranges have scripts without case, and scripts whose case mappings have not changed
 * for long. */
static bool is_folded_alike(int32 character)
{
	return character < 0x10A0 || (character >= 0x1E00 && character < 0x2000) ||
	       (character >= 0x3000 && character < 0xA000) ||
	       (character >= 0xAC00 && character < 0xD7A4);
}

/* An i of any kind. */
static bool is_i(int32 c)
{
	return c == 'i' || c == 'I' || c == 0x130 || c == 0x131;
}

/* Adds c, which is an i of any kind or U+0307, combining dot above. For an i, the tree matches all
 * i that the collation may treat as equal to it. A U+0307 of the pattern is optional, because the
 * text may have U+0130 instead of i and U+0307. An optional U+0307 is also added after U+0130, and
 * after every i if letter_i is BSP_I_OTHER, because the text may have i and U+0307 there. */
static void add_i(struct bs_pattern_tree *tree, int32 c, enum bsp_letter_i letter_i)
{
	static const struct bs_pattern_range dotted[] = {{'i', 'i'}, {'I', 'I'}, {0x130, 0x130}},
					     dotless[] = {{'i', 'i'}, {'I', 'I'}, {0x131, 0x131}},
					     any[] = {{'i', 'i'}, {'I', 'I'}, {0x130, 0x131}};
	if (c != 0x307 && letter_i == BSP_I_OTHER)
		bs_pattern_tree_class(tree, any, lengthof(any), false);
	else if (c != 0x307)
		bs_pattern_tree_class(tree, c == 0x131 ? dotless : dotted, 3, false);
	if (c != 0x307 && c != 0x130 && letter_i != BSP_I_OTHER)
		return;
	bs_pattern_tree_character(tree, 0x307);
	bs_pattern_tree_repeat(tree, 0, 1);
}

void bsp_add_character(struct bs_pattern_tree *tree, int32 c, bool is_caseless,
                       enum bsp_letter_i letter_i)
{
	/* The tree cannot have this character: the library reads invalid UTF-8 as U+FFFD, and in
	 * other encodings the character has other bytes. */
	if (c < 0 || (c >= 0x80 && GetDatabaseEncoding() != PG_UTF8)) {
		bsp_add_any_text(tree);
	} else if (is_caseless && !is_folded_alike(c)) {
		bs_pattern_tree_any(tree);
		bs_pattern_tree_repeat(tree, 1, 3);
	} else if (is_caseless && letter_i != BSP_I_PLAIN && (is_i(c) || c == 0x307)) {
		add_i(tree, c, letter_i);
	} else {
		bs_pattern_tree_character(tree, (uint32_t)c);
	}
}

void bsp_add_any_text(struct bs_pattern_tree *tree)
{
	bs_pattern_tree_any(tree);
	bs_pattern_tree_repeat(tree, 0, BS_PATTERN_NO_MAX);
}

static void free_tree(void *tree)
{
	bs_pattern_tree_free(tree);
}

struct bs_pattern_tree *bsp_pattern_tree(bool fold_case)
{
	MemoryContextCallback *on_reset = palloc(sizeof(*on_reset));
	struct bs_pattern_tree *tree;
	struct bs_error err = {""};
	bsp_check(bs_pattern_tree_new(fold_case, &tree, &err), &err, NULL);
	*on_reset = (MemoryContextCallback){.func = free_tree, .arg = tree};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, on_reset);
	return tree;
}

void bsp_pattern_tree_end(struct bs_pattern_tree *tree)
{
	struct bs_error err = {""};
	bsp_check(bs_pattern_tree_end(tree, &err), &err, NULL);
}
