/* py_writer.h: the class Writer, which adds documents to an index. */
#pragma once

#include "../base/py_types.h"

/* Adds Writer to the module; false with an exception set. */
bool bs_py_add_writer(PyObject *module);
