/* py_matrix.h: bitsift/matrix.h for Python: numbers as tuples, words as buffers. */
#pragma once

#include "../base/py_types.h"

/* Adds View and the functions to the module; false with an exception. */
bool bs_py_add_matrix(PyObject *module);
