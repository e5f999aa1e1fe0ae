/* py_lines.h: the class Line. Lines found by grep are recorded without the GIL and converted to
 * objects afterwards. */
#pragma once

#include "../base/py_convert.h"

struct bs_grep_line;

/* Append a line, or the name of a file, to the record. False if memory runs out. */
bool bs_py_put_line(struct bs_py_bytes *found, const struct bs_grep_line *line);
bool bs_py_put_name(struct bs_py_bytes *found, const char *name, size_t n_bytes);
/* Creates a Line from the record at *at and advances *at past this record. */
PyObject *bs_py_make_line(const char **at);

/* Adds Line to the module; false with an exception set. */
bool bs_py_add_lines(PyObject *module);
