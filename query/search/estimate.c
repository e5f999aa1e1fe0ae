/* estimate.c: bs_estimate (bitsift/candidates.h): how many documents a query has about, by the df of its words. */
#include "core/bitsift/candidates.h"
#include "core/bitsift/search.h"

#include <stdlib.h>

#include "query/plan/plan.h"
#include "query/search/index_handle.h"

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
	const struct bs_plan_element *element = &plan->elements[e];
	struct guess guess = {0, 0};
	if (element->is_too_broad)
		return (struct guess){n * OTHER_SHARE, n};
	for (uint32_t t = 0; t < element->n_terms; t++) {
		double df = (double)plan->terms[element->first_term + t].df;
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
	for (uint32_t i = 0; i < plan->n_word_pairs; i++) {
		double df = (double)plan->terms[plan->pairs[i].term].df;
		bool is_in_all = true;
		for (uint32_t s = 0; s < plan->snapshot->manifest.n_segments && is_in_all; s++)
			is_in_all = bs_plan_place(plan, s, plan->pairs[i].term)->is_found;
		if (plan->pairs[i].node != node_number || !is_in_all)
			continue;
		guess.about = node->n_items == plan->pairs[i].n_items || guess.about > df ? df : guess.about;
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
	const struct bs_snapshot *snapshot = plan->snapshot;
	bool is_sure = !plan->is_open && snapshot->overlay.n_docs == 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && is_sure; s++)
		for (uint32_t i = 0; i < plan->query->n_nodes && is_sure; i++)
			is_sure = plan->query->nodes[i].n_children > 0 || !bs_snapshot_has_words(snapshot, s) || bs_plan_is_exact_leaf(plan, s, i);
	return is_sure;
}

static enum bs_status estimate(void *context, const struct bs_plan *plan, struct bs_scan *scan, struct bs_error *err)
{
	struct bs_find_estimate *estimate = context;
	const struct bs_query_tree *query = plan->query;
	double n = (double)plan->snapshot->n_docs;
	double live_share = n > 0 ? (double)plan->snapshot->n_live_docs / n : 0;
	struct guess *guesses = malloc(query->n_nodes * sizeof(*guesses));
	(void)scan;
	if (!guesses)
		return bs_fail_memory(err, "an estimate", query->n_nodes * sizeof(*guesses));
	for (uint32_t i = 0; i < query->n_nodes; i++)
		guesses[i] = query->nodes[i].n_children ? guess_inner(&query->nodes[i], guesses, n) : guess_leaf(plan, i, n);
	struct guess root = guesses[query->n_nodes - 1];
	estimate->n_docs = plan->snapshot->n_docs;
	estimate->n_hits = (uint64_t)(root.about * live_share + 0.5);
	estimate->n_least_df = (uint64_t)root.most;
	estimate->is_certain &= is_certain(plan);
	free(guesses);
	return BS_OK;
}

enum bs_status bs_estimate(struct bs_finder *finder, const struct bs_find_request *request, struct bs_find_estimate *estimate_out,
                           struct bs_error *err)
{
	struct bs_find_request asked = {.query = request->query, .query_bytes = request->query_bytes, .any = request->any,
	                                .stop_language = request->stop_language, .stop_words = request->stop_words,
	                                .stop_words_bytes = request->stop_words_bytes, .field = request->field,
	                                .limits = request->limits};
	*estimate_out = (struct bs_find_estimate){.is_certain = !bs_finder_index(finder)->has_other_words};
	return bs_finder_plan(finder, &asked, estimate, estimate_out, NULL, err);
}
