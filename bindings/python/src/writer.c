/* writer.c: documents from Python into an index, and indexes of files. See bitsift_py.h. */
#include "bitsift_py.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The lock is taken without the GIL: whoever has it may be waiting for that. */
struct writer {
	PyObject_HEAD struct bs_writer *writer;
	PyObject *memory, *texts;
	struct bs_consent consent;
	struct bs_py_provider provider;
	struct bs_py_watch watch;
	struct bs_py_keep keep; /* of the options */
	pthread_mutex_t lock;
};

#define BEGIN(self)                  \
	do {                         \
		if (!begin(self))    \
			return NULL; \
	} while (0)

/* The watch is of the thread that is at it. */
static bool begin(struct writer *self)
{
	int failed;
	Py_BEGIN_ALLOW_THREADS failed = pthread_mutex_lock(&self->lock);
	Py_END_ALLOW_THREADS if (failed)
	{
		PyErr_SetString(PyExc_RuntimeError, "the writer is at work already, for a callback of its own");
		return false;
	}
	if (!self->writer) {
		(void)pthread_mutex_unlock(&self->lock);
		PyErr_SetString(PyExc_ValueError, "the writer is closed");
		return false;
	}
	bs_py_watch_init(&self->watch, 0, false);
	return true;
}

static void done(struct writer *self)
{
	(void)pthread_mutex_unlock(&self->lock);
}

static bool open_writer(struct writer *self, struct bs_writer_request *request)
{
	struct bs_error err;
	enum bs_status status;
	request->memory = self->memory ? bs_py_memory(self->memory) : NULL;
	request->texts = self->texts ? &self->provider.provider : NULL;
	request->consent = &self->consent;
	request->limits = &self->watch.limits;
	bs_py_watch_init(&self->watch, 0, false);
	Py_BEGIN_ALLOW_THREADS status = bs_writer_open(request, &self->writer, &err);
	Py_END_ALLOW_THREADS if (status)(void) bs_py_raise(status, &err);
	return !status && !PyErr_Occurred();
}

static PyObject *writer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {
		"dir",     "memory", "stem",  "fold_accents", "split_identifiers", "weights",
		"density", "store",  "texts", "memory_bytes", "threads",           "wait",
		"trust",   NULL};
	PyObject *dir = Py_None, *memory = Py_None, *weights = Py_None, *texts = Py_None;
	const char *stem = NULL;
	int fold_accents = 0, split_identifiers = 0, store = 1, wait = 0, trust = 0;
	unsigned threads = 0;
	unsigned long long memory_bytes = 0;
	double density = 0;
	size_t n;
	bool ok = true;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOzppOdpOKIpp", BS_PY_NAMES(names), &dir, &memory,
	                                 &stem, &fold_accents, &split_identifiers, &weights, &density, &store, &texts,
	                                 &memory_bytes, &threads, &wait, &trust))
		return NULL;
	if (memory != Py_None && !PyObject_TypeCheck(memory, bs_py_types.memory)) {
		PyErr_SetString(PyExc_TypeError, "memory: not a Memory");
		return NULL;
	}
	struct writer *self = (struct writer *)PyType_GenericAlloc(type, 0);
	pthread_mutexattr_t checked;
	if (!self)
		return NULL;
	(void)pthread_mutexattr_init(&checked);
	(void)pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
	(void)pthread_mutex_init(&self->lock, &checked);
	(void)pthread_mutexattr_destroy(&checked);
	self->memory = memory == Py_None ? NULL : memory;
	self->texts = texts == Py_None ? NULL : texts;
	Py_XINCREF(self->memory);
	Py_XINCREF(self->texts);
	self->consent.all = trust != 0;
	bs_py_provider_init(&self->provider, self->texts);
	struct bs_writer_request request = {
		.dir = bs_py_chars(&self->keep, dir, &ok),
		.fold_accents = fold_accents != 0,
		.split_identifiers = split_identifiers != 0,
		.weights = bs_py_strings(&self->keep, weights, &n, &ok),
		.density = density,
		.not_stored = store == 0,
		.memory_bytes = memory_bytes,
		.n_threads = threads,
		.wait = wait != 0,
	};
	if (ok && stem)
		ok = (request.stem_language =
		              memcpy(bs_py_block(&self->keep, strlen(stem) + 1), stem, strlen(stem) + 1)) != NULL;
	if (!ok || !open_writer(self, &request))
		Py_CLEAR(self);
	return (PyObject *)self;
}

/* Closes what no other thread can be at any more. */
static void close_writer(struct writer *self)
{
	struct bs_writer *writer = self->writer;
	self->writer = NULL;
	Py_BEGIN_ALLOW_THREADS bs_writer_close(writer);
	Py_END_ALLOW_THREADS
}

static void writer_dealloc(PyObject *object)
{
	struct writer *self = (struct writer *)object;
	PyTypeObject *type = Py_TYPE(object);
	close_writer(self);
	Py_XDECREF(self->memory);
	Py_XDECREF(self->texts);
	bs_py_keep_free(&self->keep);
	(void)pthread_mutex_destroy(&self->lock);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

/* A document that is ready to be added. */
struct ready {
	const char *id;
	size_t id_bytes, first_text, n_texts;
};

/* Documents that are added together: so many that the GIL is not asked for at each of them, nor kept for long. */
#define BATCH_DOCUMENTS 256u
#define BATCH_BYTES     (1u << 20)

struct batch {
	struct bs_py_keep keep;
	struct bs_py_bytes texts; /* struct bs_text each */
	struct ready documents[BATCH_DOCUMENTS];
	size_t n, n_bytes;
};

static bool put_into(struct batch *batch, PyObject *id, PyObject *document)
{
	struct ready *ready = &batch->documents[batch->n];
	size_t first = batch->texts.n_bytes / sizeof(struct bs_text);
	if (!PyUnicode_Check(id) && !PyBytes_Check(id)) {
		PyErr_Format(PyExc_TypeError, "an id is a str or bytes, not %R", (PyObject *)Py_TYPE(id));
		return false;
	}
	ready->id = bs_py_bytes_of(&batch->keep, id, &ready->id_bytes);
	if (!ready->id || !bs_py_document(&batch->keep, document, &batch->texts))
		return false;
	ready->first_text = first;
	ready->n_texts = batch->texts.n_bytes / sizeof(struct bs_text) - first;
	const struct bs_text *texts = (const struct bs_text *)(const void *)batch->texts.data;
	for (size_t i = 0; i < ready->n_texts; i++)
		batch->n_bytes += texts[first + i].text_bytes;
	batch->n++;
	return true;
}

/* Without the GIL. *n_out: how many were added. */
static enum bs_status add_batch(struct bs_writer *writer, const struct batch *batch, bool is_replace, size_t *n_out,
                                struct bs_error *err)
{
	const struct bs_text *texts = (const struct bs_text *)(const void *)batch->texts.data;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < batch->n && !status; i++) {
		const struct ready *ready = &batch->documents[i];
		const struct bs_text *of = texts ? texts + ready->first_text : NULL;
		status = (is_replace ? bs_writer_replace : bs_writer_add)(writer, ready->id, ready->id_bytes, of,
		                                                          ready->n_texts, err);
		*n_out += !status;
	}
	return status;
}

/* Adds what the batch has, and empties it. */
static bool flush(struct writer *self, struct batch *batch, bool is_replace, size_t *n_out)
{
	struct bs_error err;
	enum bs_status status;
	Py_BEGIN_ALLOW_THREADS status = add_batch(self->writer, batch, is_replace, n_out, &err);
	Py_END_ALLOW_THREADS if (status)(void) bs_py_raise(status, &err);
	bs_py_keep_free(&batch->keep);
	batch->texts.n_bytes = batch->n = batch->n_bytes = 0;
	return !status && !PyErr_Occurred();
}

static PyObject *add_one(struct writer *self, PyObject *arguments, bool is_replace)
{
	PyObject *id, *document;
	struct batch *batch = calloc(1, sizeof(*batch));
	size_t n = 0;
	bool ok = batch && PyArg_ParseTuple(arguments, "OO", &id, &document) && put_into(batch, id, document) &&
	          begin(self);
	if (ok) {
		ok = flush(self, batch, is_replace, &n);
		done(self);
	}
	if (!batch)
		return PyErr_NoMemory();
	bs_py_keep_free(&batch->keep);
	bs_py_bytes_free(&batch->texts);
	free(batch);
	if (!ok)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *writer_add(PyObject *self, PyObject *arguments)
{
	return add_one((struct writer *)self, arguments, false);
}

static PyObject *writer_replace(PyObject *self, PyObject *arguments)
{
	return add_one((struct writer *)self, arguments, true);
}

/* (id, document), or a document with an "id". */
static bool put_item(struct batch *batch, PyObject *item)
{
	if (PyTuple_Check(item) && PyTuple_Size(item) == 2)
		return put_into(batch, PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1));
	if (!PyDict_Check(item)) {
		PyErr_SetString(PyExc_TypeError, "each is a pair (id, document), or a dict with an \"id\"");
		return false;
	}
	PyObject *id = PyDict_GetItemString(item, "id");
	PyObject *text = id ? PyObject_Str(id) : NULL;
	PyObject *rest = text ? PyDict_Copy(item) : NULL;
	bool ok = rest && PyDict_DelItemString(rest, "id") == 0 && put_into(batch, text, rest);
	if (!id)
		PyErr_SetString(PyExc_KeyError, "id");
	Py_XDECREF(text);
	Py_XDECREF(rest);
	return ok;
}

static PyObject *writer_add_many(PyObject *object, PyObject *documents)
{
	struct writer *self = (struct writer *)object;
	PyObject *iterator = PyObject_GetIter(documents), *item = NULL;
	struct batch *batch = iterator ? calloc(1, sizeof(*batch)) : NULL;
	size_t n = 0;
	bool ok = true;
	if (iterator && !batch)
		PyErr_NoMemory();
	while (batch && ok && (item = PyIter_Next(iterator)) != NULL) {
		ok = put_item(batch, item);
		Py_DECREF(item);
		if (ok && (batch->n == BATCH_DOCUMENTS || batch->n_bytes >= BATCH_BYTES)) {
			ok = begin(self) && flush(self, batch, false, &n);
			done(self);
		}
	}
	/* What was given before a failure is added. */
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	if (batch && batch->n > 0 && (ok || type) && begin(self)) {
		(void)flush(self, batch, false, &n);
		done(self);
	}
	if (type)
		PyErr_Restore(type, value, trace);
	if (batch) {
		bs_py_keep_free(&batch->keep);
		bs_py_bytes_free(&batch->texts);
	}
	free(batch);
	Py_XDECREF(iterator);
	return PyErr_Occurred() ? NULL : PyLong_FromSize_t(n);
}

static PyObject *writer_delete(PyObject *object, PyObject *id)
{
	struct writer *self = (struct writer *)object;
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_error err;
	size_t id_bytes;
	bool was_there = false, ok = false;
	const char *bytes = bs_py_bytes_of(&keep, id, &id_bytes);
	if (bytes && begin(self)) {
		enum bs_status status;
		Py_BEGIN_ALLOW_THREADS status = bs_writer_delete(self->writer, bytes, id_bytes, &was_there, &err);
		Py_END_ALLOW_THREADS done(self);
		if (status)
			(void)bs_py_raise(status, &err);
		ok = !PyErr_Occurred();
	}
	bs_py_keep_free(&keep);
	return ok ? PyBool_FromLong(was_there) : NULL;
}

static PyObject *writer_delete_query(PyObject *object, PyObject *query)
{
	struct writer *self = (struct writer *)object;
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_error err;
	size_t n_bytes;
	uint64_t n = 0;
	bool ok = false;
	const char *bytes = bs_py_bytes_of(&keep, query, &n_bytes);
	if (bytes && begin(self)) {
		enum bs_status status;
		Py_BEGIN_ALLOW_THREADS status = bs_writer_delete_query(self->writer, bytes, n_bytes, &n, &err);
		Py_END_ALLOW_THREADS done(self);
		if (status)
			(void)bs_py_raise(status, &err);
		ok = !PyErr_Occurred();
	}
	bs_py_keep_free(&keep);
	return ok ? PyLong_FromUnsignedLongLong(n) : NULL;
}

static PyObject *writer_commit(PyObject *object, PyObject *unused)
{
	struct writer *self = (struct writer *)object;
	struct bs_build_report report;
	struct bs_error err;
	enum bs_status status;
	(void)unused;
	BEGIN(self);
	Py_BEGIN_ALLOW_THREADS status = bs_writer_commit(self->writer, &report, &err);
	Py_END_ALLOW_THREADS done(self);
	if (status || PyErr_Occurred())
		return bs_py_raise(status, &err);
	return bs_py_report(&report);
}

static PyObject *writer_rollback(PyObject *object, PyObject *unused)
{
	struct writer *self = (struct writer *)object;
	(void)unused;
	BEGIN(self);
	Py_BEGIN_ALLOW_THREADS bs_writer_rollback(self->writer);
	Py_END_ALLOW_THREADS done(self);
	Py_RETURN_NONE;
}

static PyObject *writer_close(PyObject *object, PyObject *unused)
{
	struct writer *self = (struct writer *)object;
	(void)unused;
	if (!self->writer)
		Py_RETURN_NONE;
	BEGIN(self);
	close_writer(self);
	done(self);
	Py_RETURN_NONE;
}

static PyMethodDef writer_methods[] = {
	BS_PY_METHOD("add", writer_add, METH_VARARGS),
	BS_PY_METHOD("add_many", writer_add_many, METH_O),
	BS_PY_METHOD("replace", writer_replace, METH_VARARGS),
	BS_PY_METHOD("delete", writer_delete, METH_O),
	BS_PY_METHOD("delete_query", writer_delete_query, METH_O),
	BS_PY_METHOD("commit", writer_commit, METH_NOARGS),
	BS_PY_METHOD("rollback", writer_rollback, METH_NOARGS),
	BS_PY_METHOD("close", writer_close, METH_NOARGS),
	{NULL, NULL, 0, NULL},
};

static PyType_Slot writer_slots[] = {
	{Py_tp_new, writer_new},
	{Py_tp_dealloc, writer_dealloc},
	{Py_tp_methods, writer_methods},
	{0, NULL},
};

static PyType_Spec writer_spec = {"bitsift._bitsift.Writer", sizeof(struct writer), 0, Py_TPFLAGS_DEFAULT,
                                  writer_slots};

/* Lines about what was left out, or is to be known; NUL-ended each. */
static void hear_skipped(void *context, enum bs_skip reason, const char *message)
{
	(void)reason;
	(void)bs_py_append(context, message, strlen(message) + 1);
}

static void hear_notice(void *context, const char *message)
{
	(void)bs_py_append(context, message, strlen(message) + 1);
}

static bool add_notices(PyObject *report, const struct bs_py_bytes *notices)
{
	PyObject *list = PyList_New(0);
	for (size_t at = 0; list && at < notices->n_bytes; at += strlen(notices->data + at) + 1) {
		PyObject *line = bs_py_text(notices->data + at, strlen(notices->data + at));
		if (!line || PyList_Append(list, line) < 0)
			Py_CLEAR(list);
		Py_XDECREF(line);
	}
	bool ok = list && PyDict_SetItemString(report, "notices", list) == 0;
	Py_XDECREF(list);
	return ok;
}

/* build(dir, sources, ...): bs_index_build; compact(dir): bs_index_compact. */
static PyObject *build(PyObject *arguments, PyObject *keywords, bool is_compact)
{
	static const char *const names[] = {"dir",
	                                    "memory",
	                                    "sources",
	                                    "forget",
	                                    "words",
	                                    "grams",
	                                    "stem",
	                                    "fold_accents",
	                                    "split_identifiers",
	                                    "weights",
	                                    "hidden",
	                                    "no_ignore",
	                                    "id_field",
	                                    "text_fields",
	                                    "globs",
	                                    "records",
	                                    "store",
	                                    "density",
	                                    "rebuild",
	                                    "strict",
	                                    "wait",
	                                    "memory_bytes",
	                                    "threads",
	                                    "trust",
	                                    "deadline",
	                                    NULL};
	PyObject *dir = Py_None, *memory = Py_None, *sources = Py_None, *forget = Py_None, *weights = Py_None,
		 *text_fields = Py_None, *globs = Py_None, *records = Py_None;
	const char *stem = NULL, *id_field = NULL;
	int words = 0, grams = 0, fold_accents = 0, split_identifiers = 0, hidden = 0, no_ignore = 0, store = 0,
	    rebuild = 0, strict = 0, wait = 0, trust = 0;
	double density = 0, deadline = 0;
	unsigned long long memory_bytes = 0;
	unsigned threads = 0;
	size_t n_list;
	bool ok = true;
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_bytes notices = {.data = NULL};
	struct bs_py_watch watch;
	struct bs_build_request request;
	struct bs_build_report report;
	struct bs_error err;
	PyObject *answer = NULL;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOOOppzppOppzOOOpdpppKIpd", BS_PY_NAMES(names), &dir,
	                                 &memory, &sources, &forget, &words, &grams, &stem, &fold_accents,
	                                 &split_identifiers, &weights, &hidden, &no_ignore, &id_field, &text_fields,
	                                 &globs, &records, &store, &density, &rebuild, &strict, &wait, &memory_bytes,
	                                 &threads, &trust, &deadline))
		return NULL;
	if (memory != Py_None && !PyObject_TypeCheck(memory, bs_py_types.memory)) {
		PyErr_SetString(PyExc_TypeError, "memory: not a Memory");
		return NULL;
	}
	struct bs_consent consent = {.all = trust != 0};
	bs_py_watch_init(&watch, deadline, false);
	request = (struct bs_build_request){
		.dir = bs_py_chars(&keep, dir, &ok),
		.memory = memory == Py_None ? NULL : bs_py_memory(memory),
		.words = words != 0,
		.grams = grams != 0,
		.stem_language = stem,
		.fold_accents = fold_accents != 0,
		.split_identifiers = split_identifiers != 0,
		.hidden = hidden != 0,
		.no_ignore = no_ignore != 0,
		.id_field = id_field,
		.store = store != 0,
		.density = density,
		.rebuild = rebuild != 0,
		.strict = strict != 0,
		.wait = wait != 0,
		.memory_bytes = memory_bytes,
		.n_threads = threads,
		.skipped = hear_skipped,
		.notice = hear_notice,
		.context = &notices,
		.consent = &consent,
		.limits = &watch.limits,
	};
	request.sources = bs_py_strings(&keep, sources, &request.n_sources, &ok);
	request.forget = bs_py_strings(&keep, forget, &request.n_forget, &ok);
	request.weights = bs_py_strings(&keep, weights, &n_list, &ok);
	request.text_fields = bs_py_strings(&keep, text_fields, &n_list, &ok);
	request.globs = bs_py_strings(&keep, globs, &n_list, &ok);
	request.records = bs_py_strings(&keep, records, &n_list, &ok);
	if (ok) {
		enum bs_status status;
		Py_BEGIN_ALLOW_THREADS status =
			(is_compact ? bs_index_compact : bs_index_build)(&request, &report, &err);
		Py_END_ALLOW_THREADS answer =
			status || PyErr_Occurred() ? bs_py_raise(status, &err) : bs_py_report(&report);
		if (answer && !add_notices(answer, &notices))
			Py_CLEAR(answer);
	}
	bs_py_bytes_free(&notices);
	bs_py_keep_free(&keep);
	return answer;
}

static PyObject *build_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	(void)module;
	return build(arguments, keywords, false);
}

static PyObject *compact_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	(void)module;
	return build(arguments, keywords, true);
}

static PyObject *check_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"dir", "memory", "trust", NULL};
	PyObject *dir = Py_None, *memory = Py_None, *answer = NULL;
	int trust = 0;
	bool ok = true;
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_check_report report;
	struct bs_error err;
	struct bs_py_watch watch;
	(void)module;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOp", BS_PY_NAMES(names), &dir, &memory, &trust))
		return NULL;
	struct bs_consent consent = {.all = trust != 0};
	bs_py_watch_init(&watch, 0, false);
	struct bs_check_request request = {
		.dir = bs_py_chars(&keep, dir, &ok), .consent = &consent, .limits = &watch.limits};
	if (ok && memory != Py_None) {
		ok = PyObject_TypeCheck(memory, bs_py_types.memory);
		if (ok)
			request.memory = bs_py_memory(memory);
		else
			PyErr_SetString(PyExc_TypeError, "memory: not a Memory");
	}
	if (ok) {
		enum bs_status status;
		Py_BEGIN_ALLOW_THREADS status = bs_index_check(&request, &report, &err);
		Py_END_ALLOW_THREADS answer =
			status || PyErr_Occurred()
				? bs_py_raise(status, &err)
				: Py_BuildValue("{s:K,s:K,s:K}", "docs", (unsigned long long)report.n_docs, "segments",
		                                (unsigned long long)report.n_segments, "bytes",
		                                (unsigned long long)report.n_bytes);
	}
	bs_py_keep_free(&keep);
	return answer;
}

static PyObject *locate_index(PyObject *module, PyObject *unused)
{
	char *dir;
	struct bs_error err;
	(void)module;
	(void)unused;
	enum bs_status status = bs_index_locate(&dir, &err);
	if (status)
		return bs_py_raise(status, &err);
	PyObject *path = bs_py_string(dir, strlen(dir));
	free(dir);
	return path;
}

static PyMethodDef functions[] = {
	BS_PY_METHOD("build", build_index, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("compact", compact_index, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("check", check_index, METH_VARARGS | METH_KEYWORDS),
	BS_PY_DOCUMENTED(
		"locate", locate_index, METH_NOARGS,
		"locate()\n--\n\nThe nearest .bitsift of the working directory and its parents. NotFoundError."),
	{NULL, NULL, 0, NULL},
};

bool bs_py_add_writing(PyObject *module)
{
	PyTypeObject *writer = bs_py_add_type(module, &writer_spec);
	Py_XDECREF((PyObject *)writer);
	return writer && PyModule_AddFunctions(module, functions) == 0;
}
