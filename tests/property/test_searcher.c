/*
 * test_searcher.c: a searcher that has run many different requests must answer each like a new
 * searcher. Thus no state of a request (a sorted field, feedback terms, prefetched reads, threads'
 * memory, a failure half-way) leaks into the next. Most useful in a build with
 * -DBITSIFT_SANITIZE=address,undefined.
 *
 * Arguments: [N_REQUESTS [SEED]]
 */
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/query.h>

#include "tests/rigs/dice.h"
#include "tests/rigs/library_rig.h"

#define N_FILES   160
#define N_RECORDS 900 /* about the same number is added after the first commit */

static void write_words(FILE *file, uint32_t n)
{
	static const char *const others[] = {"HTTPServer2", "user_name", "running",     "runs",
	                                     "the",         "of",        "caf\xc3\xa9", "don't"};
	for (; n > 0; n--) {
		uint32_t kind = below(100);
		if (kind < 20)
			fputs("common ", file);
		else if (kind < 30)
			fprintf(file, "%s ", others[below(8)]);
		else if (kind < 95)
			fprintf(file, "word%u ", below(50));
		else
			fprintf(file, "rare%u ", below(1500));
	}
}

static void write_records(const char *path, const char *mode, uint32_t first, uint32_t end)
{
	FILE *file = must_fopen(path, mode);
	for (uint32_t d = first; d < end; d++) {
		fprintf(file, "{\"id\": \"d%u\", \"title\": \"entry %u common\", \"text\": \"", d,
		        d);
		write_words(file, 3 + below(60));
		fputs("\"", file);
		if (by_chance(80))
			fprintf(file, ", \"year\": %u, \"when\": \"20%02u-%02u-17\"",
			        1980 + below(60), below(30), 1 + below(12));
		fputs("}\n", file);
	}
	assert_int_equal(fclose(file), 0);
}

static void write_file(const char *folder, uint32_t number)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/f%u.%s", folder, number, number % 3 ? "txt" : "c");
	FILE *file = must_fopen(path, "w");
	for (uint32_t n = 1 + below(6); n > 0; n--) {
		write_words(file, number == 7 ? 9000 : 2 + below(20));
		fputc('\n', file);
	}
	assert_int_equal(fclose(file), 0);
}

/* A random request. Its strings are literals, except the query. */
struct asked {
	struct bs_search_request request;
	char query[400];
	const char *globs[2], *types[2], *places[2];
	unsigned n_wanted;   /* the callback stops the search after this number of hits; 0: never */
	bool is_one_of_many; /* scored by statistics of several indexes */
};

static const char *const atoms[] = {
	"common", "word1", "word2", "word49", "rare7", "rare11", "absent", "wrod3~2", "wor*",
	"rare1*", "w?rd1", "*ord7", "the", "\"word1 common\"", "\"common common word3\"",
	"\"common word2\"~3", "title:entry", "title:common^3", "text:(word1 word2)", "name:f1*",
	"year:1990..2000", "year:>2030", "when:2004..2010-06", "HTTPServer2", "server",
	"caf\xc3\xa9", "runs^0", "word5^2.5",
	/* Words that are negated, grouped or split into several words, and invalid queries. */
	"-word5", "-common", "(word6 OR rare3)", "(word7 -word8)", "don't", "f(x, y)",
	"titel:word1", "or", "+++", "(", "\"word1 wor*\"", "word9 word10 word11 word12"};

static void draw_query(struct asked *asked)
{
	size_t n_bytes = 0;
	for (uint32_t n = 1 + below(3) * below(3); n > 0; n--)
		n_bytes += (size_t)snprintf(asked->query + n_bytes, sizeof(asked->query) - n_bytes,
		                            "%s%s ", atoms[below(COUNT(atoms))],
		                            n > 1 && by_chance(30) ? " OR" : "");
	asked->request.query.text = asked->query;
	asked->request.query.text_bytes = n_bytes;
}

static void draw_filter(struct asked *asked)
{
	static const char *const globs[] = {"*.txt", "!*.c", "docs.jsonl", "none"};
	struct bs_search_request *request = &asked->request;
	if (by_chance(40))
		asked->globs[0] = globs[below(4)], request->filter.globs = asked->globs;
	if (by_chance(20))
		asked->types[0] = "c", request->filter.types = asked->types;
	if (by_chance(20))
		asked->places[0] = by_chance(50) ? "files" : "docs.jsonl",
		request->filter.places = asked->places;
	if (by_chance(40))
		request->filter.newer = "2005-01-01",
		request->filter.date_field = by_chance(60)   ? "when"
		                             : by_chance(50) ? "text"
		                                             : NULL;
}

static void draw(struct asked *asked)
{
	struct bs_search_request *request = &asked->request;
	static const size_t n_best[] = {0, 1, 3, 100, 5000};
	*asked = (struct asked){.n_wanted = by_chance(10) ? 1 + below(20) : 0};
	draw_query(asked);
	request->output.mode = (enum bs_search_mode)below(3);
	request->output.limit = n_best[below(5)];
	request->query.any = by_chance(30);
	request->query.strict = by_chance(5);
	request->query.stop_language = by_chance(15) ? "english" : by_chance(3) ? "nonsense" : NULL;
	if (!request->query.stop_language && by_chance(10))
		request->query.stop_words = "word1 common", request->query.stop_words_bytes = 12;
	if (by_chance(15))
		request->query.feedback_docs = 1 + below(20);
	else if (by_chance(12))
		request->query.like_id = by_chance(50)   ? "docs.jsonl#d3"
		                         : by_chance(50) ? "files/f7.txt"
		                                         : "d5";
	if (!request->query.feedback_docs && by_chance(5))
		request->query.like_text = "word1 rare7 word3 word3",
		request->query.like_text_bytes = 23;
	if ((request->query.like_id || request->query.like_text) && by_chance(30))
		request->query.text_bytes = 0;
	request->method.approx = request->output.mode == BS_SEARCH_TOP && by_chance(5);
	request->method.brute = by_chance(6);
	request->method.no_stat = by_chance(15);
	request->method.exhaustive = by_chance(10);
	request->callbacks.suggest = by_chance(20);
	request->output.snippets = by_chance(40);
	request->output.passages = by_chance(30);
	request->method.n_threads = by_chance(50) ? 1 : below(5);
	if (request->output.mode == BS_SEARCH_TOP && !request->method.approx && by_chance(25))
		request->output.sort_field = by_chance(45)   ? "year"
		                             : by_chance(80) ? "when"
		                                             : "text",
		request->output.sort_descending = by_chance(50);
	if (by_chance(25))
		draw_filter(asked);
	asked->is_one_of_many = !request->query.feedback_docs && !request->query.like_id &&
	                        !request->query.like_text && by_chance(15);
}

/* The complete result of a request, except times. */
struct answer {
	enum bs_status status;
	struct bs_error error;
	struct bs_search_result result;
	uint64_t sum; /* hash of hits and notices */
	unsigned n_wanted;
};

static void mix(struct answer *answer, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	for (size_t i = 0; i < n; i++)
		answer->sum = (answer->sum ^ at[i]) * UINT64_C(0x100000001b3);
	answer->sum = (answer->sum ^ n) * UINT64_C(0x100000001b3);
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct answer *answer = context;
	mix(answer, hit->id, hit->id_bytes);
	mix(answer, hit->path, strlen(hit->path));
	mix(answer, &hit->rank, sizeof(hit->rank));
	mix(answer, &hit->score, sizeof(hit->score));
	mix(answer, &hit->document, sizeof(hit->document));
	mix(answer, hit->snippet ? hit->snippet : "gone", hit->snippet ? hit->snippet_bytes : 4);
	if (hit->value)
		mix(answer, hit->value, strlen(hit->value));
	for (size_t i = 0; i < hit->n_passages; i++) {
		mix(answer, hit->passages[i].text, hit->passages[i].text_bytes);
		mix(answer, &hit->passages[i].start_byte, sizeof(hit->passages[i].start_byte));
	}
	return answer->n_wanted > 0 && --answer->n_wanted == 0;
}

static void take_notice(void *context, const char *message)
{
	mix(context, message, strlen(message));
}

static void ask(struct bs_searcher *searcher, const struct asked *asked, struct answer *answer)
{
	struct bs_search_request request = asked->request;
	*answer = (struct answer){.sum = 1, .n_wanted = asked->n_wanted};
	request.callbacks.hit = take_hit;
	request.callbacks.notice = take_notice;
	request.callbacks.context = answer;
	struct bs_statistics *statistics = NULL;
	if (asked->is_one_of_many) {
		ok(bs_statistics_new(&statistics, ERR));
		answer->status =
			bs_statistics_gather(searcher, &request, statistics, &answer->error);
		bs_statistics_set(statistics, 10 * bs_statistics_n_docs(statistics),
		                  9 * bs_statistics_n_positions(statistics));
		request.query.statistics = statistics;
	}
	if (!answer->status)
		answer->status = bs_search(searcher, &request, &answer->result, &answer->error);
	bs_statistics_free(statistics);
}

static const char *told(const struct answer *answer)
{
	static char text[2][1000];
	static unsigned turn;
	const struct bs_search_result *result = &answer->result;
	const struct bs_query_stats *stats = &result->stats;
	char *to = text[turn++ % 2];
	snprintf(to, sizeof(text[0]),
	         "status %d (%s), hits %" PRIu64 "%s, unreadable %" PRIu64
	         ", error at %zu, sum %" PRIx64 "; lines %" PRIu64 " %" PRIu64 ", asked %" PRIu64
	         ", live %" PRIu64 ", candidates %" PRIu64 ", skipped %" PRIu64 ", weighed %" PRIu64
	         ", dropped %" PRIu64 ", scored %" PRIu64
	         ", planes %u, threshold %g, verified %" PRIu64 ", hits %" PRIu64 ", false %" PRIu64
	         ", bytes %" PRIu64,
	         (int)answer->status, answer->status ? answer->error.text : "", result->n_hits,
	         result->is_at_least ? "+" : "", result->n_unreadable, result->error_byte,
	         answer->sum, stats->scan.lines_read, stats->scan.document_lines, stats->scan.asked,
	         stats->scan.blocks_live, stats->scan.candidates, stats->rank.blocks_skipped,
	         stats->rank.blocks_weighed, stats->rank.blocks_dropped, stats->rank.scored,
	         stats->rank.planes, stats->rank.threshold, stats->verify.verified, stats->hits,
	         stats->verify.false_positives, stats->verify.bytes);
	return to;
}

/* Numbers of answers, by kind. */
struct seen {
	unsigned n_found, n_none, n_failed, n_stopped, n_learnt, n_sorted;
};

static void ask_in_a_row(const struct bs_index *index, struct bs_searcher *searcher, uint64_t n,
                         struct seen *seen)
{
	for (unsigned i = 0; i < n; i++) {
		struct asked asked;
		struct answer got, want;
		AUTO(bs_searcher_free_at) struct bs_searcher *fresh = must_searcher(index);
		draw(&asked);
		ask(searcher, &asked, &got);
		ask(fresh, &asked, &want);
		if (strcmp(told(&got), told(&want)) != 0) {
			fail_msg("request %u, query '%s': got  %s\nwant %s\n", i, asked.query,
			         told(&got), told(&want));
		}
		seen->n_stopped += got.status == BS_STOPPED;
		seen->n_failed += got.status != BS_OK && got.status != BS_STOPPED;
		seen->n_found += !got.status && got.result.n_hits > 0;
		seen->n_none += !got.status && got.result.n_hits == 0;
		seen->n_learnt += !got.status && (asked.request.query.feedback_docs > 0 ||
		                                  asked.request.query.like_id);
		seen->n_sorted +=
			!got.status && asked.request.output.sort_field && got.result.n_hits > 1;
	}
}

static void change_sources(void)
{
	for (uint32_t i = 0; i < N_FILES; i += 9)
		write_file("files", i);
	assert_int_equal(unlink("files/f11.txt"), 0);
	write_records("docs.jsonl", "a", 5, 9); /* these replace earlier records */
	write_records("docs.jsonl", "a", 4000, 4020);
}

/* Tests an index of files and records in the current folder, so that ids and filters are short. */
static void check_an_index(const struct bs_build_request *options)
{
	char folder[FOLDER_BYTES], here[4096];
	const char *sources[] = {"."};
	struct bs_build_request build = *options;
	struct seen seen = {0};
	assert_non_null(getcwd(here, sizeof(here)));
	make_folder(folder);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("files", 0777), 0);
	for (uint32_t i = 0; i < N_FILES; i++)
		write_file("files", i);
	write_records("docs.jsonl", "w", 0, N_RECORDS);
	build.dir = ".bitsift";
	build.sources = sources;
	build.n_sources = 1;
	ok(bs_index_build(&build, NULL, ERR));
	write_records("docs.jsonl", "a", N_RECORDS - 50, 2 * N_RECORDS);
	ok(bs_index_build(&build, NULL, ERR));

	struct bs_index *index = must_open(".bitsift");
	struct bs_searcher *searcher = must_searcher(index);
	ask_in_a_row(index, searcher, rounds.n, &seen);
	assert_reached(seen.n_found > rounds.n / 4 && seen.n_none > 0 && seen.n_failed > 0);
	assert_reached(seen.n_stopped > 0 && seen.n_learnt > rounds.n / 20 && seen.n_sorted > 0);
	/* Sources change while a searcher is open; it must then answer like a new one. */
	change_sources();
	ask_in_a_row(index, searcher, rounds.n / 2, &seen);
	bs_searcher_free(searcher);
	bs_index_close(index);

	assert_int_equal(chdir(here), 0);
	remove_folder(folder);
}

static void test_plain(void **state)
{
	check_an_index(&(struct bs_build_request){.write.n_threads = 1});
}

static void test_with_options(void **state)
{
	const char *weights[] = {"title=3", NULL};
	check_an_index(&(struct bs_build_request){.write.n_threads = 1,
	                                          .index.stem_language = "english",
	                                          .index.split_identifiers = true,
	                                          .index.fold_accents = true,
	                                          .index.weights = weights});
}

RUN_RANDOM_TESTS(150, 1, test_plain, test_with_options)
