/* py_analyzer.c: see py_analyzer.h. */
#include "py_analyzer.h"

#include <string.h>

#include <bitsift/host.h>

#include "py_callbacks.h"
#include "py_convert.h"

struct analyzer {
	PyObject_HEAD struct bs_analyzer analyzer;
	PyObject *name, *callable;
	/* An exception that was raised on a thread of the library. The Python thread that called
	 * the library raises it again (bs_py_analyzer_failed). */
	PyObject *error;
};

/* A recorded word; the bytes of the term follow. */
struct cut_word {
	size_t term_bytes, start, stop; /* in bytes */
};

/* A position in a text, in characters and in bytes. go_to only moves it forward. */
struct place {
	PyObject *text;
	Py_ssize_t character;
	size_t byte;
	bool is_ascii;
};

static bool go_to(struct place *place, Py_ssize_t character)
{
	if (!place->is_ascii) {
		PyObject *between = PyUnicode_Substring(place->text, place->character, character);
		PyObject *bytes =
			between ? PyUnicode_AsEncodedString(between, "utf-8", "surrogateescape")
				: NULL;
		place->byte += bytes ? (size_t)PyBytes_Size(bytes) : 0;
		Py_XDECREF(between);
		Py_XDECREF(bytes);
	} else {
		place->byte = (size_t)character;
	}
	place->character = character;
	return !PyErr_Occurred();
}

static bool take_word(PyObject *item, struct place *place, struct bs_py_bytes *words)
{
	PyObject *term, *bytes;
	Py_ssize_t start, stop;
	if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "Unn", &term, &start, &stop)) {
		PyErr_SetString(PyExc_TypeError, "a word is (term, start, stop)");
		return false;
	}
	if (start < place->character || stop < start || stop > PyUnicode_GetLength(place->text) ||
	    PyUnicode_GetLength(term) == 0) {
		PyErr_SetString(PyExc_ValueError,
		                "words come in the order of their starts, and stand in the text");
		return false;
	}
	struct cut_word word;
	bool ok = go_to(place, start);
	struct place end = *place;
	word.start = place->byte;
	ok = ok && go_to(&end, stop) && (bytes = PyUnicode_AsUTF8String(term)) != NULL;
	if (!ok)
		return false;
	word.stop = end.byte;
	word.term_bytes = (size_t)PyBytes_Size(bytes);
	if (!bs_py_append(words, &word, sizeof(word)) ||
	    !bs_py_append(words, PyBytes_AsString(bytes), word.term_bytes))
		PyErr_NoMemory();
	Py_DECREF(bytes);
	return !PyErr_Occurred();
}

static bool ask_analyzer(PyObject *callable, const char *bytes, size_t n_bytes,
                         struct bs_py_bytes *words)
{
	PyObject *text = bs_py_string(bytes, n_bytes);
	PyObject *given = text ? PyObject_CallFunctionObjArgs(callable, text, NULL) : NULL;
	PyObject *iterator = given ? PyObject_GetIter(given) : NULL, *item;
	struct place place = {.text = text,
	                      .is_ascii = text && (size_t)PyUnicode_GetLength(text) == n_bytes};
	while (iterator && !PyErr_Occurred() && (item = PyIter_Next(iterator)) != NULL) {
		(void)take_word(item, &place, words);
		Py_DECREF(item);
	}
	Py_XDECREF(text);
	Py_XDECREF(given);
	Py_XDECREF(iterator);
	return !PyErr_Occurred();
}

/* Keeps an exception that was raised on a thread of the library, for bs_py_analyzer_failed. The
 * caller holds the GIL. */
static void put_aside(struct analyzer *self)
{
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	if (!self->error)
		self->error = Py_XNewRef(value);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
}

/* The callback of struct bs_analyzer: calls the Python function and, after it has released the GIL,
 * passes the words to the library. */
static int cut(void *context, const uint8_t *text, size_t text_bytes,
               int (*emit)(void *, const uint8_t *, size_t, size_t, size_t), void *emit_context)
{
	struct analyzer *self = context;
	struct bs_py_bytes words = {.data = NULL};
	bool is_pythons = PyGILState_GetThisThreadState() != NULL;
	PyGILState_STATE gil = PyGILState_Ensure();
	bool ok = !PyErr_Occurred() && bs_py_callback_begin(self);
	if (ok) {
		ok = ask_analyzer(self->callable, (const char *)text, text_bytes, &words);
		bs_py_callback_end();
	}
	if (!ok && !is_pythons)
		put_aside(self);
	PyGILState_Release(gil);
	int answer = !ok;
	for (size_t at = 0; answer == 0 && at < words.n_bytes;) {
		struct cut_word word;
		memcpy(&word, words.data + at, sizeof(word));
		at += sizeof(word);
		answer = emit(emit_context, (const uint8_t *)words.data + at, word.term_bytes,
		              word.start, word.stop);
		at += word.term_bytes;
	}
	bs_py_bytes_free(&words);
	return answer;
}

static PyObject *analyzer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"name", "cut", NULL};
	PyObject *name, *callable;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UO", (char **)(uintptr_t)names,
	                                 &name, &callable))
		return NULL;
	if (!PyCallable_Check(callable))
		return PyErr_Format(PyExc_TypeError, "cut: not a function");
	struct analyzer *self = (struct analyzer *)PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	self->name = PyUnicode_AsUTF8String(name);
	self->callable = Py_NewRef(callable);
	if (!self->name) {
		Py_DECREF(self);
		return NULL;
	}
	self->analyzer = (struct bs_analyzer){
		.name = PyBytes_AsString(self->name), .cut = cut, .context = self};
	return (PyObject *)self;
}

static int analyzer_traverse(PyObject *object, visitproc visit, void *arg)
{
	struct analyzer *self = (struct analyzer *)object;
	Py_VISIT(Py_TYPE(object));
	Py_VISIT(self->callable);
	Py_VISIT(self->error);
	return 0;
}

static void analyzer_dealloc(PyObject *object)
{
	struct analyzer *self = (struct analyzer *)object;
	PyObject_GC_UnTrack(object);
	Py_XDECREF(self->name);
	Py_XDECREF(self->callable);
	Py_XDECREF(self->error);
	bs_py_free(object);
}

static char analyzer_doc[] =
	"Analyzer(name, cut)\n--\n\nSplits texts into words by a function instead of "
	"the library's rules. cut(text) returns (term, start, stop) for each word, in "
	"the order of start. term is the indexed form, by which words are compared; "
	"start and stop count characters. An index records the name of its analyzer, "
	"so a function that splits in another way needs another name. cut is called on "
	"any thread.";

static PyMemberDef analyzer_members[] = {
	{"cut", T_OBJECT_EX, offsetof(struct analyzer, callable), READONLY, "The function."},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot analyzer_slots[] = {
	{Py_tp_doc, analyzer_doc},         {Py_tp_new, analyzer_new},
	{Py_tp_dealloc, analyzer_dealloc}, {Py_tp_traverse, analyzer_traverse},
	{Py_tp_members, analyzer_members}, {0, NULL},
};

static PyType_Spec analyzer_spec = {"bitsift.Analyzer", sizeof(struct analyzer), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, analyzer_slots};

const struct bs_analyzer *bs_py_analyzer(PyObject *object)
{
	return &((struct analyzer *)object)->analyzer;
}

void bs_py_analyzer_failed(PyObject *object)
{
	struct analyzer *self = (struct analyzer *)object;
	PyObject *error = self->error;
	self->error = NULL;
	if (error && !PyErr_Occurred())
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
}

bool bs_py_add_analyzer(PyObject *module)
{
	bs_py_types.analyzer = bs_py_add_type(module, &analyzer_spec);
	return bs_py_types.analyzer != NULL;
}
