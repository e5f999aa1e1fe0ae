/* py_writer.c: see py_writer.h. */
#include "py_writer.h"

#include <stdlib.h>
#include <string.h>

#include <bitsift/writer.h>

#include "../base/py_document.h"
#include "../base/py_lock.h"
#include "../base/py_messages.h"
#include "py_files.h"

struct writer {
	PyObject_HEAD struct bs_writer *writer;
	struct bs_py_context context;
	struct bs_py_deadline deadline; /* limits of the call that holds the lock */
	struct bs_py_keep keep;         /* owns the values of the options */
	pthread_mutex_t lock;
	/* The process that opened the writer. The writer's lock of the index and the uncommitted
	 * files belong to it. */
	pid_t process;
};

/* Takes the lock for a call that is limited by `cancel` (or NULL) and deadline_ns (or 0). False
 * with an exception set and without the lock. */
static bool begin_limited(struct writer *self, PyObject *cancel, uint64_t deadline_ns)
{
	if (self->process != getpid()) {
		PyErr_SetString(
			PyExc_RuntimeError,
			"the writer belongs to the process that opened it: open the index again");
		return false;
	}
	if (!bs_py_lock(&self->lock, "writer", &self->context))
		return false;
	if (!self->writer) {
		(void)pthread_mutex_unlock(&self->lock);
		PyErr_SetString(PyExc_ValueError, "the writer is closed");
		return false;
	}
	bs_py_deadline_init(&self->deadline);
	self->deadline.cancel = cancel;
	self->deadline.limits.deadline_ns = deadline_ns;
	bs_py_deadline_begin(&self->deadline);
	return true;
}

static bool begin(struct writer *self)
{
	return begin_limited(self, NULL, 0);
}

/* Releases the lock. True if the call succeeded; otherwise an exception is set. */
static bool end(struct writer *self, enum bs_status status, const struct bs_error *err)
{
	self->deadline.limits = (struct bs_limits){.deadline_ns = 0};
	(void)pthread_mutex_unlock(&self->lock);
	bs_py_context_failed(&self->context);
	if (status)
		(void)bs_py_raise(status, err);
	return !PyErr_Occurred();
}

struct opening {
	struct bs_writer_request request;
	struct bs_py_context context;
};

#define AT(member) offsetof(struct opening, member)

static const struct bs_py_option writer_options[] = {
	{"dir", BS_PY_CHARS, AT(request.dir), 0, NULL, NULL},
	{"stem", BS_PY_CHARS, AT(request.index.stem_language), 0, NULL, NULL},
	{"fold_accents", BS_PY_BOOL, AT(request.index.fold_accents), 0, NULL, NULL},
	{"split_identifiers", BS_PY_BOOL, AT(request.index.split_identifiers), 0, NULL, NULL},
	{"weights", BS_PY_WEIGHTS, AT(request.index.weights), 0, NULL, NULL},
	{"density", BS_PY_DOUBLE, AT(request.index.density), 0, NULL, NULL},
	{"store", BS_PY_NOT, AT(request.not_stored), 0, NULL, NULL},
	{"checksums", BS_PY_NOT, AT(request.no_checksums), 0, NULL, NULL},
	{"memory_bytes", BS_PY_U64, AT(request.write.memory_bytes), 0, NULL, NULL},
	{"threads", BS_PY_U32, AT(request.write.n_threads), 0, NULL, NULL},
	{"wait", BS_PY_BOOL, AT(request.write.wait), 0, NULL, NULL},
	BS_PY_CONTEXT_OPTIONS(struct opening, context),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

static bool open_writer(struct writer *self, struct opening *opening)
{
	struct bs_writer_request *request = &opening->request;
	struct bs_error err;
	enum bs_status status;
	self->context = opening->context;
	self->process = getpid();
	bs_py_lock_init(&self->lock);
	if (!bs_py_context_begin(&self->context))
		return false;
	BS_PY_FILL_REQUEST(request, &self->context, &self->deadline);
	bs_py_deadline_init(&self->deadline);
	bs_py_deadline_begin(&self->deadline);
	BS_PY_WITHOUT_GIL(status = bs_writer_open(request, &self->writer, &err));
	self->deadline.limits = (struct bs_limits){.deadline_ns = 0};
	if (status)
		(void)bs_py_raise(status, &err);
	return !PyErr_Occurred();
}

static PyObject *writer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct opening opening = {.request = {.dir = NULL}};
	struct bs_py_keep keep = {.objects = NULL};
	struct writer *self = NULL;
	if (PyArg_ParseTuple(arguments, "") &&
	    bs_py_read_options(&keep, keywords, writer_options, &opening))
		self = (struct writer *)PyType_GenericAlloc(type, 0);
	if (!self) {
		bs_py_keep_free(&keep);
		return NULL;
	}
	self->keep = keep;
	if (!open_writer(self, &opening))
		Py_CLEAR(self);
	return (PyObject *)self;
}

/* Closes the writer. The caller ensures that no other thread uses it. In the child of a fork the
 * writer is not closed, because its rollback would remove files of the parent. */
static void close_writer(struct writer *self)
{
	struct bs_writer *writer = self->writer;
	self->writer = NULL;
	if (writer && self->process == getpid())
		BS_PY_WITHOUT_GIL(bs_writer_close(writer));
}

static int writer_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	struct writer *self = (struct writer *)object;
	int visited = bs_py_keep_traverse(&self->keep, visit, arg);
	return visited ? visited : bs_py_context_traverse(&self->context, visit, arg);
}

static void writer_dealloc(PyObject *object)
{
	struct writer *self = (struct writer *)object;
	PyObject_GC_UnTrack(object);
	close_writer(self);
	bs_py_context_clear(&self->context);
	bs_py_keep_free(&self->keep);
	(void)pthread_mutex_destroy(&self->lock);
	bs_py_free(object);
}

/* A document of a batch. */
struct ready {
	const char *id;
	size_t id_bytes, first_text, n_texts; /* first_text: the index in batch->texts */
};

/* The size of a batch: large enough that the GIL is not requested for each document, small enough
 * that it is not held for long. */
#define BATCH_DOCUMENTS 256u
#define BATCH_BYTES     (1u << 20)

/* Documents that were read from Python objects and will be added together, without the GIL. */
struct batch {
	struct bs_py_keep keep;       /* owns what `texts` and `documents` borrow */
	struct bs_py_text_list texts; /* of all documents */
	struct ready *documents;
	size_t n;       /* number of documents */
	size_t n_bytes; /* total size of their texts */
};

static bool put_into(struct batch *batch, PyObject *id, PyObject *document)
{
	struct ready *ready = &batch->documents[batch->n];
	size_t first = bs_py_n_texts(&batch->texts);
	if (!PyUnicode_Check(id) && !PyBytes_Check(id)) {
		PyErr_Format(PyExc_TypeError, "an id is a str or bytes, not %R",
		             (PyObject *)Py_TYPE(id));
		return false;
	}
	ready->id = bs_py_bytes_of(&batch->keep, id, &ready->id_bytes);
	if (!ready->id || !bs_py_document(&batch->keep, document, &batch->texts))
		return false;
	ready->first_text = first;
	ready->n_texts = bs_py_n_texts(&batch->texts) - first;
	for (size_t i = 0; i < ready->n_texts; i++)
		batch->n_bytes += batch->texts.items[first + i].text_bytes;
	batch->n++;
	return true;
}

/* Adds the documents of a batch without the GIL. *n_out: the number of added documents. */
static enum bs_status add_batch(struct bs_writer *writer, const struct batch *batch,
                                bool is_replace, size_t *n_out, struct bs_error *err)
{
	const struct bs_text *texts = batch->texts.items;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < batch->n && !status; i++) {
		const struct ready *ready = &batch->documents[i];
		const struct bs_text *of = texts ? texts + ready->first_text : NULL;
		status = (is_replace ? bs_writer_replace : bs_writer_add)(
			writer, ready->id, ready->id_bytes, of, ready->n_texts, err);
		*n_out += !status;
	}
	return status;
}

static void free_batch(struct batch *batch)
{
	bs_py_keep_free(&batch->keep);
	bs_py_bytes_free(&batch->texts.bytes);
}

/* Adds the documents of the batch and empties it. */
static bool flush(struct writer *self, struct batch *batch, bool is_replace, size_t *n_out)
{
	struct bs_error err;
	enum bs_status status;
	if (!begin(self))
		return false;
	BS_PY_WITHOUT_GIL(status = add_batch(self->writer, batch, is_replace, n_out, &err));
	bs_py_keep_free(&batch->keep);
	batch->texts.bytes.n_bytes = batch->n = batch->n_bytes = 0;
	return end(self, status, &err);
}

static PyObject *add_one(struct writer *self, PyObject *arguments, bool is_replace)
{
	PyObject *id, *document;
	struct ready ready;
	struct batch batch = {.documents = &ready};
	size_t n = 0;
	bool ok = PyArg_ParseTuple(arguments, "OO", &id, &document) &&
	          put_into(&batch, id, document) && flush(self, &batch, is_replace, &n);
	free_batch(&batch);
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

/* Adds a document to the batch. item: a pair (id, document), or a dict: its "id" (a str, bytes or
 * int) is the id, its other items are the document. */
static bool put_item(struct batch *batch, PyObject *item)
{
	if (PyTuple_Check(item) && PyTuple_Size(item) == 2)
		return put_into(batch, PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1));
	if (!PyDict_Check(item)) {
		PyErr_SetString(PyExc_TypeError,
		                "each is a pair (id, document), or a dict with an \"id\"");
		return false;
	}
	PyObject *id = PyDict_GetItemString(item, "id");
	if (!id) {
		PyErr_SetString(PyExc_KeyError, "id");
		return false;
	}
	PyObject *name = PyLong_Check(id) && !PyBool_Check(id) ? PyObject_Str(id) : Py_NewRef(id);
	PyObject *rest = name ? PyDict_Copy(item) : NULL;
	bool ok = rest && PyDict_DelItemString(rest, "id") == 0 && put_into(batch, name, rest);
	Py_XDECREF(name);
	Py_XDECREF(rest);
	return ok;
}

static bool add_all(struct writer *self, PyObject *iterator, struct batch *batch, size_t *n_out)
{
	PyObject *item;
	bool ok = true;
	while (ok && (item = PyIter_Next(iterator)) != NULL) {
		ok = put_item(batch, item);
		Py_DECREF(item);
		if (ok && (batch->n == BATCH_DOCUMENTS || batch->n_bytes >= BATCH_BYTES))
			ok = flush(self, batch, false, n_out);
	}
	/* Documents before the failure are added. The exception of the failure is raised, not one
	 * of this last flush. */
	PyObject *type, *value, *trace;
	PyErr_Fetch(&type, &value, &trace);
	if (batch->n > 0)
		(void)flush(self, batch, false, n_out);
	if (type)
		PyErr_Restore(type, value, trace);
	return !PyErr_Occurred();
}

static PyObject *writer_add_many(PyObject *self, PyObject *documents)
{
	struct batch batch = {.documents = calloc(BATCH_DOCUMENTS, sizeof(*batch.documents))};
	PyObject *iterator = batch.documents ? PyObject_GetIter(documents) : PyErr_NoMemory();
	size_t n = 0;
	bool ok = iterator && add_all((struct writer *)self, iterator, &batch, &n);
	free_batch(&batch);
	free(batch.documents);
	Py_XDECREF(iterator);
	return ok ? PyLong_FromSize_t(n) : NULL;
}

/* Deletes a document by id, or documents by query. */
static bool delete_some(struct writer *self, PyObject *what, bool is_query, bool *was_there_out,
                        uint64_t *n_out)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_error err;
	size_t n_bytes;
	const char *bytes = bs_py_bytes_of(&keep, what, &n_bytes);
	bool ok = bytes && begin(self);
	if (ok) {
		enum bs_status status;
		BS_PY_WITHOUT_GIL(status = is_query ? bs_writer_delete_query(self->writer, bytes,
		                                                             n_bytes, n_out, &err)
		                                    : bs_writer_delete(self->writer, bytes, n_bytes,
		                                                       was_there_out, &err));
		ok = end(self, status, &err);
	}
	bs_py_keep_free(&keep);
	return ok;
}

static PyObject *writer_delete(PyObject *self, PyObject *id)
{
	bool was_there = false;
	return delete_some((struct writer *)self, id, false, &was_there, NULL)
	               ? PyBool_FromLong(was_there)
	               : NULL;
}

static PyObject *writer_delete_query(PyObject *self, PyObject *query)
{
	uint64_t n = 0;
	return delete_some((struct writer *)self, query, true, NULL, &n)
	               ? PyLong_FromUnsignedLongLong(n)
	               : NULL;
}

static const struct bs_py_option commit_options[] = {
	BS_PY_DEADLINE_OPTIONS(struct writer, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

/* commit(deadline=None, cancel=None) -> report */
static PyObject *writer_commit(PyObject *object, PyObject *arguments, PyObject *options)
{
	struct writer *self = (struct writer *)object, said = {.process = 0};
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_build_report report;
	struct bs_error err;
	enum bs_status status;
	bool ok = PyArg_ParseTuple(arguments, "") &&
	          bs_py_read_options(&keep, options, commit_options, &said) &&
	          begin_limited(self, said.deadline.cancel, said.deadline.limits.deadline_ns);
	if (ok) {
		BS_PY_WITHOUT_GIL(status = bs_writer_commit(self->writer, &report, &err));
		ok = end(self, status, &err);
	}
	bs_py_keep_free(&keep);
	return ok ? bs_py_report(&report, NULL) : NULL;
}

static PyObject *writer_rollback(PyObject *object, PyObject *unused)
{
	struct writer *self = (struct writer *)object;
	(void)unused;
	if (!begin(self))
		return NULL;
	BS_PY_WITHOUT_GIL(bs_writer_rollback(self->writer));
	(void)end(self, BS_OK, NULL);
	Py_RETURN_NONE;
}

static PyObject *writer_close(PyObject *object, PyObject *unused)
{
	struct writer *self = (struct writer *)object;
	(void)unused;
	if (self->process != getpid() || !self->writer)
		Py_RETURN_NONE;
	if (!bs_py_lock(&self->lock, "writer", &self->context))
		return NULL;
	close_writer(self);
	(void)pthread_mutex_unlock(&self->lock);
	Py_RETURN_NONE;
}

static PyMethodDef writer_methods[] = {
	BS_PY_METHOD("add", writer_add, METH_VARARGS),
	BS_PY_METHOD("add_many", writer_add_many, METH_O),
	BS_PY_METHOD("replace", writer_replace, METH_VARARGS),
	BS_PY_METHOD("delete", writer_delete, METH_O),
	BS_PY_METHOD("delete_query", writer_delete_query, METH_O),
	BS_PY_METHOD("commit", writer_commit, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("rollback", writer_rollback, METH_NOARGS),
	BS_PY_METHOD("close", writer_close, METH_NOARGS),
	{NULL, NULL, 0, NULL},
};

static PyType_Slot writer_slots[] = {
	{Py_tp_new, writer_new},
	{Py_tp_dealloc, writer_dealloc},
	{Py_tp_traverse, writer_traverse},
	{Py_tp_methods, writer_methods},
	{0, NULL},
};

static PyType_Spec writer_spec = {"bitsift._bitsift.Writer", sizeof(struct writer), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, writer_slots};

bool bs_py_add_writer(PyObject *module)
{
	bs_py_types.writer = bs_py_add_type(module, &writer_spec);
	return bs_py_types.writer != NULL;
}
