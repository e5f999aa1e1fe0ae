/* pattern_grams.c: see pattern_grams.h. */
#include "query/regex/pattern_grams.h"

#include <stdlib.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "core/system/icu.h"
#include "core/system/watch.h"
#include "core/text/grams.h"
#include "query/regex/pattern.h"
#include "query/regex/built_pattern.h"
#include "query/regex/regex_grams.h"

/* Of fewer literals regex_grams.h makes more. */
#define LONG_LITERALS 64u
/* Grams of more bytes of a literal add little. */
#define LITERAL_BYTES 32u

bool bs_list_has_grams(const struct bs_pattern_list *list)
{
	return list->n_parts > 0 && (list->is_literal || list->are_all_known) &&
	       bs_pattern_n_literals(list) >= LONG_LITERALS;
}

struct list_tree {
	struct bs_gram_tree tree;
	struct bs_gram_nodes nodes;
	struct bs_buffer folded; /* the literals, one after the other */
	struct bs_gram_keys keys; /* of all literals */
	uint32_t *children;
};

static void release(void *memory)
{
	struct list_tree *list = memory;
	bs_vector_deinit(&list->nodes);
	bs_buffer_deinit(&list->folded);
	bs_vector_deinit(&list->keys);
	free(list->children);
	free(list);
}

/* The end of the characters from `from` on that our Unicode knows: a newer one may have another case of the others. */
static size_t certain_end(const uint8_t *text, size_t from, size_t n_bytes, size_t *next_out)
{
	for (size_t at = from; at < n_bytes;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT_UNSAFE(text, at, c);
		*next_out = at;
		if (c >= 0x80 && bs_icu.u_charType(c) == U_UNASSIGNED)
			return start;
	}
	return *next_out = n_bytes;
}

/* The longest part of a literal that is certain. */
static struct bs_literal certain_part(const struct bs_literal *literal)
{
	struct bs_literal best = {literal->bytes, 0};
	if (bs_is_ascii(literal->bytes, literal->n_bytes))
		return *literal;
	for (size_t from = 0, next; from < literal->n_bytes; from = next) {
		size_t end = certain_end(literal->bytes, from, literal->n_bytes, &next);
		if (end - from > best.n_bytes)
			best = (struct bs_literal){literal->bytes + from, (uint32_t)(end - from)};
	}
	return best;
}

/* A node of one literal. *is_any_out: it is too short to have grams. Bytes and keys are put together and may move: until
 * the end the node has their offsets. */
static enum bs_status add_literal(struct list_tree *list, const struct bs_literal *literal, bool *is_any_out,
                                  struct bs_error *err)
{
	struct bs_literal part = certain_part(literal);
	size_t n_folded = 0, first_key = bs_vector_n(&list->keys);
	enum bs_status status = bs_buffer_reserve(&list->folded, 2 * (size_t)part.n_bytes + 8, err);
	if (status)
		return status;
	uint8_t *folded = list->folded.data + list->folded.used_bytes;
	bs_grams_fold_piece(part.bytes, part.n_bytes, true, folded, &n_folded);
	*is_any_out = n_folded < BS_GRAM_LEAST;
	if (!*is_any_out)
		status = bs_grams_of_literal(folded, n_folded < LITERAL_BYTES ? n_folded : LITERAL_BYTES,
		                             &list->keys.bytes, err);
	struct bs_gram_node node = {.kind = BS_GRAM_LITERAL,
	                            .n_bytes = (uint32_t)n_folded,
	                            .n_keys = (uint32_t)(bs_vector_n(&list->keys) - first_key)};
	list->folded.used_bytes += n_folded;
	return status ? status : bs_vector_append(&list->nodes, &node, err);
}

static enum bs_status finish(struct list_tree *list, bool is_any, struct bs_error *err)
{
	struct bs_gram_node root = {.kind = is_any ? BS_GRAM_ANY : BS_GRAM_OR};
	if (is_any)
		bs_vector_clear(&list->nodes);
	struct bs_gram_node *nodes = list->nodes.items;
	uint32_t n = (uint32_t)bs_vector_n(&list->nodes);
	const uint8_t *bytes = list->folded.data;
	const uint64_t *keys = list->keys.items;
	list->children = malloc((n + (size_t)1) * sizeof(*list->children));
	if (!list->children)
		return bs_fail_memory(err, "a tree of grams", n * sizeof(*list->children));
	for (uint32_t i = 0; i < n; i++) {
		list->children[i] = i;
		nodes[i].bytes = bytes;
		nodes[i].keys = keys;
		bytes += nodes[i].n_bytes;
		keys += nodes[i].n_keys;
	}
	root.n_children = n;
	root.children = list->children;
	enum bs_status status = bs_vector_append(&list->nodes, &root, err);
	list->tree = (struct bs_gram_tree){.nodes = list->nodes.items,
	                                   .n_nodes = n + 1,
	                                   .memory = list,
	                                   .release = release};
	return status;
}

#define LITERAL_NS 300u /* what one costs about */

enum bs_status bs_list_grams(const struct bs_pattern_list *from, struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct list_tree *list = calloc(1, sizeof(*list));
	bool is_any = false;
	*tree_out = NULL;
	if (!list)
		return bs_fail_memory(err, "a tree of grams", sizeof(*list));
	enum bs_status status = from->regex->is_ascii ? BS_OK : bs_icu_load(err);
	for (uint32_t i = 0; i < bs_pattern_n_literals(from) && !is_any && !status; i++)
		if (!(status = bs_watch_spend(LITERAL_NS, err)))
			status = add_literal(list, bs_pattern_literal(from, i), &is_any, err);
	if (!status)
		status = finish(list, is_any, err);
	if (status)
		release(list);
	else
		*tree_out = &list->tree;
	return status;
}

static enum bs_status grams_of(const struct bs_grep_analysis *analysis, struct bs_gram_tree **tree_out, struct bs_error *err)
{
	if (!analysis->is_legible)
		return BS_OK;
	return bs_list_has_grams(&analysis->list) ? bs_list_grams(&analysis->list, tree_out, err)
	                                          : bs_regex_grams(&analysis->regex, tree_out, err);
}

enum bs_status bs_pattern_grams(const struct bs_grep_pattern *pattern, struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_analysis analysis = {.is_legible = false};
	*tree_out = NULL;
	enum bs_status status = bs_grep_analyse(pattern, &analysis, err);
	if (!status)
		status = grams_of(&analysis, tree_out, err);
	bs_grep_analysis_deinit(&analysis);
	return status;
}

enum bs_status bs_pattern_tree_grams(const struct bs_pattern_tree *pattern, struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_analysis analysis = {.is_legible = false};
	*tree_out = NULL;
	enum bs_status status = bs_pattern_tree_analyse(pattern, &analysis, err);
	if (!status)
		status = grams_of(&analysis, tree_out, err);
	bs_grep_analysis_deinit(&analysis);
	return status;
}
