/* callbacks.c: what the library asks functions of Python: is the call to end, what are the texts of a document, the words of a text;
 * and what it tells them for a log. See bitsift_py.h. */
#include "bitsift_py.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void bs_py_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t checked;
	(void)pthread_mutexattr_init(&checked);
	(void)pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
	(void)pthread_mutex_init(lock, &checked);
	(void)pthread_mutexattr_destroy(&checked);
}

bool bs_py_lock(pthread_mutex_t *lock, const char *what)
{
	int failed = pthread_mutex_trylock(lock);
	if (failed)
		BS_PY_WITHOUT_GIL(failed = pthread_mutex_lock(lock));
	if (failed)
		PyErr_Format(PyExc_RuntimeError, "the %s is at work already, for a callback of its own", what);
	return !failed;
}

/* A word to those who work elsewhere. */
struct cancel {
	PyObject_HEAD volatile int is_set;
};

static PyObject *cancel_set(PyObject *self, PyObject *unused)
{
	(void)unused;
	((struct cancel *)self)->is_set = 1;
	Py_RETURN_NONE;
}

static PyObject *cancel_clear(PyObject *self, PyObject *unused)
{
	(void)unused;
	((struct cancel *)self)->is_set = 0;
	Py_RETURN_NONE;
}

static PyObject *cancel_is_set(PyObject *self, PyObject *unused)
{
	(void)unused;
	return PyBool_FromLong(((struct cancel *)self)->is_set);
}

static PyMethodDef cancel_methods[] = {
	BS_PY_DOCUMENTED("set", cancel_set, METH_NOARGS,
                         "set($self, /)\n--\n\nEnds the calls that have it: StoppedError, or partial answers."),
	BS_PY_DOCUMENTED("clear", cancel_clear, METH_NOARGS, "clear($self, /)\n--\n\nFor the next calls."),
	BS_PY_DOCUMENTED("is_set", cancel_is_set, METH_NOARGS, "is_set($self, /)\n--\n\nWhether it is."),
	{NULL, NULL, 0, NULL},
};

static char cancel_doc[] =
	"Cancel()\n--\n\nHanded to calls as `cancel`, it ends them when any thread, or a signal handler, sets it.";

static PyType_Slot cancel_slots[] = {
	{Py_tp_doc, cancel_doc},
	{Py_tp_dealloc, bs_py_free},
	{Py_tp_methods, cancel_methods},
	{0, NULL},
};

static PyType_Spec cancel_spec = {"bitsift.Cancel", sizeof(struct cancel), 0, Py_TPFLAGS_DEFAULT, cancel_slots};

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
	watch->is_interrupted = PyErr_Occurred() || PyErr_CheckSignals() < 0;
	PyGILState_Release(gil);
	watch->next_ns = now_ns() + WATCH_NS;
	return watch->is_interrupted;
}

void bs_py_watch_init(struct bs_py_watch *watch)
{
	*watch = (struct bs_py_watch){.limits = {.stop = watch_signals}};
}

void bs_py_watch_begin(struct bs_py_watch *watch)
{
	watch->limits.context = watch;
	watch->limits.cancel = watch->cancel ? &((struct cancel *)watch->cancel)->is_set : NULL;
	watch->thread = PyThread_get_thread_ident();
	watch->next_ns = now_ns() + WATCH_NS;
	watch->is_interrupted = false;
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
		if (!*given_out) {
			PyErr_NoMemory();
			answer = 2;
		}
	}
	Py_XDECREF(name);
	Py_XDECREF(document);
	bs_py_bytes_free(&texts);
	bs_py_keep_free(&keep);
	return answer;
}

static int provide(void *object, const char *id, size_t id_bytes, const struct bs_text **texts_out, size_t *n_texts_out)
{
	struct bs_py_context *context = object;
	struct given *given = NULL;
	PyGILState_STATE gil = PyGILState_Ensure();
	int answer = PyErr_Occurred() || !context->texts
	                     ? 2
	                     : ask_provider(context->texts, id, id_bytes, &given, n_texts_out);
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

/* A function of Python that cuts words. */
struct analyzer {
	PyObject_HEAD struct bs_analyzer analyzer;
	PyObject *name, *callable;
	PyObject *error; /* raised on a thread that is not Python's, for the one that waits for it */
};

struct cut_word {
	size_t term_bytes, start, stop;
};

/* Where a character of the text stands in its bytes, from a place before it on. */
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
		PyObject *bytes = between ? PyUnicode_AsEncodedString(between, "utf-8", "surrogateescape") : NULL;
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
		PyErr_SetString(PyExc_ValueError, "words come in the order of their starts, and stand in the text");
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
	if (!bs_py_append(words, &word, sizeof(word)) || !bs_py_append(words, PyBytes_AsString(bytes), word.term_bytes))
		PyErr_NoMemory();
	Py_DECREF(bytes);
	return !PyErr_Occurred();
}

static bool ask_analyzer(PyObject *callable, const char *bytes, size_t n_bytes, struct bs_py_bytes *words)
{
	PyObject *text = bs_py_string(bytes, n_bytes);
	PyObject *given = text ? PyObject_CallFunctionObjArgs(callable, text, NULL) : NULL;
	PyObject *iterator = given ? PyObject_GetIter(given) : NULL, *item;
	struct place place = {.text = text, .is_ascii = text && (size_t)PyUnicode_GetLength(text) == n_bytes};
	while (iterator && !PyErr_Occurred() && (item = PyIter_Next(iterator)) != NULL) {
		(void)take_word(item, &place, words);
		Py_DECREF(item);
	}
	Py_XDECREF(text);
	Py_XDECREF(given);
	Py_XDECREF(iterator);
	return !PyErr_Occurred();
}

/* With the GIL: what another thread raised waits for bs_py_context_failed. */
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

/* Words are handed on when the GIL is gone. */
static int cut(void *context, const uint8_t *text, size_t text_bytes,
               int (*emit)(void *, const uint8_t *, size_t, size_t, size_t), void *emit_context)
{
	struct analyzer *self = context;
	struct bs_py_bytes words = {.data = NULL};
	bool is_pythons = PyGILState_GetThisThreadState() != NULL;
	PyGILState_STATE gil = PyGILState_Ensure();
	bool ok = !PyErr_Occurred() && ask_analyzer(self->callable, (const char *)text, text_bytes, &words);
	if (!ok && !is_pythons)
		put_aside(self);
	PyGILState_Release(gil);
	int answer = !ok;
	for (size_t at = 0; answer == 0 && at < words.n_bytes;) {
		struct cut_word word;
		memcpy(&word, words.data + at, sizeof(word));
		at += sizeof(word);
		answer = emit(emit_context, (const uint8_t *)words.data + at, word.term_bytes, word.start, word.stop);
		at += word.term_bytes;
	}
	bs_py_bytes_free(&words);
	return answer;
}

static PyObject *analyzer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {"name", "cut", NULL};
	PyObject *name, *callable;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UO", (char **)(uintptr_t)names, &name, &callable))
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
	self->analyzer = (struct bs_analyzer){.name = PyBytes_AsString(self->name), .cut = cut, .context = self};
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
	"Analyzer(name, cut)\n--\n\nCuts texts into words in place of the library's rules: cut(text) gives (term, "
	"start, stop) for each, in the "
	"order of start;\nterm: what it is indexed as and compared by, [start, stop): the characters that it stands "
	"in. An index knows its "
	"analyzer by\nname: another name is due when it cuts otherwise. cut is called on any thread.";

static PyMemberDef analyzer_members[] = {
	{"cut", T_OBJECT_EX, offsetof(struct analyzer, callable), READONLY, "The function."},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot analyzer_slots[] = {
	{Py_tp_doc, analyzer_doc},           {Py_tp_new, analyzer_new},         {Py_tp_dealloc, analyzer_dealloc},
	{Py_tp_traverse, analyzer_traverse}, {Py_tp_members, analyzer_members}, {0, NULL},
};

static PyType_Spec analyzer_spec = {"bitsift.Analyzer", sizeof(struct analyzer), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, analyzer_slots};

/* logging's numbers for what the library has. */
static const int log_levels[] = {[BS_LOG_DEBUG] = 10, [BS_LOG_INFO] = 20, [BS_LOG_WARNING] = 30};

static void log_line(void *object, enum bs_log_level level, const char *line)
{
	struct bs_py_context *context = object;
	PyObject *type, *value, *trace;
	PyGILState_STATE gil = PyGILState_Ensure();
	PyErr_Fetch(&type, &value, &trace);
	PyObject *text = bs_py_text(line, strlen(line));
	PyObject *answer = text && context->logger
	                           ? PyObject_CallMethod(context->logger, "log", "isO", log_levels[level], "%s", text)
	                           : NULL;
	if (PyErr_Occurred())
		PyErr_WriteUnraisable(context->logger);
	Py_XDECREF(text);
	Py_XDECREF(answer);
	PyErr_Restore(type, value, trace);
	PyGILState_Release(gil);
}

static bool begin_log(struct bs_py_context *context)
{
	PyObject *answer = PyObject_CallMethod(context->logger, "getEffectiveLevel", NULL);
	long level = answer ? PyLong_AsLong(answer) : 0;
	Py_XDECREF(answer);
	context->log.least = level <= 10 ? BS_LOG_DEBUG : level <= 20 ? BS_LOG_INFO : BS_LOG_WARNING;
	context->log.line = log_line;
	context->log.context = context;
	return !PyErr_Occurred();
}

bool bs_py_context_begin(struct bs_py_context *context)
{
	Py_XINCREF(context->memory);
	Py_XINCREF(context->texts);
	Py_XINCREF(context->analyzer);
	Py_XINCREF(context->logger);
	context->provider = (struct bs_text_provider){.texts = provide, .context = context};
	return !context->logger || begin_log(context);
}

int bs_py_context_traverse(struct bs_py_context *context, visitproc visit, void *arg)
{
	Py_VISIT(context->texts);
	Py_VISIT(context->analyzer);
	Py_VISIT(context->logger);
	return 0;
}

void bs_py_context_clear(struct bs_py_context *context)
{
	Py_CLEAR(context->memory);
	Py_CLEAR(context->texts);
	Py_CLEAR(context->analyzer);
	Py_CLEAR(context->logger);
}

struct bs_memory *bs_py_context_memory(struct bs_py_context *context)
{
	return context->memory ? bs_py_memory(context->memory) : NULL;
}

const struct bs_text_provider *bs_py_context_texts(struct bs_py_context *context)
{
	return context->texts ? &context->provider : NULL;
}

const struct bs_analyzer *bs_py_context_analyzer(struct bs_py_context *context)
{
	return context->analyzer ? &((struct analyzer *)context->analyzer)->analyzer : NULL;
}

const struct bs_log *bs_py_context_log(struct bs_py_context *context)
{
	return context->logger ? &context->log : NULL;
}

void bs_py_context_failed(struct bs_py_context *context)
{
	struct analyzer *analyzer = (struct analyzer *)context->analyzer;
	PyObject *error = analyzer ? analyzer->error : NULL;
	if (!error)
		return;
	analyzer->error = NULL;
	if (!PyErr_Occurred())
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_DECREF(error);
}

bool bs_py_add_callbacks(PyObject *module)
{
	bs_py_types.analyzer = bs_py_add_type(module, &analyzer_spec);
	bs_py_types.cancel = bs_py_add_type(module, &cancel_spec);
	return bs_py_types.analyzer && bs_py_types.cancel;
}
