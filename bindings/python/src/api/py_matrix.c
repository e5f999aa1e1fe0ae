/* py_matrix.c: see py_matrix.h. bitsift/_matrix.py wraps these functions in classes. */
#include "py_matrix.h"

#include <stdlib.h>
#include <string.h>

#include <bitsift/matrix.h>

#include "../base/py_messages.h"
#include "py_handle.h"
#include "py_search.h"

/* A read-only buffer of one or two dimensions over words in an index or in a bytes object. */
struct view {
	PyObject_HEAD PyObject *owner; /* a Handle or a bytes object, which owns the words */
	const void *words;
	Py_ssize_t shape[2], strides[2];
	int n_dimensions;
	char format[2]; /* as in the module struct: "Q" (64 bits) or "I" (32 bits) */
};

static int view_getbuffer(PyObject *object, Py_buffer *buffer, int flags)
{
	struct view *self = (struct view *)object;
	Py_ssize_t item_bytes = self->strides[self->n_dimensions - 1];
	bool is_fortran = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
	if ((flags & PyBUF_WRITABLE) || (is_fortran && self->n_dimensions > 1)) {
		PyErr_SetString(PyExc_BufferError, is_fortran ? "columns lie one after the other"
		                                              : "an index is not written to");
		buffer->obj = NULL;
		return -1;
	}
	*buffer = (Py_buffer){
		.buf = (void *)(uintptr_t)self->words,
		.obj = Py_NewRef(object),
		.len = self->shape[0] * self->strides[0],
		.itemsize = item_bytes,
		.readonly = 1,
		.ndim = flags & PyBUF_ND ? self->n_dimensions : 1,
		.format = flags & PyBUF_FORMAT ? self->format : NULL,
		.shape = flags & PyBUF_ND ? self->shape : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL,
	};
	return 0;
}

static int view_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	Py_VISIT(((struct view *)object)->owner);
	return 0;
}

static void view_dealloc(PyObject *object)
{
	PyObject_GC_UnTrack(object);
	Py_XDECREF(((struct view *)object)->owner);
	bs_py_free(object);
}

static char view_doc[] = "64-bit words of an index as a buffer, for memoryview(view) and "
			 "numpy.asarray(view).";

static PyType_Slot view_slots[] = {
	{Py_tp_doc, view_doc},
	{Py_tp_dealloc, view_dealloc},
	{Py_tp_traverse, view_traverse},
	{Py_bf_getbuffer, view_getbuffer},
	{0, NULL},
};

static PyType_Spec view_spec = {
	"bitsift.View", sizeof(struct view), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, view_slots};

/* Creates a view of rows * n items. rows: ONE_ROW for a buffer of one dimension. */
static PyObject *make_view(PyObject *owner, const void *words, size_t rows, size_t n, char format)
{
	static const uint64_t nothing;
	struct view *view = (struct view *)PyType_GenericAlloc(bs_py_types.view, 0);
	Py_ssize_t item_bytes = format == 'Q' ? 8 : 4;
	if (!view)
		return NULL;
	view->owner = Py_NewRef(owner);
	view->words = words ? words : &nothing;
	view->n_dimensions = rows == SIZE_MAX ? 1 : 2;
	view->shape[0] = (Py_ssize_t)(rows == SIZE_MAX ? n : rows);
	view->shape[1] = (Py_ssize_t)n;
	view->strides[0] = rows == SIZE_MAX ? item_bytes : (Py_ssize_t)n * item_bytes;
	view->strides[1] = item_bytes;
	view->format[0] = format;
	return (PyObject *)view;
}

#define ONE_ROW SIZE_MAX

/* Creates a bytes object with room for n items, and a view of it. *words_out: where the caller
 * writes the items. */
static PyObject *make_filled(size_t n, char format, void **words_out)
{
	PyObject *bytes =
		PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n * (format == 'Q' ? 8 : 4)));
	if (!bytes)
		return NULL;
	*words_out = PyBytes_AsString(bytes);
	PyObject *view = make_view(bytes, *words_out, ONE_ROW, n, format);
	Py_DECREF(bytes);
	return view;
}

/* Converters for "O&" of PyArg_ParseTuple. Numbers out of range raise OverflowError; the formats
 * for integers would wrap them. */
static int to_u64(PyObject *object, void *number_out)
{
	*(unsigned long long *)number_out = PyLong_AsUnsignedLongLong(object);
	return !PyErr_Occurred();
}

static int to_u32(PyObject *object, void *number_out)
{
	unsigned long long number = 0;
	if (to_u64(object, &number) && number > UINT32_MAX)
		PyErr_SetString(PyExc_OverflowError, "too large a number");
	*(unsigned *)number_out = (unsigned)number;
	return !PyErr_Occurred();
}

#define PARSE(format, ...)                                                                         \
	do {                                                                                       \
		if (!PyArg_ParseTuple(arguments, format, bs_py_types.handle, &index, __VA_ARGS__)) \
			return NULL;                                                               \
	} while (0)

static PyObject *n_segments(PyObject *module, PyObject *index)
{
	(void)module;
	if (!PyObject_TypeCheck(index, bs_py_types.handle))
		return PyErr_Format(PyExc_TypeError, "not a Handle");
	return PyLong_FromUnsignedLong(bs_matrix_n_segments(bs_py_handle(index)));
}

static PyObject *segment(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned s;
	struct bs_matrix_segment of;
	struct bs_error err;
	(void)module;
	PARSE("O!O&", to_u32, &s);
	enum bs_status status = bs_matrix_segment_at(bs_py_handle(index), s, &of, &err);
	if (status)
		return bs_py_raise(status, &err);
	return Py_BuildValue("(KKKKKIId)", (unsigned long long)of.n_docs,
	                     (unsigned long long)of.n_deleted, (unsigned long long)of.n_terms,
	                     (unsigned long long)of.n_postings, (unsigned long long)of.n_positions,
	                     of.n_shards, of.n_treatments, of.density);
}

static PyObject *treatment(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned s, i;
	struct bs_matrix_term_treatment of;
	struct bs_error err;
	(void)module;
	PARSE("O!O&O&", to_u32, &s, to_u32, &i);
	enum bs_status status = bs_matrix_term_treatment_at(bs_py_handle(index), s, i, &of, &err);
	if (status)
		return bs_py_raise(status, &err);
	return Py_BuildValue("(K(III)O)", (unsigned long long)of.min_df,
	                     of.n_columns[BS_MATRIX_DOCUMENT], of.n_columns[BS_MATRIX_GROUP],
	                     of.n_columns[BS_MATRIX_BLOCK],
	                     of.has_false_positives ? Py_True : Py_False);
}

/* Returns (rows, is_lists, [(columns, words per column, lanes, rows per lane, set bits) for each
 * level]). */
static PyObject *shard(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned s, i;
	struct bs_matrix_shard of;
	struct bs_error err;
	(void)module;
	PARSE("O!O&O&", to_u32, &s, to_u32, &i);
	enum bs_status status;
	BS_PY_WITHOUT_GIL(status = bs_matrix_shard_at(bs_py_handle(index), s, i, &of, &err));
	if (status)
		return bs_py_raise(status, &err);
	PyObject *levels = PyList_New(BS_MATRIX_LEVELS);
	for (int l = 0; levels && l < BS_MATRIX_LEVELS; l++) {
		const struct bs_matrix_columns *columns = &of.levels[l];
		PyObject *level = Py_BuildValue(
			"(IIIIK)", columns->n_columns, columns->column_words, columns->n_lanes,
			columns->lane_rows, (unsigned long long)columns->n_set);
		if (!level || PyList_SetItem(levels, l, level) < 0)
			Py_CLEAR(levels);
	}
	return levels ? Py_BuildValue("(ION)", of.n_rows, of.is_lists ? Py_True : Py_False, levels)
	              : NULL;
}

/* columns(index, segment, shard, level, first, n) -> View of n columns, not copied. */
static PyObject *columns(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned s, i, level, first, n;
	const uint64_t *words;
	struct bs_matrix_shard of;
	struct bs_error err;
	enum bs_status status;
	(void)module;
	PARSE("O!O&O&O&O&O&", to_u32, &s, to_u32, &i, to_u32, &level, to_u32, &first, to_u32, &n);
	BS_PY_WITHOUT_GIL(status = bs_matrix_shard_at(bs_py_handle(index), s, i, &of, &err);
	                  if (!status) status = bs_matrix_words(bs_py_handle(index), s, i,
	                                                        (enum bs_matrix_level)level, first,
	                                                        n, &words, &err));
	if (status)
		return bs_py_raise(status, &err);
	return make_view(index, words, n,
	                 level < BS_MATRIX_LEVELS ? of.levels[level].column_words : 0, 'Q');
}

static PyObject *popcounts(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned s, i, level, first, n;
	struct bs_error err;
	enum bs_status status;
	const uint64_t *words;
	void *counts = NULL;
	(void)module;
	PARSE("O!O&O&O&O&O&", to_u32, &s, to_u32, &i, to_u32, &level, to_u32, &first, to_u32, &n);
	/* This call only checks the arguments, before n items are allocated. */
	BS_PY_WITHOUT_GIL(status = bs_matrix_words(bs_py_handle(index), s, i,
	                                           (enum bs_matrix_level)level, first, n, &words,
	                                           &err));
	PyObject *view = status ? bs_py_raise(status, &err) : make_filled(n, 'I', &counts);
	if (!view)
		return NULL;
	BS_PY_WITHOUT_GIL(status = bs_matrix_popcounts(bs_py_handle(index), s, i,
	                                               (enum bs_matrix_level)level, first, n,
	                                               counts, &err));
	if (status) {
		Py_DECREF(view);
		return bs_py_raise(status, &err);
	}
	return view;
}

static PyObject *documents(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned s, i;
	struct bs_matrix_shard of;
	struct bs_error err;
	void *numbers = NULL;
	(void)module;
	PARSE("O!O&O&", to_u32, &s, to_u32, &i);
	enum bs_status status;
	BS_PY_WITHOUT_GIL(status = bs_matrix_shard_at(bs_py_handle(index), s, i, &of, &err));
	PyObject *view = status ? bs_py_raise(status, &err) : make_filled(of.n_rows, 'Q', &numbers);
	if (!view)
		return NULL;
	BS_PY_WITHOUT_GIL(status = bs_matrix_documents(bs_py_handle(index), s, i, numbers, &err));
	if (status) {
		Py_DECREF(view);
		return bs_py_raise(status, &err);
	}
	return view;
}

static PyObject *is_deleted(PyObject *module, PyObject *arguments)
{
	PyObject *index;
	unsigned long long document;
	(void)module;
	PARSE("O!O&", to_u64, &document);
	return PyBool_FromLong(bs_matrix_is_deleted(bs_py_handle(index), document));
}

/* name(searcher, document) -> (id, name, path) */
static PyObject *name(PyObject *module, PyObject *arguments)
{
	PyObject *searcher_object, *answer = NULL;
	unsigned long long document;
	struct bs_hit hit;
	struct bs_error err;
	(void)module;
	if (!PyArg_ParseTuple(arguments, "O!O&", bs_py_types.searcher, &searcher_object, to_u64,
	                      &document))
		return NULL;
	struct bs_searcher *searcher = bs_py_searcher_begin(searcher_object);
	if (!searcher)
		return NULL;
	enum bs_status status = bs_matrix_name(searcher, document, &hit, &err);
	if (!status)
		answer = Py_BuildValue("(NNN)", bs_py_string(hit.id, hit.id_bytes),
		                       bs_py_string(hit.local_id, hit.local_id_bytes),
		                       bs_py_string(hit.path, strlen(hit.path)));
	bs_py_searcher_done(searcher_object);
	return status ? bs_py_raise(status, &err) : answer;
}

static PyObject *make_term(const struct bs_matrix_term *term)
{
	return Py_BuildValue("(NKKI)", bs_py_string(term->term, term->term_bytes),
	                     (unsigned long long)term->ordinal, (unsigned long long)term->df,
	                     term->treatment);
}

static PyObject *term(PyObject *module, PyObject *arguments)
{
	PyObject *index, *word;
	unsigned s;
	size_t n_bytes;
	struct bs_matrix_term found;
	struct bs_error err;
	struct bs_py_keep keep = {.objects = NULL};
	PyObject *answer = NULL;
	(void)module;
	PARSE("O!O&O", to_u32, &s, &word);
	const char *bytes = bs_py_bytes_of(&keep, word, &n_bytes);
	if (bytes) {
		enum bs_status status =
			bs_matrix_find_term(bs_py_handle(index), s, bytes, n_bytes, &found, &err);
		answer = status ? bs_py_raise(status, &err) : make_term(&found);
	}
	bs_py_keep_free(&keep);
	return answer;
}

/* The context of take_term, which appends terms to `list` until it has n_left more. */
struct walk {
	PyObject *list;
	size_t n_left;
};

static int take_term(void *context, const struct bs_matrix_term *found)
{
	struct walk *walk = context;
	PyObject *one = make_term(found);
	int failed = !one || PyList_Append(walk->list, one) < 0;
	Py_XDECREF(one);
	return failed || --walk->n_left == 0;
}

/* terms(index, segment, from, n) -> list of up to n terms, from the term `from` on. Segment.terms
 * in bitsift/_matrix.py iterates over such batches. */
static PyObject *terms(PyObject *module, PyObject *arguments)
{
	PyObject *index, *from;
	unsigned s;
	Py_ssize_t n;
	size_t n_bytes;
	struct bs_error err;
	struct bs_py_keep keep = {.objects = NULL};
	(void)module;
	PARSE("O!O&On", to_u32, &s, &from, &n);
	struct walk walk = {PyList_New(0), n > 0 ? (size_t)n : 1};
	const char *bytes = bs_py_bytes_of(&keep, from, &n_bytes);
	if (bytes && walk.list) {
		enum bs_status status = bs_matrix_terms(bs_py_handle(index), s, bytes, n_bytes,
		                                        take_term, &walk, &err);
		if (status && (status != BS_STOPPED || PyErr_Occurred()))
			(void)bs_py_raise(status, &err);
	}
	bs_py_keep_free(&keep);
	if (PyErr_Occurred())
		Py_CLEAR(walk.list);
	return walk.list;
}

/* term_columns(index, segment, shard, term) -> [[numbers] of each level] */
static PyObject *term_columns(PyObject *module, PyObject *arguments)
{
	PyObject *index, *word, *levels = NULL;
	unsigned s, i;
	size_t n_bytes;
	struct bs_matrix_term_columns has;
	struct bs_error err;
	struct bs_py_keep keep = {.objects = NULL};
	(void)module;
	PARSE("O!O&O&O", to_u32, &s, to_u32, &i, &word);
	const char *bytes = bs_py_bytes_of(&keep, word, &n_bytes);
	if (bytes) {
		enum bs_status status = bs_matrix_find_columns(bs_py_handle(index), s, i, bytes,
		                                               n_bytes, &has, &err);
		levels = status ? bs_py_raise(status, &err) : PyList_New(BS_MATRIX_LEVELS);
	}
	for (int l = 0; levels && l < BS_MATRIX_LEVELS; l++) {
		PyObject *numbers = PyList_New((Py_ssize_t)has.n_columns[l]);
		for (uint32_t k = 0; numbers && k < has.n_columns[l]; k++)
			PyList_SetItem(numbers, (Py_ssize_t)k,
			               PyLong_FromUnsignedLong(has.columns[l][k]));
		if (!numbers || PyList_SetItem(levels, l, numbers) < 0)
			Py_CLEAR(levels);
	}
	bs_py_keep_free(&keep);
	return levels;
}

/* Candidates recorded without the GIL. */
struct heard {
	struct bs_py_bytes bytes; /* for each shard a struct bs_matrix_candidates and its words */
	size_t n;                 /* the number of shards */
	bool is_short_of_memory;
};

static int hear_candidates(void *context, const struct bs_matrix_candidates *candidates)
{
	struct heard *heard = context;
	bool ok = bs_py_append(&heard->bytes, candidates, sizeof(*candidates)) &&
	          bs_py_append(&heard->bytes, candidates->words, candidates->n_words * 8);
	heard->n += ok;
	heard->is_short_of_memory |= !ok;
	return !ok;
}

static PyObject *make_candidates(const struct heard *heard)
{
	PyObject *list = PyList_New(0);
	const char *at = heard->bytes.data;
	for (size_t i = 0; list && i < heard->n; i++) {
		struct bs_matrix_candidates one;
		void *words;
		memcpy(&one, at, sizeof(one));
		at += sizeof(one);
		PyObject *view = make_filled(one.n_words, 'Q', &words);
		if (view)
			memcpy(words, at, one.n_words * 8);
		at += one.n_words * 8;
		PyObject *tuple = view ? Py_BuildValue("(IIIKKN)", one.segment, one.shard,
		                                       one.n_rows, (unsigned long long)one.n_set,
		                                       (unsigned long long)one.n_sure, view)
		                       : NULL;
		if (!tuple || PyList_Append(list, tuple) < 0)
			Py_CLEAR(list);
		Py_XDECREF(tuple);
	}
	return list;
}

/* candidates(searcher, query, {...}) -> [(segment, shard, rows, set bits, sure, View)] */
static PyObject *candidates(PyObject *module, PyObject *arguments)
{
	PyObject *searcher_object, *query, *options, *answer = NULL;
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_search search;
	struct heard heard = {.n = 0};
	struct bs_error err;
	size_t error_byte = SIZE_MAX;
	(void)module;
	if (!PyArg_ParseTuple(arguments, "O!OO!", bs_py_types.searcher, &searcher_object, &query,
	                      &PyDict_Type, &options))
		return NULL;
	struct bs_searcher *searcher = bs_py_searcher_begin(searcher_object);
	if (!searcher)
		return NULL;
	if (bs_py_read_search(&keep, query, options, &search)) {
		enum bs_status status;
		BS_PY_WITHOUT_GIL(status = bs_matrix_query(searcher, &search.request,
		                                           hear_candidates, &heard, &error_byte,
		                                           &err));
		if (heard.is_short_of_memory)
			(void)PyErr_NoMemory();
		else if (status)
			(void)bs_py_raise_at(status, &err, search.request.query.text,
			                     search.request.query.text_bytes, error_byte);
		answer = PyErr_Occurred() ? NULL : make_candidates(&heard);
	}
	bs_py_searcher_done(searcher_object);
	bs_py_bytes_free(&heard.bytes);
	bs_py_keep_free(&keep);
	return answer;
}

static PyMethodDef functions[] = {
	BS_PY_METHOD("matrix_n_segments", n_segments, METH_O),
	BS_PY_METHOD("matrix_segment", segment, METH_VARARGS),
	BS_PY_METHOD("matrix_treatment", treatment, METH_VARARGS),
	BS_PY_METHOD("matrix_shard", shard, METH_VARARGS),
	BS_PY_METHOD("matrix_columns", columns, METH_VARARGS),
	BS_PY_METHOD("matrix_popcounts", popcounts, METH_VARARGS),
	BS_PY_METHOD("matrix_documents", documents, METH_VARARGS),
	BS_PY_METHOD("matrix_is_deleted", is_deleted, METH_VARARGS),
	BS_PY_METHOD("matrix_name", name, METH_VARARGS),
	BS_PY_METHOD("matrix_term", term, METH_VARARGS),
	BS_PY_METHOD("matrix_terms", terms, METH_VARARGS),
	BS_PY_METHOD("matrix_term_columns", term_columns, METH_VARARGS),
	BS_PY_METHOD("matrix_candidates", candidates, METH_VARARGS),
	{NULL, NULL, 0, NULL},
};

bool bs_py_add_matrix(PyObject *module)
{
	bs_py_types.view = bs_py_add_type(module, &view_spec);
	return bs_py_types.view && PyModule_AddFunctions(module, functions) == 0;
}
