/* test_stage_verify.c: the verifier (query/verify) over two indexes: hits and scores by bytes
 * and by analysis, on one thread and on several, are compared with the texts on disk. */
#include <math.h>

#include "query/verify/filename_match.h"
#include "query/verify/verify.h"
#include "query/verify/verify_many.h"
#include "tests/rigs/stages_rig.h"

static struct bs_verify_request request;
static struct bs_verifier verifier;

static int teardown(void **state)
{
	bs_verifier_end(&verifier);
	return rig_teardown(state);
}

/* Replaces rig.plan and ends its verifier. */
static void plan(const char *query)
{
	bs_verifier_end(&verifier);
	rig_plan(query);
}

/* Begins a verifier of rig.plan. by_bytes: texts may be searched by their bytes. */
static void begin(bool by_bytes, bool is_scored)
{
	bs_verifier_end(&verifier);
	rig_load();
	request = (struct bs_verify_request){.plan = &rig.plan,
	                                     .kernel = by_bytes ? rig.kernel : NULL,
	                                     .is_scored = is_scored,
	                                     .avgdl = rig_avgdl()};
	verifier = (struct bs_verifier){
		.request = &request, .tokenizer = rig.analysis.tokenizer, .loader = rig.loader};
	ok(bs_verifier_begin(&verifier, ERR));
}

static struct bs_verified verify(const struct rig_doc *doc, bool is_sure)
{
	struct bs_verified verified;
	ok(bs_verify(&verifier, doc->ref, is_sure, &verified, ERR));
	return verified;
}

/* Verifies every live document by the plan of a query in four ways: by bytes or not, scored or
 * not. */
static void check_all(const struct rig_case *asked)
{
	uint32_t n_hits[RIG_N_INDEXES] = {0};
	for (int way = 0; way < 4; way++) {
		begin(way % 2 == 0, way / 2 == 0);
		for (const struct rig_doc *doc = NULL; (doc = rig_next(doc)) != NULL;) {
			struct bs_verified verified = verify(doc, false);
			if (verified.is_hit != rig_matches(doc, asked->needs))
				fail_msg("%s: %s is %s hit", asked->query, doc->id,
				         verified.is_hit ? "a" : "no");
			assert_true(verified.is_read && !verified.is_open &&
			            verified.read_bytes > 0);
			n_hits[doc->entry] += verified.is_hit;
		}
	}
	if (strcmp(asked->query, "river") == 0)
		assert_true(n_hits[0] > 0 && n_hits[1] > 0);
}

static void test_every_query(void **state)
{
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		plan(rig_cases[i].query);
		check_all(&rig_cases[i]);
	}
}

static void test_scores(void **state)
{
	for (size_t q = 0; q < RIG_N_SCORED; q++) {
		plan(rig_scored[q].query);
		for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
			begin(by_bytes, true);
			assert_true(q > 0 || (verifier.byte_verifier != NULL) == by_bytes);
			for (const struct rig_doc *doc = NULL; (doc = rig_next(doc)) != NULL;) {
				struct bs_verified verified = verify(doc, true);
				double expected = rig_score(doc, rig_scored[q].words);
				assert_int_equal(verified.is_hit,
				                 rig_matches(doc, rig_scored[q].needs));
				if (verified.is_hit && !rig_is_near(verified.score, expected))
					fail_msg("%s: %s scores %.17g, not %.17g",
					         rig_scored[q].query, doc->id, verified.score,
					         expected);
			}
		}
	}
}

/* ---- sources that changed ---- */

/* A sure candidate is read only if its file has changed. */
static void test_changed(void **state)
{
	struct rig_doc *now = rig_doc(RIG_FILES "/d001.txt"),
		       *never = rig_doc(RIG_FILES "/d002.txt");
	struct rig_doc *gone = rig_doc(RIG_FILES "/d003.txt"),
		       *stays = rig_doc(RIG_FILES "/d004.txt");
	rig_change_file(now, "a river and a stone, quick brown");
	/* The helpers of stages_rig.h split words only at spaces, so their copy has no comma. */
	strcpy(now->fields[1], "a river and a stone quick brown");
	rig_change_file(never, "nothing of that");
	rig_remove_file(gone);
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		plan(rig_cases[i].query);
		for (int way = 0; way < 8; way++) {
			bool is_sure = way & 1;
			begin(way & 2, way & 4);
			struct bs_verified of_now = verify(now, is_sure),
					   of_never = verify(never, is_sure),
					   of_gone = verify(gone, is_sure);
			assert_int_equal(of_now.is_hit, rig_matches(now, rig_cases[i].needs));
			assert_int_equal(of_never.is_hit, rig_matches(never, rig_cases[i].needs));
			assert_true(of_now.is_read && of_never.is_read);
			assert_false(of_gone.is_hit || of_gone.is_read);
			struct bs_verified of_stays =
				verify(stays, is_sure && rig_matches(stays, rig_cases[i].needs));
			assert_int_equal(of_stays.is_hit, rig_matches(stays, rig_cases[i].needs));
			assert_int_equal(of_stays.is_read,
			                 !(is_sure && !request.is_scored && of_stays.is_hit));
		}
	}
	/* The score is that of the new text by the statistics of the index. These come from the
	 * plan, because rig_df counts the new text. */
	plan("river stone");
	begin(true, true);
	double norm = 1.2 * (0.25 + 0.75 * 7 / rig_avgdl());
	uint64_t n = rig.list.n_docs,
		 df[2] = {rig.plan.terms.items[0].df, rig.plan.terms.items[1].df};
	double expected = 0;
	for (int w = 0; w < 2; w++)
		expected += log(1 + ((double)n - (double)df[w] + 0.5) / ((double)df[w] + 0.5)) *
		            2.2 / (1 + norm);
	request.avgdl = rig_avgdl();
	assert_true(rig_is_near(verify(now, true).score, expected));
}

static void test_changed_records(void **state)
{
	struct rig_doc *now = rig_doc("c20"), *gone = rig_doc("c21"), *other = rig_doc("c22");
	struct bs_verified verified;
	strcpy(now->fields[0], "river");
	strcpy(now->fields[2], "1995");
	gone->is_deleted = true;
	rig_rewrite_records();
	for (size_t i = 0; i < RIG_N_CASES; i++) {
		plan(rig_cases[i].query);
		check_all(&rig_cases[i]);
		begin(true, false);
		verified = verify(gone, true);
		assert_false(verified.is_hit || verified.is_read);
		/* The record file has changed, so even an unchanged record must be read. */
		verified = verify(other, rig_matches(other, rig_cases[i].needs));
		assert_int_equal(verified.is_hit, rig_matches(other, rig_cases[i].needs));
		assert_true(verified.is_read);
	}
}

/* ---- on threads ---- */

struct listening {
	const struct rig_case *asked;
	uint32_t segment;
	size_t n; /* taken so far */
	uint64_t n_by_threads;
	const struct bs_candidate *candidates;
};

static enum bs_status take(void *context, const struct bs_candidate *candidate,
                           const struct bs_verified *verified, struct bs_error *err)
{
	struct listening *at = context;
	const struct rig_doc *doc =
		rig_doc_at((struct bs_doc_ref){at->segment, candidate->document});
	struct bs_verified own = *verified;
	assert_ptr_equal(candidate, at->candidates + at->n++);
	at->n_by_threads += !verified->is_open;
	if (verified->is_open)
		own = verify(doc, candidate->is_sure);
	assert_int_equal(own.is_hit, rig_matches(doc, at->asked->needs));
	if (request.is_scored && own.is_hit && !verified->is_open)
		assert_true(rig_is_near(own.score, verify(doc, candidate->is_sure).score));
	return BS_OK;
}

/* Verifies the live documents of each segment. Returns the number that was decided by threads. */
static uint64_t check_many(struct bs_verify_crew *crew, const struct rig_case *asked,
                           uint32_t n_threads)
{
	uint64_t n_by_threads = 0;
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		struct bs_candidate candidates[RIG_MOST_DOCS];
		size_t n = 0;
		for (uint32_t d = 0; d < bs_list_segment(&rig.list, s)->n_docs; d++)
			if (!rig_doc_at((struct bs_doc_ref){s, d})->is_deleted)
				candidates[n++] = (struct bs_candidate){.document = d};
		struct listening at = {.asked = asked, .segment = s, .candidates = candidates};
		const struct bs_verify_list list = {s, candidates, n, take, &at};
		ok(bs_verify_many(crew, &request, &list, n_threads, ERR));
		assert_int_equal(at.n, n);
		n_by_threads += at.n_by_threads;
	}
	bs_verify_crew_end(crew);
	return n_by_threads;
}

static void test_threads(void **state)
{
	struct bs_verify_crew *crew;
	struct rig_doc *changed = rig_doc(RIG_FILES "/d011.txt");
	rig_load();
	ok(bs_verify_crew_new(&rig.list, rig.prefix_checks, rig.loader, &crew, ERR));
	for (int is_changed = 0; is_changed < 2; is_changed++) {
		for (size_t i = 0; i < RIG_N_CASES; i++) {
			plan(rig_cases[i].query);
			for (int is_scored = 0; is_scored < 2; is_scored++) {
				begin(true, is_scored);
				assert_int_equal(check_many(crew, &rig_cases[i], 1), 0);
				assert_true(check_many(crew, &rig_cases[i], 4) > 0);
			}
		}
		/* Threads leave changed documents to the caller. */
		rig_change_file(changed, "a new river");
	}
	bs_verify_crew_free(crew);
}

/* ---- names of files ---- */

static void test_names(void **state)
{
	static const struct rig_case cases[] = {{"name:sub", "@/sub/", false},
	                                        {"name:sub OR river", "@/sub/|river", false},
	                                        {"river -name:sub", "-@/sub/,river", false},
	                                        {"name:d01*", "@/d01", false}};
	struct bs_filename_match named = {.leaves = NULL};
	rig.names = &named.names;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
			plan(cases[i].query);
			ok(bs_filename_match_begin(&named, &rig.plan, rig.analysis.tokenizer,
			                           by_bytes ? rig.kernel : NULL, ERR));
			assert_int_equal(named.names.n_leaves, 1);
			check_all(&cases[i]);
		}
	}
	bs_verifier_end(&verifier);
	bs_filename_match_deinit(&named);
	rig.names = &rig.no_names;
}

RUN_UNIT_TESTS(RIG_TEST(test_every_query, teardown), RIG_TEST(test_scores, teardown),
               RIG_TEST(test_changed, teardown), RIG_TEST(test_changed_records, teardown),
               {"test_overlay", test_every_query, rig_setup_fresh, teardown, NULL},
               RIG_TEST(test_threads, teardown), RIG_TEST(test_names, teardown))
