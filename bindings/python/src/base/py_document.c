/* py_document.c: see py_document.h. */
#include "py_document.h"

#include <string.h>

static bool add_value(struct bs_py_keep *keep, const char *field, size_t field_bytes,
                      PyObject *value, struct bs_py_text_list *texts);

/* The name of a nested value, such as "author.name". */
static const char *join(struct bs_py_keep *keep, const char *field, size_t field_bytes,
                        const char *name, size_t *name_bytes_io)
{
	if (field_bytes == 0)
		return name;
	char *joined = bs_py_block(keep, field_bytes + 1 + *name_bytes_io);
	if (!joined)
		return NULL;
	memcpy(joined, field, field_bytes);
	joined[field_bytes] = '.';
	memcpy(joined + field_bytes + 1, name, *name_bytes_io);
	*name_bytes_io += field_bytes + 1;
	return joined;
}

static bool add_mapping(struct bs_py_keep *keep, const char *field, size_t field_bytes,
                        PyObject *mapping, struct bs_py_text_list *texts)
{
	PyObject *items = PyMapping_Items(mapping);
	if (!bs_py_keep_object(keep, items))
		return false;
	for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
		PyObject *item = PyList_GetItem(items, i);
		size_t name_bytes;
		if (!PyTuple_Check(item) || PyTuple_Size(item) != 2) {
			PyErr_SetString(PyExc_TypeError, "the items of a mapping are pairs");
			return false;
		}
		const char *name = bs_py_bytes_of(keep, PyTuple_GetItem(item, 0), &name_bytes);
		name = name ? join(keep, field, field_bytes, name, &name_bytes) : NULL;
		if (!name || !add_value(keep, name, name_bytes, PyTuple_GetItem(item, 1), texts))
			return false;
	}
	return true;
}

static bool add_list(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *list,
                     struct bs_py_text_list *texts)
{
	Py_ssize_t n = PySequence_Size(list);
	bool ok = n >= 0;
	for (Py_ssize_t i = 0; i < n && ok; i++) {
		PyObject *value = PySequence_GetItem(list, i);
		ok = bs_py_keep_object(keep, value) &&
		     add_value(keep, field, field_bytes, value, texts);
	}
	return ok;
}

static bool add_value(struct bs_py_keep *keep, const char *field, size_t field_bytes,
                      PyObject *value, struct bs_py_text_list *texts)
{
	struct bs_text text = {.field = field, .field_bytes = field_bytes};
	if (value == Py_None || PyBool_Check(value))
		return true;
	if (PyLong_Check(value) || PyFloat_Check(value)) {
		value = PyObject_Str(value);
		if (!bs_py_keep_object(keep, value))
			return false;
	}
	if (PyDict_Check(value) || PyList_Check(value) || PyTuple_Check(value)) {
		/* A container that contains itself would recurse endlessly. */
		if (Py_EnterRecursiveCall(" in the values of a document"))
			return false;
		bool ok = (PyDict_Check(value) ? add_mapping : add_list)(keep, field, field_bytes,
		                                                         value, texts);
		Py_LeaveRecursiveCall();
		return ok;
	}
	if (!PyUnicode_Check(value) && !PyBytes_Check(value)) {
		PyErr_Format(PyExc_TypeError,
		             "a text is a str, bytes, a number, a list or a dict, not %R",
		             (PyObject *)Py_TYPE(value));
		return false;
	}
	text.text = bs_py_bytes_of(keep, value, &text.text_bytes);
	if (text.text && !bs_py_append(&texts->bytes, &text, sizeof(text)))
		PyErr_NoMemory();
	return !PyErr_Occurred();
}

bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_text_list *texts)
{
	if (PyUnicode_Check(document) || PyBytes_Check(document) || PyDict_Check(document))
		return add_value(keep, "", 0, document, texts);
	if (!PyMapping_Check(document) || PyList_Check(document) || PyTuple_Check(document)) {
		PyErr_Format(PyExc_TypeError,
		             "a document is a str or a mapping of field names to texts, not %R",
		             (PyObject *)Py_TYPE(document));
		return false;
	}
	return add_mapping(keep, "", 0, document, texts);
}

PyObject *bs_py_texts(const struct bs_text *texts, size_t n)
{
	PyObject *dict = PyDict_New();
	for (size_t i = 0; dict && i < n; i++) {
		PyObject *field = bs_py_string(texts[i].field, texts[i].field_bytes);
		PyObject *text = bs_py_string(texts[i].text, texts[i].text_bytes);
		PyObject *there = field && text ? PyDict_GetItemWithError(dict, field) : NULL;
		int failed = !field || !text || PyErr_Occurred();
		if (!failed && !there) {
			failed = PyDict_SetItem(dict, field, text);
		} else if (!failed && PyList_Check(there)) {
			failed = PyList_Append(there, text);
		} else if (!failed) {
			PyObject *list = Py_BuildValue("[OO]", there, text);
			failed = !list || PyDict_SetItem(dict, field, list);
			Py_XDECREF(list);
		}
		Py_XDECREF(field);
		Py_XDECREF(text);
		if (failed)
			Py_CLEAR(dict);
	}
	return dict;
}
