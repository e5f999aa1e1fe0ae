/* py_lock.h: locks of objects that one thread at a time may use. */
#pragma once

#include <pthread.h>

#include "py_context.h"

void bs_py_lock_init(pthread_mutex_t *lock);
/* Locks, and waits for that without the GIL, because the thread that has the lock may be waiting
 * for the GIL. False with an exception: this thread has the lock already; or this is a thread of
 * the library that calls a function of context (nullable), and the thread that has the lock may be
 * waiting for it. what: the object's kind, for the message. */
bool bs_py_lock(pthread_mutex_t *lock, const char *what, const struct bs_py_context *context);
