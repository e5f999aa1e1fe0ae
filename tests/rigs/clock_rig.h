/*
 * clock_rig.h: a clock that tests control. The test program's clock_gettime replaces that of the C
 * library, also in shared libraries that the program is linked with.
 */
#pragma once

#include <stdint.h>

/* The time between two readings of the clock, as loops of the library estimate it (SPEND_NS in
 * core/system/deadline.c). */
#define CLOCK_LOOK_NS UINT64_C(50000)

/* Stops CLOCK_MONOTONIC, except that each reading advances it by step_ns; 0: restores the real
 * clock. Resets the count of readings. */
void clock_step(uint64_t step_ns);
/* Advances the stopped clock. */
void clock_advance(uint64_t ns);
/* The number of readings of CLOCK_MONOTONIC since clock_step. */
uint64_t clock_looks(void);
/* Calls back at the n-th reading after the last clock_step, if the clock is stopped. The next
 * clock_step cancels this. */
void clock_call_at(uint64_t n, void (*callback)(void *context), void *context);

/* clock_make_old advances CLOCK_REALTIME by some seconds, so that fingerprints of the files written
 * so far are not racy; files written later have different fingerprints. clock_make_young undoes
 * this. */
void clock_make_old(void);
void clock_make_young(void);
