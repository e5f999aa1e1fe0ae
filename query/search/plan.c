/* plan.c: see plan.h. */
#include "query/search/plan.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/word_pairs.h"
#include "query/search/fuzzy.h"

void bs_plan_deinit(struct bs_plan *plan)
{
	bs_buffer_deinit(&plan->keys);
	bs_term_table_deinit(&plan->expansion);
	bs_buffer_deinit(&plan->memory_elements);
	bs_buffer_deinit(&plan->memory_terms);
	bs_buffer_deinit(&plan->memory_places);
	bs_buffer_deinit(&plan->memory_pairs);
	*plan = (struct bs_plan){0};
}

/* The key of the term is what was appended to keys from key_offset on. */
static enum bs_status add_keyed(struct bs_plan *plan, uint32_t element, uint64_t key_offset, struct bs_error *err)
{
	struct bs_plan_term planned = {.element = element, .key_offset = key_offset};
	planned.key_bytes = (uint32_t)(plan->keys.used_bytes - planned.key_offset);
	planned.hash = bs_hash_term(plan->keys.data + planned.key_offset, planned.key_bytes);
	enum bs_status status = bs_buffer_append(&plan->memory_terms, &planned, sizeof(planned), err);
	plan->terms = (struct bs_plan_term *)(void *)plan->memory_terms.data;
	plan->n_terms++;
	return status;
}

static enum bs_status add_term(struct bs_plan *plan, uint32_t element, const uint8_t *term, uint32_t term_bytes,
                               bool is_bigram, struct bs_error *err)
{
	static const uint8_t pair = BS_KEY_COMPOUND;
	uint64_t key_offset = plan->keys.used_bytes;
	enum bs_status status = is_bigram ? bs_buffer_append(&plan->keys, &pair, 1, err) : BS_OK;
	if (!status)
		status = bs_buffer_append(&plan->keys, term, term_bytes, err);
	return status ? status : add_keyed(plan, element, key_offset, err);
}

/* The element of an item, if that is a plain word; else NULL. */
static const struct bs_element *word_of(const struct bs_query *query, const struct bs_query_item *item)
{
	const struct bs_element *element = &query->elements[item->element];
	return element->kind == BS_ELEMENT_TERM ? element : NULL;
}

static enum bs_status add_pairs(struct bs_plan *plan, uint32_t n, struct bs_error *err)
{
	const struct bs_query_node *node = &plan->query->nodes[n];
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; node->kind == BS_NODE_PHRASE && i + 1 < node->n_items && !status; i++) {
		const struct bs_query_item *item = &node->items[i];
		const struct bs_element *first = word_of(plan->query, &item[0]);
		const struct bs_element *second = word_of(plan->query, &item[1]);
		struct bs_plan_word_pair pair = {.node = n, .term = plan->n_terms};
		uint64_t key_offset = plan->keys.used_bytes;
		if (!first || !second || item[1].position != item[0].position + 1)
			continue;
		status = bs_word_pair_key(first->term, first->term_bytes, second->term, second->term_bytes, &plan->keys, err);
		if (!status)
			status = add_keyed(plan, BS_PLAN_WORD_PAIR, key_offset, err);
		if (!status)
			status = bs_buffer_append(&plan->memory_pairs, &pair, sizeof(pair), err);
		plan->pairs = (struct bs_plan_word_pair *)(void *)plan->memory_pairs.data;
		plan->n_word_pairs++;
	}
	return status;
}

static enum bs_status add_expanded(struct bs_plan *plan, const struct bs_buffer *term, bool *full_out,
                                   struct bs_error *err)
{
	uint32_t number;
	*full_out = plan->expansion.n_terms >= BS_PLAN_MAX_EXPANSION ||
	            plan->n_terms + plan->expansion.n_terms >= BS_PLAN_MAX_TERMS;
	if (*full_out)
		return BS_OK;
	return bs_term_table_intern(&plan->expansion, term->data, (uint32_t)term->used_bytes,
	                            bs_hash_slot(term->data, term->used_bytes), &number, NULL, err);
}

/* The terms of one segment that begin with the element's bytes stand one after the other. */
static enum bs_status expand_prefix(struct bs_plan *plan, const struct bs_element *element,
                                    struct bs_lexicon_cursor *cursor, bool *full_out, struct bs_error *err)
{
	bool end = false;
	enum bs_status status = bs_lexicon_cursor_seek(cursor, element->term, element->term_bytes, err);
	while (!status && !*full_out) {
		status = bs_lexicon_cursor_next(cursor, &end, err);
		if (status || end || cursor->term.used_bytes < element->term_bytes ||
		    memcmp(cursor->term.data, element->term, element->term_bytes) != 0)
			break;
		status = add_expanded(plan, &cursor->term, full_out, err);
	}
	return status;
}

/* Every term is looked at, but most are dismissed by the bytes they share with the one before. */
static enum bs_status expand_fuzzy(struct bs_plan *plan, struct bs_fuzzy *fuzzy, struct bs_lexicon_cursor *cursor,
                                   bool *full_out, struct bs_error *err)
{
	static const uint8_t pair = BS_KEY_COMPOUND;
	enum bs_status status = bs_lexicon_cursor_seek(cursor, &pair, 0, err);
	while (!status && !*full_out) {
		bool end;
		status = bs_lexicon_cursor_next(cursor, &end, err);
		if (status || end || cursor->term.data[0] == BS_KEY_COMPOUND)
			break;
		if (bs_fuzzy_matches(fuzzy, cursor->term.data, (uint32_t)cursor->term.used_bytes,
		                     (uint32_t)cursor->n_shared))
			status = add_expanded(plan, &cursor->term, full_out, err);
	}
	return status;
}

static enum bs_status expand(struct bs_plan *plan, uint32_t e, bool *full_out, struct bs_error *err)
{
	const struct bs_element *element = &plan->query->elements[e];
	struct bs_fuzzy *fuzzy = NULL;
	enum bs_status status = BS_OK;
	*full_out = false;
	bs_term_table_clear(&plan->expansion);
	if (element->kind == BS_ELEMENT_FUZZY)
		status = bs_fuzzy_new(element->term, element->term_bytes, element->max_distance, &fuzzy, err);
	for (uint32_t s = 0; s < plan->snapshot->manifest.n_segments && !status && !*full_out; s++) {
		struct bs_lexicon_cursor cursor = {.lexicon = &plan->snapshot->segments[s].lexicon};
		status = fuzzy ? expand_fuzzy(plan, fuzzy, &cursor, full_out, err)
		               : expand_prefix(plan, element, &cursor, full_out, err);
		bs_lexicon_cursor_deinit(&cursor);
	}
	bs_fuzzy_free(fuzzy);
	for (uint32_t i = 0; i < plan->expansion.n_terms && !status && !*full_out; i++)
		status = add_term(plan, e, bs_term_table_key(&plan->expansion, i), plan->expansion.entries[i].n_bytes, false,
		                  err);
	return status;
}

/* An element's terms, one after the other. */
static enum bs_status add_element(struct bs_plan *plan, uint32_t i, struct bs_error *err)
{
	const struct bs_element *element = &plan->query->elements[i];
	struct bs_plan_element planned = {.first_term = plan->n_terms};
	enum bs_status status;
	if (element->kind == BS_ELEMENT_TERM || element->kind == BS_ELEMENT_BIGRAM)
		status = add_term(plan, i, element->term, element->term_bytes, element->kind == BS_ELEMENT_BIGRAM, err);
	else
		status = expand(plan, i, &planned.is_too_broad, err);
	planned.n_terms = plan->n_terms - planned.first_term;
	if (!status)
		status = bs_buffer_append(&plan->memory_elements, &planned, sizeof(planned), err);
	plan->elements = (struct bs_plan_element *)(void *)plan->memory_elements.data;
	return status;
}

enum bs_status bs_plan_df(const struct bs_snapshot *snapshot, const uint8_t *key, uint32_t key_bytes, uint64_t *df_out,
                          struct bs_error *err)
{
	*df_out = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		bool found;
		uint64_t ordinal, df;
		enum bs_status status = bs_lexicon_find(&snapshot->segments[s].lexicon, key, key_bytes, &found, &ordinal, &df,
		                                        err);
		if (status)
			return status;
		*df_out += df;
	}
	return BS_OK;
}

static enum bs_status resolve(struct bs_plan *plan, uint32_t s, uint32_t t, struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	struct bs_plan_term *term = &plan->terms[t];
	struct bs_term_place place = {0};
	uint64_t ordinal, df;
	enum bs_status status = bs_lexicon_find(&segment->lexicon, plan->keys.data + term->key_offset, term->key_bytes,
	                                        &place.is_found, &ordinal, &df, err);
	if (status)
		return status;
	bs_and_term_init(&place.term, term->hash, ordinal, df, &segment->treatments);
	if (place.is_found && place.term.treatment->is_exact)
		status = bs_exceptions_find(&segment->exceptions, ordinal, &place.exceptions, err);
	if (status)
		return status;
	term->df += df;
	status = bs_buffer_append(&plan->memory_places, &place, sizeof(place), err);
	plan->places = (struct bs_term_place *)(void *)plan->memory_places.data;
	return status;
}

enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_query *query, const struct bs_snapshot *snapshot,
                            struct bs_error *err)
{
	enum bs_status status = BS_OK;
	plan->query = query;
	plan->snapshot = snapshot;
	plan->n_terms = 0;
	bs_buffer_clear(&plan->keys);
	bs_buffer_clear(&plan->memory_elements);
	bs_buffer_clear(&plan->memory_terms);
	bs_buffer_clear(&plan->memory_places);
	bs_buffer_clear(&plan->memory_pairs);
	plan->n_word_pairs = 0;
	for (uint32_t i = 0; i < query->n_elements && !status; i++)
		status = add_element(plan, i, err);
	for (uint32_t n = 0; n < query->n_nodes && !status; n++)
		status = add_pairs(plan, n, err);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
		for (uint32_t t = 0; t < plan->n_terms && !status; t++)
			status = resolve(plan, s, t, err);
	return status;
}
