/*
 * workers.h: numbered tasks that a few threads do, and what comes of them put out in order.
 *
 *      add --tasks 0, 1, 2 ...--> [ a ring of slots: work ] --> put
 *   the caller's thread        any thread, begun in order    one at a time, in order
 *
 * Task i goes through slot i % n_slots; what a slot holds is the user's, in an array of his. A slot
 * belongs to who adds its task, then to the worker, then to put, and is free again: only so many
 * tasks are under way. A list of tasks is a ring with a slot for each, and often with nothing to
 * put.
 *
 * The caller's thread is the one that made the workers. It is worker 0 when it does tasks; threads
 * are 1, 2, ... in the order of their start. Tasks are begun in order, so a task may wait for those
 * before it. Where no thread can be started, the caller's does the work.
 *
 * A task or a put that fails is the end: nothing more is begun, tasks before it are still done and
 * put, those behind it are not wanted any more. Of several failures the one of the first task is
 * told.
 */
#pragma once

#include "core/base/error.h"

struct bs_workers;

struct bs_task {
	struct bs_workers *workers;
	/* no two tasks at one time are on the same one; below n_threads in bs_workers_run, else up
	 * to it */
	uint32_t worker;
	uint64_t number;
};

struct bs_workers_plan {
	/* >= 1: at most so many do tasks; the caller's is one of them, unless so many were
	 * started */
	uint32_t n_threads;
	uint64_t n_slots; /* >= 1; bs_workers_run sees to it */
	enum bs_status (*work)(void *context, const struct bs_task *task, struct bs_error *err);
	/* Takes what came of a task, on whichever worker is there first. Calls do not overlap.
	 * NULL: nothing is put, slots are not freed. BS_STOPPED: nobody wants more. */
	enum bs_status (*put)(void *context, uint64_t task, struct bs_error *err);
	/* they work for several calls of the library, and so under the limits of none */
	bool outlives_call;
	/* put is for the caller's thread alone, which does tasks only while there is nothing to
	 * put */
	bool puts_on_caller;
	uint64_t most_held_bytes; /* see bs_task_hold */
	void *context;
};

/* Does tasks 0..n_tasks-1 and returns when all have ended. n_slots is not looked at. BS_NO_MEMORY,
 * or the failure. */
enum bs_status bs_workers_run(const struct bs_workers_plan *plan, uint64_t n_tasks,
                              struct bs_error *err) BS_WARN_UNUSED;

/* What follows, up to bs_workers_free, is for the caller's thread. No thread is started yet.
 * BS_NO_MEMORY. */
enum bs_status bs_workers_new(const struct bs_workers_plan *plan, struct bs_workers **workers_out,
                              struct bs_error *err) BS_WARN_UNUSED;
/* One more thread. False: there are n_threads, or none can be had, and the others go on without. */
bool bs_workers_start(struct bs_workers *workers);

struct bs_workers_load {
	uint64_t n_waiting; /* tasks that nobody has begun */
	uint32_t n_started; /* threads */
	uint32_t n_idle;    /* of those */
};

/* Waits until the next task has a slot. Meanwhile the thread puts and does tasks if it alone puts
 * or no other thread was started. False: the end has come, nothing is to be added. */
bool bs_workers_wait_room(struct bs_workers *workers);
/* The same until all tasks so far have been put: for one that is to be alone. */
bool bs_workers_wait_put(struct bs_workers *workers);
/* n tasks, whose slots have been filled, for anyone to take; 0 only to ask. */
struct bs_workers_load bs_workers_add(struct bs_workers *workers, uint64_t n);
/* Waits until a task of a ring without put is done, and does others meanwhile. */
void bs_workers_wait_done(struct bs_workers *workers, uint64_t task);
/* Ends it all for a failure of whoever adds: nothing more is put. After another failure it does
 * nothing. */
void bs_workers_stop(struct bs_workers *workers, enum bs_status status, const struct bs_error *why);
/* Nothing more is added: threads that find no task end, and need not be woken for it when they are
 * waited for. */
void bs_workers_close(struct bs_workers *workers);
/* Closes, does what is left with the others, waits for them, and tells why it was the end, if it
 * was: the failure of a task or a put, BS_STOPPED, or what it was stopped with. */
enum bs_status bs_workers_finish(struct bs_workers *workers, struct bs_error *err) BS_WARN_UNUSED;
/* Makes finished ones ready for other tasks, with no new memory. */
void bs_workers_renew(struct bs_workers *workers);
/* Stops and waits for the threads if they are not finished. NULL is fine. */
void bs_workers_free(struct bs_workers *workers);

/* What follows is for the worker that does the task. Waits until all before it have been put, so
 * that the worker may put out itself what it has so far. False: the task is not wanted any more. */
bool bs_task_wait_turn(const struct bs_task *task);
/* Whether that is so already. Cheap; once it is, it stays so. */
bool bs_task_is_turn(const struct bs_task *task);
/* Has put called for what the slot holds in the middle of the task, in the task's turn, and waits
 * for it. BS_STOPPED: the task is not wanted any more; no message. */
enum bs_status bs_task_hand_over(const struct bs_task *task) BS_WARN_UNUSED;
/* Waits until n_bytes more can be held by tasks not yet put, most_held_bytes in all, or it is the
 * task's turn; they are free when it has been put. Once a task. False: the task is not wanted any
 * more. */
bool bs_task_hold(const struct bs_task *task, uint64_t n_bytes);
/* Whether anybody still wants what comes of it. Cheap. */
bool bs_task_is_wanted(const struct bs_task *task);
