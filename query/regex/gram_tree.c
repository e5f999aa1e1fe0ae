/* gram_tree.c: a finished tree, to be read and to be asked. See gram_tree.h. */
#include "query/regex/gram_tree.h"

#include <stdio.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/visible.h"

static uint64_t literal_least(const struct bs_gram_node *node)
{
	uint64_t n_others = 0;
	for (uint32_t i = 0; i < node->n_bytes; i++)
		n_others += node->bytes[i] >= 0x80;
	return node->n_bytes - n_others + n_others / 2;
}

/* Literals that must all be there may overlap, so the longest of them counts. */
static uint64_t node_least(const struct bs_gram_tree *tree, const struct bs_gram_node *node)
{
	if (node->kind == BS_GRAM_LITERAL)
		return literal_least(node);
	uint64_t least = node->kind == BS_GRAM_OR || node->kind == BS_GRAM_NONE ? UINT64_MAX : 0;
	for (uint32_t c = 0; c < node->n_children; c++) {
		uint64_t child = node_least(tree, &tree->nodes[node->children[c]]);
		bool is_taken = node->kind == BS_GRAM_OR ? child < least : child > least;
		least = is_taken ? child : least;
	}
	return least;
}

uint64_t bs_gram_tree_least_bytes(const struct bs_gram_tree *tree)
{
	return node_least(tree, bs_gram_tree_root(tree));
}

/* A tree on its way into a buffer; the first failure sticks. */
struct printer {
	const struct bs_gram_tree *tree;
	struct bs_buffer *out;
	enum bs_status status;
	struct bs_error *err;
};

static void put(struct printer *printer, const void *bytes, size_t n_bytes)
{
	if (!printer->status)
		printer->status = bs_buffer_append(printer->out, bytes, n_bytes, printer->err);
}

static void put_text(struct printer *printer, const char *text)
{
	put(printer, text, strlen(text));
}

static void put_hex(struct printer *printer, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++) {
		char escape[8];
		snprintf(escape, sizeof(escape), "\\x%02x", bytes[i]);
		put_text(printer, escape);
	}
}

static void put_literal(struct printer *printer, const uint8_t *bytes, size_t n_bytes)
{
	put_text(printer, "\"");
	for (size_t at = 0; at < n_bytes;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT(bytes, at, n_bytes, c);
		if (c == '"' || c == '\\')
			put_text(printer, "\\");
		if (c < 0 || bs_visible_is_obeyed(c))
			put_hex(printer, bytes + start, at - start);
		else
			put(printer, bytes + start, at - start);
	}
	put_text(printer, "\"");
}

static void put_node(struct printer *printer, uint32_t index)
{
	static const char *const names[] = {
		[BS_GRAM_ANY] = "ANY", [BS_GRAM_NONE] = "NONE", [BS_GRAM_AND] = "AND(", [BS_GRAM_OR] = "OR("};
	const struct bs_gram_node *node = &printer->tree->nodes[index];
	if (node->kind == BS_GRAM_LITERAL) {
		put_literal(printer, node->bytes, node->n_bytes);
		return;
	}
	put_text(printer, names[node->kind]);
	for (uint32_t i = 0; i < node->n_children; i++) {
		put_text(printer, i ? ", " : "");
		put_node(printer, node->children[i]);
	}
	put_text(printer, node->n_children ? ")" : "");
}

enum bs_status bs_gram_tree_format(const struct bs_gram_tree *tree, struct bs_buffer *out, struct bs_error *err)
{
	struct printer printer = {.tree = tree, .out = out, .err = err};
	put_node(&printer, tree->n_nodes - 1);
	return printer.status;
}

static bool has_all(const struct bs_gram_node *node, bs_has_gram_fn has_gram, const void *context)
{
	for (uint32_t i = 0; i < node->n_keys; i++)
		if (!has_gram(context, node->keys[i]))
			return false;
	return true;
}

static bool join(const struct bs_gram_node *node, const uint8_t *holds)
{
	bool is_and = node->kind == BS_GRAM_AND;
	for (uint32_t i = 0; i < node->n_children; i++)
		if (holds[node->children[i]] != is_and)
			return !is_and;
	return is_and;
}

enum bs_status bs_gram_tree_test(const struct bs_gram_tree *tree, bs_has_gram_fn has_gram, const void *context,
                                 struct bs_buffer *scratch, bool *holds_out, struct bs_error *err)
{
	bs_buffer_clear(scratch);
	enum bs_status status = bs_buffer_reserve(scratch, tree->n_nodes, err);
	if (status)
		return status;
	uint8_t *holds = scratch->data;
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const struct bs_gram_node *node = &tree->nodes[i];
		if (node->kind == BS_GRAM_LITERAL)
			holds[i] = has_all(node, has_gram, context);
		else
			holds[i] = node->n_children ? join(node, holds) : node->kind == BS_GRAM_ANY;
	}
	*holds_out = holds[tree->n_nodes - 1];
	return BS_OK;
}
