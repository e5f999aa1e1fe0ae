/* estimate.c: see estimate.h. */
#include "query/plan/estimate.h"

#include <stdlib.h>

/* Of what df says nothing: ranges and names of files. */
#define OTHER_SHARE (1.0 / 3)

/* Documents that a node has: about so many, as if words met by chance, and at most. */
struct guess {
	double about, most;
};

static struct guess least(double n, struct guess guess)
{
	return (struct guess){guess.about < n ? guess.about : n, guess.most < n ? guess.most : n};
}

/* One of several has it. */
static struct guess join(double n, struct guess a, struct guess b)
{
	return least(n, (struct guess){n > 0 ? a.about + b.about - a.about * b.about / n : 0, a.most + b.most});
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

static struct guess guess_leaf(const struct bs_plan *plan, uint32_t node_number, double n)
{
	const struct bs_query_node *node = &plan->query->nodes[node_number];
	if (node->n_items == 0 || bs_query_is_file_name(node))
		return (struct guess){n * OTHER_SHARE, n};
	struct guess guess = guess_element(plan, node->items[0].element, n);
	for (uint32_t i = 1; i < node->n_items; i++)
		guess = meet(n, guess, guess_element(plan, node->items[i].element, n));
	/* Two words that are a term together are in no more documents than that; but not every segment has it. */
	for (uint32_t i = 0; i < bs_plan_n_pairs(plan); i++) {
		double df = (double)plan->terms.items[plan->pairs.items[i].term].df;
		bool is_in_all = true;
		for (uint32_t s = 0; s < plan->list->n_segments && is_in_all; s++)
			is_in_all = !bs_plan_segment(plan, s) || bs_plan_place(plan, s, plan->pairs.items[i].term)->is_found;
		if (plan->pairs.items[i].node != node_number || !is_in_all)
			continue;
		guess.about = node->n_items == plan->pairs.items[i].n_items || guess.about > df ? df : guess.about;
		guess.most = guess.most < df ? guess.most : df;
	}
	return guess;
}

static struct guess guess_inner(const struct bs_query_node *node, const struct guess *guesses, double n)
{
	struct guess guess = guesses[node->children[0]];
	if (node->kind == BS_NODE_NOT)
		return (struct guess){n - guess.about, n};
	for (uint32_t i = 1; i < node->n_children; i++)
		guess = node->kind == BS_NODE_AND ? meet(n, guess, guesses[node->children[i]]) : join(n, guess, guesses[node->children[i]]);
	return guess;
}

static bool is_certain(const struct bs_plan *plan)
{
	const struct bs_query_tree *query = plan->query;
	bool is_sure = !plan->scope.is_open;
	for (uint32_t s = 0; s < plan->list->n_segments && is_sure; s++) {
		if (!bs_plan_segment(plan, s))
			is_sure = bs_list_segment(plan->list, s)->n_docs == 0;
		for (uint32_t i = 0; i < query->n_nodes && is_sure && bs_plan_has_columns(plan, s); i++)
			is_sure = query->nodes[i].n_children > 0 || bs_plan_is_exact_leaf(plan, s, i);
	}
	return is_sure;
}

enum bs_status bs_plan_estimate(const struct bs_plan *plan, struct bs_plan_estimate *estimate_out, struct bs_error *err)
{
	const struct bs_query_tree *query = plan->query;
	double n = (double)plan->list->n_docs;
	double live_share = n > 0 ? (double)plan->list->n_live_docs / n : 0;
	struct guess *guesses = malloc(query->n_nodes * sizeof(*guesses));
	if (!guesses)
		return bs_fail_memory(err, "an estimate", query->n_nodes * sizeof(*guesses));
	for (uint32_t i = 0; i < query->n_nodes; i++)
		guesses[i] = query->nodes[i].n_children ? guess_inner(&query->nodes[i], guesses, n) : guess_leaf(plan, i, n);
	struct guess root = guesses[query->n_nodes - 1];
	estimate_out->n_hits = (uint64_t)(root.about * live_share + 0.5);
	estimate_out->n_most = (uint64_t)root.most;
	estimate_out->is_certain = is_certain(plan);
	free(guesses);
	return BS_OK;
}
