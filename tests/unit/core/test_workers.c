/*
 * test_workers.c: lists of tasks and rings of tasks, on one to five threads, also if threads cannot
 * be started. Every task is done once; results are put in order and on the right thread; the first
 * failure is reported, and the results before it are put.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "core/system/stack.h"
#include "core/system/workers.h"
#include "tests/rigs/core_rig.h"

#define MOST_TASKS 20000u
#define N_SLOTS    8u
#define NONE       UINT64_MAX

/* The number of threads that pthread_create will still start before it fails. */
static int n_threads_left = 1000;

int __real_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
	if (n_threads_left == 0)
		return 11;
	n_threads_left--;
	return __real_pthread_create(handle, attributes, run, argument);
}

/* The behaviour of the tasks of a ring, and their results. Tasks with even numbers fail from
 * failing_task on; `put` fails for failing_put, and ends the ring for stopping_put; NONE: for no
 * task. Only the caller's thread asserts; other threads count errors in n_wrong. */
struct rig {
	uint32_t n_threads;
	uint64_t failing_task, failing_put, stopping_put;
	unsigned n_parts; /* number of parts that a task hands over before it is done */
	bool waits;       /* each task waits for its turn */
	/* Each task calls bs_task_hold for one byte. Three tasks can hold one at the same time, in
	 * addition to the task whose turn it is. */
	bool holds;
	bool puts_on_caller;
	pthread_t caller;
	atomic_uint n_wrong;
	atomic_uchar done[MOST_TASKS];
	/* for the task in each slot: the parts that were not put yet, plus 100 when it is done */
	unsigned slots[N_SLOTS];
	uint64_t n_put, n_parts_put;
	atomic_uint n_held;
	/* number of threads that are in put or in the task whose turn it is; must be at most one */
	uint32_t n_inside;
};

static void expect(struct rig *rig, bool is_right)
{
	atomic_fetch_add(&rig->n_wrong, !is_right);
}

static enum bs_status do_waits(struct rig *rig, const struct bs_task *task)
{
	if (rig->holds) {
		if (!bs_task_hold(task, 1))
			return BS_OK;
		atomic_fetch_add(&rig->n_held, 1);
	}
	if (!rig->waits)
		return BS_OK;
	bool is_turn = bs_task_wait_turn(task);
	expect(rig, is_turn || !bs_task_is_wanted(task));
	if (is_turn && !rig->puts_on_caller) {
		expect(rig, rig->n_inside++ == 0);
		expect(rig, rig->n_put == task->number);
		rig->n_inside--;
	}
	return BS_OK;
}

static enum bs_status work(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct rig *rig = context;
	unsigned *slot = &rig->slots[task->number % N_SLOTS];
	expect(rig, task->worker <= rig->n_threads);
	expect(rig, (task->worker == 0) == (pthread_equal(pthread_self(), rig->caller) != 0));
	expect(rig, atomic_fetch_add(&rig->done[task->number], 1) == 0);
	*slot = 0;
	if (task->number >= rig->failing_task && task->number % 2 == 0)
		return bs_fail(err, BS_IO, "task %u", (unsigned)task->number);
	for (unsigned i = 0; i < rig->n_parts; i++) {
		++*slot;
		enum bs_status status = bs_task_hand_over(task);
		if (status)
			return status;
		expect(rig, *slot == 0);
	}
	if (task->number % 7 == 0)
		sched_yield();
	enum bs_status status = do_waits(rig, task);
	*slot += 100;
	return status;
}

static enum bs_status put(void *context, uint64_t task, struct bs_error *err)
{
	struct rig *rig = context;
	unsigned *slot = &rig->slots[task % N_SLOTS];
	expect(rig, rig->n_inside++ == 0);
	expect(rig, task == rig->n_put);
	expect(rig, !rig->puts_on_caller || pthread_equal(pthread_self(), rig->caller));
	expect(rig, *slot == 1 || *slot == 100);
	expect(rig, atomic_load(&rig->n_held) <= 4);
	rig->n_inside--;
	rig->n_parts_put += *slot == 1;
	if (*slot == 100) {
		rig->n_put++;
		if (rig->holds)
			atomic_fetch_sub(&rig->n_held, 1);
	}
	*slot = 0;
	if (task == rig->failing_put)
		return bs_fail(err, BS_CORRUPT, "put %u", (unsigned)task);
	return task == rig->stopping_put ? BS_STOPPED : BS_OK;
}

/* Adds n_tasks tasks, and starts up to n_started threads, one by one, while tasks wait. stop_at:
 * the number of the task at which the ring is stopped. */
static enum bs_status feed(struct bs_workers *workers, uint64_t n_tasks, uint32_t n_started,
                           uint64_t stop_at, struct bs_error *err)
{
	for (uint64_t i = 0; i < n_tasks && i < stop_at && bs_workers_wait_room(workers); i++) {
		struct bs_workers_load load = bs_workers_add(workers, 1);
		assert_in_range(load.n_waiting, 0, N_SLOTS);
		assert_in_range(load.n_idle, 0, load.n_started);
		if (load.n_started < n_started && load.n_waiting > 1)
			(void)bs_workers_start(workers);
	}
	if (stop_at < n_tasks) {
		struct bs_error why;
		bs_workers_stop(workers,
		                bs_fail(&why, BS_NOT_FOUND, "no task %u", (unsigned)stop_at), &why);
	}
	return bs_workers_finish(workers, err);
}

/* However the tasks of a ring ended, it can be renewed and does new tasks in order. */
static void feed_again(struct bs_workers *workers, struct rig *rig, uint32_t n_started)
{
	FREED struct rig *before = must_malloc(sizeof(*before));
	*before = *rig;
	*rig = (struct rig){.n_threads = before->n_threads,
	                    .n_parts = before->n_parts,
	                    .waits = before->waits,
	                    .holds = before->holds,
	                    .puts_on_caller = before->puts_on_caller,
	                    .caller = before->caller,
	                    .failing_task = NONE,
	                    .failing_put = NONE,
	                    .stopping_put = NONE};
	bs_workers_renew(workers);
	assert_int_equal(feed(workers, 50, n_started, NONE, NULL), BS_OK); /* keeps the old error */
	assert_int_equal(rig->n_put, 50);
	assert_int_equal(rig->n_wrong, 0);
	*rig = *before;
}

static enum bs_status run_ring(struct rig *rig, uint64_t n_tasks, uint32_t n_started,
                               uint64_t stop_at, struct bs_error *err)
{
	struct bs_workers_plan plan = {.n_threads = rig->n_threads,
	                               .n_slots = N_SLOTS,
	                               .work = work,
	                               .put = put,
	                               .puts_on_caller = rig->puts_on_caller,
	                               .most_held_bytes = 3,
	                               .context = rig};
	struct bs_workers *workers;
	rig->caller = pthread_self();
	ok(bs_workers_new(&plan, &workers, ERR));
	enum bs_status status = feed(workers, n_tasks, n_started, stop_at, err);
	feed_again(workers, rig, n_started);
	bs_workers_free(workers);
	assert_int_equal(rig->n_wrong, 0);
	return status;
}

/* Tries every kind of ring with every number of threads. The system starts no thread, one, or as
 * many as requested. The test requests as many as the ring uses, or one fewer. */
static void try_all(void (*try)(struct rig *rig, uint32_t n_started))
{
	static const struct rig kinds[] = {
		{.n_parts = 0},
		{.waits = true},
		{.holds = true},
		{.n_parts = 3},
		{.puts_on_caller = true},
		{.puts_on_caller = true, .n_parts = 2},
		{.puts_on_caller = true, .waits = true, .holds = true},
	};
	FREED struct rig *rig = must_malloc(sizeof(*rig));
	for (uint32_t kind = 0; kind < COUNT(kinds); kind++)
		for (uint32_t n = 0; n < 5 * 2 * 3; n++) {
			*rig = kinds[kind];
			rig->n_threads = 1 + n % 5;
			rig->failing_task = rig->failing_put = rig->stopping_put = NONE;
			n_threads_left = n / 10 == 2 ? 1000 : (int)(n / 10);
			try(rig, rig->n_threads - n / 5 % 2);
		}
	n_threads_left = 1000;
}

static void try_order(struct rig *rig, uint32_t n_started)
{
	uint64_t n_tasks = 1000;
	ok(run_ring(rig, n_tasks, n_started, NONE, ERR));
	assert_int_equal(rig->n_put, n_tasks);
	assert_int_equal(rig->n_parts_put, n_tasks * rig->n_parts);
	assert_int_equal(rig->n_held, 0);
	rig->n_put = 0;
	ok(run_ring(rig, 0, n_started, NONE, ERR));
}

static void try_failure(struct rig *rig, uint32_t n_started)
{
	rig->failing_task = 40;
	assert_int_equal(run_ring(rig, 1000, n_started, NONE, ERR), BS_IO);
	assert_string_equal(said.text, "task 40");
	assert_int_equal(rig->n_put, 40);
	for (uint32_t i = 0; i <= 40; i++)
		assert_int_equal(rig->done[i], 1);
	assert_int_equal(rig->done[40 + N_SLOTS], 0);
}

static void try_failing_put(struct rig *rig, uint32_t n_started)
{
	rig->failing_put = 33;
	assert_int_equal(run_ring(rig, 1000, n_started, NONE, ERR), BS_CORRUPT);
	assert_string_equal(said.text, "put 33");
	assert_int_equal(rig->n_put, rig->n_parts ? 33 : 34);
	assert_int_equal(rig->n_parts_put, 33 * rig->n_parts + (rig->n_parts > 0));
}

static void try_stop(struct rig *rig, uint32_t n_started)
{
	rig->stopping_put = 33;
	assert_int_equal(run_ring(rig, 1000, n_started, NONE, ERR), BS_STOPPED);
	assert_int_equal(rig->n_put, rig->n_parts ? 33 : 34);
}

static void try_feed_failure(struct rig *rig, uint32_t n_started)
{
	assert_int_equal(run_ring(rig, 1000, n_started, 50, ERR), BS_NOT_FOUND);
	assert_string_equal(said.text, "no task 50");
	assert_in_range(rig->n_put, 50 - N_SLOTS, 50);
}

static void test_rings(void **state)
{
	try_all(try_order);
	try_all(try_failure);
	try_all(try_failing_put);
	try_all(try_stop);
	try_all(try_feed_failure);
}

static void test_many(void **state)
{
	FREED struct rig *rig = must_calloc(1, sizeof(*rig));
	rig->n_threads = 4;
	rig->failing_task = rig->failing_put = rig->stopping_put = NONE;
	ok(run_ring(rig, MOST_TASKS, 4, NONE, ERR));
	assert_int_equal(rig->n_put, MOST_TASKS);
	for (uint32_t i = 0; i < MOST_TASKS; i++)
		assert_int_equal(rig->done[i], 1);
}

static enum bs_status do_listed(void *context, const struct bs_task *task, struct bs_error *err)
{
	uint8_t *done = context;
	done[task->number] = (uint8_t)(done[task->number] + (task->worker < 4));
	return task->number == 40 || task->number == 43
	               ? bs_fail(err, BS_IO, "task %u", (unsigned)task->number)
	               : BS_OK;
}

static void test_list(void **state)
{
	for (uint32_t n = 0; n < 8; n++) {
		uint8_t done[100] = {0};
		struct bs_workers_plan plan = {
			.n_threads = 1 + n % 4, .work = do_listed, .context = done};
		n_threads_left = n < 4 ? 1000 : 1;
		assert_int_equal(bs_workers_run(&plan, 100, ERR), BS_IO);
		assert_string_equal(said.text, "task 40");
		for (uint32_t i = 0; i <= 40; i++)
			assert_int_equal(done[i], 1);
		ok(bs_workers_run(&plan, 40, ERR));
		for (uint32_t i = 0; i < 40; i++)
			assert_int_equal(done[i], 2);
		ok(bs_workers_run(&plan, 0, ERR));
	}
	n_threads_left = 1000;
}

/* The caller waits for single tasks of a list, and frees the workers before all are done. */
static void test_background(void **state)
{
	for (uint32_t n_started = 0; n_started < 4; n_started++) {
		uint8_t done[40] = {0};
		struct bs_workers_plan plan = {
			.n_threads = 4, .n_slots = 40, .work = do_listed, .context = done};
		struct bs_workers *workers;
		ok(bs_workers_new(&plan, &workers, ERR));
		(void)bs_workers_add(workers, 40);
		for (uint32_t i = 0; i < n_started; i++)
			assert_true(bs_workers_start(workers));
		for (uint32_t i = 5; i < 30; i += 5) {
			bs_workers_wait_done(workers, i);
			assert_int_equal(done[i], 1);
		}
		bs_workers_wait_done(workers, 0);
		bs_workers_free(workers);
	}
	bs_workers_free(NULL);
}

static void *measure_stack(void *left_out)
{
	*(size_t *)left_out = bs_stack_left();
	return NULL;
}

static void test_stack_of_threads(void **state)
{
	pthread_attr_t attributes;
	pthread_t thread;
	size_t left = 0, here = bs_stack_left();
	/* The stack of the main thread is limited by ulimit -s, or unlimited. */
	assert_true(here > 4096);
	assert_true(bs_stack_levels(SIZE_MAX / 2) == (here == SIZE_MAX ? SIZE_MAX : 0));
	assert_int_equal(bs_thread_create(&thread, measure_stack, &left), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_in_range(left, BS_THREAD_STACK_BYTES / 2, BS_THREAD_STACK_BYTES);
	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)128 << 10), 0);
	assert_int_equal(pthread_create(&thread, &attributes, measure_stack, &left), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pthread_attr_destroy(&attributes), 0);
	assert_in_range(left, 1, (size_t)128 << 10);
}

static void test_n_threads(void **state)
{
	assert_int_equal(bs_workers_n_threads(3, 8), 3);
	assert_int_equal(bs_workers_n_threads(9, 8), 8);
	assert_int_equal(bs_workers_n_threads(UINT32_MAX, 8), 8);
	assert_int_equal(bs_workers_n_threads(0, 1), 1);
	assert_in_range(bs_workers_n_threads(0, 8), 1, 8);
}

RUN_TESTS(test_rings, test_many, test_list, test_background, test_stack_of_threads, test_n_threads)
