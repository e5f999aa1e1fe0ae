/* py_handle.h: an opened index (Handle). */
#pragma once

#include "../base/py_context.h"

struct bs_index;

/* A struct bs_index, for bs_py_types.handle, or for what has such a thing as `_handle`: NULL with
 * an exception. */
PyObject *bs_py_handle_of(PyObject *object);
struct bs_index *bs_py_handle(PyObject *object);
struct bs_py_context *bs_py_handle_context(PyObject *object);

/* Adds Handle to the module; false with an exception. */
bool bs_py_add_handle(PyObject *module);
