/* test_stage_plan.c: the plan (query/plan) over two indexes: frequencies, expansions, pairs,
 * ranges, sources and estimates are compared with counts in the texts. */
#include <math.h>

#include "query/plan/estimate.h"
#include "tests/rigs/stages_rig.h"

static bool is_term(const struct bs_plan_term *term, const char *word)
{
	return rig_is_text(rig.plan.keys.data + term->key_offset, term->key_bytes, word);
}

/* Returns the number of documents of a segment that have the words, including deleted ones. */
static uint64_t count_in_segment(uint32_t segment, const char *words)
{
	uint64_t n = 0;
	for (size_t i = 0; i < rig.n_docs; i++)
		n += rig.docs[i].ref.segment == segment && rig_has(&rig.docs[i], words);
	return n;
}

/* Compares the places of a term, one for each segment, with the texts. */
static void check_places(uint32_t term, const char *words)
{
	uint64_t sum = 0;
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		if (!bs_plan_segment(&rig.plan, s))
			continue;
		const struct bs_term_place *place = bs_plan_place(&rig.plan, s, term);
		assert_int_equal(place->df, count_in_segment(s, words));
		assert_int_equal(place->is_found, place->df > 0);
		sum += place->df;
	}
	assert_int_equal(rig.plan.terms.items[term].df, sum);
	assert_int_equal(sum, rig_df(words));
}

/* ---- words ---- */

static void test_frequencies(void **state)
{
	static const char *const words[] = {"the",     "river", "zebra", "only27",
	                                    "only117", "card",  "paper", "1995"};
	for (size_t i = 0; i < COUNT(words); i++) {
		double idf;
		rig_plan(words[i]);
		assert_int_equal(rig.plan.n_terms, 1);
		assert_true(is_term(&rig.plan.terms.items[0], words[i]));
		assert_false(rig.plan.terms.items[0].is_absent);
		check_places(0, words[i]);
		ok(bs_plan_idf(&rig.plan, (const uint8_t *)words[i], (uint32_t)strlen(words[i]),
		               &idf, ERR));
		assert_true(rig_is_near(idf, rig_idf(words[i])));
	}
	assert_true(rig_df("card") > 0 && rig_df("paper") > 0);
	assert_int_equal(rig.list.n_docs, rig_n_docs());
}

static void test_absent_words(void **state)
{
	double idf;
	rig_plan("nowhere river");
	assert_int_equal(rig.plan.n_terms, 2);
	for (uint32_t t = 0; t < 2; t++) {
		bool is_absent = is_term(&rig.plan.terms.items[t], "nowhere");
		check_places(t, is_absent ? "nowhere" : "river");
		assert_int_equal(rig.plan.terms.items[t].df > 0, !is_absent);
	}
	ok(bs_plan_idf(&rig.plan, (const uint8_t *)"nowhere", 7, &idf, ERR));
	assert_true(rig_is_near(idf, log(1 + ((double)rig_n_docs() + 0.5) / 0.5)));
}

/* ---- expansions ---- */

static void check_expansion(const char *query, const char *const *words)
{
	uint32_t n = 0;
	rig_plan(query);
	assert_int_equal(bs_vector_n(&rig.plan.elements), 1);
	const struct bs_plan_element *element = &rig.plan.elements.items[0];
	assert_false(element->is_too_broad);
	for (; words[n]; n++) {
		uint32_t t = element->first_term;
		while (t < element->first_term + element->n_terms &&
		       !is_term(&rig.plan.terms.items[t], words[n]))
			t++;
		if (t == element->first_term + element->n_terms)
			fail_msg("%s: %s is missing", query, words[n]);
		check_places(t, words[n]);
	}
	assert_int_equal(element->n_terms, n);
}

static void test_expansions(void **state)
{
	check_expansion("riv*", (const char *const[]){"river", "rivers", "rivet", NULL});
	check_expansion("mar?er", (const char *const[]){"marker", NULL});
	check_expansion("*ones", (const char *const[]){"stones", NULL});
	check_expansion("night~1", (const char *const[]){"night", "light", "might", NULL});
	check_expansion("rive~1", (const char *const[]){"river", "rivet", NULL});
	check_expansion("rivr~2", (const char *const[]){"river", "rivers", "rivet", NULL});
	check_expansion("xyzzy*", (const char *const[]){NULL});
	/* Only the second index has the word. */
	check_expansion("car*", (const char *const[]){"card", NULL});
}

/* ---- phrases and ranges ---- */

static void test_pairs(void **state)
{
	uint32_t n_whole = 0;
	rig_plan("\"quick brown\"");
	assert_int_equal(bs_plan_n_pairs(&rig.plan), 1);
	uint32_t root = (uint32_t)rig.query->n_nodes - 1, pair = rig.plan.pairs.items[0].term;
	assert_int_equal(rig.plan.pairs.items[0].n_items, 2);
	assert_int_equal(rig.plan.terms.items[pair].element, BS_PLAN_WORD_PAIR);
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		bool is_found = bs_plan_has_columns(&rig.plan, s) &&
		                bs_plan_place(&rig.plan, s, pair)->is_found;
		if (!is_found)
			continue;
		assert_int_equal(bs_plan_place(&rig.plan, s, pair)->df,
		                 count_in_segment(s, "quick brown"));
		assert_int_equal(bs_plan_equivalent_term(&rig.plan, s, root), pair);
		assert_true(bs_plan_is_exact_leaf(&rig.plan, s, root));
		n_whole++;
	}
	assert_true(n_whole > 0);
	/* A NEAR has no pairs: its words need not be adjacent. */
	rig_plan("\"quick brown\"~3");
	assert_int_equal(bs_plan_n_pairs(&rig.plan), 0);
	rig_plan("\"the quick brown\"");
	assert_int_equal(bs_plan_n_pairs(&rig.plan), 3);
}

/* Returns the number of distinct years in a segment that are earlier than `before`. */
static uint32_t count_years(uint32_t segment, int before)
{
	uint32_t n = 0;
	for (int year = 1; year < before; year++) {
		bool has = false;
		for (size_t i = 0; i < rig.n_docs; i++)
			has |= rig.docs[i].ref.segment == segment && rig_year(&rig.docs[i]) == year;
		n += has;
	}
	return n;
}

static void test_ranges(void **state)
{
	rig_plan("year:1990..1999");
	assert_int_equal(rig.query->n_ranges, 1);
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		if (!bs_plan_segment(&rig.plan, s))
			continue;
		const struct bs_plan_range *range = bs_plan_range(&rig.plan, s, 0);
		assert_true(range->is_known);
		if (bs_list_segment(&rig.list, s)->entry == 0) {
			assert_int_equal(range->ranks.n, 0);
			continue;
		}
		assert_int_equal(range->ranks.n, 1);
		assert_int_equal(range->field.n_values, count_years(s, 9999));
		assert_int_equal(range->ranks.spans[0].low, count_years(s, 1990));
		assert_int_equal(range->ranks.spans[0].last, count_years(s, 2000) - 1);
	}
}

/* ---- where candidates come from ---- */

static void test_sources(void **state)
{
	const struct bs_plan_scope brute = {.is_brute = true};
	uint32_t n_overlays = 0;
	for (int way = 0; way < 3; way++) {
		rig.list.entries[1].has_other_words = way == 2;
		rig_plan_as("river", way == 1 ? &brute : &(struct bs_plan_scope){.filter = NULL},
		            NULL);
		for (uint32_t s = 0; s < rig.list.n_segments; s++) {
			const struct bs_list_segment *segment = bs_list_segment(&rig.list, s);
			bool is_all =
				!segment->segment || way == 1 || (way == 2 && segment->entry == 1);
			assert_int_equal(bs_plan_source(&rig.plan, s),
			                 is_all ? BS_PLAN_ALL : BS_PLAN_COLUMNS);
			n_overlays += !segment->segment;
		}
	}
	assert_int_equal(n_overlays, 6);
	/* Statistics do not count the documents of the overlay. */
	assert_int_equal(rig.list.n_docs, rig_n_docs());
	check_places(0, "river");
}

/* ---- statistics ---- */

static void test_given_statistics(void **state)
{
	struct bs_statistics *statistics = rig_statistics(1000, 50000, 30);
	double idf;
	ok(bs_plan_idf(&rig.plan, (const uint8_t *)"river", 5, &idf, ERR));
	assert_true(rig_is_near(idf, log(1 + (1000 - 30 + 0.5) / 30.5)));
	/* The df in each segment does not depend on the statistics of the request. */
	check_places(0, "river");
	rig_parse("river stone");
	const struct bs_plan_inputs inputs = {.query = rig.query,
	                                      .list = &rig.list,
	                                      .names = rig.names,
	                                      .corpus = {NULL, statistics}};
	expect_error(bs_plan_make(&rig.plan, &inputs, ERR), BS_INVALID, "stone");
	bs_statistics_free(statistics);
}

/* ---- estimates ---- */

static void test_estimates(void **state)
{
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		struct bs_plan_estimate estimate;
		uint64_t n_matches = 0;
		rig_plan(rig_cases[i].query);
		ok(bs_plan_estimate(&rig.plan, &estimate, ERR));
		for (size_t d = 0; d < rig.n_docs; d++)
			n_matches += rig_matches(&rig.docs[d], rig_cases[i].needs);
		assert_true(estimate.n_most >= n_matches && estimate.n_most <= rig_n_docs());
		if (rig_cases[i].is_words)
			assert_true(estimate.is_certain);
	}
	/* The estimate of one word is its df times the share of live documents. */
	struct bs_plan_estimate estimate;
	rig_plan("river");
	ok(bs_plan_estimate(&rig.plan, &estimate, ERR));
	uint64_t n_live = 0;
	for (size_t d = 0; d < rig.n_docs; d++)
		n_live += !rig.docs[d].is_deleted;
	assert_int_equal(estimate.n_most, rig_df("river"));
	assert_int_equal(
		estimate.n_hits,
		(uint64_t)((double)rig_df("river") * (double)n_live / (double)rig_n_docs() + 0.5));
	rig_plan("river stone");
	ok(bs_plan_estimate(&rig.plan, &estimate, ERR));
	assert_int_equal(estimate.n_most,
	                 rig_df("river") < rig_df("stone") ? rig_df("river") : rig_df("stone"));
	rig_plan("\"river stone\"~2");
	ok(bs_plan_estimate(&rig.plan, &estimate, ERR));
	assert_false(estimate.is_certain);
}

RUN_UNIT_TESTS(RIG_TEST(test_frequencies, rig_teardown), RIG_TEST(test_absent_words, rig_teardown),
               RIG_TEST(test_expansions, rig_teardown), RIG_TEST(test_pairs, rig_teardown),
               RIG_TEST(test_ranges, rig_teardown), RIG_TEST_FRESH(test_sources, rig_teardown),
               RIG_TEST(test_given_statistics, rig_teardown),
               RIG_TEST(test_estimates, rig_teardown))
