/* py_lines.c: see py_lines.h. */
#include "py_lines.h"

#include <bitsift/grep_request.h>
#include <string.h>

static PyStructSequence_Field line_fields[] = {
	{"path", "the path of the file, as printed"},
	{"number", "1, 2, ..."},
	{"text", "the line without its end; None: a file is listed"},
	{"matches", "pairs (start, stop) of characters of the text"},
	{"offset", "byte of the file where the text begins"},
	{"is_context", "a line of context"},
	{"enclosing", "with enclosing: (number, line) of what it stands in, the line of a "
                      "function, say; or None"},
	{NULL, NULL},
};

static PyStructSequence_Desc line_desc = {"bitsift.Line", "A line that was found.", line_fields, 7};

/* The beginning of a recorded line. Path, text, enclosing line and matches follow. */
struct heard_line {
	uint64_t number, byte_off;
	uint64_t enclosing_number; /* 0: there is no enclosing line */
	size_t path_bytes, text_bytes, enclosing_bytes, n_matches;
	bool is_context, is_listed; /* is_listed: only a file name; the text becomes None */
};

/* The character position of a byte of the text. */
static Py_ssize_t character_of(const char *text, size_t at)
{
	PyObject *before = bs_py_string(text, at);
	Py_ssize_t n = before ? PyUnicode_GetLength(before) : -1;
	Py_XDECREF(before);
	return n;
}

static PyObject *make_matches(const char *text, bool is_ascii, const char *spans, size_t n)
{
	PyObject *list = PyList_New((Py_ssize_t)n);
	for (size_t i = 0; list && i < n; i++) {
		struct bs_grep_span span;
		memcpy(&span, spans + i * sizeof(span), sizeof(span));
		Py_ssize_t start =
			is_ascii ? (Py_ssize_t)span.start : character_of(text, span.start);
		Py_ssize_t end = is_ascii ? (Py_ssize_t)span.end : character_of(text, span.end);
		PyObject *pair = start < 0 || end < 0 ? NULL : Py_BuildValue("(nn)", start, end);
		if (!pair || PyList_SetItem(list, (Py_ssize_t)i, pair) < 0)
			Py_CLEAR(list);
	}
	return list;
}

PyObject *bs_py_make_line(const char **at)
{
	struct heard_line heard;
	memcpy(&heard, *at, sizeof(heard));
	const char *path = *at + sizeof(heard), *text = path + heard.path_bytes,
		   *enclosing = text + heard.text_bytes, *spans = enclosing + heard.enclosing_bytes;
	*at = spans + heard.n_matches * sizeof(struct bs_grep_span);
	PyObject *line = PyStructSequence_New(bs_py_types.line);
	PyObject *string =
		heard.is_listed ? Py_NewRef(Py_None) : bs_py_string(text, heard.text_bytes);
	if (!line || !string) {
		Py_XDECREF(line);
		Py_XDECREF(string);
		return NULL;
	}
	bool is_ascii = heard.is_listed || (size_t)PyUnicode_GetLength(string) == heard.text_bytes;
	PyStructSequence_SetItem(line, 0, bs_py_string(path, heard.path_bytes));
	PyStructSequence_SetItem(line, 1, PyLong_FromUnsignedLongLong(heard.number));
	PyStructSequence_SetItem(line, 2, string);
	PyStructSequence_SetItem(line, 3, make_matches(text, is_ascii, spans, heard.n_matches));
	PyStructSequence_SetItem(line, 4, PyLong_FromUnsignedLongLong(heard.byte_off));
	PyStructSequence_SetItem(line, 5, PyBool_FromLong(heard.is_context));
	PyStructSequence_SetItem(
		line, 6,
		heard.enclosing_number == 0
			? Py_NewRef(Py_None)
			: Py_BuildValue("(KN)", (unsigned long long)heard.enclosing_number,
	                                bs_py_string(enclosing, heard.enclosing_bytes)));
	if (PyErr_Occurred())
		Py_CLEAR(line);
	return line;
}

static size_t without_end(const char *text, size_t n_bytes)
{
	return !text ? 0 : n_bytes > 0 && text[n_bytes - 1] == '\n' ? n_bytes - 1 : n_bytes;
}

bool bs_py_put_line(struct bs_py_bytes *found, const struct bs_grep_line *line)
{
	size_t text_bytes = without_end(line->text, line->text_bytes);
	struct heard_line one = {
		.number = line->number,
		.byte_off = line->byte_off,
		.enclosing_number = line->function ? line->function_number : 0,
		.path_bytes = strlen(line->path),
		.text_bytes = text_bytes,
		.enclosing_bytes = without_end(line->function, line->function_bytes),
		.n_matches = line->n_matches,
		.is_context = line->is_context,
		.is_listed = !line->text,
	};
	bool ok = bs_py_append(found, &one, sizeof(one)) &&
	          bs_py_append(found, line->path, one.path_bytes) &&
	          bs_py_append(found, line->text, text_bytes) &&
	          bs_py_append(found, line->function, one.enclosing_bytes);
	for (size_t i = 0; i < line->n_matches && ok; i++) {
		struct bs_grep_span span = line->matches[i];
		span.start = span.start < text_bytes ? span.start : text_bytes;
		span.end = span.end < text_bytes ? span.end : text_bytes;
		ok = bs_py_append(found, &span, sizeof(span));
	}
	return ok;
}

bool bs_py_put_name(struct bs_py_bytes *found, const char *name, size_t n_bytes)
{
	struct heard_line one = {.path_bytes = n_bytes, .is_listed = true};
	return bs_py_append(found, &one, sizeof(one)) && bs_py_append(found, name, n_bytes);
}

bool bs_py_add_lines(PyObject *module)
{
	bs_py_types.line = bs_py_add_sequence(module, "Line", &line_desc);
	return bs_py_types.line != NULL;
}
