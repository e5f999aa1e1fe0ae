/* plan.c: see plan.h. */
#include "query/plan/plan.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/word_pairs.h"
#include "core/system/watch.h"
#include "query/plan/expand.h"
#include "query/plan/named.h"
#include "query/plan/wildcard.h"

void bs_plan_deinit(struct bs_plan *plan)
{
	bs_buffer_deinit(&plan->keys);
	bs_term_table_deinit(&plan->expansion);
	bs_buffer_deinit(&plan->memory_elements);
	bs_buffer_deinit(&plan->memory_terms);
	bs_buffer_deinit(&plan->memory_places);
	bs_buffer_deinit(&plan->memory_pairs);
	bs_buffer_deinit(&plan->memory_ranges);
	*plan = (struct bs_plan){0};
}

#define FIND_NS 1000u /* what the search for a term in a lexicon costs about */

static void append(struct bs_plan *plan, struct bs_buffer *to, const void *bytes, size_t n_bytes)
{
	if (!plan->status)
		plan->status = bs_buffer_append(to, bytes, n_bytes, plan->err);
}

/* The key of the term is what was appended to keys from key_offset on. */
static void add_keyed(struct bs_plan *plan, uint32_t element, uint64_t key_offset)
{
	struct bs_plan_term planned = {.element = element, .key_offset = key_offset};
	planned.key_bytes = (uint32_t)(plan->keys.used_bytes - planned.key_offset);
	planned.hash = bs_hash_term(plan->keys.data + planned.key_offset, planned.key_bytes);
	append(plan, &plan->memory_terms, &planned, sizeof(planned));
	plan->terms = (struct bs_plan_term *)(void *)plan->memory_terms.data;
	plan->n_terms++;
}

static void add_term(struct bs_plan *plan, uint32_t element, const uint8_t *term, uint32_t term_bytes, bool is_bigram)
{
	static const uint8_t compound = BS_KEY_COMPOUND;
	uint64_t key_offset = plan->keys.used_bytes;
	append(plan, &plan->keys, &compound, is_bigram);
	append(plan, &plan->keys, term, term_bytes);
	if (!plan->status)
		add_keyed(plan, element, key_offset);
}

/* The element of an item, if that is a plain word; else NULL. */
static const struct bs_element *word_of(const struct bs_query_tree *query, const struct bs_query_item *item)
{
	const struct bs_element *element = &query->elements[item->element];
	return element->kind == BS_ELEMENT_TERM ? element : NULL;
}

/* The pairs that begin with an item: of it and the next, and wider ones, each by the key of the one before. */
static void add_pairs_at(struct bs_plan *plan, uint32_t n, uint32_t i)
{
	const struct bs_query_node *node = &plan->query->nodes[n];
	const struct bs_element *word = word_of(plan->query, &node->items[i]);
	const uint8_t *first = word ? word->term : NULL;
	uint32_t first_bytes = word ? word->term_bytes : 0;
	for (uint32_t k = i + 1; first && k < node->n_items && k < i + BS_PAIR_MOST_WORDS && !plan->status; k++) {
		const struct bs_element *second = word_of(plan->query, &node->items[k]);
		struct bs_plan_word_pair pair = {.node = n, .term = plan->n_terms, .first_item = i, .n_items = k - i + 1};
		uint64_t key_offset = plan->keys.used_bytes;
		if (!second || node->items[k].position != node->items[k - 1].position + 1)
			break;
		plan->status = bs_buffer_reserve(&plan->keys, (size_t)first_bytes + second->term_bytes + 2, plan->err);
		if (plan->status)
			break;
		/* What was appended last may have moved. */
		first = k > i + 1 ? plan->keys.data + key_offset - first_bytes : first;
		plan->status = bs_word_pair_key(first, first_bytes, second->term, second->term_bytes, &plan->keys, plan->err);
		if (!plan->status)
			add_keyed(plan, BS_PLAN_WORD_PAIR, key_offset);
		append(plan, &plan->memory_pairs, &pair, sizeof(pair));
		plan->pairs = (struct bs_plan_word_pair *)(void *)plan->memory_pairs.data;
		plan->n_word_pairs++;
		first_bytes = (uint32_t)(plan->keys.used_bytes - key_offset);
	}
}

static void add_pairs(struct bs_plan *plan, uint32_t n)
{
	const struct bs_query_node *node = &plan->query->nodes[n];
	for (uint32_t i = 0; node->kind == BS_NODE_PHRASE && i + 1 < node->n_items && !plan->status; i++)
		add_pairs_at(plan, n, i);
}

/* A term that the element stands for. BS_STOPPED: there is no room for it. */
static enum bs_status add_expanded(void *context, const struct bs_lexicon_cursor *cursor, struct bs_error *err)
{
	struct bs_plan *plan = context;
	uint32_t number;
	if (plan->expansion.n_terms >= BS_PLAN_MAX_EXPANSION ||
	    plan->n_terms + plan->expansion.n_terms >= BS_PLAN_MAX_TERMS)
		return BS_STOPPED;
	return bs_term_table_intern(&plan->expansion, cursor->term.data, (uint32_t)cursor->term.used_bytes,
	                            bs_hash_slot(cursor->term.data, cursor->term.used_bytes), &number, NULL, err);
}

/* The terms of a prefix, a pattern or a fuzzy word. Whether there was room for all of them; else there are none. */
static bool expand(struct bs_plan *plan, uint32_t e)
{
	bs_term_table_clear(&plan->expansion);
	enum bs_status status = bs_expand(plan->snapshot, &plan->query->elements[e], add_expanded, plan, plan->err);
	bool has_room = status != BS_STOPPED || bs_watch_is_over();
	plan->status = has_room ? status : BS_OK;
	for (uint32_t i = 0; i < plan->expansion.n_terms && !plan->status && has_room; i++)
		add_term(plan, e, bs_term_table_key(&plan->expansion, i), plan->expansion.entries[i].n_bytes, false);
	return has_room;
}

/* An element's terms, one after the other. */
static void add_element(struct bs_plan *plan, uint32_t i)
{
	const struct bs_element *element = &plan->query->elements[i];
	struct bs_plan_element planned = {.first_term = plan->n_terms};
	if (element->kind == BS_ELEMENT_TERM || element->kind == BS_ELEMENT_BIGRAM)
		add_term(plan, i, element->term, element->term_bytes, element->kind == BS_ELEMENT_BIGRAM);
	else
		planned.is_too_broad = !expand(plan, i);
	planned.n_terms = plan->n_terms - planned.first_term;
	append(plan, &plan->memory_elements, &planned, sizeof(planned));
	plan->elements = (struct bs_plan_element *)(void *)plan->memory_elements.data;
}

enum bs_status bs_plan_df(const struct bs_snapshot *snapshot, const uint8_t *key, uint32_t key_bytes, uint64_t *df_out,
                          struct bs_error *err)
{
	bool may = false;
	*df_out = 0;
	enum bs_status status = bs_watch_spend(FIND_NS, err);
	if (!status)
		status = bs_snapshot_may_have(snapshot, key, bs_hash_term(key, key_bytes), &may, err);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && may && !status; s++) {
		bool found;
		uint64_t ordinal, df = 0;
		status = bs_watch_spend(FIND_NS, err);
		if (!status)
			status = bs_lexicon_find(&snapshot->segments[s].lexicon, key, key_bytes, &found, &ordinal, &df, err);
		*df_out += df;
	}
	return status;
}

static void resolve(struct bs_plan *plan, uint32_t s, uint32_t t)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	struct bs_plan_term *term = &plan->terms[t];
	struct bs_term_place place = {0};
	uint64_t ordinal;
	ordinal = 0;
	plan->status = bs_watch_spend(FIND_NS, plan->err);
	if (!plan->status && !term->is_absent)
		plan->status = bs_lexicon_find(&segment->lexicon, plan->keys.data + term->key_offset, term->key_bytes,
		                               &place.is_found, &ordinal, &place.df, plan->err);
	if (plan->status)
		return;
	bs_and_term_init(&place.term, term->hash, ordinal, place.df, &segment->treatments);
	if (place.is_found && place.term.treatment->has_exceptions)
		plan->status = bs_exceptions_find(&segment->exceptions, ordinal, &place.exceptions, plan->err);
	term->df += place.df;
	append(plan, &plan->memory_places, &place, sizeof(place));
	plan->places = (struct bs_term_place *)(void *)plan->memory_places.data;
}

/* A segment without named fields has no values; of others that do not tell, nothing is known. */
static void resolve_range(struct bs_plan *plan, uint32_t s, const struct bs_query_range *range)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	const struct bs_value_table *values = &segment->values;
	const struct bs_term_table *fields = plan->query->fields;
	const uint8_t *name = bs_term_table_key(fields, range->field);
	uint32_t name_bytes = fields->entries[range->field].n_bytes;
	struct bs_plan_range place = {.is_known = segment->field_names.n_bytes == 0 && !memchr(name, '\0', name_bytes)};
	bool found = false, is_exact = true;
	if (values->is_there) {
		plan->status = bs_value_field_find(values, name, name_bytes, &found, &place.field, plan->err);
		place.is_known = found || !values->is_partial;
	}
	if (found && !plan->status)
		plan->status = bs_value_ranks(values, &place.field, &range->values, &place.ranks, &is_exact, plan->err);
	if (!is_exact)
		place = (struct bs_plan_range){.is_known = false};
	append(plan, &plan->memory_ranges, &place, sizeof(place));
	plan->ranges = (struct bs_plan_range *)(void *)plan->memory_ranges.data;
}

/* The summary, if it is at hand, is asked once for all segments, of words, which it has. Where one is absent, so is what it is a part of. */
static void find_absent(struct bs_plan *plan)
{
	for (uint32_t t = 0; t < plan->n_terms && !plan->status; t++) {
		struct bs_plan_term *term = &plan->terms[t];
		bool may;
		plan->status = bs_snapshot_may_have(plan->snapshot, plan->keys.data + term->key_offset, term->hash, &may, plan->err);
		term->is_absent = !may;
	}
	for (uint32_t i = 0; i < plan->n_word_pairs && !plan->status; i++) {
		const struct bs_plan_word_pair *pair = &plan->pairs[i];
		const struct bs_query_item *items = plan->query->nodes[pair->node].items + pair->first_item;
		for (uint32_t k = 0; k < pair->n_items; k++)
			plan->terms[pair->term].is_absent |= plan->terms[plan->elements[items[k].element].first_term].is_absent;
	}
}

enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_query_tree *query, const struct bs_snapshot *snapshot,
                            struct bs_error *err)
{
	plan->query = query;
	plan->snapshot = snapshot;
	plan->err = err;
	plan->status = BS_OK;
	plan->n_terms = 0;
	plan->n_word_pairs = 0;
	bs_buffer_clear(&plan->keys);
	bs_buffer_clear(&plan->memory_elements);
	bs_buffer_clear(&plan->memory_terms);
	bs_buffer_clear(&plan->memory_places);
	bs_buffer_clear(&plan->memory_pairs);
	bs_buffer_clear(&plan->memory_ranges);
	for (uint32_t i = 0; i < query->n_elements && !plan->status; i++)
		add_element(plan, i);
	for (uint32_t n = 0; n < query->n_nodes && !plan->status; n++)
		add_pairs(plan, n);
	find_absent(plan);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		for (uint32_t t = 0; t < plan->n_terms && !plan->status; t++)
			resolve(plan, s, t);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		for (uint32_t r = 0; r < query->n_ranges && !plan->status; r++)
			resolve_range(plan, s, &query->ranges[r]);
	return plan->status;
}

uint32_t bs_plan_whole(const struct bs_plan *plan, uint32_t segment, uint32_t node)
{
	const struct bs_query_node *whole = &plan->query->nodes[node];
	if (whole->field != BS_QUERY_ANY_FIELD || whole->n_items == 0 || bs_query_is_file_name(whole))
		return UINT32_MAX;
	if (whole->kind == BS_NODE_WORD && plan->query->elements[whole->items[0].element].kind == BS_ELEMENT_TERM)
		return plan->elements[whole->items[0].element].first_term;
	for (uint32_t i = 0; i < plan->n_word_pairs && whole->kind == BS_NODE_PHRASE; i++)
		if (plan->pairs[i].node == node && plan->pairs[i].n_items == whole->n_items &&
		    bs_plan_place(plan, segment, plan->pairs[i].term)->is_found)
			return plan->pairs[i].term;
	return UINT32_MAX;
}

bool bs_plan_is_exact_leaf(const struct bs_plan *plan, uint32_t segment, uint32_t n)
{
	const struct bs_query_node *node = &plan->query->nodes[n];
	if (bs_query_is_file_name(node))
		return !plan->named->is_loose;
	if (node->kind == BS_NODE_RANGE)
		return bs_plan_range(plan, segment, n)->is_known;
	if (node->field != BS_QUERY_ANY_FIELD || node->kind == BS_NODE_NEAR)
		return false;
	if (node->kind == BS_NODE_WORD)
		return !plan->elements[node->items[0].element].is_too_broad;
	return bs_plan_whole(plan, segment, n) != UINT32_MAX;
}

bool bs_plan_is_widest(const struct bs_plan *plan, uint32_t segment, uint32_t pair)
{
	/* So many pairs lie between two of which one holds the other, at most. */
	const uint32_t reach = BS_PAIR_MOST_WORDS * BS_PAIR_MOST_WORDS;
	const struct bs_plan_word_pair *is = &plan->pairs[pair];
	if (!bs_plan_place(plan, segment, is->term)->is_found)
		return false;
	for (uint32_t i = pair > reach ? pair - reach : 0; i < plan->n_word_pairs && i <= pair + reach; i++) {
		const struct bs_plan_word_pair *other = &plan->pairs[i];
		if (other->node == is->node && other->n_items > is->n_items && other->first_item <= is->first_item &&
		    other->first_item + other->n_items >= is->first_item + is->n_items &&
		    bs_plan_place(plan, segment, other->term)->is_found)
			return false;
	}
	return true;
}

void bs_plan_tell_broad(const struct bs_element *element, struct bs_error *line_out)
{
	char word[100];
	int n_bytes = element->term_bytes < sizeof(word) ? (int)element->term_bytes : (int)sizeof(word);
	const char *sign = element->kind == BS_ELEMENT_PREFIX ? "*" : element->kind == BS_ELEMENT_FUZZY ? "~" : "";
	for (int i = 0; i < n_bytes; i++)
		word[i] = element->term[i] == BS_PATTERN_ANY ? '*' : element->term[i] == BS_PATTERN_ONE ? '?' : (char)element->term[i];
	(void)bs_fail(line_out, BS_OK, "%.*s%s stands for more than %u words of this index; answering without it first, by reading more "
	              "documents: a longer word is faster", n_bytes, word, sign, BS_PLAN_MAX_EXPANSION);
}
