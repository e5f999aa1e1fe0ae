/* pg_like.c: see pg_like.h. */
#include "bindings/postgresql/pattern/pg_like.h"

#include "bindings/postgresql/pattern/pg_letters.h"

/* With how many of it the text begins. */
static size_t n_equal(const char *text, size_t n_bytes, char c)
{
	size_t n = 0;
	while (n < n_bytes && text[n] == c)
		n++;
	return n;
}

void bsp_like_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation)
{
	enum bsp_letter_i letter_i = is_caseless ? bsp_letter_i_of(collation) : BSP_I_PLAIN;
	size_t at = n_equal(pattern, n_bytes, '%');
	bool is_open = at > 0;
	if (!is_open)
		appendStringInfoString(out, "\\A");
	while (at < n_bytes) {
		char c = pattern[at];
		size_t n_any = n_equal(pattern + at, n_bytes - at, '%');
		is_open = n_any == n_bytes - at;
		if (n_any > 0 || c == '_') {
			/* In small letters, one character may have become two. Any text at the end is no part of what is looked for. */
			appendStringInfoString(out, is_open ? "" : c == '%' ? ".*" : is_caseless ? ".?" : ".");
			at += Max(n_any, 1);
			continue;
		}
		/* LIKE says itself that this is an error, when it comes so far. */
		is_open = c == '\\' && ++at == n_bytes;
		if (is_open)
			break;
		bsp_append_character(out, bsp_next_character(pattern, n_bytes, &at), is_caseless, letter_i);
	}
	if (!is_open)
		appendStringInfoString(out, "\\z");
}
