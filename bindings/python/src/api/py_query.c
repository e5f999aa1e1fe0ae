/* py_query.c: see py_query.h. */
#include "py_query.h"

#include <bitsift/query.h>

#include "../base/py_document.h"
#include "../base/py_lock.h"
#include "../base/py_messages.h"
#include "py_handle.h"
#include "py_statistics.h"

struct query {
	PyObject_HEAD struct bs_query *query;
	PyObject *handle; /* words are split as by this index; nullable */
	PyObject *notices;
	/* Limits of each call; used by the call that holds the lock. The query owns a reference to
	 * deadline.cancel. */
	struct bs_py_deadline deadline;
	pthread_mutex_t lock;
};

struct asking {
	struct bs_query_request request;
	struct bs_py_deadline deadline;
	PyObject *index;
};

#define AT(member) offsetof(struct asking, member)

static const struct bs_py_option query_options[] = {
	{"index", BS_PY_OBJECT, AT(index), 0, NULL, NULL},
	{"any", BS_PY_BOOL, AT(request.any), 0, NULL, NULL},
	{"strict", BS_PY_BOOL, AT(request.strict_query), 0, NULL, NULL},
	{"stop", BS_PY_CHARS, AT(request.stop_language), 0, NULL, NULL},
	{"stop_words", BS_PY_BYTES, AT(request.stop_words), AT(request.stop_words_bytes), NULL,
         NULL},
	{"stem", BS_PY_CHARS, AT(request.stem_language), 0, NULL, NULL},
	{"fold_accents", BS_PY_BOOL, AT(request.fold_accents), 0, NULL, NULL},
	{"split_identifiers", BS_PY_BOOL, AT(request.split_identifiers), 0, NULL, NULL},
	{"weights", BS_PY_WEIGHTS, AT(request.weights), 0, NULL, NULL},
	{"fields", BS_PY_STRINGS, AT(request.fields), 0, NULL, NULL},
	{"file_names", BS_PY_BOOL, AT(request.file_names), 0, NULL, NULL},
	BS_PY_DEADLINE_OPTIONS(struct asking, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

static bool make_query(struct query *self, struct asking *asking)
{
	struct bs_query_request *request = &asking->request;
	struct bs_py_bytes notices = {.data = NULL};
	struct bs_error err;
	size_t error_byte = SIZE_MAX;
	enum bs_status status;
	bs_py_lock_init(&self->lock);
	self->deadline = asking->deadline;
	Py_XINCREF(self->deadline.cancel);
	bs_py_deadline_begin(&self->deadline);
	request->limits = &self->deadline.limits;
	if (asking->index && (self->handle = bs_py_handle_of(asking->index)) == NULL)
		return false;
	request->index = self->handle ? bs_py_handle(self->handle) : NULL;
	request->notice = bs_py_record_line;
	request->context = &notices;
	BS_PY_WITHOUT_GIL(status = bs_query_new(request, &self->query, &error_byte, &err));
	if (self->handle)
		bs_py_context_failed(bs_py_handle_context(self->handle));
	if (status)
		(void)bs_py_raise_at(status, &err, request->query, request->query_bytes,
		                     error_byte);
	self->notices = PyErr_Occurred() ? NULL : bs_py_lines(&notices);
	bs_py_bytes_free(&notices);
	return self->notices != NULL;
}

static PyObject *query_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct asking asking = {.index = NULL};
	struct query *self = NULL;
	PyObject *query;
	bs_py_deadline_init(&asking.deadline);
	bool ok = PyArg_ParseTuple(arguments, "O", &query) != 0;
	if (ok)
		asking.request.query = bs_py_bytes_of(&keep, query, &asking.request.query_bytes);
	if (asking.request.query && bs_py_read_options(&keep, keywords, query_options, &asking))
		self = (struct query *)PyType_GenericAlloc(type, 0);
	if (self && !make_query(self, &asking))
		Py_CLEAR(self);
	bs_py_keep_free(&keep);
	return (PyObject *)self;
}

static int query_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	Py_VISIT(((struct query *)object)->handle);
	return 0;
}

static void query_dealloc(PyObject *object)
{
	struct query *self = (struct query *)object;
	PyObject_GC_UnTrack(object);
	bs_query_free(self->query);
	Py_XDECREF(self->deadline.cancel);
	Py_XDECREF(self->handle);
	Py_XDECREF(self->notices);
	(void)pthread_mutex_destroy(&self->lock);
	bs_py_free(object);
}

static PyStructSequence_Field place_fields[] = {
	{"field", "the field's name; of a text without one \"\""},
	{"text", "0, 1, ...: which of the document's texts"},
	{"line", "1, 2, ...: of that text"},
	{"column", "1, 2, ...: in that line, in bytes of UTF-8"},
	{"start", "byte of the text, as UTF-8, where the word begins"},
	{"stop", "... where it ends"},
	{NULL, NULL},
};
static PyStructSequence_Desc place_desc = {
	"bitsift.Place", "Where a word of a query stands in a text.", place_fields, 6};

static PyStructSequence_Field match_fields[] = {
	{"places", "a list of Place, in the order of the texts; two may overlap"},
	{"length", "of the texts in words, as scores count it"},
	{NULL, NULL},
};
static PyStructSequence_Desc match_desc = {"bitsift.Match", "That a document matches, and where.",
                                           match_fields, 2};

static PyObject *make_place(const struct bs_query_place *place, const struct bs_text *texts)
{
	PyObject *made = PyStructSequence_New(bs_py_types.place);
	if (!made)
		return NULL;
	PyStructSequence_SetItem(
		made, 0, bs_py_string(texts[place->text].field, texts[place->text].field_bytes));
	PyStructSequence_SetItem(made, 1, PyLong_FromSize_t(place->text));
	PyStructSequence_SetItem(made, 2, PyLong_FromUnsignedLongLong(place->line));
	PyStructSequence_SetItem(made, 3, PyLong_FromUnsignedLongLong(place->column));
	PyStructSequence_SetItem(made, 4, PyLong_FromSize_t(place->start_byte));
	PyStructSequence_SetItem(made, 5, PyLong_FromSize_t(place->stop_byte));
	if (PyErr_Occurred())
		Py_CLEAR(made);
	return made;
}

static PyObject *make_match(const struct bs_query_result *result, const struct bs_text *texts)
{
	if (!result->is_match)
		Py_RETURN_NONE;
	PyObject *match = PyStructSequence_New(bs_py_types.match);
	PyObject *places = match ? PyList_New((Py_ssize_t)result->n_places) : NULL;
	for (size_t i = 0; places && i < result->n_places; i++) {
		PyObject *place = make_place(&result->places[i], texts);
		if (!place || PyList_SetItem(places, (Py_ssize_t)i, place) < 0)
			Py_CLEAR(places);
	}
	if (!places) {
		Py_XDECREF(match);
		return NULL;
	}
	PyStructSequence_SetItem(match, 0, places);
	PyStructSequence_SetItem(match, 1, PyLong_FromUnsignedLong(result->length));
	if (PyErr_Occurred())
		Py_CLEAR(match);
	return match;
}

/* A document to be matched or scored. */
struct asked {
	struct bs_py_keep keep;
	struct bs_py_text_list texts;
};

/* Reads the document into *asked, takes the lock and sets the document's name. False with an
 * exception set and without the lock. */
static bool ask(struct query *self, PyObject *document, PyObject *name, struct asked *asked)
{
	size_t n_bytes = 0;
	struct bs_error err;
	enum bs_status status;
	const char *bytes = name == Py_None ? NULL : bs_py_bytes_of(&asked->keep, name, &n_bytes);
	if (PyErr_Occurred() || !bs_py_document(&asked->keep, document, &asked->texts) ||
	    !bs_py_lock(&self->lock, "query", NULL))
		return false;
	bs_py_deadline_begin(&self->deadline);
	BS_PY_WITHOUT_GIL(status = bs_query_set_name(self->query, bytes, n_bytes, &err));
	if (status) {
		(void)pthread_mutex_unlock(&self->lock);
		(void)bs_py_raise(status, &err);
	}
	return !status;
}

static void free_asked(struct asked *asked)
{
	bs_py_bytes_free(&asked->texts.bytes);
	bs_py_keep_free(&asked->keep);
}

/* Sets an exception if the call failed. An exception that an analyzer raised takes precedence over
 * the library's message. */
static void query_failed(struct query *self, enum bs_status status, const struct bs_error *err)
{
	if (self->handle)
		bs_py_context_failed(bs_py_handle_context(self->handle));
	if (status)
		(void)bs_py_raise(status, err);
}

static PyObject *query_match(PyObject *object, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"document", "name", NULL};
	struct query *self = (struct query *)object;
	struct asked asked = {.texts = {.items = NULL}};
	PyObject *document, *name = Py_None, *match = NULL;
	struct bs_error err;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O", (char **)(uintptr_t)names,
	                                 &document, &name))
		return NULL;
	if (ask(self, document, name, &asked)) {
		struct bs_query_result result;
		enum bs_status status;
		BS_PY_WITHOUT_GIL(status = bs_query_match(self->query, asked.texts.items,
		                                          bs_py_n_texts(&asked.texts), &result,
		                                          &err));
		query_failed(self, status, &err);
		match = PyErr_Occurred() ? NULL : make_match(&result, asked.texts.items);
		(void)pthread_mutex_unlock(&self->lock);
	}
	free_asked(&asked);
	return match;
}

static PyObject *query_score(PyObject *object, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"document", "statistics", "name", NULL};
	struct query *self = (struct query *)object;
	struct asked asked = {.texts = {.items = NULL}};
	PyObject *document, *statistics, *name = Py_None, *answer = NULL;
	struct bs_error err;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!|O", (char **)(uintptr_t)names,
	                                 &document, bs_py_types.statistics, &statistics, &name))
		return NULL;
	if (ask(self, document, name, &asked)) {
		double score = 0;
		enum bs_status status;
		BS_PY_WITHOUT_GIL(status = bs_query_score(self->query, asked.texts.items,
		                                          bs_py_n_texts(&asked.texts),
		                                          bs_py_statistics(statistics), &score,
		                                          &err));
		(void)pthread_mutex_unlock(&self->lock);
		query_failed(self, status, &err);
		answer = PyErr_Occurred() ? NULL : PyFloat_FromDouble(score);
	}
	free_asked(&asked);
	return answer;
}

static PyMethodDef query_methods[] = {
	BS_PY_DOCUMENTED(
		"match", query_match, METH_VARARGS | METH_KEYWORDS,
		"match($self, /, document, name=None)\n--\n\nMatches a document, a str or a "
		"mapping as for Index.add. Returns a Match, or None. name: the file name of "
		"the document, for `name:` in the query."),
	BS_PY_DOCUMENTED(
		"score", query_score, METH_VARARGS | METH_KEYWORDS,
		"score($self, /, document, statistics, name=None)\n--\n\nThe score that "
		"Index.search would give to this document with these statistics; 0.0 if the "
		"document does not match."),
	{NULL, NULL, 0, NULL},
};

static PyMemberDef query_members[] = {
	{"notices", T_OBJECT_EX, offsetof(struct query, notices), READONLY,
         "What in the query may mean something else than it seems: a list of lines."},
	{NULL, 0, 0, 0, NULL},
};

static char query_doc[] =
	"Query(query, *, index=None, any=False, strict=False, stop=None, "
	"stop_words=None, stem=None, fold_accents=False,\n      "
	"split_identifiers=False, weights=None, fields=None, file_names=False, "
	"deadline=None, cancel=None)\n--\n\nA query that matches texts in memory, "
	"without an index. It splits words as `index` does and knows the fields of "
	"`index`; without an index, by the options that Index.create has, too. fields: "
	"the names that count as fields. file_names: `name:` matches file names. "
	"Several threads may use the object, one at a time. deadline (seconds) and "
	"cancel (a Cancel) hold for each call of a method.";

static PyType_Slot query_slots[] = {
	{Py_tp_doc, query_doc},
	{Py_tp_new, query_new},
	{Py_tp_dealloc, query_dealloc},
	{Py_tp_traverse, query_traverse},
	{Py_tp_methods, query_methods},
	{Py_tp_members, query_members},
	{0, NULL},
};

static PyType_Spec query_spec = {"bitsift.Query", sizeof(struct query), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, query_slots};

bool bs_py_add_query(PyObject *module)
{
	bs_py_types.query = bs_py_add_type(module, &query_spec);
	bs_py_types.place = bs_py_add_sequence(module, "Place", &place_desc);
	bs_py_types.match = bs_py_add_sequence(module, "Match", &match_desc);
	return bs_py_types.query && bs_py_types.place && bs_py_types.match;
}
