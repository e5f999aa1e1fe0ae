/* py_memory.h: Memory: the files of an in-memory index. */
#pragma once

#include "py_types.h"

struct bs_memory_index;

/* The memory index of a Memory object, borrowed. */
struct bs_memory_index *bs_py_memory(PyObject *object);

/* Adds Memory to the module; false with an exception set. */
bool bs_py_add_memory(PyObject *module);
