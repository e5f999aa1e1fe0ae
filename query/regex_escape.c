/* regex_escape.c: what a backslash begins, and classes. See regex_internal.h. */
#include <string.h>

#include "core/grams.h"
#include "query/regex_internal.h"

/* The end of a [:name:] is looked for in so many bytes only, or many brackets would take the square of their time. */
#define POSIX_BYTES 1024u

/* What an escape stands for. */
enum escape {
	ESCAPE_CHAR,     /* one character, known */
	ESCAPE_ANYTHING, /* some text */
	ESCAPE_EMPTY,    /* a place */
	ESCAPE_UNKNOWN,
};

/* ---- numbers ---- */

static unsigned digit_of(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10u : 16;
}

/* At most so many digits of the base; returns how many there were. */
static size_t take_digits(struct bs_regex_parser *parser, unsigned base, size_t most_digits, uint32_t *number_out)
{
	size_t n = 0;
	*number_out = 0;
	while (n < most_digits && parser->at < parser->n_bytes && digit_of(parser->text[parser->at]) < base) {
		if (*number_out <= 0x10ffff)
			*number_out = *number_out * base + digit_of(parser->text[parser->at]);
		parser->at++;
		n++;
	}
	return n;
}

/* Behind the opening brace. */
static enum escape take_braced(struct bs_regex_parser *parser, unsigned base, uint32_t *c_out)
{
	size_t n = take_digits(parser, base, SIZE_MAX, c_out);
	return n > 0 && bs_regex_takes(parser, "}") ? ESCAPE_CHAR : ESCAPE_UNKNOWN;
}

/* ---- escapes that mean the same in a class and outside ---- */

static enum escape take_control(struct bs_regex_parser *parser, uint32_t *c_out)
{
	if (bs_regex_is_over(parser))
		return ESCAPE_UNKNOWN;
	uint32_t c = bs_regex_next(parser);
	if (c < 0x20 || c > 0x7e)
		return ESCAPE_UNKNOWN;
	*c_out = (c >= 'a' && c <= 'z' ? c - 0x20 : c) ^ 0x40;
	return ESCAPE_CHAR;
}

static enum escape take_hex(struct bs_regex_parser *parser, uint32_t *c_out)
{
	if (bs_regex_takes(parser, "{"))
		return take_braced(parser, 16, c_out);
	take_digits(parser, 16, 2, c_out);
	return ESCAPE_CHAR;
}

/* \p or \P: in braces, or one letter. */
static enum escape take_property(struct bs_regex_parser *parser)
{
	if (bs_regex_is_over(parser))
		return ESCAPE_UNKNOWN;
	if (bs_regex_takes(parser, "{"))
		bs_regex_skip_past(parser, '}');
	else
		bs_regex_next(parser);
	return ESCAPE_ANYTHING;
}

static enum escape take_letter(struct bs_regex_parser *parser, uint32_t letter, uint32_t *c_out)
{
	static const char letters[] = "aefnrt", meanings[] = "\a\x1b\f\n\r\t";
	const char *found = letter && letter < 0x80 ? strchr(letters, (int)letter) : NULL;
	if (found) {
		*c_out = (uint8_t)meanings[found - letters];
		return ESCAPE_CHAR;
	}
	switch (letter) {
	case 'c':
		return take_control(parser, c_out);
	case 'x':
		return take_hex(parser, c_out);
	case 'o':
		return bs_regex_takes(parser, "{") ? take_braced(parser, 8, c_out) : ESCAPE_UNKNOWN;
	case 'p':
	case 'P':
		return take_property(parser);
	default:
		return letter && letter < 0x80 && strchr("dDhHsSvVwW", (int)letter) ? ESCAPE_ANYTHING : ESCAPE_UNKNOWN;
	}
}

static bool is_letter(uint32_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* ---- outside of classes ---- */

/* Behind \g or \k: a reference or a call, named or numbered. */
static enum escape take_reference(struct bs_regex_parser *parser, bool may_be_bare)
{
	static const char openings[] = "{<'", closings[] = "}>'";
	uint32_t number;
	for (size_t i = 0; i < 3; i++) {
		if (parser->at < parser->n_bytes && parser->text[parser->at] == openings[i]) {
			parser->at++;
			bs_regex_skip_past(parser, closings[i]);
			return ESCAPE_ANYTHING;
		}
	}
	if (may_be_bare && !bs_regex_takes(parser, "+"))
		bs_regex_takes(parser, "-");
	return may_be_bare && take_digits(parser, 10, SIZE_MAX, &number) ? ESCAPE_ANYTHING : ESCAPE_UNKNOWN;
}

/* \N is any character but a line's end; \N{U+hh} is one by its number. In other braces there is a quantifier. */
static enum escape take_not_newline(struct bs_regex_parser *parser, uint32_t *c_out)
{
	if (bs_regex_takes(parser, "{U+"))
		return take_braced(parser, 16, c_out);
	return ESCAPE_ANYTHING;
}

/* \1 is a back reference; \12 is one if there are as many groups, and octal if not, which may end sooner. */
static enum escape take_number(struct bs_regex_parser *parser, uint32_t first, uint32_t *c_out)
{
	uint32_t number;
	if (first != '0') {
		take_digits(parser, 10, SIZE_MAX, &number);
		return ESCAPE_ANYTHING;
	}
	take_digits(parser, 8, 2, c_out);
	return ESCAPE_CHAR;
}

static enum escape take_escape(struct bs_regex_parser *parser, uint32_t *c_out)
{
	if (bs_regex_is_over(parser))
		return ESCAPE_UNKNOWN;
	uint32_t c = *c_out = bs_regex_next(parser);
	if (c >= '0' && c <= '9')
		return take_number(parser, c, c_out);
	if (!is_letter(c))
		return ESCAPE_CHAR;
	switch (c) {
	case 'b':
	case 'B':
		/* Later versions may give braces a meaning here. */
		return bs_regex_sees(parser, "{") ? ESCAPE_UNKNOWN : ESCAPE_EMPTY;
	case 'A':
	case 'G':
	case 'K':
	case 'z':
	case 'Z':
		return ESCAPE_EMPTY;
	case 'C':
	case 'R':
	case 'X':
		return ESCAPE_ANYTHING;
	case 'N':
		return take_not_newline(parser, c_out);
	case 'g':
	case 'k':
		return take_reference(parser, c == 'g');
	default:
		return take_letter(parser, c, c_out);
	}
}

/*
 * What a letter behind a backslash stands for, in a class and outside, if it stands for one of several characters; false
 * if that is not worth knowing. Beyond ASCII each may stand for something.
 */
static bool class_of_letter(uint32_t letter, struct bs_regex_class *class)
{
	static const char *const members[] = {
		"d0123456789", "h \t", "s \t\n\v\f\r", "v\n\v\f\r",
		"w0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"};
	*class = (struct bs_regex_class){.has_more = false};
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		if ((letter | 0x20) != (uint8_t)members[i][0])
			continue;
		for (const char *member = members[i] + 1; *member; member++)
			bs_regex_class_put(class, (uint8_t)*member);
		for (size_t byte = 0; byte < sizeof(class->ascii) && letter != (uint8_t)members[i][0]; byte++)
			class->ascii[byte] = (uint8_t)~class->ascii[byte];
		class->has_more = true;
		return true;
	}
	return false;
}

uint32_t bs_regex_parse_escape(struct bs_regex_parser *parser)
{
	struct bs_regex_class class;
	uint32_t c = 0, letter = bs_regex_is_over(parser) ? 0 : parser->text[parser->at];
	switch (take_escape(parser, &c)) {
	case ESCAPE_CHAR:
		return bs_regex_add_char(parser, c);
	case ESCAPE_ANYTHING:
		if (parser->keeps_classes && class_of_letter(letter, &class))
			return bs_regex_add_class(parser, &class);
		return bs_regex_add(parser, BS_REGEX_ANYTHING);
	case ESCAPE_EMPTY:
		return bs_regex_add(parser, BS_REGEX_EMPTY);
	default:
		return bs_regex_give_up(parser);
	}
}

/* ---- classes ---- */

/*
 * The characters of a class, folded and distinct, as long as they are few; where classes are kept also what the class
 * holds at least and at most.
 */
struct few {
	uint32_t chars[BS_REGEX_CLASS_CHARS];
	uint32_t n;
	bool is_large;
	bool is_negated;
	bool is_unknown; /* neither least nor most counts */
	struct bs_regex_class least, most;
};

/* Something that is no character and no class we know. */
static void put_unknown(struct few *few)
{
	few->is_large = few->is_unknown = true;
}

static void put_letter(struct few *few, uint32_t letter)
{
	struct bs_regex_class class;
	few->is_large = true;
	if (!class_of_letter(letter, &class)) {
		few->is_unknown = true;
		return;
	}
	for (size_t i = 0; i < sizeof(class.ascii); i++) {
		few->least.ascii[i] |= class.ascii[i];
		few->most.ascii[i] |= class.ascii[i];
	}
	few->most.has_more = true;
}

static void put_char(struct few *few, uint32_t c)
{
	uint32_t folded = bs_gram_fold(c);
	for (uint32_t i = 0; i < few->n; i++)
		if (few->chars[i] == folded)
			return;
	if (few->n == BS_REGEX_CLASS_CHARS)
		few->is_large = true;
	else
		few->chars[few->n++] = folded;
}

/* Different characters may fold to one, but not many. */
static void put_range(struct bs_regex_parser *parser, struct few *few, uint32_t from, uint32_t to)
{
	if (!bs_regex_knows(parser, to)) {
		put_unknown(few);
		return;
	}
	if (to > 0x10ffff || to - from > 8 * BS_REGEX_CLASS_CHARS)
		few->is_large = true;
	for (uint32_t c = from; c <= to && !few->is_large; c++)
		put_char(few, c);
	for (uint32_t c = from; c <= to && c < 0x80; c++) {
		bs_regex_class_put(&few->least, c);
		bs_regex_class_put(&few->most, c);
	}
	few->most.has_more |= to >= 0x80;
}

/* [:name:], or a bracket that is a character. Nearly one of these: give up. */
static bool take_posix(struct bs_regex_parser *parser)
{
	if (!bs_regex_sees(parser, "[:") && !bs_regex_sees(parser, "[.") && !bs_regex_sees(parser, "[="))
		return false;
	uint8_t end[2] = {parser->text[parser->at + 1], ']'};
	const uint8_t *from = parser->text + parser->at + 2;
	size_t n_left = parser->n_bytes - parser->at - 2;
	const uint8_t *found = memmem(from, n_left < POSIX_BYTES ? n_left : POSIX_BYTES, end, 2);
	if (!found && n_left > POSIX_BYTES)
		bs_regex_give_up(parser);
	if (!found)
		return false;
	for (; from < found; from++)
		if (!is_letter(*from) && *from != '^')
			bs_regex_give_up(parser);
	parser->at = (size_t)(found - parser->text) + 2;
	return true;
}

/* One escape in a class, the backslash behind us. */
static enum escape take_class_escape(struct bs_regex_parser *parser, uint32_t *c_out)
{
	if (bs_regex_is_over(parser))
		return ESCAPE_UNKNOWN;
	uint32_t c = *c_out = bs_regex_next(parser);
	if (c >= '0' && c <= '7') {
		parser->at--;
		take_digits(parser, 8, 3, c_out);
		return ESCAPE_CHAR;
	}
	if (c == 'b') {
		*c_out = '\b';
		return ESCAPE_CHAR;
	}
	if (c == 'N' && bs_regex_takes(parser, "{U+"))
		return take_braced(parser, 16, c_out);
	if (c == '8' || c == '9' || is_letter(c))
		return take_letter(parser, c, c_out);
	return ESCAPE_CHAR;
}

/* \Q to \E in a class, where a bracket does not end it. */
static void skip_quoted(struct bs_regex_parser *parser)
{
	while (!bs_regex_is_over(parser) && !bs_regex_takes(parser, "\\E"))
		bs_regex_next(parser);
}

/* One thing in a class. Returns whether it is a character, which may begin or end a range. */
static bool take_class_item(struct bs_regex_parser *parser, struct few *few, uint32_t *c_out)
{
	if (bs_regex_takes(parser, "\\Q")) {
		put_unknown(few);
		skip_quoted(parser);
		return false;
	}
	if (bs_regex_takes(parser, "\\E") || take_posix(parser)) {
		put_unknown(few);
		return false;
	}
	if (!bs_regex_takes(parser, "\\")) {
		*c_out = bs_regex_next(parser);
		/* Blanks may count for nothing here. */
		if (parser->is_extended && (*c_out == ' ' || *c_out == '\t'))
			put_unknown(few);
		return true;
	}
	uint32_t letter = bs_regex_is_over(parser) ? 0 : parser->text[parser->at];
	enum escape escape = take_class_escape(parser, c_out);
	if (escape == ESCAPE_UNKNOWN)
		bs_regex_give_up(parser);
	if (escape == ESCAPE_ANYTHING)
		put_letter(few, letter);
	return escape == ESCAPE_CHAR;
}

static bool sees_range(const struct bs_regex_parser *parser)
{
	return parser->n_bytes - parser->at >= 2 && parser->text[parser->at] == '-' &&
	       parser->text[parser->at + 1] != ']';
}

/* An item, and the other end of the range if it begins one. */
static void take_class_part(struct bs_regex_parser *parser, struct few *few)
{
	uint32_t from = 0, to = 0;
	if (!take_class_item(parser, few, &from))
		return;
	if (bs_regex_is_over(parser) || !sees_range(parser)) {
		put_range(parser, few, from, from);
		return;
	}
	parser->at++;
	if (take_class_item(parser, few, &to) && from <= to)
		put_range(parser, few, from, to);
	else
		put_unknown(few);
	/* What a hyphen behind a range begins is not worth knowing. */
	if (!bs_regex_is_over(parser) && sees_range(parser))
		put_unknown(few);
}

/* The whole class: what it may hold at most, or not at least. */
static uint32_t add_most(struct bs_regex_parser *parser, const struct few *few)
{
	struct bs_regex_class class = few->most;
	for (size_t i = 0; i < sizeof(class.ascii); i++) {
		if (few->is_negated)
			class.ascii[i] = (uint8_t)~few->least.ascii[i];
		if (few->is_unknown)
			class.ascii[i] = 0xff;
	}
	class.has_more |= few->is_negated || few->is_unknown;
	return bs_regex_add_class(parser, &class);
}

static uint32_t add_few(struct bs_regex_parser *parser, const struct few *few)
{
	if (few->n == 1)
		return bs_regex_add_char(parser, few->chars[0]);
	uint32_t chars[BS_REGEX_CLASS_CHARS];
	for (uint32_t i = 0; i < few->n; i++)
		chars[i] = bs_regex_add_char(parser, few->chars[i]);
	uint32_t either = bs_regex_add(parser, BS_REGEX_EITHER);
	for (uint32_t i = 0; i < few->n; i++)
		bs_regex_adopt(parser, either, chars[i]);
	return either;
}

static uint32_t add_collected(struct bs_regex_parser *parser, const struct few *few)
{
	if (parser->keeps_classes)
		return add_most(parser, few);
	return few->is_large ? bs_regex_add(parser, BS_REGEX_ANYTHING) : add_few(parser, few);
}

/* What precedes the first character: ^ and, before and behind it, what counts for nothing. Whether blanks do is not known
 * (only with xx). */
static void begin_class(struct bs_regex_parser *parser, struct few *few)
{
	bool has_blank = false;
	while (!bs_regex_is_over(parser)) {
		if (bs_regex_takes(parser, "\\E") || bs_regex_takes(parser, "\\Q\\E"))
			continue;
		if (parser->is_extended && (bs_regex_takes(parser, " ") || bs_regex_takes(parser, "\t"))) {
			has_blank = true;
			put_unknown(few);
			continue;
		}
		if (few->is_negated || !bs_regex_takes(parser, "^"))
			break;
		few->is_negated = few->is_large = true;
		if (has_blank)
			bs_regex_give_up(parser);
	}
	if (has_blank && bs_regex_sees(parser, "]"))
		bs_regex_give_up(parser);
}

uint32_t bs_regex_parse_class(struct bs_regex_parser *parser)
{
	struct few few = {.n = 0};
	begin_class(parser, &few);
	/* A bracket that comes first is a character. */
	for (bool is_first = true; !bs_regex_is_over(parser); is_first = false) {
		if (!is_first && bs_regex_takes(parser, "]"))
			return add_collected(parser, &few);
		take_class_part(parser, &few);
	}
	return bs_regex_give_up(parser);
}
