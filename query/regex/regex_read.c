/*
 * regex_read.c: see regex_read.h.
 *
 * A recursive descent whose depth is that of the parentheses. A character becomes a node of its own, so that a
 * quantifier finds the one it belongs to; those without one join the run before them.
 */
#include "query/regex/regex_read.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/base/visible.h"
#include "core/system/stack.h"
#include "core/system/watch.h"

/* The end of a [:name:] is looked for in so many bytes only, or many brackets would take the square of their time. */
#define NAME_BYTES 1024u

/* What (?imsx) sets. */
struct options {
	uint8_t caseless, multi_line, dot_all; /* enum bs_regex_switch */
	bool is_extended;                      /* white space and comments are ignored */
};

/* What will be the children of one node. */
struct children {
	uint32_t n, first, last;
};

static const struct children no_children = {0, BS_REGEX_NO_NODE, BS_REGEX_NO_NODE};

/* The nodes made so far are those of text[0..at). */
struct parser {
	const uint8_t *text;
	size_t n_bytes;
	size_t at; /* what is read next, and where the next node ends */
	struct bs_regex *regex;
	struct options options;
	unsigned depth, most_depth; /* of parentheses */
	uint32_t n_alternatives;    /* of the group parsed last */
	bool is_quoting;            /* between \Q and \E */
	bool is_odd_newline;        /* a verb set what ends a line, and so a comment */
	bool gave_up;               /* the pattern is unknown; what follows does not matter */
	enum bs_status status;
	struct bs_error *err;
};

/* Functions that make a node return its index; after a failure, or once the parser gave up, some index. */

#define NODE_NS 100u /* what one costs about to be read */

static struct bs_regex_node *node_of(struct parser *parser, uint32_t index)
{
	return &parser->regex->nodes.items[index];
}

static bool is_lost(const struct parser *parser)
{
	return parser->gave_up || parser->status;
}

static uint32_t give_up(struct parser *parser)
{
	parser->gave_up = true;
	return 0;
}

/* A node of text[from..at). first, n: of its children, bytes or members. */
static uint32_t add_over(struct parser *parser, enum bs_regex_kind kind, size_t from, uint32_t letter, uint32_t first,
                         size_t n)
{
	struct bs_regex_node node = {.kind = (uint8_t)kind,
	                             .letter = (uint8_t)letter,
	                             .caseless = parser->options.caseless,
	                             .multi_line = parser->options.multi_line,
	                             .dot_all = parser->options.dot_all,
	                             .from = (uint32_t)from,
	                             .to = (uint32_t)parser->at,
	                             .first = first,
	                             .n = (uint32_t)n,
	                             .next = BS_REGEX_NO_NODE};
	if (is_lost(parser))
		return 0;
	parser->status = bs_watch_spend(NODE_NS, parser->err);
	if (!parser->status)
		parser->status = bs_vector_append(&parser->regex->nodes, &node, parser->err);
	return parser->status ? 0 : bs_regex_n_nodes(parser->regex) - 1;
}

static uint32_t add(struct parser *parser, enum bs_regex_kind kind, size_t from, uint32_t letter)
{
	return add_over(parser, kind, from, letter, BS_REGEX_NO_NODE, 0);
}

static void put_child(struct parser *parser, struct children *children, uint32_t child)
{
	if (is_lost(parser))
		return;
	if (children->n++ == 0)
		children->first = child;
	else
		node_of(parser, children->last)->next = child;
	children->last = child;
}

/* A run that follows on one of the same case joins it, also in the bytes; the empty text is left out. */
static void put_in_sequence(struct parser *parser, struct children *children, uint32_t child)
{
	if (is_lost(parser) || node_of(parser, child)->kind == BS_REGEX_EMPTY)
		return;
	const struct bs_regex_node *node = node_of(parser, child);
	struct bs_regex_node *before = children->n ? node_of(parser, children->last) : NULL;
	if (!before || before->kind != BS_REGEX_RUN || node->kind != BS_REGEX_RUN ||
	    before->caseless != node->caseless || before->first + before->n != node->first ||
	    child + 1 != bs_regex_n_nodes(parser->regex)) {
		put_child(parser, children, child);
		return;
	}
	before->n += node->n;
	before->to = node->to;
	bs_vector_set_n(&parser->regex->nodes, child);
}

/* One child alone needs no parent; none are the empty text. */
static uint32_t join(struct parser *parser, const struct children *children, enum bs_regex_kind kind, size_t from)
{
	if (children->n == 1)
		return children->first;
	return add_over(parser, children->n ? kind : BS_REGEX_EMPTY, from, 0, children->first, children->n);
}

static uint32_t add_run(struct parser *parser, const void *bytes, size_t n_bytes, size_t from)
{
	uint32_t run = add_over(parser, BS_REGEX_RUN, from, 0, (uint32_t)parser->regex->bytes.used_bytes, n_bytes);
	if (!is_lost(parser))
		parser->status = bs_buffer_append(&parser->regex->bytes, bytes, n_bytes, parser->err);
	return run;
}

static uint32_t add_char(struct parser *parser, uint32_t c, size_t from)
{
	uint8_t bytes[4];
	size_t n = 0;
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return give_up(parser);
	parser->regex->is_ascii &= c < 0x80;
	U8_APPEND_UNSAFE(bytes, n, c);
	return add_run(parser, bytes, n, from);
}

static uint32_t n_members(const struct parser *parser)
{
	return (uint32_t)bs_vector_n(&parser->regex->members);
}

static void add_member(struct parser *parser, size_t from, uint32_t letter, uint32_t first, uint32_t last)
{
	struct bs_regex_member member = {(uint32_t)from, (uint32_t)parser->at, first, last, (uint8_t)letter};
	if (is_lost(parser))
		return;
	parser->regex->is_ascii &= letter || last < 0x80;
	parser->status = bs_vector_append(&parser->regex->members, &member, parser->err);
}

/* Adds the set of the members from `first` on. letter ^: the characters that are in none of them. */
static uint32_t add_set(struct parser *parser, size_t from, uint32_t letter, uint32_t first)
{
	return add_over(parser, BS_REGEX_SET, from, letter, first, n_members(parser) - first);
}

static bool is_over(const struct parser *parser)
{
	return parser->at >= parser->n_bytes || is_lost(parser);
}

static bool sees(const struct parser *parser, const char *string)
{
	size_t n = strlen(string);
	return parser->n_bytes - parser->at >= n && memcmp(parser->text + parser->at, string, n) == 0;
}

/* The same, and goes past it. */
static bool takes(struct parser *parser, const char *string)
{
	if (!sees(parser, string))
		return false;
	parser->at += strlen(string);
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
	return parser->at < parser->n_bytes && parser->text[parser->at] && strchr(bytes, parser->text[parser->at]);
}

static void skip_past(struct parser *parser, char end)
{
	const uint8_t *found = memchr(parser->text + parser->at, end, parser->n_bytes - parser->at);
	if (found)
		parser->at = (size_t)(found - parser->text) + 1;
	else
		give_up(parser);
}

/* The next character; must not be over. The pattern is known to be UTF-8. */
static uint32_t next(struct parser *parser)
{
	UChar32 c;
	U8_NEXT_UNSAFE(parser->text, parser->at, c);
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

/* At most so many digits of the base; returns how many there were. A number over 0x10ffff is some number over it. */
static size_t take_digits(struct parser *parser, unsigned base, size_t most_digits, uint32_t *number_out)
{
	size_t n = 0;
	*number_out = 0;
	for (; n < most_digits && parser->at < parser->n_bytes && digit_of(parser->text[parser->at]) < base; n++) {
		if (*number_out <= 0x10ffff)
			*number_out = *number_out * base + digit_of(parser->text[parser->at]);
		parser->at++;
	}
	return n;
}

/* A comment of extended syntax ends with the line, whatever that is. */
static void skip_line(struct parser *parser)
{
	const uint8_t *from = parser->text + parser->at;
	size_t n = parser->n_bytes - parser->at;
	const uint8_t *end = memchr(from, '\n', n);
	size_t n_comment = end ? (size_t)(end - from) + 1 : n;
	if (parser->is_odd_newline || memchr(from, '\r', n_comment))
		give_up(parser);
	parser->regex->ends_in_comment |= !end;
	parser->at += n_comment;
}

static bool skip_extended(struct parser *parser)
{
	size_t start = parser->at;
	uint32_t c = next(parser);
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return true;
	if (c == '#') {
		skip_line(parser);
		return true;
	}
	parser->at = start;
	/* Versions differ in whether these are white space of a pattern. */
	if (c == 0x85 || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029)
		give_up(parser);
	return false;
}

/* Goes past what may stand between an item and its quantifier. Returns whether there was any. */
static bool skip_ignored(struct parser *parser)
{
	size_t start = parser->at;
	while (!is_over(parser)) {
		if (takes(parser, "\\E"))
			parser->is_quoting = false;
		else if (parser->is_quoting)
			break;
		else if (takes(parser, "(?#"))
			skip_past(parser, ')');
		else if (!takes(parser, "\\Q\\E") && !(parser->options.is_extended && skip_extended(parser)))
			break;
		else
			continue;
		parser->regex->is_of_pcre2 = true;
	}
	return parser->at != start;
}

struct quantifier {
	uint32_t least;
	uint32_t most;
	bool is_doubtful; /* a quantifier from 10.43 on, text before */
};

static bool take_blanks(struct parser *parser)
{
	size_t start = parser->at;
	while (takes(parser, " ") || takes(parser, "\t"))
		continue;
	return parser->at != start;
}

/* {n} {n,} {n,m}, and the looser forms of later versions. Leaves the place as it is if it is none of them. */
static bool take_braces(struct parser *parser, struct quantifier *quantifier)
{
	size_t start = parser->at++;
	bool is_loose = take_blanks(parser);
	bool has_least = take_digits(parser, 10, SIZE_MAX, &quantifier->least);
	is_loose |= take_blanks(parser);
	bool has_comma = takes(parser, ",");
	is_loose |= take_blanks(parser);
	bool has_most = has_comma && take_digits(parser, 10, SIZE_MAX, &quantifier->most);
	is_loose |= has_most && take_blanks(parser);
	if (!takes(parser, "}") || (!has_least && !has_most)) {
		parser->at = start;
		return false;
	}
	if (!has_most)
		quantifier->most = has_comma ? BS_REGEX_NO_MAX : quantifier->least;
	quantifier->is_doubtful = is_loose || !has_least;
	if (quantifier->least > 65535 || quantifier->most < quantifier->least)
		give_up(parser);
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

/* Possessive and lazy match no more than greedy. Apart from its quantifier, ? and + may be quantifiers of their own. */
static void take_quantifier_mode(struct parser *parser, struct quantifier *quantifier)
{
	if (takes(parser, "+") || takes(parser, "?") || !skip_ignored(parser) || parser->is_quoting)
		return;
	if (takes(parser, "+"))
		quantifier->most = BS_REGEX_NO_MAX;
	else if (takes(parser, "?"))
		quantifier->least = 0;
}

/* The item with the quantifiers behind it. */
static uint32_t quantify(struct parser *parser, uint32_t item, size_t from)
{
	struct quantifier quantifier;
	for (;;) {
		skip_ignored(parser);
		if (is_over(parser) || parser->is_quoting || !take_quantifier(parser, &quantifier))
			return item;
		take_quantifier_mode(parser, &quantifier);
		if (quantifier.is_doubtful) {
			item = add(parser, BS_REGEX_ANYTHING, from, 0);
			continue;
		}
		item = add_over(parser, BS_REGEX_REPEAT, from, 0, item, 1);
		if (is_lost(parser))
			return item;
		node_of(parser, item)->least = quantifier.least;
		node_of(parser, item)->most = quantifier.most;
	}
}

enum escape {
	ESCAPE_CHAR,
	ESCAPE_SET,
	ESCAPE_OTHER, /* means something only outside of a class, if at all */
};

/* Behind the opening brace. */
static enum escape take_braced(struct parser *parser, unsigned base, uint32_t *c_out)
{
	if (!take_digits(parser, base, SIZE_MAX, c_out) || !takes(parser, "}"))
		give_up(parser);
	return ESCAPE_CHAR;
}

static enum escape take_control(struct parser *parser, uint32_t *c_out)
{
	uint32_t c = is_over(parser) ? 0 : next(parser);
	if (c < 0x20 || c > 0x7e)
		give_up(parser);
	*c_out = (c >= 'a' && c <= 'z' ? c - 0x20 : c) ^ 0x40;
	return ESCAPE_CHAR;
}

/* \p or \P: in braces, or one letter. */
static enum escape take_property(struct parser *parser)
{
	if (is_over(parser))
		give_up(parser);
	else if (takes(parser, "{"))
		skip_past(parser, '}');
	else
		next(parser);
	return ESCAPE_SET;
}

/* Behind a backslash and c: what means the same in a class and outside. */
static enum escape take_escape(struct parser *parser, uint32_t c, uint32_t *c_out)
{
	static const char letters[] = "aefnrt", meanings[] = "\a\x1b\f\n\r\t";
	const char *found = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
	*c_out = found ? (uint8_t)meanings[found - letters] : c;
	/* What rg's own engine has, too. */
	if (c < 0x80 && (is_letter(c) || digit_of((uint8_t)c) < 10) && !strchr("aftnrvxpPdDsSwWAzbB", (int)c))
		parser->regex->is_of_pcre2 = true;
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
	add_member(parser, from, letter, 0, 0);
	return add_set(parser, from, 0, n_members(parser) - 1);
}

/* Behind \g or \k: a reference or a call, named or numbered. */
static uint32_t parse_reference(struct parser *parser, bool may_be_bare, size_t from)
{
	static const char openings[] = "{<'", closings[] = "}>'";
	uint32_t number;
	if (sees_one_of(parser, openings)) {
		const char *opening = strchr(openings, parser->text[parser->at++]);
		skip_past(parser, closings[opening - openings]);
		return add(parser, BS_REGEX_ANYTHING, from, 'g');
	}
	if (may_be_bare && !takes(parser, "+"))
		takes(parser, "-");
	if (!may_be_bare || !take_digits(parser, 10, SIZE_MAX, &number))
		return give_up(parser);
	return add(parser, BS_REGEX_ANYTHING, from, 'g');
}

/* \1 is a back reference; \12 is one if there are as many groups, and octal if not, which may end sooner. */
static uint32_t parse_numbered(struct parser *parser, uint32_t first, size_t from)
{
	uint32_t number;
	if (first == '0') {
		take_digits(parser, 8, 2, &number);
		return add_char(parser, number, from);
	}
	bool is_long = take_digits(parser, 10, SIZE_MAX, &number) > 0;
	return add(parser, BS_REGEX_ANYTHING, from, is_long ? 'g' : first);
}

/* Behind a backslash outside of classes, and no \Q or \E. */
static uint32_t parse_escape(struct parser *parser, size_t from)
{
	uint32_t c;
	if (is_over(parser))
		return give_up(parser);
	uint32_t letter = next(parser);
	enum escape escape = take_escape(parser, letter, &c);
	if (escape == ESCAPE_CHAR)
		return add_char(parser, c, from);
	if (escape == ESCAPE_SET || letter == 'N')
		return add_escaped_set(parser, letter, from);
	if (letter >= '0' && letter <= '9')
		return parse_numbered(parser, letter, from);
	/* Later versions may give braces a meaning here. */
	if ((letter | 0x20) == 'b' && sees(parser, "{"))
		return give_up(parser);
	if (strchr("bBAGKzZ", (int)letter))
		return add(parser, BS_REGEX_PLACE, from, letter);
	if (strchr("CRX", (int)letter))
		return add(parser, BS_REGEX_ANYTHING, from, letter);
	return letter == 'g' || letter == 'k' ? parse_reference(parser, letter == 'g', from) : give_up(parser);
}

/* [:name:], or a bracket that is a character. Nearly one of these: give up. */
static bool take_name(struct parser *parser)
{
	size_t start = parser->at;
	if (!sees(parser, "[:") && !sees(parser, "[.") && !sees(parser, "[="))
		return false;
	uint8_t end[2] = {parser->text[start + 1], ']'};
	const uint8_t *from = parser->text + start + 2;
	size_t n_left = parser->n_bytes - start - 2;
	const uint8_t *found = memmem(from, n_left < NAME_BYTES ? n_left : NAME_BYTES, end, 2);
	if (!found && n_left > NAME_BYTES)
		give_up(parser);
	if (!found)
		return false;
	for (const uint8_t *at = from; at < found; at++)
		if (!is_letter(*at) && *at != '^')
			give_up(parser);
	parser->at = (size_t)(found - parser->text) + 2;
	add_member(parser, start, end[0] == ':' ? ':' : '?', 0, 0);
	return true;
}

/* An escape in a class, the backslash behind us. */
static bool take_class_escape(struct parser *parser, size_t from, uint32_t *c_out)
{
	if (is_over(parser)) {
		give_up(parser);
		return false;
	}
	uint32_t letter = next(parser);
	if (letter >= '0' && letter <= '7') {
		parser->at--;
		take_digits(parser, 8, 3, c_out);
		parser->regex->is_of_pcre2 = true;
		return true;
	}
	if (letter == 'b') {
		*c_out = '\b';
		return true;
	}
	enum escape escape = take_escape(parser, letter, c_out);
	if (escape == ESCAPE_SET)
		add_member(parser, from, letter, 0, 0);
	else if (escape == ESCAPE_OTHER)
		give_up(parser);
	return escape == ESCAPE_CHAR;
}

/* One thing in a class. Returns whether it is a character, which may begin or end a range; else it is a member now. */
static bool take_class_item(struct parser *parser, uint32_t *c_out)
{
	size_t from = parser->at;
	if (sees(parser, "\\Q") || sees(parser, "\\E")) {
		/* In between a bracket does not end the class. */
		bool is_quoted = sees(parser, "\\Q");
		parser->at += 2;
		while (is_quoted && !is_over(parser) && !takes(parser, "\\E"))
			parser->regex->is_ascii &= next(parser) < 0x80;
		parser->regex->is_of_pcre2 = true;
		add_member(parser, from, '?', 0, 0);
		return false;
	}
	if (take_name(parser))
		return false;
	if (takes(parser, "\\"))
		return take_class_escape(parser, from, c_out);
	*c_out = next(parser);
	/* Blanks may count for nothing here. */
	if (parser->options.is_extended && (*c_out == ' ' || *c_out == '\t'))
		add_member(parser, from, '?', 0, 0);
	return true;
}

static bool sees_range(const struct parser *parser)
{
	return parser->n_bytes - parser->at >= 2 && parser->text[parser->at] == '-' &&
	       parser->text[parser->at + 1] != ']';
}

/* An item, and the other end of the range if it begins one. */
static void take_class_part(struct parser *parser)
{
	size_t from = parser->at;
	uint32_t first = 0, last = 0;
	if (!take_class_item(parser, &first))
		return;
	if (is_over(parser) || !sees_range(parser)) {
		add_member(parser, from, 0, first, first);
		return;
	}
	parser->at++;
	if (take_class_item(parser, &last) && first <= last)
		add_member(parser, from, 0, first, last);
	else
		add_member(parser, from, '?', 0, 0);
	/* What a hyphen behind a range begins is not worth knowing. */
	if (!is_over(parser) && sees_range(parser))
		add_member(parser, parser->at, '?', 0, 0);
}

/* What precedes the first character: ^ and, before and behind it, what counts for nothing. Whether blanks do is not
 * known (only with xx). Returns whether there is a ^. */
static bool begin_class(struct parser *parser)
{
	bool has_blank = false, is_negated = false;
	while (!is_over(parser)) {
		if (takes(parser, "\\E") || takes(parser, "\\Q\\E"))
			continue;
		if (parser->options.is_extended && take_blanks(parser)) {
			has_blank = true;
			add_member(parser, parser->at, '?', 0, 0);
			continue;
		}
		if (is_negated || !takes(parser, "^"))
			break;
		is_negated = true;
		if (has_blank)
			give_up(parser);
	}
	if (has_blank && sees(parser, "]"))
		give_up(parser);
	return is_negated;
}

/* Behind the bracket. */
static uint32_t parse_class(struct parser *parser, size_t from)
{
	uint32_t first = n_members(parser);
	bool is_negated = begin_class(parser);
	/* A bracket that comes first is a character. */
	for (bool is_first = true; !is_over(parser); is_first = false) {
		if (!is_first && takes(parser, "]"))
			return add_set(parser, from, is_negated ? '^' : '[', first);
		take_class_part(parser);
	}
	return give_up(parser);
}

static uint32_t parse_either(struct parser *parser);

/* The rest of a group, up to its parenthesis. Options set inside end with it. */
static uint32_t parse_rest(struct parser *parser)
{
	struct options outside = parser->options;
	if (parser->depth++ >= parser->most_depth)
		return give_up(parser);
	uint32_t node = parse_either(parser);
	if (!takes(parser, ")"))
		give_up(parser);
	parser->depth--;
	parser->options = outside;
	return node;
}

static uint32_t parse_look(struct parser *parser, bool is_negative, size_t from)
{
	parser->regex->is_of_pcre2 = true;
	uint32_t child = parse_rest(parser);
	/* What must not stand there says nothing, and was parsed for where it ends. */
	return is_negative ? add(parser, BS_REGEX_PLACE, from, '!')
	                   : add_over(parser, BS_REGEX_LOOK, from, 0, child, 1);
}

/* Recursion, a subroutine, a verb: up to the parenthesis. */
static uint32_t skip_control(struct parser *parser, enum bs_regex_kind kind, size_t from)
{
	skip_past(parser, ')');
	parser->regex->has_control = parser->regex->is_of_pcre2 = true;
	return add(parser, kind, from, 0);
}

/* Behind (?( : the condition, then one or two alternatives. A condition that is an assertion may fail, so it says
 * nothing. */
static uint32_t parse_condition(struct parser *parser, size_t from)
{
	static const char *const looks[] = {"?=", "?!", "?<=", "?<!", "?*", "?<*", NULL};
	bool is_definition = sees(parser, "DEFINE)");
	parser->regex->has_control = parser->regex->is_of_pcre2 = true;
	if (takes_one_of(parser, looks))
		parse_rest(parser);
	else if (sees_one_of(parser, "?*"))
		give_up(parser);
	else
		skip_past(parser, ')');
	if (is_over(parser))
		return give_up(parser);
	struct children children = no_children;
	uint32_t node = parse_rest(parser);
	if (parser->n_alternatives > 1 && !is_definition)
		return node;
	/* Without a second alternative it is the empty one. */
	uint32_t nothing = add(parser, BS_REGEX_EMPTY, parser->at, 0);
	if (is_definition)
		return nothing;
	put_child(parser, &children, node);
	put_child(parser, &children, nothing);
	return join(parser, &children, BS_REGEX_EITHER, from);
}

/* Behind (? : options, for the rest of the enclosing group or with a colon for this one. */
static uint32_t parse_options(struct parser *parser, size_t from)
{
	struct options options = parser->options;
	bool is_unset = false;
	if (takes(parser, "^")) {
		options = (struct options){BS_REGEX_OFF, BS_REGEX_OFF, BS_REGEX_OFF, false};
		parser->regex->is_of_pcre2 = true;
	}
	while (sees_one_of(parser, "imsxnJU-")) {
		uint32_t c = next(parser);
		uint8_t *set = c == 'i' ? &options.caseless : c == 'm' ? &options.multi_line : &options.dot_all;
		if (c == 'i' || c == 'm' || c == 's')
			*set = is_unset ? BS_REGEX_OFF : BS_REGEX_ON;
		is_unset |= c == '-';
		options.is_extended = c == 'x' ? !is_unset : options.is_extended;
		parser->regex->is_of_pcre2 |= c == 'n' || c == 'J';
	}
	bool is_group = sees(parser, ":");
	if (!takes(parser, ":") && !takes(parser, ")"))
		return give_up(parser);
	struct options outside = parser->options;
	parser->options = options;
	if (!is_group)
		return add(parser, BS_REGEX_EMPTY, from, 0);
	uint32_t node = parse_rest(parser);
	parser->options = outside;
	return node;
}

/* (?R (?0 (?1 (?+1 (?-1 (?& (?P= (?P> : a call or a reference; (?-x is not one. */
static bool sees_call(const struct parser *parser)
{
	if (sees(parser, "R)") || sees(parser, "&") || sees(parser, "P=") || sees(parser, "P>"))
		return true;
	size_t at = parser->at + (sees(parser, "+") || sees(parser, "-"));
	return at < parser->n_bytes && parser->text[at] >= '0' && parser->text[at] <= '9';
}

/* Behind (?C : a number, or text in delimiters, which may hold parentheses. */
static uint32_t parse_callout(struct parser *parser, size_t from)
{
	uint32_t number;
	take_digits(parser, 10, SIZE_MAX, &number);
	return sees(parser, ")") ? skip_control(parser, BS_REGEX_EMPTY, from) : give_up(parser);
}

/* Behind (? . */
static uint32_t parse_group(struct parser *parser, size_t from)
{
	static const char *const plain[] = {"|", ">", NULL}, *const looks[] = {"=", "<=", "*", "<*", NULL},
				 *const negatives[] = {"!", "<!", NULL}, *const names[] = {"P<", "<", "'", NULL};
	bool is_exotic = sees_one_of(parser, "*") || sees(parser, "<*");
	bool is_name_of_rust = sees(parser, "P<");
	if (takes(parser, ":"))
		return parse_rest(parser);
	if (takes_one_of(parser, looks)) {
		parser->regex->has_control |= is_exotic;
		return parse_look(parser, false, from);
	}
	if (takes_one_of(parser, negatives))
		return parse_look(parser, true, from);
	if (sees_call(parser))
		return skip_control(parser, BS_REGEX_ANYTHING, from);
	parser->regex->is_of_pcre2 |= !is_name_of_rust && !sees_one_of(parser, "imsxU-");
	if (takes_one_of(parser, names)) {
		skip_past(parser, parser->text[parser->at - 1] == '\'' ? '\'' : '>');
		parser->regex->n_captures++;
		return parse_rest(parser);
	}
	if (takes_one_of(parser, plain))
		return parse_rest(parser);
	if (takes(parser, "("))
		return parse_condition(parser, from);
	return takes(parser, "C") ? parse_callout(parser, from) : parse_options(parser, from);
}

/* name holds no blank; words have one each before and behind them. */
static bool is_one_of(const uint8_t *name, size_t n_bytes, const char *words)
{
	const char *at = words;
	while ((at = memmem(at, strlen(at), name, n_bytes)) && n_bytes && (at[-1] != ' ' || at[n_bytes] != ' '))
		at++;
	return at && n_bytes;
}

/* (*pla:...) and the like: groups by another name. */
static uint32_t parse_named_group(struct parser *parser, const uint8_t *name, size_t n_bytes, size_t from)
{
	bool is_look = is_one_of(name, n_bytes,
	                         " pla positive_lookahead plb positive_lookbehind napla naplb "
	                         "non_atomic_positive_lookahead non_atomic_positive_lookbehind ");
	if (is_look || is_one_of(name, n_bytes, " nla negative_lookahead nlb negative_lookbehind "))
		return parse_look(parser, !is_look, from);
	bool is_group = is_one_of(name, n_bytes, " atomic sr script_run asr atomic_script_run ");
	return is_group ? parse_rest(parser) : give_up(parser);
}

/* Behind (* . ACCEPT ends a match wherever it stands, so that nothing of the pattern need be in the text: unknown. */
static uint32_t parse_verb(struct parser *parser, size_t from)
{
	static const char harmless[] =
		" MARK COMMIT PRUNE SKIP THEN UTF UCP NOTEMPTY NOTEMPTY_ATSTART NO_AUTO_POSSESS NO_DOTSTAR_ANCHOR "
		"NO_JIT "
		"NO_START_OPT LIMIT_DEPTH LIMIT_HEAP LIMIT_MATCH LIMIT_RECURSION BSR_ANYCRLF BSR_UNICODE ";
	const uint8_t *name = parser->text + parser->at;
	while (parser->at < parser->n_bytes && !strchr(":=) ", parser->text[parser->at]))
		parser->at++;
	size_t n_bytes = (size_t)(parser->text + parser->at - name);
	parser->regex->has_control = parser->regex->is_of_pcre2 = true;
	if (n_bytes && name[0] >= 'a' && name[0] <= 'z' && takes(parser, ":"))
		return parse_named_group(parser, name, n_bytes, from);
	if (is_one_of(name, n_bytes, " F FAIL "))
		return skip_control(parser, BS_REGEX_NEVER, from);
	bool is_newline = is_one_of(name, n_bytes, " CR LF CRLF ANYCRLF ANY NUL ");
	parser->is_odd_newline |= is_newline;
	if (n_bytes && !is_newline && !is_one_of(name, n_bytes, harmless))
		return give_up(parser);
	return skip_control(parser, BS_REGEX_EMPTY, from);
}

/* A byte of ASCII, but none of \^$.[|()?*+{# and white space, nor NUL: a bit each, 64 to a word. */
static bool is_plain(uint8_t byte)
{
	static const uint64_t others[2] = {UINT64_C(0x80004f1900003e01), UINT64_C(0x1800000058000000)};
	return byte < 0x80 && !(others[byte / 64] >> (byte % 64) & 1);
}

/* Plain ASCII up to what may have a meaning; what may be quantified is left for later. */
static size_t plain_bytes(const struct parser *parser)
{
	const uint8_t *from = parser->text + parser->at, *end = parser->text + parser->n_bytes, *at = from;
	while (at < end && is_plain(*at))
		at++;
	bool may_be_quantified = at < end && (*at >= 0x80 || !strchr(".[|)$^", *at));
	return (size_t)(at - from) - (at > from && may_be_quantified);
}

static uint32_t parse_item(struct parser *parser)
{
	size_t from = parser->at, n_plain = parser->is_quoting ? 0 : plain_bytes(parser);
	struct quantifier quantifier;
	if (n_plain) {
		parser->at += n_plain;
		return add_run(parser, parser->text + from, n_plain, from);
	}
	if (parser->is_quoting)
		return add_char(parser, next(parser), from);
	if (takes(parser, "\\Q")) {
		parser->is_quoting = parser->regex->is_of_pcre2 = true;
		return add(parser, BS_REGEX_EMPTY, from, 0);
	}
	if (takes(parser, "\\"))
		return parse_escape(parser, from);
	/* Outside of a class these two are word boundaries. */
	if (takes(parser, "[[:<:]]") || takes(parser, "[[:>:]]"))
		return add(parser, BS_REGEX_PLACE, from, parser->text[from + 3]);
	if (takes(parser, "["))
		return parse_class(parser, from);
	if (takes(parser, "(?"))
		return parse_group(parser, from);
	if (takes(parser, "(*"))
		return parse_verb(parser, from);
	if (takes(parser, "(")) {
		parser->regex->n_captures++;
		return parse_rest(parser);
	}
	if (takes(parser, "."))
		return add_escaped_set(parser, '.', from);
	if (takes(parser, "^") || takes(parser, "$"))
		return add(parser, BS_REGEX_PLACE, from, parser->text[from]);
	if (take_quantifier(parser, &quantifier)) /* of nothing */
		return give_up(parser);
	return add_char(parser, next(parser), from);
}

static uint32_t parse_sequence(struct parser *parser)
{
	struct children children = no_children;
	size_t start = parser->at;
	for (;;) {
		skip_ignored(parser);
		if (is_over(parser) || (!parser->is_quoting && sees_one_of(parser, "|)")))
			break;
		size_t from = parser->at;
		bool was_quoting = parser->is_quoting;
		uint32_t item = parse_item(parser);
		/* \Q itself takes no quantifier. */
		if (was_quoting || !parser->is_quoting)
			item = quantify(parser, item, from);
		put_in_sequence(parser, &children, item);
	}
	return join(parser, &children, BS_REGEX_SEQUENCE, start);
}

static bool takes_bar(struct parser *parser)
{
	uint32_t at = (uint32_t)parser->at;
	if (!takes(parser, "|"))
		return false;
	if (parser->depth == 0)
		parser->status = bs_vector_append(&parser->regex->bars, &at, parser->err);
	return true;
}

/* Alternatives, up to a parenthesis that closes or the end. */
static uint32_t parse_either(struct parser *parser)
{
	struct children children = no_children;
	size_t start = parser->at;
	do {
		put_child(parser, &children, parse_sequence(parser));
	} while (!is_over(parser) && takes_bar(parser));
	parser->n_alternatives = children.n;
	return join(parser, &children, BS_REGEX_EITHER, start);
}

/* What this file, and what walks over the tree and what is made of it (needs, trees of grams), take of the stack for a pair of
 * parentheses; the most is that of parse_rest to parse_item, 300 bytes. Each pair makes up to three nodes one below the other. */
#define LEVEL_BYTES 640u
#define FEW_LEVELS  16u /* fit into any stack */

/* The depth up to which a pattern of n_groups groups is read, from the free stack of this thread. A pattern that is nested deeper
 * becomes BS_REGEX_UNKNOWN and is left to PCRE2 alone, which has limits of its own. */
static unsigned find_most_depth(size_t n_groups)
{
	if (n_groups <= FEW_LEVELS)
		return BS_REGEX_MAX_DEPTH;
	size_t n_levels = bs_stack_levels(LEVEL_BYTES);
	return n_levels < FEW_LEVELS           ? FEW_LEVELS
	       : n_levels < BS_REGEX_MAX_DEPTH ? (unsigned)n_levels
	                                       : BS_REGEX_MAX_DEPTH;
}

/* At most FEW_LEVELS + 1. */
static size_t count_groups(const uint8_t *text, size_t n_bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < n_bytes && n <= FEW_LEVELS; i++)
		n += text[i] == '(';
	return n;
}

enum bs_status bs_regex_read(struct bs_regex *regex, const uint8_t *text, size_t n_bytes, struct bs_error *err)
{
	struct parser parser = {.text = text, .n_bytes = n_bytes, .regex = regex, .err = err};
	parser.most_depth = find_most_depth(count_groups(text, n_bytes));
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
	parser.gave_up = n_bytes > BS_REGEX_MAX_BYTES || !regex->is_utf8;
	regex->root = parse_either(&parser);
	/* A parenthesis too many stops the parser before the end. */
	if (parser.status || (!parser.gave_up && parser.at == n_bytes))
		return parser.status;
	parser.gave_up = false;
	parser.at = n_bytes;
	regex->is_ascii = false;
	bs_vector_clear(&regex->nodes);
	regex->root = add(&parser, BS_REGEX_UNKNOWN, 0, 0);
	return parser.status;
}
