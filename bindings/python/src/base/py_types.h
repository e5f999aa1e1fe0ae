/*
 * py_types.h: headers of Python and the library, and the types and errors of the module
 * bitsift._bitsift. bitsift/__init__.py lists the public names; the docstrings of classes and
 * functions that are implemented in C are next to them.
 *
 * Calls of the library that may take long run without the GIL (BS_PY_WITHOUT_GIL). So do the
 * library's callbacks: they record data in struct bs_py_bytes, from which Python objects are
 * created when the call has returned. Callbacks that call a Python function acquire the GIL; they
 * are in py_context.c, py_limits.c, py_analyzer.c and py_files.c (see py_callbacks.h).
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <structmember.h>

#include <bitsift/status.h>

/* Because these are global, the module refuses to be imported by a subinterpreter. */
struct bs_py_types {
	/* Exception classes, indexed by enum bs_status; [BS_OK]: the base class, also used for
	 * unknown statuses. */
	PyObject *errors[BS_DEADLINE + 1];
	PyTypeObject *analyzer, *cancel, *searcher, *grep, *handle, *hit, *line, *match, *memory,
		*passage, *place, *query, *statistics, *view, *writer;
};
extern struct bs_py_types bs_py_types;

#define BS_PY_WITHOUT_GIL(...)                               \
	do {                                                 \
		PyThreadState *saved_ = PyEval_SaveThread(); \
		__VA_ARGS__;                                 \
		PyEval_RestoreThread(saved_);                \
	} while (0)

PyTypeObject *bs_py_add_type(PyObject *module, PyType_Spec *spec);
PyTypeObject *bs_py_add_sequence(PyObject *module, const char *name, PyStructSequence_Desc *desc);
/* Frees an object; the last step of each dealloc. */
void bs_py_free(PyObject *self);

/* clang-format off */
#define BS_PY_METHOD(name, function, flags) BS_PY_DOCUMENTED(name, function, flags, NULL)
#define BS_PY_DOCUMENTED(name, function, flags, doc) \
	{name, (PyCFunction)(void (*)(void))(function), flags, doc}
/* clang-format on */
