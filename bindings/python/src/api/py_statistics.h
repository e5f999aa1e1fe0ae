/* py_statistics.h: the class Statistics. With the sum of their statistics, several indexes rank as
 * one (bitsift/statistics.h). */
#pragma once

#include "../base/py_types.h"

struct bs_statistics;

/* The statistics of a Statistics object, borrowed. */
const struct bs_statistics *bs_py_statistics(PyObject *object);
/* Returns a Statistics object. Takes ownership of the statistics, even on failure. */
PyObject *bs_py_statistics_object(struct bs_statistics *statistics);

/* Adds Statistics to the module; false with an exception set. */
bool bs_py_add_statistics(PyObject *module);
