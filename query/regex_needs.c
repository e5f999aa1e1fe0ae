/* regex_needs.c: AND and OR of what a match needs, made smaller on the way. See regex_needs.h. */
#include "query/regex_needs.h"

#include <stdlib.h>
#include <string.h>

#include "core/grams.h"

/* Among so many operands it is looked whether one makes another superfluous, and so deep. */
#define MOST_COMPARED 64u
#define COMPARE_FUEL  256

/* Grams of more bytes of a literal add nothing. */
#define LITERAL_KEY_BYTES 256u

const struct bs_need bs_need_any = {.kind = BS_GRAM_ANY}, bs_need_none = {.kind = BS_GRAM_NONE};

const struct bs_need *bs_need_literal(struct bs_arena *arena, const uint8_t *bytes, uint32_t n_bytes)
{
	if (n_bytes < BS_GRAM_LEAST)
		return &bs_need_any;
	struct bs_need *need = bs_arena_take(arena, sizeof(*need));
	*need = (struct bs_need){.kind = BS_GRAM_LITERAL, .literal = {bytes, n_bytes}, .n_leaves = 1};
	return need;
}

const struct bs_need *bs_need_of_set(struct bs_arena *arena, const struct bs_set *set)
{
	const struct bs_need *needs[BS_SET_MOST_STRINGS];
	for (uint32_t i = 0; i < set->n; i++)
		needs[i] = bs_need_literal(arena, set->strings[i].bytes, set->strings[i].n_bytes);
	return bs_need_or(arena, needs, set->n);
}

/* ---- what is superfluous ---- */

struct comparison {
	struct bs_arena *arena;
	int fuel;
};

static bool implies(struct comparison *comparison, const struct bs_need *a, const struct bs_need *b);

static bool some_child_implies(struct comparison *comparison, const struct bs_need *a, const struct bs_need *b)
{
	for (uint32_t i = 0; i < a->n_children; i++)
		if (implies(comparison, a->children[i], b))
			return true;
	return false;
}

static bool each_child_implies(struct comparison *comparison, const struct bs_need *a, const struct bs_need *b)
{
	for (uint32_t i = 0; i < a->n_children; i++)
		if (!implies(comparison, a->children[i], b))
			return false;
	return true;
}

static bool implies_some_child(struct comparison *comparison, const struct bs_need *a, const struct bs_need *b)
{
	for (uint32_t i = 0; i < b->n_children; i++)
		if (implies(comparison, a, b->children[i]))
			return true;
	return false;
}

static bool implies_each_child(struct comparison *comparison, const struct bs_need *a, const struct bs_need *b)
{
	for (uint32_t i = 0; i < b->n_children; i++)
		if (!implies(comparison, a, b->children[i]))
			return false;
	return true;
}

/* Whether every file that satisfies a satisfies b, as far as is seen with little work: then b is of no use beside a. */
static bool implies(struct comparison *comparison, const struct bs_need *a, const struct bs_need *b)
{
	if (a == b)
		return true;
	if (comparison->fuel-- <= 0)
		return false;
	if (a->kind == BS_GRAM_LITERAL && b->kind == BS_GRAM_LITERAL) {
		comparison->arena->total_bytes += a->literal.n_bytes; /* work counts as memory does */
		return memmem(a->literal.bytes, a->literal.n_bytes, b->literal.bytes, b->literal.n_bytes) != NULL;
	}
	if (a->kind == BS_GRAM_OR)
		return each_child_implies(comparison, a, b);
	if (b->kind == BS_GRAM_AND)
		return implies_each_child(comparison, a, b);
	return (a->kind == BS_GRAM_AND && some_child_implies(comparison, a, b)) ||
	       (b->kind == BS_GRAM_OR && implies_some_child(comparison, a, b));
}

/* ---- AND and OR ---- */

struct operands {
	struct bs_arena *arena;
	const struct bs_need **needs;
	uint32_t n;
	enum bs_gram_node_kind kind;
};

/* Under AND the stronger of two makes the other superfluous, under OR the weaker. */
static bool makes_superfluous(const struct operands *operands, const struct bs_need *a, const struct bs_need *b)
{
	struct comparison comparison = {operands->arena, COMPARE_FUEL};
	return operands->kind == BS_GRAM_AND ? implies(&comparison, a, b) : implies(&comparison, b, a);
}

static void add_operand(struct operands *operands, const struct bs_need *need)
{
	uint32_t n_kept = 0;
	if (operands->n <= MOST_COMPARED) {
		for (uint32_t i = 0; i < operands->n; i++)
			if (makes_superfluous(operands, operands->needs[i], need))
				return;
		for (uint32_t i = 0; i < operands->n; i++)
			if (!makes_superfluous(operands, need, operands->needs[i]))
				operands->needs[n_kept++] = operands->needs[i];
		operands->n = n_kept;
	}
	operands->needs[operands->n++] = need;
}

static const struct bs_need *join(const struct operands *operands)
{
	if (operands->n == 1)
		return operands->needs[0];
	struct bs_need *need = bs_arena_take(operands->arena, sizeof(*need));
	*need = (struct bs_need){.kind = operands->kind, .n_children = operands->n, .children = operands->needs};
	for (uint32_t i = 0; i < operands->n; i++)
		need->n_leaves += operands->needs[i]->n_leaves;
	return need;
}

static uint32_t n_operands_of(const struct bs_need *need, enum bs_gram_node_kind kind)
{
	return need->kind == kind ? need->n_children : 1;
}

/* An operand, or its own if it is of the same kind. */
static void add_operands(struct operands *operands, const struct bs_need *need)
{
	if (need->kind != operands->kind)
		add_operand(operands, need);
	else
		for (uint32_t i = 0; i < need->n_children; i++)
			add_operand(operands, need->children[i]);
}

/* Of too many the later ones are left out: less is needed. */
const struct bs_need *bs_need_and(struct bs_arena *arena, const struct bs_need *a, const struct bs_need *b)
{
	if (a->kind == BS_GRAM_ANY || b->kind == BS_GRAM_NONE || a == b)
		return b;
	if (b->kind == BS_GRAM_ANY || a->kind == BS_GRAM_NONE)
		return a;
	uint32_t n = n_operands_of(a, BS_GRAM_AND) + n_operands_of(b, BS_GRAM_AND);
	if (n > BS_NEED_MOST_ANDED || a->n_leaves + b->n_leaves > BS_NEED_MOST_ORED)
		return a;
	struct operands operands = {arena, bs_arena_take(arena, n * sizeof(*operands.needs)), 0, BS_GRAM_AND};
	/* Those of an AND were compared with each other when it was made. */
	if (a->kind == BS_GRAM_AND) {
		memcpy(operands.needs, a->children, a->n_children * sizeof(*operands.needs));
		operands.n = a->n_children;
	} else {
		operands.needs[operands.n++] = a;
	}
	add_operands(&operands, b);
	return join(&operands);
}

const struct bs_need *bs_need_or(struct bs_arena *arena, const struct bs_need **needs, uint32_t n)
{
	size_t n_operands = 0, n_leaves = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (needs[i]->kind == BS_GRAM_ANY)
			return &bs_need_any;
		n_operands += n_operands_of(needs[i], BS_GRAM_OR);
		n_leaves += needs[i]->n_leaves;
	}
	if (n_leaves > BS_NEED_MOST_ORED || n_operands > BS_NEED_MOST_ORED)
		return &bs_need_any;
	struct operands operands = {arena, bs_arena_take(arena, n_operands * sizeof(*operands.needs)), 0, BS_GRAM_OR};
	for (uint32_t i = 0; i < n; i++)
		if (needs[i]->kind != BS_GRAM_NONE)
			add_operands(&operands, needs[i]);
	return operands.n ? join(&operands) : &bs_need_none;
}

/* ---- the final tree ---- */

/* What nodes point into; pointers are set when it no longer moves. */
struct memory {
	struct bs_buffer nodes;    /* of struct bs_gram_node */
	struct bs_buffer children; /* uint32_t */
	struct bs_buffer bytes;
	struct bs_buffer keys; /* uint64_t */
};

static enum bs_status put_literal(struct memory *memory, const struct bs_need *need, struct bs_gram_node *node,
                                  struct bs_error *err)
{
	struct bs_string literal = need->literal;
	size_t n_before = memory->keys.used_bytes;
	enum bs_status status = bs_buffer_append(&memory->bytes, literal.bytes, literal.n_bytes, err);
	if (status)
		return status;
	status = bs_grams_of_literal(literal.bytes,
	                             literal.n_bytes < LITERAL_KEY_BYTES ? literal.n_bytes : LITERAL_KEY_BYTES,
	                             &memory->keys, err);
	node->n_bytes = literal.n_bytes;
	node->n_keys = (uint32_t)((memory->keys.used_bytes - n_before) / sizeof(uint64_t));
	return status;
}

/* Recursive: needs are nested no deeper than parentheses. */
static enum bs_status put_need(struct memory *memory, const struct bs_need *need, uint32_t *index_out,
                               struct bs_error *err)
{
	struct bs_gram_node node = {.kind = need->kind, .n_children = need->n_children};
	struct bs_buffer children = {0};
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < need->n_children && !status; i++) {
		uint32_t child;
		status = put_need(memory, need->children[i], &child, err);
		if (!status)
			status = bs_buffer_append(&children, &child, sizeof(child), err);
	}
	if (!status && need->n_children)
		status = bs_buffer_append(&memory->children, children.data, children.used_bytes, err);
	if (!status && need->kind == BS_GRAM_LITERAL)
		status = put_literal(memory, need, &node, err);
	*index_out = (uint32_t)(memory->nodes.used_bytes / sizeof(node));
	if (!status)
		status = bs_buffer_append(&memory->nodes, &node, sizeof(node), err);
	bs_buffer_deinit(&children);
	return status;
}

/* Each node took its part of each buffer after the node before it. */
static void set_pointers(struct bs_gram_tree *tree, const struct memory *memory)
{
	const uint32_t *children = (const uint32_t *)(const void *)memory->children.data;
	const uint64_t *keys = (const uint64_t *)(const void *)memory->keys.data;
	const uint8_t *bytes = memory->bytes.data;
	tree->nodes = (struct bs_gram_node *)(void *)memory->nodes.data;
	tree->n_nodes = (uint32_t)(memory->nodes.used_bytes / sizeof(*tree->nodes));
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		struct bs_gram_node *node = &tree->nodes[i];
		if (node->n_children) {
			node->children = children;
			children += node->n_children;
		} else if (node->n_bytes) {
			node->bytes = bytes;
			bytes += node->n_bytes;
			node->keys = keys;
			keys += node->n_keys;
		}
	}
}

void bs_gram_tree_free(struct bs_gram_tree *tree)
{
	if (!tree)
		return;
	struct memory *memory = tree->memory;
	if (memory) {
		bs_buffer_deinit(&memory->nodes);
		bs_buffer_deinit(&memory->children);
		bs_buffer_deinit(&memory->bytes);
		bs_buffer_deinit(&memory->keys);
		free(memory);
	}
	free(tree);
}

enum bs_status bs_need_finish(const struct bs_need *need, struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_gram_tree *tree = calloc(1, sizeof(*tree));
	struct memory *memory = calloc(1, sizeof(*memory));
	enum bs_status status = BS_OK;
	uint32_t root;
	if (!tree || !memory) {
		free(memory);
		free(tree);
		return bs_fail_memory(err, "a tree of grams", sizeof(*tree) + sizeof(*memory));
	}
	tree->memory = memory;
	status = put_need(memory, need, &root, err);
	if (status) {
		bs_gram_tree_free(tree);
		return status;
	}
	set_pointers(tree, memory);
	*tree_out = tree;
	return BS_OK;
}
