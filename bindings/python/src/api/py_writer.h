/* py_writer.h: Writer: documents from Python into an index. */
#ifndef BS_PY_WRITER_H
#define BS_PY_WRITER_H

#include "../base/py_types.h"

/* Adds Writer to the module; false with an exception. */
bool bs_py_add_writer(PyObject *module);

#endif
