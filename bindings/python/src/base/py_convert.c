/* py_convert.c: see py_convert.h. */
#include "py_convert.h"

#include <stdlib.h>
#include <string.h>

bool bs_py_append(struct bs_py_bytes *bytes, const void *from, size_t n_bytes)
{
	if (bytes->room - bytes->n_bytes < n_bytes) {
		size_t room = (bytes->n_bytes + n_bytes) * 2;
		char *data = realloc(bytes->data, room);
		if (!data)
			return false;
		bytes->data = data;
		bytes->room = room;
	}
	if (n_bytes > 0)
		memcpy(bytes->data + bytes->n_bytes, from, n_bytes);
	bytes->n_bytes += n_bytes;
	return true;
}

void bs_py_bytes_free(struct bs_py_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bs_py_bytes){NULL, 0, 0};
}

PyObject *bs_py_string(const char *bytes, size_t n_bytes)
{
	return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n_bytes, "surrogateescape");
}

PyObject *bs_py_text(const char *bytes, size_t n_bytes)
{
	return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n_bytes, "replace");
}

bool bs_py_keep_object(struct bs_py_keep *keep, PyObject *object)
{
	if (!object)
		return false;
	if ((keep->n_objects & (keep->n_objects - 1)) == 0) {
		size_t room = keep->n_objects ? keep->n_objects * 2 : 1;
		PyObject **objects = realloc(keep->objects, room * sizeof(*objects));
		if (!objects) {
			Py_DECREF(object);
			PyErr_NoMemory();
			return false;
		}
		keep->objects = objects;
	}
	keep->objects[keep->n_objects++] = object;
	return true;
}

void *bs_py_block(struct bs_py_keep *keep, size_t n_bytes)
{
	void **blocks = realloc(keep->blocks, (keep->n_blocks + 1) * sizeof(*blocks));
	void *block = blocks ? calloc(1, n_bytes ? n_bytes : 1) : NULL;
	if (blocks)
		keep->blocks = blocks;
	if (block)
		keep->blocks[keep->n_blocks++] = block;
	else
		PyErr_NoMemory();
	return block;
}

int bs_py_keep_traverse(struct bs_py_keep *keep, visitproc visit, void *arg)
{
	for (size_t i = 0; i < keep->n_objects; i++)
		Py_VISIT(keep->objects[i]);
	return 0;
}

void bs_py_keep_free(struct bs_py_keep *keep)
{
	for (size_t i = 0; i < keep->n_objects; i++)
		Py_DECREF(keep->objects[i]);
	for (size_t i = 0; i < keep->n_blocks; i++)
		free(keep->blocks[i]);
	free(keep->objects);
	free(keep->blocks);
	*keep = (struct bs_py_keep){.objects = NULL};
}

/* Returns a bytes object for a str that has lone surrogates, for bytes, or for a path. */
static PyObject *encode(PyObject *object)
{
	if (PyBytes_Check(object)) {
		Py_INCREF(object);
		return object;
	}
	if (PyUnicode_Check(object))
		return PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
	PyObject *bytes = NULL;
	return PyUnicode_FSConverter(object, &bytes) ? bytes : NULL;
}

const char *bs_py_bytes_of(struct bs_py_keep *keep, PyObject *object, size_t *n_bytes_out)
{
	Py_ssize_t n_bytes = 0;
	if (PyUnicode_Check(object)) {
		const char *text = PyUnicode_AsUTF8AndSize(object, &n_bytes);
		*n_bytes_out = (size_t)n_bytes;
		if (text) {
			Py_INCREF(object);
			return bs_py_keep_object(keep, object) ? text : NULL;
		}
		PyErr_Clear();
	}
	PyObject *bytes = encode(object);
	char *data = NULL;
	if (!bytes || !bs_py_keep_object(keep, bytes) ||
	    PyBytes_AsStringAndSize(bytes, &data, &n_bytes) < 0)
		return NULL;
	*n_bytes_out = (size_t)n_bytes;
	return data;
}

const char *bs_py_chars(struct bs_py_keep *keep, PyObject *object, bool *ok)
{
	size_t n_bytes;
	if (!object || object == Py_None || !*ok)
		return NULL;
	const char *chars = bs_py_bytes_of(keep, object, &n_bytes);
	if (chars && strlen(chars) != n_bytes) {
		PyErr_SetString(PyExc_ValueError, "embedded null character");
		chars = NULL;
	}
	*ok = *ok && chars;
	return chars;
}

const char *const *bs_py_strings(struct bs_py_keep *keep, PyObject *object, size_t *n_out, bool *ok)
{
	*n_out = 0;
	if (!object || object == Py_None || !*ok)
		return NULL;
	bool is_one = PyUnicode_Check(object) || PyBytes_Check(object) ||
	              PyObject_HasAttrString((PyObject *)Py_TYPE(object), "__fspath__");
	PyObject *list = is_one ? Py_BuildValue("[O]", object) : PySequence_List(object);
	Py_ssize_t n = list ? PyList_Size(list) : 0;
	const char **strings = bs_py_keep_object(keep, list)
	                               ? bs_py_block(keep, ((size_t)n + 1) * sizeof(*strings))
	                               : NULL;
	*ok = strings != NULL;
	for (Py_ssize_t i = 0; i < n && *ok; i++) {
		strings[i] = bs_py_chars(keep, PyList_GetItem(list, i), ok);
		if (*ok && !strings[i]) {
			PyErr_SetString(PyExc_TypeError, "a list of strings has None in it");
			*ok = false;
		}
	}
	*n_out = (size_t)n;
	return strings;
}

PyObject *bs_py_put_numbers(PyObject *dict, const struct bs_py_number *numbers, size_t n)
{
	for (size_t i = 0; dict && i < n; i++) {
		PyObject *value = PyLong_FromUnsignedLongLong(numbers[i].value);
		if (!value || PyDict_SetItemString(dict, numbers[i].name, value) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	return dict;
}

PyObject *bs_py_result(const char *class_name, PyObject *dict)
{
	PyObject *module = dict ? PyImport_ImportModule("bitsift._results") : NULL;
	PyObject *of_class = module ? PyObject_GetAttrString(module, class_name) : NULL;
	PyObject *nothing = of_class ? PyTuple_New(0) : NULL;
	PyObject *result = nothing ? PyObject_Call(of_class, nothing, dict) : NULL;
	Py_XDECREF(nothing);
	Py_XDECREF(of_class);
	Py_XDECREF(module);
	Py_XDECREF(dict);
	return result;
}
