/*
 * deadline.h: ends the current call early, because of its deadline, its cancel flag or its callback
 * (struct bs_limits, core/bitsift/limits.h). Long loops check the deadline now and then.
 *
 * The deadline belongs to the call's thread and to the threads that work for it (workers.c). It is
 * a thread-local variable and not a parameter, because loops in every module check it; a parameter
 * would have to be passed down through five layers.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "core/base/error.h"

struct bs_deadline {
	const struct bs_limits *limits; /* NULL: no cancel flag and no callback */
	/* By bs_now_ns: when the call began (0 if not needed), and when it is to end (UINT64_MAX:
	 * no deadline). */
	uint64_t start_ns, end_ns;
	/* enum bs_status: BS_OK, or the first reason for the end; bs_deadline_extend resets it */
	_Atomic int status;
	_Atomic uint64_t asked_ns;  /* when the callback was called last */
	atomic_flag is_asking;      /* a thread is calling the callback */
	struct bs_deadline *before; /* the deadline of the enclosing call on this thread */
};

/* The deadline of this thread; NULL: its call cannot end early. The initial-exec model makes an
 * access a plain load even in a shared object. */
extern _Thread_local struct bs_deadline *bs_deadline_here
	__attribute__((tls_model("initial-exec")));

/* Sets the deadline of this thread to that of `limits`, until bs_deadline_end. Meanwhile the
 * deadline of the enclosing call does not apply, even if `limits` has no deadline, cancel flag or
 * callback: then the call cannot end early. If limits is NULL, the deadline remains that of the
 * enclosing call. BS_UNSUPPORTED: a reserved field of limits is not zero; then do not call
 * bs_deadline_end. */
enum bs_status bs_deadline_begin(struct bs_deadline *deadline, const struct bs_limits *limits,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_deadline_end(struct bs_deadline *deadline);

/* Call it after the work ended early, before showing what was found. If the limits ask for partial
 * results, this thread's deadline is extended a little; from then on, the cancel flag and the
 * callback are ignored. False: the call has not ended, or wants no partial results. */
bool bs_deadline_extend(void);

/* Implements bs_deadline_check. */
enum bs_status bs_deadline_check_now(struct bs_error *err) BS_WARN_UNUSED;

/* True if some thread of the call has found that the call must end. Does not read the clock. */
bool bs_deadline_is_over(void);

/* True if a call ended early with this status. The error text then does not name what the call was
 * working on. */
static inline bool bs_deadline_ended(enum bs_status status)
{
	return status == BS_DEADLINE || status == BS_STOPPED;
}

/* BS_DEADLINE or BS_STOPPED if the call must end. Reads the clock. */
static inline enum bs_status bs_deadline_check(struct bs_error *err)
{
	return __builtin_expect(bs_deadline_here != NULL, 0) ? bs_deadline_check_now(err) : BS_OK;
}

/* Implements bs_deadline_check_after. */
enum bs_status bs_deadline_spend_more(uint64_t about_ns, struct bs_error *err) BS_WARN_UNUSED;

/* Like bs_deadline_check, for loops: about_ns is the estimated time of a round, and the clock is
 * read only when enough time has added up. Also for use before work that cannot be interrupted: if
 * about_ns is much longer than the time left, the call ends now. */
static inline enum bs_status bs_deadline_check_after(uint64_t about_ns, struct bs_error *err)
{
	return __builtin_expect(bs_deadline_here != NULL, 0) ? bs_deadline_spend_more(about_ns, err)
	                                                     : BS_OK;
}

/* bs_deadline_check_after for round i of a loop whose rounds take item_ns each. Checks once in
 * BS_DEADLINE_EVERY rounds. */
#define BS_DEADLINE_EVERY 1024u
static inline enum bs_status bs_deadline_each(uint64_t i, uint32_t item_ns, struct bs_error *err)
{
	return __builtin_expect(i % BS_DEADLINE_EVERY == BS_DEADLINE_EVERY - 1, 0)
	               ? bs_deadline_check_after((uint64_t)BS_DEADLINE_EVERY * item_ns, err)
	               : BS_OK;
}

/* The time left; UINT64_MAX: no limit. */
uint64_t bs_deadline_left_ns(void);

/* Makes the next check end the call with BS_DEADLINE, because the time left is not enough for the
 * current work. */
void bs_deadline_give_up(void);

/* Checks the deadline, then sleeps for a short while. For polling things that cannot wake the
 * thread, such as a lock. Fails like bs_deadline_check. */
enum bs_status bs_deadline_sleep(struct bs_error *err) BS_WARN_UNUSED;

/* Waits until the descriptor is readable or at its end, and checks the deadline in between. Returns
 * BS_OK at once if there is no deadline. Fails like bs_deadline_check. */
enum bs_status bs_deadline_wait_readable(int fd, struct bs_error *err) BS_WARN_UNUSED;

/* Progress of long work, with a callback that may stop it. The thread that starts the work owns the
 * progress. Any thread adds the work that it has done; only the owner calls `beat`. If `beat`
 * returns nonzero, all threads end. */
struct bs_progress {
	/* Called often. Returns nonzero to stop the work. total is 0 if it is unknown. */
	int (*beat)(void *context, uint64_t done, uint64_t total);
	void *context; /* passed to `beat` */
	pthread_t owner;
	uint64_t done, total; /* work, in a unit that the owner chooses */
	bool is_stopped;      /* beat has returned nonzero */
};

/* Adds n to the work done. BS_STOPPED or BS_DEADLINE if the progress callback or the deadline ends
 * the work. progress may be NULL. */
enum bs_status bs_progress_add(struct bs_progress *progress, uint64_t n,
                               struct bs_error *err) BS_WARN_UNUSED;
