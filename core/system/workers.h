/*
 * workers.h: threads that do numbered tasks and output the results in order.
 *
 *      add --tasks 0, 1, 2 ...--> [ a ring of slots: work ] --> put
 *   the caller's thread        any thread, begun in order    one at a time, in order
 *
 * Task i uses slot i % n_slots. The code that uses this header keeps the contents of the slots in
 * its own array. A slot belongs to the thread that adds the task, then to the worker, then to
 * `put`; then it is free again. So at most n_slots tasks are in progress. A plain list of tasks
 * (bs_workers_run) has a slot for each task and often no `put`.
 *
 * The caller's thread is the one that made the workers. It is worker 0 when it does tasks; threads
 * are workers 1, 2, ... in the order of their start. Tasks are begun in order, so a task may wait
 * for earlier tasks. If no thread can be started, the caller's thread does the work.
 *
 * When a task or its put fails, no more tasks begin. Tasks with lower numbers are still done and
 * put; those with higher numbers are unwanted. If several tasks fail, the failure of the one with
 * the lowest number is reported.
 */
#pragma once

#include "core/base/error.h"

struct bs_workers;

struct bs_task {
	struct bs_workers *workers;
	/* Number of the worker that does the task. Concurrent tasks have different workers. In
	 * bs_workers_run, worker < n_threads; otherwise worker <= n_threads. */
	uint32_t worker;
	uint64_t number;
};

struct bs_workers_plan {
	/* The maximum number of threads that bs_workers_start starts, >= 1. bs_workers_run uses the
	 * caller's thread and up to n_threads - 1 others. */
	uint32_t n_threads;
	uint64_t n_slots; /* >= 1; ignored by bs_workers_run */
	/* Does a task, on any worker. A status other than BS_OK ends the work. */
	enum bs_status (*work)(void *context, const struct bs_task *task, struct bs_error *err);
	/* Receives the result of a task, on any worker. Calls do not overlap and are in the order
	 * of tasks. A status other than BS_OK ends the work; BS_STOPPED means that no more results
	 * are wanted. NULL: nothing is put, and slots are not freed. */
	enum bs_status (*put)(void *context, uint64_t task, struct bs_error *err);
	/* The workers serve several calls of the library; therefore the limits of no call apply to
	 * them. */
	bool outlives_call;
	/* `put` is only called on the caller's thread, which does tasks only while there is nothing
	 * to put. */
	bool puts_on_caller;
	uint64_t most_held_bytes; /* see bs_task_hold */
	void *context;            /* passed to `work` and `put` */
};

/* The number of threads to use: `wanted`, or one for each processor if it is 0; from 1 to most. */
uint32_t bs_workers_n_threads(uint32_t wanted, uint32_t most);

/* Does tasks 0..n_tasks-1 and returns when all have ended. plan->n_slots is ignored. BS_NO_MEMORY,
 * or the failure of a task or put. */
enum bs_status bs_workers_run(const struct bs_workers_plan *plan, uint64_t n_tasks,
                              struct bs_error *err) BS_WARN_UNUSED;

/* The functions from here to bs_workers_free are for the caller's thread. */

/* Creates workers, without any thread yet. BS_NO_MEMORY. */
enum bs_status bs_workers_new(const struct bs_workers_plan *plan, struct bs_workers **workers_out,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Starts one more thread. False if there are n_threads already, or if the system has refused a
 * thread; the work then continues with the existing threads. */
bool bs_workers_start(struct bs_workers *workers);

struct bs_workers_load {
	uint64_t n_waiting; /* tasks that have not begun */
	uint32_t n_started; /* started threads */
	uint32_t n_idle;    /* started threads without a task */
};

/* Waits until the next task has a slot. Meanwhile the caller's thread puts and does tasks if
 * puts_on_caller is set or no thread was started. False: the work has ended, add nothing. */
bool bs_workers_wait_room(struct bs_workers *workers);
/* Like bs_workers_wait_room, but waits until all tasks so far have been put. For a task that must
 * run alone. */
bool bs_workers_wait_put(struct bs_workers *workers);
/* Adds n tasks whose slots have been filled, and returns the load. n may be 0. */
struct bs_workers_load bs_workers_add(struct bs_workers *workers, uint64_t n);
/* Waits until the task is done or is no longer wanted. Does tasks meanwhile. Only for workers whose
 * plan has no `put`. */
void bs_workers_wait_done(struct bs_workers *workers, uint64_t task);
/* Ends the work because of a failure of the caller; nothing more is put. Does nothing if the work
 * has already ended. */
void bs_workers_stop(struct bs_workers *workers, enum bs_status status, const struct bs_error *why);
/* States that no more tasks will be added. Threads that find no task end now, instead of waiting
 * until bs_workers_finish wakes them. */
void bs_workers_close(struct bs_workers *workers);
/* Calls bs_workers_close, and waits until all wanted tasks are done and put, and the threads have
 * ended. The caller's thread helps with the tasks, unless n_threads threads were started and
 * puts_on_caller is not set. Returns BS_OK or the reason of the end: the failure of a task or a
 * put, BS_STOPPED, or the status of bs_workers_stop. */
enum bs_status bs_workers_finish(struct bs_workers *workers, struct bs_error *err) BS_WARN_UNUSED;
/* Prepares finished workers for new tasks, without allocating memory. */
void bs_workers_renew(struct bs_workers *workers);
/* Stops unfinished workers, waits for their threads, and frees them. NULL is allowed. */
void bs_workers_free(struct bs_workers *workers);

/* The functions from here on are for the worker that does the task. */

/* Waits until all earlier tasks have been put, so that the worker may output its partial result
 * itself. False: the task is no longer wanted. */
bool bs_task_wait_turn(const struct bs_task *task);
/* True if all earlier tasks have been put. Cheap; once true, it stays true. */
bool bs_task_is_turn(const struct bs_task *task);
/* Waits until it is the task's turn and `put` has been called for the present contents of its slot.
 * The task continues afterwards. BS_STOPPED, without a message: the task is no longer wanted. */
enum bs_status bs_task_hand_over(const struct bs_task *task) BS_WARN_UNUSED;
/* Waits until n_bytes more fit into most_held_bytes, which limits the sum over all tasks not yet
 * put, or until it is the turn of this task. The bytes are released when the task has been put. A
 * task may call it only once. False: the task is no longer wanted. */
bool bs_task_hold(const struct bs_task *task, uint64_t n_bytes);
/* True if the result of the task is still wanted. Cheap. */
bool bs_task_is_wanted(const struct bs_task *task);
