/* pg_letters.c: see pg_letters.h. */
#include "bindings/postgresql/pattern/pg_letters.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "utils/formatting.h"

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

#define DOTTED_I  "\xc4\xb0"
#define DOT_ABOVE "\xcc\x87"

/* The collation is asked itself: its name says little. */
enum bsp_letter_i bsp_letter_i_of(Oid collation)
{
	static Oid last = InvalidOid;
	static enum bsp_letter_i last_letter;
	if (!OidIsValid(collation) || GetDatabaseEncoding() != PG_UTF8)
		return BSP_I_OTHER;
	if (collation == last)
		return last_letter;
	bool is_usual = lowers_to("I", "i", collation) && lowers_to("I" DOT_ABOVE, "i" DOT_ABOVE, collation) &&
	                lowers_to("I\xcc\x80", "i\xcc\x80", collation) && raises_to("i", "I", collation);
	last_letter = !is_usual ? BSP_I_OTHER : lowers_to(DOTTED_I, DOTTED_I, collation) ? BSP_I_PLAIN : BSP_I_DOTTED;
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

/* Does the library fold it as PostgreSQL's cases do? Scripts whose cases have not changed since
 * long, or that have none. */
static bool is_folded_alike(int32 character)
{
	return character < 0x10A0 || (character >= 0x1E00 && character < 0x2000) ||
	       (character >= 0x3000 && character < 0xA000) || (character >= 0xAC00 && character < 0xD7A4);
}

/* Whether it is an i of any kind, or the dot of one. */
static bool is_i(int32 c)
{
	return c == 'i' || c == 'I' || c == 0x130 || c == 0x131;
}

void bsp_append_character(StringInfo out, int32 c, bool is_caseless, enum bsp_letter_i letter_i)
{
	/* The library has U+FFFD for what is not UTF-8; other databases than those of UTF-8 have bytes. */
	if (c < 0 || (c >= 0x80 && GetDatabaseEncoding() != PG_UTF8)) {
		appendStringInfoString(out, ".*");
		return;
	}
	if (is_caseless && !is_folded_alike(c)) {
		appendStringInfoString(out, ".{1,3}");
		return;
	}
	if (is_caseless && letter_i != BSP_I_PLAIN && (is_i(c) || c == 0x307)) {
		if (letter_i == BSP_I_OTHER)
			appendStringInfoString(out, c == 0x307 ? "\\x{307}?" : "[i\\x{130}\\x{131}]\\x{307}?");
		else
			appendStringInfoString(out, c == 0x307   ? "\\x{307}?"
			                            : c == 0x131 ? "[i\\x{131}]"
			                                         : "[i\\x{130}]");
		return;
	}
	if (c < 0x80 && !isalnum((unsigned char)c))
		appendStringInfo(out, "\\x{%x}", (unsigned)c);
	else if (c < 0x80)
		appendStringInfoChar(out, (char)c);
	else
		appendStringInfo(out, "\\x{%x}", (unsigned)c);
}
