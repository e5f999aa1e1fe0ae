/* py_options.c: see py_options.h. */
#include "py_options.h"

#include <math.h>
#include <string.h>

static bool read_number(PyObject *value, const char *name, unsigned long long most,
                        unsigned long long *number_out)
{
	PyObject *index = PyNumber_Index(value), *zero = index ? PyLong_FromLong(0) : NULL;
	int is_negative = zero ? PyObject_RichCompareBool(index, zero, Py_LT) : -1;
	if (is_negative == 0)
		*number_out = PyLong_AsUnsignedLongLong(index);
	if (is_negative > 0)
		PyErr_Format(PyExc_ValueError, "%s: a negative number", name);
	else if (is_negative == 0 && !PyErr_Occurred() && *number_out > most)
		PyErr_Format(PyExc_OverflowError, "%s: too large a number", name);
	Py_XDECREF(index);
	Py_XDECREF(zero);
	return !PyErr_Occurred();
}

#define LONGEST_SECONDS 1e10 /* 317 years, which fit into 64 bits of nanoseconds */

static bool read_seconds(PyObject *value, const char *name, uint64_t *ns_out)
{
	double seconds = PyFloat_AsDouble(value);
	if (PyErr_Occurred())
		return false;
	if (isnan(seconds)) {
		PyErr_Format(PyExc_ValueError, "%s: not a number", name);
		return false;
	}
	*ns_out = seconds <= 0 ? 1 : seconds >= LONGEST_SECONDS ? 0 : (uint64_t)(seconds * 1e9) + 1;
	return true;
}

/* Converts {"title": 3} to ["title=3"]. */
static PyObject *weight_strings(PyObject *weights)
{
	PyObject *items = PyMapping_Items(weights), *list = items ? PyList_New(0) : NULL;
	for (Py_ssize_t i = 0; list && i < PyList_Size(items); i++) {
		PyObject *item = PyList_GetItem(items, i);
		PyObject *string = NULL;
		if (PyTuple_Check(item) && PyTuple_Size(item) == 2)
			string = PyUnicode_FromFormat("%S=%S", PyTuple_GetItem(item, 0),
			                              PyTuple_GetItem(item, 1));
		else
			PyErr_SetString(PyExc_TypeError, "the items of a mapping are pairs");
		if (!string || PyList_Append(list, string) < 0)
			Py_CLEAR(list);
		Py_XDECREF(string);
	}
	Py_XDECREF(items);
	return list;
}

static bool read_strings(struct bs_py_keep *keep, PyObject *value,
                         const struct bs_py_option *option, char *into)
{
	bool ok = true;
	size_t n = 0;
	if (option->kind == BS_PY_WEIGHTS && PyDict_Check(value)) {
		value = weight_strings(value);
		if (!bs_py_keep_object(keep, value))
			return false;
	}
	const char *const *strings = bs_py_strings(keep, value, &n, &ok);
	memcpy(into + option->at, &strings, sizeof(strings));
	if (option->beside)
		memcpy(into + option->beside, &n, sizeof(n));
	return ok;
}

static bool read_pair(struct bs_py_keep *keep, PyObject *value, const struct bs_py_option *option,
                      char *into)
{
	bool ok = PyTuple_Check(value) && PyTuple_Size(value) == 2 &&
	          PyUnicode_Check(PyTuple_GetItem(value, 0)) &&
	          PyUnicode_Check(PyTuple_GetItem(value, 1));
	if (!ok) {
		PyErr_Format(PyExc_TypeError, "%s: a pair of strings", option->name);
		return false;
	}
	const char *first = bs_py_chars(keep, PyTuple_GetItem(value, 0), &ok),
		   *second = bs_py_chars(keep, PyTuple_GetItem(value, 1), &ok);
	memcpy(into + option->at, &first, sizeof(first));
	memcpy(into + option->beside, &second, sizeof(second));
	return ok;
}

static bool read_object(struct bs_py_keep *keep, PyObject *value, const struct bs_py_option *option,
                        char *into)
{
	if (option->kind == BS_PY_FUNCTION
	            ? !PyCallable_Check(value)
	            : option->type && !PyObject_TypeCheck(value, *option->type)) {
		PyErr_Format(PyExc_TypeError,
		             option->kind == BS_PY_FUNCTION ? "%s: not a function"
		                                            : "%s: of the wrong type",
		             option->name);
		return false;
	}
	memcpy(into + option->at, &value, sizeof(value));
	return bs_py_keep_object(keep, Py_NewRef(value));
}

static bool read_choice(struct bs_py_keep *keep, PyObject *value, const struct bs_py_option *option,
                        char *into)
{
	bool ok = true;
	const char *name = bs_py_chars(keep, value, &ok);
	for (unsigned i = 0; ok && option->names[i]; i++)
		if (strcmp(option->names[i], name) == 0) {
			memcpy(into + option->at, &i, sizeof(i));
			return true;
		}
	if (ok)
		PyErr_Format(PyExc_ValueError, "%s: there is no such choice as %R", option->name,
		             value);
	return false;
}

static bool read_plain(struct bs_py_keep *keep, PyObject *value, const struct bs_py_option *option,
                       char *into)
{
	unsigned long long number = 0;
	bool ok = true;
	if (option->kind == BS_PY_U32 || option->kind == BS_PY_U64) {
		ok = read_number(value, option->name,
		                 option->kind == BS_PY_U32 ? UINT32_MAX : UINT64_MAX, &number);
		uint32_t small = (uint32_t)number;
		uint64_t large = number;
		memcpy(into + option->at, option->kind == BS_PY_U32 ? (void *)&small : &large,
		       option->kind == BS_PY_U32 ? sizeof(small) : sizeof(large));
	} else if (option->kind == BS_PY_SECONDS) {
		uint64_t ns = 0;
		ok = read_seconds(value, option->name, &ns);
		memcpy(into + option->at, &ns, sizeof(ns));
	} else if (option->kind == BS_PY_DOUBLE) {
		double real = PyFloat_AsDouble(value);
		ok = !PyErr_Occurred();
		memcpy(into + option->at, &real, sizeof(real));
	} else if (option->kind == BS_PY_CHARS) {
		const char *chars = bs_py_chars(keep, value, &ok);
		memcpy(into + option->at, &chars, sizeof(chars));
	} else {
		size_t n_bytes = 0;
		const char *bytes = bs_py_bytes_of(keep, value, &n_bytes);
		ok = bytes != NULL;
		memcpy(into + option->at, &bytes, sizeof(bytes));
		memcpy(into + option->beside, &n_bytes, sizeof(n_bytes));
	}
	return ok;
}

static bool read_option(struct bs_py_keep *keep, PyObject *value, const struct bs_py_option *option,
                        char *into)
{
	switch (option->kind) {
	case BS_PY_BOOL:
	case BS_PY_NOT: {
		int is_true = PyObject_IsTrue(value);
		bool flag = (is_true > 0) == (option->kind == BS_PY_BOOL);
		memcpy(into + option->at, &flag, sizeof(flag));
		return is_true >= 0;
	}
	case BS_PY_STRINGS:
	case BS_PY_WEIGHTS:
		return read_strings(keep, value, option, into);
	case BS_PY_PAIR:
		return read_pair(keep, value, option, into);
	case BS_PY_OBJECT:
	case BS_PY_FUNCTION:
		return read_object(keep, value, option, into);
	case BS_PY_CHOICE:
		return read_choice(keep, value, option, into);
	default:
		return read_plain(keep, value, option, into);
	}
}

bool bs_py_read_options(struct bs_py_keep *keep, PyObject *keywords,
                        const struct bs_py_option *options, void *into)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	while (keywords && PyDict_Next(keywords, &at, &key, &value)) {
		Py_ssize_t n_bytes;
		const char *name = PyUnicode_AsUTF8AndSize(key, &n_bytes);
		const struct bs_py_option *option = options;
		while (name && option->name && strcmp(option->name, name) != 0)
			option++;
		if (name && !option->name)
			PyErr_Format(PyExc_TypeError, "there is no option %R", key);
		if (!name || !option->name ||
		    (value != Py_None && !read_option(keep, value, option, into)))
			return false;
	}
	return true;
}
