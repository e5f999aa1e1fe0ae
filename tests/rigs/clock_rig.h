/*
 * clock_rig.h: clocks that a test sets. clock_gettime of the test program takes the place of that
 * of the C library, also in the shared library that the program is linked to.
 */
#pragma once

#include <stdint.h>

/* The product estimates its work and looks at the clock at least once in this time. */
#define CLOCK_LOOK_NS UINT64_C(50000)

/* From now on CLOCK_MONOTONIC stands still, except that every look at it takes step_ns; 0: the real
 * clock. Forgets earlier looks. */
void clock_step(uint64_t step_ns);
/* Lets ns pass. */
void clock_advance(uint64_t ns);
/* Looks at CLOCK_MONOTONIC since clock_step. */
uint64_t clock_looks(void);
/* Calls back at the n-th look after clock_step, which sets this back to never. */
void clock_call_at(uint64_t n, void (*callback)(void *context), void *context);

/* Fingerprints of files written so far are old enough to be trusted: CLOCK_REALTIME goes ahead by
 * some seconds. A file that is written later has another fingerprint. clock_make_young undoes
 * it. */
void clock_make_old(void);
void clock_make_young(void);
