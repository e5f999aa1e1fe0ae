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

static unsigned n_queries = 60;
static uint64_t n_asked, n_hits;

struct part {
	struct bs_index *index;
	struct bs_searcher *searcher;
};

static void search(struct bs_searcher *searcher, enum bs_search_mode mode,
                   const struct bs_statistics *statistics, struct found *found)
{
	struct bs_search_request request = bench_request();
	request.output.mode = mode;
	request.output.limit = N_BEST;
	request.query.statistics = statistics;
	request.callbacks.hit = bench_take_hit;
	request.callbacks.context = found;
	ok(bs_search(searcher, &request, NULL, ERR));
}

/* Sorts by descending score; stable. */
static void rank(struct found_hits *hits)
{
	for (size_t i = 1; i < bs_vector_n(hits); i++) {
		struct found_hit moved = hits->items[i];
		size_t at = i;
		for (; at > 0 && hits->items[at - 1].score < moved.score; at--)
			hits->items[at] = hits->items[at - 1];
		hits->items[at] = moved;
	}
}

static bool is_same(const struct found *a, const struct found *b, size_t i)
{
	const struct found_hit *x = &a->hits.items[i], *y = &b->hits.items[i];
	return !(x->score < y->score) && !(x->score > y->score) && x->id_bytes == y->id_bytes &&
	       memcmp(a->ids.data + x->id_off, b->ids.data + y->id_off, x->id_bytes) == 0;
}

static void compare(const char *what, const struct found *parts, const struct found *whole,
                    size_t most)
{
	size_t n = bs_vector_n(&parts->hits), n_whole = bs_vector_n(&whole->hits), i = 0;
	n = n < most ? n : most;
	while (i < n && i < n_whole && is_same(parts, whole, i))
		i++;
	if (i == n && i == n_whole)
		return;
	for (int k = 0; k < 2; k++) {
		const struct found *found = k ? whole : parts;
		if (i < bs_vector_n(&found->hits))
			fprintf(stderr, "    %.*s %.17g\n", (int)found->hits.items[i].id_bytes,
			        (const char *)found->ids.data + found->hits.items[i].id_off,
			        found->hits.items[i].score);
	}
	fail_msg("%s: %zu hits, not %zu; different from the %zuth on", what, n, n_whole, i);
}

/* Gathers the statistics of all parts: of some directly, of others as separate statistics that are
 * then added, as if another machine had sent them. */
static struct bs_statistics *gather(struct part *parts)
{
	struct bs_search_request request = bench_request();
	struct bs_statistics *sum, *own;
	ok(bs_statistics_new(&sum, ERR));
	for (size_t i = 0; i < N_PARTS; i++) {
		bool is_sent = by_chance(50);
		ok(bs_statistics_new(&own, ERR));
		ok(bs_statistics_gather(parts[i].searcher, &request, is_sent ? own : sum, ERR));
		if (is_sent)
			ok(bs_statistics_add(sum, own, ERR));
		bs_statistics_free(own);
	}
	return sum;
}

static void check_mode(struct part *parts, enum bs_search_mode mode,
                       const struct bs_statistics *statistics)
{
	struct found of_parts = {.status = BS_OK}, of_whole = {.status = BS_OK};
	search(bench.searchers[0], mode, NULL, &of_whole);
	for (size_t i = 0; i < N_PARTS; i++)
		search(parts[i].searcher, mode, statistics, &of_parts);
	if (mode == BS_SEARCH_TOP)
		rank(&of_parts.hits);
	compare(mode == BS_SEARCH_TOP ? "best" : "all", &of_parts, &of_whole,
	        mode == BS_SEARCH_TOP ? N_BEST : SIZE_MAX);
	n_hits += bs_vector_n(&of_whole.hits);
	found_deinit(&of_parts);
	found_deinit(&of_whole);
}

static void check_query(struct part *parts)
{
	oracle_query_draw(&bench.query, &bench.oracle, &bench.vocabulary);
	if (!oracle_query_analyze(&bench.query, &bench.oracle))
		return;
	struct bs_statistics *statistics = gather(parts);
	check_mode(parts, BS_SEARCH_TOP, statistics);
	check_mode(parts, BS_SEARCH_IDS, statistics);
	bs_statistics_free(statistics);
	n_asked++;
}

static void draw_parts(void)
{
	static const char *const sources[N_PARTS][2] = {
		{"c0.jsonl", "f0.txt"},   {"c1.jsonl", "notes1"}, {"c2.ndjson", "notes2"},
		{"c3.jsonl", "c3.jsonl"}, {"sub/c4.jsonl", "n4"}, {"c5.jsonl", "c5.jsonl"},
		{"c6.jsonl", "notes6"}};
	bench.setup.n_sources = N_PARTS;
	bench.setup.is_young = bench.setup.has_stdin = bench.setup.by_writer = false;
	bench.setup.is_in_memory = bench.setup.is_not_stored = false;
	bs_memory_index_free(bench.memory);
	bench.memory = NULL;
	for (size_t i = 0; i < N_PARTS; i++)
		strcpy(bench.setup.sources[i],
		       sources[i][by_chance(bench.setup.n_docs > 1100 ? 0 : 30)]);
}

static void check_corpus(unsigned number)
{
	struct part parts[N_PARTS];
	char dir[16];
	bench_init(number, 0);
	draw_parts();
	bench_write();
	bench_open();
	for (uint32_t i = 0; i < N_PARTS; i++) {
		snprintf(dir, sizeof(dir), "part%u", i);
		bench_index(dir, i, 1);
		ok(bs_index_open(dir, &parts[i].index, ERR));
		ok(bs_searcher_new(parts[i].index, &parts[i].searcher, ERR));
	}
	for (unsigned i = 0; i < n_queries; i++)
		check_query(parts);
	for (size_t i = 0; i < N_PARTS; i++) {
		bs_searcher_free(parts[i].searcher);
		bs_index_close(parts[i].index);
	}
	bench_deinit();
}

static void test_parts_rank_as_one(void **state)
{
	for (unsigned i = 0; i < rounds.n; i++)
		check_corpus(i);
	print_message("%llu queries over %u parts, %llu hits\n", (unsigned long long)n_asked,
	              N_PARTS, (unsigned long long)n_hits);
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
	return RUN_NAMES(NULL, bench_clean, NULL, NULL, test_parts_rank_as_one,
	                 test_names_with_colons);
}
