/*
 * regex_parse.c: sequences, alternatives and quantifiers. See regex_parse.h; groups are in regex_group.c, escapes and
 * classes in regex_escape.c.
 *
 * A recursive descent whose depth is that of the parentheses. Characters become nodes of their own, so that a
 * quantifier finds the one it belongs to; those without one join the literal before them.
 */
#include <string.h>

#include <unicode/utf8.h>

#include "core/grams.h"
#include "core/icu.h"
#include "query/regex_internal.h"

/* ---- nodes ---- */

static struct bs_regex_node *node_of(struct bs_regex_parser *parser, uint32_t index)
{
	return (struct bs_regex_node *)(void *)parser->regex->nodes.data + index;
}

uint32_t bs_regex_add(struct bs_regex_parser *parser, enum bs_regex_kind kind)
{
	struct bs_regex_node node = {.kind = kind,
	                             .first_child = BS_REGEX_NO_NODE,
	                             .last_child = BS_REGEX_NO_NODE,
	                             .next = BS_REGEX_NO_NODE};
	struct bs_buffer *nodes = &parser->regex->nodes;
	uint32_t index = (uint32_t)(nodes->used_bytes / sizeof(node));
	if (parser->status)
		return 0;
	parser->status = bs_buffer_append(nodes, &node, sizeof(node), parser->err);
	return parser->status ? 0 : index;
}

void bs_regex_adopt(struct bs_regex_parser *parser, uint32_t parent, uint32_t child)
{
	if (parser->status)
		return;
	struct bs_regex_node *node = node_of(parser, parent);
	if (node->n_children++ == 0)
		node->first_child = child;
	else
		node_of(parser, node->last_child)->next = child;
	node->last_child = child;
}

uint32_t bs_regex_give_up(struct bs_regex_parser *parser)
{
	parser->gave_up = true;
	return bs_regex_add(parser, BS_REGEX_ANYTHING);
}

/* The bytes of a node, which are new. */
static void set_bytes(struct bs_regex_parser *parser, uint32_t index, const void *bytes, size_t n)
{
	if (parser->status)
		return;
	node_of(parser, index)->first_byte = (uint32_t)parser->regex->bytes.used_bytes;
	node_of(parser, index)->n_bytes = (uint32_t)n;
	parser->status = bs_buffer_append(&parser->regex->bytes, bytes, n, parser->err);
}

/* Both cases of ASCII letters; k and s have a third form each, beyond ASCII (U+212A, U+017F). */
static void add_cases(struct bs_regex_class *class)
{
	if (class->has_more)
		for (const char *c = "ks"; *c; c++)
			bs_regex_class_put(class, (uint8_t)*c);
	for (uint32_t small = 'a'; small <= 'z'; small++) {
		uint32_t capital = small - 0x20;
		if (!bs_regex_class_has(class, small) && !bs_regex_class_has(class, capital))
			continue;
		bs_regex_class_put(class, small);
		bs_regex_class_put(class, capital);
		class->has_more |= small == 'k' || small == 's';
	}
}

uint32_t bs_regex_add_class(struct bs_regex_parser *parser, const struct bs_regex_class *class)
{
	struct bs_regex_class kept = *class;
	uint32_t index = bs_regex_add(parser, BS_REGEX_CLASS);
	if (parser->is_caseless)
		add_cases(&kept);
	set_bytes(parser, index, &kept, sizeof(kept));
	return index;
}

/* Any character, a line's end among them. */
static uint32_t add_any_char(struct bs_regex_parser *parser)
{
	struct bs_regex_class class = {.has_more = true};
	memset(class.ascii, 0xff, sizeof(class.ascii));
	return parser->keeps_classes ? bs_regex_add_class(parser, &class) : bs_regex_add(parser, BS_REGEX_ANYTHING);
}

bool bs_regex_knows(struct bs_regex_parser *parser, uint32_t c)
{
	if (c >= 0x80 && !parser->status)
		parser->status = bs_icu_load(parser->err);
	return !parser->status;
}

uint32_t bs_regex_add_char(struct bs_regex_parser *parser, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return bs_regex_give_up(parser);
	if (parser->keeps_classes) {
		struct bs_regex_class class = {.has_more = false};
		bs_regex_class_put(&class, c);
		return bs_regex_add_class(parser, &class);
	}
	if (!bs_regex_knows(parser, c))
		return bs_regex_add(parser, BS_REGEX_ANYTHING);
	/* A PCRE2 with a newer Unicode than ours may know it, and its other case. */
	if (c >= 0x80 && bs_icu.u_charType((UChar32)c) == U_UNASSIGNED)
		return bs_regex_add(parser, BS_REGEX_ANYTHING);
	uint32_t index = bs_regex_add(parser, BS_REGEX_BYTES), folded = bs_gram_fold(c);
	uint8_t bytes[4];
	size_t n = 0;
	U8_APPEND_UNSAFE(bytes, n, folded);
	set_bytes(parser, index, bytes, n);
	return index;
}

static const struct bs_regex_children no_children = {0, BS_REGEX_NO_NODE, BS_REGEX_NO_NODE};

static void put_child(struct bs_regex_parser *parser, struct bs_regex_children *children, uint32_t child)
{
	if (parser->status)
		return;
	if (children->n++ == 0)
		children->first = child;
	else
		node_of(parser, children->last)->next = child;
	children->last = child;
}

/* A literal whose bytes follow those of the literal before it joins that; the empty text is left out. */
static void put_in_sequence(struct bs_regex_parser *parser, struct bs_regex_children *children, uint32_t child)
{
	if (parser->status || node_of(parser, child)->kind == BS_REGEX_EMPTY)
		return;
	struct bs_regex_node *node = node_of(parser, child);
	struct bs_regex_node *before = children->n ? node_of(parser, children->last) : NULL;
	if (!before || before->kind != BS_REGEX_BYTES || node->kind != BS_REGEX_BYTES ||
	    before->first_byte + before->n_bytes != node->first_byte) {
		put_child(parser, children, child);
		return;
	}
	before->n_bytes += node->n_bytes;
	if ((child + 1) * sizeof(*node) == parser->regex->nodes.used_bytes)
		parser->regex->nodes.used_bytes -= sizeof(*node);
}

/* One child alone needs no parent; none are the empty text. */
static uint32_t join(struct bs_regex_parser *parser, const struct bs_regex_children *children, enum bs_regex_kind kind)
{
	if (children->n == 1)
		return children->first;
	uint32_t parent = bs_regex_add(parser, children->n ? kind : BS_REGEX_EMPTY);
	if (parser->status)
		return parent;
	struct bs_regex_node *node = node_of(parser, parent);
	node->n_children = children->n;
	node->first_child = children->first;
	node->last_child = children->last;
	return parent;
}

/* ---- text ---- */

bool bs_regex_sees(const struct bs_regex_parser *parser, const char *string)
{
	size_t n = strlen(string);
	return parser->n_bytes - parser->at >= n && memcmp(parser->text + parser->at, string, n) == 0;
}

bool bs_regex_takes(struct bs_regex_parser *parser, const char *string)
{
	if (!bs_regex_sees(parser, string))
		return false;
	parser->at += strlen(string);
	return true;
}

void bs_regex_skip_past(struct bs_regex_parser *parser, char end)
{
	const uint8_t *found = memchr(parser->text + parser->at, end, parser->n_bytes - parser->at);
	if (found)
		parser->at = (size_t)(found - parser->text) + 1;
	else
		bs_regex_give_up(parser);
}

uint32_t bs_regex_next(struct bs_regex_parser *parser)
{
	UChar32 c;
	U8_NEXT_UNSAFE(parser->text, parser->at, c);
	return (uint32_t)c;
}

/* ---- what is passed over ---- */

/* A comment of extended syntax ends with the line, whatever that is. */
static void skip_line(struct bs_regex_parser *parser)
{
	const uint8_t *from = parser->text + parser->at;
	size_t n = parser->n_bytes - parser->at;
	const uint8_t *end = memchr(from, '\n', n);
	size_t n_comment = end ? (size_t)(end - from) + 1 : n;
	if (parser->is_odd_newline || memchr(from, '\r', n_comment))
		bs_regex_give_up(parser);
	parser->at += n_comment;
}

/* Versions differ in whether these are white space of a pattern. */
static bool is_doubtful_space(uint32_t c)
{
	return c == 0x85 || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029;
}

static bool skip_extended(struct bs_regex_parser *parser)
{
	size_t start = parser->at;
	uint32_t c = bs_regex_next(parser);
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return true;
	if (c == '#') {
		skip_line(parser);
		return true;
	}
	parser->at = start;
	if (is_doubtful_space(c))
		bs_regex_give_up(parser);
	return false;
}

/* Goes past what may stand between an item and its quantifier. Returns whether there was any. */
static bool skip_ignored(struct bs_regex_parser *parser)
{
	size_t start = parser->at;
	while (!bs_regex_is_over(parser)) {
		if (bs_regex_takes(parser, "\\E"))
			parser->is_quoting = false;
		else if (parser->is_quoting)
			break;
		else if (bs_regex_takes(parser, "(?#"))
			bs_regex_skip_past(parser, ')');
		else if (!bs_regex_takes(parser, "\\Q\\E") && !(parser->is_extended && skip_extended(parser)))
			break;
	}
	return parser->at != start;
}

/* ---- quantifiers ---- */

struct quantifier {
	uint32_t least;
	uint32_t most;
	bool is_doubtful; /* a quantifier from 10.43 on, text before */
};

bool bs_regex_take_number(struct bs_regex_parser *parser, uint32_t *number_out)
{
	size_t start = parser->at;
	*number_out = 0;
	for (; parser->at < parser->n_bytes; parser->at++) {
		uint8_t digit = (uint8_t)(parser->text[parser->at] - '0');
		if (digit > 9)
			break;
		if (*number_out <= 65535)
			*number_out = *number_out * 10 + digit;
	}
	return parser->at != start;
}

static bool take_blanks(struct bs_regex_parser *parser)
{
	size_t start = parser->at;
	while (bs_regex_takes(parser, " ") || bs_regex_takes(parser, "\t"))
		continue;
	return parser->at != start;
}

/* {n} {n,} {n,m}, and the looser forms of later versions. Leaves the place as it is if it is none of them. */
static bool take_braces(struct bs_regex_parser *parser, struct quantifier *quantifier)
{
	size_t start = parser->at++;
	bool is_loose = take_blanks(parser);
	bool has_least = bs_regex_take_number(parser, &quantifier->least);
	is_loose |= take_blanks(parser);
	bool has_comma = bs_regex_takes(parser, ",");
	bool is_loose_after = take_blanks(parser);
	bool has_most = has_comma && bs_regex_take_number(parser, &quantifier->most);
	is_loose_after |= has_most && take_blanks(parser);
	if (!bs_regex_takes(parser, "}") || (!has_least && !has_most)) {
		parser->at = start;
		return false;
	}
	if (!has_most)
		quantifier->most = has_comma ? BS_REGEX_NO_MAX : quantifier->least;
	quantifier->is_doubtful = is_loose || is_loose_after || !has_least;
	if (quantifier->least > 65535 || quantifier->most < quantifier->least)
		bs_regex_give_up(parser);
	return true;
}

static bool take_quantifier(struct bs_regex_parser *parser, struct quantifier *quantifier)
{
	*quantifier = (struct quantifier){.most = BS_REGEX_NO_MAX};
	if (bs_regex_takes(parser, "*"))
		return true;
	if (bs_regex_takes(parser, "+")) {
		quantifier->least = 1;
		return true;
	}
	if (bs_regex_takes(parser, "?")) {
		quantifier->most = 1;
		return true;
	}
	return bs_regex_sees(parser, "{") && take_braces(parser, quantifier);
}

/* Possessive and lazy match no more than greedy. Apart from its quantifier, ? and + may be quantifiers of their own. */
static void take_quantifier_mode(struct bs_regex_parser *parser, struct quantifier *quantifier)
{
	if (bs_regex_takes(parser, "+") || bs_regex_takes(parser, "?") || !skip_ignored(parser))
		return;
	if (parser->is_quoting)
		return;
	if (bs_regex_takes(parser, "+"))
		quantifier->most = BS_REGEX_NO_MAX;
	else if (bs_regex_takes(parser, "?"))
		quantifier->least = 0;
}

/* The item with the quantifiers behind it. */
static uint32_t quantify(struct bs_regex_parser *parser, uint32_t item)
{
	struct quantifier quantifier;
	for (;;) {
		skip_ignored(parser);
		if (bs_regex_is_over(parser) || parser->is_quoting || !take_quantifier(parser, &quantifier))
			return item;
		take_quantifier_mode(parser, &quantifier);
		if (quantifier.is_doubtful) {
			item = bs_regex_add(parser, BS_REGEX_ANYTHING);
			continue;
		}
		uint32_t repeat = bs_regex_add(parser, BS_REGEX_REPEAT);
		if (parser->status)
			return repeat;
		node_of(parser, repeat)->least = quantifier.least;
		node_of(parser, repeat)->most = quantifier.most;
		bs_regex_adopt(parser, repeat, item);
		item = repeat;
	}
}

/* ---- items ---- */

static uint32_t parse_item(struct bs_regex_parser *parser)
{
	if (parser->is_quoting)
		return bs_regex_add_char(parser, bs_regex_next(parser));
	if (bs_regex_takes(parser, "\\Q")) {
		parser->is_quoting = true;
		return bs_regex_add(parser, BS_REGEX_EMPTY);
	}
	if (bs_regex_takes(parser, "\\"))
		return bs_regex_parse_escape(parser);
	/* Outside of a class these two are word boundaries. */
	if (bs_regex_takes(parser, "[[:<:]]") || bs_regex_takes(parser, "[[:>:]]"))
		return bs_regex_add(parser, BS_REGEX_EMPTY);
	if (bs_regex_takes(parser, "["))
		return bs_regex_parse_class(parser);
	if (bs_regex_takes(parser, "(?"))
		return bs_regex_parse_group(parser);
	if (bs_regex_takes(parser, "(*"))
		return bs_regex_parse_verb(parser);
	if (bs_regex_takes(parser, "("))
		return bs_regex_parse_rest(parser);
	if (bs_regex_takes(parser, "."))
		return add_any_char(parser);
	if (bs_regex_takes(parser, "^") || bs_regex_takes(parser, "$"))
		return bs_regex_add(parser, BS_REGEX_EMPTY);
	struct quantifier quantifier;
	if (take_quantifier(parser, &quantifier)) /* of nothing */
		return bs_regex_give_up(parser);
	return bs_regex_add_char(parser, bs_regex_next(parser));
}

static bool is_sequence_over(const struct bs_regex_parser *parser)
{
	if (bs_regex_is_over(parser))
		return true;
	uint8_t byte = parser->text[parser->at];
	return !parser->is_quoting && (byte == '|' || byte == ')');
}

static uint32_t parse_sequence(struct bs_regex_parser *parser)
{
	struct bs_regex_children children = no_children;
	for (;;) {
		skip_ignored(parser);
		if (is_sequence_over(parser))
			break;
		bool was_quoting = parser->is_quoting;
		uint32_t item = parse_item(parser);
		/* \Q itself takes no quantifier. */
		if (was_quoting || !parser->is_quoting)
			item = quantify(parser, item);
		put_in_sequence(parser, &children, item);
	}
	return join(parser, &children, BS_REGEX_SEQUENCE);
}

uint32_t bs_regex_parse_either(struct bs_regex_parser *parser)
{
	struct bs_regex_children children = no_children;
	do {
		put_child(parser, &children, parse_sequence(parser));
	} while (!bs_regex_is_over(parser) && bs_regex_takes(parser, "|"));
	parser->n_alternatives = children.n;
	return join(parser, &children, BS_REGEX_EITHER);
}

/* ---- a pattern ---- */

static bool is_utf8(const uint8_t *text, size_t n_bytes)
{
	for (size_t at = 0; at < n_bytes;) {
		UChar32 c;
		U8_NEXT(text, at, n_bytes, c);
		if (c < 0)
			return false;
	}
	return true;
}

static uint32_t parse_literal(struct bs_regex_parser *parser)
{
	struct bs_regex_children children = no_children;
	while (!bs_regex_is_over(parser))
		put_in_sequence(parser, &children, bs_regex_add_char(parser, bs_regex_next(parser)));
	return join(parser, &children, BS_REGEX_SEQUENCE);
}

enum bs_status bs_regex_parse(const uint8_t *pattern, size_t n_bytes, const struct bs_regex_options *options,
                              struct bs_regex *regex, struct bs_error *err)
{
	struct bs_regex_parser parser = {.text = pattern,
	                                 .n_bytes = n_bytes,
	                                 .is_extended = options->is_extended,
	                                 .keeps_classes = options->keeps_classes,
	                                 .is_caseless = options->is_caseless,
	                                 .regex = regex,
	                                 .err = err};
	regex->sets_caseless = false;
	bs_buffer_clear(&regex->nodes);
	bs_buffer_clear(&regex->bytes);
	if (n_bytes > BS_REGEX_MAX_BYTES || !is_utf8(pattern, n_bytes))
		parser.gave_up = true;
	else
		regex->root = options->is_literal ? parse_literal(&parser) : bs_regex_parse_either(&parser);
	/* A parenthesis too many stops the parser before the end. */
	if (parser.gave_up || parser.at < n_bytes)
		regex->root = bs_regex_add(&parser, BS_REGEX_ANYTHING);
	return parser.status;
}

void bs_regex_deinit(struct bs_regex *regex)
{
	bs_buffer_deinit(&regex->nodes);
	bs_buffer_deinit(&regex->bytes);
}
