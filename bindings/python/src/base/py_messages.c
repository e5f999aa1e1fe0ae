/* py_messages.c: see py_messages.h. */
#include "py_messages.h"

#include <bitsift/search.h>
#include <stdlib.h>
#include <string.h>

/* Each exception class also derives from a built-in exception of Python. */
static const struct error_class {
	const char *name, *doc;
	enum bs_status status;
} error_classes[] = {
	{"bitsift.InvalidError",
         "An argument, a query or a pattern is invalid. position: of the error in the query, in "
         "characters; caret: two lines that show it. Both may be None.",
         BS_INVALID},
	{"bitsift.NoMemoryError", "There is not enough memory, or a memory limit was reached.",
         BS_NO_MEMORY},
	{"bitsift.IoError", "The operating system reported an error.", BS_IO},
	{"bitsift.NotFoundError", "A file, an index or a document does not exist.", BS_NOT_FOUND},
	{"bitsift.CorruptError", "A file of the index is damaged.", BS_CORRUPT},
	{"bitsift.UnsupportedError",
         "A newer file format, an unknown kernel, or another analyzer than that of the index.",
         BS_UNSUPPORTED},
	{"bitsift.BusyError", "Another writer has the index open.", BS_BUSY},
	{"bitsift.StoppedError", "A callback asked to stop.", BS_STOPPED},
	{"bitsift.UntrustedError",
         "The index belongs to another user, or a source is not followed. trust=True consents.",
         BS_UNTRUSTED},
	{"bitsift.DeadlineError", "The deadline of the call has passed.", BS_DEADLINE},
};

static PyObject *builtin_base(enum bs_status status)
{
	switch (status) {
	case BS_INVALID:
		return PyExc_ValueError;
	case BS_NO_MEMORY:
		return PyExc_MemoryError;
	case BS_IO:
		return PyExc_OSError;
	case BS_NOT_FOUND:
		return PyExc_FileNotFoundError;
	case BS_BUSY:
		return PyExc_BlockingIOError;
	case BS_UNTRUSTED:
		return PyExc_PermissionError;
	case BS_DEADLINE:
		return PyExc_TimeoutError;
	default:
		return PyExc_RuntimeError;
	}
}

static bool add_error(PyObject *module, const struct error_class *one)
{
	PyObject *bases = PyTuple_Pack(2, bs_py_types.errors[BS_OK], builtin_base(one->status));
	PyObject *members =
		bases ? Py_BuildValue("{s:s,s:O,s:O}", "status", bs_status_name(one->status),
	                              "position", Py_None, "caret", Py_None)
		      : NULL;
	PyObject *error =
		members ? PyErr_NewExceptionWithDoc(one->name, one->doc, bases, members) : NULL;
	Py_XDECREF(bases);
	Py_XDECREF(members);
	bs_py_types.errors[one->status] = error;
	return error &&
	       PyModule_AddObjectRef(module, one->name + sizeof("bitsift.") - 1, error) == 0;
}

bool bs_py_add_errors(PyObject *module)
{
	PyObject *members = Py_BuildValue("{s:s,s:O,s:O}", "status", "error", "position", Py_None,
	                                  "caret", Py_None);
	PyObject *error =
		members ? PyErr_NewExceptionWithDoc(
				  "bitsift.Error",
				  "An error of the library. status: the name of its status.", NULL,
				  members)
			: NULL;
	Py_XDECREF(members);
	bs_py_types.errors[BS_OK] = error;
	bool ok = error && PyModule_AddObjectRef(module, "Error", error) == 0;
	for (size_t i = 0; i < sizeof(error_classes) / sizeof(*error_classes) && ok; i++)
		ok = add_error(module, &error_classes[i]);
	return ok;
}

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
	"`bitsift index --rebuild --words --grams`",
	"build(..., rebuild=True, words=True, grams=True)",
	"as in `bitsift index --rebuild .`", "as in build(..., [\".\"], rebuild=True)",
	": `bitsift index --rebuild - SOURCE...`", "",
	"`bitsift index --rebuild`", "build(..., rebuild=True)",
	"--rebuild to index", "rebuild=True to index",
	"to forget it: bitsift index$", "to forget it: build(..., forget=...)",
	"to forget the source: bitsift index$", "to forget the source: build(..., forget=...)",
	"or use --wait", "or use wait=True",
	"(--strict stops here", "(strict=True stops here",
	"unless --text chooses", "unless text_fields chooses",
	"only if it is named: --index $", "only if it is named",
	"make one with `bitsift index .`, or name one with --index DIR",
	"make one with build(), or name one",
	"make one with `bitsift index`", "make one with build()",
	"try `bitsift index .`", "try build(path, \".\")",
	"run `bitsift index` first, which", "call build() or Index.update() first, which",
	"the next `bitsift index` that", "the next build() that",
	"only --rebuild alone, without a source, can",
	"only build(..., rebuild=True) without a source can",
	"which --rebuild can read again", "which rebuild=True can read again",
	"not a source of this index; `bitsift stats -v` names them",
	"not a source of this index; stats().sources names them",
	"so --rebuild cannot read it again (`bitsift stats -v` lists the sources); "
	"without --rebuild it would be added",
	"so rebuild=True cannot read it again (stats().sources lists them); "
	"without rebuild=True it would be added",
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

/* Sets `position` and `caret` of an exception. */
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

PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query,
                         size_t query_bytes, size_t error_byte)
{
	size_t known = (size_t)status <= BS_DEADLINE ? (size_t)status : BS_OK;
	if (PyErr_Occurred())
		return NULL;
	PyObject *message = bs_py_message(err->text);
	PyObject *error =
		message ? PyObject_CallFunctionObjArgs(bs_py_types.errors[known], message, NULL)
			: NULL;
	if (error && query && error_byte <= query_bytes &&
	    !set_place(error, query, query_bytes, error_byte))
		Py_CLEAR(error);
	if (error)
		PyErr_SetObject(bs_py_types.errors[known], error);
	Py_XDECREF(message);
	Py_XDECREF(error);
	return NULL;
}

void bs_py_record_line(void *context, const char *line)
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
