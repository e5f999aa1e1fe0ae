/* crew.c: see crew.h. */
#include "indexer/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct crew {
	pthread_mutex_t mutex;
	bs_task_fn run;
	void *context;
	uint32_t n_tasks;
	uint32_t n_begun;
	uint32_t failed_task;
	enum bs_status status; /* of failed_task */
	struct bs_error error;
};

struct member {
	struct crew *crew;
	uint32_t thread;
	pthread_t handle;
};

static bool next_task(struct crew *crew, uint32_t *task_out)
{
	pthread_mutex_lock(&crew->mutex);
	bool found = !crew->status && crew->n_begun < crew->n_tasks;
	if (found)
		*task_out = crew->n_begun++;
	pthread_mutex_unlock(&crew->mutex);
	return found;
}

static void keep_failure(struct crew *crew, uint32_t task, enum bs_status status, const struct bs_error *error)
{
	pthread_mutex_lock(&crew->mutex);
	if (!crew->status || task < crew->failed_task) {
		crew->status = status;
		crew->failed_task = task;
		crew->error = *error;
	}
	pthread_mutex_unlock(&crew->mutex);
}

static void *work(void *argument)
{
	struct member *member = argument;
	struct crew *crew = member->crew;
	uint32_t task;
	while (next_task(crew, &task)) {
		struct bs_error error = {0};
		enum bs_status status = crew->run(crew->context, member->thread, task, &error);
		if (status)
			keep_failure(crew, task, status, &error);
	}
	return NULL;
}

enum bs_status bs_crew_run(uint32_t n_threads, uint32_t n_tasks, bs_task_fn run, void *context, struct bs_error *err)
{
	struct crew crew = {.run = run, .context = context, .n_tasks = n_tasks};
	uint32_t n_members = n_threads < n_tasks ? n_threads : n_tasks;
	struct member *members = n_members > 1 ? malloc(n_members * sizeof(*members)) : NULL;
	struct member caller = {.crew = &crew};
	uint32_t n_started = 1;
	pthread_mutex_init(&crew.mutex, NULL);
	for (; members && n_started < n_members; n_started++) {
		members[n_started] = (struct member){.crew = &crew, .thread = n_started};
		if (pthread_create(&members[n_started].handle, NULL, work, &members[n_started]) != 0)
			break;
	}
	work(&caller);
	while (--n_started > 0)
		pthread_join(members[n_started].handle, NULL);
	free(members);
	pthread_mutex_destroy(&crew.mutex);
	if (crew.status && err)
		*err = crew.error;
	return crew.status;
}
