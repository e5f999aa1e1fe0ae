/* py_grep.h: the class Grep, an iterator over the lines that a search finds. It returns lines while
 * the search is still running. */
#pragma once

#include "../base/py_types.h"

/* Adds Grep to the module; false with an exception set. */
bool bs_py_add_grep(PyObject *module);
