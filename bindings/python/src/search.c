/* search.c: an opened index, finders, hits. See bitsift_py.h. */
#include "bitsift_py.h"

#include <stdlib.h>
#include <string.h>

struct memory {
	PyObject_HEAD struct bs_memory *memory;
};

struct index {
	PyObject_HEAD struct bs_index *index;
	PyObject *memory; /* keeps it; or NULL */
	PyObject *texts;  /* the callable; or NULL */
	struct bs_consent consent;
	struct bs_py_provider provider;
};

struct finder {
	PyObject_HEAD struct bs_finder *finder;
	PyObject *index;
	bool is_busy;
};

struct hit {
	PyObject_HEAD PyObject *id, *path, *name, *value, *owner;
	PyObject *detail; /* (snippet, is_changed, passages, best); NULL: to be asked of the owner */
	double score;
	unsigned long long rank, document;
	char is_date;
};

static void free_object(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *memory_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct bs_error err;
	(void)arguments;
	(void)keywords;
	struct memory *self = (struct memory *)PyType_GenericAlloc(type, 0);
	enum bs_status status = self ? bs_memory_new(&self->memory, &err) : BS_OK;
	if (status) {
		Py_DECREF(self);
		return bs_py_raise(status, &err);
	}
	return (PyObject *)self;
}

static void memory_dealloc(PyObject *self)
{
	bs_memory_free(((struct memory *)self)->memory);
	free_object(self);
}

struct bs_memory *bs_py_memory(PyObject *object)
{
	return ((struct memory *)object)->memory;
}

/* The files of it, by name. */
static PyObject *memory_files(PyObject *self, PyObject *unused)
{
	struct bs_memory *memory = bs_py_memory(self);
	PyObject *files = PyDict_New();
	(void)unused;
	for (size_t i = 0; files && i < bs_memory_n_files(memory); i++) {
		struct bs_memory_file file;
		struct bs_error err;
		enum bs_status status = bs_memory_file_at(memory, i, &file, &err);
		PyObject *bytes = status ? bs_py_raise(status, &err)
		                         : PyBytes_FromStringAndSize(file.bytes, (Py_ssize_t)file.n_bytes);
		if (!bytes || PyDict_SetItemString(files, file.name, bytes) < 0)
			Py_CLEAR(files);
		Py_XDECREF(bytes);
	}
	return files;
}

static PyObject *memory_put(PyObject *self, PyObject *arguments)
{
	const char *name, *bytes;
	Py_ssize_t n_bytes;
	struct bs_error err;
	if (!PyArg_ParseTuple(arguments, "sy#", &name, &bytes, &n_bytes))
		return NULL;
	enum bs_status status = bs_memory_put(bs_py_memory(self), name, bytes, (size_t)n_bytes, &err);
	if (status)
		return bs_py_raise(status, &err);
	Py_RETURN_NONE;
}

static PyMethodDef memory_methods[] = {
	BS_PY_DOCUMENTED("files", memory_files, METH_NOARGS, "files()\n--\n\nThe files of it, {name: bytes}."),
	BS_PY_DOCUMENTED("put", memory_put, METH_VARARGS,
                         "put(name, bytes, /)\n--\n\nPuts a file into it, for who kept what files() gave."),
	{NULL, NULL, 0, NULL},
};

static char memory_doc[] =
	"An index that is no directory: its files are in memory. Index.open(memory=...) opens what is in it.";

static PyType_Slot memory_slots[] = {
	{Py_tp_doc, memory_doc},
	{Py_tp_new, memory_new},
	{Py_tp_dealloc, memory_dealloc},
	{Py_tp_methods, memory_methods},
	{0, NULL},
};

static PyType_Spec memory_spec = {"bitsift._bitsift.Memory", sizeof(struct memory), 0, Py_TPFLAGS_DEFAULT,
                                  memory_slots};

struct bs_index *bs_py_index(PyObject *object)
{
	return ((struct index *)object)->index;
}

static bool open_index(struct index *self, PyObject *dir, const char *kernel, int fresh, struct bs_py_keep *keep)
{
	struct bs_py_watch watch;
	struct bs_error err;
	bool ok = true;
	bs_py_watch_init(&watch, 0, false);
	struct bs_open_request request = {
		.dir = bs_py_chars(keep, dir, &ok),
		.memory = self->memory ? bs_py_memory(self->memory) : NULL,
		.texts = self->texts ? &self->provider.provider : NULL,
		.kernel = kernel,
		.consent = &self->consent,
		.fresh = fresh != 0,
		.limits = &watch.limits,
	};
	enum bs_status status = BS_OK;
	if (!ok)
		return false;
	if (!request.dir && !request.memory) {
		PyErr_SetString(PyExc_ValueError, "a path or a Memory is needed");
		return false;
	}
	Py_BEGIN_ALLOW_THREADS status = bs_index_open_with(&request, &self->index, &err);
	Py_END_ALLOW_THREADS if (status)(void) bs_py_raise(status, &err);
	return !status && !PyErr_Occurred();
}

static PyObject *index_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"dir", "memory", "kernel", "trust", "fresh", "texts", NULL};
	PyObject *dir = Py_None, *memory = Py_None, *texts = Py_None;
	const char *kernel = NULL;
	int trust = 0, fresh = 0;
	struct bs_py_keep keep = {.objects = NULL};
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOzppO", BS_PY_NAMES(names), &dir, &memory, &kernel,
	                                 &trust, &fresh, &texts))
		return NULL;
	if (memory != Py_None && !PyObject_TypeCheck(memory, bs_py_types.memory)) {
		PyErr_SetString(PyExc_TypeError, "memory: not a Memory");
		return NULL;
	}
	struct index *self = (struct index *)PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	self->memory = memory == Py_None ? NULL : memory;
	self->texts = texts == Py_None ? NULL : texts;
	Py_XINCREF(self->memory);
	Py_XINCREF(self->texts);
	self->consent.all = trust != 0;
	bs_py_provider_init(&self->provider, self->texts);
	if (!open_index(self, dir, kernel, fresh, &keep))
		Py_CLEAR(self);
	bs_py_keep_free(&keep);
	return (PyObject *)self;
}

static void index_dealloc(PyObject *object)
{
	struct index *self = (struct index *)object;
	bs_index_close(self->index);
	Py_XDECREF(self->memory);
	Py_XDECREF(self->texts);
	free_object(object);
}

static PyObject *index_describe(PyObject *self, PyObject *unused)
{
	struct bs_index_info info;
	(void)unused;
	bs_index_describe(bs_py_index(self), &info);
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:O,s:s,s:s,s:s,s:K,s:K}", "docs", (unsigned long long)info.n_docs,
	                     "deleted", (unsigned long long)info.n_deleted, "segments",
	                     (unsigned long long)info.n_segments, "generation", (unsigned long long)info.generation,
	                     "is_other_unicode", info.is_other_unicode ? Py_True : Py_False, "icu_version",
	                     info.icu_version, "unicode_version", info.unicode_version, "kernel", info.kernel, "unread",
	                     (unsigned long long)info.n_unread, "unfollowed", (unsigned long long)info.n_unfollowed);
}

static PyObject *index_sources(PyObject *self, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	struct bs_source_info info;
	(void)unused;
	for (size_t i = 0; list && bs_index_source(bs_py_index(self), i, &info); i++) {
		PyObject *label = bs_py_string(info.label, strlen(info.label)),
			 *path = bs_py_string(info.path, strlen(info.path));
		PyObject *source = label && path ? Py_BuildValue("(sOO)", info.kind, label, path) : NULL;
		if (!source || PyList_Append(list, source) < 0)
			Py_CLEAR(list);
		Py_XDECREF(label);
		Py_XDECREF(path);
		Py_XDECREF(source);
	}
	return list;
}

static PyMethodDef index_methods[] = {
	BS_PY_METHOD("describe", index_describe, METH_NOARGS),
	BS_PY_METHOD("sources", index_sources, METH_NOARGS),
	{NULL, NULL, 0, NULL},
};

static PyType_Slot index_slots[] = {
	{Py_tp_new, index_new},
	{Py_tp_dealloc, index_dealloc},
	{Py_tp_methods, index_methods},
	{0, NULL},
};

static PyType_Spec index_spec = {"bitsift._bitsift.Handle", sizeof(struct index), 0, Py_TPFLAGS_DEFAULT, index_slots};

/* What is shown of a hit, first its text, then the places. */
static PyObject *detail_of(struct hit *self)
{
	if (!self->detail && self->owner != Py_None) {
		self->detail = PyObject_CallMethod(self->owner, "_detail", "K", self->document);
		if (!self->detail)
			return NULL;
	}
	return self->detail ? self->detail : Py_None;
}

static PyObject *hit_part(PyObject *self, void *part)
{
	PyObject *detail = detail_of((struct hit *)self);
	if (!detail)
		return NULL;
	PyObject *value = detail == Py_None ? Py_None : PyTuple_GetItem(detail, (Py_ssize_t)(intptr_t)part);
	Py_XINCREF(value);
	return value;
}

static PyObject *hit_repr(PyObject *object)
{
	struct hit *self = (struct hit *)object;
	PyObject *score = PyFloat_FromDouble(self->score);
	PyObject *text = score ? PyUnicode_FromFormat("<bitsift.Hit %R score=%R>", self->id, score) : NULL;
	Py_XDECREF(score);
	return text;
}

static void hit_dealloc(PyObject *object)
{
	struct hit *self = (struct hit *)object;
	Py_XDECREF(self->id);
	Py_XDECREF(self->path);
	Py_XDECREF(self->name);
	Py_XDECREF(self->value);
	Py_XDECREF(self->owner);
	Py_XDECREF(self->detail);
	free_object(object);
}

#define MEMBER(name, type, doc)                                        \
	{                                                              \
#name, type, offsetof(struct hit, name), READONLY, doc \
	}

static PyMemberDef hit_members[] = {
	MEMBER(id, T_OBJECT_EX, "The document's id."),
	MEMBER(path, T_OBJECT_EX,
               "The file that its text stands in, openable from the working directory; \"-\": the index."),
	MEMBER(name, T_OBJECT_EX,
               "The id as `bitsift query --ids` prints it here: of a file its path, of a record its id."),
	MEMBER(value, T_OBJECT_EX, "With sort: the value that counts, or None."),
	MEMBER(is_date, T_BOOL, "With sort: that value is a date."),
	MEMBER(score, T_DOUBLE, "By BM25."),
	MEMBER(rank, T_ULONGLONG, "1, 2, ..."),
	MEMBER(document, T_ULONGLONG, "A number that no other document of this opened index has; the matrix knows it."),
	{NULL, 0, 0, 0, NULL},
};

static PyGetSetDef hit_properties[] = {
	{"snippet", hit_part, NULL,
         "Some text around the words found; None: the text is gone. Made when it is first asked for.", (void *)0},
	{"is_changed", hit_part, NULL, "The text is not what was indexed.", (void *)1},
	{"passages", hit_part, NULL, "A list of Passage: all places where words of the query stand, in order.",
         (void *)2},
	{"best", hit_part, NULL, "The Passage that has most distinct words, or that of the beginning.", (void *)3},
	{NULL, NULL, NULL, NULL, NULL},
};

static char hit_doc[] = "A document that matches.";

static PyType_Slot hit_slots[] = {
	{Py_tp_doc, hit_doc},         {Py_tp_dealloc, hit_dealloc},   {Py_tp_repr, hit_repr},
	{Py_tp_members, hit_members}, {Py_tp_getset, hit_properties}, {0, NULL},
};

static PyType_Spec hit_spec = {"bitsift.Hit", sizeof(struct hit), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, hit_slots};

static PyStructSequence_Field passage_fields[] = {
	{"line", "1, 2, ...: of the file; of a record, its line in the collection; 0: unknown"},
	{"column", "1, 2, ...: in that line, in bytes"},
	{"start", "byte of the file, or of the text of the field, where the first word begins"},
	{"stop", "... where the last one ends"},
	{"field", "of a record: the field's name"},
	{"text", "the lines that the words stand in, as one"},
	{NULL, NULL},
};

static PyStructSequence_Desc passage_desc = {"bitsift.Passage", "A place in a document where words of the query stand.",
                                             passage_fields, 6};

/* Hits as they are heard, without the GIL: numbers and, behind them, bytes. */
#define NONE SIZE_MAX
struct heard_hit {
	uint64_t rank, document;
	double score;
	size_t id_bytes, name_bytes, path_bytes, value_bytes, snippet_bytes, n_passages;
	bool is_changed, is_date;
};
struct heard_passage {
	uint64_t line, column, start, stop;
	size_t field_bytes, text_bytes;
};
struct heard {
	struct bs_py_bytes hits, notices; /* notices: NUL-ended each */
	size_t n;
	bool is_short_of_memory, only_ids, has_details;
};

static bool hear_passage(struct heard *heard, const struct bs_passage *passage)
{
	struct heard_passage one = {passage->line,      passage->column,      passage->start_byte,
	                            passage->stop_byte, passage->field_bytes, passage->text_bytes};
	return bs_py_append(&heard->hits, &one, sizeof(one)) &&
	       bs_py_append(&heard->hits, passage->field, passage->field_bytes) &&
	       bs_py_append(&heard->hits, passage->text, passage->text_bytes);
}

static bool hear_whole(struct heard *heard, const struct bs_find_hit *hit)
{
	struct heard_hit one = {
		.rank = hit->rank,
		.document = hit->document,
		.score = hit->score,
		.id_bytes = hit->id_bytes,
		.name_bytes = hit->local_id_bytes,
		.path_bytes = strlen(hit->path),
		.value_bytes = hit->value ? strlen(hit->value) : NONE,
		.snippet_bytes = heard->has_details && hit->snippet ? hit->snippet_bytes : NONE,
		.n_passages = heard->has_details ? hit->n_passages : 0,
		.is_changed = hit->is_changed,
		.is_date = hit->is_date,
	};
	struct bs_py_bytes *hits = &heard->hits;
	bool ok = bs_py_append(hits, &one, sizeof(one)) && bs_py_append(hits, hit->id, one.id_bytes) &&
	          bs_py_append(hits, hit->local_id, one.name_bytes) && bs_py_append(hits, hit->path, one.path_bytes) &&
	          (!hit->value || bs_py_append(hits, hit->value, one.value_bytes)) &&
	          (one.snippet_bytes == NONE || bs_py_append(hits, hit->snippet, one.snippet_bytes));
	for (size_t i = 0; i < one.n_passages && ok; i++)
		ok = hear_passage(heard, &hit->passages[i]);
	return ok && (!heard->has_details || hear_passage(heard, &hit->best));
}

static int hear_hit(void *context, const struct bs_find_hit *hit)
{
	struct heard *heard = context;
	bool ok = heard->only_ids ? bs_py_append(&heard->hits, &hit->id_bytes, sizeof(hit->id_bytes)) &&
	                                    bs_py_append(&heard->hits, hit->id, hit->id_bytes)
	                          : hear_whole(heard, hit);
	heard->n += ok;
	heard->is_short_of_memory |= !ok;
	return !ok;
}

static void hear_notice(void *context, const char *message)
{
	struct heard *heard = context;
	(void)bs_py_append(&heard->notices, message, strlen(message) + 1);
}

static PyObject *take_string(const char **at, size_t n_bytes)
{
	if (n_bytes == NONE)
		Py_RETURN_NONE;
	PyObject *string = bs_py_string(*at, n_bytes);
	*at += n_bytes;
	return string;
}

static PyObject *make_passage(const char **at)
{
	struct heard_passage heard;
	memcpy(&heard, *at, sizeof(heard));
	*at += sizeof(heard);
	PyObject *passage = PyStructSequence_New(bs_py_types.passage);
	if (!passage)
		return NULL;
	PyStructSequence_SetItem(passage, 0, PyLong_FromUnsignedLongLong(heard.line));
	PyStructSequence_SetItem(passage, 1, PyLong_FromUnsignedLongLong(heard.column));
	PyStructSequence_SetItem(passage, 2, PyLong_FromUnsignedLongLong(heard.start));
	PyStructSequence_SetItem(passage, 3, PyLong_FromUnsignedLongLong(heard.stop));
	PyStructSequence_SetItem(passage, 4, take_string(at, heard.field_bytes));
	PyStructSequence_SetItem(passage, 5, take_string(at, heard.text_bytes));
	if (PyErr_Occurred())
		Py_CLEAR(passage);
	return passage;
}

static PyObject *make_detail(const struct heard_hit *heard, const char **at)
{
	PyObject *snippet = take_string(at, heard->snippet_bytes);
	PyObject *passages = PyList_New(0);
	for (size_t i = 0; i < heard->n_passages && passages; i++) {
		PyObject *passage = make_passage(at);
		if (!passage || PyList_Append(passages, passage) < 0)
			Py_CLEAR(passages);
		Py_XDECREF(passage);
	}
	PyObject *best = passages ? make_passage(at) : NULL;
	PyObject *detail = snippet && best ? Py_BuildValue("(OOOO)", snippet, heard->is_changed ? Py_True : Py_False,
	                                                   passages, best)
	                                   : NULL;
	Py_XDECREF(snippet);
	Py_XDECREF(passages);
	Py_XDECREF(best);
	return detail;
}

/* Hits of a collection share theirs. */
struct last_path {
	PyObject *path; /* borrowed from the hit before */
	const char *bytes;
	size_t n_bytes;
};

static PyObject *make_hit(const char **at, PyObject *owner, bool has_details, struct last_path *last)
{
	struct heard_hit heard;
	memcpy(&heard, *at, sizeof(heard));
	*at += sizeof(heard);
	struct hit *hit = (struct hit *)PyType_GenericAlloc(bs_py_types.hit, 0);
	if (!hit)
		return NULL;
	const char *id = *at;
	hit->rank = heard.rank;
	hit->document = heard.document;
	hit->score = heard.score;
	hit->is_date = heard.is_date;
	hit->owner = owner;
	Py_INCREF(owner);
	hit->id = take_string(at, heard.id_bytes);
	if (heard.name_bytes == heard.id_bytes && memcmp(id, *at, heard.id_bytes) == 0) {
		Py_XINCREF(hit->id);
		hit->name = hit->id;
		*at += heard.name_bytes;
	} else {
		hit->name = take_string(at, heard.name_bytes);
	}
	if (last->path && last->n_bytes == heard.path_bytes && memcmp(last->bytes, *at, heard.path_bytes) == 0) {
		Py_INCREF(last->path);
		hit->path = last->path;
		*at += heard.path_bytes;
	} else {
		last->bytes = *at;
		last->n_bytes = heard.path_bytes;
		last->path = hit->path = take_string(at, heard.path_bytes);
	}
	hit->value = take_string(at, heard.value_bytes);
	if (has_details)
		hit->detail = make_detail(&heard, at);
	if (!hit->id || !hit->name || !hit->path || !hit->value || PyErr_Occurred())
		Py_CLEAR(hit);
	return (PyObject *)hit;
}

static PyObject *make_hits(const struct heard *heard, PyObject *owner)
{
	PyObject *list = PyList_New((Py_ssize_t)heard->n);
	const char *at = heard->hits.data;
	struct last_path last = {.path = NULL};
	for (size_t i = 0; list && i < heard->n; i++) {
		PyObject *one;
		if (heard->only_ids) {
			size_t n_bytes;
			memcpy(&n_bytes, at, sizeof(n_bytes));
			at += sizeof(n_bytes);
			one = take_string(&at, n_bytes);
		} else {
			one = make_hit(&at, owner, heard->has_details, &last);
		}
		if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *make_notices(const struct bs_py_bytes *notices)
{
	PyObject *list = PyList_New(0);
	for (size_t at = 0; list && at < notices->n_bytes;) {
		size_t n_bytes = strlen(notices->data + at);
		PyObject *notice = bs_py_text(notices->data + at, n_bytes);
		if (!notice || PyList_Append(list, notice) < 0)
			Py_CLEAR(list);
		Py_XDECREF(notice);
		at += n_bytes + 1;
	}
	return list;
}

static PyObject *finder_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"index", NULL};
	PyObject *index;
	struct bs_error err;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!", BS_PY_NAMES(names), bs_py_types.index, &index))
		return NULL;
	struct finder *self = (struct finder *)PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(index);
	self->index = index;
	enum bs_status status = bs_finder_new(bs_py_index(index), &self->finder, &err);
	if (status) {
		Py_DECREF(self);
		return bs_py_raise(status, &err);
	}
	return (PyObject *)self;
}

static void finder_dealloc(PyObject *object)
{
	struct finder *self = (struct finder *)object;
	bs_finder_free(self->finder);
	Py_XDECREF(self->index);
	free_object(object);
}

struct bs_finder *bs_py_finder_begin(PyObject *object)
{
	struct finder *self = (struct finder *)object;
	if (self->is_busy) {
		PyErr_SetString(PyExc_RuntimeError, "this finder is searching on another thread");
		return NULL;
	}
	self->is_busy = true;
	return self->finder;
}

void bs_py_finder_done(PyObject *object)
{
	((struct finder *)object)->is_busy = false;
}

bool bs_py_read_search(struct bs_py_keep *keep, PyObject *arguments, PyObject *keywords,
                       struct bs_py_search *search_out)
{
	static const char *const names[] = {"query",      "owner",        "mode",    "n",          "offset",
	                                    "any",        "strict",       "stop",    "stop_words", "feedback",
	                                    "like",       "like_text",    "approx",  "brute",      "no_stat",
	                                    "exhaustive", "threads",      "sort",    "descending", "details",
	                                    "columns",    "mark",         "globs",   "types",      "not_types",
	                                    "places",     "newer",        "older",   "date_field", "deadline",
	                                    "partial",    "memory_bytes", "suggest", NULL};
	PyObject *query, *owner = Py_None, *like_text = Py_None, *mark = Py_None, *stop_words = Py_None;
	PyObject *like = Py_None, *globs = Py_None, *types = Py_None, *not_types = Py_None, *places = Py_None;
	const char *stop = NULL, *sort = NULL, *newer = NULL, *older = NULL, *date_field = NULL;
	int mode = BS_FIND_TOP, any = 0, strict = 0, approx = 0, brute = 0, no_stat = 0, exhaustive = 0, descending = 0,
	    details = 0, partial = 0, suggest = 0;
	unsigned threads = 0, columns = 0;
	Py_ssize_t n = 0, offset = 0, feedback = 0;
	unsigned long long memory_bytes = 0;
	double deadline = 0;
	bool ok = true;
	size_t n_list;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OinnppzOnOOppppIzppIOOOOOzzzdpKp", BS_PY_NAMES(names),
	                                 &query, &owner, &mode, &n, &offset, &any, &strict, &stop, &stop_words,
	                                 &feedback, &like, &like_text, &approx, &brute, &no_stat, &exhaustive, &threads,
	                                 &sort, &descending, &details, &columns, &mark, &globs, &types, &not_types,
	                                 &places, &newer, &older, &date_field, &deadline, &partial, &memory_bytes,
	                                 &suggest))
		return false;
	if (n < 0 || offset < 0 || feedback < 0) {
		PyErr_SetString(PyExc_ValueError, "a negative number");
		return false;
	}
	struct bs_find_request *request = &search_out->request;
	*request = (struct bs_find_request){
		.mode = (enum bs_find_mode)mode,
		.n_best = (size_t)n,
		.offset = (size_t)offset,
		.any = any != 0,
		.strict_query = strict != 0,
		.stop_language = stop,
		.feedback_docs = (size_t)feedback,
		.like_id = bs_py_chars(keep, like, &ok),
		.approx = approx != 0,
		.brute = brute != 0,
		.no_stat = no_stat != 0,
		.exhaustive = exhaustive != 0,
		.n_threads = threads,
		.sort_field = sort,
		.sort_descending = descending != 0,
		.snippets = details != 0,
		.passages = details != 0,
		.snippet_columns = columns,
		.suggest = suggest != 0,
		.globs = bs_py_strings(keep, globs, &n_list, &ok),
		.types = bs_py_strings(keep, types, &n_list, &ok),
		.type_nots = bs_py_strings(keep, not_types, &n_list, &ok),
		.places = bs_py_strings(keep, places, &n_list, &ok),
		.newer = newer,
		.older = older,
		.date_field = date_field,
	};
	request->query = ok ? bs_py_bytes_of(keep, query, &request->query_bytes) : NULL;
	ok = request->query != NULL;
	if (ok && like_text != Py_None)
		ok = (request->like_text = bs_py_bytes_of(keep, like_text, &request->like_text_bytes)) != NULL;
	if (ok && stop_words != Py_None)
		ok = (request->stop_words = bs_py_bytes_of(keep, stop_words, &request->stop_words_bytes)) != NULL;
	if (ok && mark != Py_None) {
		ok = PyTuple_Check(mark) && PyArg_ParseTuple(mark, "ss", &request->mark_start, &request->mark_stop);
		if (!ok)
			PyErr_SetString(PyExc_TypeError, "mark is a pair of strings");
	}
	bs_py_watch_init(&search_out->watch, deadline, partial != 0);
	search_out->watch.limits.memory_bytes = memory_bytes;
	request->limits = &search_out->watch.limits;
	search_out->owner = owner;
	return ok;
}

static PyObject *make_stats(const struct bs_query_stats *stats)
{
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K}", "total_ns", (unsigned long long)stats->total_ns, "lines_read",
	                     (unsigned long long)stats->lines_read, "candidates", (unsigned long long)stats->candidates,
	                     "verified", (unsigned long long)stats->verified, "false_positives",
	                     (unsigned long long)stats->false_positives, "bytes_verified",
	                     (unsigned long long)stats->bytes_verified);
}

/* find(query, owner, mode, ...) -> (hits or ids, number of hits, at least, unreadable, partial, notices, stats) */
static PyObject *finder_find(PyObject *self, PyObject *arguments, PyObject *keywords)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_search search;
	struct bs_find_result result;
	struct bs_error err;
	struct heard heard = {.n = 0};
	PyObject *answer = NULL;
	struct bs_finder *finder = bs_py_finder_begin(self);
	if (!finder)
		return NULL;
	if (bs_py_read_search(&keep, arguments, keywords, &search)) {
		enum bs_status status;
		heard.only_ids = search.request.mode == BS_FIND_IDS;
		heard.has_details = search.request.snippets;
		search.request.hit = hear_hit;
		search.request.notice = hear_notice;
		search.request.context = &heard;
		Py_BEGIN_ALLOW_THREADS status = bs_find(finder, &search.request, &result, &err);
		Py_END_ALLOW_THREADS if (heard.is_short_of_memory)(void) PyErr_NoMemory();
		else if (status)(void) bs_py_raise_at(status, &err, search.request.query, result.error_byte);
		PyObject *hits = PyErr_Occurred() ? NULL : make_hits(&heard, search.owner);
		PyObject *notices = hits ? make_notices(&heard.notices) : NULL;
		PyObject *stats = notices ? make_stats(&result.stats) : NULL;
		if (stats)
			answer = Py_BuildValue("(OKOKOOO)", hits, (unsigned long long)result.n_hits,
			                       result.is_at_least ? Py_True : Py_False,
			                       (unsigned long long)result.n_unreadable,
			                       result.is_partial ? Py_True : Py_False, notices, stats);
		Py_XDECREF(hits);
		Py_XDECREF(notices);
		Py_XDECREF(stats);
	}
	bs_py_finder_done(self);
	bs_py_bytes_free(&heard.hits);
	bs_py_bytes_free(&heard.notices);
	bs_py_keep_free(&keep);
	return answer;
}

/* {field: text}, or {field: [text, ...]} where it comes again. */
static PyObject *make_texts(const struct bs_text *texts, size_t n)
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

/* document(id) -> (texts, is_changed) */
static PyObject *finder_document(PyObject *self, PyObject *id)
{
	struct bs_py_keep keep = {.objects = NULL};
	const struct bs_text *texts = NULL;
	size_t n_texts = 0, id_bytes = 0;
	bool is_changed = false;
	struct bs_error err;
	PyObject *answer = NULL;
	const char *bytes = bs_py_bytes_of(&keep, id, &id_bytes);
	struct bs_finder *finder = bytes ? bs_py_finder_begin(self) : NULL;
	if (finder) {
		enum bs_status status;
		Py_BEGIN_ALLOW_THREADS status =
			bs_document(finder, bytes, id_bytes, &texts, &n_texts, &is_changed, &err);
		Py_END_ALLOW_THREADS PyObject *dict = status ? bs_py_raise(status, &err) : make_texts(texts, n_texts);
		answer = dict ? Py_BuildValue("(NO)", dict, is_changed ? Py_True : Py_False) : NULL;
		bs_py_finder_done(self);
	}
	bs_py_keep_free(&keep);
	return answer;
}

static PyMethodDef finder_methods[] = {
	BS_PY_METHOD("find", finder_find, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("document", finder_document, METH_O),
	{NULL, NULL, 0, NULL},
};

static PyType_Slot finder_slots[] = {
	{Py_tp_new, finder_new},
	{Py_tp_dealloc, finder_dealloc},
	{Py_tp_methods, finder_methods},
	{0, NULL},
};

static PyType_Spec finder_spec = {"bitsift._bitsift.Finder", sizeof(struct finder), 0, Py_TPFLAGS_DEFAULT,
                                  finder_slots};

bool bs_py_add_searching(PyObject *module)
{
	bs_py_types.passage = PyStructSequence_NewType(&passage_desc);
	bs_py_types.memory = bs_py_add_type(module, &memory_spec);
	bs_py_types.index = bs_py_add_type(module, &index_spec);
	bs_py_types.hit = bs_py_add_type(module, &hit_spec);
	PyTypeObject *finder = bs_py_add_type(module, &finder_spec);
	Py_XDECREF((PyObject *)finder);
	return bs_py_types.passage && bs_py_types.memory && bs_py_types.index && bs_py_types.hit && finder &&
	       PyModule_AddObjectRef(module, "Passage", (PyObject *)bs_py_types.passage) == 0;
}
