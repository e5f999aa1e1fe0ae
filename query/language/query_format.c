/* query_format.c: see query_format.h. */
#include "query/language/query_format.h"

#include <stdio.h>
#include <string.h>

#include "core/bitsift/terminal.h"
#include "core/system/icu.h"
#include "query/language/wildcard.h"

/* A tree being formatted. The first failure is sticky. */
struct printer {
	const struct bs_query_tree *query;
	/* for the normal form: the text that the query was parsed from */
	const uint8_t *text;
	/* for the normal form: the first node whose text has an unpaired double quote */
	uint32_t quote_leaf;
	struct bs_buffer *out;
	enum bs_status status;
	struct bs_error *err;
};

static void put(struct printer *printer, const void *bytes, size_t n_bytes)
{
	if (!printer->status)
		printer->status = bs_buffer_append(printer->out, bytes, n_bytes, printer->err);
}

static void put_string(struct printer *printer, const char *string)
{
	put(printer, string, strlen(string));
}

static void put_number(struct printer *printer, const char *before, uint32_t number)
{
	char digits[24];
	snprintf(digits, sizeof(digits), "%s%u", before, number);
	put_string(printer, digits);
}

static bool is_plain(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t at = 0; at < n_bytes;) {
		UChar32 c;
		U8_NEXT(bytes, at, n_bytes, c);
		bool is_word =
			c == '_' || (c >= 0 && (bs_icu.u_isalnum(c) ||
		                                (U_MASK(bs_icu.u_charType(c)) & U_GC_M_MASK)));
		if (!is_word)
			return false;
	}
	return true;
}

static void put_name(struct printer *printer, const uint8_t *bytes, size_t n_bytes)
{
	if (is_plain(bytes, n_bytes)) {
		put(printer, bytes, n_bytes);
		return;
	}
	put_string(printer, "\"");
	for (size_t at = 0; at < n_bytes;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT(bytes, at, n_bytes, c);
		if (c >= 0 && c != '"' && c != '\\' && !bs_is_terminal_control(c)) {
			put(printer, bytes + start, at - start);
			continue;
		}
		for (; start < at; start++) {
			char escape[8];
			snprintf(escape, sizeof(escape), "\\x%02x", bytes[start]);
			put_string(printer, escape);
		}
	}
	put_string(printer, "\"");
}

static void put_pattern(struct printer *printer, const uint8_t *pattern, size_t n_bytes)
{
	for (size_t at = 0; at < n_bytes;) {
		size_t head_bytes = bs_pattern_head(pattern + at, n_bytes - at);
		put_name(printer, pattern + at, head_bytes);
		at += head_bytes;
		if (at < n_bytes)
			put_string(printer, pattern[at++] == BS_PATTERN_ANY ? "*" : "?");
	}
}

static void put_element(struct printer *printer, uint32_t index)
{
	const struct bs_element *element = &printer->query->elements[index];
	if (element->kind == BS_ELEMENT_PATTERN) {
		put_pattern(printer, element->term, element->term_bytes);
		return;
	}
	put_name(printer, element->term, element->term_bytes);
	if (element->kind == BS_ELEMENT_PREFIX)
		put_string(printer, "*");
	if (element->kind == BS_ELEMENT_FUZZY)
		put_number(printer, "~", element->max_distance);
}

static void put_weight(struct printer *printer, const struct bs_query_node *node)
{
	char weight[32];
	if (node->n_children > 0 || !(node->weight < 1 || node->weight > 1))
		return;
	snprintf(weight, sizeof(weight), "^%.6g", node->weight);
	put_string(printer, weight);
}

/* Writes the words of a leaf, in a phrase with their positions, and then the bigrams of a
 * phrase. */
static void put_items(struct printer *printer, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++) {
		put_string(printer, " ");
		put_element(printer, node->items[i].element);
		if (node->kind == BS_NODE_PHRASE)
			put_number(printer, "@", node->items[i].position);
	}
	for (uint32_t i = 0; i < node->n_aids; i++) {
		put_string(printer, " +");
		put_element(printer, node->aids[i].element);
	}
}

static void put_node(struct printer *printer, uint32_t index)
{
	static const char *const names[] = {[BS_NODE_PHRASE] = "(PHRASE",
	                                    [BS_NODE_NEAR] = "(NEAR",
	                                    [BS_NODE_AND] = "(AND",
	                                    [BS_NODE_OR] = "(OR",
	                                    [BS_NODE_NOT] = "(NOT"};
	const struct bs_query_node *node = &printer->query->nodes[index];
	if (bs_query_is_file_name(node)) {
		put_string(printer, "name:");
	} else if (node->field != BS_QUERY_ANY_FIELD) {
		const struct bs_term_table *fields = printer->query->fields;
		put_name(printer, bs_term_table_key(fields, node->field),
		         fields->entries[node->field].n_bytes);
		put_string(printer, ":");
	}
	if (node->kind == BS_NODE_WORD) {
		put_element(printer, node->items[0].element);
		put_weight(printer, node);
		return;
	}
	if (node->kind == BS_NODE_RANGE) {
		put_string(printer, printer->query->ranges[node->range].text);
		return;
	}
	put_string(printer, names[node->kind]);
	if (node->kind == BS_NODE_NEAR)
		put_number(printer, "/", node->distance);
	put_items(printer, node);
	for (uint32_t i = 0; i < node->n_children && !printer->status; i++) {
		put_string(printer, " ");
		put_node(printer, node->children[i]);
	}
	put_string(printer, ")");
	put_weight(printer, node);
}

enum bs_status bs_query_format(const struct bs_query_tree *query, struct bs_buffer *out,
                               struct bs_error *err)
{
	struct printer printer = {.query = query, .out = out, .err = err};
	put_node(&printer, (uint32_t)(query->n_nodes - 1));
	return printer.status;
}

static const struct bs_query_node *node_at(const struct printer *printer, uint32_t index)
{
	return &printer->query->nodes[index];
}

static bool has_text(const struct bs_query_node *node)
{
	return node->text.start_byte < node->text.end_byte;
}

/* True if the leaf's text contains a double quote, which is then unpaired. */
static bool has_lone_quote(const struct printer *printer, const struct bs_query_node *leaf)
{
	return has_text(leaf) && memchr(printer->text + leaf->text.start_byte, '"',
	                                leaf->text.end_byte - leaf->text.start_byte);
}

/* True if the * at `at` is part of a keycap emoji (* with U+FE0F or U+20E3), which the analyzer
 * takes for a word. */
static bool is_keycap(const uint8_t *text, size_t at, size_t end)
{
	return (end - at > 3 && memcmp(text + at + 1, "\xef\xb8\x8f", 3) == 0) ||
	       (end - at > 3 && memcmp(text + at + 1, "\xe2\x83\xa3", 3) == 0);
}

/*
 * Writes the text of a leaf as a token without quotes. Every sign that could be taken for syntax is
 * replaced by +, which the analyzer treats in the same way. If kind is not TERM, the ~N, * or ? of
 * the last word remain.
 */
static void put_bare(struct printer *printer, const struct bs_query_node *node,
                     enum bs_element_kind kind)
{
	const uint8_t *text = printer->text;
	size_t start = node->text.start_byte, end = node->text.end_byte,
	       distance = kind == BS_ELEMENT_FUZZY ? 2 : 0;
	bool is_exact = kind == BS_ELEMENT_TERM;
	/* A + at the beginning: otherwise the leaf could look like an operator or a field. */
	if (is_exact && text[start] != '+')
		put_string(printer, "+");
	for (size_t at = start; at < end; at++) {
		bool is_first = at == start && (text[at] == '-' || text[at] == '!');
		bool is_mark = at < end - distance && memchr("()^~", text[at], 4);
		bool is_wild = is_exact && memchr("*?", text[at], 2) && !is_keycap(text, at, end);
		put(printer, is_first || is_mark || is_wild ? (const uint8_t *)"+" : text + at, 1);
	}
}

static void put_normal_text(struct printer *printer, const struct bs_query_node *node)
{
	const struct bs_query_tree *query = printer->query;
	size_t n_bytes = node->text.end_byte - node->text.start_byte;
	if (node->kind == BS_NODE_RANGE && !has_text(node)) {
		put_string(printer, query->ranges[node->range].text);
		return;
	}
	enum bs_element_kind kind =
		node->n_items > 0 ? query->elements[node->items[node->n_items - 1].element].kind
				  : BS_ELEMENT_TERM;
	bool is_range = node->kind == BS_NODE_RANGE && !node->text.is_quoted;
	if (is_range) {
		put(printer, printer->text + node->text.start_byte, n_bytes);
		return;
	}
	if (kind == BS_ELEMENT_FUZZY || has_lone_quote(printer, node)) {
		put_bare(printer, node, kind);
		return;
	}
	put_string(printer, "\"");
	if (has_text(node))
		put(printer, printer->text + node->text.start_byte, n_bytes);
	else
		put(printer, query->elements[node->items[0].element].term,
		    query->elements[node->items[0].element].term_bytes);
	put_string(printer, "\"");
	if (node->text.is_near)
		put_number(printer, "~", node->distance);
}

/* Writes a weight other than 1. It has as many digits as the parser reads. */
static void put_decimal(struct printer *printer, double weight)
{
	char digits[32];
	snprintf(digits, sizeof(digits), "^%.*f",
	         weight < 1     ? 13
	         : weight < 10  ? 12
	         : weight < 100 ? 11
	                        : 10,
	         weight);
	size_t n_bytes = strlen(digits);
	while (digits[n_bytes - 1] == '0')
		n_bytes--;
	n_bytes -= digits[n_bytes - 1] == '.';
	if (n_bytes != 2 || digits[1] != '1')
		put(printer, digits, n_bytes);
}

/* Writes a leaf. A weight that is too large or too small for one ^N is written as a product of
 * several. */
static void put_normal_leaf(struct printer *printer, const struct bs_query_node *node)
{
	double weight = node->kind == BS_NODE_RANGE ? 1 : node->weight;
	unsigned n_thousands = 0, n_thousandths = 0;
	for (; weight > 1000; weight /= 1000)
		n_thousands++;
	for (; weight > 0 && weight < 0.001; weight *= 1000)
		n_thousandths++;
	for (unsigned i = 0; i < n_thousands + n_thousandths; i++)
		put_string(printer, "(");
	if (bs_query_is_file_name(node)) {
		put_string(printer, "name:");
	} else if (node->field != printer->query->field.own) {
		const struct bs_term_table *fields = printer->query->fields;
		put(printer, bs_term_table_key(fields, node->field),
		    fields->entries[node->field].n_bytes);
		put_string(printer, ":");
	}
	put_normal_text(printer, node);
	put_decimal(printer, weight);
	for (unsigned i = 0; i < n_thousands + n_thousandths; i++)
		put_string(printer, n_thousands > 0 ? ")^1000" : ")^0.001");
}

/* True if a child of an OR is the second of the two leaves made for one `name:` that searches files
 * and records. Both leaves have the same text. */
static bool is_other_half(const struct printer *printer, const struct bs_query_node *node,
                          uint32_t child)
{
	const struct bs_query_node *leaf = node_at(printer, node->children[child]), *before;
	if (node->kind != BS_NODE_OR || child == 0)
		return false;
	before = node_at(printer, node->children[child - 1]);
	return bs_query_is_file_name(before) && leaf->n_items > 0 &&
	       leaf->field == printer->query->field.name &&
	       leaf->text.start_byte == before->text.start_byte;
}

/*
 * Writes a node. has_quote: the leaf with the unpaired quote is below it. At each level the operand
 * with this leaf is written last, so that no quote follows. Nodes are in post-order, so the nodes
 * of an operand are those after the previous operand.
 */
static void put_normal(struct printer *printer, uint32_t index, bool has_quote)
{
	const struct bs_query_node *node = node_at(printer, index);
	uint32_t n_shown = 0, n_put = 0, quoted = node->n_children;
	if (node->n_children == 0) {
		put_normal_leaf(printer, node);
		return;
	}
	for (uint32_t i = 0; i < node->n_children; i++)
		n_shown += !is_other_half(printer, node, i);
	for (uint32_t i = 0; has_quote && i < node->n_children && quoted == node->n_children; i++)
		quoted = node->children[i] >= printer->quote_leaf ? i : quoted;
	put_string(printer, node->kind == BS_NODE_NOT ? "NOT " : n_shown > 1 ? "(" : "");
	for (uint32_t k = 0; k <= node->n_children && !printer->status; k++) {
		uint32_t i = k < node->n_children ? k : quoted;
		if (i == node->n_children || (k == quoted && k < node->n_children) ||
		    is_other_half(printer, node, i))
			continue;
		if (n_put++ > 0)
			put_string(printer, node->kind == BS_NODE_OR ? " OR " : " AND ");
		put_normal(printer, node->children[i], i == quoted);
	}
	put_string(printer, node->kind != BS_NODE_NOT && n_shown > 1 ? ")" : "");
}

enum bs_status bs_query_format_normal(const struct bs_query_tree *query, const uint8_t *text,
                                      struct bs_buffer *out, struct bs_error *err)
{
	struct printer printer = {.query = query, .text = text, .out = out, .err = err};
	/* At most one token has an unpaired quote. `name:` makes two leaves of it, the first of
	 * which is written. */
	while (printer.quote_leaf < query->n_nodes &&
	       !has_lone_quote(&printer, node_at(&printer, printer.quote_leaf)))
		printer.quote_leaf++;
	put_normal(&printer, (uint32_t)(query->n_nodes - 1), printer.quote_leaf < query->n_nodes);
	return printer.status;
}
