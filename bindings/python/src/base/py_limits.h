/* py_limits.h: limits that end a call early: deadlines, Cancel, Ctrl-C. */
#pragma once

#include <bitsift/limits.h>

#include "py_options.h"

/* The limits of a call; `limits` is passed to the library. The thread that began the call also
 * checks for signals at intervals. */
struct bs_py_deadline {
	struct bs_limits limits;
	PyObject *cancel;     /* a Cancel; nullable */
	unsigned long thread; /* the thread that began the call */
	uint64_t next_ns;     /* when this thread checks for signals again */
	bool is_interrupted;  /* a signal handler raised an exception, which is set */
};
#define BS_PY_DEADLINE_OPTIONS(type, member)                                                   \
	{"deadline", BS_PY_SECONDS, offsetof(type, member.limits.deadline_ns), 0, NULL, NULL}, \
	{                                                                                      \
		"cancel", BS_PY_OBJECT, offsetof(type, member.cancel), 0, &bs_py_types.cancel, \
			NULL                                                                   \
	}
/* bs_py_deadline_init must be called before the options are read, bs_py_deadline_begin after
 * that. */
void bs_py_deadline_init(struct bs_py_deadline *deadline);
void bs_py_deadline_begin(struct bs_py_deadline *deadline);

/* Adds Cancel to the module; false with an exception set. */
bool bs_py_add_limits(PyObject *module);
