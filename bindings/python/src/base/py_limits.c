/* py_limits.c: see py_limits.h. */
#include "py_limits.h"

#include <time.h>

#include "py_callbacks.h"

/* Threads of the library read the flag without a lock. */
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
	BS_PY_DOCUMENTED(
		"set", cancel_set, METH_NOARGS,
		"set($self, /)\n--\n\nEnds the calls that were passed this object: they raise "
		"StoppedError or return a partial answer."),
	BS_PY_DOCUMENTED(
		"clear", cancel_clear, METH_NOARGS,
		"clear($self, /)\n--\n\nResets the object, so that it can be passed to later "
		"calls."),
	BS_PY_DOCUMENTED(
		"is_set", cancel_is_set, METH_NOARGS,
		"is_set($self, /)\n--\n\nTrue if set() was called, and clear() was not called "
		"since."),
	{NULL, NULL, 0, NULL},
};

static char cancel_doc[] =
	"Cancel()\n--\n\nEnds the calls that it is passed to as `cancel`, once any "
	"thread or a signal handler calls set().";

static PyType_Slot cancel_slots[] = {
	{Py_tp_doc, cancel_doc},
	{Py_tp_dealloc, bs_py_free},
	{Py_tp_methods, cancel_methods},
	{0, NULL},
};

static PyType_Spec cancel_spec = {"bitsift.Cancel", sizeof(struct cancel), 0, Py_TPFLAGS_DEFAULT,
                                  cancel_slots};

/* The interval of checks for signals. It is long, because each check waits for the GIL. */
#define DEADLINE_NS 50000000u

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The `stop` callback. Checks only on the thread that began the call, because Python handles
 * signals there, if at all. */
static int deadline_signals(void *context)
{
	struct bs_py_deadline *deadline = context;
	uint64_t now = now_ns();
	if (deadline->is_interrupted)
		return 1;
	if (now < deadline->next_ns || deadline->thread != PyThread_get_thread_ident())
		return 0;
	PyGILState_STATE gil = PyGILState_Ensure();
	deadline->is_interrupted = PyErr_Occurred() || !bs_py_callback_begin(NULL);
	if (!deadline->is_interrupted) {
		deadline->is_interrupted = PyErr_CheckSignals() < 0;
		bs_py_callback_end();
	}
	PyGILState_Release(gil);
	deadline->next_ns = now_ns() + DEADLINE_NS;
	return deadline->is_interrupted;
}

void bs_py_deadline_init(struct bs_py_deadline *deadline)
{
	*deadline = (struct bs_py_deadline){.limits = {.stop = deadline_signals}};
}

void bs_py_deadline_begin(struct bs_py_deadline *deadline)
{
	deadline->limits.context = deadline;
	deadline->limits.cancel =
		deadline->cancel ? &((struct cancel *)deadline->cancel)->is_set : NULL;
	deadline->thread = PyThread_get_thread_ident();
	deadline->next_ns = now_ns() + DEADLINE_NS;
	deadline->is_interrupted = false;
}

bool bs_py_add_limits(PyObject *module)
{
	bs_py_types.cancel = bs_py_add_type(module, &cancel_spec);
	return bs_py_types.cancel != NULL;
}
