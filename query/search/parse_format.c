/* parse_format.c: a parsed query, and what is wrong with one that is not, for people to read. See parse.h. */
#include <stdio.h>
#include <string.h>
#include <unicode/utf8.h>

#include "core/base/icu.h"
#include "core/base/visible.h"
#include "core/bitsift/search.h"
#include "core/bitsift/terminal.h"
#include "query/search/parse.h"
#include "query/search/pattern.h"

/* The caret's line fits a terminal of 80 columns, with more of the query before the caret than behind it. */
#define CARET_BEFORE_COLUMNS 60
#define CARET_ALL_COLUMNS    77

/* A tree on its way into a buffer; the first failure sticks. */
struct printer {
	const struct bs_query_tree *query;
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
		bool is_word = c == '_' || (c >= 0 && (bs_icu.u_isalnum(c) || (U_MASK(bs_icu.u_charType(c)) & U_GC_M_MASK)));
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
		if (c >= 0 && c != '"' && c != '\\' && !bs_visible_is_obeyed(c)) {
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

/* The words of a leaf, those of a phrase with their positions; then the bigrams that it is sure to hold. */
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
	static const char *const names[] = {[BS_NODE_PHRASE] = "(PHRASE", [BS_NODE_NEAR] = "(NEAR", [BS_NODE_AND] = "(AND",
	                                    [BS_NODE_OR] = "(OR",         [BS_NODE_NOT] = "(NOT"};
	const struct bs_query_node *node = &printer->query->nodes[index];
	if (bs_query_is_file_name(node)) {
		put_string(printer, "name:");
	} else if (node->field != BS_QUERY_ANY_FIELD) {
		const struct bs_term_table *fields = printer->query->fields;
		put_name(printer, bs_term_table_key(fields, node->field), fields->entries[node->field].n_bytes);
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

enum bs_status bs_query_format(const struct bs_query_tree *query, struct bs_buffer *out, struct bs_error *err)
{
	struct printer printer = {.query = query, .out = out, .err = err};
	put_node(&printer, (uint32_t)(query->n_nodes - 1));
	return printer.status;
}

/* As put_query shows them: U+FFFD is one column. */
static int columns_between(const uint8_t *text, size_t start, size_t end)
{
	int columns = 0;
	for (size_t at = start; at < end;)
		columns += (int)bs_visible_columns(bs_visible_next(text, end, &at));
	return columns;
}

/* Where to start so that about n_columns stand before at: the byte after a character, or 0. */
static size_t step_back(const uint8_t *text, size_t at, int n_columns)
{
	size_t start = at;
	size_t most_bytes = (size_t)n_columns * U8_MAX_LENGTH;
	while (start > 0) {
		size_t before = start;
		n_columns -= (int)bs_visible_columns(bs_visible_previous(text, &before));
		if (n_columns < 0 || at - before > most_bytes)
			break;
		start = before;
	}
	return start;
}

/* Appends what of text[start..text_bytes) fits into n_columns. */
static enum bs_status put_query(const uint8_t *text, size_t start, size_t text_bytes, int n_columns,
				struct bs_buffer *out, struct bs_error *err)
{
	size_t most_bytes = (size_t)n_columns * U8_MAX_LENGTH;
	enum bs_status status = BS_OK;
	for (size_t at = start; at < text_bytes && !status;) {
		if (at - start > most_bytes)
			return bs_visible_append_own(out, "…", err);
		UChar32 c = bs_visible_next(text, text_bytes, &at);
		n_columns -= (int)bs_visible_columns(c);
		if (n_columns < 0)
			return bs_visible_append_own(out, "…", err);
		if (bs_visible_is_space(c) && bs_visible_columns(c) == 1)
			c = ' ';
		status = bs_visible_append(out, bs_visible_is_obeyed(c) ? -1 : c, err);
	}
	return status;
}

/* Wide characters count two columns, marks and format characters none. */
enum bs_status bs_query_caret(const char *query, size_t query_bytes, size_t error_byte, char **text_out,
                              struct bs_error *err)
{
	const uint8_t *text = (const uint8_t *)query;
	struct bs_buffer out = {0};
	*text_out = NULL;
	if (error_byte > query_bytes)
		return bs_fail(err, BS_INVALID, "no place in the query");
	size_t start = step_back(text, error_byte, CARET_BEFORE_COLUMNS);
	int cut = start > 0 ? 1 : 0;
	int columns = cut + columns_between(text, start, error_byte);
	enum bs_status status = bs_visible_append_own(&out, cut ? "…" : "", err);
	if (!status)
		status = put_query(text, start, query_bytes, CARET_ALL_COLUMNS - cut, &out, err);
	if (!status)
		status = bs_visible_append_own(&out, "\n", err);
	for (int i = 0; i < columns && !status; i++)
		status = bs_visible_append_own(&out, " ", err);
	if (!status)
		status = bs_buffer_append(&out, "^", 2, err);
	if (status)
		bs_buffer_deinit(&out);
	*text_out = (char *)out.data;
	return status;
}
