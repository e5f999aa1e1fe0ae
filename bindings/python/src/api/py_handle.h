/* py_handle.h: the class Handle, an opened index. */
#pragma once

#include "../base/py_context.h"

struct bs_index;

/* Returns `object` if it is a Handle, or else its attribute `_handle`, which must be a Handle; as a
 * new reference. NULL with an exception set. */
PyObject *bs_py_handle_of(PyObject *object);
/* The index and the context of a Handle, borrowed. */
struct bs_index *bs_py_handle(PyObject *object);
struct bs_py_context *bs_py_handle_context(PyObject *object);

/* Adds Handle to the module; false with an exception set. */
bool bs_py_add_handle(PyObject *module);
