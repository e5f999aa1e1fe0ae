/*
 * test_threads.c: several threads use one opened index, with a searcher each: every thread gets the
 * answers of a single thread. Also with an index that has not been used yet, so that several
 * threads check its pages at their first touch. Most useful in a build with
 * -DBITSIFT_SANITIZE=thread.
 */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>

#include "tests/rigs/clock_rig.h"
#include "tests/rigs/library_rig.h"

#define N_THREADS 4
#define N_DOCS    1200
#define N_ROUNDS  2

static const char *const queries[] = {"common", "common rare7", "word1 word2",
                                      "word3 OR word4 OR rare11", "common -word5",
                                      "\"word1 common\"",
                                      /* Queries that read the lexicon or texts, and others. */
                                      "wor*", "wrod3~2", "\"common word2\"~3", "title:entry word6",
                                      "-common", "absent", "rare1* OR rare2*", "(+++"};

#define N_QUERIES COUNT(queries)

/* ---- a record file ---- */

static const char *const records = "a.jsonl";

static int setup(void **state)
{
	return library_setup("");
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void write_collection(const char *path)
{
	uint32_t state = 1;
	FILE *file = must_fopen(path, "w");
	for (int d = 0; d < N_DOCS; d++) {
		fprintf(file, "{\"id\": \"d%d\", \"title\": \"entry %d\", \"text\": \"", d, d);
		for (uint32_t n = 3 + next_random(&state) % 60; n > 0; n--) {
			uint32_t kind = next_random(&state) % 100;
			if (kind < 20)
				fputs("common ", file);
			else if (kind < 97)
				fprintf(file, "word%u ", next_random(&state) % 50);
			else
				fprintf(file, "rare%u ", next_random(&state) % 2000);
		}
		fputs("\"}\n", file);
	}
	assert_int_equal(fclose(file), 0);
}

/* ---- answers ---- */

/* A digest of the hits of a query in a mode, the number of hits, and the enum bs_status. */
struct answer {
	uint64_t sum, n_hits, status;
};

#define N_MODES   3
#define N_ANSWERS (N_QUERIES * N_MODES)

static uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct answer *answer = context;
	answer->sum = mix(answer->sum, hit->id, hit->id_bytes);
	answer->sum = mix(answer->sum, &hit->rank, sizeof(hit->rank));
	answer->sum = mix(answer->sum, &hit->score, sizeof(hit->score));
	answer->sum = mix(answer->sum, hit->snippet, hit->snippet_bytes);
	return 0;
}

/* Runs every query in every mode, beginning with number `first`, so that threads run different
 * queries at a time. */
static void ask_all(struct bs_searcher *searcher, size_t first, struct answer answers[N_ANSWERS])
{
	for (size_t i = 0; i < N_ANSWERS; i++) {
		size_t at = (first + i) % N_ANSWERS;
		struct answer *answer = &answers[at];
		struct bs_search_result result;
		struct bs_search_request request = {
			QUERY(queries[at / N_MODES]),
			.output.mode = (enum bs_search_mode)(at % N_MODES), .output.snippets = true,
			.callbacks.hit = take_hit, .callbacks.context = answer};
		*answer = (struct answer){.sum = 1};
		answer->status = bs_search(searcher, &request, &result, NULL);
		answer->n_hits = result.n_hits;
	}
}

/* ---- threads ---- */

static pthread_barrier_t barrier;

/* Runs the function on N_THREADS threads, each with an element of the array; it waits at the
 * barrier. */
static void run_on_threads(void *(*function)(void *), void *elements, size_t size)
{
	pthread_t threads[N_THREADS];
	assert_int_equal(pthread_barrier_init(&barrier, NULL, N_THREADS), 0);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, function, (char *)elements + i * size),
			0);
	for (size_t i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	pthread_barrier_destroy(&barrier);
}

struct asking {
	const struct bs_index *index;
	size_t number;
	struct answer answers[N_ROUNDS][N_ANSWERS];
};

/* No assertions here, because only the main thread may fail. */
static void *ask_in_rounds(void *context)
{
	struct asking *asking = context;
	struct bs_searcher *searcher = NULL;
	enum bs_status status = bs_searcher_new(asking->index, &searcher, NULL);
	pthread_barrier_wait(&barrier);
	for (size_t round = 0; round < N_ROUNDS && !status; round++)
		ask_all(searcher, asking->number * 7 + round, asking->answers[round]);
	bs_searcher_free(searcher);
	return NULL;
}

static void expect_answers(const struct bs_index *index, const struct answer expected[N_ANSWERS])
{
	FREED struct asking *askings = must_calloc(N_THREADS, sizeof(*askings));
	for (size_t i = 0; i < N_THREADS; i++) {
		askings[i].index = index;
		askings[i].number = i;
	}
	run_on_threads(ask_in_rounds, askings, sizeof(*askings));
	for (size_t i = 0; i < N_THREADS; i++)
		for (size_t round = 0; round < N_ROUNDS; round++)
			assert_memory_equal(askings[i].answers[round], expected,
			                    sizeof(askings[i].answers[round]));
}

static void test_threads_share_an_index(void **state)
{
	write_collection(records);
	struct bs_build_request request = {
		.dir = "index", .sources = &records, .n_sources = 1, .write.n_threads = N_THREADS};
	ok(bs_index_build(&request, NULL, ERR));

	struct answer expected[N_ANSWERS];
	struct bs_index *index = must_open("index");
	struct bs_searcher *searcher = must_searcher(index);
	ask_all(searcher, 0, expected);
	bs_searcher_free(searcher);
	assert_int_equal(expected[N_ANSWERS - 1].status, BS_INVALID);
	assert_true(expected[0].n_hits > 0);
	expect_answers(index, expected);
	bs_index_close(index);

	ok(bs_index_open("index", &index, ERR));
	expect_answers(index, expected);
	bs_index_close(index);
}

/* ---- a record file that grew ---- */

#define N_LONG_DOCS 40000

/* The bytes that this process has read by system calls. */
static uint64_t bytes_read(void)
{
	unsigned long long n = 0;
	FILE *file = fopen("/proc/self/io", "r");
	if (!file)
		skip();
	assert_int_equal(fscanf(file, "rchar: %llu", &n), 1);
	fclose(file);
	return n;
}

static void write_numbered(const char *path, const char *mode, int first, int end)
{
	FILE *file = must_fopen(path, mode);
	for (int d = first; d < end; d++)
		fprintf(file,
		        "{\"id\": \"d%d\", \"text\": \"common number%d and as many words as make "
		        "it long\"}\n",
		        d, d);
	assert_int_equal(fclose(file), 0);
}

struct counting {
	struct bs_searcher *searcher;
	uint64_t n_hits[2], n_changed;
};

static void *count_twice(void *context)
{
	struct counting *counting = context;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 2; i++) {
		struct bs_search_result result = {0};
		struct bs_search_request request = {QUERY("common"),
		                                    .output.mode = BS_SEARCH_COUNT};
		if (bs_search(counting->searcher, &request, &result, NULL) == BS_OK)
			counting->n_hits[i] = result.n_hits;
		counting->n_changed += result.changes.n_changed;
	}
	return NULL;
}

/* All threads count at the same time; returns the bytes read meanwhile. */
static uint64_t read_by_counting(const struct bs_index *index, uint64_t n_hits)
{
	struct counting threads[N_THREADS] = {0};
	for (size_t i = 0; i < N_THREADS; i++)
		ok(bs_searcher_new(index, &threads[i].searcher, ERR));
	uint64_t before = bytes_read();
	run_on_threads(count_twice, threads, sizeof(*threads));
	uint64_t n_bytes = bytes_read() - before;
	for (size_t i = 0; i < N_THREADS; i++) {
		assert_int_equal(threads[i].n_hits[0], n_hits);
		assert_int_equal(threads[i].n_hits[1], n_hits);
		assert_int_equal(threads[i].n_changed, 1); /* one change for each searcher */
		bs_searcher_free(threads[i].searcher);
	}
	return n_bytes;
}

static void test_threads_prove_a_collection_once(void **state)
{
	struct stat file;
	write_numbered(records, "w", 0, N_LONG_DOCS);
	struct bs_build_request request = {.dir = "index", .sources = &records, .n_sources = 1};
	ok(bs_index_build(&request, NULL, ERR));
	assert_int_equal(stat(records, &file), 0);
	uint64_t n_bytes = (uint64_t)file.st_size;

	/* With a racy fingerprint, every search would read the record file. */
	write_numbered(records, "a", N_LONG_DOCS, N_LONG_DOCS + 1);
	clock_make_old();
	struct bs_index *index = must_open("index");
	uint64_t n_read = read_by_counting(index, N_LONG_DOCS);
	assert_true(n_read >= n_bytes && n_read < n_bytes + n_bytes / 2);
	/* Later searchers do not read the file again. */
	assert_true(read_by_counting(index, N_LONG_DOCS) < n_bytes / 2);
	/* The file grows again, now by a record that replaces another one, and is read again. */
	write_numbered(records, "a", 17, 18);
	clock_make_old();
	n_read = read_by_counting(index, N_LONG_DOCS);
	assert_true(n_read >= n_bytes && n_read < n_bytes + n_bytes / 2);
	bs_index_close(index);
}

RUN_TESTS_EACH_WITH(setup, library_teardown, test_threads_share_an_index,
                    test_threads_prove_a_collection_once)
