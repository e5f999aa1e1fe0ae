/*
 * test_limits.c: the limits of calls of the public interface: what ends a call early, what the call
 * then returns and reports, and how much memory it keeps. Also pages of hits, and the log. The
 * clock advances only when it is read, so a deadline is a number of readings.
 */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/query.h>

#include "tests/rigs/clock_rig.h"
#include "tests/rigs/library_rig.h"

#define N_RECORDS  12000
#define N_FILES    40
#define N_MANY     40000
#define TEXT_BYTES ((size_t)400000)
#define BIG_BYTES  ((size_t)24 << 20)
/* The most readings of the clock that may follow a deadline or a cancellation. bench/limits_main.c
 * measures this delay in milliseconds. */
#define LATE_LOOKS 50u

static struct rig {
	char folder[FOLDER_BYTES];
	struct bs_index *index;
	struct bs_searcher *searcher;
	/* Words such as word17 end in a number below n_words. Every fifth record also has the word
	 * "plain". */
	uint32_t n_records, n_words;
	char *text;
} * rig;

/* In the current folder; the index is in "index". */
static const char tree[] = "tree", records[] = "tree/records.jsonl", long_line[] = "tree/long.txt",
		  big[] = "tree/big.txt";

static uint32_t state = 7;

static uint32_t draw(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

static void write_words(FILE *file, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s%u ", draw(3) ? "common" : "word",
		        draw(draw(2) ? 20 : rig->n_words));
}

static void write_records(const char *plain)
{
	FILE *file = must_fopen(records, "w");
	state = 7;
	for (uint32_t i = 0; i < rig->n_records; i++) {
		fprintf(file, "{\"id\": \"r%u\", \"number\": %u, \"text\": \"%s ", i, draw(500),
		        i % 5 ? "" : plain);
		write_words(file, 5 + draw(20));
		fprintf(file, "\"}\n");
	}
	fclose(file);
}

static void write_tree(void)
{
	char path[32];
	write_records("plain");
	for (int i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "tree/file%02d.txt", i);
		FILE *file = must_fopen(path, "w");
		for (int line = 0; line < 60; line++) {
			write_words(file, draw(15));
			fputc('\n', file);
		}
		fclose(file);
	}
	FILE *file = must_fopen(long_line, "w");
	for (int i = 0; i < 1 << 20; i++)
		fputc("aaaaabxe i, "[i % 4096 < 2000 ? 0 : draw(12)], file);
	fclose(file);
}

static struct bs_build_request request_of(const char *const *source)
{
	return (struct bs_build_request){.dir = "index",
	                                 .sources = source,
	                                 .n_sources = 1,
	                                 .index.words = true,
	                                 .index.grams = true};
}

/* Writes the records, and a large document that repeats a text and ends with words that records
 * have, too. */
static void write_many(void)
{
	write_records("plain");
	FILE *file = must_fopen(big, "w");
	for (size_t n = 0; n < BIG_BYTES; n += 8)
		fputs("big one ", file);
	fputs("common1 common2 word1\n", file);
	fclose(file);
}

static void open_index(void)
{
	ok(bs_index_open("index", &rig->index, ERR));
	ok(bs_searcher_new(rig->index, &rig->searcher, ERR));
}

static void close_index(void)
{
	bs_searcher_free(rig->searcher);
	bs_index_close(rig->index);
}

static void set_up(bool is_many)
{
	rig = must_calloc(1, sizeof(*rig));
	enter_new_folder(rig->folder);
	rig->text = calloc(1, TEXT_BYTES + 64);
	rig->n_records = is_many ? N_MANY : N_RECORDS;
	rig->n_words = is_many ? 40000 : 4000;
	assert_int_equal(mkdir(tree, 0700), 0);
	(is_many ? write_many : write_tree)();
	const char *sources[] = {is_many ? records : tree, big};
	struct bs_build_request request = request_of(sources);
	request.n_sources = is_many ? 2 : 1;
	request.index.grams = !is_many;
	ok(bs_index_build(&request, NULL, ERR));
	open_index();
	clock_step(CLOCK_LOOK_NS);
}

static int setup(void **rig_out)
{
	set_up(false);
	return 0;
}

static int setup_many(void **rig_out)
{
	set_up(true);
	return 0;
}

static int teardown(void **rig_in)
{
	clock_step(0);
	close_index();
	remove_folder(rig->folder);
	free(rig->text);
	free(rig);
	return 0;
}

static int count_hit(void *context, const struct bs_hit *hit)
{
	if (context)
		++*(uint64_t *)context;
	return 0;
}

/* Stops the clock, and returns a deadline that expires after n readings of it. */
static uint64_t looks(uint64_t n)
{
	clock_step(CLOCK_LOOK_NS);
	return n > 0 ? n * CLOCK_LOOK_NS : 1;
}

/* Asserts that the searcher is usable, whatever the previous call was. */
static void assert_fit(void)
{
	struct bs_search_request plain = {QUERY("plain"), .output.mode = BS_SEARCH_COUNT};
	struct bs_search_result result;
	ok(bs_search(rig->searcher, &plain, &result, ERR));
	assert_int_equal(result.n_hits, rig->n_records / 5);
	assert_false(result.is_partial);
	uint64_t n = 0;
	plain = (struct bs_search_request){QUERY("plain common1 word3"), .query.any = true,
	                                   .callbacks.hit = count_hit, .callbacks.context = &n};
	ok(bs_search(rig->searcher, &plain, &result, ERR));
	assert_int_equal(n, 10);
}

static void ignore(void *context, const char *line)
{
}

static int take_candidates(void *context, const struct bs_matrix_candidates *candidates)
{
	return 0;
}

static enum bs_status search(const struct bs_search_request *request, struct bs_error *err)
{
	return bs_search(rig->searcher, request, NULL, err);
}

static enum bs_status find_candidates(const struct bs_search_request *request, struct bs_error *err)
{
	return bs_matrix_query(rig->searcher, request, take_candidates, NULL, NULL, err);
}

static enum bs_status gather(const struct bs_search_request *request, struct bs_error *err)
{
	struct bs_statistics *statistics;
	assert_int_equal(bs_statistics_new(&statistics, err), BS_OK);
	enum bs_status status = bs_statistics_gather(rig->searcher, request, statistics, err);
	bs_statistics_free(statistics);
	return status;
}

/* A query that takes long: n pieces, or as many as fit, and then `rest`. A piece is `before`, a
 * random number and `after`, or only `before` if `after` is NULL. `ask` NULL: bs_search is called.
 * If `how` has a like_text, this text replaces it; a like_id becomes that of the large document. */
struct kind {
	const char *name, *before, *after;
	size_t n;
	const char *rest;
	struct bs_search_request how;
	enum bs_status (*ask)(const struct bs_search_request *, struct bs_error *);
};

enum {
	WORDS,
	FUZZY,
	BRUTE,
};

static const struct kind hostile[] = {
	[WORDS] = {"words", "word", " ", 10000, "", .how.query.any = true},
	[FUZZY] = {"fuzzy", "word", "~2 ", 200, "", .how.query.any = true},
	[BRUTE] = {"brute", "common", " ", 3, "", .how.query.any = true, .how.method.brute = true},
	{"substrings", "*o*", "* ", 100, "", .how.query.any = true},
	{"phrases", "\"common1 word", "\" OR ", 5000, .rest = "x"},
	{"groups", "((word", ") OR ", SIZE_MAX, .rest = ""},
	{"brackets", "(", NULL, SIZE_MAX, .rest = ""},
	{"near", "\"common2 common", " common3\"~1000 ", 20, "", .how.query.any = true},
	{"prefix", "", "", 0, "c*", .how.output.mode = BS_SEARCH_IDS},
	{"passages", "common", " ", 10, "", .how.query.any = true, .how.method.exhaustive = true,
         .how.output = {.snippets = true, .passages = true, .limit = 5000}},
	{"feedback", "common", " ", 4, "", .how.query = {.any = true, .feedback_docs = 500}},
	{"sorted", "", "", 0, "common1 OR word1",
         .how.output = {.sort_field = "number", .limit = 3000}},
	{"one word", "\xe4\xb8\xad", NULL, SIZE_MAX, .rest = ""},
	{"names", "name:*", "* OR ", 40, .rest = "common1"},
};

#define N_HOSTILE COUNT(hostile)

/* Queries for the index of many records and a large document. */
static const struct kind of_many[] = {
	{"count of a large OR", "common", " OR ", SIZE_MAX, "x",
         .how.output.mode = BS_SEARCH_COUNT},
	{"count of phrases", "\"common1 word", "\" OR ", 20000, "x",
         .how.output.mode = BS_SEARCH_COUNT},
	{"fuzzy", "word", "~2 ", 500, "", .how.query.any = true},
	{"prefixes", "*o*", "* ", 500, "", .how.query.any = true},
	{"misspelt", "", "", 0, "wxord12345 cammon99999 zqzqzq", .how.callbacks.suggest = true},
	{"like a text", "word", " ", 30000, "", .how.query.like_text = ""},
	{"like a document", "", "", 0, "", .how.query.like_id = ""},
	{"feedback", "", "", 0, "common1 common2 common3",
         .how.query = {.any = true, .feedback_docs = 5000}},
	{"sorted", "", "", 0, "common1 OR common2 OR plain", .how.method.no_stat = true,
         .how.output = {.sort_field = "number", .limit = 100}},
	{"best of many", "", "", 0, "common1 OR common2 OR plain", .how.method.exhaustive = true,
         .how.output.limit = 40000},
	{"ids", "", "", 0, "common1 OR \"common2 common3\"", .how.output.mode = BS_SEARCH_IDS},
	{"brute", "", "", 0, "common1 common2", .how.method.brute = true},
	{"statistics", "word", "~2 ", 500, "", .ask = gather},
	{"candidates", "common", " OR ", 20000, "x", .ask = find_candidates},
};

#define N_OF_MANY COUNT(of_many)

/* Sets the text to n pieces, or to as many as fit. */
static void fill(const char *before, const char *after, size_t n)
{
	size_t used = 0;
	memset(rig->text, 0, TEXT_BYTES + 64);
	for (size_t i = 0; i < n && used < TEXT_BYTES; i++)
		used += (size_t)(after ? snprintf(rig->text + used, 64, "%s%u%s", before,
		                                  draw(rig->n_words), after)
		                       : snprintf(rig->text + used, 64, "%s", before));
}

static struct bs_search_request make(const struct kind *kind, const struct bs_limits *limits)
{
	struct bs_search_request request = kind->how;
	fill(kind->before, kind->after, kind->n);
	strcat(rig->text, kind->rest);
	request.limits = limits;
	request.callbacks.hit = count_hit;
	request.callbacks.notice = ignore;
	if (request.query.like_id) {
		request.query.like_id = big;
	} else if (request.query.like_text) {
		request.query.like_text = rig->text;
		request.query.like_text_bytes = strlen(rig->text);
	} else {
		request.query.text = rig->text;
		request.query.text_bytes = strlen(rig->text);
	}
	return request;
}

static enum bs_status ask(const struct kind *kind, const struct bs_search_request *request,
                          struct bs_error *err)
{
	return (kind->ask ? kind->ask : search)(request, err);
}

/* Returns whether the deadline, which is after n_looks readings of the clock, ended the query. */
static bool is_ended(const struct kind *kind, uint64_t n_looks, bool partial)
{
	uint64_t n = 0;
	struct bs_search_result result;
	struct bs_limits limits = {.deadline_ns = looks(n_looks), .partial = partial};
	struct bs_search_request request = make(kind, &limits);
	request.callbacks.context = &n;
	enum bs_status status = bs_search(rig->searcher, &request, &result, ERR);
	assert_in_range(clock_looks(), 0, n_looks + LATE_LOOKS);
	if (status != BS_OK && status != BS_DEADLINE && status != BS_INVALID)
		fail_msg("%s: %s", kind->name, said.text);
	/* at most one hit for each document */
	if (status == BS_DEADLINE) {
		assert_false(partial);
		assert_non_null(strstr(said.text, "time limit"));
		assert_true(n <= N_RECORDS + N_FILES + 1);
	}
	assert_true(!result.is_partial || (partial && status == BS_OK && result.is_at_least));
	if (request.output.mode == BS_SEARCH_IDS && !status)
		assert_true(n <= result.n_hits);
	assert_fit();
	return status == BS_DEADLINE || result.is_partial;
}

static void test_hostile_queries_end(void **rig_in)
{
	static const uint64_t deadlines[] = {0, 4, 20, 80};
	size_t n_ended = 0;
	for (const struct kind *kind = hostile; kind < hostile + N_HOSTILE; kind++)
		for (size_t d = 0; d < COUNT(deadlines); d++)
			for (int partial = 0; partial < 2; partial++)
				n_ended += is_ended(kind, deadlines[d], partial);
	assert_true(n_ended > N_HOSTILE * 2);
}

/* Stores the hit's document and rank. */
static int keep_document(void *context, const struct bs_hit *hit)
{
	uint64_t **to = context;
	*(*to)++ = hit->document * 100000 + hit->rank;
	return 0;
}

static void test_partial_hits_are_hits(void **rig_in)
{
	static uint64_t all[N_RECORDS + 100], some[N_RECORDS + 100];
	uint64_t *to = all;
	struct bs_limits limits = {.partial = true};
	struct bs_search_request request = {
		QUERY("\"common1 common2\" OR plain"), .output.mode = BS_SEARCH_IDS,
		.callbacks.hit = keep_document, .callbacks.context = &to, .method.brute = true};
	struct bs_search_result result = {.is_partial = true};
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	size_t n_all = (size_t)(to - all), n_some = 0;
	request.limits = &limits;
	for (uint64_t n = 2; n < 200000 && result.is_partial; n *= 3) {
		limits.deadline_ns = looks(n);
		to = some;
		ok(bs_search(rig->searcher, &request, &result, ERR));
		n_some = (size_t)(to - some);
		assert_true(n_some <= result.n_hits && result.n_hits <= n_all);
		/* The hits so far are the first ones of all hits. */
		assert_memory_equal(some, all, n_some * sizeof(*some));
	}
	assert_int_equal(n_some, n_all);
}

static int take_slowly(void *context, const struct bs_hit *hit)
{
	++*(uint64_t *)context;
	clock_advance(1000000);
	return 0;
}

/* With `partial`, too, no hits are returned after the deadline, even if more were found. */
static void test_partial_hits_end(void **rig_in)
{
	uint64_t n = 0;
	struct bs_limits limits = {.partial = true};
	struct bs_search_request request = {QUERY("plain common1"),
	                                    .output.mode = BS_SEARCH_IDS,
	                                    .callbacks.hit = take_slowly,
	                                    .callbacks.context = &n,
	                                    .query.any = true,
	                                    .method.brute = true,
	                                    .method.n_threads = 1,
	                                    .limits = &limits};
	struct bs_search_result result = {.n_hits = 0};
	for (limits.deadline_ns = 500000; result.n_hits < 1000;
	     limits.deadline_ns += limits.deadline_ns / 2) {
		n = 0;
		ok(bs_search(rig->searcher, &request, &result, ERR));
		assert_true(result.is_partial);
	}
	assert_true(n > 0 && n < 800);
	assert_fit();
}

/* Requests a stop from the n_left-th call on. */
struct stopper {
	int n_left;
	bool has_said;
};

static int stop_at_last(void *context)
{
	struct stopper *stopper = context;
	stopper->has_said |= --stopper->n_left <= 0;
	return stopper->has_said;
}

static int count_call(void *context)
{
	++*(uint64_t *)context;
	return 0;
}

/* limits.stop is called once or twice per millisecond, not at every reading of the clock. */
static void assert_asked_in_time(void)
{
	uint64_t n = 0, n_asked = 0;
	struct bs_limits limits = {.stop = count_call, .context = &n_asked};
	struct bs_search_request request = make(&hostile[BRUTE], &limits);
	request.callbacks.context = &n;
	request.method.n_threads = 1;
	clock_step(CLOCK_LOOK_NS);
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	uint64_t elapsed_ms = clock_looks() * CLOCK_LOOK_NS / 1000000;
	assert_true(elapsed_ms > 10);
	assert_in_range(n_asked, elapsed_ms, elapsed_ms * 2 + 2);
}

static void test_flags_and_callbacks_stop(void **rig_in)
{
	volatile int cancel = 1;
	uint64_t n = 0;
	struct bs_limits limits = {.cancel = &cancel};
	struct bs_search_request request = {QUERY("common1"), .method.brute = true,
	                                    .callbacks.hit = count_hit, .callbacks.context = &n,
	                                    .limits = &limits};
	assert_int_equal(bs_search(rig->searcher, &request, NULL, ERR), BS_STOPPED);
	assert_fit();
	cancel = 0;
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	struct stopper second = {.n_left = 2};
	limits = (struct bs_limits){.stop = stop_at_last, .context = &second};
	request = make(&hostile[FUZZY], &limits);
	request.method.brute = true;
	assert_int_equal(bs_search(rig->searcher, &request, NULL, ERR), BS_STOPPED);
	assert_fit();
	limits.reserved[0] = 1;
	assert_int_equal(bs_search(rig->searcher, &request, NULL, ERR), BS_UNSUPPORTED);
	assert_int_equal(find_candidates(&request, ERR), BS_UNSUPPORTED);
	assert_fit();
	assert_asked_in_time();
}

static void test_memory_is_limited(void **rig_in)
{
	uint64_t n = 0;
	struct bs_limits limits = {.memory_bytes = 20000};
	struct bs_search_request request = make(&hostile[WORDS], &limits);
	request.callbacks.context = &n;
	assert_int_equal(bs_search(rig->searcher, &request, NULL, ERR), BS_NO_MEMORY);
	assert_non_null(strstr(said.text, "limit"));
	assert_non_null(strstr(said.text, "20000"));
	assert_int_equal(find_candidates(&request, ERR), BS_NO_MEMORY);
	assert_fit();
	limits.memory_bytes = 256u << 20;
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	/* Memory of the previous call is released before it exceeds a smaller limit. */
	limits.memory_bytes = 4u << 20;
	request.query.text = "plain";
	request.query.text_bytes = 5;
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	assert_fit();
}

static void compare_pages(struct bs_search_request request, size_t page)
{
	FREED uint64_t *one = must_calloc(N_RECORDS + 100, sizeof(*one)),
		       *paged = must_calloc(2 * N_RECORDS, sizeof(*paged));
	uint64_t *to = one;
	request.callbacks.hit = keep_document;
	request.callbacks.context = &to;
	size_t wanted = request.output.limit;
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	size_t n = (size_t)(to - one), n_paged = 0;
	assert_true(n > 3 * page);
	for (request.output.offset = 0; request.output.offset < n; request.output.offset += page) {
		to = paged + n_paged;
		request.output.limit = wanted - request.output.offset < page
		                               ? wanted - request.output.offset
		                               : page;
		ok(bs_search(rig->searcher, &request, NULL, ERR));
		size_t got = (size_t)(to - paged) - n_paged;
		assert_int_equal(got, request.output.mode == BS_SEARCH_IDS
		                              ? n - request.output.offset
		                      : n - request.output.offset < page ? n - request.output.offset
		                                                         : page);
		n_paged += got < page ? got : page;
	}
	assert_int_equal(n_paged, n);
	assert_memory_equal(one, paged, n * sizeof(*one));
	request.output.offset = SIZE_MAX;
	request.output.limit = 5;
	to = paged;
	ok(bs_search(rig->searcher, &request, NULL, ERR));
	assert_ptr_equal(to, paged);
}

static void test_pages_are_one_list(void **rig_in)
{
	struct bs_search_request request = {QUERY("common1 word2 plain"), .query.any = true,
	                                    .output.limit = 500};
	compare_pages(request, 7);
	compare_pages(request, 100);
	request.method.exhaustive = true;
	compare_pages(request, 33);
	request.output.sort_field = "number";
	compare_pages(request, 33);
	request = (struct bs_search_request){QUERY("plain"), .output.mode = BS_SEARCH_IDS,
	                                     .output.limit = 100000};
	compare_pages(request, 500);
	request.output.offset = 3;
	request.output.mode = BS_SEARCH_COUNT;
	assert_int_equal(bs_search(rig->searcher, &request, NULL, NULL), BS_INVALID);
}

static int take_bytes(void *context, const void *bytes, size_t n_bytes)
{
	*(uint64_t *)context += n_bytes;
	return 0;
}

/* Returns a request for the pattern in a file or folder, both borrowed. It counts output bytes. */
static struct bs_grep_request grep_of(const char *const *pattern, const char *const *path,
                                      uint64_t *n_bytes, const struct bs_limits *limits)
{
	static size_t pattern_bytes;
	pattern_bytes = strlen(*pattern);
	return (struct bs_grep_request){
		.pattern = {.patterns = pattern, .pattern_bytes = &pattern_bytes, .n_patterns = 1},
		.files = {.paths = path, .n_paths = 1},
		.callbacks.write = take_bytes,
		.callbacks.context = n_bytes,
		.limits = limits};
}

static void test_hostile_patterns_end(void **rig_in)
{
	static const char *const patterns[] = {"(a+)+$x",
	                                       "(\\w+\\s*)+;;x",
	                                       "(.*)(.*)(.*)(.*)(.*)q{5}x",
	                                       "(\\w+\\s+)+\\n\\n\\n\\nz",
	                                       "\\s+int\\s+x\\s+$z",
	                                       "(x+x+)+y",
	                                       "common\\d+",
	                                       "(?:a|b|c|d|e){5,500}z"};
	size_t n_ended = 0;
	for (size_t i = 0; i < COUNT(patterns); i++) {
		for (int how = 0; how < 16; how++) {
			const char *path = how & 2 ? tree : long_line;
			uint64_t n = 0;
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns = looks(60), .partial = how & 1};
			struct bs_grep_request request = grep_of(&patterns[i], &path, &n, &limits);
			request.index.dir = how & 4 ? "index" : NULL;
			request.n_threads = 3;
			request.pattern.is_multi_line = i == 3 || i == 4;
			/* The line filter finds in time that most patterns match no line. */
			request.pattern.line_filter =
				how & 8 ? BS_GREP_ENGINE_NEVER : BS_GREP_ENGINE_AUTO;
			enum bs_status status = bs_grep(&request, &result, ERR);
			assert_in_range(clock_looks(), 0, 60 + LATE_LOOKS);
			if (status != BS_OK && !(status == BS_DEADLINE && !limits.partial))
				fail_msg("%s: %s", patterns[i], said.text);
			n_ended += status == BS_DEADLINE || result.is_partial;
		}
	}
	assert_true(n_ended > 8);
}

/* With a deadline, even one that is never reached, a search limits each attempt to match a pattern
 * and repeats attempts that reach the limit. This must not change the length of the output. */
static void test_limits_change_no_line(void **rig_in)
{
	static const char *const patterns[] = {"common1\\d* word\\d+",
	                                       "(?:common\\d+ ){2,}word",
	                                       "word(\\d)\\1\\b",
	                                       "^common.*7 $",
	                                       "\\bword[13]\\b",
	                                       "a{30,}b",
	                                       "x?$"};
	for (size_t i = 0; i < COUNT(patterns); i++) {
		uint64_t n_bytes[2] = {0, 0};
		for (int limited = 0; limited < 2; limited++) {
			const char *path = tree;
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns =
			                                   limited ? UINT64_C(300000000000) : 0};
			struct bs_grep_request request =
				grep_of(&patterns[i], &path, &n_bytes[limited], &limits);
			request.pattern.is_pcre2 = i == 2;
			request.pattern.is_multi_line = i % 2;
			request.output.only_matching = true;
			request.output.byte_offsets = true;
			ok(bs_grep(&request, &result, ERR));
			assert_false(result.is_partial);
		}
		if (n_bytes[0] != n_bytes[1])
			fail_msg("%s: %llu and %llu bytes", patterns[i],
			         (unsigned long long)n_bytes[0], (unsigned long long)n_bytes[1]);
	}
}

static void test_builds_end_and_leave_all_as_it_was(void **rig_in)
{
	const char *source = tree;
	struct bs_limits limits = {.deadline_ns = 1000};
	struct bs_build_request request = request_of(&source);
	struct stat found;
	request.dir = "other";
	request.limits = &limits;
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_DEADLINE);
	assert_int_not_equal(stat("other", &found), 0);
	request.dir = "index";
	request.rebuild = true;
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_DEADLINE);
	limits.deadline_ns = 20000000;
	(void)!bs_index_build(
		&(struct bs_build_request){.dir = "index", .rebuild = true, .limits = &limits},
		NULL, ERR);
	struct stopper first = {.n_left = 1};
	limits = (struct bs_limits){.stop = stop_at_last, .context = &first};
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_STOPPED);
	limits = (struct bs_limits){.deadline_ns = 1000};
	/* Nothing needs compaction, so the call may end before its deadline. */
	enum bs_status compacted = bs_index_compact(
		&(struct bs_build_request){.dir = "index", .limits = &limits}, NULL, ERR);
	assert_true(compacted == BS_OK || compacted == BS_DEADLINE);
	struct bs_delete_request deletion = {.dir = "index",
	                                     .query = "\"common1 common2\"",
	                                     .query_bytes = 17,
	                                     .limits = &limits};
	assert_int_equal(bs_index_delete(&deletion, NULL, ERR), BS_DEADLINE);
	assert_int_equal(
		bs_index_check(&(struct bs_check_request){.dir = "index", .limits = &limits}, NULL,
	                       ERR),
		BS_DEADLINE);
	ok(bs_index_check(&(struct bs_check_request){.dir = "index"}, NULL, ERR));
	struct bs_index *index = must_open("index");
	struct bs_index_info info;
	bs_index_describe(index, &info);
	assert_int_equal(info.n_docs, N_RECORDS + N_FILES + 1);
	assert_int_equal(info.n_deleted, 0);
	bs_index_close(index);
	assert_fit();
}

static enum bs_status open_fresh(const struct bs_limits *limits, struct bs_error *err)
{
	struct bs_open_request request = {.dir = "index", .fresh = true, .limits = limits};
	struct bs_index *index;
	enum bs_status status = bs_index_open_with(&request, &index, err);
	assert_int_equal(status == BS_OK, index != NULL);
	bs_index_close(index);
	return status;
}

static enum bs_status refresh(const struct bs_limits *limits, struct bs_error *err)
{
	struct bs_build_report report;
	enum bs_status status = bs_index_build(
		&(struct bs_build_request){.dir = "index", .limits = limits}, &report, err);
	/* the refresh has ended, but its compaction was stopped */
	return !status && strstr(report.warning, "not compacted") ? BS_STOPPED : status;
}

static enum bs_status delete_none(const struct bs_limits *limits, struct bs_error *err)
{
	static const char *const ids[] = {"none", "no/none"};
	struct bs_delete_request request = {
		.dir = "index", .ids = ids, .n_ids = 2, .limits = limits};
	return bs_index_delete(&request, NULL, err);
}

/* A call that was asked to stop must not report success, even where it tolerates data that it
 * cannot read. */
static void test_who_is_told_to_stop_stops(void **rig_in)
{
	static enum bs_status (*const calls[])(const struct bs_limits *, struct bs_error *) = {
		open_fresh, delete_none, refresh};
	assert_int_equal(system("find tree -type f -exec touch {} +"), 0);
	for (size_t c = 0; c < COUNT(calls); c++) {
		bool was_stopped = true;
		for (int n = 1; was_stopped && n < 1000; n += 1 + n / 4) {
			struct stopper stopper = {.n_left = n};
			struct bs_limits limits = {.stop = stop_at_last, .context = &stopper};
			enum bs_status status = calls[c](&limits, ERR);
			was_stopped = stopper.has_said;
			if (status != (was_stopped ? BS_STOPPED : BS_OK))
				fail_msg("call %zu, asked %d times: %s: %s", c, n,
				         bs_status_name(status), said.text);
		}
	}
	assert_fit();
}

struct heard {
	size_t n[3];
	char last[512];
};

static void hear(void *context, enum bs_log_level level, const char *line)
{
	struct heard *heard = context;
	heard->n[level]++;
	snprintf(heard->last, sizeof(heard->last), "%s", line);
	assert_null(strchr(line, '\n'));
}

static void test_log_is_told(void **rig_in)
{
	struct heard heard = {{0}, ""};
	struct bs_log log = {.line = hear, .context = &heard};
	struct bs_open_request open = {.dir = "index", .host.log = &log};
	uint64_t n = 0;
	struct bs_index *index = must_open_with(&open);
	assert_int_equal(heard.n[BS_LOG_INFO], 1);
	assert_non_null(strstr(heard.last, "opened"));
	struct bs_searcher *searcher = must_searcher(index);
	struct bs_search_request request = {QUERY("plain\nx"), .query.any = true,
	                                    .callbacks.hit = count_hit, .callbacks.context = &n};
	ok(bs_search(searcher, &request, NULL, ERR));
	assert_int_equal(heard.n[BS_LOG_DEBUG], 1);
	assert_non_null(strstr(heard.last, "plain\\x0ax"));
	log.slow_ns = 1;
	ok(bs_search(searcher, &request, NULL, ERR));
	assert_int_equal(heard.n[BS_LOG_WARNING], 1);
	log.slow_ns = 0;
	log.least = BS_LOG_WARNING;
	ok(bs_search(searcher, &request, NULL, ERR));
	assert_int_equal(heard.n[BS_LOG_DEBUG], 1);
	bs_searcher_free(searcher);
	bs_index_close(index);
	size_t n_info = heard.n[BS_LOG_INFO];
	ok(bs_index_open_with(&open, &index, ERR));
	bs_index_close(index);
	assert_int_equal(heard.n[BS_LOG_INFO], n_info);
	log.least = BS_LOG_DEBUG;
	ok(bs_index_build(&(struct bs_build_request){.dir = "index", .host.log = &log}, NULL, ERR));
	assert_int_equal(heard.n[BS_LOG_INFO], n_info + 1);
	assert_non_null(strstr(heard.last, "nothing new"));
}

/* ---- many records and a large document ---- */

static void test_nothing_is_done_after_a_deadline(void **rig_in)
{
	for (const struct kind *kind = of_many; kind < of_many + N_OF_MANY; kind++) {
		struct bs_limits limits = {.deadline_ns = looks(0)};
		struct bs_search_request request = make(kind, &limits);
		enum bs_status status = ask(kind, &request, ERR);
		if (status != BS_DEADLINE)
			fail_msg("%s: %s", kind->name, status ? said.text : "was done");
		assert_in_range(clock_looks(), 1, 10);
		assert_fit();
	}
}

static void *set_flag(void *flag)
{
	__atomic_store_n((volatile int *)flag, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void cancel(void *flag)
{
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, set_flag, flag), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Another thread sets the flag at once, or after some work. Results before this remain valid. */
static void test_another_thread_cancels(void **rig_in)
{
	static const uint64_t after[] = {2, 4, 20, 60, 200};
	size_t n_stopped = 0;
	for (const struct kind *kind = of_many; kind < of_many + N_OF_MANY; kind++) {
		for (size_t i = 0; i < COUNT(after); i++) {
			int flag = 0;
			struct bs_limits limits = {.cancel = &flag};
			struct bs_search_request request = make(kind, &limits);
			clock_step(CLOCK_LOOK_NS);
			clock_call_at(after[i], cancel, &flag);
			enum bs_status status = ask(kind, &request, ERR);
			uint64_t n_looks = clock_looks();
			if (status != BS_STOPPED && (status != BS_OK || n_looks > after[i] + 2))
				fail_msg("%s: %s, %d looks after the flag was set", kind->name,
				         said.text, (int)(n_looks - after[i]));
			assert_in_range(n_looks, 0, after[i] + LATE_LOOKS);
			n_stopped += status == BS_STOPPED;
			assert_fit();
		}
	}
	assert_true(n_stopped > N_OF_MANY);
}

/* Whenever the deadline expires, a partial answer describes this search, not the previous one, and
 * is not a failure. */
static void test_partial_answers_are_answers(void **rig_in)
{
	for (const struct kind *kind = of_many; kind < of_many + N_OF_MANY && !kind->ask; kind++) {
		uint64_t n_all = 0;
		for (uint64_t n = 20000; n > 0; n = n > 60 ? 60 : n * 2 / 3) {
			struct bs_search_result result;
			struct bs_limits limits = {.deadline_ns = looks(n), .partial = true};
			struct bs_search_request request = make(kind, &limits);
			enum bs_status status = bs_search(rig->searcher, &request, &result, ERR);
			if (status)
				fail_msg("%s, %llu looks: %s", kind->name, (unsigned long long)n,
				         said.text);
			if (!result.is_partial && n > 60)
				n_all = result.n_hits;
			if (n_all && result.n_hits > n_all)
				fail_msg("%s, %llu looks: %llu hits of %llu", kind->name,
				         (unsigned long long)n, (unsigned long long)result.n_hits,
				         (unsigned long long)n_all);
		}
		struct bs_limits none = {.deadline_ns = looks(0), .partial = true};
		struct bs_search_request request = make(kind, &none);
		struct bs_search_result result;
		ok(bs_search(rig->searcher, &request, &result, ERR));
		assert_true(result.is_partial && result.is_at_least);
		if (result.n_hits)
			fail_msg("%s: %llu hits in no time", kind->name,
			         (unsigned long long)result.n_hits);
	}
}

/* A deletion (here a dry run) that reaches its deadline fails, even with `partial`; one that does
 * not fail has found all matches. */
static void test_deletions_are_whole(void **rig_in)
{
	for (uint64_t n = 4; n < 1200; n = n * 3 / 2) {
		struct bs_delete_result result;
		struct bs_limits limits = {.deadline_ns = looks(n), .partial = true};
		struct bs_delete_request request = {.dir = "index",
		                                    .query = "\"common1 common2\" OR plain",
		                                    .query_bytes = 26,
		                                    .dry_run = true,
		                                    .limits = &limits};
		enum bs_status status = bs_index_delete(&request, &result, ERR);
		assert_true(status == BS_DEADLINE || status == BS_OK);
		assert_true(status || result.n_deleted >= N_MANY / 5);
	}
}

/* Memory for a large document is released before it exceeds a smaller limit, also if another
 * document was read after it. */
static void test_memory_is_given_back(void **rig_in)
{
	const struct bs_text *texts;
	size_t n_texts;
	for (int reads_small = 0; reads_small < 2; reads_small++) {
		struct bs_limits limits = {.memory_bytes = (uint64_t)8 << 20};
		struct bs_search_request request = {QUERY("\"big one\""), .method.brute = true,
		                                    .callbacks.hit = count_hit};
		ok(bs_search(rig->searcher, &request, NULL, ERR));
		if (reads_small)
			ok(bs_document(rig->searcher, "r7", 2, &texts, &n_texts, NULL, ERR));
		request = (struct bs_search_request){QUERY("plain"), .callbacks.hit = count_hit,
		                                     .limits = &limits};
		ok(bs_search(rig->searcher, &request, NULL, ERR));
		limits.memory_bytes = 20000;
		fill("word", " ", 10000);
		request.query.text = rig->text;
		request.query.text_bytes = strlen(rig->text);
		assert_int_equal(bs_search(rig->searcher, &request, NULL, ERR), BS_NO_MEMORY);
		assert_fit();
	}
}

/* A document whose source could not be checked in time is not counted as a hit. Here the record
 * file has changed, and the word is no longer in it. */
static void test_what_changed_is_not_counted(void **rig_in)
{
	write_records("plane");
	close_index();
	for (uint64_t n = 1; n < 800; n += 1 + n / 4) {
		open_index();
		struct bs_limits limits = {.deadline_ns = looks(n), .partial = true};
		struct bs_search_request request = {QUERY("plain"), .output.mode = BS_SEARCH_COUNT,
		                                    .method.exhaustive = true, .limits = &limits};
		struct bs_search_result result;
		ok(bs_search(rig->searcher, &request, &result, ERR));
		if (result.n_hits)
			fail_msg("%llu looks: %llu hits", (unsigned long long)n,
			         (unsigned long long)result.n_hits);
		close_index();
	}
	open_index();
}

/* The memory that 2000 earlier calls of a searcher used no longer counts, so that a later call
 * stays within its limit. */
static void test_memory_is_counted(void **rig_in)
{
	struct bs_limits limits = {.memory_bytes = (uint64_t)16 << 20};
	struct bs_search_request request = {QUERY("common1 OR common2"),
	                                    .callbacks.hit = count_hit};
	for (int i = 0; i < 2000; i++)
		ok(bs_matrix_query(rig->searcher, &request, take_candidates, NULL, NULL, ERR));
	request.limits = &limits;
	ok(bs_search(rig->searcher, &request, NULL, ERR));
}

int main(void)
{
	int n_failed = RUN_NAMES(
		NULL, NULL, setup, teardown, test_hostile_queries_end, test_partial_hits_are_hits,
		test_partial_hits_end, test_flags_and_callbacks_stop, test_memory_is_limited,
		test_pages_are_one_list, test_hostile_patterns_end, test_limits_change_no_line,
		test_builds_end_and_leave_all_as_it_was, test_who_is_told_to_stop_stops,
		test_log_is_told);
	/* test_what_changed_is_not_counted is last, because it changes the records. */
	return n_failed + RUN_NAMES(NULL, NULL, setup_many, teardown,
	                            test_nothing_is_done_after_a_deadline,
	                            test_another_thread_cancels, test_partial_answers_are_answers,
	                            test_deletions_are_whole, test_memory_is_given_back,
	                            test_memory_is_counted, test_what_changed_is_not_counted);
}
