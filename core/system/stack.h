/*
 * stack.h: the stack of a thread. The library must work on small stacks: containers limit the stack
 * of a program (ulimit -s), musl gives a thread 128 KiB, and hosts have threads of any size.
 *
 * Three rules follow. (1) No function has a large frame (16 KiB or more); larger arrays and structs
 * are allocated. (2) The library's own threads have stacks of a fixed size. (3) Recursion has a
 * limit. If recursion to this limit may not fit into a small stack, as with nested brackets, the
 * function that knows the depth calls bs_stack_left or bs_stack_levels before the recursion begins,
 * and fails if the stack is too small.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes left on this thread's stack below the caller. SIZE_MAX if unknown, for example on a
 * stack that the program allocated itself (coroutines). The first call on a thread may read
 * /proc/self/maps; use it only for rare cases such as deep nesting. */
size_t bs_stack_left(void);

/* How many recursion levels of level_bytes fit, with BS_STACK_REST_BYTES left for the functions
 * that the deepest level calls. SIZE_MAX: unknown. */
#define BS_STACK_REST_BYTES ((size_t)32 << 10)
static inline size_t bs_stack_levels(size_t level_bytes)
{
	size_t left = bs_stack_left();
	return left == SIZE_MAX             ? SIZE_MAX
	       : left > BS_STACK_REST_BYTES ? (left - BS_STACK_REST_BYTES) / level_bytes
	                                    : 0;
}

/* The stack of the library's own threads, enough for the deepest query (BS_QUERY_MAX_DEPTH). Unused
 * pages take no memory. */
#define BS_THREAD_STACK_BYTES ((size_t)4 << 20)

/* pthread_create with a stack of BS_THREAD_STACK_BYTES. */
int bs_thread_create(pthread_t *thread_out, void *(*run)(void *argument), void *argument);
