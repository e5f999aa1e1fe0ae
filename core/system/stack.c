/* stack.c: see stack.h. */
#include "core/system/stack.h"

struct bounds {
	uintptr_t low, high;
};

/* The bounds of this thread's stack, without its guard pages; both 0 if unknown. */
static struct bounds find_bounds(void)
{
	struct bounds bounds = {0, 0};
	pthread_attr_t attributes;
	void *low;
	size_t n_bytes, guard_bytes;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return bounds;
	if (pthread_attr_getstack(&attributes, &low, &n_bytes) == 0 &&
	    pthread_attr_getguardsize(&attributes, &guard_bytes) == 0)
		bounds = (struct bounds){(uintptr_t)low + guard_bytes, (uintptr_t)low + n_bytes};
	(void)pthread_attr_destroy(&attributes);
	return bounds;
}

size_t bs_stack_left(void)
{
	static _Thread_local struct bounds bounds;
	static _Thread_local char is_known;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (!is_known) {
		bounds = find_bounds();
		is_known = 1;
	}
	return here < bounds.high && here > bounds.low ? here - bounds.low : SIZE_MAX;
}

int bs_thread_create(pthread_t *thread_out, void *(*run)(void *argument), void *argument)
{
	pthread_attr_t attributes;
	int error_number = pthread_attr_init(&attributes);
	if (error_number)
		return error_number;
	(void)pthread_attr_setstacksize(&attributes, BS_THREAD_STACK_BYTES);
	error_number = pthread_create(thread_out, &attributes, run, argument);
	(void)pthread_attr_destroy(&attributes);
	return error_number;
}
