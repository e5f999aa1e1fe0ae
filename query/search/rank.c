/* rank.c: see rank.h. */
#include "query/search/rank.h"

#include <math.h>
#include <stdlib.h>

#include "core/store/doc_order.h"

#define BM25_K1 1.2
#define BM25_B  0.75

double bs_bm25_idf(uint64_t n_docs, uint64_t df)
{
	return log(1 + ((double)n_docs - (double)df + 0.5) / ((double)df + 0.5));
}

double bs_bm25_weight(double idf, uint32_t tf, uint32_t length, double avgdl)
{
	double norm = BM25_K1 * (1 - BM25_B + BM25_B * length / avgdl);
	return idf * tf * (BM25_K1 + 1) / (tf + norm);
}

static int compare_places(const struct bs_snapshot *snapshot, const struct bs_hit *a, const struct bs_hit *b)
{
	return bs_document_order(snapshot, (struct bs_doc_ref){a->segment, a->document},
	                         (struct bs_doc_ref){b->segment, b->document});
}

static int compare_hits(const void *a, const void *b, void *context)
{
	return compare_places(context, a, b);
}

void bs_sort_by_document(const struct bs_snapshot *snapshot, struct bs_hit *hits, size_t n_hits)
{
	/* Hits come segment by segment, in order within each: often they are sorted already. */
	for (size_t i = 1; i < n_hits; i++) {
		if (compare_places(snapshot, &hits[i - 1], &hits[i]) > 0) {
			qsort_r(hits, n_hits, sizeof(*hits), compare_hits, (void *)(uintptr_t)snapshot);
			return;
		}
	}
}

/* Whether a stands above b in a heap. Of the k best, what would be shown after the others stands on top. */
typedef bool (*heap_order)(const struct bs_snapshot *snapshot, const struct bs_hit *a, const struct bs_hit *b);

static bool is_worse(const struct bs_snapshot *snapshot, const struct bs_hit *a, const struct bs_hit *b)
{
	if (a->score > b->score || a->score < b->score)
		return a->score < b->score;
	return compare_places(snapshot, a, b) > 0;
}

static bool is_higher(const struct bs_snapshot *snapshot, const struct bs_hit *a, const struct bs_hit *b)
{
	(void)snapshot;
	if (a->score > b->score || a->score < b->score)
		return a->score > b->score;
	return a->segment != b->segment ? a->segment < b->segment : a->document < b->document;
}

static inline enum bs_status push(struct bs_buffer *heap, const struct bs_hit *hit, heap_order is_above,
                                  const struct bs_snapshot *snapshot, struct bs_error *err)
{
	size_t i = bs_n_hits(heap);
	enum bs_status status = bs_buffer_append(heap, hit, sizeof(*hit), err);
	struct bs_hit *hits = (struct bs_hit *)(void *)heap->data;
	if (status)
		return status;
	for (; i > 0 && is_above(snapshot, hit, &hits[(i - 1) / 2]); i = (i - 1) / 2)
		hits[i] = hits[(i - 1) / 2];
	hits[i] = *hit;
	return BS_OK;
}

/* Puts hit in place of the top of hits[0..n), and down to where it belongs. */
static inline void replace_top(struct bs_hit *hits, size_t n, struct bs_hit hit, heap_order is_above,
                               const struct bs_snapshot *snapshot)
{
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && is_above(snapshot, &hits[child + 1], &hits[child]);
		if (!is_above(snapshot, &hits[child], &hit))
			break;
		hits[i] = hits[child];
	}
	hits[i] = hit;
}

enum bs_status bs_hits_push(struct bs_buffer *heap, const struct bs_hit *hit, struct bs_error *err)
{
	return push(heap, hit, is_higher, NULL, err);
}

struct bs_hit bs_hits_pop(struct bs_buffer *heap)
{
	struct bs_hit *hits = (struct bs_hit *)(void *)heap->data;
	struct bs_hit top = hits[0];
	heap->used_bytes -= sizeof(top);
	replace_top(hits, bs_n_hits(heap), hits[bs_n_hits(heap)], is_higher, NULL);
	return top;
}

enum bs_status bs_top_offer(struct bs_top *top, const struct bs_hit *hit, struct bs_error *err)
{
	struct bs_hit *hits = (struct bs_hit *)(void *)top->heap.data;
	size_t n = bs_n_hits(&top->heap);
	if (n < top->k)
		return push(&top->heap, hit, is_worse, top->snapshot, err);
	if (n > 0 && is_worse(top->snapshot, &hits[0], hit))
		replace_top(hits, n, *hit, is_worse, top->snapshot);
	return BS_OK;
}

size_t bs_top_finish(struct bs_top *top, const struct bs_hit **hits_out)
{
	struct bs_hit *hits = (struct bs_hit *)(void *)top->heap.data;
	for (size_t left = bs_n_hits(&top->heap); left > 1; left--) {
		struct bs_hit worst = hits[0];
		replace_top(hits, left - 1, hits[left - 1], is_worse, top->snapshot);
		hits[left - 1] = worst;
	}
	*hits_out = hits;
	return bs_n_hits(&top->heap);
}
