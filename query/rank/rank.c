/* rank.c: see rank.h. */
#include "query/rank/rank.h"

#include <stdlib.h>

#include "core/base/bytes.h"
#include "core/base/source_kind.h"
#include "query/language/fold.h"
#include "query/statistics/bm25.h"

void bs_scorer_deinit(struct bs_scorer *scorer)
{
	bs_vector_deinit(&scorer->memory);
	*scorer = (struct bs_scorer){0};
}

/* The order in which the contributions of words are added. A fixed order makes scores
 * reproducible. */
static int compare_words(const void *a, const void *b, void *context)
{
	const struct bs_plan *plan = context;
	const struct bs_plan_term *x = &plan->terms.items[((const struct bs_scored_word *)a)->term];
	const struct bs_plan_term *y = &plan->terms.items[((const struct bs_scored_word *)b)->term];
	int order = bs_compare_bytes(plan->keys.data + x->key_offset, x->key_bytes,
	                             plan->keys.data + y->key_offset, y->key_bytes);
	return order ? order : x < y ? -1 : x > y;
}

/* Elements from this number on never count as implied; that only costs time. */
#define IMPLIED_ELEMENTS 64u

/* Sets a bit for each element with a single term that every match of the leaf has. (Of several
 * terms, a match has any one.) */
static enum bs_status leaf_implies(void *context, uint32_t n, void *value_out, struct bs_error *err)
{
	const struct bs_plan *plan = context;
	const struct bs_query_node *node = &plan->query->nodes[n];
	uint64_t implied = 0;
	(void)err;
	for (uint32_t i = 0; i < node->n_items && !bs_query_is_file_name(node); i++) {
		uint32_t e = node->items[i].element;
		if (e < IMPLIED_ELEMENTS && plan->elements.items[e].n_terms == 1)
			implied |= UINT64_C(1) << e;
	}
	*(uint64_t *)value_out = implied;
	return BS_OK;
}

static void node_implies(void *context, const struct bs_query_node *node, const void *values,
                         void *value_out)
{
	const uint64_t *implied = values;
	uint64_t here = node->kind == BS_NODE_NOT ? 0 : implied[node->children[0]];
	(void)context;
	for (uint32_t i = 1; i < node->n_children; i++)
		here = node->kind == BS_NODE_AND ? here | implied[node->children[i]]
		                                 : here & implied[node->children[i]];
	*(uint64_t *)value_out = here;
}

/* Whether the query is a word or an OR of words, all of which score. A word of weight 0 does not
 * score, but its documents match. */
static bool is_any(const struct bs_query_tree *query)
{
	bool is_any = true;
	for (size_t n = 0; n < query->n_nodes; n++) {
		const struct bs_query_node *node = &query->nodes[n];
		is_any &= node->kind == BS_NODE_OR ||
		          (node->kind == BS_NODE_WORD && node->field == BS_QUERY_ANY_FIELD);
	}
	for (size_t e = 0; e < query->n_elements; e++)
		is_any &= query->elements[e].weight > 0;
	return is_any;
}

static enum bs_status add_words(struct bs_scorer *scorer, uint32_t e, bool is_implied,
                                struct bs_error *err)
{
	const struct bs_plan *plan = scorer->plan;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < plan->elements.items[e].n_terms && !status; i++) {
		const struct bs_plan_term *term =
			&plan->terms.items[plan->elements.items[e].first_term + i];
		struct bs_scored_word word = {
			.term = plan->elements.items[e].first_term + i,
			.hash = term->hash,
			.weight = plan->query->elements[e].weight,
			.is_implied = is_implied,
		};
		bs_tf_key_init(&word.key, term->hash);
		if (term->df > 0)
			status = bs_vector_append(&scorer->memory, &word, err);
	}
	return status;
}

static bool is_same_word(const struct bs_plan *plan, uint32_t a, uint32_t b)
{
	const struct bs_plan_term *x = &plan->terms.items[a], *y = &plan->terms.items[b];
	return x->key_bytes == y->key_bytes &&
	       memcmp(plan->keys.data + x->key_offset, plan->keys.data + y->key_offset,
	              x->key_bytes) == 0;
}

/* Joins the entries of a word that several elements expand to. */
static void join_repeats(struct bs_scorer *scorer)
{
	size_t n = 0;
	for (size_t i = 0; i < scorer->n_words; i++) {
		struct bs_scored_word *last = n > 0 ? &scorer->words[n - 1] : NULL;
		if (last && is_same_word(scorer->plan, last->term, scorer->words[i].term)) {
			last->weight += scorer->words[i].weight;
			last->is_implied |= scorer->words[i].is_implied;
		} else {
			scorer->words[n++] = scorer->words[i];
		}
	}
	scorer->n_words = n;
}

enum bs_status bs_scorer_make(struct bs_scorer *scorer, const struct bs_plan *plan, double avgdl,
                              struct bs_error *err)
{
	enum bs_status status = BS_OK;
	scorer->plan = plan;
	scorer->avgdl = avgdl;
	scorer->is_complete = true;
	scorer->is_any = is_any(plan->query);
	bs_vector_clear(&scorer->memory);
	const struct bs_query_fold fold = {sizeof(uint64_t), leaf_implies, node_implies,
	                                   (void *)(uintptr_t)plan};
	uint64_t implied = 0;
	status = bs_query_fold(plan->query, &fold, &implied, err);
	for (uint32_t e = 0; e < plan->query->n_elements && !status; e++) {
		if (!(plan->query->elements[e].weight > 0))
			continue;
		scorer->is_complete &= !plan->elements.items[e].is_too_broad;
		status = add_words(scorer, e, e < IMPLIED_ELEMENTS && (implied >> e & 1), err);
	}
	scorer->words = scorer->memory.items;
	scorer->n_words = bs_vector_n(&scorer->memory);
	if (!status && scorer->n_words > 1) {
		qsort_r(scorer->words, scorer->n_words, sizeof(*scorer->words), compare_words,
		        (void *)(uintptr_t)plan);
		join_repeats(scorer);
	}
	for (size_t i = 0; i < scorer->n_words && !status; i++) {
		double idf;
		status = bs_plan_term_idf(plan, scorer->words[i].term, &idf, err);
		scorer->words[i].worth = scorer->words[i].weight * idf;
	}
	return status;
}

enum bs_status bs_scorer_score(const struct bs_scorer *scorer, uint32_t segment, uint32_t document,
                               const uint8_t *has, double *score_out, bool *exact_io,
                               struct bs_error *err)
{
	const struct bs_segment *from = bs_plan_segment(scorer->plan, segment);
	const uint8_t *bits;
	size_t n_bytes;
	uint32_t length;
	*score_out = 0;
	enum bs_status status = bs_packed_get_u32(&from->docs.lengths, document, &length, err);
	if (!status)
		status = bs_tf_table_get(&from->terms.tfs, document, &bits, &n_bytes, err);
	for (size_t i = 0; i < scorer->n_words && !status; i++) {
		if (has[i] == BS_HAS_NOT)
			continue;
		uint32_t tf = bs_tf_decode_key(bits, n_bytes, &scorer->words[i].key);
		*exact_io &= has[i] == BS_HAS && tf != BS_TF_UNKNOWN;
		*score_out += bs_bm25_share(scorer->words[i].worth, tf, length, scorer->avgdl);
	}
	return status;
}

double bs_scorer_most(const struct bs_scorer *scorer, size_t word, uint32_t most_tf,
                      uint32_t least_length)
{
	return bs_bm25_share(scorer->words[word].worth, most_tf ? most_tf : UINT32_MAX,
	                     most_tf ? least_length : 0, scorer->avgdl);
}

static int compare_places(const struct bs_snapshot_list *list, const struct bs_ranked_hit *a,
                          const struct bs_ranked_hit *b)
{
	return bs_list_order(list, bs_hit_ref(a), bs_hit_ref(b));
}

static int compare_hits(const void *a, const void *b, void *context)
{
	return compare_places(context, a, b);
}

/* A hit, and the arrival number of its document: in-memory documents are numbered in the order in
 * which they were added to the index. */
struct arrived {
	uint64_t number;
	struct bs_ranked_hit hit;
};

static int compare_arrived(const void *a, const void *b)
{
	const struct arrived *x = a, *y = b;
	if (x->hit.segment == y->hit.segment)
		return bs_compare_u64(x->hit.document, y->hit.document);
	return x->number != y->number ? bs_compare_u64(x->number, y->number)
	                              : bs_compare_u64(x->hit.segment, y->hit.segment);
}

/* Sorts hits in document order by arrival number, if all documents are in-memory documents of one
 * index. Faster than comparing their records, which would be most of the work for a hundred
 * thousand hits. False: not applicable, or no memory; hits are unchanged. */
static bool sort_by_arrival(const struct bs_snapshot_list *list, struct bs_ranked_hit *hits,
                            size_t n_hits)
{
	const struct bs_manifest *manifest = &list->entries[0].snapshot->manifest;
	struct arrived *arrived = NULL;
	bool can = list->n_entries == 1 && manifest->n_sources == 1 &&
	           manifest->sources[0].kind == BS_SOURCE_STDIN;
	if (can)
		can = (arrived = malloc(n_hits * sizeof(*arrived))) != NULL;
	for (size_t i = 0; i < n_hits && can; i++) {
		const struct bs_segment *segment = bs_list_segment(list, hits[i].segment)->segment;
		can = segment && !bs_packed_get(&segment->docs.places[3], hits[i].document,
		                                &arrived[i].number, NULL);
		arrived[i].hit = hits[i];
	}
	if (can)
		qsort(arrived, n_hits, sizeof(*arrived), compare_arrived);
	for (size_t i = 0; i < n_hits && can; i++)
		hits[i] = arrived[i].hit;
	free(arrived);
	return can;
}

void bs_sort_by_document(const struct bs_snapshot_list *list, struct bs_ranked_hit *hits,
                         size_t n_hits)
{
	/* Hits arrive segment by segment, in order within each, so they are often sorted
	 * already. */
	for (size_t i = 1; i < n_hits; i++) {
		if (compare_places(list, &hits[i - 1], &hits[i]) > 0) {
			if (!sort_by_arrival(list, hits, n_hits))
				qsort_r(hits, n_hits, sizeof(*hits), compare_hits,
				        (void *)(uintptr_t)list);
			return;
		}
	}
}

/* Whether a is above b in a heap. In the heap of the k best hits, the worst is on top. */
typedef bool (*heap_order)(const struct bs_snapshot_list *list, const struct bs_ranked_hit *a,
                           const struct bs_ranked_hit *b);

static bool is_worse(const struct bs_snapshot_list *list, const struct bs_ranked_hit *a,
                     const struct bs_ranked_hit *b)
{
	if (a->score > b->score || a->score < b->score)
		return a->score < b->score;
	return compare_places(list, a, b) > 0;
}

static bool is_higher(const struct bs_snapshot_list *list, const struct bs_ranked_hit *a,
                      const struct bs_ranked_hit *b)
{
	(void)list;
	if (a->score > b->score || a->score < b->score)
		return a->score > b->score;
	return a->segment != b->segment ? a->segment < b->segment : a->document < b->document;
}

static inline enum bs_status push(struct bs_ranked_hits *heap, const struct bs_ranked_hit *hit,
                                  heap_order is_above, const struct bs_snapshot_list *list,
                                  struct bs_error *err)
{
	size_t i = bs_vector_n(heap);
	enum bs_status status = bs_vector_append(heap, hit, err);
	struct bs_ranked_hit *hits = heap->items;
	if (status)
		return status;
	for (; i > 0 && is_above(list, hit, &hits[(i - 1) / 2]); i = (i - 1) / 2)
		hits[i] = hits[(i - 1) / 2];
	hits[i] = *hit;
	return BS_OK;
}

/* Replaces the top of the heap hits[0..n) by a hit, and sifts it down. */
static inline void replace_top(struct bs_ranked_hit *hits, size_t n, struct bs_ranked_hit hit,
                               heap_order is_above, const struct bs_snapshot_list *list)
{
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && is_above(list, &hits[child + 1], &hits[child]);
		if (!is_above(list, &hits[child], &hit))
			break;
		hits[i] = hits[child];
	}
	hits[i] = hit;
}

enum bs_status bs_hits_push(struct bs_ranked_hits *heap, const struct bs_ranked_hit *hit,
                            struct bs_error *err)
{
	return push(heap, hit, is_higher, NULL, err);
}

struct bs_ranked_hit bs_hits_pop(struct bs_ranked_hits *heap)
{
	struct bs_ranked_hit *hits = heap->items;
	struct bs_ranked_hit top = hits[0];
	bs_vector_set_n(heap, bs_vector_n(heap) - 1);
	replace_top(hits, bs_vector_n(heap), hits[bs_vector_n(heap)], is_higher, NULL);
	return top;
}

enum bs_status bs_top_offer(struct bs_top *top, const struct bs_ranked_hit *hit,
                            struct bs_error *err)
{
	struct bs_ranked_hit *hits = top->heap.items;
	size_t n = bs_vector_n(&top->heap);
	if (n < top->k)
		return push(&top->heap, hit, is_worse, top->list, err);
	if (n > 0 && is_worse(top->list, &hits[0], hit))
		replace_top(hits, n, *hit, is_worse, top->list);
	return BS_OK;
}

size_t bs_top_finish(struct bs_top *top, const struct bs_ranked_hit **hits_out)
{
	struct bs_ranked_hit *hits = top->heap.items;
	for (size_t left = bs_vector_n(&top->heap); left > 1; left--) {
		struct bs_ranked_hit worst = hits[0];
		replace_top(hits, left - 1, hits[left - 1], is_worse, top->list);
		hits[left - 1] = worst;
	}
	*hits_out = hits;
	return bs_vector_n(&top->heap);
}
