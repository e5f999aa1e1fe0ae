/* deadline.c: see deadline.h. */
#include "core/system/deadline.h"

#include <errno.h>
#include <poll.h>

#include "core/base/clock.h"
#include "core/bitsift/limits.h"

/* The minimum time between two calls of the callback `stop`. */
#define ASK_NS 500000u
/* The time that loops spend between two reads of the clock (a read takes 25 ns). */
#define SPEND_NS 50000u
/* Uninterruptible work of more than twice this time is not begun if less than half of its time is
 * left. */
#define LONG_NS 1000000u
/* Polling intervals: WAIT_MS for a descriptor, SLEEP_MS for things that cannot wake the thread,
 * such as a lock. */
#define WAIT_MS  2
#define SLEEP_MS 10
/* Showing partial results may take a quarter of the time that was spent on finding them, but at
 * least GRACE_LEAST_NS. */
#define GRACE_SHARE    4
#define GRACE_LEAST_NS 1000000u

_Thread_local struct bs_deadline *bs_deadline_here;
/* The estimated time that this thread has spent since it last read the clock. */
static _Thread_local uint64_t spent_ns;

enum bs_status bs_deadline_begin(struct bs_deadline *deadline, const struct bs_limits *limits,
                                 struct bs_error *err)
{
	if (limits) {
		enum bs_status status = BS_CHECK_RESERVED(err, BS_RESERVED(bs_limits, *limits));
		if (status)
			return status;
	}
	bool is_idle = !limits || (!limits->deadline_ns && !limits->cancel && !limits->stop);
	*deadline = (struct bs_deadline){
		.limits = limits, .before = bs_deadline_here, .is_asking = ATOMIC_FLAG_INIT};
	deadline->start_ns = is_idle ? 0 : bs_now_ns();
	/* limits->stop is called ASK_NS after the start at the earliest, so that short calls of the
	 * library, such as those that add documents, never call it. */
	deadline->asked_ns = deadline->start_ns;
	deadline->end_ns = is_idle || !limits->deadline_ns ||
	                                   limits->deadline_ns > UINT64_MAX - deadline->start_ns
	                           ? UINT64_MAX
	                           : deadline->start_ns + limits->deadline_ns;
	if (limits)
		bs_deadline_here = is_idle ? NULL : deadline;
	return BS_OK;
}

void bs_deadline_end(struct bs_deadline *deadline)
{
	bs_deadline_here = deadline->before;
}

bool bs_deadline_extend(void)
{
	struct bs_deadline *deadline = bs_deadline_here;
	if (!deadline || !deadline->limits || !deadline->limits->partial ||
	    !atomic_load(&deadline->status))
		return false;
	uint64_t now = bs_now_ns(), share = (now - deadline->start_ns) / GRACE_SHARE;
	deadline->limits = NULL;
	deadline->end_ns = now + (share > GRACE_LEAST_NS ? share : GRACE_LEAST_NS);
	atomic_store(&deadline->status, BS_OK);
	return true;
}

/* Whether the cancel flag or the callback ends the call. Only one thread at a time calls the
 * callback; the others do not wait for it. */
static bool is_stopped(struct bs_deadline *deadline, uint64_t now)
{
	const struct bs_limits *limits = deadline->limits;
	if (limits && limits->cancel && __atomic_load_n(limits->cancel, __ATOMIC_RELAXED))
		return true;
	if (!limits || !limits->stop ||
	    now - atomic_load_explicit(&deadline->asked_ns, memory_order_relaxed) < ASK_NS ||
	    atomic_flag_test_and_set_explicit(&deadline->is_asking, memory_order_acquire))
		return false;
	bool stops = limits->stop(limits->context) != 0;
	atomic_store_explicit(&deadline->asked_ns, now, memory_order_relaxed);
	atomic_flag_clear_explicit(&deadline->is_asking, memory_order_release);
	return stops;
}

static enum bs_status fail(const struct bs_deadline *deadline, enum bs_status status,
                           struct bs_error *err)
{
	if (status == BS_STOPPED)
		return bs_fail(err, status, "stopped");
	return bs_fail(err, status, "the time limit of %.1f ms has passed",
	               (double)(deadline->end_ns - deadline->start_ns) / 1e6);
}

enum bs_status bs_deadline_check_now(struct bs_error *err)
{
	struct bs_deadline *deadline = bs_deadline_here;
	int status = atomic_load_explicit(&deadline->status, memory_order_relaxed);
	if (status)
		return fail(deadline, (enum bs_status)status, err);
	uint64_t now = bs_now_ns();
	status = now >= deadline->end_ns     ? BS_DEADLINE
	         : is_stopped(deadline, now) ? BS_STOPPED
	                                     : BS_OK;
	if (!status)
		return BS_OK;
	/* If two threads find a reason at the same time, the first one stored is returned. */
	int none = BS_OK;
	if (!atomic_compare_exchange_strong(&deadline->status, &none, status))
		status = none;
	return fail(deadline, (enum bs_status)status, err);
}

enum bs_status bs_deadline_spend_more(uint64_t about_ns, struct bs_error *err)
{
	spent_ns += about_ns;
	/* If another thread has found that the call is over, end at once, without reading the
	 * clock. */
	if (spent_ns < SPEND_NS)
		return bs_deadline_is_over() ? bs_deadline_check_now(err) : BS_OK;
	spent_ns = 0;
	if (about_ns > 2 * LONG_NS && bs_deadline_left_ns() < about_ns / 2)
		bs_deadline_give_up();
	return bs_deadline_check_now(err);
}

bool bs_deadline_is_over(void)
{
	return bs_deadline_here &&
	       atomic_load_explicit(&bs_deadline_here->status, memory_order_relaxed) != BS_OK;
}

uint64_t bs_deadline_left_ns(void)
{
	const struct bs_deadline *deadline = bs_deadline_here;
	if (!deadline || deadline->end_ns == UINT64_MAX)
		return UINT64_MAX;
	uint64_t now = bs_now_ns();
	return now < deadline->end_ns ? deadline->end_ns - now : 0;
}

void bs_deadline_give_up(void)
{
	int none = BS_OK;
	if (bs_deadline_here)
		(void)atomic_compare_exchange_strong(&bs_deadline_here->status, &none, BS_DEADLINE);
}

enum bs_status bs_deadline_sleep(struct bs_error *err)
{
	enum bs_status status = bs_deadline_check(err);
	if (!status)
		(void)poll(NULL, 0, SLEEP_MS);
	return status;
}

enum bs_status bs_deadline_wait_readable(int fd, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	/* Check the deadline after a signal (EINTR), which may have set the cancel flag. */
	while (bs_deadline_here && !(status = bs_deadline_check(err))) {
		int n = poll(&wanted, 1, WAIT_MS);
		if (n > 0 || (n < 0 && errno != EINTR))
			break;
	}
	return status;
}

enum bs_status bs_progress_add(struct bs_progress *progress, uint64_t n, struct bs_error *err)
{
	enum bs_status status = bs_deadline_check(err);
	if (status || !progress)
		return status;
	uint64_t done = __atomic_add_fetch(&progress->done, n, __ATOMIC_RELAXED);
	if (pthread_equal(pthread_self(), progress->owner) &&
	    progress->beat(progress->context, done, progress->total) != 0)
		__atomic_store_n(&progress->is_stopped, true, __ATOMIC_RELAXED);
	if (__atomic_load_n(&progress->is_stopped, __ATOMIC_RELAXED))
		return bs_fail(err, BS_STOPPED, "stopped; the index is unchanged");
	return BS_OK;
}
