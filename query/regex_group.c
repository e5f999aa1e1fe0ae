/* regex_group.c: what begins with a parenthesis: groups, lookaround, options, calls and verbs. See regex_internal.h. */
#include <string.h>

#include "query/regex_internal.h"

/* The rest of a group, up to its parenthesis. Options set inside end with it. */
uint32_t bs_regex_parse_rest(struct bs_regex_parser *parser)
{
	bool is_extended = parser->is_extended;
	if (parser->depth++ >= BS_REGEX_MAX_DEPTH)
		return bs_regex_give_up(parser);
	uint32_t node = bs_regex_parse_either(parser);
	if (!bs_regex_takes(parser, ")"))
		bs_regex_give_up(parser);
	parser->depth--;
	parser->is_extended = is_extended;
	return node;
}

static uint32_t parse_look(struct bs_regex_parser *parser)
{
	uint32_t child = bs_regex_parse_rest(parser);
	uint32_t look = bs_regex_add(parser, BS_REGEX_LOOK);
	bs_regex_adopt(parser, look, child);
	return look;
}

/* Parsed for where it ends. */
static uint32_t parse_dropped(struct bs_regex_parser *parser, enum bs_regex_kind kind)
{
	bs_regex_parse_rest(parser);
	return bs_regex_add(parser, kind);
}

static uint32_t parse_named(struct bs_regex_parser *parser, char end)
{
	bs_regex_skip_past(parser, end);
	return bs_regex_parse_rest(parser);
}

/* Behind (?< : lookbehind or a name. */
static uint32_t parse_angle(struct bs_regex_parser *parser)
{
	if (bs_regex_takes(parser, "=") || bs_regex_takes(parser, "*"))
		return parse_look(parser);
	if (bs_regex_takes(parser, "!"))
		return parse_dropped(parser, BS_REGEX_EMPTY);
	return parse_named(parser, '>');
}

/* Behind (?P . */
static uint32_t parse_python(struct bs_regex_parser *parser)
{
	if (bs_regex_takes(parser, "<"))
		return parse_named(parser, '>');
	if (!bs_regex_sees(parser, "=") && !bs_regex_sees(parser, ">"))
		return bs_regex_give_up(parser);
	bs_regex_skip_past(parser, ')');
	return bs_regex_add(parser, BS_REGEX_ANYTHING);
}

/* A condition that is an assertion. It may fail, so it says nothing. */
static void parse_assertion(struct bs_regex_parser *parser)
{
	if (!bs_regex_takes(parser, "?=") && !bs_regex_takes(parser, "?!") && !bs_regex_takes(parser, "?<=") &&
	    !bs_regex_takes(parser, "?<!") && !bs_regex_takes(parser, "?*") && !bs_regex_takes(parser, "?<*"))
		bs_regex_give_up(parser);
	else
		bs_regex_parse_rest(parser);
}

/* Behind (?( : the condition, then one or two alternatives. */
static uint32_t parse_condition(struct bs_regex_parser *parser)
{
	bool is_definition = bs_regex_sees(parser, "DEFINE)");
	if (bs_regex_sees(parser, "?"))
		parse_assertion(parser);
	else if (bs_regex_sees(parser, "*"))
		bs_regex_give_up(parser);
	else
		bs_regex_skip_past(parser, ')');
	if (bs_regex_is_over(parser))
		return bs_regex_give_up(parser);
	uint32_t node = bs_regex_parse_rest(parser);
	if (is_definition || parser->status)
		return bs_regex_add(parser, BS_REGEX_EMPTY);
	if (parser->n_alternatives > 1)
		return node;
	/* Without a second alternative it is the empty one. */
	uint32_t nothing = bs_regex_add(parser, BS_REGEX_EMPTY), either = bs_regex_add(parser, BS_REGEX_EITHER);
	bs_regex_adopt(parser, either, node);
	bs_regex_adopt(parser, either, nothing);
	return either;
}

/* Behind (? : options, for the rest of the enclosing group or with a colon for this one. */
static uint32_t parse_options(struct bs_regex_parser *parser)
{
	bool is_extended = parser->is_extended, is_unset = false;
	if (bs_regex_takes(parser, "^"))
		is_extended = false;
	while (!bs_regex_is_over(parser)) {
		uint32_t c = bs_regex_next(parser);
		parser->regex->sets_caseless |= c == 'i';
		if (c == '-') {
			is_unset = true;
		} else if (c == 'x') {
			is_extended = !is_unset;
		} else if (c == ')') {
			parser->is_extended = is_extended;
			return bs_regex_add(parser, BS_REGEX_EMPTY);
		} else if (c == ':') {
			bool outside = parser->is_extended;
			parser->is_extended = is_extended;
			uint32_t node = bs_regex_parse_rest(parser);
			parser->is_extended = outside;
			return node;
		} else if (c == 0 || c > 0x7f || !strchr("imsnJU", (int)c)) {
			break;
		}
	}
	return bs_regex_give_up(parser);
}

/* Recursion, a subroutine, a callout: up to the parenthesis. */
static uint32_t skip_group(struct bs_regex_parser *parser, enum bs_regex_kind kind)
{
	bs_regex_skip_past(parser, ')');
	return bs_regex_add(parser, kind);
}

/* (?R (?0 (?1 (?+1 (?-1 (?& : a call; (?-x is not one. */
static bool sees_call(const struct bs_regex_parser *parser)
{
	size_t at = parser->at;
	if (bs_regex_sees(parser, "R)") || bs_regex_sees(parser, "&"))
		return true;
	at += bs_regex_sees(parser, "+") || bs_regex_sees(parser, "-");
	return at < parser->n_bytes && parser->text[at] >= '0' && parser->text[at] <= '9';
}

/* Behind (?C : a number, or text in delimiters, which may hold parentheses. */
static uint32_t parse_callout(struct bs_regex_parser *parser)
{
	uint32_t number;
	bs_regex_take_number(parser, &number);
	return bs_regex_takes(parser, ")") ? bs_regex_add(parser, BS_REGEX_EMPTY) : bs_regex_give_up(parser);
}

/* Behind (? . */
uint32_t bs_regex_parse_group(struct bs_regex_parser *parser)
{
	if (bs_regex_takes(parser, ":") || bs_regex_takes(parser, "|") || bs_regex_takes(parser, ">"))
		return bs_regex_parse_rest(parser);
	if (bs_regex_takes(parser, "=") || bs_regex_takes(parser, "*"))
		return parse_look(parser);
	if (bs_regex_takes(parser, "!"))
		return parse_dropped(parser, BS_REGEX_EMPTY);
	if (bs_regex_takes(parser, "<"))
		return parse_angle(parser);
	if (bs_regex_takes(parser, "'"))
		return parse_named(parser, '\'');
	if (bs_regex_takes(parser, "P"))
		return parse_python(parser);
	if (bs_regex_takes(parser, "("))
		return parse_condition(parser);
	if (bs_regex_takes(parser, "C"))
		return parse_callout(parser);
	if (sees_call(parser))
		return skip_group(parser, BS_REGEX_ANYTHING);
	return parse_options(parser);
}

/* ---- verbs ---- */

static bool is_one_of(const char *name, size_t n_bytes, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == n_bytes && memcmp(name, *names, n_bytes) == 0)
			return true;
	return false;
}

/* (*pla:...) and the like: groups by another name. */
static uint32_t parse_named_group(struct bs_regex_parser *parser, const char *name, size_t n_bytes)
{
	static const char *const looks[] = {"pla",   "positive_lookahead",
	                                    "plb",   "positive_lookbehind",
	                                    "napla", "non_atomic_positive_lookahead",
	                                    "naplb", "non_atomic_positive_lookbehind",
	                                    NULL};
	static const char *const negatives[] = {"nla", "negative_lookahead", "nlb", "negative_lookbehind", NULL};
	static const char *const groups[] = {"atomic", "sr", "script_run", "asr", "atomic_script_run", NULL};
	if (is_one_of(name, n_bytes, looks))
		return parse_look(parser);
	if (is_one_of(name, n_bytes, negatives))
		return parse_dropped(parser, BS_REGEX_EMPTY);
	return is_one_of(name, n_bytes, groups) ? bs_regex_parse_rest(parser) : bs_regex_give_up(parser);
}

/* Behind (* . ACCEPT ends a match wherever it stands, so that nothing of the pattern need be in the text: unknown. */
uint32_t bs_regex_parse_verb(struct bs_regex_parser *parser)
{
	static const char *const harmless[] = {"",
	                                       "MARK",
	                                       "COMMIT",
	                                       "PRUNE",
	                                       "SKIP",
	                                       "THEN",
	                                       "UTF",
	                                       "UCP",
	                                       "NOTEMPTY",
	                                       "NOTEMPTY_ATSTART",
	                                       "NO_AUTO_POSSESS",
	                                       "NO_DOTSTAR_ANCHOR",
	                                       "NO_JIT",
	                                       "NO_START_OPT",
	                                       "LIMIT_DEPTH",
	                                       "LIMIT_HEAP",
	                                       "LIMIT_MATCH",
	                                       "LIMIT_RECURSION",
	                                       "BSR_ANYCRLF",
	                                       "BSR_UNICODE",
	                                       NULL};
	static const char *const newlines[] = {"CR", "LF", "CRLF", "ANYCRLF", "ANY", "NUL", NULL};
	static const char *const failures[] = {"F", "FAIL", NULL};
	const char *name = (const char *)parser->text + parser->at;
	size_t n_bytes = 0;
	while (parser->at + n_bytes < parser->n_bytes && !strchr(":=)", name[n_bytes]))
		n_bytes++;
	parser->at += n_bytes;
	if (n_bytes && name[0] >= 'a' && name[0] <= 'z' && bs_regex_takes(parser, ":"))
		return parse_named_group(parser, name, n_bytes);
	if (is_one_of(name, n_bytes, failures))
		return skip_group(parser, BS_REGEX_NEVER);
	if (is_one_of(name, n_bytes, newlines))
		parser->is_odd_newline = true;
	else if (!is_one_of(name, n_bytes, harmless))
		return bs_regex_give_up(parser);
	return skip_group(parser, BS_REGEX_EMPTY);
}
