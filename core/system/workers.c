/* workers.c: see workers.h. */
#include "core/system/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/system/deadline.h"
#include "core/system/stack.h"

enum slot_state {
	SLOT_UNDONE, /* not begun, or in progress */
	/* the task's worker waits until the slot's present contents have been put */
	SLOT_HANDED_OVER,
	SLOT_DONE,
};

struct slot {
	enum slot_state state;
	uint64_t held_bytes; /* bytes that bs_task_hold granted to the task in this slot */
};

struct thread {
	struct bs_workers *workers;
	uint32_t number; /* number of the worker: 1, 2, ... */
	pthread_t handle;
};

struct bs_workers {
	struct bs_workers_plan plan;
	pthread_mutex_t mutex;
	pthread_cond_t added; /* tasks were added, or no more will be */
	pthread_cond_t moved; /* tasks were done or put */
	struct slot *slots;
	uint64_t n_added, n_begun; /* tasks; the next task to begin is task n_begun */
	_Atomic uint64_t n_put;    /* tasks; the next task to put is task n_put */
	/* Tasks from this number on are unwanted; UINT64_MAX: all are wanted. */
	_Atomic uint64_t end;
	enum bs_status status; /* why tasks from `end` on are unwanted */
	struct bs_error error; /* the message of `status` */
	uint64_t held_bytes;   /* sum of held_bytes of all slots */
	/* Threads that wait for `added` (n_idle) or for `moved` (n_waiting). If none wait, no
	 * signal is sent when tasks are added or moved. */
	uint32_t n_idle;
	uint32_t n_waiting;
	bool is_room_wanted; /* the caller's thread waits for free slots and does no tasks */
	bool is_putting;     /* a thread is calling `put` */
	/* The deadline of the caller's thread, for the other threads. */
	struct bs_deadline *deadline;
	/* the memory budget of the caller's thread, for the other threads */
	struct bs_memory_budget *budget;
	bool is_closed;      /* no more tasks will be added */
	bool has_no_threads; /* the system has refused a thread */
	uint32_t n_started;  /* number of started threads */
	struct thread threads[];
};

/* Static functions are called with the mutex held unless their comment says otherwise. */

static struct slot *slot_of(struct bs_workers *workers, uint64_t task)
{
	return &workers->slots[task % workers->plan.n_slots];
}

static void wait_move(struct bs_workers *workers)
{
	workers->n_waiting++;
	pthread_cond_wait(&workers->moved, &workers->mutex);
	workers->n_waiting--;
}

/* Wakes the threads that wait for `moved`. A caller's thread that only waits for free slots does
 * not count as waiting until half of the slots are free. */
static void tell_move(struct bs_workers *workers)
{
	bool has_room = workers->n_added - workers->n_put <= workers->plan.n_slots / 2;
	if (workers->n_waiting > 0 || (workers->is_room_wanted && has_room))
		pthread_cond_broadcast(&workers->moved);
}

static void end_at(struct bs_workers *workers, uint64_t task, enum bs_status status,
                   const struct bs_error *why)
{
	if (task >= workers->end)
		return;
	workers->end = task;
	workers->status = status;
	if (why)
		workers->error = *why;
	pthread_cond_broadcast(&workers->added);
	pthread_cond_broadcast(&workers->moved);
}

/* Calls `put` for the next task in order, if its result is ready; releases the mutex meanwhile.
 * False if no result is ready, if another worker calls `put`, or if this one must not do so. */
static bool put_next(struct bs_workers *workers, uint32_t worker)
{
	const struct bs_workers_plan *plan = &workers->plan;
	uint64_t task = workers->n_put;
	struct slot *slot = slot_of(workers, task);
	if (!plan->put || (plan->puts_on_caller && worker > 0) || workers->is_putting ||
	    task >= workers->n_added || task >= workers->end || slot->state == SLOT_UNDONE)
		return false;
	struct bs_error why;
	bool is_done = slot->state == SLOT_DONE;
	workers->is_putting = true;
	pthread_mutex_unlock(&workers->mutex);
	why.text[0] = '\0';
	enum bs_status status = plan->put(plan->context, task, &why);
	pthread_mutex_lock(&workers->mutex);
	workers->is_putting = false;
	if (status)
		end_at(workers, task, status, &why);
	if (is_done) {
		workers->held_bytes -= slot->held_bytes;
		slot->held_bytes = 0;
		workers->n_put++;
	} else {
		slot->state = SLOT_UNDONE;
	}
	tell_move(workers);
	return true;
}

/* Does the next task; releases the mutex meanwhile. False if there is none. */
static bool do_next(struct bs_workers *workers, uint32_t worker)
{
	const struct bs_workers_plan *plan = &workers->plan;
	if (workers->n_begun == workers->n_added || workers->n_begun >= workers->end)
		return false;
	struct bs_error why;
	struct bs_task task = {workers, worker, workers->n_begun++};
	pthread_mutex_unlock(&workers->mutex);
	why.text[0] = '\0';
	enum bs_status status = plan->work(plan->context, &task, &why);
	pthread_mutex_lock(&workers->mutex);
	slot_of(workers, task.number)->state = SLOT_DONE;
	if (status)
		end_at(workers, task.number, status, &why);
	if (!plan->put || plan->puts_on_caller)
		tell_move(workers);
	else
		while (put_next(workers, worker))
			continue;
	return true;
}

/* One step of the caller's thread. False if there is nothing to do. */
static bool help(struct bs_workers *workers)
{
	return put_next(workers, 0) || do_next(workers, 0);
}

/* One step of a worker that waits in the middle of a task. */
static void put_or_wait(const struct bs_task *task)
{
	if (!put_next(task->workers, task->worker))
		wait_move(task->workers);
}

/* The main function of a thread. Called without the mutex. */
static void *run_thread(void *argument)
{
	const struct thread *thread = argument;
	struct bs_workers *workers = thread->workers;
	bs_deadline_here = workers->deadline;
	bs_memory_budget_here = workers->budget;
	pthread_mutex_lock(&workers->mutex);
	for (;;) {
		if (do_next(workers, thread->number))
			continue;
		if (workers->is_closed || workers->end < UINT64_MAX)
			break;
		workers->n_idle++;
		pthread_cond_wait(&workers->added, &workers->mutex);
		workers->n_idle--;
	}
	pthread_mutex_unlock(&workers->mutex);
	return NULL;
}

enum bs_status bs_workers_new(const struct bs_workers_plan *plan, struct bs_workers **workers_out,
                              struct bs_error *err)
{
	struct bs_workers *workers =
		calloc(1, sizeof(*workers) + plan->n_threads * sizeof(*workers->threads));
	*workers_out = workers;
	if (workers)
		workers->slots = calloc(plan->n_slots, sizeof(*workers->slots));
	if (!workers || !workers->slots) {
		free(workers);
		*workers_out = NULL;
		return bs_fail_memory(err, "threads", plan->n_slots * sizeof(*workers->slots));
	}
	workers->plan = *plan;
	bs_workers_renew(workers);
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->added, NULL);
	pthread_cond_init(&workers->moved, NULL);
	return BS_OK;
}

void bs_workers_renew(struct bs_workers *workers)
{
	workers->n_added = workers->n_begun = 0;
	workers->n_put = 0;
	workers->end = UINT64_MAX;
	workers->deadline = workers->plan.outlives_call ? NULL : bs_deadline_here;
	workers->budget = workers->plan.outlives_call ? NULL : bs_memory_budget_here;
	workers->status = BS_OK;
	workers->held_bytes = 0;
	workers->is_closed = workers->has_no_threads = false;
	for (uint64_t i = 0; i < workers->plan.n_slots; i++)
		workers->slots[i].held_bytes = 0;
}

bool bs_workers_start(struct bs_workers *workers)
{
	struct thread *thread = &workers->threads[workers->n_started];
	if (workers->has_no_threads || workers->n_started == workers->plan.n_threads)
		return false;
	*thread = (struct thread){.workers = workers, .number = workers->n_started + 1};
	workers->has_no_threads = bs_thread_create(&thread->handle, run_thread, thread) != 0;
	workers->n_started += !workers->has_no_threads;
	return !workers->has_no_threads;
}

/* Waits until no more than most_unput of the added tasks are still to be put. False: the work has
 * ended. Called without the mutex. */
static bool wait_until(struct bs_workers *workers, uint64_t most_unput)
{
	bool helps = workers->plan.puts_on_caller || workers->n_started == 0;
	pthread_mutex_lock(&workers->mutex);
	while (workers->n_added - workers->n_put > most_unput && workers->n_added < workers->end) {
		workers->is_room_wanted = !helps;
		if (!helps)
			pthread_cond_wait(&workers->moved, &workers->mutex);
		else if (!help(workers))
			wait_move(workers);
		workers->is_room_wanted = false;
	}
	bool has_room = workers->n_added < workers->end;
	pthread_mutex_unlock(&workers->mutex);
	return has_room;
}

bool bs_workers_wait_room(struct bs_workers *workers)
{
	return wait_until(workers, workers->plan.n_slots - 1);
}

bool bs_workers_wait_put(struct bs_workers *workers)
{
	return wait_until(workers, 0);
}

struct bs_workers_load bs_workers_add(struct bs_workers *workers, uint64_t n)
{
	pthread_mutex_lock(&workers->mutex);
	for (uint64_t i = 0; i < n; i++)
		slot_of(workers, workers->n_added++)->state = SLOT_UNDONE;
	if (workers->n_idle > 0 && n == 1)
		pthread_cond_signal(&workers->added);
	else if (workers->n_idle > 0 && n > 1)
		pthread_cond_broadcast(&workers->added);
	struct bs_workers_load now = {workers->n_added - workers->n_begun, workers->n_started,
	                              workers->n_idle};
	pthread_mutex_unlock(&workers->mutex);
	return now;
}

void bs_workers_wait_done(struct bs_workers *workers, uint64_t task)
{
	pthread_mutex_lock(&workers->mutex);
	while (slot_of(workers, task)->state != SLOT_DONE && task < workers->end)
		if (!do_next(workers, 0))
			wait_move(workers);
	pthread_mutex_unlock(&workers->mutex);
}

void bs_workers_stop(struct bs_workers *workers, enum bs_status status, const struct bs_error *why)
{
	pthread_mutex_lock(&workers->mutex);
	if (workers->end == UINT64_MAX)
		end_at(workers, workers->n_put, status, why);
	pthread_mutex_unlock(&workers->mutex);
}

void bs_workers_close(struct bs_workers *workers)
{
	pthread_mutex_lock(&workers->mutex);
	workers->is_closed = true;
	pthread_cond_broadcast(&workers->added);
	pthread_mutex_unlock(&workers->mutex);
}

/* Called without the mutex. */
static void join_threads(struct bs_workers *workers)
{
	while (workers->n_started > 0)
		pthread_join(workers->threads[--workers->n_started].handle, NULL);
}

enum bs_status bs_workers_finish(struct bs_workers *workers, struct bs_error *err)
{
	bool puts = workers->plan.puts_on_caller,
	     helps = puts || workers->n_started < workers->plan.n_threads;
	bs_workers_close(workers);
	pthread_mutex_lock(&workers->mutex);
	for (;;) {
		if (helps && help(workers))
			continue;
		if (!puts || workers->n_put == workers->n_added || workers->n_put >= workers->end)
			break;
		wait_move(workers);
	}
	pthread_mutex_unlock(&workers->mutex);
	join_threads(workers);
	if (workers->status && err)
		*err = workers->error;
	return workers->status;
}

void bs_workers_free(struct bs_workers *workers)
{
	if (!workers)
		return;
	pthread_mutex_lock(&workers->mutex);
	end_at(workers, workers->n_put, BS_STOPPED, NULL);
	pthread_mutex_unlock(&workers->mutex);
	join_threads(workers);
	pthread_mutex_destroy(&workers->mutex);
	pthread_cond_destroy(&workers->added);
	pthread_cond_destroy(&workers->moved);
	free(workers->slots);
	free(workers);
}

uint32_t bs_workers_n_threads(uint32_t wanted, uint32_t most)
{
	long n = wanted > 0 ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > (long)most ? most : (uint32_t)n;
}

enum bs_status bs_workers_run(const struct bs_workers_plan *plan, uint64_t n_tasks,
                              struct bs_error *err)
{
	struct bs_workers_plan list = *plan;
	struct bs_workers *workers;
	list.n_slots = n_tasks;
	enum bs_status status = n_tasks > 0 ? bs_workers_new(&list, &workers, err) : BS_OK;
	if (n_tasks == 0 || status)
		return status;
	(void)bs_workers_add(workers, n_tasks);
	bs_workers_close(workers);
	for (uint64_t n = 1; n < plan->n_threads && n < n_tasks && bs_workers_start(workers); n++)
		continue;
	status = bs_workers_finish(workers, err);
	bs_workers_free(workers);
	return status;
}

bool bs_task_hold(const struct bs_task *task, uint64_t n_bytes)
{
	struct bs_workers *workers = task->workers;
	uint64_t most_bytes = workers->plan.most_held_bytes;
	pthread_mutex_lock(&workers->mutex);
	while (workers->n_put < task->number && task->number < workers->end &&
	       workers->held_bytes + n_bytes > most_bytes)
		put_or_wait(task);
	slot_of(workers, task->number)->held_bytes += n_bytes;
	workers->held_bytes += n_bytes;
	bool is_wanted = task->number < workers->end;
	pthread_mutex_unlock(&workers->mutex);
	return is_wanted;
}

bool bs_task_wait_turn(const struct bs_task *task)
{
	struct bs_workers *workers = task->workers;
	pthread_mutex_lock(&workers->mutex);
	while (workers->n_put < task->number && task->number < workers->end)
		put_or_wait(task);
	pthread_mutex_unlock(&workers->mutex);
	return bs_task_is_wanted(task);
}

bool bs_task_is_turn(const struct bs_task *task)
{
	return atomic_load_explicit(&task->workers->n_put, memory_order_acquire) == task->number;
}

enum bs_status bs_task_hand_over(const struct bs_task *task)
{
	struct bs_workers *workers = task->workers;
	struct slot *slot = slot_of(workers, task->number);
	pthread_mutex_lock(&workers->mutex);
	slot->state = SLOT_HANDED_OVER;
	tell_move(workers);
	/* Even after the end, wait while `put` uses the slot. */
	while (slot->state == SLOT_HANDED_OVER &&
	       (task->number < workers->end ||
	        (workers->is_putting && workers->n_put == task->number)))
		put_or_wait(task);
	pthread_mutex_unlock(&workers->mutex);
	return bs_task_is_wanted(task) ? BS_OK : BS_STOPPED;
}

bool bs_task_is_wanted(const struct bs_task *task)
{
	return atomic_load_explicit(&task->workers->end, memory_order_relaxed) > task->number;
}
