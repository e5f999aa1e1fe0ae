/* plan.c: see plan.h. */
#include "query/plan.h"

#include "core/hash.h"
#include "core/lexicon.h"

void bs_plan_deinit(struct bs_plan *plan)
{
	bs_buffer_deinit(&plan->keys);
	bs_buffer_deinit(&plan->memory_elements);
	bs_buffer_deinit(&plan->memory_terms);
	bs_buffer_deinit(&plan->memory_places);
	*plan = (struct bs_plan){0};
}

static enum bs_status add_term(struct bs_plan *plan, uint32_t element, const uint8_t *term, uint32_t term_bytes,
                               bool is_pair, struct bs_error *err)
{
	static const uint8_t pair = BS_KEY_PAIR;
	struct bs_plan_term planned = {.element = element, .key_offset = plan->keys.used_bytes};
	enum bs_status status = is_pair ? bs_buffer_append(&plan->keys, &pair, 1, err) : BS_OK;
	if (!status)
		status = bs_buffer_append(&plan->keys, term, term_bytes, err);
	if (status)
		return status;
	planned.key_bytes = (uint32_t)(plan->keys.used_bytes - planned.key_offset);
	planned.hash = bs_hash_term(plan->keys.data + planned.key_offset, planned.key_bytes);
	status = bs_buffer_append(&plan->memory_terms, &planned, sizeof(planned), err);
	plan->terms = (struct bs_plan_term *)(void *)plan->memory_terms.data;
	plan->n_terms++;
	return status;
}

/* An element's terms, one after the other. */
static enum bs_status add_element(struct bs_plan *plan, uint32_t i, struct bs_error *err)
{
	const struct bs_element *element = &plan->query->elements[i];
	struct bs_plan_element planned = {.first_term = plan->n_terms};
	enum bs_status status;
	switch (element->kind) {
	case BS_ELEMENT_TERM:
	case BS_ELEMENT_PAIR:
		status = add_term(plan, i, element->term, element->term_bytes, element->kind == BS_ELEMENT_PAIR, err);
		break;
	default:
		status = bs_fail(err, BS_UNSUPPORTED, "prefix and fuzzy words (%.*s) are not supported yet",
		                 (int)element->term_bytes, (const char *)element->term);
	}
	planned.n_terms = plan->n_terms - planned.first_term;
	if (!status)
		status = bs_buffer_append(&plan->memory_elements, &planned, sizeof(planned), err);
	plan->elements = (struct bs_plan_element *)(void *)plan->memory_elements.data;
	return status;
}

static enum bs_status resolve(struct bs_plan *plan, uint32_t s, uint32_t t, struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	struct bs_plan_term *term = &plan->terms[t];
	struct bs_term_place place = {0};
	enum bs_status status = bs_lexicon_find(&segment->lexicon, plan->keys.data + term->key_offset, term->key_bytes,
	                                        &place.is_found, &place.ordinal, &place.df, err);
	if (status)
		return status;
	place.treatment = bs_treatment_find(&segment->treatments, place.df);
	term->df += place.df;
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
	for (uint32_t i = 0; i < query->n_elements && !status; i++)
		status = add_element(plan, i, err);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
		for (uint32_t t = 0; t < plan->n_terms && !status; t++)
			status = resolve(plan, s, t, err);
	return status;
}
