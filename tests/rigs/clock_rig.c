/* clock_rig.c: see clock_rig.h. */
#include "tests/rigs/clock_rig.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* More than the two seconds during which a fingerprint without fractional seconds is racy. */
#define AHEAD_S 3

static atomic_int ahead_s;
static _Atomic uint64_t step, passed_ns, n_looks, call_at;
static void (*call_back)(void *context);
static void *call_context;

/* It is exported, so that shared libraries call it. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now_out)
{
	uint64_t n = clock == CLOCK_MONOTONIC ? atomic_fetch_add(&n_looks, 1) + 1 : 0;
	if (n == 0 || !step) {
		int result = (int)syscall(SYS_clock_gettime, clock, now_out);
		now_out->tv_sec += clock == CLOCK_REALTIME ? ahead_s : 0;
		return result;
	}
	uint64_t ns = atomic_fetch_add(&passed_ns, step);
	if (n == call_at)
		call_back(call_context);
	*now_out = (struct timespec){.tv_sec = (time_t)(1000 + ns / 1000000000),
	                             .tv_nsec = (long)(ns % 1000000000)};
	return 0;
}

void clock_step(uint64_t step_ns)
{
	call_at = n_looks = passed_ns = 0;
	step = step_ns;
}

void clock_advance(uint64_t ns)
{
	passed_ns += ns;
}

uint64_t clock_looks(void)
{
	return n_looks;
}

void clock_call_at(uint64_t n, void (*callback)(void *context), void *context)
{
	call_back = callback;
	call_context = context;
	call_at = n;
}

void clock_make_old(void)
{
	struct timespec before, now;
	/* The kernel takes the timestamps of files from this clock. */
	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	do {
		usleep(500);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	} while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
	ahead_s = AHEAD_S;
}

void clock_make_young(void)
{
	ahead_s = 0;
}
