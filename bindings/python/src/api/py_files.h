/* py_files.h: functions on indexes of files: build, compact, check, delete, locate. */
#pragma once

#include "../base/py_convert.h"

struct bs_build_report;

/* Returns the report of a build or commit as a BuildReport. `notices`: lines (py_messages.h); NULL:
 * none. */
PyObject *bs_py_report(const struct bs_build_report *report, const struct bs_py_bytes *notices);

/* Adds the functions to the module; false with an exception set. */
bool bs_py_add_files(PyObject *module);
