/*
 * test_oracle.c: the proof of exactness: over random corpora and queries, the engine with its index finds what the
 * engine without it finds, and what a naive search written only here finds (oracle.h): the same count, the same ids in
 * the same order, the same scores; with every kernel.
 *
 * test_oracle [N_CORPORA [QUERIES_PER_CORPUS [SEED [FIRST_CORPUS]]]] runs longer, or one corpus again.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "query/search.h"
#include "tests/oracle.h"

#define MAX_KERNELS 16
/* More are counted, but not told. */
#define MAX_TOLD    20

static unsigned n_corpora = 50, n_queries = 45, first_corpus;
static uint64_t main_seed = 1;
static uint64_t n_run, n_compared, n_differences;

/* ---- a folder of our own ---- */

static char home[4096];

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
	(void)info, (void)kind, (void)ftw;
	return remove(path);
}

static int enter_folder(void **state)
{
	(void)state;
	const char *base = getenv("TMPDIR");
	snprintf(home, sizeof(home), "%s/bitsift-oracle-XXXXXX", base ? base : "/tmp");
	return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	return chdir("/") || nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS) ? -1 : 0;
}

/* ---- the engine ---- */

/* What a search gave. */
struct found {
	struct bs_buffer ids; /* one after the other */
	struct bs_buffer hits; /* struct found_hit */
	struct bs_query_stats stats;
	enum bs_status status;
	struct bs_error err;
	unsigned n_changed; /* notices of changed sources */
};

struct found_hit {
	size_t id_off, id_bytes;
	double score;
	size_t rank;
};

static enum bs_status take_hit(void *context, const struct bs_search_hit *hit, struct bs_error *err)
{
	struct found *found = context;
	struct found_hit taken = {found->ids.used_bytes, hit->id_bytes, hit->score, hit->rank};
	enum bs_status status = bs_buffer_append(&found->ids, hit->id, hit->id_bytes, err);
	return status ? status : bs_buffer_append(&found->hits, &taken, sizeof(taken), err);
}

static void take_notice(void *context, const char *message)
{
	struct found *found = context;
	found->n_changed += strstr(message, "since it was indexed") != NULL;
}

static size_t n_found(const struct found *found)
{
	return found->hits.used_bytes / sizeof(struct found_hit);
}

static const struct found_hit *found_at(const struct found *found, size_t i)
{
	return (const struct found_hit *)(const void *)found->hits.data + i;
}

/* Everything about the corpus under test. */
struct bench {
	struct dice dice;
	struct oracle_setup setup;
	struct oracle_vocabulary vocabulary;
	struct oracle oracle;
	struct oracle_query query;
	struct bs_buffer expected; /* struct oracle_hit in document order */
	struct bs_buffer ranked;   /* the same, the best first */
	struct found found;
	const struct bs_kernel *kernels[MAX_KERNELS];
	struct bs_search searches[MAX_KERNELS];
	struct bs_searcher *searchers[MAX_KERNELS];
	size_t n_kernels;
	/* The search under test. */
	struct bs_search_request request;
	size_t kernel;
	bool is_told; /* of this query */
};

static void index_corpus(struct bench *bench)
{
	char *text_fields[] = {(char[]){"title"}, (char[]){"body"}, NULL};
	char id_field[] = "key";
	char stem_language[16];
	const char *sources[ORACLE_MAX_SOURCES];
	const struct oracle_setup *setup = &bench->setup;
	struct bs_index_report report;
	struct bs_error err = {""};
	for (uint32_t i = 0; i < setup->n_sources; i++)
		sources[i] = setup->sources[i];
	struct bs_index_job job = {
		.dir = "index",
		.sources = sources,
		.n_sources = setup->n_sources,
		.options = {.words = true, .fold_accents = setup->words.fold_accents, .density = BS_DEFAULT_DENSITY},
		.policy = &setup->policy,
		.max_slab_blocks = setup->max_slab_blocks,
		.max_segment_docs = setup->max_segment_docs,
		.n_threads = setup->n_threads,
		.list_mode = setup->list_mode,
	};
	if (setup->words.stem_language) {
		snprintf(stem_language, sizeof(stem_language), "%s", setup->words.stem_language);
		job.options.stem_language = stem_language;
	}
	if (setup->id_field)
		job.options.id_field = id_field;
	if (setup->has_text_fields)
		job.options.text_fields = text_fields;
	if (bs_index_run(&job, &report, &err)) {
		oracle_setup_print(setup, stderr);
		fail_msg("%s", err.text);
	}
	size_t n_docs = 0;
	for (size_t i = 0; i < oracle_n_docs(&bench->oracle); i++)
		n_docs += !oracle_doc(&bench->oracle, i)->is_replaced;
	if (report.n_docs != n_docs) {
		oracle_setup_print(setup, stderr);
		fail_msg("%" PRIu64 " documents indexed, not %zu", report.n_docs, n_docs);
	}
}

static void open_searchers(struct bench *bench)
{
	struct bs_error err = {""};
	struct bs_search_sink sink = {.context = &bench->found, .hit = take_hit, .notice = take_notice};
	bench->n_kernels = bs_kernel_list(bench->kernels, MAX_KERNELS);
	assert_in_range(bench->n_kernels, 1, MAX_KERNELS);
	for (size_t i = 0; i < bench->n_kernels; i++)
		if (bs_search_open("index", bench->kernels[i]->name, &bench->searches[i], &err) ||
		    bs_searcher_new(&bench->searches[i], &sink, &bench->searchers[i], &err))
			fail_msg("%s", err.text);
}

/* Sources and index in the current folder. */
static void bench_init(struct bench *bench, uint64_t seed, unsigned number, uint32_t n_docs)
{
	*bench = (struct bench){.dice = {seed * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(1000003)}};
	oracle_setup_draw(&bench->setup, &bench->dice, seed, number, n_docs);
}

static void bench_fill(struct bench *bench)
{
	oracle_vocabulary_init(&bench->vocabulary, &bench->dice, bench->setup.n_vocabulary);
	oracle_init(&bench->oracle, &bench->setup.words);
	oracle_write_sources(&bench->setup, &bench->vocabulary, &bench->dice, &bench->oracle);
	index_corpus(bench);
	open_searchers(bench);
}

static void bench_deinit(struct bench *bench)
{
	for (size_t i = 0; i < bench->n_kernels; i++) {
		assert_int_equal(bs_searcher_failures(bench->searchers[i]), 0);
		bs_searcher_free(bench->searchers[i]);
		bs_search_deinit(&bench->searches[i]);
	}
	oracle_vocabulary_deinit(&bench->vocabulary);
	oracle_deinit(&bench->oracle);
	oracle_query_deinit(&bench->query);
	bs_buffer_deinit(&bench->expected);
	bs_buffer_deinit(&bench->ranked);
	bs_buffer_deinit(&bench->found.ids);
	bs_buffer_deinit(&bench->found.hits);
}

static void run_search(struct bench *bench, size_t kernel, enum bs_search_mode mode, bool brute)
{
	size_t error_byte;
	struct found *found = &bench->found;
	bench->kernel = kernel;
	bench->request = (struct bs_search_request){
		.text = bench->query.text.data,
		.text_bytes = bench->query.text.used_bytes,
		.mode = mode,
		.k = roll_between(&bench->dice, 1, chance(&bench->dice, 50) ? 20 : 1000),
		.any = bench->query.any,
		.brute = brute,
		.snippets = chance(&bench->dice, 5),
	};
	bs_buffer_clear(&found->ids);
	bs_buffer_clear(&found->hits);
	found->err.text[0] = '\0';
	found->status = bs_searcher_run(bench->searchers[kernel], &bench->request, &found->stats, &error_byte, &found->err);
	n_run++;
}

/* ---- differences ---- */

static void print_bytes(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		fprintf(stderr, bytes[i] >= 0x20 && bytes[i] != 0x7f ? "%c" : "\\x%02x", bytes[i]);
}

static void print_doc(const struct bench *bench, const char *what, size_t doc, double score)
{
	const struct oracle *oracle = &bench->oracle;
	const struct oracle_doc *told = oracle_doc(oracle, doc);
	fprintf(stderr, "    %s #%zu ", what, doc);
	print_bytes(oracle->bytes.data + told->id_off, told->id_bytes);
	fprintf(stderr, " score %.17g, length %u:", score, told->length);
	for (size_t i = 0; i < told->n_tokens && i < 40; i++) {
		const struct oracle_term *term = oracle_term(oracle, oracle_token(oracle, told->first_token + i)->term);
		fprintf(stderr, " %u:", oracle_token(oracle, told->first_token + i)->position);
		print_bytes(oracle->bytes.data + term->term_off, term->term_bytes);
	}
	fprintf(stderr, "\n");
}

/* Counts a difference; false if it is not to be told in detail. */
static bool differ(struct bench *bench, const char *format, ...) BS_PRINTF(2, 3);
static bool differ(struct bench *bench, const char *format, ...)
{
	static const char *const modes[] = {"count", "ids", "top"};
	va_list args;
	n_differences++;
	if (n_differences > MAX_TOLD)
		return false;
	if (!bench->is_told) {
		oracle_setup_print(&bench->setup, stderr);
		fprintf(stderr, "  query%s: ", bench->query.any ? " (any)" : "");
		print_bytes(bench->query.text.data, bench->query.text.used_bytes);
		fprintf(stderr, "\n");
	}
	bench->is_told = true;
	fprintf(stderr, "  %s%s, k %zu, kernel %s: ", modes[bench->request.mode], bench->request.brute ? ", brute" : "",
	        bench->request.k, bench->kernels[bench->kernel]->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	return true;
}

/* ---- comparing ---- */

static size_t n_expected(const struct bench *bench)
{
	return bench->expected.used_bytes / sizeof(struct oracle_hit);
}

static const struct oracle_hit *expected_at(const struct bs_buffer *hits, size_t i)
{
	return (const struct oracle_hit *)(const void *)hits->data + i;
}

static bool is_id_of(const struct bench *bench, const struct found_hit *hit, size_t doc)
{
	const struct oracle_doc *wanted = oracle_doc(&bench->oracle, doc);
	return hit->id_bytes == wanted->id_bytes && memcmp(bench->found.ids.data + hit->id_off,
	                                                    bench->oracle.bytes.data + wanted->id_off, hit->id_bytes) == 0;
}

static void check_stats(struct bench *bench)
{
	const struct bs_query_stats *stats = &bench->found.stats;
	uint64_t total_ns = 0;
	for (int i = 0; i < BS_STAGES; i++)
		total_ns += stats->stage_ns[i];
	if (stats->verified > stats->candidates || stats->false_positives > stats->verified ||
	    stats->hits + stats->false_positives != stats->candidates || stats->document_lines > stats->lines_read ||
	    total_ns != stats->total_ns)
		differ(bench, "stats: %" PRIu64 " candidates, %" PRIu64 " verified, %" PRIu64 " false, %" PRIu64 " hits",
		       stats->candidates, stats->verified, stats->false_positives, stats->hits);
	/* A filter without noise, that is trusted, needs no text. */
	bool is_exact = bench->setup.policy.exact_share == 0 || bench->setup.list_mode == BS_LISTS_ALWAYS;
	if (is_exact && !bench->setup.is_young && !bench->request.brute && bench->request.mode != BS_SEARCH_TOP &&
	    oracle_query_is_word(&bench->query) && stats->verified > 0)
		differ(bench, "%" PRIu64 " documents verified for an exact word", stats->verified);
	if (bench->request.brute && stats->verified != stats->candidates)
		differ(bench, "brute, but only %" PRIu64 " of %" PRIu64 " verified", stats->verified, stats->candidates);
}

static void check_ids(struct bench *bench)
{
	size_t n = n_expected(bench) < n_found(&bench->found) ? n_expected(bench) : n_found(&bench->found), i = 0;
	while (i < n && is_id_of(bench, found_at(&bench->found, i), expected_at(&bench->expected, i)->doc))
		i++;
	if (i == n_expected(bench) && i == n_found(&bench->found))
		return;
	if (!differ(bench, "%zu ids, not %zu; the first difference is number %zu", n_found(&bench->found),
	            n_expected(bench), i))
		return;
	if (i < n_found(&bench->found)) {
		fprintf(stderr, "    found    ");
		print_bytes(bench->found.ids.data + found_at(&bench->found, i)->id_off, found_at(&bench->found, i)->id_bytes);
		fprintf(stderr, "\n");
	}
	if (i < n_expected(bench))
		print_doc(bench, "expected", expected_at(&bench->expected, i)->doc, 0);
}

static bool is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/*
 * Where two documents have the same score by different words, the last bit of it depends on the order of the addition;
 * these may stand in either order. Documents with the same words and length may not.
 */
static bool may_stand_for(const struct bench *bench, const struct found_hit *hit, const struct oracle_hit *wanted)
{
	for (size_t i = 0; i < n_expected(bench); i++) {
		const struct oracle_hit *other = expected_at(&bench->ranked, i);
		if (is_id_of(bench, hit, other->doc) && is_near(other->score, wanted->score, 1e-12) &&
		    !oracle_is_tie(&bench->query, &bench->oracle, other->doc, wanted->doc))
			return true;
	}
	return false;
}

static void check_top(struct bench *bench)
{
	size_t n = n_expected(bench) < bench->request.k ? n_expected(bench) : bench->request.k;
	if (n_found(&bench->found) != n) {
		differ(bench, "%zu hits, not %zu", n_found(&bench->found), n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct found_hit *hit = found_at(&bench->found, i);
		const struct oracle_hit *wanted = expected_at(&bench->ranked, i);
		bool is_same = is_id_of(bench, hit, wanted->doc);
		if (hit->rank == i + 1 && is_near(hit->score, wanted->score, 1e-9) &&
		    (is_same || may_stand_for(bench, hit, wanted)))
			continue;
		if (differ(bench, "hit %zu of rank %zu has score %.17g and another place", i, hit->rank, hit->score)) {
			fprintf(stderr, "    found    ");
			print_bytes(bench->found.ids.data + hit->id_off, hit->id_bytes);
			fprintf(stderr, "\n");
			print_doc(bench, "expected", wanted->doc, wanted->score);
		}
		return;
	}
}

static void check(struct bench *bench, size_t kernel, enum bs_search_mode mode, bool brute)
{
	run_search(bench, kernel, mode, brute);
	const struct found *found = &bench->found;
	if (found->status) {
		differ(bench, "%s: %s", bs_status_name(found->status), found->err.text);
		return;
	}
	if (found->stats.hits != n_expected(bench))
		differ(bench, "%" PRIu64 " hits counted, not %zu", found->stats.hits, n_expected(bench));
	if (mode == BS_SEARCH_COUNT && n_found(found) > 0)
		differ(bench, "%zu hits shown in a count", n_found(found));
	if (mode == BS_SEARCH_IDS)
		check_ids(bench);
	if (mode == BS_SEARCH_TOP)
		check_top(bench);
	check_stats(bench);
	n_compared++;
}

/* The naive answer, document order and ranking. */
static void answer(struct bench *bench)
{
	oracle_search(&bench->query, &bench->oracle, &bench->expected);
	bs_buffer_clear(&bench->ranked);
	if (n_expected(bench) > 0)
		assert_int_equal(bs_buffer_append(&bench->ranked, bench->expected.data, bench->expected.used_bytes, NULL), BS_OK);
	oracle_rank((struct oracle_hit *)(void *)bench->ranked.data, n_expected(bench));
}

static void check_query(struct bench *bench)
{
	struct dice *dice = &bench->dice;
	size_t n_kernels = bench->n_kernels;
	size_t n_docs = oracle_n_docs(&bench->oracle);
	bool is_small = n_docs <= 1100, is_huge = n_docs > 30000;
	bench->is_told = false;
	if (!oracle_query_analyze(&bench->query, &bench->oracle)) {
		run_search(bench, 0, BS_SEARCH_COUNT, false);
		if (bench->found.status != BS_INVALID)
			differ(bench, "%s for a query without words", bs_status_name(bench->found.status));
		return;
	}
	answer(bench);
	uint32_t any = roll(dice, (uint32_t)n_kernels);
	for (size_t i = is_small ? 0 : any; i < (is_small ? n_kernels : any + 1); i++)
		check(bench, i, BS_SEARCH_COUNT, false);
	check(bench, roll(dice, (uint32_t)n_kernels), BS_SEARCH_IDS, false);
	if (!is_huge || chance(dice, 30))
		check(bench, roll(dice, (uint32_t)n_kernels), BS_SEARCH_TOP, false);
	if (chance(dice, is_small ? 100 : is_huge ? 10 : 40))
		check(bench, any, (enum bs_search_mode)roll(dice, 3), true);
}

static void check_corpus(uint64_t seed, unsigned number, uint32_t n_docs, unsigned queries)
{
	struct bench bench;
	assert_int_equal(enter_folder(NULL), 0);
	bench_init(&bench, seed, number, n_docs);
	bench_fill(&bench);
	for (unsigned i = 0; i < queries; i++) {
		oracle_query_draw(&bench.query, &bench.dice, &bench.oracle, &bench.vocabulary);
		check_query(&bench);
	}
	if (bench.found.n_changed > 0)
		differ(&bench, "%u notices of changed sources", bench.found.n_changed);
	bench_deinit(&bench);
	assert_int_equal(leave_folder(NULL), 0);
}

static void conclude(void)
{
	print_message("%" PRIu64 " searches, %" PRIu64 " of them compared, %" PRIu64 " differences\n", n_run, n_compared,
	              n_differences);
	assert_true(n_differences == 0);
}

/* ---- tests ---- */

static void test_random_corpora(void **state)
{
	(void)state;
	for (unsigned i = 0; i < n_corpora; i++)
		check_corpus(main_seed, first_corpus + i, 0, n_queries);
	conclude();
}

/* More than a slab holds. */
static void test_many_documents(void **state)
{
	(void)state;
	check_corpus(main_seed, n_corpora, 262144 + 1500, 16);
	conclude();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		n_corpora = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		n_queries = (unsigned)strtoul(argv[2], NULL, 10);
	if (argc > 3)
		main_seed = strtoull(argv[3], NULL, 10);
	if (argc > 4)
		first_corpus = (unsigned)strtoul(argv[4], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_corpora),
		cmocka_unit_test(test_many_documents),
	};
	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
