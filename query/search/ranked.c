/* ranked.c: see ranked.h. */
#include "query/search/ranked.h"

/* After a shard, at most n_best + SETTLE_MORE of the waiting documents are read, to raise the
 * threshold. */
#define SETTLE_MORE 8

/* With --approx, at most n_best * APPROX_FACTOR + APPROX_LEAST of the waiting documents are read at
 * the end. */
#define APPROX_FACTOR 4
#define APPROX_LEAST  100

enum bs_status bs_ranked_prepare(struct bs_run *run, size_t n_best, bool *by_bounds_out,
                                 struct bs_error *err)
{
	struct bs_scorer *scorer = &run->searcher->memory.scorer;
	struct bs_verify_request *verify = &run->verify;
	*by_bounds_out = false;
	if (bs_run_is_brute(run))
		return BS_OK;
	enum bs_status status = bs_scorer_make(scorer, run->plan, verify->avgdl, err);
	size_t n_words = scorer->n_words;
	/* A query without scored words may match, for example by a file name; every score is 0. */
	verify->is_zero = !status && scorer->is_complete && n_words == 0;
	*by_bounds_out = !status && !run->question->run.exhaustive && scorer->is_complete &&
	                 n_words > 0 && n_words <= BS_TOP_SCAN_WORDS && n_best > 0;
	/* If no word scores, the best documents are the first in document order, and sure documents
	 * need not be read. */
	verify->is_scored = false;
	for (size_t i = 0; i < run->query->n_elements; i++)
		verify->is_scored |= run->query->elements[i].weight > 0;
	return status;
}

static enum bs_status offer(void *context, const struct bs_ranked_hit *hit, struct bs_error *err)
{
	return bs_top_offer(context, hit, err);
}

static bool is_full(const struct bs_top *top)
{
	return bs_vector_n(&top->heap) >= top->k;
}

/* Reads up to n_most of the waiting documents, those with the highest bounds first, until none can
 * be among the best. until_full: stops as soon as there are k hits. */
static enum bs_status verify_waiting(struct bs_run *run, size_t n_most, bool until_full,
                                     struct bs_error *err)
{
	struct bs_top_scan *scan = &run->searcher->memory.top_scan;
	const struct bs_hit_sink sink = {offer, scan->top};
	struct bs_ranked_hits *waiting = &scan->waiting;
	enum bs_status status = BS_OK;
	bs_run_charge(run, BS_STAGE_RANK);
	for (size_t n = 0; n < n_most && bs_vector_n(waiting) > 0 && !status &&
	                   !(until_full && is_full(scan->top));
	     n++) {
		struct bs_ranked_hit bound = bs_hits_pop(waiting);
		if (bs_top_scan_is_possible(scan, bound.score))
			status = bs_run_verify_one(run, bs_hit_ref(&bound), false, &sink, err);
		else
			bs_vector_clear(waiting);
	}
	bs_run_charge(run, BS_STAGE_VERIFY);
	return status;
}

static void end_filter(void *context)
{
	bs_run_charge(context, BS_STAGE_SCAN);
}

static enum bs_status settle_shard(void *context, bool are_few, struct bs_error *err)
{
	struct bs_run *run = context;
	const struct bs_top_scan *scan = &run->searcher->memory.top_scan;
	size_t n_waiting = bs_vector_n(&scan->waiting);
	bs_run_charge(run, BS_STAGE_RANK);
	if (n_waiting == 0 || (!are_few && (is_full(scan->top) || n_waiting <= scan->top->k)))
		return BS_OK;
	return verify_waiting(run, scan->top->k + SETTLE_MORE, !are_few, err);
}

/* Reads the waiting documents that may be among the best; with --approx, not all of them. */
static enum bs_status settle_rest(struct bs_run *run, size_t n_best, struct bs_error *err)
{
	const struct bs_ranked_hits *waiting = &run->searcher->memory.top_scan.waiting;
	size_t n_waiting = bs_vector_n(waiting);
	size_t n_most =
		run->question->run.approx ? n_best * APPROX_FACTOR + APPROX_LEAST : SIZE_MAX;
	enum bs_status status = verify_waiting(run, n_most, false, err);
	struct bs_error line;
	if (status || bs_vector_n(waiting) == 0)
		return status;
	(void)bs_fail(&line, BS_OK, "approximate: verified the best %zu of %zu candidates", n_most,
	              n_waiting);
	bs_searcher_notice(run->searcher, line.text);
	return BS_OK;
}

/* Overwrites memory.hits with the best hits so far. */
static enum bs_status copy_best(struct bs_run *run, struct bs_error *err)
{
	struct bs_query_memory *memory = &run->searcher->memory;
	bs_vector_clear(&memory->hits);
	return bs_vector_extend(&memory->hits, memory->top.heap.items,
	                        bs_vector_n(&memory->top.heap), err);
}

/* Whether the source of a hit is unchanged. Always true for hits of the overlay. */
static enum bs_status is_unchanged(struct bs_run *run, const struct bs_ranked_hit *hit,
                                   bool *unchanged_out, struct bs_error *err)
{
	*unchanged_out = !bs_plan_segment(run->plan, hit->segment);
	return *unchanged_out ? BS_OK
	                      : bs_loader_is_unchanged(run->searcher->loader, bs_hit_ref(hit),
	                                               unchanged_out, err);
}

/* Whether the sources of the best hits are unchanged. If not, scores and bounds are invalid,
 * because they refer to the indexed texts. */
static enum bs_status are_best_unchanged(struct bs_run *run, bool *unchanged_out,
                                         struct bs_error *err)
{
	const struct bs_ranked_hits *hits = &run->searcher->memory.hits;
	*unchanged_out = true;
	enum bs_status status = copy_best(run, err);
	/* Sorted, because changes are reported in document order. */
	if (!status)
		bs_sort_by_document(run->plan->list, hits->items, bs_vector_n(hits));
	for (size_t i = 0; i < bs_vector_n(hits) && *unchanged_out && !status; i++)
		status = is_unchanged(run, &hits->items[i], unchanged_out, err);
	bs_run_charge(run, BS_STAGE_VERIFY);
	return status;
}

enum bs_status bs_ranked_keep_unchanged(struct bs_run *run, struct bs_error *err)
{
	struct bs_query_memory *memory = &run->searcher->memory;
	size_t n = bs_vector_n(&memory->top.heap);
	enum bs_status status = copy_best(run, err);
	bs_vector_clear(&memory->top.heap);
	for (size_t i = 0; i < n && !status; i++) {
		bool unchanged;
		status = is_unchanged(run, &memory->hits.items[i], &unchanged, err);
		if (!status && unchanged)
			status = bs_top_offer(&memory->top, &memory->hits.items[i], err);
	}
	run->stats->hits -= n - bs_vector_n(&memory->top.heap);
	return bs_deadline_ended(status) ? BS_OK : status;
}

static void start_top(struct bs_run *run, size_t n_best)
{
	struct bs_query_memory *memory = &run->searcher->memory;
	struct bs_top_scan *scan = &memory->top_scan;
	memory->top.list = run->plan->list;
	memory->top.k = n_best;
	bs_vector_clear(&memory->top.heap);
	scan->scorer = &memory->scorer;
	scan->top = &memory->top;
	scan->settle = settle_shard;
	scan->filtered = end_filter;
	scan->context = run;
	scan->stats = &run->stats->rank;
	scan->n_hits = &run->stats->hits;
	bs_vector_clear(&scan->waiting);
	run->stats->hits = 0;
}

static enum bs_status search_segment(struct bs_run *run, uint32_t segment, bool by_bounds,
                                     struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	struct bs_query_memory *memory = &searcher->memory;
	const struct bs_hit_sink sink = {offer, &memory->top};
	if (by_bounds && bs_plan_source(run->plan, segment) == BS_PLAN_COLUMNS) {
		enum bs_status status =
			bs_scan_top(&memory->scan, run->plan, segment, searcher->index->kernel,
		                    &memory->top_scan, &run->stats->scan, err);
		bs_run_charge(run, BS_STAGE_SCAN);
		return status;
	}
	enum bs_status status = bs_run_candidates(run, segment, &memory->candidates, NULL, err);
	return status ? status : bs_run_verify(run, segment, &memory->candidates, &sink, err);
}

static enum bs_status search_segments(struct bs_run *run, size_t n_best, bool by_bounds,
                                      struct bs_error *err)
{
	enum bs_status status = bs_deadline_check(err);
	start_top(run, n_best);
	for (uint32_t s = 0; s < run->plan->list->n_segments && !status; s++)
		if (bs_plan_source(run->plan, s) != BS_PLAN_NOTHING)
			status = search_segment(run, s, by_bounds, err);
	return status;
}

enum bs_status bs_ranked_search(struct bs_run *run, size_t n_best, bool *by_bounds_io,
                                struct bs_error *err)
{
	bool unchanged = true;
	enum bs_status status = search_segments(run, n_best, *by_bounds_io, err);
	if (status || !*by_bounds_io)
		return status;
	status = settle_rest(run, n_best, err);
	run->stats->rank.threshold = bs_top_scan_threshold(&run->searcher->memory.top_scan);
	if (!status)
		status = are_best_unchanged(run, &unchanged, err);
	if (status || unchanged)
		return status;
	*by_bounds_io = false;
	return search_segments(run, n_best, false, err);
}

bool bs_ranked_is_open(const struct bs_run *run)
{
	const struct bs_query_stats *stats = run->stats;
	const struct bs_scorer *scorer = &run->searcher->memory.scorer;
	bool has_unasked = scorer->is_any && scorer->n_words > 1 && stats->rank.threshold > 0;
	return stats->rank.blocks_skipped > 0 ||
	       stats->hits + stats->verify.false_positives != stats->scan.candidates || has_unasked;
}
