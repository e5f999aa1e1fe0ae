/*
 * crew.h: a list of tasks for a few threads. Threads are made for the list and end with it: lists are few and long.
 */
#ifndef BS_INDEXER_CREW_H
#define BS_INDEXER_CREW_H

#include <stdint.h>

#include "core/status.h"

/* Does one task. thread: below the n_threads of the list, no two tasks at one time on the same one. */
typedef enum bs_status (*bs_task_fn)(void *context, uint32_t thread, uint32_t task, struct bs_error *err);

/*
 * Does the tasks 0..n_tasks-1 on at most n_threads threads (>= 1), the caller's among them, and returns when all have
 * ended. A task is begun when all before it have been begun, so it may wait for those. After a failure no other is begun;
 * of several failures the one of the first task is returned. Where no thread can be started, the caller's does the work.
 */
enum bs_status bs_crew_run(uint32_t n_threads, uint32_t n_tasks, bs_task_fn run, void *context,
                           struct bs_error *err) BS_WARN_UNUSED;

#endif
