/* parse_build.c: from what the parser finds to a struct bs_query. See parse_build.h. */
#include "query/search/parse_build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

enum bs_status bs_build_init(struct bs_build *build, struct bs_error *err)
{
	*build = (struct bs_build){0};
	build->query = calloc(1, sizeof(*build->query));
	return build->query ? BS_OK : bs_fail_memory(err, "a query", sizeof(*build->query));
}

void bs_build_deinit(struct bs_build *build)
{
	bs_query_free(build->query);
	free(build->slots);
	bs_buffer_deinit(&build->items);
	bs_buffer_deinit(&build->drafts);
	*build = (struct bs_build){0};
}

void bs_query_free(struct bs_query *query)
{
	if (!query)
		return;
	for (size_t i = 0; i < query->n_elements; i++)
		free((void *)(uintptr_t)query->elements[i].term);
	free(query->elements);
	free(query->nodes);
	free(query->items);
	free(query->children);
	free(query);
}

static struct bs_draft *draft_at(struct bs_build *build, uint32_t draft)
{
	assert(draft < build->n_drafts);
	return (struct bs_draft *)(void *)build->drafts.data + draft;
}

static uint64_t element_hash(const struct bs_element *element)
{
	uint64_t kind = (uint64_t)element->kind * 4 + element->max_distance;
	return bs_hash_mix(bs_hash_slot(element->term, element->term_bytes) + kind);
}

static bool element_equal(const struct bs_element *a, const struct bs_element *b)
{
	return a->kind == b->kind && a->max_distance == b->max_distance && a->term_bytes == b->term_bytes &&
	       memcmp(a->term, b->term, a->term_bytes) == 0;
}

/* The slot of this element, or the empty one where it belongs. */
static uint32_t *find_slot(struct bs_build *build, const struct bs_element *element)
{
	size_t i = (size_t)element_hash(element) & (build->n_slots - 1);
	while (build->slots[i] && !element_equal(&build->query->elements[build->slots[i] - 1], element))
		i = (i + 1) & (build->n_slots - 1);
	return &build->slots[i];
}

static enum bs_status grow_slots(struct bs_build *build, struct bs_error *err)
{
	if (build->query->n_elements < build->n_slots / 2)
		return BS_OK;
	size_t n_slots = build->n_slots ? build->n_slots * 2 : 16;
	uint32_t *slots = calloc(n_slots, sizeof(*slots));
	if (!slots)
		return bs_fail_memory(err, "the words of a query", n_slots * sizeof(*slots));
	free(build->slots);
	build->slots = slots;
	build->n_slots = n_slots;
	for (size_t i = 0; i < build->query->n_elements; i++)
		*find_slot(build, &build->query->elements[i]) = (uint32_t)(i + 1);
	return BS_OK;
}

static enum bs_status grow_elements(struct bs_build *build, struct bs_error *err)
{
	if (build->query->n_elements < build->elements_capacity)
		return BS_OK;
	size_t capacity = build->elements_capacity ? build->elements_capacity * 2 : 8;
	size_t n_bytes = capacity * sizeof(struct bs_element);
	struct bs_element *elements = realloc(build->query->elements, n_bytes);
	if (!elements)
		return bs_fail_memory(err, "the words of a query", n_bytes);
	build->query->elements = elements;
	build->elements_capacity = capacity;
	return BS_OK;
}

static enum bs_status add_element(struct bs_build *build, const struct bs_element *element, struct bs_error *err)
{
	enum bs_status status = grow_elements(build, err);
	if (status)
		return status;
	uint8_t *term = malloc(element->term_bytes);
	if (!term)
		return bs_fail_memory(err, "a word of a query", element->term_bytes);
	memcpy(term, element->term, element->term_bytes);
	struct bs_element *added = &build->query->elements[build->query->n_elements++];
	*added = *element;
	added->term = term;
	return BS_OK;
}

static enum bs_status intern(struct bs_build *build, const struct bs_element *element, uint32_t *index_out,
			     struct bs_error *err)
{
	enum bs_status status = grow_slots(build, err);
	if (status)
		return status;
	uint32_t *slot = find_slot(build, element);
	if (!*slot) {
		status = add_element(build, element, err);
		if (status)
			return status;
		*slot = (uint32_t)build->query->n_elements;
	}
	*index_out = *slot - 1;
	return BS_OK;
}

static enum bs_status add_draft(struct bs_build *build, const struct bs_draft *draft, uint32_t *draft_out,
				struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(&build->drafts, draft, sizeof(*draft), err);
	if (!status)
		*draft_out = build->n_drafts++;
	return status;
}

enum bs_status bs_build_item(struct bs_build *build, const struct bs_element *element, uint32_t position,
			     struct bs_error *err)
{
	struct bs_query_item item = {.position = position};
	enum bs_status status = intern(build, element, &item.element, err);
	return status ? status : bs_buffer_append(&build->items, &item, sizeof(item), err);
}

enum bs_status bs_build_leaf(struct bs_build *build, const struct bs_draft *leaf, uint32_t *draft_out,
			     struct bs_error *err)
{
	size_t n_items = build->items.used_bytes / sizeof(struct bs_query_item);
	struct bs_draft draft = *leaf;
	draft.first_item = n_items - leaf->n_items - leaf->n_aids;
	draft.first_child = draft.last_child = draft.next = BS_DRAFT_NONE;
	draft.n_children = 0;
	return add_draft(build, &draft, draft_out, err);
}

enum bs_status bs_build_not(struct bs_build *build, uint32_t draft, uint32_t *draft_out, struct bs_error *err)
{
	*draft_out = BS_DRAFT_NONE;
	if (draft == BS_DRAFT_NONE)
		return BS_OK;
	if (draft_at(build, draft)->kind == BS_NODE_NOT) {
		*draft_out = draft_at(build, draft)->first_child;
		return BS_OK;
	}
	struct bs_draft negation = {.kind = BS_NODE_NOT, .first_child = draft, .last_child = draft, .n_children = 1};
	negation.field = BS_QUERY_ANY_FIELD;
	negation.next = BS_DRAFT_NONE;
	return add_draft(build, &negation, draft_out, err);
}

void bs_build_add(struct bs_build *build, struct bs_operands *operands, uint32_t draft)
{
	if (draft == BS_DRAFT_NONE)
		return;
	struct bs_operands added = {operands->kind, draft, draft, 1};
	struct bs_draft *node = draft_at(build, draft);
	if (node->kind == operands->kind)
		added = (struct bs_operands){operands->kind, node->first_child, node->last_child, node->n_children};
	if (operands->n == 0) {
		*operands = added;
		return;
	}
	draft_at(build, operands->last)->next = added.first;
	operands->last = added.last;
	operands->n += added.n;
}

enum bs_status bs_build_join(struct bs_build *build, const struct bs_operands *operands, uint32_t *draft_out,
			     struct bs_error *err)
{
	*draft_out = operands->first;
	if (operands->n < 2)
		return BS_OK;
	struct bs_draft joined = {.kind = operands->kind, .first_child = operands->first, .last_child = operands->last};
	joined.n_children = operands->n;
	joined.field = BS_QUERY_ANY_FIELD;
	joined.next = BS_DRAFT_NONE;
	return add_draft(build, &joined, draft_out, err);
}

/* How far the arrays of the finished query are filled. */
struct filling {
	uint32_t n_nodes;
	uint32_t n_children;
};

static void finish_leaf(struct bs_query *query, const struct bs_draft *draft, struct bs_query_node *node, bool scored)
{
	node->n_items = draft->n_items;
	node->n_aids = draft->n_aids;
	node->items = query->items + draft->first_item;
	node->aids = node->items + draft->n_items;
	for (uint32_t i = 0; scored && i < node->n_items; i++)
		query->elements[node->items[i].element].is_scored = true;
}

/* Post-order. Recurses at most 3 * (BS_QUERY_MAX_DEPTH + 1) deep: OR, AND, NOT, and parentheses again. */
static void finish_node(struct bs_build *build, struct bs_draft *draft, struct filling *filling, bool scored)
{
	bool scored_below = draft->kind == BS_NODE_NOT ? !scored : scored;
	for (uint32_t i = draft->first_child; i != BS_DRAFT_NONE; i = draft_at(build, i)->next)
		finish_node(build, draft_at(build, i), filling, scored_below);
	struct bs_query *query = build->query;
	struct bs_query_node *node = &query->nodes[filling->n_nodes];
	*node = (struct bs_query_node){.kind = draft->kind, .field = draft->field, .distance = draft->distance};
	node->n_children = draft->n_children;
	node->children = query->children + filling->n_children;
	for (uint32_t i = draft->first_child; i != BS_DRAFT_NONE; i = draft_at(build, i)->next)
		query->children[filling->n_children++] = draft_at(build, i)->final;
	if (draft->n_items)
		finish_leaf(query, draft, node, scored);
	draft->final = filling->n_nodes++;
}

enum bs_status bs_build_finish(struct bs_build *build, uint32_t root, struct bs_query **query_out, struct bs_error *err)
{
	struct bs_query *query = build->query;
	query->nodes = calloc(build->n_drafts, sizeof(*query->nodes));
	query->children = calloc(build->n_drafts, sizeof(*query->children));
	if (!query->nodes || !query->children)
		return bs_fail_memory(err, "a query", build->n_drafts * sizeof(*query->nodes));
	query->items = (struct bs_query_item *)(void *)build->items.data;
	build->items = (struct bs_buffer){0};
	struct filling filling = {0};
	finish_node(build, draft_at(build, root), &filling, true);
	query->n_nodes = filling.n_nodes;
	build->query = NULL;
	*query_out = query;
	return BS_OK;
}
