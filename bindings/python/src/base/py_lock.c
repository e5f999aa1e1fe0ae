/* py_lock.c: see py_lock.h. */
#include "py_lock.h"

#include "py_callbacks.h"

void bs_py_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t checked;
	(void)pthread_mutexattr_init(&checked);
	(void)pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
	(void)pthread_mutex_init(lock, &checked);
	(void)pthread_mutexattr_destroy(&checked);
}

bool bs_py_lock(pthread_mutex_t *lock, const char *what, const struct bs_py_context *context)
{
	int failed = pthread_mutex_trylock(lock);
	bool is_awaited =
		context && (bs_py_is_served(context) || bs_py_is_served(context->analyzer));
	if (failed && !is_awaited)
		BS_PY_WITHOUT_GIL(failed = pthread_mutex_lock(lock));
	if (failed)
		PyErr_Format(PyExc_RuntimeError,
		             "the %s is at work already, for a callback of its own", what);
	return !failed;
}
