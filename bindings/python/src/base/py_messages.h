/* py_messages.h: exceptions and notices, with the library's messages reworded for this package. */
#pragma once

#include <bitsift/status.h>

#include "py_convert.h"

/* Creates an exception class for each status and adds them to the module; false with an exception
 * set. */
bool bs_py_add_errors(PyObject *module);

/* Raise the exception of a status, unless a callback has already set one, and return NULL. query:
 * the query, or NULL. error_byte: the position of the error in the query, or SIZE_MAX. With both,
 * the attributes `position`, in characters, and `caret` of the exception are set. */
PyObject *bs_py_raise(enum bs_status status, const struct bs_error *err);
PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query,
                         size_t query_bytes, size_t error_byte);

/* Returns a message of the library as a str. Options of the program `bitsift` in it are replaced by
 * those of this package. */
PyObject *bs_py_message(const char *text);

/* bs_py_record_line is a callback of the library that appends a NUL-terminated line; its context
 * is, or begins with, a struct bs_py_bytes. bs_py_lines returns the lines as a list. */
void bs_py_record_line(void *context, const char *line);
PyObject *bs_py_lines(const struct bs_py_bytes *lines);
