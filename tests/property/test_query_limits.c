/* test_query_limits.c: each of the ways in which a search takes long ends by a deadline that is over and by a flag that another
 * thread sets; and what a call that ended so leaves, tells and holds. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/query.h>

#include "tests/rigs/test.h"

#define N_RECORDS  40000
#define N_PLAIN    (N_RECORDS / 5)
#define BIG_BYTES  ((size_t)24 << 20)
#define TEXT_BYTES ((size_t)400000)
/* How late a call may be here, where sanitizers are at work and others on the machine: bench/limits_main.c measures. */
#define LATE_MS 400.0

struct rig {
	char folder[64], records[96], big[96], dir[80];
	struct bs_index *index;
	struct bs_finder *finder;
	char *text;
};

static uint32_t state = 7;

static uint32_t draw(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

static double now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

static void write_records(const struct rig *rig, const char *plain)
{
	FILE *file = open_file(rig->records);
	state = 7;
	for (int i = 0; i < N_RECORDS; i++) {
		fprintf(file, "{\"id\": \"r%d\", \"number\": %u, \"text\": \"%s", i, draw(5000), i % 5 ? "" : plain);
		for (uint32_t word = 0, n = 5 + draw(20); word < n; word++)
			fprintf(file, " %s%u", draw(3) ? "common" : "word", draw(draw(2) ? 20 : 40000));
		fprintf(file, "\"}\n");
	}
	fclose(file);
}

static void open_index(struct rig *rig)
{
	struct bs_error err;
	if (bs_index_open(rig->dir, NULL, &rig->index, &err) || bs_finder_new(rig->index, &rig->finder, &err))
		fail_msg("%s", err.text);
}

static int setup(void **rig_out)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct bs_error err;
	assert_non_null(rig);
	strcpy(rig->folder, "/tmp/bitsift-query-limits-XXXXXX");
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->records, sizeof(rig->records), "%s/records.jsonl", rig->folder);
	snprintf(rig->big, sizeof(rig->big), "%s/big.txt", rig->folder);
	snprintf(rig->dir, sizeof(rig->dir), "%s/index", rig->folder);
	rig->text = calloc(1, TEXT_BYTES + 64);
	assert_non_null(rig->text);
	write_records(rig, "plain");
	FILE *file = open_file(rig->big);
	for (size_t n = 0; n < BIG_BYTES; n += 8)
		fputs("big one ", file);
	fputs("common1 common2 word1\n", file);
	fclose(file);
	const char *sources[] = {rig->records, rig->big};
	struct bs_build_request request = {.dir = rig->dir, .sources = sources, .n_sources = 2, .words = true};
	if (bs_index_build(&request, NULL, &err))
		fail_msg("%s", err.text);
	open_index(rig);
	*rig_out = rig;
	return 0;
}

static int teardown(void **rig_in)
{
	struct rig *rig = *rig_in;
	char command[128];
	bs_finder_free(rig->finder);
	bs_index_close(rig->index);
	snprintf(command, sizeof(command), "rm -rf %s", rig->folder);
	assert_int_equal(system(command), 0);
	free(rig->text);
	free(rig);
	return 0;
}

static int count_hit(void *context, const struct bs_find_hit *hit)
{
	(void)hit;
	if (context)
		++*(uint64_t *)context;
	return 0;
}

static void ignore(void *context, const char *line)
{
	(void)context, (void)line;
}

/* Whatever it was asked before, and however that ended. */
static void assert_fit(const struct rig *rig)
{
	struct bs_find_request plain = {.query = "plain", .query_bytes = 5, .mode = BS_FIND_COUNT};
	struct bs_find_result result;
	assert_int_equal(bs_find(rig->finder, &plain, &result, NULL), BS_OK);
	assert_int_equal(result.n_hits, N_PLAIN);
	assert_false(result.is_partial);
}

static void fill(struct rig *rig, const char *before, const char *after, size_t n)
{
	size_t used = 0;
	memset(rig->text, 0, TEXT_BYTES + 64);
	for (size_t i = 0; i < n && used < TEXT_BYTES; i++)
		used += (size_t)snprintf(rig->text + used, 64, "%s%u%s", before, draw(40000), after);
}

enum kind { COUNT_OR, COUNT_PHRASES, FUZZY, PREFIX, MISSPELT, LIKE_TEXT, LIKE_ID, FEEDBACK, SORTED, BEST, IDS, BRUTE, STATISTICS, MATRIX, KINDS };

static const char *const names[KINDS] = {"count of a large OR", "count of phrases", "fuzzy", "prefixes", "misspelt", "like a text", "like a document",
                                         "feedback", "sorted", "best of many", "ids", "brute", "statistics", "candidates"};

static void make(struct rig *rig, enum kind kind, struct bs_find_request *request)
{
	request->hit = count_hit;
	request->notice = ignore;
	switch (kind) {
	case COUNT_OR: fill(rig, "common", " OR ", SIZE_MAX); strcat(rig->text, "x"); request->mode = BS_FIND_COUNT; break;
	case COUNT_PHRASES: fill(rig, "\"common1 word", "\" OR ", 20000); strcat(rig->text, "x"); request->mode = BS_FIND_COUNT; break;
	case FUZZY: fill(rig, "word", "~2 ", 500); request->any = true; break;
	case PREFIX: fill(rig, "*o*", "* ", 500); request->any = true; break;
	case MISSPELT: strcpy(rig->text, "wxord12345 cammon99999 zqzqzq"); request->suggest = true; break;
	case LIKE_TEXT: fill(rig, "word", " ", 30000); request->like_text = rig->text; request->like_text_bytes = strlen(rig->text); return;
	case LIKE_ID: request->like_id = rig->big; return;
	case FEEDBACK: strcpy(rig->text, "common1 common2 common3"); request->any = true; request->feedback_docs = 5000; break;
	case SORTED: strcpy(rig->text, "common1 OR common2 OR plain"); request->sort_field = "number"; request->n_best = 100; request->no_stat = true; break;
	case BEST: strcpy(rig->text, "common1 OR common2 OR plain"); request->n_best = 40000; request->exhaustive = true; break;
	case IDS: strcpy(rig->text, "common1 OR \"common2 common3\""); request->mode = BS_FIND_IDS; break;
	case BRUTE: strcpy(rig->text, "common1 common2"); request->brute = true; break;
	case STATISTICS: fill(rig, "word", "~2 ", 500); break;
	case MATRIX: fill(rig, "common", " OR ", 20000); strcat(rig->text, "x"); break;
	case KINDS: break;
	}
	request->query = rig->text;
	request->query_bytes = strlen(rig->text);
}

static int take_candidates(void *context, const struct bs_matrix_candidates *candidates)
{
	(void)context, (void)candidates;
	return 0;
}

static enum bs_status ask(struct rig *rig, enum kind kind, const struct bs_find_request *request, struct bs_error *err)
{
	if (kind == MATRIX)
		return bs_matrix_ask(rig->finder, request, take_candidates, NULL, NULL, err);
	if (kind != STATISTICS)
		return bs_find(rig->finder, request, NULL, err);
	struct bs_statistics *statistics;
	assert_int_equal(bs_statistics_new(&statistics, err), BS_OK);
	enum bs_status status = bs_statistics_gather(rig->finder, request, statistics, err);
	bs_statistics_free(statistics);
	return status;
}

static void test_nothing_is_done_after_a_deadline(void **rig_in)
{
	struct rig *rig = *rig_in;
	for (int kind = 0; kind < KINDS; kind++) {
		struct bs_error err = {""};
		struct bs_limits limits = {.deadline_ns = 1};
		struct bs_find_request request = {.limits = &limits};
		memset(rig->text, 0, TEXT_BYTES + 64);
		make(rig, (enum kind)kind, &request);
		double start = now_ms();
		enum bs_status status = ask(rig, (enum kind)kind, &request, &err);
		if (status != BS_DEADLINE)
			fail_msg("%s: %s", names[kind], status ? err.text : "was done");
		if (now_ms() - start > LATE_MS / 4)
			fail_msg("%s: %.1f ms", names[kind], now_ms() - start);
		assert_fit(rig);
	}
}

struct canceller {
	volatile int flag;
	double after_ms, set_ms;
};

static void *cancel(void *context)
{
	struct canceller *canceller = context;
	struct timespec pause = {.tv_nsec = (long)(canceller->after_ms * 1e6)};
	(void)nanosleep(&pause, NULL);
	canceller->set_ms = now_ms();
	__atomic_store_n(&canceller->flag, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* At once, and after some work. What is done before the flag is set is done. */
static void test_another_thread_cancels(void **rig_in)
{
	static const double after_ms[] = {0.2, 1, 3, 10};
	struct rig *rig = *rig_in;
	size_t n_stopped = 0;
	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < sizeof(after_ms) / sizeof(*after_ms); i++) {
			struct canceller canceller = {.after_ms = after_ms[i]};
			struct bs_error err = {""};
			struct bs_limits limits = {.cancel = &canceller.flag};
			struct bs_find_request request = {.limits = &limits};
			pthread_t thread;
			memset(rig->text, 0, TEXT_BYTES + 64);
			make(rig, (enum kind)kind, &request);
			assert_int_equal(pthread_create(&thread, NULL, cancel, &canceller), 0);
			enum bs_status status = ask(rig, (enum kind)kind, &request, &err);
			double end_ms = now_ms();
			assert_int_equal(pthread_join(thread, NULL), 0);
			if (status != BS_STOPPED && (status != BS_OK || end_ms > canceller.set_ms + LATE_MS))
				fail_msg("%s: %s, %.1f ms after the flag was set", names[kind], err.text, end_ms - canceller.set_ms);
			if (end_ms > canceller.set_ms + LATE_MS)
				fail_msg("%s: %.1f ms late", names[kind], end_ms - canceller.set_ms);
			n_stopped += status == BS_STOPPED;
			assert_fit(rig);
		}
	}
	assert_true(n_stopped > KINDS);
}

/* Whenever the time is up, what is said is true of this search, not of the one before, and it is no failure. */
static void test_partial_answers_are_answers(void **rig_in)
{
	struct rig *rig = *rig_in;
	for (int kind = 0; kind < STATISTICS; kind++) {
		uint64_t n_all = 0;
		for (uint64_t deadline_us = 1000000; deadline_us > 0; deadline_us = deadline_us > 3000 ? 3000 : deadline_us * 2 / 3) {
			struct bs_error err = {""};
			struct bs_find_result result;
			struct bs_limits limits = {.deadline_ns = deadline_us * 1000, .partial = true};
			struct bs_find_request request = {.limits = &limits};
			memset(rig->text, 0, TEXT_BYTES + 64);
			make(rig, (enum kind)kind, &request);
			enum bs_status status = bs_find(rig->finder, &request, &result, &err);
			if (status)
				fail_msg("%s, %llu us: %s", names[kind], (unsigned long long)deadline_us, err.text);
			if (!result.is_partial && deadline_us > 3000)
				n_all = result.n_hits;
			if (n_all && result.n_hits > n_all)
				fail_msg("%s, %llu us: %llu hits of %llu", names[kind], (unsigned long long)deadline_us,
				         (unsigned long long)result.n_hits, (unsigned long long)n_all);
		}
		struct bs_limits none = {.deadline_ns = 1, .partial = true};
		struct bs_find_request request = {.limits = &none};
		struct bs_find_result result;
		memset(rig->text, 0, TEXT_BYTES + 64);
		make(rig, (enum kind)kind, &request);
		assert_int_equal(bs_find(rig->finder, &request, &result, NULL), BS_OK);
		assert_true(result.is_partial && result.is_at_least);
		if (result.n_hits)
			fail_msg("%s: %llu hits in no time", names[kind], (unsigned long long)result.n_hits);
	}
}

/* A deletion is of all matches or of none. */
static void test_deletions_are_whole(void **rig_in)
{
	struct rig *rig = *rig_in;
	for (uint64_t deadline_us = 200; deadline_us < 60000; deadline_us = deadline_us * 3 / 2) {
		struct bs_error err = {""};
		struct bs_delete_result result;
		struct bs_limits limits = {.deadline_ns = deadline_us * 1000, .partial = true};
		struct bs_delete_request request = {.dir = rig->dir, .query = "\"common1 common2\" OR plain", .query_bytes = 26, .dry_run = true,
		                                    .limits = &limits};
		enum bs_status status = bs_index_delete(&request, &result, &err);
		assert_true(status == BS_DEADLINE || status == BS_OK);
		if (!status && result.n_deleted < N_PLAIN)
			fail_msg("%llu of more than %d", (unsigned long long)result.n_deleted, N_PLAIN);
	}
}

/* What a large document took is given back before a smaller limit is met, whoever read it. */
static void test_memory_is_given_back(void **rig_in)
{
	struct rig *rig = *rig_in;
	const struct bs_text *texts;
	size_t n_texts;
	struct bs_error err = {""};
	for (int reads_small = 0; reads_small < 2; reads_small++) {
		struct bs_limits limits = {.memory_bytes = (uint64_t)8 << 20};
		struct bs_find_request request = {.query = "\"big one\"", .query_bytes = 9, .brute = true, .hit = count_hit};
		assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_OK);
		if (reads_small)
			assert_int_equal(bs_document(rig->finder, "r7", 2, &texts, &n_texts, NULL, &err), BS_OK);
		request = (struct bs_find_request){.query = "plain", .query_bytes = 5, .hit = count_hit, .limits = &limits};
		if (bs_find(rig->finder, &request, NULL, &err))
			fail_msg("%s", err.text);
		limits.memory_bytes = 20000;
		fill(rig, "word", " ", 10000);
		request.query = rig->text;
		request.query_bytes = strlen(rig->text);
		assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_NO_MEMORY);
		assert_fit(rig);
	}
}

/* Documents whose source was not looked at in time are not counted as if it were what was indexed. */
static void test_what_changed_is_not_counted(void **rig_in)
{
	struct rig *rig = *rig_in;
	write_records(rig, "plane");
	bs_finder_free(rig->finder);
	bs_index_close(rig->index);
	for (uint64_t deadline_us = 20; deadline_us < 40000; deadline_us = deadline_us * 5 / 4) {
		struct bs_limits limits = {.deadline_ns = deadline_us * 1000, .partial = true};
		struct bs_find_request request = {.query = "plain", .query_bytes = 5, .mode = BS_FIND_COUNT, .exhaustive = true, .limits = &limits};
		struct bs_find_result result;
		open_index(rig);
		assert_int_equal(bs_find(rig->finder, &request, &result, NULL), BS_OK);
		if (result.n_hits)
			fail_msg("%llu us: %llu hits", (unsigned long long)deadline_us, (unsigned long long)result.n_hits);
		bs_finder_free(rig->finder);
		bs_index_close(rig->index);
	}
	open_index(rig);
}

/* What a finder holds is counted rightly: calls that end leave nothing on the account. */
static void test_memory_is_counted(void **rig_in)
{
	struct rig *rig = *rig_in;
	struct bs_limits limits = {.memory_bytes = (uint64_t)16 << 20};
	struct bs_error err = {""};
	struct bs_find_request request = {.query = "common1 OR common2", .query_bytes = 18, .hit = count_hit};
	for (int i = 0; i < 200; i++)
		assert_int_equal(bs_matrix_ask(rig->finder, &request, take_candidates, NULL, NULL, &err), BS_OK);
	request.limits = &limits;
	if (bs_find(rig->finder, &request, NULL, &err))
		fail_msg("%s", err.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_done_after_a_deadline),
		cmocka_unit_test(test_another_thread_cancels),
		cmocka_unit_test(test_partial_answers_are_answers),
		cmocka_unit_test(test_deletions_are_whole),
		cmocka_unit_test(test_memory_is_given_back),
		cmocka_unit_test(test_memory_is_counted),
		cmocka_unit_test(test_what_changed_is_not_counted), /* the last: it leaves other records */
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
