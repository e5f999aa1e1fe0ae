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

/* Every certain candidate must be a hit, and every hit a candidate, in the same order. Returns the
 * number of candidates that are not certain. */
static size_t compare(const struct taken *exact, const struct taken *found)
{
	size_t at = 0, n_candidates = 0;
	for (size_t i = 0; i < bs_vector_n(&found->documents); i++) {
		bool is_hit = at < bs_vector_n(&exact->documents) &&
		              found->documents.items[i] == exact->documents.items[at];
		at += is_hit;
		n_candidates += found->candidates.data[i];
		if (!is_hit && !found->candidates.data[i])
			fail_msg("a certain candidate is no hit");
	}
	if (at < bs_vector_n(&exact->documents))
		fail_msg("a hit is no candidate");
	return n_candidates;
}

uint64_t bench_check_candidates(void)
{
	struct bs_search_request request = bench.request;
	struct bs_searcher *searcher = bench.searchers[bench.kernel];
	struct taken exact = {.ids = {0}}, one_by_one = exact, in_batches = exact;
	struct bs_search_result result, counted;
	struct bs_search_estimate estimate;
	request.method.brute = request.method.exhaustive = false;
	request.output.offset = 0;
	request.output.sort_field = NULL;
	request.output.mode = BS_SEARCH_IDS;
	request.callbacks.hit = take_hit;
	request.callbacks.context = &exact;
	ok(bs_search(searcher, &request, NULL, ERR));
	request.output.candidates = true;
	request.callbacks.context = &one_by_one;
	ok(bs_search(searcher, &request, &result, ERR));
	request.callbacks.hit = NULL;
	request.callbacks.batch = take_batch;
	request.callbacks.context = &in_batches;
	ok(bs_search(searcher, &request, NULL, ERR));
	request.output.mode = BS_SEARCH_COUNT;
	request.callbacks.batch = NULL;
	ok(bs_search(searcher, &request, &counted, ERR));
	size_t n_candidates = compare(&exact, &one_by_one);
	assert_true(bs_buffer_equals(&one_by_one.ids, &in_batches.ids));
	assert_true(bs_buffer_equals(&one_by_one.documents.bytes, &in_batches.documents.bytes));
	assert_true(bs_buffer_equals(&one_by_one.candidates, &in_batches.candidates));
	assert_int_equal(result.n_hits, bs_vector_n(&one_by_one.documents));
	assert_int_equal(counted.n_hits, result.n_hits);
	assert_int_equal(result.n_candidates, n_candidates);
	assert_int_equal(counted.n_candidates, n_candidates);
	/* no text was read */
	assert_int_equal(result.stats.verify.verified, 0);
	assert_int_equal(result.stats.verify.bytes, 0);
	assert_int_equal(counted.stats.verify.verified, 0);
	/* The estimate ignores filters, which only reduce the hits. */
	ok(bs_estimate(searcher, &request, &estimate, ERR));
	assert_true(estimate.n_least_df >= bs_vector_n(&exact.documents));
	assert_true(estimate.n_hits <= estimate.n_docs);
	assert_false(estimate.is_certain && !request.filter.date_field && n_candidates > 0);
	clear(&exact);
	clear(&one_by_one);
	clear(&in_batches);
	return result.n_hits - n_candidates;
}
