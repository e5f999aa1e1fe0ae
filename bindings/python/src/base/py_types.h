/*
 * py_types.h: Python's headers and the library's, and the types and errors of the module
 * bitsift._bitsift. What people use of the module bitsift/__init__.py says; docstrings of what has
 * classes or functions there stand there.
 *
 * Whatever calls the library and may take long does so without the GIL (BS_PY_WITHOUT_GIL).
 * Callbacks of the library run without it, too: they collect what they hear (struct bs_py_bytes),
 * and objects are made afterwards, once for all. Those that ask a function of Python are in
 * py_context.c, py_limits.c, py_analyzer.c and py_files.c (py_callbacks.h).
 */
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <structmember.h>

#include <bitsift/status.h>

/* Of the process: the module is refused to any interpreter but the main one. */
struct bs_py_types {
	PyObject *errors[BS_DEADLINE + 1]; /* by enum bs_status; [BS_OK]: for any other status */
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
/* The end of each dealloc. */
void bs_py_free(PyObject *self);

/* clang-format off */
#define BS_PY_METHOD(name, function, flags) BS_PY_DOCUMENTED(name, function, flags, NULL)
#define BS_PY_DOCUMENTED(name, function, flags, doc) \
	{name, (PyCFunction)(void (*)(void))(function), flags, doc}
/* clang-format on */
