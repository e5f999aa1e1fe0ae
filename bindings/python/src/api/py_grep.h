/* py_grep.h: Grep, an iterator over lines, which it returns while the search goes on. */
#pragma once

#include "../base/py_types.h"

/* Adds Grep to the module; false with an exception set. */
bool bs_py_add_grep(PyObject *module);
