/* py_lines.h: Line: what grep finds, heard without the GIL and made into objects afterwards. */
#pragma once

#include "../base/py_convert.h"

struct bs_grep_line;

/* Appends a line, or the name of a file, to what was heard. False: there is no memory. */
bool bs_py_put_line(struct bs_py_bytes *found, const struct bs_grep_line *line);
bool bs_py_put_name(struct bs_py_bytes *found, const char *name, size_t n_bytes);
/* The one at *at, which moves behind it. */
PyObject *bs_py_make_line(const char **at);

/* Adds Line to the module; false with an exception. */
bool bs_py_add_lines(PyObject *module);
