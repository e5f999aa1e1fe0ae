/*
 * are.c: see pattern.h. Advanced regular expressions of PostgreSQL, as `~` takes them.
 *
 * What only narrows a match is left out: anchors, lookaround, word boundaries. A class that is more than a list of characters, a range or
 * a back reference is any character, or any text. Expanded syntax, and all that is neither plain nor known, is any text as a whole:
 * whether the pattern makes sense at all says PostgreSQL's own compiler.
 */
#include "pattern.h"

#include "mb/pg_wchar.h"

struct reading {
	const char *text;
	size_t n_bytes, at;
	bool is_caseless, is_failed;
	enum bsp_letter_i letter_i;
	int depth;
	StringInfo out;
};

#define MOST_DEPTH 100

static void fail(struct reading *reading)
{
	reading->is_failed = true;
	reading->at = reading->n_bytes;
}

static bool is_at_end(const struct reading *reading)
{
	return reading->at >= reading->n_bytes;
}

static int peek(const struct reading *reading)
{
	return is_at_end(reading) ? -1 : (unsigned char)reading->text[reading->at];
}

static bool begins(const struct reading *reading, const char *what)
{
	size_t n = strlen(what);
	return reading->n_bytes - reading->at >= n && memcmp(reading->text + reading->at, what, n) == 0;
}

/* So many hexadecimal digits; -1: there are fewer. */
static int32 read_hex(struct reading *reading, int n_digits)
{
	int64 value = 0;
	for (int i = 0; i < n_digits; i++) {
		int c = peek(reading);
		if (c < 0 || !isxdigit(c))
			return -1;
		value = value * 16 + (isdigit(c) ? c - '0' : (tolower(c) - 'a' + 10));
		reading->at++;
	}
	return value > 0 && value < 0x110000 ? (int32)value : -1;
}

static void append_any(struct reading *reading, const char *what)
{
	appendStringInfoString(reading->out, what);
}

static void append_literal(struct reading *reading, int32 c)
{
	bsp_append_character(reading->out, c, reading->is_caseless, reading->letter_i);
}

/* What follows a backslash. False: it is a constraint, after which no repetition stands. */
static bool read_escape(struct reading *reading)
{
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	int c = peek(reading);
	if (c < 0 || c >= 0x80) {
		fail(reading);
		return false;
	}
	const char *control = strchr(from, c);
	if (c == 'B') {
		reading->at++;
		append_literal(reading, '\\');
	} else if (control) {
		reading->at++;
		append_literal(reading, to[control - from]);
	} else if (c == 'u' || c == 'U') {
		reading->at++;
		int32 value = read_hex(reading, c == 'u' ? 4 : 8);
		if (value < 0)
			fail(reading);
		else
			append_literal(reading, value);
	} else if (strchr("dswDSW", c)) {
		reading->at++;
		append_any(reading, ".");
	} else if (strchr("AmMyYZ", c)) {
		reading->at++;
		return false;
	} else if (c >= '1' && c <= '9') {
		/* A back reference, or a character in octal. */
		while (isdigit(peek(reading)))
			reading->at++;
		append_any(reading, "(?:.*)");
	} else if (isalnum(c)) {
		fail(reading); /* \x, \0, \c: as long as its digits go, and rare */
	} else {
		reading->at++;
		append_literal(reading, c);
	}
	return true;
}

/* In brackets: a plain list of characters and ranges of ASCII is one here, too; anything else is any character. */
static void read_class(struct reading *reading)
{
	StringInfoData list;
	bool is_plain = true, is_first = true;
	initStringInfo(&list);
	if (peek(reading) == '^') {
		is_plain = false;
		reading->at++;
	}
	for (; peek(reading) != ']' || is_first; is_first = false) {
		int c = peek(reading);
		if (c < 0) {
			fail(reading);
			return;
		}
		if (begins(reading, "[:") || begins(reading, "[.") || begins(reading, "[=")) {
			/* Up to its own end, in which brackets mean nothing. */
			char end[] = {reading->text[reading->at + 1], ']', 0};
			reading->at += 2;
			while (!is_at_end(reading) && !begins(reading, end))
				reading->at++;
			if (is_at_end(reading)) {
				fail(reading);
				return;
			}
			reading->at += 2;
			is_plain = false;
			continue;
		}
		if (c == '\\') {
			is_plain = false;
			reading->at += 2;
			if (reading->at > reading->n_bytes) {
				fail(reading);
				return;
			}
			continue;
		}
		bool is_range = reading->at + 2 < reading->n_bytes && reading->text[reading->at + 1] == '-' &&
		                reading->text[reading->at + 2] != ']';
		is_plain &= c < 0x80 && isalnum(c) &&
		            (!is_range || isalnum((unsigned char)reading->text[reading->at + 2])) && list.len < 200;
		is_plain &=
			!(reading->is_caseless && (is_range || strchr("iI", c)) && reading->letter_i != BSP_I_PLAIN);
		/* A range goes by the collation's codes: equal ones are, but for the alphabet nothing is said. */
		if (is_range && is_plain) {
			char to = reading->text[reading->at + 2];
			bool is_sure = (isdigit(c) && isdigit((unsigned char)to)) ||
			               (islower(c) && islower((unsigned char)to)) ||
			               (isupper(c) && isupper((unsigned char)to));
			is_plain &= is_sure && c <= to;
			appendStringInfo(&list, "%c-%c", c, to);
			reading->at += 3;
			continue;
		}
		appendStringInfoChar(&list, (char)c);
		reading->at++;
	}
	reading->at++;
	if (is_plain && list.len > 0)
		appendStringInfo(reading->out, "[%s]", list.data);
	else
		append_any(reading, ".");
	pfree(list.data);
}

/* {m,n}, after an atom; at most 255 each. */
static void read_bounds(struct reading *reading)
{
	int least = 0, most = -1, n_digits = 0;
	while (isdigit(peek(reading)) && n_digits++ < 3)
		least = least * 10 + (reading->text[reading->at++] - '0');
	if (n_digits == 0 || n_digits > 3) {
		fail(reading);
		return;
	}
	most = least;
	if (peek(reading) == ',') {
		reading->at++;
		most = -1;
		for (n_digits = 0; isdigit(peek(reading)) && n_digits < 3; n_digits++)
			most = (most < 0 ? 0 : most) * 10 + (reading->text[reading->at++] - '0');
	}
	if (peek(reading) != '}' || (most >= 0 && most < least)) {
		fail(reading);
		return;
	}
	reading->at++;
	if (most < 0)
		appendStringInfo(reading->out, "{%d,}", least);
	else
		appendStringInfo(reading->out, "{%d,%d}", least, most);
}

static void read_repetition(struct reading *reading)
{
	int c = peek(reading);
	if (c != '*' && c != '+' && c != '?' && c != '{')
		return;
	reading->at++;
	if (c == '{')
		read_bounds(reading);
	else
		appendStringInfoChar(reading->out, (char)c);
	if (peek(reading) == '?')
		reading->at++; /* as short as can be: what matches is the same */
	c = peek(reading);
	if (c == '*' || c == '+' || c == '?' || c == '{')
		fail(reading);
}

static void read_branches(struct reading *reading);

/* From behind the opening bracket. False: it was a constraint. */
static bool read_group(struct reading *reading)
{
	bool is_constraint =
		begins(reading, "?=") || begins(reading, "?!") || begins(reading, "?<=") || begins(reading, "?<!");
	int start = reading->out->len;
	if (is_constraint)
		reading->at += begins(reading, "?<") ? 3 : 2;
	else if (begins(reading, "?:"))
		reading->at += 2;
	else if (peek(reading) == '?')
		fail(reading);
	if (++reading->depth > MOST_DEPTH)
		fail(reading);
	append_any(reading, "(?:");
	read_branches(reading);
	reading->depth--;
	if (peek(reading) != ')') {
		fail(reading);
		return false;
	}
	reading->at++;
	append_any(reading, ")");
	if (is_constraint) {
		reading->out->len = start;
		reading->out->data[start] = 0;
	}
	return !is_constraint;
}

/* What stands for one atom may be written as several. */
static void put_brackets(StringInfo out, int start)
{
	char *atom = pstrdup(out->data + start);
	out->len = start;
	appendStringInfo(out, "(?:%s)", atom);
	pfree(atom);
}

static bool is_repetition(int c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

static void read_atom(struct reading *reading)
{
	int c = peek(reading), start = reading->out->len;
	bool is_atom = true;
	if (c == '(') {
		reading->at++;
		is_atom = read_group(reading);
	} else if (begins(reading, "[[:<:]]") || begins(reading, "[[:>:]]")) {
		reading->at += 7; /* a word's beginning, or end */
		is_atom = false;
	} else if (c == '[') {
		reading->at++;
		read_class(reading);
	} else if (c == '.') {
		reading->at++;
		append_any(reading, ".");
	} else if (c == '^' || c == '$') {
		reading->at++;
		is_atom = false;
	} else if (c == '\\') {
		reading->at++;
		is_atom = read_escape(reading);
	} else if (c == '*' || c == '+' || c == '?') {
		fail(reading); /* an error, or in places a sign */
	} else if (c == '{' && reading->at + 1 < reading->n_bytes &&
	           isdigit((unsigned char)reading->text[reading->at + 1])) {
		fail(reading);
	} else {
		append_literal(reading, bsp_next_character(reading->text, reading->n_bytes, &reading->at));
	}
	if (!is_repetition(peek(reading)) || reading->is_failed)
		return;
	if (c != '{' && peek(reading) == '{' &&
	    !(reading->at + 1 < reading->n_bytes && isdigit((unsigned char)reading->text[reading->at + 1])))
		return; /* a sign */
	if (!is_atom) {
		fail(reading);
		return;
	}
	put_brackets(reading->out, start);
	read_repetition(reading);
}

static void read_branches(struct reading *reading)
{
	while (!is_at_end(reading) && peek(reading) != ')') {
		if (peek(reading) == '|') {
			reading->at++;
			append_any(reading, "|");
		} else {
			read_atom(reading);
		}
	}
}

/* Every character counts as itself. */
static void read_literal(struct reading *reading)
{
	while (!is_at_end(reading))
		append_literal(reading, bsp_next_character(reading->text, reading->n_bytes, &reading->at));
}

/* What may stand before an expression: a director, and options in brackets. *is_literal_out: what follows is no expression. */
static void read_prefix(struct reading *reading, bool *is_literal_out)
{
	*is_literal_out = begins(reading, "***=");
	if (begins(reading, "***=") || begins(reading, "***:"))
		reading->at += 4;
	else if (begins(reading, "***"))
		fail(reading);
	if (*is_literal_out || !begins(reading, "(?") || reading->at + 2 >= reading->n_bytes ||
	    !isalpha((unsigned char)reading->text[reading->at + 2]))
		return;
	for (reading->at += 2; peek(reading) >= 0 && peek(reading) != ')'; reading->at++) {
		int c = peek(reading);
		if (c == 'i' || c == 'c')
			reading->is_caseless = c == 'i';
		else if (c == 'q')
			*is_literal_out = true;
		else if (!strchr("mnpswt", c))
			fail(reading); /* another dialect, or expanded syntax */
	}
	if (peek(reading) == ')')
		reading->at++;
	else
		fail(reading);
}

void bsp_regex_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation,
                       bool *caseless_out)
{
	struct reading reading = {.text = pattern, .n_bytes = n_bytes, .is_caseless = is_caseless, .out = out};
	bool is_literal;
	int start = out->len;
	read_prefix(&reading, &is_literal);
	reading.letter_i = reading.is_caseless ? bsp_letter_i_of(collation) : BSP_I_PLAIN;
	*caseless_out = reading.is_caseless;
	if (is_literal)
		read_literal(&reading);
	else
		read_branches(&reading);
	if (reading.is_failed || !is_at_end(&reading)) {
		out->len = start;
		out->data[start] = 0;
	}
}
