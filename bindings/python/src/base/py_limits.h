/* py_limits.h: what ends a call: Cancel, deadlines, Ctrl-C. */
#pragma once

#include <bitsift/limits.h>

#include "py_options.h"

/* What ends a call: deadlines, a Cancel, and Ctrl-C, for which the thread that began it looks now
 * and then. limits is to be handed to the library. */
struct bs_py_deadline {
	struct bs_limits limits;
	PyObject *cancel;
	unsigned long thread;
	uint64_t next_ns;
	bool is_interrupted; /* the exception is set */
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

/* Adds Cancel to the module; false with an exception. */
bool bs_py_add_limits(PyObject *module);
