/* py_callbacks.h: bookkeeping of calls from the library to Python functions. */
#pragma once

#include "py_types.h"

/* Enclose each call from the library to a Python function (analyzer, text provider, logger,
 * progress, confirm, signal handler). The caller holds the GIL. The function may use the library,
 * which may call it again. Therefore bs_py_callback_begin returns false with RecursionError if
 * calls are nested too deeply on this thread; then bs_py_callback_end must not be called. served:
 * the analyzer or context that has the function. */
bool bs_py_callback_begin(const void *served);
void bs_py_callback_end(void);
/* True while a function of the analyzer or context `served` is being called on this thread. */
bool bs_py_is_served(const void *served);
