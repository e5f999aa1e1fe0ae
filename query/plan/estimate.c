/* estimate.c: see estimate.h. */
#include "query/plan/estimate.h"

#include "query/language/fold.h"

/* The share of documents that is assumed to match a file name, a range whose values the index does
 * not know, or an element that expands to too many terms. */
#define OTHER_SHARE (1.0 / 3)

/* The number of documents that match a node: an estimate that takes words as independent, and an
 * upper bound. */
struct guess {
	double about, most;
};

static struct guess least(double n, struct guess guess)
{
	return (struct guess){guess.about < n ? guess.about : n, guess.most < n ? guess.most : n};
}

/* The number of documents that match a or b. */
static struct guess join(double n, struct guess a, struct guess b)
{
	return least(n, (struct guess){n > 0 ? a.about + b.about - a.about * b.about / n : 0,
	                               a.most + b.most});
}

static struct guess meet(double n, struct guess a, struct guess b)
{
	return (struct guess){n > 0 ? a.about * b.about / n : 0, a.most < b.most ? a.most : b.most};
}

static struct guess guess_element(const struct bs_plan *plan, uint32_t e, double n)
{
	const struct bs_plan_element *element = &plan->elements.items[e];
	struct guess guess = {0, 0};
	if (element->is_too_broad)
		return (struct guess){n * OTHER_SHARE, n};
	for (uint32_t t = 0; t < element->n_terms; t++) {
		double df = (double)plan->terms.items[element->first_term + t].df;
		guess = join(n, guess, (struct guess){df, df});
	}
	return guess;
}

/* The number of documents in a range, if all values of its field are equally frequent. */
static struct guess guess_range(const struct bs_plan *plan, uint32_t n)
{
	struct guess guess = {0, (double)plan->list->n_docs};
	for (uint32_t s = 0; s < plan->list->n_segments; s++) {
		if (!bs_plan_has_columns(plan, s))
			continue;
		const struct bs_plan_range *range = bs_plan_range(plan, s, n);
		double n_docs = bs_list_segment(plan->list, s)->n_docs, n_in = 0;
		for (uint32_t i = 0; i < range->ranks.n; i++) {
			uint32_t last = range->ranks.spans[i].last;
			n_in += (last < range->field.n_values ? last + 1 : range->field.n_values) -
			        range->ranks.spans[i].low;
		}
		guess.about += !range->is_known ? n_docs * OTHER_SHARE
		               : n_in > 0       ? n_docs * n_in / range->field.n_values
		                                : 0;
	}
	return guess;
}

/* Limits the guess for phrase n by the dfs of its word pairs. Skips a pair that is not a term in
 * every segment. */
static void limit_by_pairs(const struct bs_plan *plan, uint32_t n, struct guess *guess)
{
	for (uint32_t i = 0; i < bs_plan_n_pairs(plan); i++) {
		const struct bs_plan_word_pair *pair = &plan->pairs.items[i];
		double df = (double)plan->terms.items[pair->term].df;
		bool is_in_all = pair->node == n;
		for (uint32_t s = 0; s < plan->list->n_segments && is_in_all; s++)
			is_in_all = !bs_plan_segment(plan, s) ||
			            bs_plan_place(plan, s, pair->term)->is_found;
		if (!is_in_all)
			continue;
		guess->about = plan->query->nodes[n].n_items == pair->n_items || guess->about > df
		                       ? df
		                       : guess->about;
		guess->most = guess->most < df ? guess->most : df;
	}
}

static enum bs_status guess_leaf(void *context, uint32_t n, void *value_out, struct bs_error *err)
{
	const struct bs_plan *plan = context;
	const struct bs_query_node *node = &plan->query->nodes[n];
	const double n_docs = (double)plan->list->n_docs;
	struct guess guess = {n_docs * OTHER_SHARE, n_docs};
	(void)err;
	if (node->kind == BS_NODE_RANGE) {
		guess = guess_range(plan, n);
	} else if (!bs_query_is_file_name(node)) {
		guess = guess_element(plan, node->items[0].element, n_docs);
		for (uint32_t i = 1; i < node->n_items; i++)
			guess = meet(n_docs, guess,
			             guess_element(plan, node->items[i].element, n_docs));
		limit_by_pairs(plan, n, &guess);
	}
	*(struct guess *)value_out = guess;
	return BS_OK;
}

static void guess_inner(void *context, const struct bs_query_node *node, const void *values,
                        void *value_out)
{
	const struct bs_plan *plan = context;
	const struct guess *guesses = values;
	const double n_docs = (double)plan->list->n_docs;
	struct guess guess = guesses[node->children[0]];
	if (node->kind == BS_NODE_NOT)
		guess = (struct guess){n_docs - guess.about, n_docs};
	for (uint32_t i = 1; i < node->n_children; i++)
		guess = (node->kind == BS_NODE_AND ? meet : join)(n_docs, guess,
		                                                  guesses[node->children[i]]);
	*(struct guess *)value_out = guess;
}

static bool is_certain(const struct bs_plan *plan)
{
	const struct bs_query_tree *query = plan->query;
	bool is_sure = !plan->scope.is_open;
	for (uint32_t s = 0; s < plan->list->n_segments && is_sure; s++) {
		if (!bs_plan_segment(plan, s))
			is_sure = bs_list_segment(plan->list, s)->n_docs == 0;
		for (uint32_t i = 0; i < query->n_nodes && is_sure && bs_plan_has_columns(plan, s);
		     i++)
			is_sure =
				query->nodes[i].n_children > 0 || bs_plan_is_exact_leaf(plan, s, i);
	}
	return is_sure;
}

enum bs_status bs_plan_estimate(const struct bs_plan *plan, struct bs_plan_estimate *estimate_out,
                                struct bs_error *err)
{
	const struct bs_query_fold fold = {sizeof(struct guess), guess_leaf, guess_inner,
	                                   (void *)(uintptr_t)plan};
	double n_docs = (double)plan->list->n_docs;
	double live_share = n_docs > 0 ? (double)plan->list->n_live_docs / n_docs : 0;
	struct guess root = {0, 0};
	enum bs_status status = bs_query_fold(plan->query, &fold, &root, err);
	estimate_out->n_hits = (uint64_t)(root.about * live_share + 0.5);
	estimate_out->n_most = (uint64_t)root.most;
	estimate_out->is_certain = is_certain(plan);
	return status;
}
