/* py_files.h: indexes of files: built, compacted, checked, deleted from, located. */
#pragma once

#include "../base/py_convert.h"

struct bs_build_report;

/* What a build, or a commit, did: a dict. notices: lines of messages (py_messages.h). */
PyObject *bs_py_report(const struct bs_build_report *report, const struct bs_py_bytes *notices);

/* Adds the functions to the module; false with an exception. */
bool bs_py_add_files(PyObject *module);
