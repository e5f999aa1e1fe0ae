/* convert.c: between Python's objects and the library's structs; errors. See bitsift_py.h. */
#include "bitsift_py.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

PyObject *bs_py_raise(enum bs_status status, const struct bs_error *err)
{
	return bs_py_raise_at(status, err, NULL, SIZE_MAX);
}

PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query, size_t error_byte)
{
	size_t known = (size_t)status <= BS_DEADLINE ? (size_t)status : BS_OK;
	if (PyErr_Occurred())
		return NULL;
	PyObject *message = bs_py_text(err->text, strlen(err->text));
	PyObject *error = message ? PyObject_CallFunctionObjArgs(bs_py_types.errors[known], message, NULL) : NULL;
	if (error && query && error_byte != SIZE_MAX) {
		PyObject *before = bs_py_string(query, error_byte);
		PyObject *position = before ? PyLong_FromSsize_t(PyUnicode_GetLength(before)) : NULL;
		if (!position || PyObject_SetAttrString(error, "position", position) < 0)
			Py_CLEAR(error);
		Py_XDECREF(before);
		Py_XDECREF(position);
	}
	if (error)
		PyErr_SetObject(bs_py_types.errors[known], error);
	Py_XDECREF(message);
	Py_XDECREF(error);
	return NULL;
}

bool bs_py_append(struct bs_py_bytes *bytes, const void *from, size_t n_bytes)
{
	if (bytes->room - bytes->n_bytes < n_bytes) {
		size_t room = (bytes->n_bytes + n_bytes) * 2;
		char *data = realloc(bytes->data, room);
		if (!data)
			return false;
		bytes->data = data;
		bytes->room = room;
	}
	if (n_bytes > 0)
		memcpy(bytes->data + bytes->n_bytes, from, n_bytes);
	bytes->n_bytes += n_bytes;
	return true;
}

void bs_py_bytes_free(struct bs_py_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bs_py_bytes){NULL, 0, 0};
}

PyObject *bs_py_string(const char *bytes, size_t n_bytes)
{
	return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n_bytes, "surrogateescape");
}

PyObject *bs_py_text(const char *bytes, size_t n_bytes)
{
	return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)n_bytes, "replace");
}

/* Takes the reference, or the block. */
static bool keep_object(struct bs_py_keep *keep, PyObject *object)
{
	if ((keep->n_objects & (keep->n_objects - 1)) == 0) {
		size_t room = keep->n_objects ? keep->n_objects * 2 : 1;
		PyObject **objects = realloc(keep->objects, room * sizeof(*objects));
		if (!objects) {
			Py_DECREF(object);
			PyErr_NoMemory();
			return false;
		}
		keep->objects = objects;
	}
	keep->objects[keep->n_objects++] = object;
	return true;
}

void *bs_py_block(struct bs_py_keep *keep, size_t n_bytes)
{
	void **blocks = realloc(keep->blocks, (keep->n_blocks + 1) * sizeof(*blocks));
	void *block = blocks ? calloc(1, n_bytes ? n_bytes : 1) : NULL;
	if (blocks)
		keep->blocks = blocks;
	if (block)
		keep->blocks[keep->n_blocks++] = block;
	else
		PyErr_NoMemory();
	return block;
}

void bs_py_keep_free(struct bs_py_keep *keep)
{
	for (size_t i = 0; i < keep->n_objects; i++)
		Py_DECREF(keep->objects[i]);
	for (size_t i = 0; i < keep->n_blocks; i++)
		free(keep->blocks[i]);
	free(keep->objects);
	free(keep->blocks);
	*keep = (struct bs_py_keep){.objects = NULL};
}

/* A str with lone surrogates, bytes, a path. */
static PyObject *encode(PyObject *object)
{
	if (PyBytes_Check(object)) {
		Py_INCREF(object);
		return object;
	}
	if (PyUnicode_Check(object))
		return PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
	PyObject *bytes = NULL;
	return PyUnicode_FSConverter(object, &bytes) ? bytes : NULL;
}

const char *bs_py_bytes_of(struct bs_py_keep *keep, PyObject *object, size_t *n_bytes_out)
{
	Py_ssize_t n_bytes = 0;
	if (PyUnicode_Check(object)) {
		const char *text = PyUnicode_AsUTF8AndSize(object, &n_bytes);
		*n_bytes_out = (size_t)n_bytes;
		if (text) {
			Py_INCREF(object);
			return keep_object(keep, object) ? text : NULL;
		}
		PyErr_Clear();
	}
	PyObject *bytes = encode(object);
	char *data = NULL;
	if (!bytes || !keep_object(keep, bytes) || PyBytes_AsStringAndSize(bytes, &data, &n_bytes) < 0)
		return NULL;
	*n_bytes_out = (size_t)n_bytes;
	return data;
}

const char *bs_py_chars(struct bs_py_keep *keep, PyObject *object, bool *ok)
{
	size_t n_bytes;
	if (!object || object == Py_None)
		return NULL;
	const char *chars = bs_py_bytes_of(keep, object, &n_bytes);
	if (chars && strlen(chars) != n_bytes) {
		PyErr_SetString(PyExc_ValueError, "embedded null character");
		chars = NULL;
	}
	*ok = *ok && chars;
	return chars;
}

const char *const *bs_py_strings(struct bs_py_keep *keep, PyObject *object, size_t *n_out, bool *ok)
{
	*n_out = 0;
	if (!object || object == Py_None || !*ok)
		return NULL;
	bool is_one = PyUnicode_Check(object) || PyBytes_Check(object);
	PyObject *list = is_one ? Py_BuildValue("[O]", object) : PySequence_List(object);
	Py_ssize_t n = list ? PyList_Size(list) : 0;
	const char **strings =
		list && keep_object(keep, list) ? bs_py_block(keep, ((size_t)n + 1) * sizeof(*strings)) : NULL;
	*ok = strings != NULL;
	for (Py_ssize_t i = 0; i < n && *ok; i++) {
		strings[i] = bs_py_chars(keep, PyList_GetItem(list, i), ok);
		if (*ok && !strings[i]) {
			PyErr_SetString(PyExc_TypeError, "a list of strings has None in it");
			*ok = false;
		}
	}
	*n_out = (size_t)n;
	return strings;
}

static bool add_value(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *value,
                      struct bs_py_bytes *texts);

/* The name of what stands inside: "author.name". */
static const char *join(struct bs_py_keep *keep, const char *field, size_t field_bytes, const char *name,
                        size_t *name_bytes_io)
{
	if (field_bytes == 0)
		return name;
	char *joined = bs_py_block(keep, field_bytes + 1 + *name_bytes_io);
	if (!joined)
		return NULL;
	memcpy(joined, field, field_bytes);
	joined[field_bytes] = '.';
	memcpy(joined + field_bytes + 1, name, *name_bytes_io);
	*name_bytes_io += field_bytes + 1;
	return joined;
}

static bool add_mapping(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *mapping,
                        struct bs_py_bytes *texts)
{
	PyObject *items = PyMapping_Items(mapping);
	if (!items || !keep_object(keep, items))
		return false;
	for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
		PyObject *item = PyList_GetItem(items, i);
		size_t name_bytes;
		const char *name = bs_py_bytes_of(keep, PyTuple_GetItem(item, 0), &name_bytes);
		name = name ? join(keep, field, field_bytes, name, &name_bytes) : NULL;
		if (!name || !add_value(keep, name, name_bytes, PyTuple_GetItem(item, 1), texts))
			return false;
	}
	return true;
}

static bool add_list(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *list,
                     struct bs_py_bytes *texts)
{
	Py_ssize_t n = PySequence_Size(list);
	bool ok = n >= 0;
	for (Py_ssize_t i = 0; i < n && ok; i++) {
		PyObject *value = PySequence_GetItem(list, i);
		ok = value && keep_object(keep, value) && add_value(keep, field, field_bytes, value, texts);
	}
	return ok;
}

static bool add_value(struct bs_py_keep *keep, const char *field, size_t field_bytes, PyObject *value,
                      struct bs_py_bytes *texts)
{
	struct bs_text text = {.field = field, .field_bytes = field_bytes};
	if (value == Py_None || PyBool_Check(value))
		return true;
	if (PyLong_Check(value) || PyFloat_Check(value)) {
		value = PyObject_Str(value);
		if (!value || !keep_object(keep, value))
			return false;
	}
	if (PyDict_Check(value))
		return add_mapping(keep, field, field_bytes, value, texts);
	if (PyList_Check(value) || PyTuple_Check(value))
		return add_list(keep, field, field_bytes, value, texts);
	if (!PyUnicode_Check(value) && !PyBytes_Check(value)) {
		PyErr_Format(PyExc_TypeError, "a text is a str, bytes, a number, a list or a dict, not %R",
		             (PyObject *)Py_TYPE(value));
		return false;
	}
	text.text = bs_py_bytes_of(keep, value, &text.text_bytes);
	if (text.text && !bs_py_append(texts, &text, sizeof(text)))
		PyErr_NoMemory();
	return !PyErr_Occurred();
}

bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_bytes *texts)
{
	if (PyUnicode_Check(document) || PyBytes_Check(document) || PyDict_Check(document))
		return add_value(keep, "", 0, document, texts);
	if (!PyMapping_Check(document) || PyList_Check(document) || PyTuple_Check(document)) {
		PyErr_Format(PyExc_TypeError, "a document is a str or a mapping of field names to texts, not %R",
		             (PyObject *)Py_TYPE(document));
		return false;
	}
	return add_mapping(keep, "", 0, document, texts);
}

/* What a provider gave last on a thread: the library reads it after the callback, without the GIL. */
struct given {
	struct bs_text *texts;
	char *bytes;
};
static pthread_key_t given_key;
static pthread_once_t given_once = PTHREAD_ONCE_INIT;

static void free_given(void *memory)
{
	struct given *given = memory;
	if (!given)
		return;
	free(given->texts);
	free(given->bytes);
	free(given);
}

static void make_given_key(void)
{
	(void)pthread_key_create(&given_key, free_given);
}

/* Copies the texts to where no object is needed. */
static struct given *copy_texts(const struct bs_text *texts, size_t n)
{
	struct given *given = calloc(1, sizeof(*given));
	size_t n_bytes = 1;
	for (size_t i = 0; i < n; i++)
		n_bytes += texts[i].field_bytes + texts[i].text_bytes;
	if (!given)
		return NULL;
	given->texts = calloc(n + 1, sizeof(*given->texts));
	given->bytes = malloc(n_bytes);
	if (!given->texts || !given->bytes) {
		free_given(given);
		return NULL;
	}
	char *to = given->bytes;
	for (size_t i = 0; i < n; i++) {
		given->texts[i] = texts[i];
		given->texts[i].field = memcpy(to, texts[i].field, texts[i].field_bytes);
		to += texts[i].field_bytes;
		given->texts[i].text = memcpy(to, texts[i].text, texts[i].text_bytes);
		to += texts[i].text_bytes;
	}
	return given;
}

/* With the GIL. An exception stays set, for bs_py_raise. */
static int ask_provider(PyObject *callable, const char *id, size_t id_bytes, struct given **given_out, size_t *n_out)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_bytes texts = {.data = NULL};
	PyObject *name = bs_py_string(id, id_bytes);
	PyObject *document = name ? PyObject_CallFunctionObjArgs(callable, name, NULL) : NULL;
	int answer = document == Py_None ? 1 : document && bs_py_document(&keep, document, &texts) ? 0 : 2;
	if (answer == 0) {
		*n_out = texts.n_bytes / sizeof(struct bs_text);
		*given_out = copy_texts((const struct bs_text *)(const void *)texts.data, *n_out);
		answer = *given_out ? 0 : 2;
	}
	Py_XDECREF(name);
	Py_XDECREF(document);
	bs_py_bytes_free(&texts);
	bs_py_keep_free(&keep);
	return answer;
}

static int provide(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	struct bs_py_provider *provider = context;
	struct given *given = NULL;
	PyGILState_STATE gil = PyGILState_Ensure();
	int answer = PyErr_Occurred() ? 2 : ask_provider(provider->callable, id, id_bytes, &given, n_texts_out);
	PyGILState_Release(gil);
	(void)pthread_once(&given_once, make_given_key);
	free_given(pthread_getspecific(given_key));
	if (pthread_setspecific(given_key, given) != 0) {
		free_given(given);
		return 2;
	}
	*texts_out = given ? given->texts : NULL;
	return answer;
}

void bs_py_provider_init(struct bs_py_provider *provider, PyObject *callable)
{
	provider->provider = (struct bs_text_provider){.texts = provide, .context = provider};
	provider->callable = callable;
}

/* How often signals are looked for: each look waits for the GIL. */
#define WATCH_NS 50000000u

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Python handles signals on the thread that began the call, if at all. */
static int watch_signals(void *context)
{
	struct bs_py_watch *watch = context;
	uint64_t now = now_ns();
	if (watch->is_interrupted)
		return 1;
	if (now < watch->next_ns || watch->thread != PyThread_get_thread_ident())
		return 0;
	PyGILState_STATE gil = PyGILState_Ensure();
	watch->is_interrupted = PyErr_CheckSignals() < 0;
	PyGILState_Release(gil);
	watch->next_ns = now_ns() + WATCH_NS;
	return watch->is_interrupted;
}

void bs_py_watch_init(struct bs_py_watch *watch, double deadline_seconds, bool partial)
{
	*watch = (struct bs_py_watch){
		.limits = {.deadline_ns = deadline_seconds > 0 ? (uint64_t)(deadline_seconds * 1e9) + 1 : 0,
	                   .stop = watch_signals,
	                   .context = watch,
	                   .partial = partial},
		.thread = PyThread_get_thread_ident(),
		.next_ns = now_ns() + WATCH_NS,
	};
}

PyObject *bs_py_report(const struct bs_build_report *report)
{
	uint64_t n_skipped = 0;
	for (size_t i = 0; i < BS_SKIP_MAX; i++)
		n_skipped += report->skipped[i];
	return Py_BuildValue(
		"{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:d,s:O,s:s}", "docs", (unsigned long long)report->n_docs,
		"indexed", (unsigned long long)report->n_indexed, "unchanged", (unsigned long long)report->n_unchanged,
		"changed", (unsigned long long)report->n_changed, "removed", (unsigned long long)report->n_removed,
		"unread", (unsigned long long)report->n_unread, "skipped", (unsigned long long)n_skipped, "text_bytes",
		(unsigned long long)report->text_bytes, "index_bytes", (unsigned long long)report->index_bytes,
		"segments", (unsigned long long)report->n_segments, "terms", (unsigned long long)report->n_terms,
		"seconds", (double)report->elapsed_ns / 1e9, "committed", report->is_committed ? Py_True : Py_False,
		"warning", report->warning);
}
