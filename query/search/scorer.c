/* scorer.c: see scorer.h. */
#include "query/search/scorer.h"

#include <stdlib.h>
#include <string.h>

#include "query/search/rank.h"

void bs_scorer_deinit(struct bs_scorer *scorer)
{
	bs_buffer_deinit(&scorer->memory_words);
	*scorer = (struct bs_scorer){0};
}

static int compare_words(const void *a, const void *b, void *context)
{
	const struct bs_plan *plan = context;
	const struct bs_plan_term *x = &plan->terms[((const struct bs_scored_word *)a)->term];
	const struct bs_plan_term *y = &plan->terms[((const struct bs_scored_word *)b)->term];
	return bs_compare_terms(plan->keys.data + x->key_offset, x->key_bytes, plan->keys.data + y->key_offset, y->key_bytes);
}

/* Marks the elements of one term that every match of the node has. */
static void mark_implied(const struct bs_plan *plan, const struct bs_query_node *node, bool *implied)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		implied[node->items[i].element] |= plan->elements[node->items[i].element].n_terms == 1;
}

/* ... that every match of the query has. */
static void find_implied(const struct bs_plan *plan, bool *implied)
{
	const struct bs_query *query = plan->query;
	const struct bs_query_node *root = &query->nodes[query->n_nodes - 1];
	mark_implied(plan, root, implied);
	for (uint32_t i = 0; root->kind == BS_NODE_AND && i < root->n_children; i++)
		mark_implied(plan, &query->nodes[root->children[i]], implied);
}

/* Whether the query asks for nothing but any of its words. */
static bool is_any(const struct bs_query *query)
{
	const struct bs_query_node *root = &query->nodes[query->n_nodes - 1];
	if (root->kind == BS_NODE_WORD)
		return root->field == BS_QUERY_ANY_FIELD;
	for (uint32_t i = 0; i < root->n_children; i++) {
		const struct bs_query_node *child = &query->nodes[root->children[i]];
		if (child->kind != BS_NODE_WORD || child->field != BS_QUERY_ANY_FIELD)
			return false;
	}
	return root->kind == BS_NODE_OR;
}

static enum bs_status add_words(struct bs_scorer *scorer, uint32_t e, bool is_implied, struct bs_error *err)
{
	const struct bs_plan *plan = scorer->plan;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < plan->elements[e].n_terms && !status; i++) {
		const struct bs_plan_term *term = &plan->terms[plan->elements[e].first_term + i];
		struct bs_scored_word word = {
			.term = plan->elements[e].first_term + i,
			.hash = term->hash,
			.idf = bs_bm25_idf(plan->snapshot->n_docs, term->df),
			.is_implied = is_implied,
		};
		bs_tf_key_init(&word.key, term->hash);
		if (term->df > 0)
			status = bs_buffer_append(&scorer->memory_words, &word, sizeof(word), err);
	}
	return status;
}

/* Two elements may stand for the same word. */
static void drop_repeats(struct bs_scorer *scorer)
{
	size_t n = 0;
	for (size_t i = 0; i < scorer->n_words; i++) {
		bool is_repeat = n > 0 && compare_words(&scorer->words[n - 1], &scorer->words[i],
		                                        (void *)(uintptr_t)scorer->plan) == 0;
		if (is_repeat)
			scorer->words[n - 1].is_implied |= scorer->words[i].is_implied;
		else
			scorer->words[n++] = scorer->words[i];
	}
	scorer->n_words = n;
}

enum bs_status bs_scorer_make(struct bs_scorer *scorer, const struct bs_plan *plan, double avgdl, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	scorer->plan = plan;
	scorer->avgdl = avgdl;
	scorer->is_complete = true;
	scorer->is_any = is_any(plan->query);
	bs_buffer_clear(&scorer->memory_words);
	bool *implied = calloc(plan->query->n_elements, sizeof(*implied));
	if (!implied)
		return bs_fail_memory(err, "the words of a query", plan->query->n_elements * sizeof(*implied));
	find_implied(plan, implied);
	for (uint32_t e = 0; e < plan->query->n_elements && !status; e++) {
		if (!plan->query->elements[e].is_scored)
			continue;
		scorer->is_complete &= !plan->elements[e].is_too_broad;
		status = add_words(scorer, e, implied[e], err);
	}
	free(implied);
	scorer->words = (struct bs_scored_word *)(void *)scorer->memory_words.data;
	scorer->n_words = scorer->memory_words.used_bytes / sizeof(*scorer->words);
	if (!status && scorer->n_words > 1) {
		qsort_r(scorer->words, scorer->n_words, sizeof(*scorer->words), compare_words, (void *)(uintptr_t)plan);
		drop_repeats(scorer);
	}
	return status;
}

enum bs_status bs_scorer_score(const struct bs_scorer *scorer, uint32_t segment, uint32_t document,
                               const uint8_t *has, double *score_out, bool *exact_io, struct bs_error *err)
{
	const struct bs_segment *from = &scorer->plan->snapshot->segments[segment];
	const uint8_t *bits;
	size_t n_bytes;
	uint32_t length;
	*score_out = 0;
	enum bs_status status = bs_doc_table_length(&from->docs, document, &length, err);
	if (!status)
		status = bs_tf_table_get(&from->tfs, document, &bits, &n_bytes, err);
	for (size_t i = 0; i < scorer->n_words && !status; i++) {
		if (has[i] == BS_HAS_NOT)
			continue;
		uint64_t df = bs_plan_place(scorer->plan, segment, scorer->words[i].term)->term.df;
		bool is_coded = bs_tf_is_coded(&from->tf_levels, df, length);
		uint32_t tf = is_coded ? bs_tf_decode_key(bits, n_bytes, &scorer->words[i].key) : BS_TF_UNKNOWN;
		*exact_io &= has[i] == BS_HAS && tf != BS_TF_UNKNOWN;
		*score_out += bs_bm25_weight(scorer->words[i].idf, tf, length, scorer->avgdl);
	}
	return status;
}

double bs_scorer_most(const struct bs_scorer *scorer, size_t word, uint32_t most_tf, uint32_t least_length)
{
	return bs_bm25_weight(scorer->words[word].idf, most_tf ? most_tf : UINT32_MAX, most_tf ? least_length : 0,
	                      scorer->avgdl);
}
