/* test_writer_threads.c: bitsift/writer.h with concurrency: writers that wait for each other or
 * fail, threads of a writer, concurrent readers, and a process that is killed while it writes. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "tests/rigs/writer_rig.h"

/* A writer excludes others from its first change until its transaction ends. */
static void test_lock(void **state)
{
	AUTO(bs_writer_close_at) struct bs_writer *one = open_writer(), *two = open_writer();
	add(one, "a", "one", NULL);
	assert_int_equal(try_add(two, "b", "two", NULL, ERR), BS_BUSY);
	commit(one);
	add(two, "b", "two", NULL);
	assert_int_equal(try_add(one, "c", "three", NULL, ERR), BS_BUSY);
	bs_writer_rollback(two);
	add(one, "c", "three", NULL);
	commit(one);
	add(two, "b", "two", NULL);
	commit(two);
	expect("one OR two OR three", "a c b");
}

/* The thread that compresses texts works for many calls, each of which has its own deadline. */
static void test_limits_and_threads(void **state)
{
	struct bs_limits limits = {.deadline_ns = 60000000000};
	struct bs_writer *writer =
		OPEN_WITH(.write.n_threads = 2, .write.memory_bytes = 16 << 20, .limits = &limits);
	char id[16], title[64], body[512];
	for (unsigned i = 0; i < 40000; i++) {
		sprintf(id, "%u", i);
		make_text(i, title, body);
		add(writer, id, title, body);
	}
	assert_int_equal(commit(writer).n_docs, 40000);
	bs_writer_close(writer);
	check();
}

static void *add_and_commit(void *context)
{
	struct bs_writer *writer = context;
	add(writer, "b", "two", NULL);
	commit(writer);
	return NULL;
}

/* Waiting writers work one after the other. */
static void test_waiting(void **state)
{
	AUTO(bs_writer_close_at)
	struct bs_writer *one = open_writer(), *two = OPEN_WITH(.write.wait = true);
	pthread_t thread;
	add(one, "a", "one", NULL);
	assert_int_equal(pthread_create(&thread, NULL, add_and_commit, two), 0);
	usleep(50000);
	commit(one);
	assert_int_equal(pthread_join(thread, NULL), 0);
	expect("one OR two", "a b");
}

static int note_thread(void *context, const struct bs_build_report *so_far)
{
	*(pthread_t *)context = pthread_self();
	return 0;
}

static void *commit_there(void *writer)
{
	commit(writer);
	return NULL;
}

/* A writer may move between threads; progress is reported on the calling thread. */
static void test_another_thread(void **state)
{
	pthread_t heard = pthread_self(), thread;
	struct bs_writer *writer =
		OPEN_WITH(.callbacks.progress = note_thread, .callbacks.context = &heard);
	add(writer, "a", "one", NULL);
	assert_int_equal(pthread_create(&thread, NULL, commit_there, writer), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(pthread_equal(heard, thread));
	expect("one", "a");
	bs_writer_close(writer);
}

/* If a process is killed at any time, its commits remain, and nothing else. */
static void test_killed(void **state)
{
	for (int round = 0; round < 12; round++) {
		int told[2];
		uint32_t n_committed = 0, n;
		assert_int_equal(pipe(told), 0);
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			struct bs_writer *writer = open_writer();
			for (uint32_t i = 0;; i++) {
				char id[32];
				snprintf(id, sizeof(id), "r%d-%u", round, i);
				add(writer, id, "kept", NULL);
				if (i % 5 < 4)
					continue;
				commit(writer);
				n = i + 1;
				if (write(told[1], &n, sizeof(n)) != sizeof(n))
					_exit(1);
			}
		}
		close(told[1]);
		for (int i = 0; i <= round && read(told[0], &n, sizeof(n)) == sizeof(n); i++)
			n_committed = n;
		usleep((useconds_t)(round * 700));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		while (read(told[0], &n, sizeof(n)) == sizeof(n))
			n_committed = n;
		close(told[0]);
		check();
		static uint64_t n_before;
		uint64_t n_docs = count("kept");
		/* The last commit may have been made, but not reported. */
		assert_in_range(n_docs - n_before, n_committed, n_committed + 5);
		assert_int_equal(n_docs % 5, 0);
		n_before = n_docs;
	}
}

/* Writers of different indexes on several threads, with concurrent readers. */
static void *write_and_read(void *context)
{
	struct bs_memory_index *memory = context;
	struct bs_writer_request request = {.memory = memory, .write.n_threads = 2};
	struct bs_open_request open = {.memory = memory};
	struct bs_writer *writer = NULL;
	struct bs_index *index;
	bool is_well = bs_writer_open(&request, &writer, NULL) == BS_OK;
	for (int i = 0; i < 200 && is_well; i++) {
		char id[16];
		struct bs_text text = {"t", 1, "some words to be found", 22};
		snprintf(id, sizeof(id), "%d", i % 150);
		is_well = bs_writer_add(writer, id, strlen(id), &text, 1, NULL) == BS_OK;
		if (is_well && i % 20 == 19)
			is_well = bs_writer_commit(writer, NULL, NULL) == BS_OK;
		if (is_well && i % 20 == 19 && bs_index_open_with(&open, &index, NULL) == BS_OK)
			bs_index_close(index);
	}
	bs_writer_close(writer);
	return is_well ? NULL : context;
}

static void test_threads(void **state)
{
	enum {
		N = 4
	};
	pthread_t threads[N];
	struct bs_memory_index *memories[N];
	void *failed;
	for (int i = 0; i < N; i++) {
		ok(bs_memory_index_new(&memories[i], ERR));
		assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, memories[i]), 0);
	}
	for (int i = 0; i < N; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
		struct bs_memory_index *own = rig.memory;
		rig.memory = memories[i];
		assert_int_equal(count("\"words to be\""), 150);
		check();
		rig.memory = own;
		bs_memory_index_free(memories[i]);
	}
}

/* Each commit has ten documents more than the previous one, and one of the documents is replaced. A
 * reader finds all documents of one commit, which is not older than the one it found before. */
#define N_SHARED_COMMITS 40
static int is_written; /* atomic */

static void *read_on(void *context)
{
	struct heard heard = {.ids = ""};
	struct bs_open_request open = {.dir = rig_dir(), .memory = rig.memory};
	struct bs_search_request request = {QUERY("\"words to be\""), .output.snippets = true,
	                                    .method.n_threads = 2, .callbacks.hit = hear,
	                                    .callbacks.context = &heard};
	uint64_t n_before = 0;
	bool is_well = true, is_last = false;
	while (is_well && !is_last) {
		struct bs_index *index = NULL;
		struct bs_searcher *searcher = NULL;
		struct bs_search_result counted, found;
		is_last = __atomic_load_n(&is_written, __ATOMIC_ACQUIRE);
		request.output.mode = BS_SEARCH_COUNT;
		is_well = bs_index_open_with(&open, &index, NULL) == BS_OK &&
		          bs_searcher_new(index, &searcher, NULL) == BS_OK &&
		          bs_search(searcher, &request, &counted, NULL) == BS_OK;
		request.output.mode = BS_SEARCH_TOP;
		request.method.exhaustive = request.method.brute = true;
		is_well = is_well && bs_search(searcher, &request, &found, NULL) == BS_OK &&
		          found.n_hits == counted.n_hits;
		request.method.exhaustive = request.method.brute = false;
		is_well = is_well && counted.n_hits % 10 == 0 && counted.n_hits >= n_before;
		if (is_well)
			n_before = counted.n_hits;
		bs_searcher_free(searcher);
		bs_index_close(index);
	}
	return is_well && n_before == 10 * N_SHARED_COMMITS ? NULL : context;
}

static void test_readers_beside_a_writer(void **state)
{
	enum {
		N = 3
	};
	pthread_t threads[N];
	struct bs_writer *writer = OPEN_WITH(.write.n_threads = 2);
	char id[16];
	commit(writer);
	__atomic_store_n(&is_written, 0, __ATOMIC_RELEASE);
	for (int i = 0; i < N; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_on, &rig), 0);
	for (int i = 0; i < N_SHARED_COMMITS; i++) {
		for (int k = 0; k < 10; k++) {
			snprintf(id, sizeof(id), "%d", i * 10 + k);
			add(writer, id, "some words to be found", id);
		}
		snprintf(id, sizeof(id), "%d", i * 5);
		add(writer, id, "other words to be found", NULL);
		commit(writer);
	}
	__atomic_store_n(&is_written, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < N; i++) {
		void *failed;
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	bs_writer_close(writer);
	check();
}

RUN_UNIT_TESTS(WITH_BOTH(test_lock), WITH_BOTH(test_limits_and_threads), WITH_BOTH(test_waiting),
               WITH_BOTH(test_another_thread), WITH_BOTH(test_readers_beside_a_writer),
               cmocka_unit_test_setup_teardown(test_killed, setup_dir, teardown),
               cmocka_unit_test_setup_teardown(test_threads, setup_memory, teardown))
