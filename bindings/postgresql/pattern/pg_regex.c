/*
 * pg_regex.c: see pg_regex.h. Reads PostgreSQL's advanced regular expressions, as `~` takes them.
 *
 * Constructs that only narrow a match, such as lookaround, are omitted. A named class such as
 * [:alpha:] becomes the ASCII characters that it has in some locale and all characters beyond
 * ASCII. A back reference becomes any text. An expression with expanded syntax or unknown
 * constructs becomes any text as a whole. This file need not check whether an expression is valid,
 * because PostgreSQL's compiler does.
 */
#include "bindings/postgresql/pattern/pg_regex.h"

#include "mb/pg_wchar.h"

#include "bindings/postgresql/pattern/pg_letters.h"

struct reading {
	const char *text;
	size_t n_bytes, at;
	bool is_caseless, is_failed;
	enum bsp_letter_i letter_i;
	int depth;
	struct bs_pattern_tree *tree;
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
	return reading->n_bytes - reading->at >= n &&
	       memcmp(reading->text + reading->at, what, n) == 0;
}

/* Reads n_digits hexadecimal digits; -1 if there are fewer, or if the value is not a code point
 * above 0. */
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

static bool is_repetition(int c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

/* Adds a character that has just been read. bsp_add_character may add several parts; if a
 * repetition follows, they are grouped, so that all of them are repeated. */
static void add_literal(struct reading *reading, int32 c)
{
	bool is_repeated = is_repetition(peek(reading));
	if (is_repeated)
		bs_pattern_tree_open(reading->tree);
	bsp_add_character(reading->tree, c, reading->is_caseless, reading->letter_i);
	if (is_repeated)
		bs_pattern_tree_close(reading->tree);
}

/* A set of ASCII characters. */
struct set {
	bool has[0x80];
};

/*
 * The characters of a class. `may` has the ASCII characters that the class may contain in some
 * locale, `sure` those that it contains in every locale; a negated class excludes only the latter.
 */
struct charset {
	struct set may, sure;
	bool may_have_more; /* may contain characters beyond ASCII */
	bool is_unknown;    /* may be any single character */
	bool has_i;         /* also contains U+0130 and U+0131 */
};

static void set_add(struct set *set, int first, int last)
{
	for (int c = first; c <= last; c++)
		set->has[c] = true;
}

static void set_add_pairs(struct set *set, const char *pairs)
{
	for (; pairs[0]; pairs += 2)
		set_add(set, pairs[0], pairs[1]);
}

/* The ASCII characters of a name in [: :], and of \d, \s and \w, as pairs of the first and the last
 * character of a range. `may`: those it has in some locale; `sure`: those it has in every locale.
 * Each may also contain characters beyond ASCII. */
static const struct {
	const char *name, *may, *sure;
} names[] = {
	{"alpha", "azAZ", "azAZ"},
	{"digit", "09", "09"},
	{"alnum", "azAZ09", "azAZ09"},
	{"lower", "az", "az"},
	{"upper", "AZ", "AZ"},
	{"xdigit", "09afAF", "09afAF"},
	{"space", "\t\r\x1c\x20", "\t\r  "},
	{"blank", "\t\t  ", "\t\t  "},
	{"word", "azAZ09__", "azAZ09__"},
	{"punct", "!/:@[`{~", ""},
	{"graph", "!~", "azAZ09"},
	{"print", " ~", "azAZ09  "},
};

static void charset_add_name(struct charset *chars, const char *name, size_t n_bytes)
{
	chars->may_have_more = true;
	for (size_t i = 0; i < lengthof(names); i++)
		if (strlen(names[i].name) == n_bytes && memcmp(names[i].name, name, n_bytes) == 0) {
			set_add_pairs(&chars->may, names[i].may);
			set_add_pairs(&chars->sure, names[i].sure);
			return;
		}
	chars->is_unknown = true;
}

static const char *name_of_escape(int letter)
{
	return letter == 'd' ? "digit" : letter == 's' ? "space" : "word";
}

static void charset_add_range(struct charset *chars, int32 first, int32 last)
{
	set_add(&chars->may, Min(first, 0x80), Min(last, 0x7f));
	set_add(&chars->sure, Min(first, 0x80), Min(last, 0x7f));
	chars->may_have_more |= last >= 0x80;
}

/* Adds the other cases of the letters of a class. An i in the class also adds its forms beyond
 * ASCII (has_i), unless the collation has none (is_i_plain). If the class may have characters
 * beyond ASCII, adds k, s and i, which are cases of the Kelvin sign, the long s and dotted I. */
static void charset_fold(struct charset *chars, bool is_i_plain)
{
	bool *has = chars->may.has;
	for (const char *c = "ksi"; *c && chars->may_have_more; c++)
		has[(int)*c] = true;
	for (int c = 'a'; c <= 'z'; c++)
		has[c] = has[c - 'a' + 'A'] = has[c] || has[c - 'a' + 'A'];
	if (has['i'] && !is_i_plain)
		chars->has_i = true;
}

/* The largest number of ranges that list_ranges stores. */
#define MOST_RANGES (0x80 / 2 + 1)

/* Lists the ASCII ranges of the set or, if is_negated, of its complement. has_i: a set that is not
 * negated also gets U+0130 and U+0131. Returns the number of ranges. */
static size_t list_ranges(const struct set *set, bool is_negated, bool has_i,
                          struct bs_pattern_range *ranges)
{
	size_t n = 0;
	for (uint32 first = 0, last; first < 0x80; first = last + 1) {
		for (last = first; last + 1 < 0x80 && set->has[last + 1] == set->has[first]; last++)
			;
		if (set->has[first] != is_negated)
			ranges[n++] = (struct bs_pattern_range){first, last};
	}
	if (has_i && !is_negated)
		ranges[n++] = (struct bs_pattern_range){0x130, 0x131};
	return n;
}

static void add_class(struct reading *reading, struct charset *chars, bool is_negated)
{
	struct bs_pattern_range ranges[MOST_RANGES];
	bool is_empty = true, is_full = true;
	if (is_negated) {
		for (int c = 0; c < 0x80; c++)
			chars->may.has[c] = !chars->sure.has[c];
		chars->may_have_more = true;
	} else if (reading->is_caseless) {
		charset_fold(chars, reading->letter_i == BSP_I_PLAIN);
	}
	for (int c = 0; c < 0x80; c++) {
		is_empty &= !chars->may.has[c];
		is_full &= chars->may.has[c];
	}
	if (chars->is_unknown || (is_full && chars->may_have_more) ||
	    (is_empty && !chars->may_have_more))
		bs_pattern_tree_any(reading->tree);
	else
		bs_pattern_tree_class(
			reading->tree, ranges,
			list_ranges(&chars->may, chars->may_have_more, chars->has_i, ranges),
			chars->may_have_more);
}

/* Adds a word boundary: \m is the start of a word, \M the end, \y either. It excludes only places
 * that are no boundary in any locale: \m after, and \M before, a character that is a word character
 * in every locale. */
static void add_boundary(struct reading *reading, int letter)
{
	struct charset word = {.is_unknown = false};
	struct bs_pattern_range ranges[MOST_RANGES];
	struct bs_pattern_tree *tree = reading->tree;
	charset_add_name(&word, "word", 4);
	size_t n = list_ranges(&word.sure, false, false, ranges);
	if (letter == 'y')
		bs_pattern_tree_open(tree);
	if (letter != 'M')
		bs_pattern_tree_not_preceded(tree, ranges, n);
	if (letter == 'y')
		bs_pattern_tree_either(tree);
	if (letter != 'm')
		bs_pattern_tree_not_followed(tree, ranges, n);
	if (letter == 'y')
		bs_pattern_tree_close(tree);
}

/* Reads the rest of an escape, after its backslash. False for a constraint, which cannot be
 * repeated. */
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
		add_literal(reading, '\\');
	} else if (control) {
		reading->at++;
		add_literal(reading, to[control - from]);
	} else if (c == 'u' || c == 'U') {
		reading->at++;
		int32 value = read_hex(reading, c == 'u' ? 4 : 8);
		if (value < 0)
			fail(reading);
		else
			add_literal(reading, value);
	} else if (strchr("dswDSW", c)) {
		struct charset chars = {.may_have_more = false};
		const char *name = name_of_escape(tolower(c));
		reading->at++;
		charset_add_name(&chars, name, strlen(name));
		add_class(reading, &chars, isupper(c));
	} else if (strchr("AmMyYZ", c)) {
		reading->at++;
		if (c == 'A' || c == 'Z')
			bs_pattern_tree_place(reading->tree, c == 'A' ? BS_PATTERN_TEXT_START
			                                              : BS_PATTERN_TEXT_END);
		else if (c != 'Y')
			add_boundary(reading, c);
		return false;
	} else if (c >= '1' && c <= '9') {
		/* A back reference, or the octal code of a character: becomes any text. */
		while (isdigit(peek(reading)))
			reading->at++;
		bs_pattern_tree_open(reading->tree);
		bsp_add_any_text(reading->tree);
		bs_pattern_tree_close(reading->tree);
	} else if (isalnum(c)) {
		fail(reading); /* \x, \0 and \c are not supported, because they are rare */
	} else {
		reading->at++;
		add_literal(reading, c);
	}
	return true;
}

/* Reads [:name:], [.x.] or [=x=] of a class, up to :], .] or =]. */
static void read_name(struct reading *reading, struct charset *chars)
{
	char kind = reading->text[reading->at + 1], end[] = {kind, ']', 0};
	size_t first = reading->at + 2;
	for (reading->at = first; !is_at_end(reading) && !begins(reading, end); reading->at++)
		;
	if (is_at_end(reading)) {
		fail(reading);
		return;
	}
	if (kind == ':')
		charset_add_name(chars, reading->text + first, reading->at - first);
	else
		chars->is_unknown = true;
	reading->at += 2;
}

/* Reads one character of a class, or an escape in a class. Returns -1 if an escape is not a single
 * character; then its characters have been added to `chars`. */
static int32 read_member(struct reading *reading, struct charset *chars)
{
	static const char from[] = "abefnrtvB", to[] = "\a\b\033\f\n\r\t\v\\";
	if (peek(reading) != '\\')
		return bsp_next_character(reading->text, reading->n_bytes, &reading->at);
	reading->at++;
	int c = peek(reading);
	if (c < 0 || c >= 0x80) {
		fail(reading);
		return -1;
	}
	reading->at++;
	const char *control = strchr(from, c);
	if (control)
		return to[control - from];
	if (!isalnum(c))
		return c;
	if (strchr("dsw", c))
		charset_add_name(chars, name_of_escape(c), strlen(name_of_escape(c)));
	else
		/* An escape such as \x41. Its digits are read as members of the set, which is
		 * harmless, because an unknown set matches every character. */
		chars->is_unknown = true;
	return -1;
}

/* Reads a member of a class (a character, an escape or a range of code points) and adds it to
 * `chars`. */
static void read_members(struct reading *reading, struct charset *chars)
{
	size_t start = reading->at;
	int32 first = read_member(reading, chars), last = first;
	bool is_range = reading->at + 1 < reading->n_bytes && reading->text[reading->at] == '-' &&
	                reading->text[reading->at + 1] != ']';
	if (reading->is_failed || (first < 0 && !is_range && reading->text[start] == '\\'))
		return;
	if (is_range) {
		reading->at++;
		int c = peek(reading);
		last = c == '[' || c == '\\' ? -1 : read_member(reading, chars);
	}
	/* A range that is not understood may be any character; the rest of it is read as
	 * members. */
	if (first < 0 || last < first)
		chars->is_unknown = true;
	else
		charset_add_range(chars, first, last);
}

/* Reads a class after its opening bracket. */
static void read_class(struct reading *reading)
{
	struct charset chars = {.may_have_more = false};
	bool is_negated = peek(reading) == '^';
	reading->at += is_negated;
	for (bool is_first = true; !reading->is_failed && (peek(reading) != ']' || is_first);
	     is_first = false) {
		if (is_at_end(reading))
			fail(reading);
		else if (begins(reading, "[:") || begins(reading, "[.") || begins(reading, "[="))
			read_name(reading, &chars);
		else
			read_members(reading, &chars);
	}
	if (reading->is_failed)
		return;
	reading->at++;
	add_class(reading, &chars, is_negated);
}

/* Reads the bounds of a repetition {m,n} after its brace. Each has at most three digits, because
 * PostgreSQL's limit is 255. */
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
	bs_pattern_tree_repeat(reading->tree, least, most < 0 ? BS_PATTERN_NO_MAX : (uint32)most);
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
		bs_pattern_tree_repeat(reading->tree, c == '+', c == '?' ? 1 : BS_PATTERN_NO_MAX);
	if (peek(reading) == '?')
		reading->at++; /* a lazy quantifier does not change whether a text matches */
	c = peek(reading);
	if (c == '*' || c == '+' || c == '?' || c == '{')
		fail(reading);
}

static void read_branches(struct reading *reading);

/* Reads a group after its parenthesis. False for a constraint, which is read into a tree that is
 * then ignored. */
static bool read_group(struct reading *reading)
{
	bool is_constraint = begins(reading, "?=") || begins(reading, "?!") ||
	                     begins(reading, "?<=") || begins(reading, "?<!");
	struct bs_pattern_tree *tree = reading->tree;
	if (is_constraint) {
		reading->tree = bsp_pattern_tree(reading->is_caseless);
		reading->at += begins(reading, "?<") ? 3 : 2;
	} else if (begins(reading, "?:")) {
		reading->at += 2;
	} else if (peek(reading) == '?') {
		fail(reading);
	}
	if (++reading->depth > MOST_DEPTH)
		fail(reading);
	bs_pattern_tree_open(reading->tree);
	read_branches(reading);
	bs_pattern_tree_close(reading->tree);
	reading->tree = tree;
	reading->depth--;
	if (peek(reading) != ')') {
		fail(reading);
		return false;
	}
	reading->at++;
	return !is_constraint;
}

static void read_atom(struct reading *reading)
{
	int c = peek(reading);
	bool is_atom = true;
	if (c == '(') {
		reading->at++;
		is_atom = read_group(reading);
	} else if (begins(reading, "[[:<:]]") || begins(reading, "[[:>:]]")) {
		add_boundary(reading, reading->text[reading->at + 3] == '<' ? 'm' : 'M');
		reading->at += 7;
		is_atom = false;
	} else if (c == '[') {
		reading->at++;
		read_class(reading);
	} else if (c == '.') {
		reading->at++;
		bs_pattern_tree_any(reading->tree);
	} else if (c == '^' || c == '$') {
		/* PostgreSQL's ^ and $ match at lines only with an option, otherwise at the start
		 * and end of the text. In the tree they always match at lines; so it may match
		 * more, which is allowed. */
		reading->at++;
		bs_pattern_tree_place(reading->tree,
		                      c == '^' ? BS_PATTERN_LINE_START : BS_PATTERN_LINE_END);
		is_atom = false;
	} else if (c == '\\') {
		reading->at++;
		is_atom = read_escape(reading);
	} else if (c == '*' || c == '+' || c == '?') {
		/* A repetition without an operand is an error, or in some places a literal. */
		fail(reading);
	} else if (c == '{' && reading->at + 1 < reading->n_bytes &&
	           isdigit((unsigned char)reading->text[reading->at + 1])) {
		fail(reading);
	} else {
		add_literal(reading,
		            bsp_next_character(reading->text, reading->n_bytes, &reading->at));
	}
	if (!is_repetition(peek(reading)) || reading->is_failed)
		return;
	if (c != '{' && peek(reading) == '{' &&
	    !(reading->at + 1 < reading->n_bytes &&
	      isdigit((unsigned char)reading->text[reading->at + 1])))
		return; /* a literal brace */
	if (!is_atom) {
		fail(reading);
		return;
	}
	read_repetition(reading);
}

static void read_branches(struct reading *reading)
{
	while (!is_at_end(reading) && peek(reading) != ')') {
		if (peek(reading) == '|') {
			reading->at++;
			bs_pattern_tree_either(reading->tree);
		} else {
			read_atom(reading);
		}
	}
}

/* Reads what may precede an expression: a director (***) and options in parentheses.
 * *is_literal_out: the rest is a literal string. */
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

struct bs_pattern_tree *bsp_regex_pattern(const char *pattern, size_t n_bytes, bool is_caseless,
                                          Oid collation)
{
	struct reading reading = {.text = pattern, .n_bytes = n_bytes, .is_caseless = is_caseless};
	bool is_literal;
	read_prefix(&reading, &is_literal);
	reading.letter_i = reading.is_caseless ? bsp_letter_i_of(collation) : BSP_I_PLAIN;
	reading.tree = bsp_pattern_tree(reading.is_caseless);
	if (!is_literal)
		read_branches(&reading);
	/* In a literal string every character represents itself. */
	while (is_literal && !is_at_end(&reading))
		bsp_add_character(reading.tree, bsp_next_character(pattern, n_bytes, &reading.at),
		                  reading.is_caseless, reading.letter_i);
	if (reading.is_failed || !is_at_end(&reading))
		bs_pattern_tree_clear(reading.tree);
	bsp_pattern_tree_end(reading.tree);
	return reading.tree;
}
