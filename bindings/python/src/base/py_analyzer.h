/* py_analyzer.h: Analyzer: a function of Python that cuts texts into words. */
#pragma once

#include "py_types.h"

struct bs_analyzer;

/* Of an Analyzer, borrowed. */
const struct bs_analyzer *bs_py_analyzer(PyObject *object);
/* An exception that its function raised on another thread becomes this one's. */
void bs_py_analyzer_failed(PyObject *object);

/* Adds Analyzer to the module; false with an exception. */
bool bs_py_add_analyzer(PyObject *module);
