/* py_limits.c: what ends a call (Cancel, deadlines, Ctrl-C), and locks for objects that one thread at a time may use. See py_bitsift.h. */
#include "py_bitsift.h"

#include <time.h>

void bs_py_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t checked;
	(void)pthread_mutexattr_init(&checked);
	(void)pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
	(void)pthread_mutex_init(lock, &checked);
	(void)pthread_mutexattr_destroy(&checked);
}

/*
 * Python's own limit counts its own frames, and lets several hundred calls of the library nest: each takes some 10 KiB of stack
 * between two frames of Python. With this one they fit into a thread of 192 KiB.
 */
#define MOST_CALLBACKS 16u
static _Thread_local const void *callbacks[MOST_CALLBACKS]; /* what they serve */
static _Thread_local unsigned n_callbacks;

bool bs_py_callback_begin(const void *served)
{
	if (n_callbacks == MOST_CALLBACKS) {
		PyErr_Format(PyExc_RecursionError, "functions that bitsift calls use bitsift again, more than %d deep",
		             (int)MOST_CALLBACKS);
		return false;
	}
	callbacks[n_callbacks++] = served;
	return true;
}

void bs_py_callback_end(void)
{
	n_callbacks--;
}

bool bs_py_is_served(const void *served)
{
	for (unsigned i = 0; i < n_callbacks; i++)
		if (callbacks[i] == served)
			return true;
	return false;
}

bool bs_py_lock(pthread_mutex_t *lock, const char *what, const struct bs_py_context *context)
{
	int failed = pthread_mutex_trylock(lock);
	bool is_awaited = context && (bs_py_is_served(context) || bs_py_is_served(context->analyzer));
	if (failed && !is_awaited)
		BS_PY_WITHOUT_GIL(failed = pthread_mutex_lock(lock));
	if (failed)
		PyErr_Format(PyExc_RuntimeError, "the %s is at work already, for a callback of its own", what);
	return !failed;
}

/* A word to those who work elsewhere. */
struct cancel {
	PyObject_HEAD volatile int is_set;
};

static PyObject *cancel_set(PyObject *self, PyObject *unused)
{
	(void)unused;
	((struct cancel *)self)->is_set = 1;
	Py_RETURN_NONE;
}

static PyObject *cancel_clear(PyObject *self, PyObject *unused)
{
	(void)unused;
	((struct cancel *)self)->is_set = 0;
	Py_RETURN_NONE;
}

static PyObject *cancel_is_set(PyObject *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(((struct cancel *)self)->is_set);
}

static PyMethodDef cancel_methods[] = {
	BS_PY_DOCUMENTED("set", cancel_set, METH_NOARGS,
                         "set($self, /)\n--\n\nEnds the calls that have it: StoppedError, or partial answers."),
	BS_PY_DOCUMENTED("clear", cancel_clear, METH_NOARGS, "clear($self, /)\n--\n\nFor the next calls."),
	BS_PY_DOCUMENTED("is_set", cancel_is_set, METH_NOARGS, "is_set($self, /)\n--\n\nWhether it is."),
	{NULL, NULL, 0, NULL},
};

static char cancel_doc[] =
	"Cancel()\n--\n\nHanded to calls as `cancel`, it ends them when any thread, or a signal handler, sets it.";

static PyType_Slot cancel_slots[] = {
	{Py_tp_doc, cancel_doc},
	{Py_tp_dealloc, bs_py_free},
	{Py_tp_methods, cancel_methods},
	{0, NULL},
};

static PyType_Spec cancel_spec = {"bitsift.Cancel", sizeof(struct cancel), 0, Py_TPFLAGS_DEFAULT, cancel_slots};

/* How often signals are looked for: each look waits for the GIL. */
#define WATCH_NS 50000000u

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Python handles signals on the thread that began the call, if at all. */
static int watch_signals(void *context)
{
	struct bs_py_watch *watch = context;
	uint64_t now = now_ns();
	if (watch->is_interrupted)
		return 1;
	if (now < watch->next_ns || watch->thread != PyThread_get_thread_ident())
		return 0;
	PyGILState_STATE gil = PyGILState_Ensure();
	watch->is_interrupted = PyErr_Occurred() || !bs_py_callback_begin(NULL);
	if (!watch->is_interrupted) {
		watch->is_interrupted = PyErr_CheckSignals() < 0;
		bs_py_callback_end();
	}
	PyGILState_Release(gil);
	watch->next_ns = now_ns() + WATCH_NS;
	return watch->is_interrupted;
}

void bs_py_watch_init(struct bs_py_watch *watch)
{
	*watch = (struct bs_py_watch){.limits = {.stop = watch_signals}};
}

void bs_py_watch_begin(struct bs_py_watch *watch)
{
	watch->limits.context = watch;
	watch->limits.cancel = watch->cancel ? &((struct cancel *)watch->cancel)->is_set : NULL;
	watch->thread = PyThread_get_thread_ident();
	watch->next_ns = now_ns() + WATCH_NS;
	watch->is_interrupted = false;
}

bool bs_py_add_limits(PyObject *module)
{
	bs_py_types.cancel = bs_py_add_type(module, &cancel_spec);
	return bs_py_types.cancel != NULL;
}
