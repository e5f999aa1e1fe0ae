/*
 * test_several.c: seven indexes, each of one source of a corpus, rank like one index of all
 * sources. With statistics gathered from all seven, the ten best hits have the same ids and
 * bit-identical scores, and all searches have the same matches.
 *
 * Arguments: [N_CORPORA [SEED [QUERIES_PER_CORPUS]]]
 */
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/test.h"

#define N_PARTS ORACLE_MAX_SOURCES
#define N_BEST  10
#define MOST_ID 256

static unsigned n_queries = 60;
static uint64_t n_asked, n_hits, n_differences;

struct part {
	struct bs_index *index;
	struct bs_searcher *searcher;
};

struct hit {
	double score;
	size_t id_bytes;
	char id[MOST_ID];
};

/* The hits of one search or of several. */
struct list {
	struct bs_buffer hits; /* struct hit each */
	enum bs_status status;
	struct bs_error err;
};

static size_t length(const struct list *list)
{
	return list->hits.used_bytes / sizeof(struct hit);
}

static struct hit *hit_at(const struct list *list, size_t i)
{
	return (struct hit *)(void *)list->hits.data + i;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct list *list = context;
	struct hit taken = {.score = hit->score, .id_bytes = hit->id_bytes};
	assert_in_range(hit->id_bytes, 0, MOST_ID);
	memcpy(taken.id, hit->id, hit->id_bytes);
	return bs_buffer_append(&list->hits, &taken, sizeof(taken), NULL) != BS_OK;
}

static void search(struct bench *bench, struct bs_searcher *searcher, enum bs_search_mode mode,
                   const struct bs_statistics *statistics, struct list *list)
{
	struct bs_search_request request = {.query.text = (const char *)bench->query.text.data,
	                                    .query.text_bytes = bench->query.text.used_bytes,
	                                    .output.mode = mode,
	                                    .output.limit = N_BEST,
	                                    .query.any = bench->query.any,
	                                    .query.stop_words =
	                                            bench->query.stops.used_bytes > 0
	                                                    ? (const char *)bench->query.stops.data
	                                                    : NULL,
	                                    .query.stop_words_bytes = bench->query.stops.used_bytes,
	                                    .query.statistics = statistics,
	                                    .callbacks.hit = take_hit,
	                                    .callbacks.context = list};
	if (!list->status)
		list->status = bs_search(searcher, &request, NULL, &list->err);
}

/* Sorts by descending score; stable. */
static void rank(struct list *list)
{
	for (size_t i = 1; i < length(list); i++) {
		struct hit moved = *hit_at(list, i);
		size_t at = i;
		for (; at > 0 && hit_at(list, at - 1)->score < moved.score; at--)
			*hit_at(list, at) = *hit_at(list, at - 1);
		*hit_at(list, at) = moved;
	}
}

static bool is_same(const struct hit *a, const struct hit *b)
{
	return !(a->score < b->score) && !(a->score > b->score) && a->id_bytes == b->id_bytes &&
	       memcmp(a->id, b->id, a->id_bytes) == 0;
}

static void compare(struct bench *bench, const char *what, const struct list *parts,
                    const struct list *whole, size_t most)
{
	size_t n = length(parts) < most ? length(parts) : most, i = 0;
	while (i < n && i < length(whole) && is_same(hit_at(parts, i), hit_at(whole, i)))
		i++;
	if (i == n && i == length(whole) && !parts->status && !whole->status)
		return;
	n_differences++;
	oracle_setup_print(&bench->setup, stderr);
	fprintf(stderr,
	        "  query%s: %.*s\n  %s: %zu hits, not %zu; different from the %zuth on; %s: %s, "
	        "%s: %s\n",
	        bench->query.any ? " (any)" : "", (int)bench->query.text.used_bytes,
	        (const char *)bench->query.text.data, what, n, length(whole), i,
	        bs_status_name(parts->status), parts->err.text, bs_status_name(whole->status),
	        whole->err.text);
	for (int k = 0; k < 2; k++)
		if (i < length(k ? whole : parts))
			fprintf(stderr, "    %.*s %.17g\n",
			        (int)hit_at(k ? whole : parts, i)->id_bytes,
			        hit_at(k ? whole : parts, i)->id,
			        hit_at(k ? whole : parts, i)->score);
}

/* Gathers the statistics of all parts: of some directly, of others as separate statistics that are
 * then added, as if another machine had sent them. */
static struct bs_statistics *gather(struct bench *bench, struct part *parts, struct list *told)
{
	struct bs_search_request request = {
		.query.text = (const char *)bench->query.text.data,
		.query.text_bytes = bench->query.text.used_bytes,
		.query.any = bench->query.any,
		.query.stop_words = bench->query.stops.used_bytes > 0
	                                    ? (const char *)bench->query.stops.data
	                                    : NULL,
		.query.stop_words_bytes = bench->query.stops.used_bytes};
	struct bs_statistics *sum, *own;
	ok(bs_statistics_new(&sum, ERR));
	for (size_t i = 0; i < N_PARTS; i++) {
		bool is_sent = by_chance(50);
		ok(bs_statistics_new(&own, ERR));
		if (!told->status)
			told->status = bs_statistics_gather(parts[i].searcher, &request,
			                                    is_sent ? own : sum, &told->err);
		if (is_sent)
			ok(bs_statistics_add(sum, own, ERR));
		bs_statistics_free(own);
	}
	return sum;
}

static void check_mode(struct bench *bench, struct part *parts, enum bs_search_mode mode,
                       const struct bs_statistics *statistics)
{
	struct list of_parts = {.status = BS_OK}, of_whole = {.status = BS_OK};
	search(bench, bench->searchers[0], mode, NULL, &of_whole);
	for (size_t i = 0; i < N_PARTS; i++)
		search(bench, parts[i].searcher, mode, statistics, &of_parts);
	if (mode == BS_SEARCH_TOP)
		rank(&of_parts);
	compare(bench, mode == BS_SEARCH_TOP ? "best" : "all", &of_parts, &of_whole,
	        mode == BS_SEARCH_TOP ? N_BEST : SIZE_MAX);
	n_hits += length(&of_whole);
	bs_buffer_deinit(&of_parts.hits);
	bs_buffer_deinit(&of_whole.hits);
}

static void check_query(struct bench *bench, struct part *parts)
{
	struct list told = {.status = BS_OK};
	oracle_query_draw(&bench->query, &bench->oracle, &bench->vocabulary);
	if (!oracle_query_analyze(&bench->query, &bench->oracle))
		return;
	struct bs_statistics *statistics = gather(bench, parts, &told);
	if (told.status)
		compare(bench, "statistics", &told, &told, 0);
	check_mode(bench, parts, BS_SEARCH_TOP, statistics);
	check_mode(bench, parts, BS_SEARCH_IDS, statistics);
	bs_statistics_free(statistics);
	n_asked++;
}

static void draw_parts(struct bench *bench)
{
	static const char *const sources[N_PARTS][2] = {
		{"c0.jsonl", "f0.txt"},   {"c1.jsonl", "notes1"}, {"c2.ndjson", "notes2"},
		{"c3.jsonl", "c3.jsonl"}, {"sub/c4.jsonl", "n4"}, {"c5.jsonl", "c5.jsonl"},
		{"c6.jsonl", "notes6"}};
	bench->setup.n_sources = N_PARTS;
	bench->setup.is_young = bench->setup.has_stdin = bench->setup.by_writer = false;
	bench->setup.is_in_memory = bench->setup.is_not_stored = false;
	bs_memory_index_free(bench->memory);
	bench->memory = NULL;
	for (size_t i = 0; i < N_PARTS; i++)
		strcpy(bench->setup.sources[i],
		       sources[i][by_chance(bench->setup.n_docs > 1100 ? 0 : 30)]);
}

static void check_corpus(unsigned number)
{
	AUTO(bench_deinit) struct bench bench;
	struct part parts[N_PARTS];
	char dir[16];
	bench_init(&bench, rounds.seed, number, 0);
	draw_parts(&bench);
	bench_write(&bench);
	bench_open(&bench);
	for (uint32_t i = 0; i < N_PARTS; i++) {
		snprintf(dir, sizeof(dir), "part%u", i);
		bench_index(&bench, dir, i, 1);
		if (bs_index_open(dir, &parts[i].index, ERR) ||
		    bs_searcher_new(parts[i].index, &parts[i].searcher, ERR))
			fail_msg("%s", said.text);
	}
	for (unsigned i = 0; i < n_queries; i++)
		check_query(&bench, parts);
	for (size_t i = 0; i < N_PARTS; i++) {
		bs_searcher_free(parts[i].searcher);
		bs_index_close(parts[i].index);
	}
}

static void test_parts_rank_as_one(void **state)
{
	for (unsigned i = 0; i < rounds.n; i++)
		check_corpus(i);
	print_message("%llu queries over %u parts, %llu hits, %llu differences\n",
	              (unsigned long long)n_asked, N_PARTS, (unsigned long long)n_hits,
	              (unsigned long long)n_differences);
	assert_true(n_differences == 0);
}

/* Makes an in-memory index of one document, "d". */
static struct bs_memory_index *make_index(const char *field, const char *text,
                                          struct part *part_out)
{
	struct bs_memory_index *memory;
	struct bs_writer *writer;
	struct bs_text texts[] = {{field, strlen(field), text, strlen(text)}};
	ok(bs_memory_index_new(&memory, ERR));
	struct bs_writer_request request = {.memory = memory, .write.n_threads = 1};
	struct bs_open_request open = {.memory = memory};
	ok(bs_writer_open(&request, &writer, ERR));
	ok(bs_writer_add(writer, "d", 1, texts, 1, ERR));
	ok(bs_writer_commit(writer, NULL, ERR));
	bs_writer_close(writer);
	ok(bs_index_open_with(&open, &part_out->index, ERR));
	ok(bs_searcher_new(part_out->index, &part_out->searcher, ERR));
	return memory;
}

/* "x:y" is a field of only one index. With shared statistics the query "x:y:cat" reads it as a
 * field for both indexes; without them, the other index reads it as text. */
static void test_names_with_colons(void **state)
{
	struct bs_search_request request = {QUERY("x:y:cat"), .output.mode = BS_SEARCH_COUNT};
	struct bs_statistics *statistics;
	struct part parts[2];
	struct bs_memory_index *memories[] = {make_index("x:y", "cat", &parts[0]),
	                                      make_index("text", "x y cat", &parts[1])};
	ok(bs_statistics_new(&statistics, ERR));
	for (int i = 0; i < 2; i++)
		ok(bs_statistics_gather(parts[i].searcher, &request, statistics, ERR));
	for (int together = 0; together < 2; together++) {
		request.query.statistics = together ? statistics : NULL;
		for (int i = 0; i < 2; i++) {
			struct bs_search_result result;
			ok(bs_search(parts[i].searcher, &request, &result, ERR));
			assert_int_equal(result.n_hits, i == 0 || !together);
		}
	}
	bs_statistics_free(statistics);
	for (int i = 0; i < 2; i++) {
		bs_searcher_free(parts[i].searcher);
		bs_index_close(parts[i].index);
		bs_memory_index_free(memories[i]);
	}
}

int main(int argc, char **argv)
{
	random_rounds(argc, argv, 20, 1);
	if (argc > 3)
		n_queries = (unsigned)strtoul(argv[3], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_parts_rank_as_one, bench_clean),
		cmocka_unit_test(test_names_with_colons)};
	return cmocka_run_group_tests_name("several", tests, NULL, NULL);
}
