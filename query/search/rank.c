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

/* Whether a is to be shown before b. */
static bool is_better(const struct bs_top *top, const struct bs_hit *a, const struct bs_hit *b)
{
	if (a->score > b->score || a->score < b->score)
		return a->score > b->score;
	return compare_places(top->snapshot, a, b) < 0;
}

static void swap_hits(struct bs_hit *a, struct bs_hit *b)
{
	struct bs_hit saved = *a;
	*a = *b;
	*b = saved;
}

static void sift_down(const struct bs_top *top, struct bs_hit *heap, size_t n, size_t i)
{
	for (;;) {
		size_t worst = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (is_better(top, &heap[worst], &heap[child]))
				worst = child;
		if (worst == i)
			return;
		swap_hits(&heap[i], &heap[worst]);
		i = worst;
	}
}

static void sift_up(const struct bs_top *top, struct bs_hit *heap, size_t i)
{
	while (i > 0 && is_better(top, &heap[(i - 1) / 2], &heap[i])) {
		swap_hits(&heap[i], &heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

enum bs_status bs_top_offer(struct bs_top *top, const struct bs_hit *hit, struct bs_error *err)
{
	struct bs_hit *heap = (struct bs_hit *)(void *)top->heap.data;
	size_t n = top->heap.used_bytes / sizeof(*heap);
	if (top->k == 0)
		return BS_OK;
	if (n == top->k) {
		if (is_better(top, hit, &heap[0])) {
			heap[0] = *hit;
			sift_down(top, heap, n, 0);
		}
		return BS_OK;
	}
	enum bs_status status = bs_buffer_append(&top->heap, hit, sizeof(*hit), err);
	if (!status)
		sift_up(top, (struct bs_hit *)(void *)top->heap.data, n);
	return status;
}

size_t bs_top_finish(struct bs_top *top, const struct bs_hit **hits_out)
{
	struct bs_hit *heap = (struct bs_hit *)(void *)top->heap.data;
	size_t n = top->heap.used_bytes / sizeof(*heap);
	for (size_t left = n; left > 1; left--) {
		swap_hits(&heap[0], &heap[left - 1]);
		sift_down(top, heap, left - 1, 0);
	}
	*hits_out = heap;
	return n;
}

void bs_top_deinit(struct bs_top *top)
{
	bs_buffer_deinit(&top->heap);
}
