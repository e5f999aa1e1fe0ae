/* test_limits.c: what ends a call before it is done, pages of hits, and the log, as a program sees them (bitsift.h). */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/query.h>

#include "tests/rigs/library_rig.h"
#include "tests/rigs/test.h"

#define N_RECORDS  12000
#define N_FILES    40
#define TEXT_BYTES ((size_t)400000)
/* How late a call may be here, where sanitizers are at work and others on the machine: bench/limits_main.c measures. */
#define LATE_MS 400.0

struct rig {
	char folder[FOLDER_BYTES], tree[80], dir[80], long_line[96];
	struct bs_index *index;
	struct bs_finder *finder;
	uint64_t n_plain; /* documents that the plain query finds */
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

static void write_words(FILE *file, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s%u ", draw(3) ? "common" : "word", draw(draw(2) ? 20 : 4000));
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

static void write_tree(const struct rig *rig)
{
	char path[160];
	assert_int_equal(mkdir(rig->tree, 0700), 0);
	snprintf(path, sizeof(path), "%s/records.jsonl", rig->tree);
	FILE *file = open_file(path);
	for (int i = 0; i < N_RECORDS; i++) {
		fprintf(file, "{\"id\": \"r%d\", \"number\": %u, \"text\": \"%s", i, draw(500), i % 5 ? "" : "plain ");
		write_words(file, 5 + draw(20));
		fprintf(file, "\"}\n");
	}
	fclose(file);
	for (int i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "%s/file%02d.txt", rig->tree, i);
		file = open_file(path);
		for (int line = 0; line < 60; line++) {
			write_words(file, draw(15));
			fputc('\n', file);
		}
		fclose(file);
	}
	file = open_file(rig->long_line);
	for (int i = 0; i < 1 << 20; i++)
		fputc("aaaaabxe i, "[i % 4096 < 2000 ? 0 : draw(12)], file);
	fclose(file);
}

static struct bs_build_request request_of(const struct rig *rig, const char *const *source)
{
	return (struct bs_build_request){.dir = rig->dir, .sources = source, .n_sources = 1, .words = true, .grams = true};
}

static int setup(void **rig_out)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct bs_error err;
	assert_non_null(rig);
	make_folder(rig->folder);
	snprintf(rig->tree, sizeof(rig->tree), "%s/tree", rig->folder);
	snprintf(rig->dir, sizeof(rig->dir), "%s/index", rig->folder);
	snprintf(rig->long_line, sizeof(rig->long_line), "%s/tree/long.txt", rig->folder);
	rig->text = calloc(1, TEXT_BYTES + 64);
	write_tree(rig);
	const char *source = rig->tree;
	struct bs_build_request request = request_of(rig, &source);
	if (bs_index_build(&request, NULL, &err) || bs_index_open(rig->dir, NULL, &rig->index, &err) ||
	    bs_finder_new(rig->index, &rig->finder, &err))
		fail_msg("%s", err.text);
	struct bs_find_request plain = {.query = "plain", .query_bytes = 5, .mode = BS_FIND_COUNT};
	struct bs_find_result result;
	assert_int_equal(bs_find(rig->finder, &plain, &result, NULL), BS_OK);
	rig->n_plain = result.n_hits;
	assert_int_equal(rig->n_plain, N_RECORDS / 5);
	*rig_out = rig;
	return 0;
}

static int teardown(void **rig_in)
{
	struct rig *rig = *rig_in;
	bs_finder_free(rig->finder);
	bs_index_close(rig->index);
	remove_folder(rig->folder);
	free(rig->text);
	free(rig);
	return 0;
}

static int count_hit(void *context, const struct bs_find_hit *hit)
{
	(void)hit;
	++*(uint64_t *)context;
	return 0;
}

/* Whatever it was asked before, and however that ended. */
static void assert_fit(const struct rig *rig)
{
	struct bs_find_request plain = {.query = "plain", .query_bytes = 5, .mode = BS_FIND_COUNT};
	struct bs_find_result result;
	assert_int_equal(bs_find(rig->finder, &plain, &result, NULL), BS_OK);
	assert_int_equal(result.n_hits, rig->n_plain);
	assert_false(result.is_partial);
	uint64_t n = 0;
	plain = (struct bs_find_request){.query = "plain common1 word3", .query_bytes = 19, .any = true, .hit = count_hit, .context = &n};
	assert_int_equal(bs_find(rig->finder, &plain, &result, NULL), BS_OK);
	assert_int_equal(n, 10);
}

/* Pieces, each with a number behind it, until there are n or the text is full. */
static void fill(struct rig *rig, const char *before, const char *after, size_t n)
{
	size_t used = 0;
	for (size_t i = 0; i < n && used < TEXT_BYTES; i++)
		used += (size_t)snprintf(rig->text + used, 64, "%s%u%s", before, draw(4000), after);
}

static void make_hostile(struct rig *rig, int kind, struct bs_find_request *request)
{
	switch (kind) {
	case 0: fill(rig, "word", " ", 10000); request->any = true; break;
	case 1: fill(rig, "word", "~2 ", 200); request->any = true; break;
	case 2: fill(rig, "*o*", "* ", 100); request->any = true; break;
	case 3: fill(rig, "\"common1 word", "\" OR ", 5000); strcat(rig->text, "x"); break;
	case 4: fill(rig, "((word", ") OR ", SIZE_MAX); break;
	case 5: memset(rig->text, '(', TEXT_BYTES); break;
	case 6: fill(rig, "common", " ", 3); request->brute = request->any = true; break;
	case 7: fill(rig, "\"common2 common", " common3\"~1000 ", 20); request->any = true; break;
	case 8: strcpy(rig->text, "c*"); request->mode = BS_FIND_IDS; break;
	case 9: fill(rig, "common", " ", 10); request->any = request->exhaustive = request->snippets = request->passages = true; request->n_best = 5000; break;
	case 10: fill(rig, "common", " ", 4); request->any = true; request->feedback_docs = 500; break;
	case 11: strcpy(rig->text, "common1 OR word1"); request->sort_field = "number"; request->n_best = 3000; break;
	case 12: for (size_t i = 0; i + 3 < TEXT_BYTES; i += 3) memcpy(rig->text + i, "\xe4\xb8\xad", 3); break;
	default: fill(rig, "name:*", "* OR ", 40); strcat(rig->text, "common1"); break;
	}
	request->query = rig->text;
	request->query_bytes = strlen(rig->text);
	memset(rig->text + request->query_bytes, 0, 1);
}

#define HOSTILE_KINDS 14

static void test_hostile_queries_end(void **rig_in)
{
	static const uint64_t deadlines_us[] = {1, 200, 1000, 4000};
	struct rig *rig = *rig_in;
	size_t n_ended = 0;
	for (int kind = 0; kind < HOSTILE_KINDS; kind++) {
		for (size_t d = 0; d < sizeof(deadlines_us) / sizeof(*deadlines_us); d++) {
			for (int partial = 0; partial < 2; partial++) {
				uint64_t n = 0;
				struct bs_error err = {""};
				struct bs_find_result result;
				struct bs_limits limits = {.deadline_ns = deadlines_us[d] * 1000, .partial = partial};
				struct bs_find_request request = {.hit = count_hit, .context = &n, .limits = &limits};
				memset(rig->text, 0, TEXT_BYTES + 64);
				make_hostile(rig, kind, &request);
				double start = now_ms();
				enum bs_status status = bs_find(rig->finder, &request, &result, &err);
				if (now_ms() - start > (double)deadlines_us[d] / 1e3 + LATE_MS)
					fail_msg("kind %d: %.1f ms", kind, now_ms() - start);
				if (status != BS_OK && status != BS_DEADLINE && status != BS_INVALID)
					fail_msg("kind %d: %s", kind, err.text);
				if (status == BS_DEADLINE) { /* what was handed out before is right all the same */
					assert_false(partial);
					assert_non_null(strstr(err.text, "out of time"));
					assert_true(n <= N_RECORDS + N_FILES + 1);
				}
				assert_true(!result.is_partial || (partial && status == BS_OK && result.is_at_least));
				n_ended += status == BS_DEADLINE || result.is_partial;
				if (request.mode == BS_FIND_IDS && !status)
					assert_true(n <= result.n_hits);
				assert_fit(rig);
			}
		}
	}
	assert_true(n_ended > HOSTILE_KINDS * 2);
}

/* Hits so far are hits. */
struct subset {
	char (*ids)[16];
	size_t n;
};

static int keep_id(void *context, const struct bs_find_hit *hit)
{
	struct subset *set = context;
	snprintf(set->ids[set->n++], sizeof(*set->ids), "%.*s", (int)(hit->local_id_bytes < 15 ? hit->local_id_bytes : 15), hit->local_id);
	return 0;
}

static void test_partial_hits_are_hits(void **rig_in)
{
	struct rig *rig = *rig_in;
	struct subset all = {calloc(N_RECORDS + 100, 16), 0}, some = {calloc(N_RECORDS + 100, 16), 0};
	struct bs_limits limits = {.partial = true};
	struct bs_find_request request = {
		.query = "\"common1 common2\" OR plain", .query_bytes = 26, .mode = BS_FIND_IDS, .hit = keep_id, .context = &all, .brute = true};
	struct bs_find_result result;
	assert_int_equal(bs_find(rig->finder, &request, &result, NULL), BS_OK);
	request.context = &some;
	request.limits = &limits;
	for (limits.deadline_ns = 100000; limits.deadline_ns < UINT64_C(10000000000); limits.deadline_ns *= 3) {
		some.n = 0;
		assert_int_equal(bs_find(rig->finder, &request, &result, NULL), BS_OK);
		assert_true(some.n <= result.n_hits && result.n_hits <= all.n);
		/* In document order, and none left out in between. */
		for (size_t i = 0; i < some.n; i++)
			assert_string_equal(some.ids[i], all.ids[i]);
		if (!result.is_partial)
			break;
	}
	assert_int_equal(some.n, all.n);
	free(all.ids);
	free(some.ids);
}

static int take_slowly(void *context, const struct bs_find_hit *hit)
{
	(void)hit;
	++*(uint64_t *)context;
	usleep(1000);
	return 0;
}

/* Nor are they handed out for as long as it may take. */
static void test_partial_hits_end(void **rig_in)
{
	struct rig *rig = *rig_in;
	uint64_t n = 0;
	struct bs_limits limits = {.partial = true};
	struct bs_find_request request = {.query = "plain common1", .query_bytes = 13, .mode = BS_FIND_IDS, .hit = take_slowly, .context = &n,
	                                  .any = true, .brute = true, .n_threads = 1, .limits = &limits};
	struct bs_find_result result = {.n_hits = 0};
	for (limits.deadline_ns = 500000; result.n_hits < 1000; limits.deadline_ns += limits.deadline_ns / 2) {
		n = 0;
		assert_int_equal(bs_find(rig->finder, &request, &result, NULL), BS_OK);
		assert_true(result.is_partial);
	}
	assert_true(n > 0 && n < 800);
	assert_fit(rig);
}

static int stop_after(void *context)
{
	return --*(int *)context <= 0;
}

static int count_call(void *context)
{
	++*(uint64_t *)context;
	return 0;
}

/* About each millisecond, that is, neither at every look nor hardly ever. */
static void assert_asked_in_time(struct rig *rig)
{
	uint64_t n = 0, n_asked = 0;
	struct bs_limits limits = {.stop = count_call, .context = &n_asked};
	struct bs_find_request request = {.hit = count_hit, .context = &n, .limits = &limits, .n_threads = 1};
	memset(rig->text, 0, TEXT_BYTES + 64);
	make_hostile(rig, 6, &request);
	double start = now_ms();
	assert_int_equal(bs_find(rig->finder, &request, NULL, NULL), BS_OK);
	double elapsed_ms = now_ms() - start;
	if ((double)n_asked < elapsed_ms / 50 || (double)n_asked > elapsed_ms * 2 + 2)
		fail_msg("%llu times in %.1f ms", (unsigned long long)n_asked, elapsed_ms);
}

static void test_flags_and_callbacks_stop(void **rig_in)
{
	struct rig *rig = *rig_in;
	volatile int cancel = 1;
	uint64_t n = 0;
	struct bs_error err;
	struct bs_limits limits = {.cancel = &cancel};
	struct bs_find_request request = {.query = "common1", .query_bytes = 7, .brute = true, .hit = count_hit, .context = &n, .limits = &limits};
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_STOPPED);
	assert_fit(rig);
	cancel = 0;
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_OK);
	int left = 2;
	limits = (struct bs_limits){.stop = stop_after, .context = &left};
	memset(rig->text, 0, TEXT_BYTES + 64);
	make_hostile(rig, 1, &request);
	request.brute = true;
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_STOPPED);
	assert_fit(rig);
	limits.reserved[1] = 1;
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_UNSUPPORTED);
	assert_fit(rig);
	assert_asked_in_time(rig);
}

static int take_candidates(void *context, const struct bs_matrix_candidates *candidates)
{
	*(uint64_t *)context += candidates->n_set;
	return 0;
}

/* What else takes as long as to plan a query. */
static void test_other_questions_end(void **rig_in)
{
	struct rig *rig = *rig_in;
	volatile int cancel = 0;
	uint64_t n = 0;
	struct bs_error err = {""};
	struct bs_limits limits = {.cancel = &cancel};
	struct bs_find_request request = {.limits = &limits};
	memset(rig->text, 0, TEXT_BYTES + 64);
	make_hostile(rig, 2, &request);
	request.mode = BS_FIND_COUNT;
	for (; cancel < 2; cancel++) {
		struct bs_statistics *statistics;
		enum bs_status wanted = cancel ? BS_STOPPED : BS_OK;
		ok(bs_statistics_new(&statistics, &err), &err);
		assert_int_equal(bs_statistics_gather(rig->finder, &request, statistics, &err), wanted);
		assert_int_equal(bs_matrix_ask(rig->finder, &request, take_candidates, &n, NULL, &err), wanted);
		bs_statistics_free(statistics);
	}
	limits.reserved[0] = 1;
	assert_int_equal(bs_matrix_ask(rig->finder, &request, take_candidates, &n, NULL, &err), BS_UNSUPPORTED);
	assert_true(n > 0);
	assert_fit(rig);
}

static void test_memory_is_limited(void **rig_in)
{
	struct rig *rig = *rig_in;
	uint64_t n = 0;
	struct bs_error err;
	struct bs_limits limits = {.memory_bytes = 20000};
	struct bs_find_request request = {.hit = count_hit, .context = &n, .limits = &limits};
	memset(rig->text, 0, TEXT_BYTES + 64);
	make_hostile(rig, 0, &request);
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_NO_MEMORY);
	assert_non_null(strstr(err.text, "limit"));
	assert_non_null(strstr(err.text, "20000"));
	assert_fit(rig);
	limits.memory_bytes = 256u << 20;
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_OK);
	/* What that one held is given back before a smaller limit is met. */
	limits.memory_bytes = 4u << 20;
	request.query = "plain";
	request.query_bytes = 5;
	assert_int_equal(bs_find(rig->finder, &request, NULL, &err), BS_OK);
	assert_fit(rig);
}

static int keep_document(void *context, const struct bs_find_hit *hit)
{
	uint64_t **to = context;
	*(*to)++ = hit->document * 100000 + hit->rank;
	return 0;
}

static void compare_pages(struct rig *rig, struct bs_find_request request, size_t page)
{
	uint64_t *one = calloc(N_RECORDS + 100, sizeof(*one)), *paged = calloc(2 * N_RECORDS, sizeof(*paged)), *to = one;
	request.hit = keep_document;
	request.context = &to;
	size_t wanted = request.n_best;
	assert_int_equal(bs_find(rig->finder, &request, NULL, NULL), BS_OK);
	size_t n = (size_t)(to - one), n_paged = 0;
	assert_true(n > 3 * page);
	for (request.offset = 0; request.offset < n; request.offset += page) {
		to = paged + n_paged;
		request.n_best = wanted - request.offset < page ? wanted - request.offset : page;
		assert_int_equal(bs_find(rig->finder, &request, NULL, NULL), BS_OK);
		size_t got = (size_t)(to - paged) - n_paged;
		assert_int_equal(got, request.mode == BS_FIND_IDS ? n - request.offset : n - request.offset < page ? n - request.offset : page);
		n_paged += got < page ? got : page;
	}
	assert_int_equal(n_paged, n);
	assert_memory_equal(one, paged, n * sizeof(*one));
	request.offset = SIZE_MAX;
	request.n_best = 5;
	to = paged;
	assert_int_equal(bs_find(rig->finder, &request, NULL, NULL), BS_OK);
	assert_ptr_equal(to, paged);
	free(one);
	free(paged);
}

static void test_pages_are_one_list(void **rig_in)
{
	struct rig *rig = *rig_in;
	struct bs_find_request request = {.query = "common1 word2 plain", .query_bytes = 19, .any = true, .n_best = 500};
	compare_pages(rig, request, 7);
	compare_pages(rig, request, 100);
	request.exhaustive = true;
	compare_pages(rig, request, 33);
	request.sort_field = "number";
	compare_pages(rig, request, 33);
	request = (struct bs_find_request){.query = "plain", .query_bytes = 5, .mode = BS_FIND_IDS, .n_best = 100000};
	compare_pages(rig, request, 500);
	request.offset = 3;
	request.mode = BS_FIND_COUNT;
	assert_int_equal(bs_find(rig->finder, &request, NULL, NULL), BS_INVALID);
}

static int take_bytes(void *context, const void *bytes, size_t n_bytes)
{
	(void)bytes;
	*(uint64_t *)context += n_bytes;
	return 0;
}

static void test_hostile_patterns_end(void **rig_in)
{
	static const char *const patterns[] = {"(a+)+$x", "(\\w+\\s*)+;;x", "(.*)(.*)(.*)(.*)(.*)q{5}x", "(\\w+\\s+)+\\n\\n\\n\\nz", "\\s+int\\s+x\\s+$z",
	                                       "(x+x+)+y", "common\\d+", "(?:a|b|c|d|e){5,500}z"};
	struct rig *rig = *rig_in;
	size_t n_ended = 0;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		for (int how = 0; how < 8; how++) {
			const char *paths[] = {how & 2 ? rig->tree : rig->long_line};
			size_t n_bytes = strlen(patterns[i]);
			uint64_t n = 0;
			struct bs_error err = {""};
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns = 3000000, .partial = how & 1};
			struct bs_grep_request request = {.index = how & 4 ? rig->dir : NULL, .write = take_bytes, .context = &n, .n_threads = 3, .limits = &limits};
			request.pattern = (struct bs_grep_pattern){.patterns = &patterns[i], .pattern_bytes = &n_bytes, .n_patterns = 1,
			                                           .is_multi_line = i == 3 || i == 4};
			request.files.paths = paths;
			request.files.n_paths = 1;
			double start = now_ms();
			enum bs_status status = bs_grep(&request, &result, &err);
			if (now_ms() - start > 3 + LATE_MS)
				fail_msg("%s: %.1f ms", patterns[i], now_ms() - start);
			if (status != BS_OK && !(status == BS_DEADLINE && !limits.partial))
				fail_msg("%s: %s", patterns[i], err.text);
			n_ended += status == BS_DEADLINE || result.is_partial;
		}
	}
	assert_true(n_ended > 8);
}

/* Attempts find what one search finds: where there is time, limits change nothing. */
static void test_limits_change_no_line(void **rig_in)
{
	static const char *const patterns[] = {"common1\\d* word\\d+", "(?:common\\d+ ){2,}word", "word(\\d)\\1\\b", "^common.*7 $", "\\bword[13]\\b", "a{30,}b", "x?$"};
	struct rig *rig = *rig_in;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		uint64_t n_bytes[2] = {0, 0};
		for (int limited = 0; limited < 2; limited++) {
			const char *paths[] = {rig->tree};
			size_t pattern_bytes = strlen(patterns[i]);
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns = limited ? UINT64_C(300000000000) : 0};
			struct bs_grep_request request = {.write = take_bytes, .context = &n_bytes[limited], .limits = &limits};
			request.pattern = (struct bs_grep_pattern){.patterns = &patterns[i], .pattern_bytes = &pattern_bytes, .n_patterns = 1,
			                                           .is_pcre2 = i == 2, .is_multi_line = i % 2};
			request.output.only_matching = true;
			request.output.byte_offsets = true;
			request.files.paths = paths;
			request.files.n_paths = 1;
			assert_int_equal(bs_grep(&request, &result, NULL), BS_OK);
			assert_false(result.is_partial);
		}
		if (n_bytes[0] != n_bytes[1])
			fail_msg("%s: %llu and %llu bytes", patterns[i], (unsigned long long)n_bytes[0], (unsigned long long)n_bytes[1]);
	}
}

static void test_builds_end_and_leave_all_as_it_was(void **rig_in)
{
	struct rig *rig = *rig_in;
	const char *source = rig->tree;
	struct bs_error err;
	struct bs_limits limits = {.deadline_ns = 1000};
	struct bs_build_request request = request_of(rig, &source);
	char dir[96];
	struct stat found;
	snprintf(dir, sizeof(dir), "%s/other", rig->folder);
	request.dir = dir;
	request.limits = &limits;
	assert_int_equal(bs_index_build(&request, NULL, &err), BS_DEADLINE);
	assert_int_not_equal(stat(dir, &found), 0);
	request.dir = rig->dir;
	request.rebuild = true;
	assert_int_equal(bs_index_build(&request, NULL, &err), BS_DEADLINE);
	limits.deadline_ns = 20000000;
	(void)!bs_index_build(&(struct bs_build_request){.dir = rig->dir, .rebuild = true, .limits = &limits}, NULL, &err);
	int left = 1;
	limits = (struct bs_limits){.stop = stop_after, .context = &left};
	assert_int_equal(bs_index_build(&request, NULL, &err), BS_STOPPED);
	limits = (struct bs_limits){.deadline_ns = 1000};
	/* There is nothing to compact, so that it may be done in time. */
	enum bs_status compacted = bs_index_compact(&(struct bs_build_request){.dir = rig->dir, .limits = &limits}, NULL, &err);
	assert_true(compacted == BS_OK || compacted == BS_DEADLINE);
	struct bs_delete_request deletion = {.dir = rig->dir, .query = "\"common1 common2\"", .query_bytes = 17, .limits = &limits};
	assert_int_equal(bs_index_delete(&deletion, NULL, &err), BS_DEADLINE);
	assert_int_equal(bs_index_check(&(struct bs_check_request){.dir = rig->dir, .limits = &limits}, NULL, &err), BS_DEADLINE);
	assert_int_equal(bs_index_check(&(struct bs_check_request){.dir = rig->dir}, NULL, &err), BS_OK);
	struct bs_index *index;
	assert_int_equal(bs_index_open(rig->dir, NULL, &index, &err), BS_OK);
	struct bs_index_info info;
	bs_index_describe(index, &info);
	assert_int_equal(info.n_docs, N_RECORDS + N_FILES + 1);
	assert_int_equal(info.n_deleted, 0);
	bs_index_close(index);
	assert_fit(rig);
}

/* Says so at the last of so many times. */
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

static enum bs_status open_fresh(const struct rig *rig, const struct bs_limits *limits, struct bs_error *err)
{
	struct bs_open_request request = {.dir = rig->dir, .fresh = true, .limits = limits};
	struct bs_index *index;
	enum bs_status status = bs_index_open_with(&request, &index, err);
	if (!status)
		bs_index_close(index);
	return status;
}

static enum bs_status refresh(const struct rig *rig, const struct bs_limits *limits, struct bs_error *err)
{
	struct bs_build_report report;
	enum bs_status status = bs_index_build(&(struct bs_build_request){.dir = rig->dir, .limits = limits}, &report, err);
	/* It was done, and kept house. */
	return !status && strstr(report.warning, "not compacted") ? BS_STOPPED : status;
}

static enum bs_status delete_none(const struct rig *rig, const struct bs_limits *limits, struct bs_error *err)
{
	static const char *const ids[] = {"none", "no/none"};
	struct bs_delete_request request = {.dir = rig->dir, .ids = ids, .n_ids = 2, .limits = limits};
	return bs_index_delete(&request, NULL, err);
}

/* Whatever it is at, and whatever it makes of what it could not read for that: who was told to stop does not say that it is done. */
static void test_who_is_told_to_stop_stops(void **rig_in)
{
	static enum bs_status (*const calls[])(const struct rig *, const struct bs_limits *, struct bs_error *) = {
		open_fresh, delete_none, refresh};
	struct rig *rig = *rig_in;
	char command[256];
	struct bs_error err = {""};
	snprintf(command, sizeof(command), "find %s -type f -exec touch {} +", rig->tree);
	assert_int_equal(system(command), 0);
	for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
		bool was_stopped = true;
		for (int n = 1; was_stopped && n < 1000; n += 1 + n / 4) {
			struct stopper stopper = {.n_left = n};
			struct bs_limits limits = {.stop = stop_at_last, .context = &stopper};
			enum bs_status status = calls[c](rig, &limits, &err);
			was_stopped = stopper.has_said;
			if (status != (was_stopped ? BS_STOPPED : BS_OK))
				fail_msg("call %zu, asked %d times: %s: %s", c, n, bs_status_name(status), err.text);
		}
	}
	assert_fit(rig);
}

/* To look at all sources takes its time. */
static void test_opening_ends(void **rig_in)
{
	struct rig *rig = *rig_in;
	volatile int cancel = 0;
	struct bs_limits limits = {.cancel = &cancel};
	char folder[96], dir[96], path[128];
	const char *source = folder;
	struct bs_build_request build = {.dir = dir, .sources = &source, .n_sources = 1};
	struct bs_open_request open = {.dir = dir, .fresh = true, .limits = &limits};
	struct bs_index *index;
	struct bs_error err = {""};
	snprintf(folder, sizeof(folder), "%s/many", rig->folder);
	snprintf(dir, sizeof(dir), "%s/many.index", rig->folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	for (int i = 0; i < 500; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		write_text(path, "word\n");
	}
	ok(bs_index_build(&build, NULL, &err), &err);
	ok(bs_index_open_with(&open, &index, &err), &err);
	bs_index_close(index);
	cancel = 1;
	assert_int_equal(bs_index_open_with(&open, &index, &err), BS_STOPPED);
	assert_null(index);
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
	struct rig *rig = *rig_in;
	struct heard heard = {{0}, ""};
	struct bs_log log = {.line = hear, .context = &heard};
	struct bs_open_request open = {.dir = rig->dir, .log = &log};
	struct bs_index *index;
	struct bs_finder *finder;
	uint64_t n = 0;
	assert_int_equal(bs_index_open_with(&open, &index, NULL), BS_OK);
	assert_int_equal(heard.n[BS_LOG_INFO], 1);
	assert_non_null(strstr(heard.last, "opened"));
	assert_int_equal(bs_finder_new(index, &finder, NULL), BS_OK);
	struct bs_find_request request = {.query = "plain\nx", .query_bytes = 7, .any = true, .hit = count_hit, .context = &n};
	assert_int_equal(bs_find(finder, &request, NULL, NULL), BS_OK);
	assert_int_equal(heard.n[BS_LOG_DEBUG], 1);
	assert_non_null(strstr(heard.last, "plain\\x0ax"));
	log.slow_ns = 1;
	assert_int_equal(bs_find(finder, &request, NULL, NULL), BS_OK);
	assert_int_equal(heard.n[BS_LOG_WARNING], 1);
	log.slow_ns = 0;
	log.least = BS_LOG_WARNING;
	assert_int_equal(bs_find(finder, &request, NULL, NULL), BS_OK);
	assert_int_equal(heard.n[BS_LOG_DEBUG], 1);
	bs_finder_free(finder);
	bs_index_close(index);
	size_t n_info = heard.n[BS_LOG_INFO];
	assert_int_equal(bs_index_open_with(&open, &index, NULL), BS_OK);
	bs_index_close(index);
	assert_int_equal(heard.n[BS_LOG_INFO], n_info);
	log.least = BS_LOG_DEBUG;
	assert_int_equal(bs_index_build(&(struct bs_build_request){.dir = rig->dir, .log = &log}, NULL, NULL), BS_OK);
	assert_int_equal(heard.n[BS_LOG_INFO], n_info + 1);
	assert_non_null(strstr(heard.last, "nothing new"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_queries_end),
		cmocka_unit_test(test_partial_hits_are_hits),
		cmocka_unit_test(test_partial_hits_end),
		cmocka_unit_test(test_flags_and_callbacks_stop),
		cmocka_unit_test(test_other_questions_end),
		cmocka_unit_test(test_memory_is_limited),
		cmocka_unit_test(test_pages_are_one_list),
		cmocka_unit_test(test_hostile_patterns_end),
		cmocka_unit_test(test_limits_change_no_line),
		cmocka_unit_test(test_builds_end_and_leave_all_as_it_was),
		cmocka_unit_test(test_who_is_told_to_stop_stops),
		cmocka_unit_test(test_opening_ends),
		cmocka_unit_test(test_log_is_told),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
