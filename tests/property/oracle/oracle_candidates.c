/* oracle_candidates.c: compares a search for candidates with a search that reads texts. See
 * oracle_bench.h. */
#include "core/bitsift/candidates.h"
#include "core/bitsift/search.h"
#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/test.h"

/* Hits of a search, in the order of the calls. */
struct taken {
	struct bs_u64s documents;
	struct bs_buffer candidates; /* a bool for each hit: true if it is not certain to match */
	struct bs_buffer ids;        /* for each hit the length of its id, a size_t, and the id */
};

static void take(struct taken *taken, uint64_t document, bool is_candidate, const char *id,
                 size_t id_bytes)
{
	ok(bs_vector_append(&taken->documents, &document, ERR));
	append_bytes(&taken->candidates, &is_candidate, sizeof(is_candidate));
	append_bytes(&taken->ids, &id_bytes, sizeof(id_bytes));
	append_bytes(&taken->ids, id, id_bytes);
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	take(context, hit->document, hit->is_candidate, hit->id, hit->id_bytes);
	return 0;
}

static int take_batch(void *context, const struct bs_hit_batch *batch)
{
	for (size_t i = 0, start = 0; i < batch->n; start = batch->id_ends[i++])
		take(context, batch->documents[i], batch->are_candidates[i], batch->ids + start,
		     batch->id_ends[i] - start);
	return 0;
}

static void clear(struct taken *taken)
{
	bs_vector_deinit(&taken->documents);
	bs_buffer_deinit(&taken->candidates);
	bs_buffer_deinit(&taken->ids);
}

/* Every certain candidate must be a hit, and every hit a candidate, in the same order. */
static const char *compare(const struct taken *exact, const struct taken *found,
                           size_t *n_candidates_out)
{
	size_t at = 0;
	*n_candidates_out = 0;
	for (size_t i = 0; i < bs_vector_n(&found->documents); i++) {
		bool is_hit = at < bs_vector_n(&exact->documents) &&
		              found->documents.items[i] == exact->documents.items[at];
		at += is_hit;
		*n_candidates_out += found->candidates.data[i];
		if (!is_hit && !found->candidates.data[i])
			return "a certain one is no hit";
	}
	return at == bs_vector_n(&exact->documents) ? NULL : "a hit is no candidate";
}

const char *bench_check_candidates(uint64_t *n_certain_io)
{
	struct bs_search_request request = bench.request;
	struct bs_searcher *searcher = bench.searchers[bench.kernel];
	struct taken exact = {.ids = {0}}, one_by_one = exact, in_batches = exact;
	struct bs_search_result result, counted;
	size_t n_candidates;
	const char *fault = "a search fails";
	request.method.brute = request.method.exhaustive = false;
	request.output.offset = 0;
	request.output.sort_field = NULL;
	request.output.mode = BS_SEARCH_IDS;
	request.callbacks.hit = take_hit;
	request.callbacks.context = &exact;
	if (bs_search(searcher, &request, NULL, ERR))
		goto out;
	request.output.candidates = true;
	request.callbacks.context = &one_by_one;
	if (bs_search(searcher, &request, &result, ERR))
		goto out;
	request.callbacks.hit = NULL;
	request.callbacks.batch = take_batch;
	request.callbacks.context = &in_batches;
	if (bs_search(searcher, &request, NULL, ERR))
		goto out;
	request.output.mode = BS_SEARCH_COUNT;
	request.callbacks.batch = NULL;
	if (bs_search(searcher, &request, &counted, ERR))
		goto out;
	fault = compare(&exact, &one_by_one, &n_candidates);
	if (!fault &&
	    (!bs_buffer_equals(&one_by_one.ids, &in_batches.ids) ||
	     !bs_buffer_equals(&one_by_one.documents.bytes, &in_batches.documents.bytes) ||
	     !bs_buffer_equals(&one_by_one.candidates, &in_batches.candidates)))
		fault = "batches have other hits";
	if (!fault && (result.n_hits != bs_vector_n(&one_by_one.documents) ||
	               result.n_candidates != n_candidates || counted.n_hits != result.n_hits ||
	               counted.n_candidates != n_candidates))
		fault = "they are counted otherwise";
	if (!fault && (result.stats.verify.verified || result.stats.verify.bytes ||
	               counted.stats.verify.verified))
		fault = "a text was read";
	struct bs_search_estimate estimate;
	if (!fault && bs_estimate(searcher, &request, &estimate, ERR))
		fault = "it cannot be estimated";
	/* The estimate ignores filters, which only reduce the hits. */
	if (!fault && (estimate.n_least_df < bs_vector_n(&exact.documents) ||
	               estimate.n_hits > estimate.n_docs))
		fault = "the estimate is below what there is";
	if (!fault && estimate.is_certain && !request.filter.date_field && n_candidates > 0)
		fault = "they were to be certain";
	*n_certain_io += bs_vector_n(&one_by_one.documents) - n_candidates;
out:
	clear(&exact);
	clear(&one_by_one);
	clear(&in_batches);
	return fault;
}
