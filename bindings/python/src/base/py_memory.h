/* py_memory.h: Memory: the files of an index that is no directory. */
#pragma once

#include "py_types.h"

struct bs_memory_index;

/* Of a Memory, borrowed. */
struct bs_memory_index *bs_py_memory(PyObject *object);

/* Adds Memory to the module; false with an exception. */
bool bs_py_add_memory(PyObject *module);
