/*
 * stack.h: the stack of a thread. The library must work on small ones: containers limit that of a
 * program (ulimit -s), musl gives a thread 128 KiB, and hosts have threads of any size.
 *
 * Three rules follow. No function has a frame of more than a few KiB: larger arrays and structs are
 * allocated. Threads of the library have stacks of a size of their own. What recurses has a limit,
 * and where the limit would not fit into a small stack, as in nested brackets, the function that
 * knows the depth asks bs_stack_left before anything recurses so deep, and fails.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes of this thread's stack are left below the caller. SIZE_MAX if that is not known,
 * as on a stack that the program made itself (coroutines). The first call on a thread may read
 * /proc/self/maps, so it is for what is rare: deep nesting.
 */
size_t bs_stack_left(void);

/* How many levels of level_bytes fit, with BS_STACK_REST_BYTES left for what the deepest one calls.
 * SIZE_MAX: not known. */
#define BS_STACK_REST_BYTES ((size_t)32 << 10)
static inline size_t bs_stack_levels(size_t level_bytes)
{
	size_t left = bs_stack_left();
	return left == SIZE_MAX             ? SIZE_MAX
	       : left > BS_STACK_REST_BYTES ? (left - BS_STACK_REST_BYTES) / level_bytes
	                                    : 0;
}

/* The stack of the library's own threads; enough for the deepest query (BS_QUERY_MAX_DEPTH). Memory
 * is taken only as far as it is used. */
#define BS_THREAD_STACK_BYTES ((size_t)4 << 20)

/* pthread_create with a stack of that size. */
int bs_thread_create(pthread_t *thread_out, void *(*run)(void *argument), void *argument);
