/* py_query.h: Query: a query apart from an index (bitsift/query.h). */
#pragma once

#include "../base/py_types.h"

/* Adds Query, Match and Place to the module; false with an exception. */
bool bs_py_add_query(PyObject *module);
