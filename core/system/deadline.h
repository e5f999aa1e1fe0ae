/*
 * deadline.h: whether the call under way is to end before it is done: by its deadline, its flag or
 * its callback (struct bs_limits of bitsift.h). Whoever takes long asks now and then.
 *
 * The call's deadline is known by its thread, and by the threads that work for it (workers.c). It
 * is the one thing that is not handed down: loops in every room ask, and each would need it from
 * five layers above, for one branch.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/base/error.h"

struct bs_deadline {
	const struct bs_limits *limits;
	uint64_t start_ns, end_ns; /* UINT64_MAX: no deadline */
	_Atomic int status;        /* enum bs_status: BS_OK, or why it is over: then it stays so */
	_Atomic uint64_t asked_ns; /* when the callback was asked last */
	atomic_flag is_asking;
	struct bs_deadline *before; /* that of the call around this one, on this thread */
};

/* Of this thread; NULL: nothing can end what it does. Initial-exec: a plain load in a shared
 * object, too. */
extern _Thread_local struct bs_deadline *bs_deadline_here
	__attribute__((tls_model("initial-exec")));

/* Sets the deadline of this thread, up to bs_deadline_end; of limits that are NULL, that of the
 * call around it stays. BS_UNSUPPORTED: a reserved field. Then nothing was begun. */
enum bs_status bs_deadline_begin(struct bs_deadline *deadline, const struct bs_limits *limits,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_deadline_end(struct bs_deadline *deadline);

/* What was asked for is over, but what was found is to be shown: from now on only time counts, and
 * there is some more of it, for the deadline of this thread. False: it is not over, or wants no
 * partial results. */
bool bs_deadline_grace(void);

/* The rest: see bs_deadline_ask. */
enum bs_status bs_deadline_look(struct bs_error *err) BS_WARN_UNUSED;

/* Whether somebody was told that it is over. */
bool bs_deadline_is_over(void);

/* Whether that is what a call ended with: no word about what it was at. */
static inline bool bs_deadline_ended(enum bs_status status)
{
	return status == BS_DEADLINE || status == BS_STOPPED;
}

/* BS_DEADLINE, BS_STOPPED: the call is to end. It looks at the clock. */
static inline enum bs_status bs_deadline_ask(struct bs_error *err)
{
	return __builtin_expect(bs_deadline_here != NULL, 0) ? bs_deadline_look(err) : BS_OK;
}

/* The rest: see bs_deadline_spend. */
enum bs_status bs_deadline_spend_more(uint64_t about_ns, struct bs_error *err) BS_WARN_UNUSED;

/* The same for loops, which say what a round costs: it asks when enough has come together. And for
 * what cannot be ended once it is begun: if that takes much longer than what is left, it is over
 * now. */
static inline enum bs_status bs_deadline_spend(uint64_t about_ns, struct bs_error *err)
{
	return __builtin_expect(bs_deadline_here != NULL, 0) ? bs_deadline_spend_more(about_ns, err)
	                                                     : BS_OK;
}

/* bs_deadline_spend for a loop whose round i costs item_ns: reports once in BS_DEADLINE_EVERY
 * rounds. */
#define BS_DEADLINE_EVERY 1024u
static inline enum bs_status bs_deadline_each(uint64_t i, uint32_t item_ns, struct bs_error *err)
{
	return __builtin_expect(i % BS_DEADLINE_EVERY == BS_DEADLINE_EVERY - 1, 0)
	               ? bs_deadline_spend((uint64_t)BS_DEADLINE_EVERY * item_ns, err)
	               : BS_OK;
}

/* How long the call may still take; UINT64_MAX: as long as it likes. */
uint64_t bs_deadline_left_ns(void);

/* What is under way cannot be done in the time that is left: it is over. */
void bs_deadline_give_up(void);

/* For who waits for something that tells nobody: BS_OK after a short sleep, to look again. */
enum bs_status bs_deadline_sleep(struct bs_error *err) BS_WARN_UNUSED;

/* For who waits for a descriptor: waits until it can be read, or is at its end; at most so long at
 * a time that the deadline is asked in between. BS_OK at once where there is no deadline. */
enum bs_status bs_deadline_wait_readable(int fd, struct bs_error *err) BS_WARN_UNUSED;

/* Progress of long work, which may be stopped by whoever is shown it. The one that starts the work
 * owns the progress. Any thread counts what it has done; only the owner's thread calls `beat`, and
 * all threads end if that returns other than 0. */
struct bs_progress {
	/* On the owner's thread, often; anything but 0 stops the work. total 0: not known. */
	int (*beat)(void *context, uint64_t done, uint64_t total);
	void *context;
	pthread_t owner;
	uint64_t done, total;
	bool is_stopped;
};

/* n more are done. BS_STOPPED, BS_DEADLINE: the work is to end, by the progress or the deadline.
 * pulse may be NULL. */
enum bs_status bs_progress_add(struct bs_progress *progress, uint64_t n,
                               struct bs_error *err) BS_WARN_UNUSED;
