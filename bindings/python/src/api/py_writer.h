/* py_writer.h: Writer: documents from Python into an index. */
#pragma once

#include "../base/py_types.h"

/* Adds Writer to the module; false with an exception. */
bool bs_py_add_writer(PyObject *module);
