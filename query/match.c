/* match.c: see match.h. A document is analysed once; then the tree is evaluated from the leaves up. */
#include "query/match.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "query/snippet.h"

#define FIELD_GAP 100u /* as the indexer leaves between the fields of a record; see indexer/gather.c */

/* Where an element stands. */
struct occurrence {
	uint32_t field; /* of the document */
	uint32_t position;
};

struct slot {
	uint64_t hash;
	uint32_t element; /* + 1; 0: empty */
};

/* An occurrence of any item of a NEAR, for the sweep over them in order. */
struct near_point {
	uint32_t field;
	uint32_t position;
	uint32_t kind; /* index among the distinct elements of the NEAR */
};

struct bs_matcher {
	const struct bs_query *query;
	const struct bs_query_field *fields;
	size_t n_fields;
	struct bs_words *words;
	struct slot *slots;
	uint32_t slot_mask;
	bool needs_positions;           /* some leaf is a phrase, a NEAR or limited to a field */
	uint32_t *tfs;                  /* per element */
	struct bs_buffer *occurrences;  /* per element, struct occurrence each, ascending */
	bool *values;                   /* per node */
	struct bs_buffer points;        /* scratch of NEAR */
	/* The field under analysis. */
	uint32_t field;
	struct bs_buffer *hits;         /* set while hits are collected */
};

/* ---- making ---- */

static bool wants_positions(const struct bs_query *query)
{
	for (size_t i = 0; i < query->n_nodes; i++) {
		const struct bs_query_node *node = &query->nodes[i];
		bool is_leaf = node->n_children == 0;
		if (is_leaf && (node->kind != BS_NODE_WORD || node->field != BS_QUERY_ANY_FIELD))
			return true;
	}
	return false;
}

static void fill_slots(struct bs_matcher *matcher)
{
	const struct bs_query *query = matcher->query;
	for (uint32_t i = 0; i < query->n_elements; i++) {
		const struct bs_element *element = &query->elements[i];
		if (element->kind != BS_ELEMENT_TERM)
			continue;
		uint64_t hash = bs_hash_term(element->term, element->term_bytes);
		uint32_t at = (uint32_t)hash & matcher->slot_mask;
		while (matcher->slots[at].element)
			at = (at + 1) & matcher->slot_mask;
		matcher->slots[at] = (struct slot){.hash = hash, .element = i + 1};
	}
}

enum bs_status bs_matcher_new(const struct bs_query *query, const struct bs_query_field *fields, size_t n_fields,
                              struct bs_words *words, struct bs_matcher **matcher_out, struct bs_error *err)
{
	size_t n_slots = 16;
	while (n_slots < query->n_elements * 4)
		n_slots *= 2;
	struct bs_matcher *matcher = calloc(1, sizeof(*matcher));
	*matcher_out = matcher;
	if (!matcher)
		return bs_fail_memory(err, "a matcher", sizeof(*matcher));
	matcher->query = query;
	matcher->fields = fields;
	matcher->n_fields = n_fields;
	matcher->words = words;
	matcher->slot_mask = (uint32_t)(n_slots - 1);
	matcher->needs_positions = wants_positions(query);
	matcher->slots = calloc(n_slots, sizeof(*matcher->slots));
	matcher->tfs = calloc(query->n_elements, sizeof(*matcher->tfs));
	matcher->occurrences = calloc(query->n_elements, sizeof(*matcher->occurrences));
	matcher->values = calloc(query->n_nodes, sizeof(*matcher->values));
	if (!matcher->slots || !matcher->tfs || !matcher->occurrences || !matcher->values) {
		bs_matcher_free(matcher);
		*matcher_out = NULL;
		return bs_fail_memory(err, "a matcher", n_slots * sizeof(*matcher->slots));
	}
	fill_slots(matcher);
	return BS_OK;
}

void bs_matcher_free(struct bs_matcher *matcher)
{
	if (!matcher)
		return;
	for (size_t i = 0; matcher->occurrences && i < matcher->query->n_elements; i++)
		bs_buffer_deinit(&matcher->occurrences[i]);
	bs_buffer_deinit(&matcher->points);
	free(matcher->slots);
	free(matcher->tfs);
	free(matcher->occurrences);
	free(matcher->values);
	free(matcher);
}

/* ---- analysis ---- */

/* The element a token is an occurrence of, or n_elements. */
static uint32_t find_element(const struct bs_matcher *matcher, const struct bs_token *token)
{
	uint64_t hash = bs_hash_term(token->term, token->term_bytes);
	for (uint32_t at = (uint32_t)hash & matcher->slot_mask; matcher->slots[at].element;
	     at = (at + 1) & matcher->slot_mask) {
		const struct slot *slot = &matcher->slots[at];
		const struct bs_element *element = &matcher->query->elements[slot->element - 1];
		if (slot->hash == hash && element->term_bytes == token->term_bytes &&
		    memcmp(element->term, token->term, token->term_bytes) == 0)
			return slot->element - 1;
	}
	return (uint32_t)matcher->query->n_elements;
}

static enum bs_status add_hit(struct bs_matcher *matcher, const struct bs_token *token, uint32_t element,
                              struct bs_error *err)
{
	struct bs_snippet_hit hit = {.field = matcher->field, .element = element, .start_byte = token->start_byte,
	                             .end_byte = token->end_byte};
	if (!matcher->query->elements[element].is_scored)
		return BS_OK;
	return bs_buffer_append(matcher->hits, &hit, sizeof(hit), err);
}

static enum bs_status take_tokens(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct bs_matcher *matcher = context;
	for (size_t i = 0; i < n_tokens; i++) {
		if (tokens[i].is_pair)
			continue;
		uint32_t element = find_element(matcher, &tokens[i]);
		if (element == matcher->query->n_elements)
			continue;
		enum bs_status status = BS_OK;
		if (matcher->hits) {
			status = add_hit(matcher, &tokens[i], element, err);
		} else {
			matcher->tfs[element]++;
			struct occurrence occurrence = {.field = matcher->field, .position = tokens[i].position};
			if (matcher->needs_positions)
				status = bs_buffer_append(&matcher->occurrences[element], &occurrence, sizeof(occurrence), err);
		}
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status analyze_fields(struct bs_matcher *matcher, const struct bs_field *fields, size_t n_fields,
                                     uint32_t *length_out, struct bs_error *err)
{
	uint32_t position = 0;
	*length_out = 0;
	for (size_t i = 0; i < n_fields; i++) {
		struct bs_words_sum sum;
		matcher->field = (uint32_t)i;
		enum bs_status status = bs_words_analyze(matcher->words, fields[i].text, fields[i].text_bytes, position,
		                                         take_tokens, matcher, &sum, err);
		if (status)
			return status;
		position = sum.next_position + FIELD_GAP;
		*length_out += sum.n_positions;
	}
	return BS_OK;
}

/* ---- leaves ---- */

static const struct occurrence *occurrences_of(const struct bs_matcher *matcher, uint32_t element, size_t *n_out)
{
	const struct bs_buffer *buffer = &matcher->occurrences[element];
	*n_out = buffer->used_bytes / sizeof(struct occurrence);
	return (const struct occurrence *)(const void *)buffer->data;
}

/* Whether the document's field is the one that the leaf asks for. */
static bool field_fits(const struct bs_matcher *matcher, const struct bs_query_node *node,
                       const struct bs_field *doc_fields, uint32_t field)
{
	if (node->field == BS_QUERY_ANY_FIELD)
		return true;
	const struct bs_query_field *wanted = &matcher->fields[node->field];
	return wanted->name_bytes == doc_fields[field].name_bytes &&
	       memcmp(wanted->name, doc_fields[field].name, wanted->name_bytes) == 0;
}

static bool word_matches(const struct bs_matcher *matcher, const struct bs_query_node *node,
                         const struct bs_field *doc_fields)
{
	uint32_t element = node->items[0].element;
	if (node->field == BS_QUERY_ANY_FIELD)
		return matcher->tfs[element] > 0;
	size_t n;
	const struct occurrence *at = occurrences_of(matcher, element, &n);
	for (size_t i = 0; i < n; i++)
		if (field_fits(matcher, node, doc_fields, at[i].field))
			return true;
	return false;
}

/* Positions ascend through the whole document, fields included, so one number orders occurrences. */
static bool stands_at(const struct bs_matcher *matcher, uint32_t element, uint32_t field, uint64_t position)
{
	size_t n;
	const struct occurrence *at = occurrences_of(matcher, element, &n);
	size_t low = 0;
	size_t high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (at[middle].position == position)
			return at[middle].field == field;
		if (at[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool phrase_matches(const struct bs_matcher *matcher, const struct bs_query_node *node,
                           const struct bs_field *doc_fields)
{
	const struct bs_query_item *rarest = &node->items[0];
	for (uint32_t i = 1; i < node->n_items; i++)
		if (matcher->tfs[node->items[i].element] < matcher->tfs[rarest->element])
			rarest = &node->items[i];
	size_t n;
	const struct occurrence *at = occurrences_of(matcher, rarest->element, &n);
	for (size_t o = 0; o < n; o++) {
		if (at[o].position < rarest->position || !field_fits(matcher, node, doc_fields, at[o].field))
			continue;
		uint64_t start = at[o].position - rarest->position;
		bool all = true;
		for (uint32_t i = 0; i < node->n_items && all; i++)
			all = stands_at(matcher, node->items[i].element, at[o].field, start + node->items[i].position);
		if (all)
			return true;
	}
	return false;
}

static int compare_points(const void *a, const void *b)
{
	const struct near_point *x = a;
	const struct near_point *y = b;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* The distinct elements of a NEAR, each with how often it is asked for; an array of n_items. */
struct near_need {
	uint32_t element;
	uint32_t wanted;
	uint32_t held; /* in the window */
};

static uint32_t near_needs(const struct bs_query_node *node, struct near_need *needs)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < node->n_items; i++) {
		uint32_t k = 0;
		while (k < n && needs[k].element != node->items[i].element)
			k++;
		if (k == n)
			needs[n++] = (struct near_need){.element = node->items[i].element};
		needs[k].wanted++;
	}
	return n;
}

static enum bs_status near_points(struct bs_matcher *matcher, const struct bs_query_node *node,
                                  const struct bs_field *doc_fields, const struct near_need *needs, uint32_t n_needs,
                                  struct bs_error *err)
{
	bs_buffer_clear(&matcher->points);
	for (uint32_t k = 0; k < n_needs; k++) {
		size_t n;
		const struct occurrence *at = occurrences_of(matcher, needs[k].element, &n);
		for (size_t o = 0; o < n; o++) {
			struct near_point point = {.field = at[o].field, .position = at[o].position, .kind = k};
			if (!field_fits(matcher, node, doc_fields, at[o].field))
				continue;
			enum bs_status status = bs_buffer_append(&matcher->points, &point, sizeof(point), err);
			if (status)
				return status;
		}
	}
	return BS_OK;
}

/* A window slides over the occurrences in order; it holds at most `span` positions of one field. */
static bool sweep_points(struct near_point *points, size_t n_points, struct near_need *needs, uint32_t n_needs,
                         uint64_t span)
{
	size_t start = 0;
	uint32_t n_satisfied = 0;
	for (size_t end = 0; end < n_points; end++) {
		struct near_need *need = &needs[points[end].kind];
		n_satisfied += ++need->held == need->wanted;
		while (points[start].field != points[end].field || points[end].position - points[start].position > span) {
			struct near_need *lost = &needs[points[start].kind];
			n_satisfied -= lost->held-- == lost->wanted;
			start++;
		}
		if (n_satisfied == n_needs)
			return true;
	}
	return false;
}

static enum bs_status near_matches(struct bs_matcher *matcher, const struct bs_query_node *node,
                                   const struct bs_field *doc_fields, bool *matches_out, struct bs_error *err)
{
	*matches_out = false;
	for (uint32_t i = 0; i < node->n_items; i++)
		if (matcher->tfs[node->items[i].element] == 0)
			return BS_OK;
	struct near_need *needs = calloc(node->n_items, sizeof(*needs));
	if (!needs)
		return bs_fail_memory(err, "a matcher", node->n_items * sizeof(*needs));
	uint32_t n_needs = near_needs(node, needs);
	enum bs_status status = near_points(matcher, node, doc_fields, needs, n_needs, err);
	if (!status) {
		struct near_point *points = (struct near_point *)(void *)matcher->points.data;
		size_t n_points = matcher->points.used_bytes / sizeof(*points);
		if (n_points > 0)
			qsort(points, n_points, sizeof(*points), compare_points);
		*matches_out = sweep_points(points, n_points, needs, n_needs, (uint64_t)node->distance + node->n_items - 1);
	}
	free(needs);
	return status;
}

/* ---- tree ---- */

static enum bs_status eval_node(struct bs_matcher *matcher, const struct bs_query_node *node,
                                const struct bs_field *doc_fields, bool *value_out, struct bs_error *err)
{
	const bool *values = matcher->values;
	switch (node->kind) {
	case BS_NODE_WORD:
		*value_out = word_matches(matcher, node, doc_fields);
		break;
	case BS_NODE_PHRASE:
		*value_out = phrase_matches(matcher, node, doc_fields);
		break;
	case BS_NODE_NEAR:
		return near_matches(matcher, node, doc_fields, value_out, err);
	case BS_NODE_AND:
		*value_out = true;
		for (uint32_t i = 0; i < node->n_children; i++)
			*value_out &= values[node->children[i]];
		break;
	case BS_NODE_OR:
		*value_out = false;
		for (uint32_t i = 0; i < node->n_children; i++)
			*value_out |= values[node->children[i]];
		break;
	case BS_NODE_NOT:
		*value_out = !values[node->children[0]];
		break;
	}
	return BS_OK;
}

enum bs_status bs_match_document(struct bs_matcher *matcher, const struct bs_field *doc_fields, size_t n_doc_fields,
                                 struct bs_match *match_out, struct bs_error *err)
{
	const struct bs_query *query = matcher->query;
	*match_out = (struct bs_match){.tfs = matcher->tfs};
	memset(matcher->tfs, 0, query->n_elements * sizeof(*matcher->tfs));
	for (size_t i = 0; i < query->n_elements; i++)
		bs_buffer_clear(&matcher->occurrences[i]);
	enum bs_status status = analyze_fields(matcher, doc_fields, n_doc_fields, &match_out->length, err);
	for (size_t i = 0; i < query->n_nodes && !status; i++)
		status = eval_node(matcher, &query->nodes[i], doc_fields, &matcher->values[i], err);
	match_out->matches = !status && matcher->values[query->n_nodes - 1];
	return status;
}

enum bs_status bs_match_hits(struct bs_matcher *matcher, const struct bs_field *doc_fields, size_t n_doc_fields,
                             struct bs_buffer *hits, struct bs_error *err)
{
	uint32_t length;
	matcher->hits = hits;
	enum bs_status status = analyze_fields(matcher, doc_fields, n_doc_fields, &length, err);
	matcher->hits = NULL;
	return status;
}
