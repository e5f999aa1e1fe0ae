/*
 * regex_read.c: see regex_read.h.
 *
 * A recursive descent, as deep as the parentheses are nested. Each character that a quantifier may
 * follow becomes a node of its own, so that the quantifier finds it; characters without a
 * quantifier are merged into the run before them.
 */
#include "query/regex/regex_read.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/system/stack.h"
#include "query/regex/regex_build.h"

/* The end of a [:name:] is looked for within this many bytes, because otherwise a pattern of many
 * brackets would take quadratic time. */
#define NAME_BYTES 1024u

struct parser {
	const uint8_t *text;
	size_t n_bytes;
	unsigned depth, most_depth; /* nesting of parentheses */
	uint32_t n_alternatives;    /* alternatives of the last group parsed */
	bool is_quoting;            /* between \Q and \E */
	/* a verb changed which characters end a line, and so a comment */
	bool is_odd_newline;
	struct bs_regex_build to; /* to.at: the next byte to read */
};

static bool is_over(const struct parser *parser)
{
	return parser->to.at >= parser->n_bytes || bs_regex_is_lost(&parser->to);
}

static bool sees(const struct parser *parser, const char *string)
{
	size_t n = strlen(string);
	return parser->n_bytes - parser->to.at >= n &&
	       memcmp(parser->text + parser->to.at, string, n) == 0;
}

/* Like sees, and skips the string. */
static bool takes(struct parser *parser, const char *string)
{
	if (!sees(parser, string))
		return false;
	parser->to.at += strlen(string);
	return true;
}

static bool takes_one_of(struct parser *parser, const char *const *strings)
{
	while (*strings && !takes(parser, *strings))
		strings++;
	return *strings != NULL;
}

static bool sees_one_of(const struct parser *parser, const char *bytes)
{
	return parser->to.at < parser->n_bytes && parser->text[parser->to.at] &&
	       strchr(bytes, parser->text[parser->to.at]);
}

static void skip_past(struct parser *parser, char end)
{
	const uint8_t *found =
		memchr(parser->text + parser->to.at, end, parser->n_bytes - parser->to.at);
	if (found)
		parser->to.at = (size_t)(found - parser->text) + 1;
	else
		bs_regex_give_up(&parser->to);
}

/* Reads the next character; must not be at the end. The pattern is valid UTF-8. */
static uint32_t next(struct parser *parser)
{
	UChar32 c;
	U8_NEXT_UNSAFE(parser->text, parser->to.at, c);
	return (uint32_t)c;
}

static bool is_letter(uint32_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static unsigned digit_of(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10u : 16;
}

/* Reads up to most_digits digits of the base and returns their number. A value over 0x10ffff
 * becomes some value over 0x10ffff. */
static size_t take_digits(struct parser *parser, unsigned base, size_t most_digits,
                          uint32_t *number_out)
{
	size_t n = 0;
	*number_out = 0;
	for (; n < most_digits && parser->to.at < parser->n_bytes &&
	       digit_of(parser->text[parser->to.at]) < base;
	     n++) {
		if (*number_out <= 0x10ffff)
			*number_out = *number_out * base + digit_of(parser->text[parser->to.at]);
		parser->to.at++;
	}
	return n;
}

/* Skips a comment of extended syntax. It ends with the line; if \r or a verb makes the line end
 * uncertain, gives up. */
static void skip_line(struct parser *parser)
{
	const uint8_t *from = parser->text + parser->to.at;
	size_t n = parser->n_bytes - parser->to.at;
	const uint8_t *end = memchr(from, '\n', n);
	size_t n_comment = end ? (size_t)(end - from) + 1 : n;
	if (parser->is_odd_newline || memchr(from, '\r', n_comment))
		bs_regex_give_up(&parser->to);
	parser->to.regex->ends_in_comment |= !end;
	parser->to.at += n_comment;
}

static bool skip_extended(struct parser *parser)
{
	size_t start = parser->to.at;
	uint32_t c = next(parser);
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return true;
	if (c == '#') {
		skip_line(parser);
		return true;
	}
	parser->to.at = start;
	/* PCRE2 versions differ in whether these characters are white space in a pattern. */
	if (c == 0x85 || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029)
		bs_regex_give_up(&parser->to);
	return false;
}

/* Skips ignored text before an item or a quantifier: comments, \E, and white space of extended
 * syntax. Returns true if something was skipped. */
static bool skip_ignored(struct parser *parser)
{
	size_t start = parser->to.at;
	while (!is_over(parser)) {
		if (takes(parser, "\\E"))
			parser->is_quoting = false;
		else if (parser->is_quoting)
			break;
		else if (takes(parser, "(?#"))
			skip_past(parser, ')');
		else if (!takes(parser, "\\Q\\E") &&
		         !(parser->to.options.is_extended && skip_extended(parser)))
			break;
		else
			continue;
		parser->to.regex->is_of_pcre2 = true;
	}
	return parser->to.at != start;
}

struct quantifier {
	uint32_t least;
	uint32_t most;
	bool is_doubtful; /* a quantifier in PCRE2 10.43 and later, text in earlier versions */
};

static bool take_blanks(struct parser *parser)
{
	size_t start = parser->to.at;
	while (takes(parser, " ") || takes(parser, "\t"))
		continue;
	return parser->to.at != start;
}

/* Reads {n}, {n,}, {n,m} and the looser forms of later versions. Skips nothing if there is no such
 * form. */
static bool take_braces(struct parser *parser, struct quantifier *quantifier)
{
	size_t start = parser->to.at++;
	bool is_loose = take_blanks(parser);
	bool has_least = take_digits(parser, 10, SIZE_MAX, &quantifier->least);
	is_loose |= take_blanks(parser);
	bool has_comma = takes(parser, ",");
	is_loose |= take_blanks(parser);
	bool has_most = has_comma && take_digits(parser, 10, SIZE_MAX, &quantifier->most);
	is_loose |= has_most && take_blanks(parser);
	if (!takes(parser, "}") || (!has_least && !has_most)) {
		parser->to.at = start;
		return false;
	}
	if (!has_most)
		quantifier->most = has_comma ? BS_REGEX_NO_MAX : quantifier->least;
	quantifier->is_doubtful = is_loose || !has_least;
	if (quantifier->least > 65535 || quantifier->most < quantifier->least)
		bs_regex_give_up(&parser->to);
	return true;
}

static bool take_quantifier(struct parser *parser, struct quantifier *quantifier)
{
	*quantifier = (struct quantifier){.most = BS_REGEX_NO_MAX};
	if (takes(parser, "*"))
		return true;
	quantifier->least = sees(parser, "+");
	if (takes(parser, "+"))
		return true;
	if (!takes(parser, "?"))
		return sees(parser, "{") && take_braces(parser, quantifier);
	quantifier->most = 1;
	return true;
}

/* Skips the mode of a quantifier: possessive and lazy quantifiers match no more than greedy ones.
 * If ignored text precedes ? or +, it may be a mode or another quantifier; then the quantifier is
 * widened to allow both. */
static void take_quantifier_mode(struct parser *parser, struct quantifier *quantifier)
{
	bool is_possessive = takes(parser, "+");
	parser->to.regex->is_superset |= is_possessive;
	if (is_possessive || takes(parser, "?") || !skip_ignored(parser) || parser->is_quoting)
		return;
	parser->to.regex->is_superset |= sees(parser, "+");
	if (takes(parser, "+"))
		quantifier->most = BS_REGEX_NO_MAX;
	else if (takes(parser, "?"))
		quantifier->least = 0;
}

/* Wraps an item in the quantifiers that follow it. */
static uint32_t quantify(struct parser *parser, uint32_t item, size_t from)
{
	struct quantifier quantifier;
	for (;;) {
		skip_ignored(parser);
		if (is_over(parser) || parser->is_quoting || !take_quantifier(parser, &quantifier))
			return item;
		take_quantifier_mode(parser, &quantifier);
		if (quantifier.is_doubtful) {
			item = bs_regex_add(&parser->to, BS_REGEX_ANYTHING, from, 0);
			continue;
		}
		item = bs_regex_add_parent(&parser->to, BS_REGEX_REPEAT, item, 1, from);
		if (bs_regex_is_lost(&parser->to))
			return item;
		bs_regex_node_of(&parser->to, item)->least = quantifier.least;
		bs_regex_node_of(&parser->to, item)->most = quantifier.most;
	}
}

enum escape {
	ESCAPE_CHAR,
	ESCAPE_SET,
	ESCAPE_OTHER, /* has a meaning only outside classes, if any */
};

/* Reads the rest of an escape such as \x{...}, after the opening brace. */
static enum escape take_braced(struct parser *parser, unsigned base, uint32_t *c_out)
{
	if (!take_digits(parser, base, SIZE_MAX, c_out) || !takes(parser, "}"))
		bs_regex_give_up(&parser->to);
	return ESCAPE_CHAR;
}

static enum escape take_control(struct parser *parser, uint32_t *c_out)
{
	uint32_t c = is_over(parser) ? 0 : next(parser);
	if (c < 0x20 || c > 0x7e)
		bs_regex_give_up(&parser->to);
	*c_out = (c >= 'a' && c <= 'z' ? c - 0x20 : c) ^ 0x40;
	return ESCAPE_CHAR;
}

/* Reads the rest of \p or \P: a name in braces, or one letter. */
static enum escape take_property(struct parser *parser)
{
	if (is_over(parser))
		bs_regex_give_up(&parser->to);
	else if (takes(parser, "{"))
		skip_past(parser, '}');
	else
		next(parser);
	return ESCAPE_SET;
}

/* Reads the rest of an escape after the backslash and c, if it means the same in a class and
 * outside. *c_out: the character, for ESCAPE_CHAR. */
static enum escape take_escape(struct parser *parser, uint32_t c, uint32_t *c_out)
{
	static const char letters[] = "aefnrt", meanings[] = "\a\x1b\f\n\r\t";
	const char *found = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
	*c_out = found ? (uint8_t)meanings[found - letters] : c;
	/* The escapes listed here also exist in ripgrep's own engine. */
	if (c < 0x80 && (is_letter(c) || digit_of((uint8_t)c) < 10) &&
	    !strchr("aftnrvxpPdDsSwWAzbB", (int)c))
		parser->to.regex->is_of_pcre2 = true;
	if (found || (!is_letter(c) && (c < '0' || c > '9')))
		return ESCAPE_CHAR;
	switch (c) {
	case 'c':
		return take_control(parser, c_out);
	case 'x':
		if (takes(parser, "{"))
			return take_braced(parser, 16, c_out);
		take_digits(parser, 16, 2, c_out);
		return ESCAPE_CHAR;
	case 'o':
		return takes(parser, "{") ? take_braced(parser, 8, c_out) : ESCAPE_OTHER;
	case 'N':
		return takes(parser, "{U+") ? take_braced(parser, 16, c_out) : ESCAPE_OTHER;
	case 'p':
	case 'P':
		return take_property(parser);
	default:
		return strchr("dDhHsSvVwW", (int)c) ? ESCAPE_SET : ESCAPE_OTHER;
	}
}

static uint32_t add_escaped_set(struct parser *parser, uint32_t letter, size_t from)
{
	bs_regex_add_member(&parser->to, from, letter, 0, 0);
	return bs_regex_add_set(&parser->to, from, 0, bs_regex_n_members(&parser->to) - 1);
}

/* Parses a reference or call, by name or number, after \g or \k. may_be_bare: a number needs no
 * delimiters. */
static uint32_t parse_reference(struct parser *parser, bool may_be_bare, size_t from)
{
	static const char openings[] = "{<'", closings[] = "}>'";
	uint32_t number;
	if (sees_one_of(parser, openings)) {
		const char *opening = strchr(openings, parser->text[parser->to.at++]);
		skip_past(parser, closings[opening - openings]);
		return bs_regex_add(&parser->to, BS_REGEX_ANYTHING, from, 'g');
	}
	if (may_be_bare && !takes(parser, "+"))
		takes(parser, "-");
	if (!may_be_bare || !take_digits(parser, 10, SIZE_MAX, &number))
		return bs_regex_give_up(&parser->to);
	return bs_regex_add(&parser->to, BS_REGEX_ANYTHING, from, 'g');
}

/* Parses the digits after a backslash. \1 is a back reference. \12 is one if the pattern has that
 * many groups; otherwise it is an octal number, which may have fewer digits. */
static uint32_t parse_numbered(struct parser *parser, uint32_t first, size_t from)
{
	uint32_t number;
	if (first == '0') {
		take_digits(parser, 8, 2, &number);
		return bs_regex_add_char(&parser->to, number, from);
	}
	bool is_long = take_digits(parser, 10, SIZE_MAX, &number) > 0;
	return bs_regex_add(&parser->to, BS_REGEX_ANYTHING, from, is_long ? 'g' : first);
}

/* Parses an escape outside classes, after the backslash; \Q and \E are handled elsewhere. */
static uint32_t parse_escape(struct parser *parser, size_t from)
{
	uint32_t c;
	if (is_over(parser))
		return bs_regex_give_up(&parser->to);
	uint32_t letter = next(parser);
	enum escape escape = take_escape(parser, letter, &c);
	if (escape == ESCAPE_CHAR)
		return bs_regex_add_char(&parser->to, c, from);
	if (escape == ESCAPE_SET || letter == 'N')
		return add_escaped_set(parser, letter, from);
	if (letter >= '0' && letter <= '9')
		return parse_numbered(parser, letter, from);
	/* Later versions may give braces a meaning here. */
	if ((letter | 0x20) == 'b' && sees(parser, "{"))
		return bs_regex_give_up(&parser->to);
	if (strchr("bBAGKzZ", (int)letter))
		return bs_regex_add(&parser->to, BS_REGEX_ASSERTION, from, letter);
	if (strchr("CRX", (int)letter))
		return bs_regex_add(&parser->to, BS_REGEX_ANYTHING, from, letter);
	return letter == 'g' || letter == 'k' ? parse_reference(parser, letter == 'g', from)
	                                      : bs_regex_give_up(&parser->to);
}

/* Reads [:name:]. False: the bracket is an ordinary character. Gives up if it is uncertain which of
 * the two it is. */
static bool take_name(struct parser *parser)
{
	size_t start = parser->to.at;
	if (!sees(parser, "[:") && !sees(parser, "[.") && !sees(parser, "[="))
		return false;
	uint8_t end[2] = {parser->text[start + 1], ']'};
	const uint8_t *from = parser->text + start + 2;
	size_t n_left = parser->n_bytes - start - 2;
	const uint8_t *found = memmem(from, n_left < NAME_BYTES ? n_left : NAME_BYTES, end, 2);
	if (!found && n_left > NAME_BYTES)
		bs_regex_give_up(&parser->to);
	if (!found)
		return false;
	for (const uint8_t *at = from; at < found; at++)
		if (!is_letter(*at) && *at != '^')
			bs_regex_give_up(&parser->to);
	parser->to.at = (size_t)(found - parser->text) + 2;
	bs_regex_add_member(&parser->to, start, end[0] == ':' ? ':' : '?', 0, 0);
	return true;
}

/* Reads an escape in a class, after the backslash. True: *c_out is a character. False: it was added
 * as a member. */
static bool take_class_escape(struct parser *parser, size_t from, uint32_t *c_out)
{
	if (is_over(parser)) {
		bs_regex_give_up(&parser->to);
		return false;
	}
	uint32_t letter = next(parser);
	if (letter >= '0' && letter <= '7') {
		parser->to.at--;
		take_digits(parser, 8, 3, c_out);
		parser->to.regex->is_of_pcre2 = true;
		return true;
	}
	if (letter == 'b') {
		*c_out = '\b';
		return true;
	}
	enum escape escape = take_escape(parser, letter, c_out);
	if (escape == ESCAPE_SET)
		bs_regex_add_member(&parser->to, from, letter, 0, 0);
	else if (escape == ESCAPE_OTHER)
		bs_regex_give_up(&parser->to);
	return escape == ESCAPE_CHAR;
}

/* Reads one item of a class. True: *c_out is a character, which may begin or end a range. False:
 * the item was added as a member. */
static bool take_class_item(struct parser *parser, uint32_t *c_out)
{
	size_t from = parser->to.at;
	if (sees(parser, "\\Q") || sees(parser, "\\E")) {
		/* Within \Q...\E a bracket does not end the class. */
		bool is_quoted = sees(parser, "\\Q");
		parser->to.at += 2;
		while (is_quoted && !is_over(parser) && !takes(parser, "\\E"))
			parser->to.regex->is_ascii &= next(parser) < 0x80;
		parser->to.regex->is_of_pcre2 = true;
		bs_regex_add_member(&parser->to, from, '?', 0, 0);
		return false;
	}
	if (take_name(parser))
		return false;
	if (takes(parser, "\\"))
		return take_class_escape(parser, from, c_out);
	*c_out = next(parser);
	/* PCRE2 ignores a blank here with the option xx, but not with x. The parser does not
	 * distinguish the two. */
	if (parser->to.options.is_extended && (*c_out == ' ' || *c_out == '\t'))
		bs_regex_add_member(&parser->to, from, '?', 0, 0);
	return true;
}

static bool sees_range(const struct parser *parser)
{
	return parser->n_bytes - parser->to.at >= 2 && parser->text[parser->to.at] == '-' &&
	       parser->text[parser->to.at + 1] != ']';
}

/* Reads an item, and the end of the range if the item begins one. */
static void take_class_part(struct parser *parser)
{
	size_t from = parser->to.at;
	uint32_t first = 0, last = 0;
	if (!take_class_item(parser, &first))
		return;
	if (is_over(parser) || !sees_range(parser)) {
		bs_regex_add_member(&parser->to, from, 0, first, first);
		return;
	}
	parser->to.at++;
	if (take_class_item(parser, &last) && first <= last)
		bs_regex_add_member(&parser->to, from, 0, first, last);
	else
		bs_regex_add_member(&parser->to, from, '?', 0, 0);
	/* After a range, the meaning of another hyphen is uncertain. */
	if (!is_over(parser) && sees_range(parser))
		bs_regex_add_member(&parser->to, parser->to.at, '?', 0, 0);
}

/* Reads the ^ of a class, and ignored text before and after it. With the option xx PCRE2 ignores
 * blanks here, but not with x; the parser does not distinguish the two. True: there is a ^. */
static bool begin_class(struct parser *parser)
{
	bool has_blank = false, is_negated = false;
	while (!is_over(parser)) {
		if (takes(parser, "\\E") || takes(parser, "\\Q\\E"))
			continue;
		if (parser->to.options.is_extended && take_blanks(parser)) {
			has_blank = true;
			bs_regex_add_member(&parser->to, parser->to.at, '?', 0, 0);
			continue;
		}
		if (is_negated || !takes(parser, "^"))
			break;
		is_negated = true;
		if (has_blank)
			bs_regex_give_up(&parser->to);
	}
	if (has_blank && sees(parser, "]"))
		bs_regex_give_up(&parser->to);
	return is_negated;
}

/* Parses a class, after its opening bracket. */
static uint32_t parse_class(struct parser *parser, size_t from)
{
	uint32_t first = bs_regex_n_members(&parser->to);
	bool is_negated = begin_class(parser);
	/* A ] at the beginning is a character. */
	for (bool is_first = true; !is_over(parser); is_first = false) {
		if (!is_first && takes(parser, "]"))
			return bs_regex_add_set(&parser->to, from, is_negated ? '^' : '[', first);
		take_class_part(parser);
	}
	return bs_regex_give_up(&parser->to);
}

static uint32_t parse_either(struct parser *parser);

/* Parses the rest of a group through its closing parenthesis, which also ends the options set
 * inside. */
static uint32_t parse_rest(struct parser *parser)
{
	struct bs_regex_options outside = parser->to.options;
	if (parser->depth++ >= parser->most_depth)
		return bs_regex_give_up(&parser->to);
	uint32_t node = parse_either(parser);
	if (!takes(parser, ")"))
		bs_regex_give_up(&parser->to);
	parser->depth--;
	parser->to.options = outside;
	return node;
}

static uint32_t parse_look(struct parser *parser, bool is_negative, size_t from)
{
	parser->to.regex->is_of_pcre2 = true;
	uint32_t child = parse_rest(parser);
	/* The content of a negative lookaround requires nothing; it was parsed to find its end. */
	return is_negative ? bs_regex_add(&parser->to, BS_REGEX_ASSERTION, from, '!')
	                   : bs_regex_add_parent(&parser->to, BS_REGEX_LOOK, child, 1, from);
}

/* Skips recursion, a subroutine call or a verb through the closing parenthesis. */
static uint32_t skip_control(struct parser *parser, enum bs_regex_kind kind, size_t from)
{
	skip_past(parser, ')');
	parser->to.regex->has_control = parser->to.regex->is_of_pcre2 = true;
	return bs_regex_add(&parser->to, kind, from, 0);
}

/* Parses a conditional group after "(?(": the condition, then one or two alternatives. A condition
 * that is an assertion may fail, so it requires nothing. */
static uint32_t parse_condition(struct parser *parser, size_t from)
{
	static const char *const looks[] = {"?=", "?!", "?<=", "?<!", "?*", "?<*", NULL};
	bool is_definition = sees(parser, "DEFINE)");
	parser->to.regex->has_control = parser->to.regex->is_of_pcre2 = true;
	if (takes_one_of(parser, looks))
		parse_rest(parser);
	else if (sees_one_of(parser, "?*"))
		bs_regex_give_up(&parser->to);
	else
		skip_past(parser, ')');
	if (is_over(parser))
		return bs_regex_give_up(&parser->to);
	struct bs_regex_children children = bs_regex_no_children;
	uint32_t node = parse_rest(parser);
	if (parser->n_alternatives > 1 && !is_definition)
		return node;
	/* A missing second alternative is the empty one. */
	uint32_t nothing = bs_regex_add(&parser->to, BS_REGEX_EMPTY, parser->to.at, 0);
	if (is_definition)
		return nothing;
	bs_regex_put_child(&parser->to, &children, node);
	bs_regex_put_child(&parser->to, &children, nothing);
	return bs_regex_join(&parser->to, &children, BS_REGEX_ALTERNATION, from);
}

/* Parses options after "(?". They apply to the rest of the enclosing group or, with a colon, to
 * this group. */
static uint32_t parse_options(struct parser *parser, size_t from)
{
	struct bs_regex_options options = parser->to.options;
	bool is_unset = false;
	if (takes(parser, "^")) {
		options =
			(struct bs_regex_options){BS_REGEX_OFF, BS_REGEX_OFF, BS_REGEX_OFF, false};
		parser->to.regex->is_of_pcre2 = true;
	}
	while (sees_one_of(parser, "imsxnJU-")) {
		uint32_t c = next(parser);
		uint8_t *set = c == 'i'   ? &options.caseless
		               : c == 'm' ? &options.multi_line
		                          : &options.dot_all;
		if (c == 'i' || c == 'm' || c == 's')
			*set = is_unset ? BS_REGEX_OFF : BS_REGEX_ON;
		is_unset |= c == '-';
		options.is_extended = c == 'x' ? !is_unset : options.is_extended;
		parser->to.regex->is_of_pcre2 |= c == 'n' || c == 'J';
	}
	bool is_group = sees(parser, ":");
	if (!takes(parser, ":") && !takes(parser, ")"))
		return bs_regex_give_up(&parser->to);
	struct bs_regex_options outside = parser->to.options;
	parser->to.options = options;
	if (!is_group)
		return bs_regex_add(&parser->to, BS_REGEX_EMPTY, from, 0);
	uint32_t node = parse_rest(parser);
	parser->to.options = outside;
	return node;
}

/* True for a call or a reference: (?R (?0 (?1 (?+1 (?-1 (?& (?P= (?P>. False for (?-x, which sets
 * options. */
static bool sees_call(const struct parser *parser)
{
	if (sees(parser, "R)") || sees(parser, "&") || sees(parser, "P=") || sees(parser, "P>"))
		return true;
	size_t at = parser->to.at + (sees(parser, "+") || sees(parser, "-"));
	return at < parser->n_bytes && parser->text[at] >= '0' && parser->text[at] <= '9';
}

/* Parses a callout with a number after "(?C". Gives up if the callout has a string in delimiters,
 * which may contain parentheses. */
static uint32_t parse_callout(struct parser *parser, size_t from)
{
	uint32_t number;
	take_digits(parser, 10, SIZE_MAX, &number);
	return sees(parser, ")") ? skip_control(parser, BS_REGEX_EMPTY, from)
	                         : bs_regex_give_up(&parser->to);
}

/* Parses a group after "(?". */
static uint32_t parse_group(struct parser *parser, size_t from)
{
	static const char *const plain[] = {"|", ">", NULL},
				 *const looks[] = {"=", "<=", "*", "<*", NULL},
				 *const negatives[] = {"!", "<!", NULL},
				 *const names[] = {"P<", "<", "'", NULL};
	bool is_exotic = sees_one_of(parser, "*") || sees(parser, "<*");
	bool is_name_of_rust = sees(parser, "P<");
	if (takes(parser, ":"))
		return parse_rest(parser);
	if (takes_one_of(parser, looks)) {
		parser->to.regex->has_control |= is_exotic;
		return parse_look(parser, false, from);
	}
	if (takes_one_of(parser, negatives))
		return parse_look(parser, true, from);
	if (sees_call(parser))
		return skip_control(parser, BS_REGEX_ANYTHING, from);
	parser->to.regex->is_of_pcre2 |= !is_name_of_rust && !sees_one_of(parser, "imsxU-");
	if (takes_one_of(parser, names)) {
		skip_past(parser, parser->text[parser->to.at - 1] == '\'' ? '\'' : '>');
		parser->to.regex->n_captures++;
		return parse_rest(parser);
	}
	parser->to.regex->is_superset |= sees(parser, ">");
	if (takes_one_of(parser, plain))
		return parse_rest(parser);
	if (takes(parser, "("))
		return parse_condition(parser, from);
	return takes(parser, "C") ? parse_callout(parser, from) : parse_options(parser, from);
}

/* True if name is one of the words. name has no blanks; each word has a blank before and after
 * it. */
static bool is_one_of(const uint8_t *name, size_t n_bytes, const char *words)
{
	const char *at = words;
	while ((at = memmem(at, strlen(at), name, n_bytes)) && n_bytes &&
	       (at[-1] != ' ' || at[n_bytes] != ' '))
		at++;
	return at && n_bytes;
}

/* Parses an alphabetic assertion or group, such as (*pla:...), after its name. */
static uint32_t parse_named_group(struct parser *parser, const uint8_t *name, size_t n_bytes,
                                  size_t from)
{
	bool is_look = is_one_of(name, n_bytes,
	                         " pla positive_lookahead plb positive_lookbehind napla naplb "
	                         "non_atomic_positive_lookahead non_atomic_positive_lookbehind ");
	if (is_look || is_one_of(name, n_bytes, " nla negative_lookahead nlb negative_lookbehind "))
		return parse_look(parser, !is_look, from);
	bool is_group = is_one_of(name, n_bytes, " atomic sr script_run asr atomic_script_run ");
	parser->to.regex->is_superset |= is_group;
	return is_group ? parse_rest(parser) : bs_regex_give_up(&parser->to);
}

/* Parses a verb after "(*". Gives up at an unknown verb, and at ACCEPT, which ends a match
 * anywhere, so that no part of the pattern is required. */
static uint32_t parse_verb(struct parser *parser, size_t from)
{
	static const char harmless[] = " MARK COMMIT PRUNE SKIP THEN UTF UCP NOTEMPTY "
				       "NOTEMPTY_ATSTART NO_AUTO_POSSESS NO_DOTSTAR_ANCHOR "
				       "NO_JIT "
				       "NO_START_OPT LIMIT_DEPTH LIMIT_HEAP LIMIT_MATCH "
				       "LIMIT_RECURSION BSR_ANYCRLF BSR_UNICODE ";
	const uint8_t *name = parser->text + parser->to.at;
	while (parser->to.at < parser->n_bytes && !strchr(":=) ", parser->text[parser->to.at]))
		parser->to.at++;
	size_t n_bytes = (size_t)(parser->text + parser->to.at - name);
	parser->to.regex->has_control = parser->to.regex->is_of_pcre2 = true;
	if (n_bytes && name[0] >= 'a' && name[0] <= 'z' && takes(parser, ":"))
		return parse_named_group(parser, name, n_bytes, from);
	if (is_one_of(name, n_bytes, " F FAIL "))
		return skip_control(parser, BS_REGEX_NEVER, from);
	bool is_newline = is_one_of(name, n_bytes, " CR LF CRLF ANYCRLF ANY NUL ");
	parser->is_odd_newline |= is_newline;
	if (n_bytes && !is_newline && !is_one_of(name, n_bytes, harmless))
		return bs_regex_give_up(&parser->to);
	return skip_control(parser, BS_REGEX_EMPTY, from);
}

/* True for ASCII bytes other than \^$.[|()?*+{#, white space and NUL. A bitmap. */
static bool is_plain(uint8_t byte)
{
	static const uint64_t others[2] = {UINT64_C(0x80004f1900003e01),
	                                   UINT64_C(0x1800000058000000)};
	return byte < 0x80 && !(others[byte / 64] >> (byte % 64) & 1);
}

/* The number of plain bytes that follow, without the last one if a quantifier may follow it. */
static size_t plain_bytes(const struct parser *parser)
{
	const uint8_t *from = parser->text + parser->to.at, *end = parser->text + parser->n_bytes,
		      *at = from;
	while (at < end && is_plain(*at))
		at++;
	bool may_be_quantified = at < end && (*at >= 0x80 || !strchr(".[|)$^", *at));
	return (size_t)(at - from) - (at > from && may_be_quantified);
}

static uint32_t parse_item(struct parser *parser)
{
	size_t from = parser->to.at, n_plain = parser->is_quoting ? 0 : plain_bytes(parser);
	struct quantifier quantifier;
	if (n_plain) {
		parser->to.at += n_plain;
		return bs_regex_add_run(&parser->to, parser->text + from, n_plain, from);
	}
	if (parser->is_quoting)
		return bs_regex_add_char(&parser->to, next(parser), from);
	if (takes(parser, "\\Q")) {
		parser->is_quoting = parser->to.regex->is_of_pcre2 = true;
		return bs_regex_add(&parser->to, BS_REGEX_EMPTY, from, 0);
	}
	if (takes(parser, "\\"))
		return parse_escape(parser, from);
	/* As a whole item, [[:<:]] and [[:>:]] are word boundaries. */
	if (takes(parser, "[[:<:]]") || takes(parser, "[[:>:]]"))
		return bs_regex_add(&parser->to, BS_REGEX_ASSERTION, from, parser->text[from + 3]);
	if (takes(parser, "["))
		return parse_class(parser, from);
	if (takes(parser, "(?"))
		return parse_group(parser, from);
	if (takes(parser, "(*"))
		return parse_verb(parser, from);
	if (takes(parser, "(")) {
		parser->to.regex->n_captures++;
		return parse_rest(parser);
	}
	if (takes(parser, "."))
		return add_escaped_set(parser, '.', from);
	if (takes(parser, "^") || takes(parser, "$"))
		return bs_regex_add(&parser->to, BS_REGEX_ASSERTION, from, parser->text[from]);
	if (take_quantifier(parser, &quantifier)) /* a quantifier without an item */
		return bs_regex_give_up(&parser->to);
	return bs_regex_add_char(&parser->to, next(parser), from);
}

static uint32_t parse_sequence(struct parser *parser)
{
	struct bs_regex_children children = bs_regex_no_children;
	size_t start = parser->to.at;
	for (;;) {
		skip_ignored(parser);
		if (is_over(parser) || (!parser->is_quoting && sees_one_of(parser, "|)")))
			break;
		size_t from = parser->to.at;
		bool was_quoting = parser->is_quoting;
		uint32_t item = parse_item(parser);
		/* \Q itself takes no quantifier. */
		if (was_quoting || !parser->is_quoting)
			item = quantify(parser, item, from);
		bs_regex_put_in_sequence(&parser->to, &children, item);
	}
	return bs_regex_join(&parser->to, &children, BS_REGEX_SEQUENCE, start);
}

static bool takes_bar(struct parser *parser)
{
	uint32_t at = (uint32_t)parser->to.at;
	if (!takes(parser, "|"))
		return false;
	if (parser->depth == 0)
		parser->to.status = bs_vector_append(&parser->to.regex->bars, &at, parser->to.err);
	return true;
}

/* Parses alternatives up to a closing parenthesis or the end. */
static uint32_t parse_either(struct parser *parser)
{
	struct bs_regex_children children = bs_regex_no_children;
	size_t start = parser->to.at;
	do {
		bs_regex_put_child(&parser->to, &children, parse_sequence(parser));
	} while (!is_over(parser) && takes_bar(parser));
	parser->n_alternatives = children.n;
	return bs_regex_join(&parser->to, &children, BS_REGEX_ALTERNATION, start);
}

/* Stack bytes per level of parentheses, for the parser and for recursive functions over trees,
 * needs (regex_grams.c) and gram trees. parse_rest to parse_item take most, 300 bytes. Each level
 * makes up to three nested nodes. */
#define LEVEL_BYTES 640u
#define FEW_LEVELS  16u /* this depth fits into any stack */

unsigned bs_regex_most_depth(size_t n_groups)
{
	if (n_groups <= FEW_LEVELS)
		return BS_REGEX_MAX_DEPTH;
	size_t n_levels = bs_stack_levels(LEVEL_BYTES);
	return n_levels < FEW_LEVELS           ? FEW_LEVELS
	       : n_levels < BS_REGEX_MAX_DEPTH ? (unsigned)n_levels
	                                       : BS_REGEX_MAX_DEPTH;
}

/* The number of opening parentheses, but at most FEW_LEVELS + 1. */
static size_t count_groups(const uint8_t *text, size_t n_bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < n_bytes && n <= FEW_LEVELS; i++)
		n += text[i] == '(';
	return n;
}

enum bs_status bs_regex_read(struct bs_regex *regex, const uint8_t *text, size_t n_bytes,
                             struct bs_error *err)
{
	struct parser parser = {
		.text = text, .n_bytes = n_bytes, .to = {.regex = regex, .err = err}};
	struct bs_regex_build *to = &parser.to;
	parser.most_depth = bs_regex_most_depth(count_groups(text, n_bytes));
	bs_vector_clear(&regex->nodes);
	bs_vector_clear(&regex->members);
	bs_buffer_clear(&regex->bytes);
	bs_vector_clear(&regex->bars);
	*regex = (struct bs_regex){.text = text,
	                           .n_bytes = n_bytes,
	                           .nodes = regex->nodes,
	                           .members = regex->members,
	                           .bytes = regex->bytes,
	                           .bars = regex->bars,
	                           .is_utf8 = bs_text_is_utf8(text, n_bytes),
	                           .is_ascii = true};
	to->gave_up = n_bytes > BS_REGEX_MAX_BYTES || !regex->is_utf8;
	regex->root = parse_either(&parser);
	/* An unmatched closing parenthesis stops the parser before the end. */
	if (to->status || (!to->gave_up && to->at == n_bytes))
		return to->status;
	to->gave_up = false;
	to->at = n_bytes;
	regex->is_ascii = false;
	bs_vector_clear(&regex->nodes);
	regex->root = bs_regex_add(to, BS_REGEX_UNKNOWN, 0, 0);
	return to->status;
}
