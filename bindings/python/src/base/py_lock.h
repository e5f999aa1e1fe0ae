/* py_lock.h: locks of objects that one thread at a time may use. */
#pragma once

#include <pthread.h>

#include "py_context.h"

void bs_py_lock_init(pthread_mutex_t *lock);
/* Takes the lock. Waits for it without the GIL, because the holder of the lock may be waiting for
 * the GIL. False with an exception set if waiting would deadlock: this thread already has the lock,
 * or it is running a function of `context` (nullable), for which the holder of the lock may be
 * waiting. what: the kind of the object, for the message. */
bool bs_py_lock(pthread_mutex_t *lock, const char *what, const struct bs_py_context *context);
