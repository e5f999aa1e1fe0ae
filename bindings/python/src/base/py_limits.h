/* py_limits.h: what ends a call: Cancel, deadlines, Ctrl-C. */
#pragma once

#include <bitsift/limits.h>

#include "py_options.h"

/* What ends a call: deadlines, a Cancel, and Ctrl-C, for which the thread that began it looks now and then. limits is to be handed to the
 * library. */
struct bs_py_watch {
	struct bs_limits limits;
	PyObject *cancel;
	unsigned long thread;
	uint64_t next_ns;
	bool is_interrupted; /* the exception is set */
};
#define BS_PY_WATCH_OPTIONS(type, member)                                                           \
	{"deadline", BS_PY_SECONDS, offsetof(type, member.limits.deadline_ns), 0, NULL, NULL},      \
	{                                                                                           \
		"cancel", BS_PY_OBJECT, offsetof(type, member.cancel), 0, &bs_py_types.cancel, NULL \
	}
/* bs_py_watch_init is called before options are read, bs_py_watch_begin after. */
void bs_py_watch_init(struct bs_py_watch *watch);
void bs_py_watch_begin(struct bs_py_watch *watch);

/* Adds Cancel to the module; false with an exception. */
bool bs_py_add_limits(PyObject *module);
