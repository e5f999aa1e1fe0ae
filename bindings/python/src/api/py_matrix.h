/* py_matrix.h: the functions of bitsift/matrix.h: numbers as tuples, words as buffers. */
#pragma once

#include "../base/py_types.h"

/* Adds View and the functions to the module; false with an exception set. */
bool bs_py_add_matrix(PyObject *module);
