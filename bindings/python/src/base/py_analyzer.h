/* py_analyzer.h: the class Analyzer: a Python function that splits texts into words. */
#pragma once

#include "py_types.h"

struct bs_analyzer;

/* The analyzer of an Analyzer object, borrowed. */
const struct bs_analyzer *bs_py_analyzer(PyObject *object);
/* Raises on this thread an exception that the function of the Analyzer raised on a thread of the
 * library; does nothing if there is none. */
void bs_py_analyzer_failed(PyObject *object);

/* Adds Analyzer to the module; false with an exception set. */
bool bs_py_add_analyzer(PyObject *module);
