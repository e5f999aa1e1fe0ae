/* py_messages.h: what the library reports, in the words of this package: exceptions and notices. */
#pragma once

#include <bitsift/status.h>

#include "py_convert.h"

/* Makes an exception for each status, and adds them to the module; false with an exception. */
bool bs_py_add_errors(PyObject *module);

/* Raises what a status stands for, unless a callback has raised something itself, which goes first.
 * query: the one that was asked, or NULL; error_byte: SIZE_MAX, or where in it: `position`, in
 * characters, and `caret`. NULL. */
PyObject *bs_py_raise(enum bs_status status, const struct bs_error *err);
PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query,
                         size_t query_bytes, size_t error_byte);

/* A message of the library as a string, which names this package's options, not those of the
 * command. */
PyObject *bs_py_message(const char *text);

/* Lines, NUL-ended each: a callback of the library, of which context is bytes, or begins with them;
 * and a list of them. */
void bs_py_hear_line(void *context, const char *line);
PyObject *bs_py_lines(const struct bs_py_bytes *lines);
