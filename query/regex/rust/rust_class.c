/* rust_class.c: see rust_class.h. */
#include "query/regex/rust/rust_class.h"

#include <string.h>

#include "core/system/deadline.h"
#include "query/regex/regex_set.h"
#include "query/regex/rust/unicode_property.h"

enum class_kind {
	CLASS_RANGE,
	CLASS_PERL,
	CLASS_ASCII,
	CLASS_PROPERTY,
	CLASS_NESTED,
	CLASS_OPERATION,
	CLASS_UNION,
};

#define NO_CHILD UINT32_MAX

/* Adds the characters of \p{...} to a set. Letter case is folded before the negation. */
static void add_set_of_property(struct bs_rust_reader *reader, size_t from, size_t name_from,
                                size_t name_end, bool is_negated, struct bs_char_set *set)
{
	const char *why;
	struct bs_char_set one = {.err = reader->err};
	const uint8_t *name = reader->text + name_from;
	if (!reader->flags.unicode) {
		bs_rust_refuse(reader, from, "Unicode not allowed here", "");
		return;
	}
	if (memmem(name, name_end - name_from, "!=", 2)) {
		bs_rust_refuse(reader, from, "versions of rg disagree about !=", "; use \\P");
		return;
	}
	if (bs_unicode_property(name, name_end - name_from, &one, &why))
		bs_rust_refuse(reader, from, why, "");
	if (reader->flags.caseless)
		bs_char_set_fold(&one, false);
	if (is_negated)
		bs_char_set_negate(&one, BS_CODE_MAX);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

/* Treats a set of one character like a literal (bs_rust_put_banned): returns true if it was written
 * as a text that never matches. With --crlf, the set of both line ends counts as one character. */
static bool is_banned_set(struct bs_rust_reader *reader, struct bs_char_set *set)
{
	size_t n = bs_char_set_n(set);
	const struct bs_char_range *ranges = set->ranges.items;
	bool is_one = n == 1 && ranges[0].first == ranges[0].last;
	bool are_ends = n == 2 && reader->pattern->crlf && ranges[0].first == '\n' &&
	                ranges[0].last == '\n' && ranges[1].first == '\r' && ranges[1].last == '\r';
	return (is_one || are_ends) && bs_rust_put_banned(reader, ranges[0].first);
}

/* Writes the set of a \p{...} or of a whole class. */
static void put_set(struct bs_rust_reader *reader, struct bs_char_set *set)
{
	(void)bs_char_set_n(set);
	bs_rust_settle(reader, set);
	if (reader->status)
		return;
	/* In a set of several characters, one that no line has is no error, because another one may
	 * match. */
	if (is_banned_set(reader, set))
		return;
	bs_rust_put_set(&reader->writer, &reader->flags, set);
}

/* True for a general category that PCRE2 knows by the same name, so that the set need not be
 * written out. */
static bool is_category(const uint8_t *name, size_t n)
{
	static const char names[] =
		" C Cc Cf Cn Co L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe "
		"Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs ";
	char padded[5] = {' ', n ? (char)name[0] : ' ', n > 1 ? (char)name[1] : ' ', ' ', '\0'};
	padded[n == 1 ? 3 : 4] = '\0';
	return (n == 1 || n == 2) && strstr(names, padded) && name[0] != ' ' && name[n - 1] != ' ';
}

void bs_rust_add_property(struct bs_rust_reader *reader, const struct bs_rust_escape *escape)
{
	struct bs_char_set set = {.err = reader->err};
	size_t n = escape->name_end - escape->name_from;
	const uint8_t *name = reader->text + escape->name_from;
	char text[] = {'\\', (char)escape->c, '{', '\0', '\0', '\0', '\0'};
	if (reader->flags.unicode && !reader->flags.caseless && is_category(name, n) &&
	    reader->writer.form == BS_RUST_CHARACTERS && reader->writer.initial.unicode) {
		memcpy(text + 3, name, n);
		bs_rust_put_text(reader, text);
		bs_rust_put_text(reader, "}");
		reader->writer.has_characters = true;
		reader->writer.follows_reference = false;
		return;
	}
	add_set_of_property(reader, escape->from, escape->name_from, escape->name_end,
	                    escape->c == 'P', &set);
	put_set(reader, &set);
	bs_char_set_deinit(&set);
}

/* The following functions read bracketed classes. */

static uint32_t add_node(struct bs_rust_reader *reader, struct bs_rust_class_node node)
{
	node.next = NO_CHILD;
	node.to = reader->at;
	if (!reader->status)
		reader->status = bs_vector_append(&reader->nodes, &node, reader->err);
	return reader->status ? 0 : (uint32_t)bs_vector_n(&reader->nodes) - 1;
}

/* Appends a child to a list of siblings. */
static void link_node(struct bs_rust_reader *reader, uint32_t *first, uint32_t *last,
                      uint32_t child)
{
	if (reader->status)
		return;
	if (*first == NO_CHILD)
		*first = child;
	else
		reader->nodes.items[*last].next = child;
	*last = child;
}

/* Reads [:name:] or [:^name:]. False: the text is a nested class. */
static bool take_ascii_class(struct bs_rust_reader *reader, uint32_t *node_out)
{
	size_t start = reader->at;
	if (!bs_rust_takes(reader, "[:"))
		return false;
	struct bs_rust_class_node node = {.kind = CLASS_ASCII, .from = start};
	node.is_negated = bs_rust_takes(reader, "^");
	node.name_from = reader->at;
	while (reader->at < reader->n_bytes && reader->at - node.name_from < 8 &&
	       reader->text[reader->at] != ':')
		reader->at++;
	node.name_end = reader->at;
	node.first = (uint32_t)bs_ascii_class(reader->text + node.name_from,
	                                      node.name_end - node.name_from);
	if (!bs_rust_takes(reader, ":]") || node.first == BS_N_ASCII_CLASSES) {
		reader->at = start;
		return false;
	}
	*node_out = add_node(reader, node);
	return true;
}

/* Reads an item of a class: a character or an escape. */
static struct bs_rust_escape read_class_item(struct bs_rust_reader *reader)
{
	size_t from = reader->at;
	if (bs_rust_takes(reader, "\\")) {
		struct bs_rust_escape escape = bs_rust_read_escape(reader);
		if (escape.primitive == BS_RUST_PRIMITIVE_PLACE ||
		    escape.primitive == BS_RUST_PRIMITIVE_REFERENCE) {
			bs_rust_refuse(reader, from,
			               "invalid escape sequence found in character class", "");
			escape.primitive = BS_RUST_PRIMITIVE_NONE;
		}
		return escape;
	}
	return (struct bs_rust_escape){
		.primitive = BS_RUST_PRIMITIVE_LITERAL, .c = bs_rust_next(reader), .from = from};
}

static uint32_t add_escape_node(struct bs_rust_reader *reader, const struct bs_rust_escape *escape)
{
	struct bs_rust_class_node node = {.kind = CLASS_RANGE,
	                                  .from = escape->from,
	                                  .first = escape->c,
	                                  .last = escape->c,
	                                  .is_byte = escape->is_byte,
	                                  .name_from = escape->name_from,
	                                  .name_end = escape->name_end};
	if (escape->primitive == BS_RUST_PRIMITIVE_PERL) {
		node.kind = CLASS_PERL;
		node.letter = (char)escape->c;
	} else if (escape->primitive == BS_RUST_PRIMITIVE_PROPERTY) {
		node.kind = CLASS_PROPERTY;
		node.is_negated = escape->c == 'P';
	} else {
		bs_rust_see_character(reader, escape->c);
	}
	return add_node(reader, node);
}

/* Reads an item, and the end of the range if it begins one. */
static uint32_t read_class_range(struct bs_rust_reader *reader)
{
	size_t from = reader->at;
	struct bs_rust_escape first = read_class_item(reader);
	bs_rust_skip_space(reader);
	if (reader->status)
		return 0;
	uint32_t after = bs_rust_peek_after(reader);
	if (bs_rust_peek(reader) != '-' || after == ']' || after == '-')
		return add_escape_node(reader, &first);
	bs_rust_next(reader);
	bs_rust_skip_space(reader);
	if (bs_rust_is_over(reader))
		return 0; /* the class is unclosed */
	struct bs_rust_escape last = read_class_item(reader);
	if (!reader->status && (first.primitive != BS_RUST_PRIMITIVE_LITERAL ||
	                        last.primitive != BS_RUST_PRIMITIVE_LITERAL))
		bs_rust_refuse(reader, from, "invalid range boundary, must be a literal", "");
	else if (!reader->status && first.c > last.c)
		bs_rust_refuse(reader, from,
		               "invalid character class range, the start must be <= the end", "");
	if (reader->status)
		return 0;
	bs_rust_see_character(reader, first.c);
	bs_rust_see_character(reader, last.c);
	return add_node(reader,
	                (struct bs_rust_class_node){.kind = CLASS_RANGE,
	                                            .from = from,
	                                            .first = first.c,
	                                            .last = last.c,
	                                            .is_byte = first.is_byte && last.is_byte});
}

/* Reads what may follow a class's [: ^, then literal hyphens or a literal ]. True: ^ was read. */
static bool begin_class(struct bs_rust_reader *reader, uint32_t *first, uint32_t *last)
{
	bool is_negated;
	bs_rust_skip_space(reader);
	is_negated = bs_rust_takes(reader, "^");
	if (is_negated)
		bs_rust_skip_space(reader);
	bool has_hyphen = false;
	while (bs_rust_peek(reader) == '-') {
		struct bs_rust_escape escape = read_class_item(reader);
		link_node(reader, first, last, add_escape_node(reader, &escape));
		has_hyphen = true;
		bs_rust_skip_space(reader);
	}
	if (!has_hyphen && bs_rust_peek(reader) == ']') {
		struct bs_rust_escape escape = read_class_item(reader);
		link_node(reader, first, last, add_escape_node(reader, &escape));
		bs_rust_skip_space(reader);
	}
	return is_negated;
}

/* Ends the union of the items from `first` on: the right operand of an operation, or, if left is
 * NO_CHILD, the only or the left operand. Returns the node of the union or of the operation. */
static uint32_t end_operand(struct bs_rust_reader *reader, uint32_t left, char operation,
                            uint32_t first, size_t from)
{
	uint32_t operand = add_node(
		reader,
		(struct bs_rust_class_node){.kind = CLASS_UNION, .from = from, .first = first});
	if (left == NO_CHILD || reader->status)
		return operand;
	reader->nodes.items[left].next = NO_CHILD;
	return add_node(reader, (struct bs_rust_class_node){.kind = CLASS_OPERATION,
	                                                    .from = from,
	                                                    .letter = operation,
	                                                    .first = left,
	                                                    .last = operand});
}

/* Reads a class after its opening bracket, which is at `from`. */
static uint32_t read_brackets(struct bs_rust_reader *reader, size_t from)
{
	uint32_t first = NO_CHILD, last = NO_CHILD, left = NO_CHILD, node;
	char operation = 0;
	unsigned n_operations = 0;
	if (bs_rust_is_too_deep(reader, from, ++reader->depth))
		return 0;
	bool is_negated = begin_class(reader, &first, &last);
	for (;;) {
		bs_rust_skip_space(reader);
		size_t at = reader->at;
		if (bs_rust_is_over(reader)) {
			reader->at = from + 1;
			bs_rust_refuse(reader, from, "unclosed character class", "");
			return 0;
		}
		if (bs_rust_takes(reader, "]"))
			break;
		if (!reader->status)
			reader->status = bs_deadline_check_after(BS_RUST_ITEM_NS, reader->err);
		if (bs_rust_takes(reader, "&&") || bs_rust_takes(reader, "--") ||
		    bs_rust_takes(reader, "~~")) {
			if (!bs_rust_has_room(reader, reader->depth + ++n_operations))
				bs_rust_refuse(reader, from, "a class has too many operations", "");
			left = end_operand(reader, left, operation, first, from);
			operation = (char)reader->text[at];
			first = last = NO_CHILD;
			continue;
		}
		if (bs_rust_peek(reader) == '[') {
			if (!take_ascii_class(reader, &node)) {
				bs_rust_next(reader);
				node = read_brackets(reader, at);
			}
		} else {
			node = read_class_range(reader);
		}
		link_node(reader, &first, &last, node);
	}
	left = end_operand(reader, left, operation, first, from);
	reader->depth--;
	return add_node(reader, (struct bs_rust_class_node){.kind = CLASS_NESTED,
	                                                    .from = from,
	                                                    .first = left,
	                                                    .is_negated = is_negated});
}

static void fold(const struct bs_rust_reader *reader, struct bs_char_set *set)
{
	if (reader->flags.caseless)
		bs_char_set_fold(set, !reader->flags.unicode);
}

static void negate(const struct bs_rust_reader *reader, struct bs_char_set *set)
{
	bs_char_set_negate(set, reader->flags.unicode ? BS_CODE_MAX : BS_BYTE_MAX);
}

static void eval(struct bs_rust_reader *reader, uint32_t index, struct bs_char_set *set);

static void eval_range(struct bs_rust_reader *reader, const struct bs_rust_class_node *node,
                       struct bs_char_set *set)
{
	bool is_valid =
		reader->flags.unicode || node->last < 0x80 || (node->is_byte && node->last <= 0xff);
	if (!is_valid) {
		reader->at = node->to;
		bs_rust_refuse(reader, node->from, "Unicode not allowed here", "");
	}
	bs_char_set_add(set, node->first, node->last);
}

static void eval_perl(struct bs_rust_reader *reader, char letter, struct bs_char_set *set)
{
	struct bs_char_set one = {.err = reader->err};
	char lower = (char)(letter | 0x20);
	if (reader->flags.unicode) {
		bs_unicode_perl_class(lower, &one);
	} else if (lower == 's') {
		bs_char_set_add(&one, '\t', '\r');
		bs_char_set_add(&one, ' ', ' ');
	} else {
		bs_char_set_add(&one, '0', '9');
		for (const char *c = lower == 'w' ? "Aa__" : ""; *c; c += 2)
			bs_char_set_add(&one, (uint8_t)c[0],
			                c[0] == '_' ? '_' : (uint8_t)c[0] + 25u);
		if (lower == 'w')
			bs_char_set_add(&one, 'a', 'z');
	}
	if (letter != lower)
		negate(reader, &one);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

static void eval_ascii(struct bs_rust_reader *reader, const struct bs_rust_class_node *node,
                       struct bs_char_set *set)
{
	struct bs_char_set one = {.err = reader->err};
	const char *pairs = bs_ascii_classes[node->first].pairs;
	for (size_t i = 0; i < bs_ascii_classes[node->first].n_bytes; i += 2)
		bs_char_set_add(&one, (uint8_t)pairs[i], (uint8_t)pairs[i + 1]);
	fold(reader, &one);
	if (node->is_negated)
		negate(reader, &one);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

static void eval_operation(struct bs_rust_reader *reader, const struct bs_rust_class_node *node,
                           struct bs_char_set *set)
{
	struct bs_char_set left = {.err = reader->err}, right = {.err = reader->err};
	char operation = node->letter;
	uint32_t right_index = node->last;
	eval(reader, node->first, &left);
	eval(reader, right_index, &right);
	fold(reader, &left);
	fold(reader, &right);
	if (operation == '&')
		bs_char_set_intersect(&left, &right);
	else if (operation == '-')
		bs_char_set_subtract(&left, &right);
	else
		bs_char_set_differ(&left, &right);
	bs_char_set_unite(set, &left);
	bs_char_set_deinit(&left);
	bs_char_set_deinit(&right);
}

/* Adds the characters of a part of a class, as Rust's crate regex-syntax does: letter case is
 * folded in each class before the class is negated. */
static void eval(struct bs_rust_reader *reader, uint32_t index, struct bs_char_set *set)
{
	struct bs_rust_class_node node = reader->nodes.items[index];
	struct bs_char_set one = {.err = reader->err};
	if (!set->status)
		set->status = bs_deadline_check_after(BS_RUST_ITEM_NS, reader->err);
	switch (node.kind) {
	case CLASS_RANGE:
		eval_range(reader, &node, set);
		break;
	case CLASS_PERL:
		eval_perl(reader, node.letter, set);
		break;
	case CLASS_ASCII:
		eval_ascii(reader, &node, set);
		break;
	case CLASS_PROPERTY:
		reader->at = node.to;
		add_set_of_property(reader, node.from, node.name_from, node.name_end,
		                    node.is_negated, set);
		break;
	case CLASS_OPERATION:
		eval_operation(reader, &node, set);
		break;
	case CLASS_NESTED:
		eval(reader, node.first, &one);
		fold(reader, &one);
		if (node.is_negated)
			negate(reader, &one);
		bs_char_set_unite(set, &one);
		break;
	default: /* CLASS_UNION */
		for (uint32_t i = node.first; i != NO_CHILD && !reader->status;
		     i = reader->nodes.items[i].next)
			eval(reader, i, set);
		break;
	}
	bs_char_set_deinit(&one);
}

BS_VECTOR(members, struct bs_rust_member);

static void add_member(struct bs_rust_reader *reader, struct members *members, uint32_t first,
                       uint32_t last, char letter)
{
	struct bs_rust_member member = {first, last, letter};
	if (!reader->status)
		reader->status = bs_vector_append(members, &member, reader->err);
}

/* Collects the members of a class that can be written nearly verbatim: in the form of characters, a
 * union of ranges, ASCII classes and \d \s \w. False: the class is of another kind. */
static bool find_members(struct bs_rust_reader *reader, const struct bs_rust_class_node *class,
                         struct members *members)
{
	const struct bs_rust_class_node *operand = &reader->nodes.items[class->first];
	bool is_simple = operand->kind == CLASS_UNION && reader->flags.unicode &&
	                 reader->writer.form == BS_RUST_CHARACTERS &&
	                 reader->writer.initial.unicode;
	for (uint32_t i = operand->first; is_simple && i != NO_CHILD;) {
		const struct bs_rust_class_node *node = &reader->nodes.items[i];
		const char *pairs = "";
		size_t n_pairs = 0;
		if (node->kind == CLASS_RANGE)
			add_member(reader, members, node->first, node->last, 0);
		else if (node->kind == CLASS_PERL && reader->writer.initial.crlf &&
		         strchr("DW", node->letter))
			is_simple = false; /* regex_rewrite.c could not remove \r from it */
		else if (node->kind == CLASS_PERL)
			add_member(reader, members, 0, 0, node->letter);
		else if (node->kind == CLASS_ASCII && !node->is_negated) {
			pairs = bs_ascii_classes[node->first].pairs;
			n_pairs = bs_ascii_classes[node->first].n_bytes;
		} else
			is_simple = false;
		for (size_t k = 0; k < n_pairs; k += 2)
			add_member(reader, members, (uint8_t)pairs[k], (uint8_t)pairs[k + 1], 0);
		i = node->next;
	}
	return is_simple && bs_vector_n(members) > 0;
}

/* Like is_banned_set, for the class of these members. Also sets reader->single. */
static bool are_banned(struct bs_rust_reader *reader, const struct members *members,
                       bool is_negated)
{
	struct bs_char_set set = {.err = reader->err};
	bool may_be_single = true;
	for (size_t i = 0; i < bs_vector_n(members) && may_be_single; i++) {
		bs_char_set_add(&set, members->items[i].first, members->items[i].last);
		/* \d \s \w and their negations contain several characters. */
		may_be_single =
			!members->items[i].letter && (is_negated || bs_char_set_n(&set) <= 2);
	}
	if (may_be_single && is_negated)
		negate(reader, &set);
	if (may_be_single)
		bs_rust_settle(reader, &set);
	bool is_banned = may_be_single && !reader->status && is_banned_set(reader, &set);
	if (!is_banned && reader->single != BS_RUST_NO_SINGLE &&
	    bs_rust_is_cased(reader, reader->single))
		reader->single = BS_RUST_NO_SINGLE;
	bs_char_set_deinit(&set);
	return is_banned;
}

void bs_rust_read_class(struct bs_rust_reader *reader, size_t from)
{
	struct members members = {0};
	struct bs_char_set set = {.err = reader->err};
	bs_vector_clear(&reader->nodes);
	uint32_t index = read_brackets(reader, from);
	size_t end = reader->at;
	if (!reader->status) {
		struct bs_rust_class_node class = reader->nodes.items[index];
		if (find_members(reader, &class, &members)) {
			if (!are_banned(reader, &members, class.is_negated))
				bs_rust_put_members(&reader->writer, &reader->flags, members.items,
				                    bs_vector_n(&members), class.is_negated);
		} else {
			eval(reader, index, &set);
			put_set(reader, &set);
			reader->at = reader->status ? reader->at : end;
		}
	}
	bs_vector_deinit(&members);
	bs_char_set_deinit(&set);
}
