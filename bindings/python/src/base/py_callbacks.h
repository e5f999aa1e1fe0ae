/* py_callbacks.h: calls of functions of Python by callbacks of the library. */
#pragma once

#include "py_types.h"

/* Around each call of a function of Python by a callback of the library, with the GIL: analyzers,
 * text providers, loggers, progress, confirm, handlers of signals. Such a function may use the
 * library itself, which may call it again: false with RecursionError where that would be too deep
 * on this thread, and bs_py_callback_end is not due then. served: the analyzer or the context that
 * has the function; bs_py_is_served: is a function of it being called on this thread? */
bool bs_py_callback_begin(const void *served);
void bs_py_callback_end(void);
bool bs_py_is_served(const void *served);
