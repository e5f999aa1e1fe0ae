/* py_query.h: the class Query: a query that is matched against texts without an index
 * (bitsift/query.h). */
#pragma once

#include "../base/py_types.h"

/* Adds Query, Match and Place to the module; false with an exception set. */
bool bs_py_add_query(PyObject *module);
