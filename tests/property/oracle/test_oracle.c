/*
 * test_oracle.c: tests exactness. Over random corpora and queries, three searches must agree: the
 * engine with its index, the engine without it (brute), and the naive search of oracle.h. They must
 * find the same count, the same ids in the same order, and the same scores, with every kernel.
 *
 * Arguments: [N_CORPORA [SEED [QUERIES_PER_CORPUS [FIRST_CORPUS]]]]
 */
#include <math.h>

#include "core/bitsift/search.h"
#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/test.h"

static unsigned n_queries = 45, first_corpus;
static uint64_t n_learnt;  /* queries that were checked with feedback terms */
static uint64_t n_apart;   /* queries that were checked document by document, without the index */
static uint64_t n_certain; /* certain hits of searches for candidates */
static uint64_t n_asked, n_compared, n_exact;
static uint64_t n_gone;               /* replaced documents that compaction has removed */
static uint64_t n_weighed, n_dropped; /* blocks that ranking weighed and dropped */
/* n_ranged: queries with ranges that have hits. n_sorted: searches sorted by a field. */
static uint64_t n_ranged, n_sorted;

static void print_doc(const char *what, size_t doc, double score)
{
	const struct oracle *oracle = &bench.oracle;
	const struct oracle_doc *told = &oracle->docs.items[doc];
	fprintf(stderr, "    %s #%zu ", what, doc);
	bench_print(oracle->bytes.data + told->id_off, told->id_bytes);
	fprintf(stderr, " score %.17g, length %u:", score, told->length);
	for (size_t i = 0; i < told->n_tokens && i < 40; i++) {
		const struct oracle_term *term =
			&oracle->terms.items[oracle->tokens.items[told->first_token + i].term];
		fprintf(stderr, " %u:", oracle->tokens.items[told->first_token + i].position);
		bench_print(oracle->bytes.data + term->term_off, term->term_bytes);
	}
	fprintf(stderr, "\n");
}

/* ---- comparing ---- */

static bool is_id_of(const struct found_hit *hit, size_t doc)
{
	return oracle_has_id(&bench.oracle, doc, bench.found.ids.data + hit->id_off, hit->id_bytes);
}

static void check_stats(void)
{
	const struct bs_query_stats *stats = &bench.found.stats;
	uint64_t total_ns = 0;
	for (int i = 0; i < BS_STAGES; i++)
		total_ns += stats->stage_ns[i];
	/* A search for the best hits skips some candidates and verifies some twice. */
	bool is_top = bench.request.output.mode == BS_SEARCH_TOP && !bench.request.method.brute &&
	              !bench.request.method.exhaustive;
	if (bench.sort_field)
		return;
	if ((!is_top && (stats->verify.verified > stats->scan.candidates ||
	                 stats->hits + stats->verify.false_positives != stats->scan.candidates)) ||
	    stats->verify.false_positives > stats->verify.verified ||
	    stats->scan.document_lines > stats->scan.lines_read || total_ns != stats->total_ns)
		fail_msg("stats: %" PRIu64 " candidates, %" PRIu64 " verified, %" PRIu64
		         " false, %" PRIu64 " hits",
		         stats->scan.candidates, stats->verify.verified,
		         stats->verify.false_positives, stats->hits);
	n_weighed += stats->rank.blocks_weighed;
	n_dropped += stats->rank.blocks_dropped;
	/* The index knows exactly which documents have a word, and how often. So queries of words
	 * read no texts, unless a source may have changed or the request needs texts. */
	bool is_exact =
		!(bench.request.output.mode == BS_SEARCH_TOP && bench.request.method.exhaustive) &&
		!bench.setup.is_young && !bench.request.method.brute &&
		oracle_query_is_words(&bench.query) && !bench.filter.is_when;
	n_exact += is_exact;
	if (is_exact && stats->verify.verified > 0)
		fail_msg("%" PRIu64 " documents verified for words", stats->verify.verified);
	if (bench.request.method.brute && stats->verify.verified != stats->scan.candidates)
		fail_msg("brute, but only %" PRIu64 " of %" PRIu64 " verified",
		         stats->verify.verified, stats->scan.candidates);
}

static void print_found(size_t i)
{
	const struct found_hit *hit = &bench.found.hits.items[i];
	fprintf(stderr, "    found    ");
	bench_print(bench.found.ids.data + hit->id_off, hit->id_bytes);
	fprintf(stderr, "\n");
}

static void check_ids(void)
{
	size_t n_found = bs_vector_n(&bench.found.hits), n_expected = bs_vector_n(&bench.expected),
	       i = 0;
	while (i < n_expected && i < n_found &&
	       is_id_of(&bench.found.hits.items[i], bench.expected.items[i].doc))
		i++;
	if (i == n_expected && i == n_found)
		return;
	if (i < n_found)
		print_found(i);
	if (i < n_expected)
		print_doc("expected", bench.expected.items[i].doc, 0);
	fail_msg("%zu ids, not %zu; the first difference is number %zu", n_found, n_expected, i);
}

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/* Whether a document is among the first n hits. */
static bool is_found(size_t n, size_t doc)
{
	for (size_t i = 0; i < n; i++)
		if (is_id_of(&bench.found.hits.items[i], doc))
			return true;
	return false;
}

/* Whether hit i may take the place of the wanted hit. If two documents have the same score by
 * different words, its last bit depends on the order of addition. Such documents may appear in
 * either order. Documents with the same words and length must keep document order. Hit i is allowed
 * if its score is that of the wanted hit and if all ties that must precede it do. */
static bool may_stand_for(size_t i, const struct oracle_hit *wanted)
{
	for (size_t j = 0; j < bs_vector_n(&bench.expected); j++) {
		const struct oracle_hit *hit = &bench.ranked.items[j];
		/* Several sources may use the same id. */
		bool may = is_id_of(&bench.found.hits.items[i], hit->doc) &&
		           is_near(hit->score, wanted->score, 1e-12);
		for (size_t before = 0; before < j && may; before++) {
			size_t doc = bench.ranked.items[before].doc;
			may = !oracle_is_tie(&bench.query, &bench.oracle, doc, hit->doc) ||
			      is_found(i, doc);
		}
		if (may)
			return true;
	}
	return false;
}

static void check_top(void)
{
	size_t n = bs_vector_n(&bench.expected) < bench.request.output.limit
	                   ? bs_vector_n(&bench.expected)
	                   : bench.request.output.limit;
	assert_int_equal(bs_vector_n(&bench.found.hits), n);
	for (size_t i = 0; i < n; i++) {
		const struct found_hit *hit = &bench.found.hits.items[i];
		const struct oracle_hit *wanted = &bench.ranked.items[i];
		bool is_same = is_id_of(hit, wanted->doc);
		if (hit->rank == i + 1 && is_same && bench.sort_field)
			continue;
		if (!bench.sort_field && hit->rank == i + 1 &&
		    is_near(hit->score, wanted->score, 1e-9) &&
		    (is_same || may_stand_for(i, wanted)))
			continue;
		print_found(i);
		print_doc("expected", wanted->doc, wanted->score);
		fail_msg("hit %zu of rank %zu has score %.17g and another place", i, hit->rank,
		         hit->score);
	}
}

static void check(size_t kernel, enum bs_search_mode mode, bool brute)
{
	bench_search(kernel, mode, brute);
	const struct found *found = &bench.found;
	if (found->status)
		fail_msg("%s: %s", bs_status_name(found->status), found->err.text);
	bool is_top = mode == BS_SEARCH_TOP && !brute && !bench.request.method.exhaustive;
	if (found->is_at_least && !is_top)
		fail_msg("a number of hits that is not exact");
	if (found->is_at_least ? found->stats.hits > bs_vector_n(&bench.expected) ||
	                                 found->stats.hits < bs_vector_n(&found->hits)
	                       : found->stats.hits != bs_vector_n(&bench.expected))
		fail_msg("%" PRIu64 " hits counted, not %zu", found->stats.hits,
		         bs_vector_n(&bench.expected));
	if (mode == BS_SEARCH_COUNT && bs_vector_n(&found->hits) > 0)
		fail_msg("%zu hits shown in a count", bs_vector_n(&found->hits));
	if (mode == BS_SEARCH_IDS)
		check_ids();
	if (mode == BS_SEARCH_TOP)
		check_top();
	check_stats();
	n_compared++;
}

/* Computes the naive search's answer, in document order and ranked. */
static void answer(void)
{
	oracle_search(&bench.query, &bench.oracle, &bench.expected);
	struct oracle_hit *hits = bench.expected.items;
	size_t n = bs_vector_n(&bench.expected), n_passed = 0;
	for (size_t i = 0; i < n; i++)
		if (oracle_filter_passes(&bench.filter, &bench.oracle,
		                         &bench.oracle.docs.items[hits[i].doc]))
			hits[n_passed++] = hits[i];
	bs_vector_set_n(&bench.expected, n_passed);
	bs_vector_clear(&bench.ranked);
	ok(bs_vector_extend(&bench.ranked, hits, n_passed, ERR));
	oracle_rank(bench.ranked.items, n_passed);
}

#define MOST_SORTED 400u /* largest number of hits, because the oracle sorts by insertion */

/* Checks the hits sorted by a field that has values. */
static void check_sorted(size_t kernel)
{
	const struct oracle *oracle = &bench.oracle;
	int name = oracle->n_names ? (int)below((uint32_t)oracle->n_names) : -1;
	size_t n = bs_vector_n(&bench.expected);
	if (name < 0 || !oracle->has_values[name] || n > MOST_SORTED)
		return;
	struct oracle_hit *hits = bench.ranked.items;
	for (size_t i = 0; i < n; i++)
		hits[i] = (struct oracle_hit){.doc = bench.expected.items[i].doc};
	bench.sort_field = oracle->names[name];
	bench.is_descending = by_chance(50);
	oracle_sort(oracle, bench.sort_field, bench.is_descending, hits, n);
	check(kernel, BS_SEARCH_TOP, by_chance(20));
	bench.sort_field = NULL;
	n_sorted += n > 1;
}

static bool has_range(const struct oracle_query *query)
{
	bool has = false;
	for (uint32_t i = 0; i < query->n_nodes; i++)
		has |= query->nodes[i].kind == ORACLE_RANGE;
	return has;
}

/* Returns the document of a hit; SIZE_MAX: none or several documents have its id. */
static size_t doc_of(const struct found_hit *hit)
{
	size_t found = SIZE_MAX;
	for (size_t doc = 0; doc < bs_vector_n(&bench.oracle.docs); doc++) {
		if (!is_id_of(hit, doc))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = doc;
	}
	return found;
}

static void keep_learnt(void *context, const char *text, size_t text_bytes)
{
	struct bs_buffer *line = context;
	const char *end = memchr(text, '\n', text_bytes);
	if (line->used_bytes == 0 && end && strncmp(text, "learnt: ", 8) == 0)
		append_bytes(line, text, (size_t)(end - text) + 1);
}

static int count_hit(void *context, const struct bs_hit *hit)
{
	return context == NULL;
}

/* Runs the query with feedback, by the index or by brute force; stores the line of feedback
 * terms. */
static void learn(size_t n_docs, bool brute, struct bs_buffer *line)
{
	struct bs_search_request request = bench.request;
	request.output.mode = BS_SEARCH_TOP;
	request.output.limit = 3;
	request.query.feedback_docs = n_docs;
	request.method.brute = brute;
	request.callbacks.hit = count_hit;
	request.callbacks.explain = keep_learnt;
	request.callbacks.context = line;
	ok(bs_search(bench.searchers[bench.kernel], &request, NULL, ERR));
}

static void check_feedback(void)
{
	struct oracle_hit hits[20];
	AUTO(bs_buffer_deinit) struct bs_buffer line = {0}, by_brute = {0};
	bench.request.query.feedback_docs = 0;
	bench_search(bench.kernel, BS_SEARCH_TOP, false);
	size_t n = bs_vector_n(&bench.found.hits) < 20 ? bs_vector_n(&bench.found.hits) : 20;
	bool is_known = true;
	for (size_t i = 0; i < n; i++) {
		hits[i] = (struct oracle_hit){doc_of(&bench.found.hits.items[i]),
		                              bench.found.hits.items[i].score};
		is_known = is_known && hits[i].doc != SIZE_MAX;
	}
	if (n > 0 && is_known) {
		learn(n, false, &line);
		learn(n, true, &by_brute);
		const char *fault = oracle_check_feedback(&bench.query, &bench.oracle, hits, n,
		                                          (const char *)line.data, line.used_bytes);
		if (fault)
			fail_msg("feedback of %zu: %s: %.*s", n, fault, (int)line.used_bytes,
			         (const char *)line.data);
		if (!bs_buffer_equals(&line, &by_brute))
			fail_msg("feedback: %.*s, brute: %.*s", (int)line.used_bytes,
			         (const char *)line.data, (int)by_brute.used_bytes,
			         (const char *)by_brute.data);
		n_learnt++;
	}
}

static void check_query(void)
{
	uint32_t n_kernels = (uint32_t)bench.n_kernels, kernel = below(n_kernels);
	size_t n_docs = bs_vector_n(&bench.oracle.docs);
	bool is_small = n_docs <= 1100, is_huge = n_docs > 30000;
	n_asked++;
	if (!oracle_query_analyze(&bench.query, &bench.oracle)) {
		bench_search(kernel, BS_SEARCH_COUNT, false);
		if (bench.found.status != BS_INVALID)
			fail_msg("%s for a query without words",
			         bs_status_name(bench.found.status));
		return;
	}
	answer();
	n_ranged += has_range(&bench.query) && bs_vector_n(&bench.expected) > 0;
	for (size_t i = 0; i < n_kernels; i++)
		if (is_small || i == kernel)
			check(i, BS_SEARCH_COUNT, false);
	check(below(n_kernels), BS_SEARCH_IDS, false);
	if (!is_huge || by_chance(30))
		check(below(n_kernels), BS_SEARCH_TOP, false);
	if (by_chance(is_small ? 100 : is_huge ? 10 : 40))
		check(kernel, (enum bs_search_mode)below(3), true);
	if (by_chance(30))
		check_sorted(below(n_kernels));
	if (is_small && by_chance(20))
		check_feedback();
	n_certain += bench_check_candidates();
	if (!is_huge && by_chance(is_small ? 40 : 4)) {
		bench_check_apart();
		n_apart++;
	}
}

/* Writes, indexes and checks a corpus whose options are drawn. */
static void check_corpus(unsigned queries)
{
	bench_write();
	bench_open();
	for (unsigned i = 0; i < queries; i++) {
		oracle_query_draw(&bench.query, &bench.oracle, &bench.vocabulary);
		oracle_filter_draw(&bench.filter, &bench.oracle, !bench.setup.is_young);
		check_query();
	}
	if (bench.found.n_changed > 0)
		fail_msg("%u changed files", bench.found.n_changed);
	n_gone += bench.oracle.n_gone;
	bench_deinit();
}

static void print_counts(void)
{
	print_message("%" PRIu64 " queries, %" PRIu64 " searches compared (%" PRIu64
	              " of them exact by the filter alone), %" PRIu64
	              " certain candidates, %" PRIu64 " fed back, %" PRIu64 " asked apart, %" PRIu64
	              " blocks weighed (%" PRIu64 " dropped), %" PRIu64
	              " queries with ranges, %" PRIu64 " sorted, %" PRIu64 " compacted away\n",
	              n_asked, n_compared, n_exact, n_certain, n_learnt, n_apart, n_weighed,
	              n_dropped, n_ranged, n_sorted, n_gone);
}

/* ---- tests ---- */

static void test_random_corpora(void **state)
{
	for (unsigned i = 0; i < rounds.n; i++) {
		bench_init(first_corpus + i, 0);
		check_corpus(n_queries);
	}
	print_counts();
}

/* A corpus larger than a shard, with columns of all levels. */
static void test_many_documents(void **state)
{
	bench_init((unsigned)rounds.n, 262144 + 1500);
	bench.setup.policy.is_forced = true;
	memcpy(bench.setup.policy.force, (uint8_t[]){3, 1, 2}, 3);
	bench.setup.policy.use_groups = bench.setup.policy.use_blocks = true;
	bench.setup.forward_mode = BS_FORWARD_NEVER;
	check_corpus(24);
	print_counts();
}

/* If every word has an exact column, or forward indexes exist, single words need no text:
 * check_stats() asserts this. */
static void test_exact_words_are_not_verified(void **state)
{
	for (int is_forward = 0; is_forward < 2; is_forward++) {
		bench_init(13, 1500);
		bench.setup.is_young = false;
		bench.setup.policy = bs_term_treatment_policy_default();
		bench.setup.policy.exact_share = 0;
		bench.setup.policy.has_no_tf_levels = true;
		bench.setup.forward_mode = is_forward ? BS_FORWARD_ALWAYS : BS_FORWARD_NEVER;
		bench_write();
		bench_open();
		uint64_t n_before = n_exact;
		for (int i = 0; i < 200; i++) {
			oracle_query_draw(&bench.query, &bench.oracle, &bench.vocabulary);
			if (oracle_query_analyze(&bench.query, &bench.oracle) &&
			    oracle_query_is_words(&bench.query))
				check_query();
		}
		assert_true(n_exact > n_before + 10);
		bench_deinit();
	}
	print_counts();
}

/* Signs that are words by themselves, but fold to one code point of a script run, are found by
 * queries for the run, and runs are found by queries for such signs. */
static void test_signs_pair_with_runs(void **state)
{
	static const char *const texts[] = {
		"\u6f22\u3297",      "\u3297\ufe0f\u6f22", "\u6f22\u795d",
		"\u3297\u3299",      "\u6f22\u3002\u795d", "\u2f00\u2f01",
		"\u6f22\u0345",      "\u6f22 \u03b9",      "\u795d",
		"\U0001f21a, \u6f22"};
	static const struct {
		const char *text;
		size_t n_hits;
	} queries[] = {{"\u6f22\u795d", 2}, {"\u6f22\u3297", 2}, {"\u795d\u6f22", 1},
	               {"\u795d\u79d8", 1}, {"\u4e00\u4e28", 1}, {"\u6f22\u0345", 2},
	               {"\u6f22\u03b9", 2}, {"\u795d", 6},       {"\u7121\u6f22", 1}};
	bench_init(0, 1);
	bench.setup = (struct oracle_setup){
		.n_sources = 1, .sources = {"signs"}, .forward_mode = BS_FORWARD_NEVER};
	bench.setup.policy = (struct bs_term_treatment_policy){
		.density = 0.1, .exact_share = 2, .is_forced = true, .force = {6, 0, 0}};
	oracle_init(&bench.oracle, NULL);
	for (size_t i = 0; i < COUNT(texts); i++)
		bench_write_file((unsigned)i, texts[i]);
	bench_open();
	for (size_t i = 0; i < COUNT(queries); i++) {
		oracle_query_set(&bench.query, i % 2 ? ORACLE_WORD : ORACLE_PHRASE,
		                 queries[i].text);
		check_query();
		assert_int_equal(bs_vector_n(&bench.expected), queries[i].n_hits);
	}
	bench_deinit();
	print_counts();
}

int main(int argc, char **argv)
{
	random_rounds(argc, argv, 15, 1);
	if (argc > 3)
		n_queries = (unsigned)strtoul(argv[3], NULL, 10);
	if (argc > 4)
		first_corpus = (unsigned)strtoul(argv[4], NULL, 10);
	return RUN_NAMES(NULL, bench_clean, NULL, NULL, test_signs_pair_with_runs,
	                 test_exact_words_are_not_verified, test_random_corpora,
	                 test_many_documents);
}
