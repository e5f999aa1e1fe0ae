/* py_search.c: see py_search.h. */
#include "py_search.h"

#include <string.h>

#include <bitsift/query.h>
#include <bitsift/search.h>
#include <bitsift/statistics.h>

#include "../base/py_document.h"
#include "../base/py_messages.h"
#include "core/program/search_program.h"
#include "py_handle.h"
#include "py_hits.h"
#include "py_statistics.h"

struct searcher {
	PyObject_HEAD struct bs_searcher *searcher;
	PyObject *handle; /* keeps the index open */
	bool is_busy;     /* between bs_py_searcher_begin and bs_py_searcher_done */
};

static PyObject *searcher_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	PyObject *handle;
	struct bs_error err;
	enum bs_status status;
	(void)keywords;
	if (!PyArg_ParseTuple(arguments, "O!", bs_py_types.handle, &handle))
		return NULL;
	struct searcher *self = (struct searcher *)PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	self->handle = Py_NewRef(handle);
	BS_PY_WITHOUT_GIL(status = bs_searcher_new(bs_py_handle(handle), &self->searcher, &err));
	if (status) {
		Py_DECREF(self);
		return bs_py_raise(status, &err);
	}
	return (PyObject *)self;
}

static int searcher_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	Py_VISIT(((struct searcher *)object)->handle);
	return 0;
}

static void searcher_dealloc(PyObject *object)
{
	struct searcher *self = (struct searcher *)object;
	PyObject_GC_UnTrack(object);
	bs_searcher_free(self->searcher);
	Py_XDECREF(self->handle);
	bs_py_free(object);
}

struct bs_searcher *bs_py_searcher_begin(PyObject *object)
{
	struct searcher *self = (struct searcher *)object;
	if (self->is_busy) {
		PyErr_SetString(PyExc_RuntimeError, "this searcher is searching on another thread");
		return NULL;
	}
	self->is_busy = true;
	return self->searcher;
}

void bs_py_searcher_done(PyObject *object)
{
	((struct searcher *)object)->is_busy = false;
}

#define AT(member) offsetof(struct bs_py_search, member)

static const struct bs_py_option search_options[] = {
	{"n", BS_PY_U64, AT(request.output.limit), 0, NULL, NULL},
	{"offset", BS_PY_U64, AT(request.output.offset), 0, NULL, NULL},
	{"any", BS_PY_BOOL, AT(request.query.any), 0, NULL, NULL},
	{"strict", BS_PY_BOOL, AT(request.query.strict), 0, NULL, NULL},
	{"stop", BS_PY_CHARS, AT(request.query.stop_language), 0, NULL, NULL},
	{"stop_words", BS_PY_BYTES, AT(request.query.stop_words),
         AT(request.query.stop_words_bytes), NULL, NULL},
	{"feedback", BS_PY_U64, AT(request.query.feedback_docs), 0, NULL, NULL},
	{"like", BS_PY_CHARS, AT(request.query.like_id), 0, NULL, NULL},
	{"like_text", BS_PY_BYTES, AT(request.query.like_text), AT(request.query.like_text_bytes),
         NULL, NULL},
	{"statistics", BS_PY_OBJECT, AT(statistics), 0, &bs_py_types.statistics, NULL},
	{"approx", BS_PY_BOOL, AT(request.method.approx), 0, NULL, NULL},
	{"brute", BS_PY_BOOL, AT(request.method.brute), 0, NULL, NULL},
	{"no_stat", BS_PY_BOOL, AT(request.method.no_stat), 0, NULL, NULL},
	{"exhaustive", BS_PY_BOOL, AT(request.method.exhaustive), 0, NULL, NULL},
	{"verbose", BS_PY_BOOL, AT(request.callbacks.verbose), 0, NULL, NULL},
	{"suggest", BS_PY_BOOL, AT(request.callbacks.suggest), 0, NULL, NULL},
	{"explain", BS_PY_BOOL, AT(explains), 0, NULL, NULL},
	{"threads", BS_PY_U32, AT(request.method.n_threads), 0, NULL, NULL},
	{"sort", BS_PY_CHARS, AT(request.output.sort_field), 0, NULL, NULL},
	{"descending", BS_PY_BOOL, AT(request.output.sort_descending), 0, NULL, NULL},
	{"snippets", BS_PY_BOOL, AT(request.output.snippets), 0, NULL, NULL},
	{"columns", BS_PY_U32, AT(program.snippet_columns), 0, NULL, NULL},
	{"mark", BS_PY_PAIR, AT(request.output.mark_start), AT(request.output.mark_stop), NULL,
         NULL},
	{"globs", BS_PY_STRINGS, AT(request.filter.globs), 0, NULL, NULL},
	{"types", BS_PY_STRINGS, AT(request.filter.types), 0, NULL, NULL},
	{"not_types", BS_PY_STRINGS, AT(request.filter.excluded_types), 0, NULL, NULL},
	{"places", BS_PY_STRINGS, AT(request.filter.places), 0, NULL, NULL},
	{"newer", BS_PY_CHARS, AT(request.filter.newer), 0, NULL, NULL},
	{"older", BS_PY_CHARS, AT(request.filter.older), 0, NULL, NULL},
	{"date_field", BS_PY_CHARS, AT(request.filter.date_field), 0, NULL, NULL},
	{"partial", BS_PY_BOOL, AT(deadline.limits.partial), 0, NULL, NULL},
	{"memory_bytes", BS_PY_U64, AT(deadline.limits.memory_bytes), 0, NULL, NULL},
	BS_PY_DEADLINE_OPTIONS(struct bs_py_search, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

bool bs_py_read_search(struct bs_py_keep *keep, PyObject *query, PyObject *options,
                       struct bs_py_search *search_out)
{
	struct bs_search_request *request = &search_out->request;
	*search_out = (struct bs_py_search){.statistics = NULL};
	bs_py_deadline_init(&search_out->deadline);
	request->query.text = bs_py_bytes_of(keep, query, &request->query.text_bytes);
	if (!request->query.text || !bs_py_read_options(keep, options, search_options, search_out))
		return false;
	request->output.passages = request->output.snippets;
	request->query.statistics =
		search_out->statistics ? bs_py_statistics(search_out->statistics) : NULL;
	request->limits = &search_out->deadline.limits;
	bs_py_deadline_begin(&search_out->deadline);
	return true;
}

static PyObject *make_stats(const struct bs_query_stats *stats)
{
	const struct bs_py_number parts[] = {
		{"total_ns", stats->total_ns},
		{"parse_ns", stats->stage_ns[BS_STAGE_PARSE]},
		{"plan_ns", stats->stage_ns[BS_STAGE_PLAN]},
		{"scan_ns", stats->stage_ns[BS_STAGE_SCAN]},
		{"rank_ns", stats->stage_ns[BS_STAGE_RANK]},
		{"verify_ns", stats->stage_ns[BS_STAGE_VERIFY]},
		{"lines_read", stats->scan.lines_read},
		{"document_lines", stats->scan.document_lines},
		{"candidates", stats->scan.candidates},
		{"scored", stats->rank.scored},
		{"verified", stats->verify.verified},
		{"false_positives", stats->verify.false_positives},
		{"bytes_verified", stats->verify.bytes},
	};
	return bs_py_result("SearchStats", BS_PY_PUT_NUMBERS(PyDict_New(), parts));
}

/* The callback context of bs_search; `hits` must be first. */
struct heard {
	struct bs_py_hits hits;
	struct bs_py_bytes explanation;
};

static void hear_explanation(void *context, const char *text, size_t text_bytes)
{
	(void)bs_py_append(&((struct heard *)context)->explanation, text, text_bytes);
}

static PyObject *make_answer(const struct heard *heard, const struct bs_search_result *result,
                             PyObject *owner, bool explains)
{
	PyObject *hits = bs_py_make_hits(&heard->hits, owner);
	PyObject *notices = hits ? bs_py_lines(&heard->hits.notices) : NULL;
	PyObject *stats = notices ? make_stats(&result->stats) : NULL;
	PyObject *explanation =
		!stats     ? NULL
		: explains ? bs_py_text(heard->explanation.data, heard->explanation.n_bytes)
			   : Py_NewRef(Py_None);
	PyObject *answer =
		explanation
			? Py_BuildValue("(OKOKKKOOOO)", hits, (unsigned long long)result->n_hits,
	                                result->is_at_least ? Py_True : Py_False,
	                                (unsigned long long)result->n_unreadable,
	                                (unsigned long long)result->changes.n_changed,
	                                (unsigned long long)result->changes.n_gone,
	                                result->is_partial ? Py_True : Py_False, notices, stats,
	                                explanation)
			: NULL;
	Py_XDECREF(hits);
	Py_XDECREF(notices);
	Py_XDECREF(stats);
	Py_XDECREF(explanation);
	return answer;
}

/* find(query, mode, owner, **options) -> (hits or ids, number of hits, at least, unreadable,
 * changed, gone, partial, notices, stats, explanation) */
static PyObject *searcher_find(PyObject *self, PyObject *arguments, PyObject *options)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_search search;
	struct bs_search_result result = {.error_byte = SIZE_MAX};
	struct bs_error err;
	struct heard heard = {.hits = {.n = 0}};
	PyObject *query, *owner = Py_None, *answer = NULL;
	int mode = BS_SEARCH_TOP;
	if (!PyArg_ParseTuple(arguments, "O|iO", &query, &mode, &owner))
		return NULL;
	struct bs_searcher *searcher = bs_py_searcher_begin(self);
	if (!searcher)
		return NULL;
	if (bs_py_read_search(&keep, query, options, &search)) {
		enum bs_status status;
		search.request.output.mode = (enum bs_search_mode)mode;
		heard.hits.only_ids = mode == BS_SEARCH_IDS;
		heard.hits.has_details = search.request.output.snippets;
		search.request.callbacks.hit = bs_py_record_hit;
		search.request.callbacks.notice = bs_py_record_line;
		search.request.callbacks.explain = search.explains ? hear_explanation : NULL;
		search.request.callbacks.context = &heard;
		BS_PY_WITHOUT_GIL(status = bs_search_for_program(searcher, &search.request,
		                                                 &search.program, &result, &err));
		bs_py_context_failed(bs_py_handle_context(((struct searcher *)self)->handle));
		if (heard.hits.is_short_of_memory)
			(void)PyErr_NoMemory();
		else if (status)
			(void)bs_py_raise_at(status, &err, search.request.query.text,
			                     search.request.query.text_bytes, result.error_byte);
		answer = PyErr_Occurred() ? NULL
		                          : make_answer(&heard, &result, owner, search.explains);
	}
	bs_py_searcher_done(self);
	bs_py_bytes_free(&heard.hits.bytes);
	bs_py_bytes_free(&heard.hits.notices);
	bs_py_bytes_free(&heard.explanation);
	bs_py_keep_free(&keep);
	return answer;
}

/* statistics(query, **options) -> Statistics */
static PyObject *searcher_statistics(PyObject *self, PyObject *arguments, PyObject *options)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_search search;
	struct bs_statistics *statistics = NULL;
	struct bs_error err;
	PyObject *query;
	if (!PyArg_ParseTuple(arguments, "O", &query))
		return NULL;
	struct bs_searcher *searcher = bs_py_searcher_begin(self);
	if (!searcher)
		return NULL;
	bool ok = bs_py_read_search(&keep, query, options, &search);
	if (ok) {
		enum bs_status status = bs_statistics_new(&statistics, &err);
		if (!status)
			BS_PY_WITHOUT_GIL(status = bs_statistics_gather(searcher, &search.request,
			                                                statistics, &err));
		bs_py_context_failed(bs_py_handle_context(((struct searcher *)self)->handle));
		if (status)
			(void)bs_py_raise(status, &err);
		ok = !PyErr_Occurred();
	}
	bs_py_searcher_done(self);
	bs_py_keep_free(&keep);
	if (!ok)
		bs_statistics_free(statistics);
	return ok ? bs_py_statistics_object(statistics) : NULL;
}

/* document(id or number) -> (texts, is_changed) */
static PyObject *searcher_document(PyObject *self, PyObject *id)
{
	struct bs_py_keep keep = {.objects = NULL};
	const struct bs_text *texts = NULL;
	size_t n_texts = 0, id_bytes = 0;
	bool is_changed = false, is_number = PyLong_Check(id);
	struct bs_error err;
	PyObject *answer = NULL;
	unsigned long long number = is_number ? PyLong_AsUnsignedLongLong(id) : 0;
	const char *bytes = is_number ? NULL : bs_py_bytes_of(&keep, id, &id_bytes);
	struct bs_searcher *searcher = PyErr_Occurred() ? NULL : bs_py_searcher_begin(self);
	if (searcher) {
		enum bs_status status;
		BS_PY_WITHOUT_GIL(
			status = is_number ? bs_document_numbered(searcher, number, &texts,
		                                                  &n_texts, &is_changed, &err)
		                           : bs_document(searcher, bytes, id_bytes, &texts,
		                                         &n_texts, &is_changed, &err));
		PyObject *dict = status || PyErr_Occurred() ? bs_py_raise(status, &err)
		                                            : bs_py_texts(texts, n_texts);
		answer = dict ? Py_BuildValue("(NO)", dict, is_changed ? Py_True : Py_False) : NULL;
		bs_py_searcher_done(self);
	}
	bs_py_keep_free(&keep);
	return answer;
}

static PyMethodDef searcher_methods[] = {
	BS_PY_METHOD("find", searcher_find, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("statistics", searcher_statistics, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("document", searcher_document, METH_O),
	{NULL, NULL, 0, NULL},
};

static PyType_Slot searcher_slots[] = {
	{Py_tp_new, searcher_new},
	{Py_tp_dealloc, searcher_dealloc},
	{Py_tp_traverse, searcher_traverse},
	{Py_tp_methods, searcher_methods},
	{0, NULL},
};

static PyType_Spec searcher_spec = {"bitsift._bitsift.Searcher", sizeof(struct searcher), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, searcher_slots};

bool bs_py_add_search(PyObject *module)
{
	bs_py_types.searcher = bs_py_add_type(module, &searcher_spec);
	return bs_py_types.searcher != NULL;
}
