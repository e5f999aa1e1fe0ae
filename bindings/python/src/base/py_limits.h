/* py_limits.h: what ends a call early: deadlines, Cancel, Ctrl-C. */
#pragma once

#include <bitsift/limits.h>

#include "py_options.h"

/* The limits of a call; `limits` is passed to the library. The thread that began the call also
 * checks for signals at intervals. */
struct bs_py_deadline {
	struct bs_limits limits;
	PyObject *cancel;
	unsigned long thread;
	uint64_t next_ns;
	bool is_interrupted; /* a signal handler raised an exception, which is set */
};
#define BS_PY_DEADLINE_OPTIONS(type, member)                                                   \
	{"deadline", BS_PY_SECONDS, offsetof(type, member.limits.deadline_ns), 0, NULL, NULL}, \
	{                                                                                      \
		"cancel", BS_PY_OBJECT, offsetof(type, member.cancel), 0, &bs_py_types.cancel, \
			NULL                                                                   \
	}
/* bs_py_deadline_init is called before options are read, bs_py_deadline_begin after. */
void bs_py_deadline_init(struct bs_py_deadline *deadline);
void bs_py_deadline_begin(struct bs_py_deadline *deadline);

/* Adds Cancel to the module; false with an exception set. */
bool bs_py_add_limits(PyObject *module);
