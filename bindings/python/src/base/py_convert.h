/* py_convert.h: between Python's objects and the library's strings and numbers. */
#pragma once

#include "py_types.h"

/* Bytes that grow. Zero-initialise; no GIL is needed. */
struct bs_py_bytes {
	char *data;
	size_t n_bytes, room;
};
bool bs_py_append(struct bs_py_bytes *bytes, const void *from, size_t n_bytes);
void bs_py_bytes_free(struct bs_py_bytes *bytes);

/* Ids and paths may be any bytes, which Python spells as os.fsdecode does. */
PyObject *bs_py_string(const char *bytes, size_t n_bytes);
/* For what is text: what is no UTF-8 becomes U+FFFD. */
PyObject *bs_py_text(const char *bytes, size_t n_bytes);

/*
 * What arguments are borrowed from until a call is done. Zero-initialise; release with
 * bs_py_keep_free. bs_py_keep_object takes the reference, NULL too (then it is false).
 * bs_py_bytes_of: the bytes of a str, bytes or path, which are also NUL-ended; NULL with an
 * exception. bs_py_chars: the same for what may have no NUL inside; None gives NULL, and *ok false
 * is an exception. bs_py_strings: a NULL-ended list of those of an iterable, or of one string or
 * path; likewise.
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

/* Numbers, by their names, into a dict, which may be NULL: taken on failure. */
struct bs_py_number {
	const char *name;
	uint64_t value;
};
PyObject *bs_py_put_numbers(PyObject *dict, const struct bs_py_number *numbers, size_t n);
#define BS_PY_PUT_NUMBERS(dict, numbers) \
	bs_py_put_numbers(dict, numbers, sizeof(numbers) / sizeof(*(numbers)))
/* An object of a class in bitsift/_results.py, whose fields are the items of the dict. Takes the
 * dict; NULL gives NULL. */
PyObject *bs_py_result(const char *class_name, PyObject *dict);
