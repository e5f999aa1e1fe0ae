/* py_grep.h: Grep, an iterator of lines that are found while it is read. */
#pragma once

#include "../base/py_types.h"

/* Adds Grep to the module; false with an exception. */
bool bs_py_add_grep(PyObject *module);
