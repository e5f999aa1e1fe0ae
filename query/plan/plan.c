/* plan.c: see plan.h. */
#include "query/plan/plan.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/word_pairs.h"
#include "core/system/deadline.h"
#include "query/language/wildcard.h"
#include "query/plan/expand.h"

/* A plan being made. The first failure is sticky. */
struct planner {
	struct bs_plan *plan;
	/* The terms that the current element expands to, over all segments. */
	struct bs_term_table expansion;
	struct bs_error *err;
	enum bs_status status;
};

void bs_plan_deinit(struct bs_plan *plan)
{
	bs_buffer_deinit(&plan->keys);
	bs_vector_deinit(&plan->elements);
	bs_vector_deinit(&plan->terms);
	bs_vector_deinit(&plan->places);
	bs_vector_deinit(&plan->pairs);
	bs_vector_deinit(&plan->ranges);
	*plan = (struct bs_plan){0};
}

#define FIND_NS 1000u /* Estimated cost of looking up a term in a lexicon. */

static void append_key(struct planner *planner, const void *bytes, size_t n_bytes)
{
	if (!planner->status)
		planner->status =
			bs_buffer_append(&planner->plan->keys, bytes, n_bytes, planner->err);
}

/* Adds a term. Its key is already in `keys`, from key_offset to the end. */
static void add_keyed(struct planner *planner, uint32_t element, uint64_t key_offset)
{
	struct bs_plan *plan = planner->plan;
	struct bs_plan_term planned = {.element = element, .key_offset = key_offset};
	planned.key_bytes = (uint32_t)(plan->keys.used_bytes - planned.key_offset);
	planned.hash = bs_hash_term(plan->keys.data + planned.key_offset, planned.key_bytes);
	planner->status = bs_vector_append(&plan->terms, &planned, planner->err);
	plan->n_terms = (uint32_t)bs_vector_n(&plan->terms);
}

static void add_term(struct planner *planner, uint32_t element, const uint8_t *term,
                     uint32_t term_bytes, bool is_bigram)
{
	static const uint8_t compound = BS_KEY_COMPOUND;
	uint64_t key_offset = planner->plan->keys.used_bytes;
	append_key(planner, &compound, is_bigram);
	append_key(planner, term, term_bytes);
	if (!planner->status)
		add_keyed(planner, element, key_offset);
}

/* The element of an item, if it is a plain word; otherwise NULL. */
static const struct bs_element *word_of(const struct bs_query_tree *query,
                                        const struct bs_query_item *item)
{
	const struct bs_element *element = &query->elements[item->element];
	return element->kind == BS_ELEMENT_TERM ? element : NULL;
}

/* Adds the word pairs that begin with item i of phrase n: of two words, then wider ones. The key of
 * each pair is made from that of the previous one. */
static void add_pairs_at(struct planner *planner, uint32_t n, uint32_t i)
{
	struct bs_plan *plan = planner->plan;
	const struct bs_query_node *node = &plan->query->nodes[n];
	const struct bs_element *word = word_of(plan->query, &node->items[i]);
	const uint8_t *first = word ? word->term : NULL;
	uint32_t first_bytes = word ? word->term_bytes : 0;
	for (uint32_t k = i + 1;
	     first && k < node->n_items && k < i + BS_PAIR_MOST_WORDS && !planner->status; k++) {
		const struct bs_element *second = word_of(plan->query, &node->items[k]);
		struct bs_plan_word_pair pair = {
			.node = n, .term = plan->n_terms, .first_item = i, .n_items = k - i + 1};
		uint64_t key_offset = plan->keys.used_bytes;
		if (!second || node->items[k].position != node->items[k - 1].position + 1)
			break;
		planner->status = bs_buffer_reserve(
			&plan->keys, (size_t)first_bytes + second->term_bytes + 2, planner->err);
		if (planner->status)
			break;
		/* Reserving memory may have moved the keys. */
		first = k > i + 1 ? plan->keys.data + key_offset - first_bytes : first;
		planner->status = bs_word_pair_key(first, first_bytes, second->term,
		                                   second->term_bytes, &plan->keys, planner->err);
		if (!planner->status)
			add_keyed(planner, BS_PLAN_WORD_PAIR, key_offset);
		if (!planner->status)
			planner->status = bs_vector_append(&plan->pairs, &pair, planner->err);
		first_bytes = (uint32_t)(plan->keys.used_bytes - key_offset);
	}
}

static void add_pairs(struct planner *planner, uint32_t n)
{
	const struct bs_query_node *node = &planner->plan->query->nodes[n];
	for (uint32_t i = 0;
	     node->kind == BS_NODE_PHRASE && i + 1 < node->n_items && !planner->status; i++)
		add_pairs_at(planner, n, i);
}

/* Adds a term that the current element expands to. BS_STOPPED: there are too many. */
static enum bs_status add_expanded(void *context, const struct bs_lexicon_cursor *cursor,
                                   struct bs_error *err)
{
	struct planner *planner = context;
	uint32_t number, n_terms = planner->expansion.n_terms;
	if (n_terms >= BS_PLAN_MAX_EXPANSION ||
	    planner->plan->n_terms + n_terms >= BS_PLAN_MAX_TERMS)
		return BS_STOPPED;
	return bs_term_table_intern(
		&planner->expansion, cursor->term.data, (uint32_t)cursor->term.used_bytes,
		bs_hash_slot(cursor->term.data, cursor->term.used_bytes), &number, NULL, err);
}

/* Expands a prefix, a pattern or a fuzzy word, and adds its terms. Adds none and returns false if
 * they are too many. */
static bool expand(struct planner *planner, uint32_t e)
{
	const struct bs_plan *plan = planner->plan;
	const struct bs_term_table *expansion = &planner->expansion;
	enum bs_status status = BS_OK;
	bs_term_table_clear(&planner->expansion);
	for (uint32_t i = 0; i < plan->list->n_entries && !status; i++)
		status = bs_expand(plan->list->entries[i].snapshot, &plan->query->elements[e],
		                   add_expanded, planner, planner->err);
	bool has_room = status != BS_STOPPED || bs_deadline_is_over();
	planner->status = has_room ? status : BS_OK;
	for (uint32_t i = 0; i < expansion->n_terms && !planner->status && has_room; i++)
		add_term(planner, e, bs_term_table_key(expansion, i), expansion->entries[i].n_bytes,
		         false);
	return has_room;
}

static void add_element(struct planner *planner, uint32_t i)
{
	struct bs_plan *plan = planner->plan;
	const struct bs_element *element = &plan->query->elements[i];
	struct bs_plan_element planned = {.first_term = plan->n_terms};
	if (element->kind == BS_ELEMENT_TERM || element->kind == BS_ELEMENT_BIGRAM)
		add_term(planner, i, element->term, element->term_bytes,
		         element->kind == BS_ELEMENT_BIGRAM);
	else
		planned.is_too_broad = !expand(planner, i);
	planned.n_terms = plan->n_terms - planned.first_term;
	if (!planner->status)
		planner->status = bs_vector_append(&plan->elements, &planned, planner->err);
}

static enum bs_status add_df(const struct bs_snapshot *snapshot, const uint8_t *key,
                             uint32_t key_bytes, uint64_t *df, struct bs_error *err)
{
	bool may = false;
	enum bs_status status =
		bs_snapshot_may_have(snapshot, key, bs_hash_term(key, key_bytes), &may, err);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && may && !status; s++) {
		bool found;
		uint64_t ordinal, here = 0;
		status = bs_deadline_check_after(FIND_NS, err);
		if (!status)
			status = bs_lexicon_find(&snapshot->segments[s].terms.lexicon, key,
			                         key_bytes, &found, &ordinal, &here, err);
		*df += here;
	}
	return status;
}

enum bs_status bs_plan_df(const struct bs_snapshot_list *list, const uint8_t *key,
                          uint32_t key_bytes, uint64_t *df_out, struct bs_error *err)
{
	*df_out = 0;
	enum bs_status status = bs_deadline_check_after(FIND_NS, err);
	for (uint32_t i = 0; i < list->n_entries && !status; i++)
		status = add_df(list->entries[i].snapshot, key, key_bytes, df_out, err);
	return status;
}

enum bs_status bs_plan_idf(const struct bs_plan *plan, const uint8_t *term, uint32_t term_bytes,
                           double *idf_out, struct bs_error *err)
{
	uint64_t df = 0;
	enum bs_status status = plan->corpus.list
	                                ? bs_plan_df(plan->corpus.list, term, term_bytes, &df, err)
	                                : BS_OK;
	return status ? status : bs_corpus_idf(&plan->corpus, term, term_bytes, df, idf_out, err);
}

enum bs_status bs_plan_term_idf(const struct bs_plan *plan, uint32_t term, double *idf_out,
                                struct bs_error *err)
{
	const struct bs_plan_term *of = &plan->terms.items[term];
	return bs_corpus_idf(&plan->corpus, plan->keys.data + of->key_offset, of->key_bytes, of->df,
	                     idf_out, err);
}

bool bs_plan_term_occurs(const struct bs_plan *plan, uint32_t term)
{
	const struct bs_plan_term *of = &plan->terms.items[term];
	const struct bs_statistics *statistics = plan->corpus.statistics;
	return of->df > 0 ||
	       (statistics &&
	        bs_statistics_df(statistics, plan->keys.data + of->key_offset, of->key_bytes) > 0);
}

/* Looks up a term in a segment. segment NULL: the overlay of a snapshot, which has no columns. */
static void resolve(struct planner *planner, const struct bs_segment *segment, uint32_t t)
{
	struct bs_plan *plan = planner->plan;
	struct bs_plan_term *term = &plan->terms.items[t];
	struct bs_term_place place = {0};
	uint64_t ordinal = 0;
	if (segment)
		planner->status = bs_deadline_check_after(FIND_NS, planner->err);
	if (segment && !planner->status && !term->is_absent_here)
		planner->status = bs_lexicon_find(
			&segment->terms.lexicon, plan->keys.data + term->key_offset,
			term->key_bytes, &place.is_found, &ordinal, &place.df, planner->err);
	if (planner->status)
		return;
	if (segment)
		bs_and_term_init(&place.term, term->hash, ordinal, place.df,
		                 &segment->terms.treatments);
	if (place.is_found && place.term.treatment->has_false_positives)
		planner->status = bs_false_positives_find(&segment->terms.false_positives, ordinal,
		                                          &place.false_positives, planner->err);
	term->df += place.df;
	if (!planner->status)
		planner->status = bs_vector_append(&plan->places, &place, planner->err);
}

/* Looks up a range in a segment. A segment without named fields has no values, except perhaps in a
 * field whose name contains NUL: segments do not record such names. If a segment stores the values
 * of some fields only (is_partial), those of other fields are unknown. */
static void resolve_range(struct planner *planner, const struct bs_segment *segment,
                          const struct bs_query_range *range)
{
	struct bs_plan *plan = planner->plan;
	const struct bs_term_table *fields = plan->query->fields;
	const uint8_t *name = bs_term_table_key(fields, range->field);
	uint32_t name_bytes = fields->entries[range->field].n_bytes;
	struct bs_plan_range place = {.is_known = false};
	bool found = false, is_exact = true;
	if (segment)
		place.is_known =
			segment->field_names.n_bytes == 0 && !memchr(name, '\0', name_bytes);
	if (segment && segment->values.is_there) {
		planner->status = bs_value_field_find(&segment->values, name, name_bytes, &found,
		                                      &place.field, planner->err);
		place.is_known = found || !segment->values.is_partial;
	}
	if (found && !planner->status)
		planner->status = bs_value_ranks(&segment->values, &place.field, &range->values,
		                                 &place.ranks, &is_exact, planner->err);
	if (!is_exact)
		place = (struct bs_plan_range){.is_known = false};
	if (!planner->status)
		planner->status = bs_vector_append(&plan->ranges, &place, planner->err);
}

/* Finds the terms that no segment of a snapshot has, by its summary, if there is one. The summary
 * has words only, so a word pair is absent if one of its words is. */
static void find_absent(struct planner *planner, const struct bs_snapshot *snapshot)
{
	struct bs_plan *plan = planner->plan;
	for (uint32_t t = 0; t < plan->n_terms && !planner->status; t++) {
		struct bs_plan_term *term = &plan->terms.items[t];
		bool may;
		planner->status = bs_snapshot_may_have(snapshot, plan->keys.data + term->key_offset,
		                                       term->hash, &may, planner->err);
		term->is_absent_here = !may;
	}
	for (uint32_t i = 0; i < bs_plan_n_pairs(plan) && !planner->status; i++) {
		const struct bs_plan_word_pair *pair = &plan->pairs.items[i];
		const struct bs_query_item *items =
			plan->query->nodes[pair->node].items + pair->first_item;
		for (uint32_t k = 0; k < pair->n_items; k++)
			plan->terms.items[pair->term].is_absent_here |=
				plan->terms.items[plan->elements.items[items[k].element].first_term]
					.is_absent_here;
	}
	for (uint32_t t = 0; t < plan->n_terms; t++)
		plan->terms.items[t].is_absent &= plan->terms.items[t].is_absent_here;
}

/* Appends the places of all terms and ranges in each segment of a snapshot. Its overlay gets empty
 * places, so that segments keep their numbers; the overlay of the last snapshot gets none. */
static void resolve_entry(struct planner *planner, uint32_t entry, uint32_t first_segment)
{
	const struct bs_plan *plan = planner->plan;
	const struct bs_snapshot *snapshot = plan->list->entries[entry].snapshot;
	find_absent(planner, snapshot);
	uint32_t n_segments = snapshot->manifest.n_segments + (entry + 1 < plan->list->n_entries);
	for (uint32_t s = 0; s < n_segments; s++) {
		const struct bs_segment *segment = bs_plan_segment(plan, first_segment + s);
		for (uint32_t t = 0; t < plan->n_terms && !planner->status; t++)
			resolve(planner, segment, t);
		for (uint32_t r = 0; r < plan->query->n_ranges && !planner->status; r++)
			resolve_range(planner, segment, &plan->query->ranges[r]);
	}
}

enum bs_status bs_plan_check_statistics(const struct bs_statistics *statistics,
                                        const struct bs_query_tree *query, struct bs_error *err)
{
	for (size_t i = 0; i < query->n_elements; i++) {
		const struct bs_element *element = &query->elements[i];
		if (element->kind == BS_ELEMENT_TERM && element->weight > 0 &&
		    !bs_statistics_has_word(statistics, element->term, element->term_bytes))
			return bs_fail(err, BS_INVALID,
			               "the statistics do not name %.*s: they are of another query",
			               element->term_bytes < 100 ? (int)element->term_bytes : 100,
			               (const char *)element->term);
	}
	return BS_OK;
}

static void begin(struct bs_plan *plan, const struct bs_plan_inputs *inputs)
{
	plan->query = inputs->query;
	plan->list = inputs->list;
	plan->scope = inputs->scope;
	plan->names = inputs->names;
	plan->corpus = inputs->corpus;
	plan->n_terms = 0;
	bs_buffer_clear(&plan->keys);
	bs_vector_clear(&plan->elements);
	bs_vector_clear(&plan->terms);
	bs_vector_clear(&plan->places);
	bs_vector_clear(&plan->pairs);
	bs_vector_clear(&plan->ranges);
}

enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_plan_inputs *inputs,
                            struct bs_error *err)
{
	struct planner planner = {.plan = plan, .err = err};
	const struct bs_query_tree *query = inputs->query;
	begin(plan, inputs);
	for (uint32_t i = 0; i < query->n_elements && !planner.status; i++)
		add_element(&planner, i);
	for (uint32_t n = 0; n < query->n_nodes && !planner.status; n++)
		add_pairs(&planner, n);
	for (uint32_t t = 0; t < plan->n_terms; t++)
		plan->terms.items[t].is_absent = true;
	for (uint32_t i = 0, first = 0; i < plan->list->n_entries && !planner.status; i++) {
		resolve_entry(&planner, i, first);
		first += plan->list->entries[i].snapshot->manifest.n_segments + 1;
	}
	bs_term_table_deinit(&planner.expansion);
	if (!planner.status && !plan->corpus.list)
		planner.status = bs_plan_check_statistics(plan->corpus.statistics, query, err);
	return planner.status;
}

uint32_t bs_plan_equivalent_term(const struct bs_plan *plan, uint32_t segment, uint32_t node)
{
	const struct bs_query_node *whole = &plan->query->nodes[node];
	if (whole->field != BS_QUERY_ANY_FIELD || whole->n_items == 0 ||
	    bs_query_is_file_name(whole))
		return UINT32_MAX;
	if (whole->kind == BS_NODE_WORD &&
	    plan->query->elements[whole->items[0].element].kind == BS_ELEMENT_TERM)
		return plan->elements.items[whole->items[0].element].first_term;
	for (uint32_t i = 0; i < bs_plan_n_pairs(plan) && whole->kind == BS_NODE_PHRASE; i++)
		if (plan->pairs.items[i].node == node &&
		    plan->pairs.items[i].n_items == whole->n_items &&
		    bs_plan_place(plan, segment, plan->pairs.items[i].term)->is_found)
			return plan->pairs.items[i].term;
	return UINT32_MAX;
}

bool bs_plan_is_exact_leaf(const struct bs_plan *plan, uint32_t segment, uint32_t n)
{
	const struct bs_query_node *node = &plan->query->nodes[n];
	if (bs_query_is_file_name(node))
		return !plan->names->is_loose;
	if (node->kind == BS_NODE_RANGE)
		return bs_plan_range(plan, segment, n)->is_known;
	if (node->field != BS_QUERY_ANY_FIELD || node->kind == BS_NODE_NEAR)
		return false;
	if (node->kind == BS_NODE_WORD)
		return !plan->elements.items[node->items[0].element].is_too_broad;
	return bs_plan_equivalent_term(plan, segment, n) != UINT32_MAX;
}

bool bs_plan_is_widest(const struct bs_plan *plan, uint32_t segment, uint32_t pair)
{
	/* If one pair contains the other, they are at most this far apart in plan->pairs. */
	const uint32_t reach = BS_PAIR_MOST_WORDS * BS_PAIR_MOST_WORDS;
	const struct bs_plan_word_pair *is = &plan->pairs.items[pair];
	if (!bs_plan_place(plan, segment, is->term)->is_found)
		return false;
	for (uint32_t i = pair > reach ? pair - reach : 0;
	     i < bs_plan_n_pairs(plan) && i <= pair + reach; i++) {
		const struct bs_plan_word_pair *other = &plan->pairs.items[i];
		if (other->node == is->node && other->n_items > is->n_items &&
		    other->first_item <= is->first_item &&
		    other->first_item + other->n_items >= is->first_item + is->n_items &&
		    bs_plan_place(plan, segment, other->term)->is_found)
			return false;
	}
	return true;
}

void bs_plan_describe_broad(const struct bs_element *element, struct bs_error *line_out)
{
	char word[100];
	int n_bytes =
		element->term_bytes < sizeof(word) ? (int)element->term_bytes : (int)sizeof(word);
	const char *sign = element->kind == BS_ELEMENT_PREFIX  ? "*"
	                   : element->kind == BS_ELEMENT_FUZZY ? "~"
	                                                       : "";
	for (int i = 0; i < n_bytes; i++)
		word[i] = element->term[i] == BS_PATTERN_ANY   ? '*'
		          : element->term[i] == BS_PATTERN_ONE ? '?'
		                                               : (char)element->term[i];
	(void)bs_fail(
		line_out, BS_OK,
		"%.*s%s matches more than %u words of this index, so documents are read, which is "
		"slower: a longer word is faster",
		n_bytes, word, sign, BS_PLAN_MAX_EXPANSION);
}
