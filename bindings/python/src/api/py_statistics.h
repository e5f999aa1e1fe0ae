/* py_statistics.h: Statistics, by which several indexes rank as one (bitsift/query.h). */
#pragma once

#include "../base/py_types.h"

struct bs_statistics;

/* Of a Statistics, borrowed. */
const struct bs_statistics *bs_py_statistics(PyObject *object);
/* Takes the statistics, also on failure. */
PyObject *bs_py_statistics_object(struct bs_statistics *statistics);

/* Adds Statistics to the module; false with an exception. */
bool bs_py_add_statistics(PyObject *module);
