/* py_convert.h: conversions between Python objects and the library's strings and numbers. */
#pragma once

#include "py_types.h"

/* A growing buffer. Zero-initialise. Can be used without the GIL. */
struct bs_py_bytes {
	char *data;
	size_t n_bytes, room; /* the used and the allocated size */
};
bool bs_py_append(struct bs_py_bytes *bytes, const void *from, size_t n_bytes);
void bs_py_bytes_free(struct bs_py_bytes *bytes);

/* Decodes ids and paths, which may be any bytes, like os.fsdecode does. */
PyObject *bs_py_string(const char *bytes, size_t n_bytes);
/* Decodes text; invalid UTF-8 becomes U+FFFD. */
PyObject *bs_py_text(const char *bytes, size_t n_bytes);

/*
 * Owns the objects and blocks that arguments are borrowed from during a call. Zero-initialise;
 * release with bs_py_keep_free.
 *
 * bs_py_keep_object takes ownership of the reference; false if it is NULL or memory runs out.
 * bs_py_bytes_of returns the bytes of a str, bytes or path, NUL-terminated; NULL with an exception
 * set. bs_py_chars is like bs_py_bytes_of, but refuses embedded NULs; returns NULL for None, and
 * sets *ok to false after an exception. bs_py_strings returns a NULL-terminated list of the strings
 * of an iterable, or of a single string or path; it treats None and *ok like bs_py_chars.
 * bs_py_block returns n_bytes of zeroed memory; NULL with an exception set.
 */
struct bs_py_keep {
	PyObject **objects;
	void **blocks;
	size_t n_objects, n_blocks;
};
bool bs_py_keep_object(struct bs_py_keep *keep, PyObject *object);
const char *bs_py_bytes_of(struct bs_py_keep *keep, PyObject *object, size_t *n_bytes_out);
const char *bs_py_chars(struct bs_py_keep *keep, PyObject *object, bool *ok);
const char *const *bs_py_strings(struct bs_py_keep *keep, PyObject *object, size_t *n_out,
                                 bool *ok);
void *bs_py_block(struct bs_py_keep *keep, size_t n_bytes);
int bs_py_keep_traverse(struct bs_py_keep *keep, visitproc visit, void *arg);
void bs_py_keep_free(struct bs_py_keep *keep);

struct bs_py_number {
	const char *name;
	uint64_t value;
};
/* Adds numbers by name to a dict and returns the dict. On failure, or if the dict is NULL, returns
 * NULL; the dict is then released. */
PyObject *bs_py_put_numbers(PyObject *dict, const struct bs_py_number *numbers, size_t n);
#define BS_PY_PUT_NUMBERS(dict, numbers) \
	bs_py_put_numbers(dict, numbers, sizeof(numbers) / sizeof(*(numbers)))
/* Returns an object of a class in bitsift/_results.py, whose fields are the items of the dict.
 * Takes ownership of the dict; NULL returns NULL. */
PyObject *bs_py_result(const char *class_name, PyObject *dict);
