/* test_stage_rank.c: scores and orders (query/rank) over two indexes are compared with the
 * formula of BM25 and with sorting all matches. */
#include <math.h>

#include "query/rank/rank.h"
#include "query/rank/scan_top.h"
#include "query/rank/sorted_hits.h"
#include "query/statistics/corpus_statistics.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/stages_rig.h"

static struct bs_scorer scorer;
static struct bs_scan scan;

static int teardown(void **state)
{
	bs_scorer_deinit(&scorer);
	bs_scan_deinit(&scan);
	scan = (struct bs_scan){.n_frames = 0};
	return rig_teardown(state);
}

/* ---- scores ---- */

static bool is_match(const struct rig_scored *query, const struct rig_doc *doc)
{
	return !doc->is_deleted && rig_matches(doc, query->needs);
}

/* Sets `has` for each word of the scorer from the text. */
static void find_has(const struct rig_doc *doc, uint8_t *has)
{
	assert_in_range(scorer.n_words, 1, RIG_MOST_WORDS);
	for (size_t i = 0; i < scorer.n_words; i++) {
		const struct bs_plan_term *term = &rig.plan.terms.items[scorer.words[i].term];
		char word[64];
		snprintf(word, sizeof(word), "%.*s", (int)term->key_bytes,
		         (const char *)rig.plan.keys.data + term->key_offset);
		has[i] = rig_has(doc, word) ? BS_HAS : BS_HAS_NOT;
	}
}

static double score_of(const struct rig_doc *doc, bool *is_exact)
{
	uint8_t has[RIG_MOST_WORDS];
	double score;
	*is_exact = true;
	find_has(doc, has);
	ok(bs_scorer_score(&scorer, doc->ref.segment, doc->ref.document, has, &score, is_exact,
	                   ERR));
	return score;
}

static void make_scorer(const char *query)
{
	rig_plan(query);
	ok(bs_scorer_make(&scorer, &rig.plan, rig_avgdl(), ERR));
	assert_true(scorer.is_complete);
}

static void test_scores(void **state)
{
	for (size_t q = 0; q < RIG_N_SCORED; q++) {
		uint64_t n_exact = 0;
		make_scorer(rig_scored[q].query);
		for (size_t i = 0; i < rig.n_docs; i++) {
			bool is_exact;
			double score = score_of(&rig.docs[i], &is_exact),
			       expected = rig_score(&rig.docs[i], rig_scored[q].words);
			if (is_exact ? !rig_is_near(score, expected)
			             : score < expected * (1 - 1e-9))
				fail_msg("%s: %s scores %.17g, not %.17g", rig_scored[q].query,
				         rig.docs[i].id, score, expected);
			n_exact += is_exact;
		}
		assert_true(n_exact > rig.n_docs / 2);
	}
}

/* If it is unknown whether a document has the words, its score is an upper bound. */
static void test_bounds(void **state)
{
	uint8_t has[2] = {BS_HAS_MAYBE, BS_HAS_MAYBE};
	make_scorer("river stone");
	assert_int_equal(scorer.n_words, 2);
	for (size_t i = 0; i < rig.n_docs; i++) {
		const struct rig_doc *doc = &rig.docs[i];
		bool is_exact = true;
		double score, most = 0;
		ok(bs_scorer_score(&scorer, doc->ref.segment, doc->ref.document, has, &score,
		                   &is_exact, ERR));
		assert_false(is_exact);
		assert_true(score >= rig_score(doc, rig_scored[1].words) * (1 - 1e-9));
		for (size_t w = 0; w < 2; w++)
			most += bs_scorer_most(&scorer, w, 0, 0);
		assert_true(score <= most);
	}
	/* The share of a word grows with its tf and falls with the length of the document. */
	double most = rig_idf("river") * 2.2;
	assert_true(fabs(bs_scorer_most(&scorer, 0, 0, 0) / most - 1) <= 1e-9 ||
	            fabs(bs_scorer_most(&scorer, 1, 0, 0) / most - 1) <= 1e-9);
	assert_true(bs_scorer_most(&scorer, 0, 2, 10) < bs_scorer_most(&scorer, 0, 3, 10));
	assert_true(bs_scorer_most(&scorer, 0, 2, 10) > bs_scorer_most(&scorer, 0, 2, 20));
}

static void test_given_statistics(void **state)
{
	struct bs_statistics *statistics = rig_statistics(5000, 100000, 77);
	ok(bs_scorer_make(&scorer, &rig.plan,
	                  bs_corpus_avgdl(&(struct bs_corpus){NULL, statistics}), ERR));
	for (size_t i = 0; i < rig.n_docs; i++) {
		bool is_exact;
		double score = score_of(&rig.docs[i], &is_exact),
		       tf = rig_count(&rig.docs[i], RIG_N_FIELDS, "river");
		double expected = log(1 + (5000 - 77 + 0.5) / 77.5) * tf * 2.2 /
		                  (tf + 1.2 * (0.25 + 0.75 * rig_length(&rig.docs[i]) / 20));
		if (is_exact)
			assert_true(rig_is_near(score, expected));
	}
	bs_statistics_free(statistics);
}

/* ---- the best ---- */

static struct bs_ranked_hit hit_of(const struct rig_doc *doc, double score)
{
	return (struct bs_ranked_hit){
		.score = score, .segment = doc->ref.segment, .document = doc->ref.document};
}

/* A permutation of the numbers of documents that mixes indexes and segments. */
static size_t mixed(size_t i)
{
	return i * 211 % rig.n_docs;
}

/* Higher scores first, ties in document order, which is that of rig.docs. */
static int compare_expected(const void *a, const void *b)
{
	const struct bs_ranked_hit *x = a, *y = b;
	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	const struct rig_doc *of_x = rig_doc_at(bs_hit_ref(x)), *of_y = rig_doc_at(bs_hit_ref(y));
	return of_x < of_y ? -1 : of_x > of_y;
}

static void test_best_of_many(void **state)
{
	static const size_t ks[] = {0, 1, 2, 7, 100, RIG_MOST_DOCS};
	struct bs_ranked_hit expected[RIG_MOST_DOCS];
	assert_true(rig.n_docs % 211 > 0);
	for (size_t i = 0; i < rig.n_docs; i++)
		expected[i] = hit_of(&rig.docs[i], (double)(i * 7 % 5));
	qsort(expected, rig.n_docs, sizeof(*expected), compare_expected);
	for (size_t n = 0; n < COUNT(ks); n++) {
		struct bs_top top = {.list = &rig.list, .k = ks[n]};
		const struct bs_ranked_hit *hits;
		for (size_t i = 0; i < rig.n_docs; i++) {
			const struct bs_ranked_hit hit =
				hit_of(&rig.docs[mixed(i)], (double)(mixed(i) * 7 % 5));
			ok(bs_top_offer(&top, &hit, ERR));
		}
		size_t n_hits = bs_top_finish(&top, &hits);
		assert_int_equal(n_hits, ks[n] < rig.n_docs ? ks[n] : rig.n_docs);
		for (size_t i = 0; i < n_hits; i++)
			assert_true(rig_is_same(bs_hit_ref(&hits[i]), bs_hit_ref(&expected[i])) &&
			            rig_is_near(hits[i].score, expected[i].score));
		bs_vector_deinit(&top.heap);
	}
}

static void test_orders(void **state)
{
	struct bs_ranked_hit hits[RIG_MOST_DOCS];
	AUTO(vector_deinit) struct bs_ranked_hits heap = {.items = NULL};
	for (size_t i = 0; i < rig.n_docs; i++) {
		hits[i] = hit_of(&rig.docs[mixed(i)], (double)(mixed(i) % 11));
		ok(bs_hits_push(&heap, &hits[i], ERR));
	}
	bs_sort_by_document(&rig.list, hits, rig.n_docs);
	for (size_t i = 0; i < rig.n_docs; i++)
		assert_true(rig_is_same(bs_hit_ref(&hits[i]), rig.docs[i].ref));
	struct bs_ranked_hit last = bs_hits_pop(&heap);
	for (size_t i = 1; i < rig.n_docs; i++) {
		struct bs_ranked_hit next = bs_hits_pop(&heap);
		assert_true(next.score < last.score ||
		            (!(next.score > last.score) &&
		             (next.segment != last.segment ? next.segment > last.segment
		                                           : next.document > last.document)));
		last = next;
	}
	assert_int_equal(bs_vector_n(&heap), 0);
}

/* ---- the best by bounds ---- */

struct top_search {
	const struct rig_scored *query;
	struct bs_top top;
	struct bs_top_scan scan;
	bool settles_early; /* settles between shards, not only at the end */
	uint64_t n_settled;
};

/* Scores the waiting documents, highest bound first, and offers those whose texts match. */
static enum bs_status settle(void *context, bool are_few, struct bs_error *err)
{
	struct top_search *search = context;
	enum bs_status status = BS_OK;
	while (search->settles_early && bs_vector_n(&search->scan.waiting) > 0 && !status) {
		struct bs_ranked_hit bound = bs_hits_pop(&search->scan.waiting);
		const struct rig_doc *doc = rig_doc_at(bs_hit_ref(&bound));
		bool is_exact;
		double score = score_of(doc, &is_exact);
		struct bs_ranked_hit hit =
			hit_of(doc, is_exact ? score : rig_score(doc, search->query->words));
		if (!bs_top_scan_is_possible(&search->scan, bound.score)) {
			bs_vector_clear(&search->scan.waiting);
			break;
		}
		assert_true(bound.score >= hit.score * (1 - 1e-9));
		if (is_match(search->query, doc))
			status = bs_top_offer(&search->top, &hit, err);
		search->n_settled++;
	}
	return status;
}

static void filtered(void *context)
{
}

/* Lists all matches with their scores, the best first. */
static size_t score_all(const struct rig_scored *query, struct bs_ranked_hit *hits)
{
	size_t n = 0;
	for (size_t i = 0; i < rig.n_docs; i++) {
		bool is_exact;
		double score = score_of(&rig.docs[i], &is_exact);
		if (is_match(query, &rig.docs[i]))
			hits[n++] =
				hit_of(&rig.docs[i],
			               is_exact ? score : rig_score(&rig.docs[i], query->words));
	}
	qsort(hits, n, sizeof(*hits), compare_expected);
	return n;
}

static void check_top_scan(const struct rig_scored *query, size_t k, bool settles_early)
{
	struct bs_scan_stats scan_stats = {0};
	struct bs_rank_stats rank_stats = {0};
	struct bs_ranked_hit expected[RIG_MOST_DOCS];
	const struct bs_ranked_hit *hits;
	uint64_t n_hits = 0;
	struct top_search search = {
		.query = query, .top = {.list = &rig.list, .k = k}, .settles_early = settles_early};
	search.scan = (struct bs_top_scan){.scorer = &scorer,
	                                   .top = &search.top,
	                                   .stats = &rank_stats,
	                                   .n_hits = &n_hits,
	                                   .settle = settle,
	                                   .filtered = filtered,
	                                   .context = &search};
	size_t n_expected = score_all(query, expected);
	for (uint32_t s = 0; s < rig.list.n_segments; s++)
		if (bs_plan_source(&rig.plan, s) == BS_PLAN_COLUMNS)
			ok(bs_scan_top(&scan, &rig.plan, s, rig.kernel, &search.scan, &scan_stats,
			               ERR));
	search.settles_early = true;
	ok(settle(&search, false, ERR));
	assert_true(n_hits <= n_expected);
	n_expected = n_expected < k ? n_expected : k;
	double threshold = bs_top_scan_threshold(&search.scan);
	size_t n = bs_top_finish(&search.top, &hits);
	assert_int_equal(n, n_expected);
	for (size_t i = 0; i < n; i++) {
		const struct rig_doc *doc = rig_doc_at(bs_hit_ref(&hits[i]));
		if (!rig_is_same(bs_hit_ref(&hits[i]), bs_hit_ref(&expected[i])) ||
		    !rig_is_near(hits[i].score, rig_score(doc, query->words)))
			fail_msg("%s, k %zu: hit %zu is %s with %.17g, not %s", query->query, k, i,
			         doc->id, hits[i].score, rig_doc_at(bs_hit_ref(&expected[i]))->id);
	}
	assert_true(n < k ? !(threshold > 0) : rig_is_near(threshold, hits[n - 1].score));
	bs_vector_deinit(&search.top.heap);
	bs_top_scan_deinit(&search.scan);
}

static void test_best_by_bounds(void **state)
{
	static const size_t ks[] = {1, 3, 10, 60, RIG_MOST_DOCS};
	for (size_t q = 0; q < RIG_N_SCORED; q++) {
		make_scorer(rig_scored[q].query);
		for (size_t n = 0; n < COUNT(ks); n++) {
			check_top_scan(&rig_scored[q], ks[n], false);
			check_top_scan(&rig_scored[q], ks[n], true);
		}
	}
}

/* ---- sorted by a field ---- */

struct sorted_search {
	const struct rig_case *asked;
	struct bs_sorting sorting;
	uint64_t n_offered; /* offered documents that match */
};

static enum bs_status offer(void *context, const struct bs_candidate *candidate,
                            const struct bs_sorted_hit *hit, bool is_known, struct bs_error *err)
{
	struct sorted_search *search = context;
	const struct rig_doc *doc = rig_doc_at(bs_hit_ref(&hit->hit));
	const struct bs_field field = {"year", 4, (const uint8_t *)doc->fields[2],
	                               strlen(doc->fields[2])};
	struct bs_sorted_hit taken = {.hit = hit->hit};
	taken.has_value = bs_sorting_value(&search->sorting, &field, 1, &taken.value);
	assert_false(doc->is_deleted);
	assert_int_equal(taken.has_value, rig_year(doc) > 0);
	if (candidate->is_sure)
		assert_true(rig_matches(doc, search->asked->needs));
	if (is_known) {
		assert_int_equal(hit->has_value, taken.has_value);
		assert_true(!taken.has_value || bs_value_compare(&hit->value, &taken.value) == 0);
	}
	if (!rig_matches(doc, search->asked->needs))
		return BS_OK;
	search->n_offered++;
	return bs_sorting_take(&search->sorting, is_known ? hit : &taken, err);
}

static bool is_descending;

/* By year, descending if is_descending, then in document order; documents without a year last. */
static int compare_years(const void *a, const void *b)
{
	const struct rig_doc *const *x = a, *const *y = b;
	int of_x = rig_year(*x), of_y = rig_year(*y);
	if (!of_x != !of_y)
		return of_x ? -1 : 1;
	if (of_x != of_y)
		return (of_x < of_y) != is_descending ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static void check_sorted(const struct rig_case *asked, size_t k, bool is_trusted, bool is_backward)
{
	const struct rig_doc *expected[RIG_MOST_DOCS];
	struct sorted_search search = {.asked = asked};
	struct bs_scan_stats stats = {0};
	const struct bs_sorted_hit *hits;
	size_t n_expected = 0;
	search.sorting = (struct bs_sorting){.list = &rig.list,
	                                     .field = "year",
	                                     .is_descending = is_descending,
	                                     .k = k,
	                                     .offer = offer,
	                                     .context = &search};
	for (size_t i = 0; i < rig.n_docs; i++)
		if (!rig.docs[i].is_deleted && rig_matches(&rig.docs[i], asked->needs))
			expected[n_expected++] = &rig.docs[i];
	qsort(expected, n_expected, sizeof(*expected), compare_years);
	rig_plan(asked->query);
	/* Equal values are in document order, whichever segment is scanned first. */
	for (uint32_t i = 0; i < rig.list.n_segments; i++) {
		uint32_t s = is_backward ? rig.list.n_segments - 1 - i : i;
		if (bs_plan_source(&rig.plan, s) == BS_PLAN_COLUMNS)
			ok(bs_scan_sorted(&scan, &rig.plan, s, rig.kernel, is_trusted,
			                  &search.sorting, &stats, ERR));
	}
	if (!search.sorting.is_open)
		assert_int_equal(search.n_offered + search.sorting.n_passed, n_expected);
	assert_true(is_trusted || search.n_offered == n_expected);
	size_t n = bs_sorting_finish(&search.sorting, &hits);
	assert_int_equal(n, n_expected < k ? n_expected : k);
	for (size_t i = 0; i < n; i++)
		if (!rig_is_same(bs_hit_ref(&hits[i].hit), expected[i]->ref) ||
		    hits[i].has_value != (rig_year(expected[i]) > 0))
			fail_msg("%s, k %zu: hit %zu is %s, not %s", asked->query, k, i,
			         rig_doc_at(bs_hit_ref(&hits[i].hit))->id, expected[i]->id);
	bs_sorting_deinit(&search.sorting);
}

static void test_sorted(void **state)
{
	static const size_t ks[] = {1, 4, 30, RIG_MOST_DOCS};
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		for (size_t n = 0; n < 2 * COUNT(ks); n++) {
			is_descending = n % 2 == 1;
			for (unsigned way = 0; way < 4; way++)
				check_sorted(&rig_cases[i], ks[n / 2], way & 1, way & 2);
		}
	}
}

RUN_TESTS_EACH_WITH(rig_setup, teardown, test_scores, test_bounds, test_given_statistics,
                    test_best_of_many, test_orders, test_best_by_bounds, test_sorted)
