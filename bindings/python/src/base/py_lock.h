/* py_lock.h: locks of objects that one thread at a time may use. */
#ifndef BS_PY_LOCK_H
#define BS_PY_LOCK_H

#include <pthread.h>

#include "py_context.h"

/* The lock is waited for without the GIL: the thread that has it may be waiting for that.
 * False with an exception: this thread has it; or it is a thread of the library that calls a function of the object's context (or NULL),
 * and the thread that has the lock may be waiting for this one. */
void bs_py_lock_init(pthread_mutex_t *lock);
bool bs_py_lock(pthread_mutex_t *lock, const char *what, const struct bs_py_context *context);

#endif
