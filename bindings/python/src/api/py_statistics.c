/* py_statistics.c: see py_statistics.h. */
#include "py_statistics.h"

#include <limits.h>

#include <bitsift/statistics.h>

#include "../base/py_messages.h"
#include "../base/py_options.h"

struct statistics {
	/* Immutable once the object is visible, so that searches may read it without a lock. */
	PyObject_HEAD struct bs_statistics *statistics;
};

const struct bs_statistics *bs_py_statistics(PyObject *object)
{
	return ((struct statistics *)object)->statistics;
}

PyObject *bs_py_statistics_object(struct bs_statistics *statistics)
{
	struct statistics *self =
		(struct statistics *)PyType_GenericAlloc(bs_py_types.statistics, 0);
	if (self)
		self->statistics = statistics;
	else
		bs_statistics_free(statistics);
	return (PyObject *)self;
}

struct parts {
	uint64_t n_docs, n_positions;
	PyObject *words, *fields;
};

static const struct bs_py_option parts_options[] = {
	{"docs", BS_PY_U64, offsetof(struct parts, n_docs), 0, NULL, NULL},
	{"positions", BS_PY_U64, offsetof(struct parts, n_positions), 0, NULL, NULL},
	{"words", BS_PY_OBJECT, offsetof(struct parts, words), 0, NULL, NULL},
	{"fields", BS_PY_OBJECT, offsetof(struct parts, fields), 0, NULL, NULL},
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

/* Adds a word with its number of documents, or a field with its kinds. */
static bool add_part(struct bs_statistics *statistics, struct bs_py_keep *keep, PyObject *item,
                     bool is_field)
{
	PyObject *name;
	unsigned long long number;
	size_t n_bytes;
	struct bs_error err;
	if (!PyTuple_Check(item) || PyTuple_Size(item) != 2) {
		PyErr_SetString(PyExc_TypeError, "the items of a mapping are pairs");
		return false;
	}
	name = PyTuple_GetItem(item, 0);
	item = PyTuple_GetItem(item, 1);
	const char *bytes = bs_py_bytes_of(keep, name, &n_bytes);
	number = bytes ? PyLong_AsUnsignedLongLong(item) : 0;
	if (PyErr_Occurred())
		return false;
	enum bs_status status =
		is_field ? bs_statistics_add_field(statistics, bytes, n_bytes,
	                                           number > UINT_MAX ? UINT_MAX : (unsigned)number,
	                                           &err)
			 : bs_statistics_add_word(statistics, bytes, n_bytes, number, &err);
	return !status || bs_py_raise(status, &err);
}

static bool add_parts(struct bs_statistics *statistics, struct bs_py_keep *keep, PyObject *mapping,
                      bool are_fields)
{
	PyObject *items = mapping ? PyMapping_Items(mapping) : PyList_New(0);
	bool ok = bs_py_keep_object(keep, items);
	for (Py_ssize_t i = 0; ok && i < PyList_Size(items); i++)
		ok = add_part(statistics, keep, PyList_GetItem(items, i), are_fields);
	return ok;
}

static PyObject *statistics_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct parts parts = {.words = NULL};
	struct bs_statistics *statistics = NULL;
	struct bs_error err;
	(void)type;
	bool ok = PyArg_ParseTuple(arguments, "") &&
	          bs_py_read_options(&keep, keywords, parts_options, &parts);
	enum bs_status status = ok ? bs_statistics_new(&statistics, &err) : BS_OK;
	if (status)
		(void)bs_py_raise(status, &err);
	ok = ok && !status && add_parts(statistics, &keep, parts.words, false) &&
	     add_parts(statistics, &keep, parts.fields, true);
	bs_py_keep_free(&keep);
	if (!ok) {
		bs_statistics_free(statistics);
		return NULL;
	}
	bs_statistics_set(statistics, parts.n_docs, parts.n_positions);
	return bs_py_statistics_object(statistics);
}

static PyObject *statistics_add(PyObject *one, PyObject *other)
{
	struct bs_statistics *sum;
	struct bs_error err;
	if (!PyObject_TypeCheck(one, bs_py_types.statistics) ||
	    !PyObject_TypeCheck(other, bs_py_types.statistics))
		return Py_NewRef(Py_NotImplemented);
	enum bs_status status = bs_statistics_new(&sum, &err);
	if (!status)
		status = bs_statistics_add(sum, bs_py_statistics(one), &err);
	if (!status)
		status = bs_statistics_add(sum, bs_py_statistics(other), &err);
	if (status) {
		bs_statistics_free(sum);
		return bs_py_raise(status, &err);
	}
	return bs_py_statistics_object(sum);
}

static bool put(PyObject *dict, const char *name, size_t n_bytes, uint64_t number)
{
	PyObject *key = bs_py_string(name, n_bytes), *value = PyLong_FromUnsignedLongLong(number);
	bool ok = key && value && PyDict_SetItem(dict, key, value) == 0;
	Py_XDECREF(key);
	Py_XDECREF(value);
	return ok;
}

static PyObject *statistics_words(PyObject *self, void *unused)
{
	PyObject *words = PyDict_New();
	const char *word;
	size_t n_bytes;
	uint64_t n_docs;
	(void)unused;
	for (size_t i = 0;
	     words && bs_statistics_word(bs_py_statistics(self), i, &word, &n_bytes, &n_docs); i++)
		if (!put(words, word, n_bytes, n_docs))
			Py_CLEAR(words);
	return words;
}

static PyObject *statistics_fields(PyObject *self, void *unused)
{
	PyObject *fields = PyDict_New();
	const char *name;
	size_t n_bytes;
	unsigned kinds;
	(void)unused;
	for (size_t i = 0;
	     fields && bs_statistics_field(bs_py_statistics(self), i, &name, &n_bytes, &kinds); i++)
		if (!put(fields, name, n_bytes, kinds))
			Py_CLEAR(fields);
	return fields;
}

static PyObject *statistics_docs(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(bs_statistics_n_docs(bs_py_statistics(self)));
}

static PyObject *statistics_positions(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(bs_statistics_n_positions(bs_py_statistics(self)));
}

static PyObject *statistics_parts(PyObject *self, PyObject *unused)
{
	(void)unused;
	return Py_BuildValue("{s:N,s:N,s:N,s:N}", "docs", statistics_docs(self, NULL), "positions",
	                     statistics_positions(self, NULL), "words",
	                     statistics_words(self, NULL), "fields", statistics_fields(self, NULL));
}

static void statistics_dealloc(PyObject *self)
{
	bs_statistics_free(((struct statistics *)self)->statistics);
	bs_py_free(self);
}

static PyMethodDef statistics_methods[] = {
	BS_PY_DOCUMENTED("parts", statistics_parts, METH_NOARGS,
                         "parts($self, /)\n--\n\nReturns a dict that JSON can represent: "
                         "Statistics(**parts) equals this object."),
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef statistics_properties[] = {
	{"docs", statistics_docs, NULL, "How many documents.", NULL},
	{"positions", statistics_positions, NULL, "Of how many words in all.", NULL},
	{"words", statistics_words, NULL,
         "{word: how many documents have it}; words as indexes have them.", NULL},
	{"fields", statistics_fields, NULL, "{field that the query names: its kinds}.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static char statistics_doc[] =
	"Statistics(*, docs=0, positions=0, words={}, fields={})\n--\n\nThe corpus "
	"statistics that scores need, for the words of one query. Index.statistics "
	"collects them. The sum of the statistics of several indexes describes all of "
	"them: passed to Index.search of each, it gives scores that can be compared. "
	"Immutable.";

static PyType_Slot statistics_slots[] = {
	{Py_tp_doc, statistics_doc},
	{Py_tp_new, statistics_new},
	{Py_tp_dealloc, statistics_dealloc},
	{Py_tp_methods, statistics_methods},
	{Py_tp_getset, statistics_properties},
	{Py_nb_add, statistics_add},
	{0, NULL},
};

static PyType_Spec statistics_spec = {"bitsift.Statistics", sizeof(struct statistics), 0,
                                      Py_TPFLAGS_DEFAULT, statistics_slots};

bool bs_py_add_statistics(PyObject *module)
{
	bs_py_types.statistics = bs_py_add_type(module, &statistics_spec);
	return bs_py_types.statistics != NULL;
}
