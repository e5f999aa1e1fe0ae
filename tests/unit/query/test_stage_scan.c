/* test_stage_scan.c: the scan (query/scan) over two indexes, with every kernel: candidates
 * include every document that matches, sure candidates match, and no candidate is deleted or
 * outside the scope of the plan. */
#include "query/scan/scan.h"
#include "tests/rigs/stages_rig.h"

/* At most one in FALSE_SHARE documents that do not match may be a candidate. */
#define FALSE_SHARE 8

static struct bs_scan scan;
static struct bs_candidate_list candidates;

static int teardown(void **state)
{
	bs_scan_deinit(&scan);
	bs_vector_deinit(&candidates);
	scan = (struct bs_scan){.n_frames = 0};
	candidates = (struct bs_candidate_list){.items = NULL};
	return rig_teardown(state);
}

/* Replaces `candidates` by those of a segment, from the source that the plan names. */
static struct bs_scan_stats list_candidates(uint32_t segment, const struct bs_kernel *kernel,
                                            uint64_t *n_counted)
{
	struct bs_scan_stats stats = {0};
	bs_vector_clear(&candidates);
	switch (bs_plan_source(&rig.plan, segment)) {
	case BS_PLAN_NOTHING:
		break;
	case BS_PLAN_COLUMNS:
		ok(bs_scan_segment(&scan, &rig.plan, segment, kernel, &candidates, n_counted,
		                   &stats, ERR));
		break;
	case BS_PLAN_ALL:
		ok(bs_scan_all(&rig.plan, segment, &candidates, &stats, ERR));
		break;
	}
	return stats;
}

static const struct bs_candidate *find_candidate(struct bs_doc_ref ref)
{
	for (size_t i = 0; i < bs_vector_n(&candidates); i++)
		if (candidates.items[i].document == ref.document)
			return &candidates.items[i];
	return NULL;
}

/* Sums over all segments. */
struct totals {
	uint64_t n_sure, n_matches, n_false, n_admitted;
};

static void check_segment(const struct rig_case *asked, uint32_t segment, const char *admitted,
                          struct totals *totals)
{
	size_t n_of_docs = 0;
	for (size_t i = 1; i < bs_vector_n(&candidates); i++)
		assert_true(candidates.items[i - 1].document < candidates.items[i].document);
	for (size_t i = 0; i < rig.n_docs; i++) {
		const struct rig_doc *doc = &rig.docs[i];
		if (doc->ref.segment != segment)
			continue;
		const struct bs_candidate *candidate = find_candidate(doc->ref);
		bool matches = rig_matches(doc, asked->needs),
		     may_be = !doc->is_deleted && rig_matches(doc, admitted);
		n_of_docs += candidate != NULL;
		if (candidate ? !may_be || (candidate->is_sure && !matches) : may_be && matches)
			fail_msg("%s: %s is %s", asked->query, doc->id,
			         candidate ? "a candidate" : "missing");
		totals->n_admitted += may_be;
		totals->n_matches += matches && may_be;
		totals->n_sure += candidate && candidate->is_sure;
		totals->n_false += candidate && !matches;
	}
	assert_int_equal(n_of_docs, bs_vector_n(&candidates));
}

/* Scans each segment twice: once to list candidates, once to count the sure ones. Only live
 * documents that meet the needs in `admitted` may be candidates. */
static struct totals check_scan(const struct rig_case *asked, const struct bs_kernel *kernel,
                                const char *admitted)
{
	struct totals totals = {0};
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		struct bs_scan_stats stats = list_candidates(s, kernel, NULL);
		size_t n = bs_vector_n(&candidates);
		uint64_t n_counted = 0, n_sure = totals.n_sure;
		assert_int_equal(stats.candidates, n);
		check_segment(asked, s, admitted, &totals);
		list_candidates(s, kernel, &n_counted);
		assert_int_equal(n_counted + bs_vector_n(&candidates), n);
		assert_true(n_counted <= totals.n_sure - n_sure);
	}
	return totals;
}

static void test_every_query(void **state)
{
	const struct bs_kernel *kernels[16];
	size_t n_kernels = bs_kernel_list(kernels, 16);
	bool has_columns = false, has_lists = false;
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		const struct bs_segment *segment = bs_list_segment(&rig.list, s)->segment;
		for (uint32_t i = 0; segment && i < segment->meta.n_shards; i++) {
			has_columns |= segment->shards[i].hashed.n_levels > 1;
			has_lists |= segment->shards[i].hashed.n_levels == 0;
		}
	}
	assert_true(has_columns && has_lists);
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		rig_plan(rig_cases[i].query);
		for (size_t k = 0; k < n_kernels; k++) {
			struct totals totals = check_scan(&rig_cases[i], kernels[k], "");
			/* The index decides every match of a query of words. */
			if (rig_cases[i].is_words) {
				assert_int_equal(totals.n_false, 0);
				assert_int_equal(totals.n_sure, totals.n_matches);
			}
			assert_true(strcmp(rig_cases[i].query, "nowhere") == 0 ||
			            totals.n_matches > 0);
			/* Not every document is a candidate. */
			assert_true(rig_cases[i].is_words || totals.n_false < totals.n_admitted);
		}
	}
}

/* Checks that few candidates do not match. (The other tests also accept a scan that returns too
 * many candidates.) */
static void test_few_are_false(void **state)
{
	static const char *const narrow[] = {"\"quick brown\"", "riv*", "night~1",
	                                     "year:1990..1999", "year:>2005 river"};
	for (size_t i = 0; i < COUNT(narrow); i++) {
		const struct rig_case *asked = rig_cases;
		while (strcmp(asked->query, narrow[i]) != 0)
			asked++;
		rig_plan(asked->query);
		struct totals totals = check_scan(asked, rig.kernel, "");
		assert_true(totals.n_false <= (totals.n_admitted - totals.n_matches) / FALSE_SHARE);
	}
}

/* ---- documents that may not be hits ---- */

static void test_overlay_and_deleted(void **state)
{
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		rig_plan(rig_cases[i].query);
		check_scan(&rig_cases[i], rig.kernel, "");
	}
}

static void test_left_out(void **state)
{
	const struct bs_doc_ref left_out[] = {rig_doc("c20")->ref,
	                                      rig_doc(RIG_FILES "/d001.txt")->ref};
	for (int is_brute = 0; is_brute < 2; is_brute++) {
		const struct bs_plan_scope scope = {
			.left_out = left_out, .n_left_out = 2, .is_brute = is_brute};
		for (size_t i = 0; i < RIG_N_CASES; i++) {
			rig_plan_as(rig_cases[i].query, &scope, NULL);
			check_scan(&rig_cases[i], rig.kernel, "-=c20,-=" RIG_FILES "/d001.txt");
		}
	}
}

/* If columns are not used, every document is a candidate, and none is sure. */
static void test_all(void **state)
{
	const struct bs_plan_scope scope = {.is_brute = true};
	rig_plan_as("river", &scope, NULL);
	struct totals totals = check_scan(&rig_cases[0], rig.kernel, "");
	assert_int_equal(totals.n_sure, 0);
	assert_int_equal(totals.n_matches + totals.n_false, totals.n_admitted);
	/* Columns of an index with other tokenizer rules are not used. */
	rig.list.entries[1].has_other_words = true;
	rig_plan("river");
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		list_candidates(s, rig.kernel, NULL);
		struct totals here = {0};
		check_segment(&rig_cases[0], s, "", &here);
		if (bs_list_segment(&rig.list, s)->entry == 1)
			assert_true(here.n_sure == 0 &&
			            here.n_matches + here.n_false == here.n_admitted);
	}
}

/* ---- a selection ---- */

static void check_selection(const char *glob, const char *admitted)
{
	const char *const globs[] = {glob, NULL};
	const struct bs_selection selection = {.globs = globs};
	struct bs_filter *filter;
	bool is_any;
	uint64_t n_admitted = 0;
	rig_load();
	ok(bs_filter_new(rig.loader, &filter, ERR));
	ok(bs_filter_begin(filter, &selection, &is_any, ERR));
	assert_false(is_any);
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		const struct bs_plan_scope scope = {.filter = filter};
		rig_plan_as(rig_cases[i].query, &scope, NULL);
		n_admitted += check_scan(&rig_cases[i], rig.kernel, admitted).n_admitted;
	}
	assert_true(n_admitted > 0);
	bs_filter_free(filter);
}

static void test_selections(void **state)
{
	check_selection("*.md", "@.md");
	check_selection("*.jsonl", "-@" RIG_FILES "/");
	check_selection("!sub/", "-@/sub/");
}

/* ---- names of files ---- */

static enum bs_status has_name(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
                               bool *has_out, struct bs_error *err)
{
	*has_out = strstr(rig_doc_at(ref)->id, "sub") != NULL;
	return BS_OK;
}

/* The scan decides name: clauses by the file names of the plan. */
static void test_names(void **state)
{
	const struct rig_case cases[] = {{"name:sub", "@/sub/", true},
	                                 {"river name:sub", "@/sub/,river", true}};
	struct bs_file_names names = {.has = has_name, .n_leaves = 1};
	rig.names = &names;
	for (size_t i = 0; i < 2; i++) {
		rig_plan(cases[i].query);
		struct totals totals = check_scan(&cases[i], rig.kernel, "");
		assert_int_equal(totals.n_false, 0);
		assert_true(totals.n_matches > 0);
	}
}

RUN_UNIT_TESTS(RIG_TEST(test_every_query, teardown), RIG_TEST(test_few_are_false, teardown),
               RIG_TEST_FRESH(test_overlay_and_deleted, teardown),
               RIG_TEST(test_left_out, teardown), RIG_TEST_FRESH(test_all, teardown),
               RIG_TEST(test_selections, teardown), RIG_TEST(test_names, teardown))
