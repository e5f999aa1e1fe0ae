/* py_context.h: the Python objects that an open index, a writer or a build needs: the function that
 * returns texts, the analyzer, the logger. */
#pragma once

#include <bitsift/host.h>
#include <bitsift/limits.h>

#include "py_limits.h"

struct bs_memory_index;

/* The library uses a context as long as an index or writer is open, or for one call. The context
 * owns references to its Python objects. */
struct bs_py_context {
	/* Each is NULL if its option was not given. */
	PyObject *memory;   /* a Memory */
	PyObject *texts;    /* a function that takes an id and returns the texts of the document */
	PyObject *analyzer; /* an Analyzer */
	PyObject *logger;   /* a logging.Logger */
	struct bs_consent consent;
	struct bs_text_provider provider;
	struct bs_log log;
};
#define BS_PY_CONTEXT_OPTIONS(type, member)                                                    \
	{"memory", BS_PY_OBJECT, offsetof(type, member.memory), 0, &bs_py_types.memory, NULL}, \
		{"texts", BS_PY_FUNCTION, offsetof(type, member.texts), 0, NULL, NULL},        \
		{"analyzer", BS_PY_OBJECT,          offsetof(type, member.analyzer),           \
	         0,          &bs_py_types.analyzer, NULL},                                     \
		{"log", BS_PY_OBJECT, offsetof(type, member.logger), 0, NULL, NULL},           \
		{"slow", BS_PY_SECONDS, offsetof(type, member.log.slow_ns), 0, NULL, NULL},    \
	{                                                                                      \
		"trust", BS_PY_BOOL, offsetof(type, member.consent.all), 0, NULL, NULL         \
	}
/* Completes a context that options were read into, and takes references to their objects. False
 * with an exception set. */
bool bs_py_context_begin(struct bs_py_context *context);
int bs_py_context_traverse(struct bs_py_context *context, visitproc visit, void *arg);
void bs_py_context_clear(struct bs_py_context *context);
/* Return the context's value for a member of a request; NULL if its option was not given. */
struct bs_memory_index *bs_py_context_memory(struct bs_py_context *context);
const struct bs_text_provider *bs_py_context_texts(struct bs_py_context *context);
const struct bs_analyzer *bs_py_context_analyzer(struct bs_py_context *context);
const struct bs_log *bs_py_context_log(struct bs_py_context *context);
/* Sets in a request the members of the context and the limits of the call. */
#define BS_PY_FILL_REQUEST(request, from, deadline)                      \
	do {                                                             \
		(request)->memory = bs_py_context_memory(from);          \
		(request)->host.texts = bs_py_context_texts(from);       \
		(request)->host.analyzer = bs_py_context_analyzer(from); \
		(request)->host.log = bs_py_context_log(from);           \
		(request)->host.consent = &(from)->consent;              \
		(request)->limits = &(deadline)->limits;                 \
	} while (0)
/* Raises on this thread an exception that the analyzer's function raised on a thread of the
 * library. */
void bs_py_context_failed(struct bs_py_context *context);
