/* py_handle.h: Handle, an opened index. */
#pragma once

#include "../base/py_context.h"

struct bs_index;

/* bs_py_handle_of returns `object` if it is a Handle, or else its attribute `_handle`, which must
 * be one; NULL with an exception set. The other functions take a Handle. */
PyObject *bs_py_handle_of(PyObject *object);
struct bs_index *bs_py_handle(PyObject *object);
struct bs_py_context *bs_py_handle_context(PyObject *object);

/* Adds Handle to the module; false with an exception set. */
bool bs_py_add_handle(PyObject *module);
