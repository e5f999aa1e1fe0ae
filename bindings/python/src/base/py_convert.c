/* py_convert.c: between Python's objects and the library's strings, documents and errors. See py_bitsift.h. */
#include "py_bitsift.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char *const own_words[] = {
	"larger than --max-document", "larger than max_document_bytes",
	"over --max-document", "over max_document_bytes",
	"larger than --memory", "larger than memory_bytes",
	"than --memory has", "than memory_bytes has",
	"use less --memory", "use less memory_bytes",
	"^--weight ", "weights: ",
	"^--type-add: ", "type_adds: ",
	"^--type-add ", "type_adds: ",
	"^--encoding: ", "encoding: ",
	"^--encoding ", "encoding: ",
	"; see `bitsift grep --type-list`", "",
	"rebuild it with `bitsift index --rebuild`", "rebuild it with build(..., rebuild=True)",
	"`bitsift index --rebuild --words --grams`", "build(..., rebuild=True, words=True, grams=True)",
	"as in `bitsift index --rebuild .`", "as in build(..., [\".\"], rebuild=True)",
	": `bitsift index --rebuild - SOURCE...`", "",
	"`bitsift index --rebuild`", "build(..., rebuild=True)",
	"--rebuild to index", "rebuild=True to index",
	"to forget it: bitsift index$", "to forget it: build(..., forget=...)",
	"or use --wait", "or use wait=True",
	"(--strict stops here", "(strict=True stops here",
	"unless --text chooses", "unless text_fields chooses",
	"only if it is named: --index $", "only if it is named",
	"make one with `bitsift index .`, or name one with --index DIR", "make one with build(), or name one",
	"make one with `bitsift index`", "make one with build()",
	"try `bitsift index .`", "try build(path, \".\")",
	"run `bitsift index` first, which", "call build() or Index.update() first, which",
	"the next `bitsift index` that", "the next build() that",
	"--rebuild SOURCE", "build(..., SOURCE, rebuild=True)",
	NULL};
/* clang-format on */

PyObject *bs_py_message(const char *text)
{
	size_t room = strlen(text) + 512;
	char *worded = malloc(room);
	if (!worded)
		return PyErr_NoMemory();
	memcpy(worded, text, strlen(text) + 1);
	bs_reword(worded, room, own_words);
	PyObject *message = bs_py_text(worded, strlen(worded));
	free(worded);
	return message;
}

PyObject *bs_py_raise(enum bs_status status, const struct bs_error *err)
{
	return bs_py_raise_at(status, err, NULL, 0, SIZE_MAX);
}

/* Where in the query it is that it fails. */
static bool set_place(PyObject *error, const char *query, size_t query_bytes, size_t error_byte)
{
	char *text = NULL;
	if (bs_query_caret(query, query_bytes, error_byte, &text, NULL) != BS_OK)
		text = NULL;
	PyObject *before = bs_py_string(query, error_byte);
	PyObject *position = before ? PyLong_FromSsize_t(PyUnicode_GetLength(before)) : NULL;
	PyObject *caret = text ? bs_py_text(text, strlen(text)) : Py_NewRef(Py_None);
	bool ok = position && caret && PyObject_SetAttrString(error, "position", position) == 0 &&
	          PyObject_SetAttrString(error, "caret", caret) == 0;
	free(text);
	Py_XDECREF(before);
	Py_XDECREF(position);
	Py_XDECREF(caret);
	return ok;
}

PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query, size_t query_bytes,
                         size_t error_byte)
{
	size_t known = (size_t)status <= BS_DEADLINE ? (size_t)status : BS_OK;
	if (PyErr_Occurred())
		return NULL;
	PyObject *message = bs_py_message(err->text);
	PyObject *error = message ? PyObject_CallFunctionObjArgs(bs_py_types.errors[known], message, NULL) : NULL;
	if (error && query && error_byte <= query_bytes && !set_place(error, query, query_bytes, error_byte))
		Py_CLEAR(error);
	if (error)
		PyErr_SetObject(bs_py_types.errors[known], error);
	Py_XDECREF(message);
	Py_XDECREF(error);
	return NULL;
}

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

void bs_py_hear_line(void *context, const char *line)
{
	(void)bs_py_append(context, line, strlen(line) + 1);
}

PyObject *bs_py_lines(const struct bs_py_bytes *lines)
{
	PyObject *list = PyList_New(0);
	for (size_t at = 0; list && at < lines->n_bytes;) {
		size_t n_bytes = strlen(lines->data + at);
		PyObject *line = bs_py_message(lines->data + at);
		if (!line || PyList_Append(list, line) < 0)
			Py_CLEAR(list);
		Py_XDECREF(line);
		at += n_bytes + 1;
	}
	return list;
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

/* A str with lone surrogates, bytes, a path. */
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
	if (!bytes || !bs_py_keep_object(keep, bytes) || PyBytes_AsStringAndSize(bytes, &data, &n_bytes) < 0)
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
	const char **strings =
		bs_py_keep_object(keep, list) ? bs_py_block(keep, ((size_t)n + 1) * sizeof(*strings)) : NULL;
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

static bool add_value(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *value,
                      struct bs_py_bytes *texts);

/* The name of what stands inside: "author.name". */
static const char *join(struct bs_py_keep *keep, const char *field, size_t field_bytes, const char *name,
                        size_t *name_bytes_io)
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

static bool add_mapping(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *mapping,
                        struct bs_py_bytes *texts)
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
                     struct bs_py_bytes *texts)
{
	Py_ssize_t n = PySequence_Size(list);
	bool ok = n >= 0;
	for (Py_ssize_t i = 0; i < n && ok; i++) {
		PyObject *value = PySequence_GetItem(list, i);
		ok = bs_py_keep_object(keep, value) && add_value(keep, field, field_bytes, value, texts);
	}
	return ok;
}

static bool add_value(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *value,
                      struct bs_py_bytes *texts)
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
		/* What has itself in it would have no end. */
		if (Py_EnterRecursiveCall(" in the values of a document"))
			return false;
		bool ok = (PyDict_Check(value) ? add_mapping : add_list)(keep, field, field_bytes, value, texts);
		Py_LeaveRecursiveCall();
		return ok;
	}
	if (!PyUnicode_Check(value) && !PyBytes_Check(value)) {
		PyErr_Format(PyExc_TypeError, "a text is a str, bytes, a number, a list or a dict, not %R",
		             (PyObject *)Py_TYPE(value));
		return false;
	}
	text.text = bs_py_bytes_of(keep, value, &text.text_bytes);
	if (text.text && !bs_py_append(texts, &text, sizeof(text)))
		PyErr_NoMemory();
	return !PyErr_Occurred();
}

bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_bytes *texts)
{
	if (PyUnicode_Check(document) || PyBytes_Check(document) || PyDict_Check(document))
		return add_value(keep, "", 0, document, texts);
	if (!PyMapping_Check(document) || PyList_Check(document) || PyTuple_Check(document)) {
		PyErr_Format(PyExc_TypeError, "a document is a str or a mapping of field names to texts, not %R",
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
