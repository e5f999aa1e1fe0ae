/* py_query.h: Query: a query without an index (bitsift/query.h). */
#pragma once

#include "../base/py_types.h"

/* Adds Query, Match and Place to the module; false with an exception set. */
bool bs_py_add_query(PyObject *module);
