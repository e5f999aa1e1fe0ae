/* py_matrix.h: the functions of bitsift/matrix.h for Python. They return numbers as tuples, and
 * 64-bit words as buffers (the class View). */
#pragma once

#include "../base/py_types.h"

/* Adds View and the functions to the module; false with an exception set. */
bool bs_py_add_matrix(PyObject *module);
