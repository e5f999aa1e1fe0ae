/* py_context.c: see py_context.h. */
#include "py_context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "py_analyzer.h"
#include "py_callbacks.h"
#include "py_document.h"
#include "py_memory.h"
#include "py_messages.h"

/* The texts that a provider returned last on this thread. The library reads them after the
 * callback, without the GIL. */
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

/* Copies the texts out of Python objects. */
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

/* Calls the provider. Returns 0 (texts), 1 (None: no such document) or 2 (an exception, which stays
 * set for bs_py_raise). The caller holds the GIL. */
static int ask_provider(PyObject *callable, const char *id, size_t id_bytes,
                        struct given **given_out, size_t *n_out)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_text_list texts = {.items = NULL};
	PyObject *name = bs_py_string(id, id_bytes);
	PyObject *document = name ? PyObject_CallFunctionObjArgs(callable, name, NULL) : NULL;
	int answer = document == Py_None                                   ? 1
	             : document && bs_py_document(&keep, document, &texts) ? 0
	                                                                   : 2;
	if (answer == 0) {
		*n_out = bs_py_n_texts(&texts);
		*given_out = copy_texts(texts.items, *n_out);
		if (!*given_out) {
			PyErr_NoMemory();
			answer = 2;
		}
	}
	Py_XDECREF(name);
	Py_XDECREF(document);
	bs_py_bytes_free(&texts.bytes);
	bs_py_keep_free(&keep);
	return answer;
}

/* The callback of struct bs_text_provider. */
static int provide(void *object, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	struct bs_py_context *context = object;
	struct given *given = NULL;
	bool is_pythons = PyGILState_GetThisThreadState() != NULL;
	PyGILState_STATE gil = PyGILState_Ensure();
	int answer = 2;
	if (!PyErr_Occurred() && context->texts && bs_py_callback_begin(context)) {
		answer = ask_provider(context->texts, id, id_bytes, &given, n_texts_out);
		bs_py_callback_end();
	}
	/* No caller would see an exception that is set on a thread of the library, so it is
	 * reported here. */
	if (!is_pythons && PyErr_Occurred())
		PyErr_WriteUnraisable(context->texts);
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

/* The levels of Python's logging. */
static const int log_levels[] = {[BS_LOG_DEBUG] = 10, [BS_LOG_INFO] = 20, [BS_LOG_WARNING] = 30};

static void tell_logger(PyObject *logger, enum bs_log_level level, const char *line)
{
	PyObject *text = bs_py_message(line);
	PyObject *answer = text && logger ? PyObject_CallMethod(logger, "log", "isO",
	                                                        log_levels[level], "%s", text)
	                                  : NULL;
	Py_XDECREF(text);
	Py_XDECREF(answer);
}

/* The callback of struct bs_log. A logger may itself use the index that logs to it. Lines that are
 * logged meanwhile are dropped, because otherwise this would recur endlessly. */
static void log_line(void *object, enum bs_log_level level, const char *line)
{
	static _Thread_local bool is_logging;
	struct bs_py_context *context = object;
	PyObject *type, *value, *trace;
	if (is_logging)
		return;
	is_logging = true;
	PyGILState_STATE gil = PyGILState_Ensure();
	PyErr_Fetch(&type, &value, &trace);
	if (bs_py_callback_begin(context)) {
		tell_logger(context->logger, level, line);
		bs_py_callback_end();
	}
	if (PyErr_Occurred())
		PyErr_WriteUnraisable(context->logger);
	PyErr_Restore(type, value, trace);
	PyGILState_Release(gil);
	is_logging = false;
}

/* Replaces context->logger, which is a name, by the logger of this name. */
static bool find_logger(struct bs_py_context *context)
{
	PyObject *logging = PyImport_ImportModule("logging");
	PyObject *logger =
		logging ? PyObject_CallMethod(logging, "getLogger", "O", context->logger) : NULL;
	Py_XDECREF(logging);
	if (logger) {
		Py_DECREF(context->logger);
		context->logger = logger;
	}
	return logger != NULL;
}

static bool begin_log(struct bs_py_context *context)
{
	if (PyUnicode_Check(context->logger) && !find_logger(context))
		return false;
	PyObject *answer = PyObject_CallMethod(context->logger, "getEffectiveLevel", NULL);
	long level = answer ? PyLong_AsLong(answer) : 0;
	Py_XDECREF(answer);
	context->log.least = level <= 10   ? BS_LOG_DEBUG
	                     : level <= 20 ? BS_LOG_INFO
	                                   : BS_LOG_WARNING;
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

struct bs_memory_index *bs_py_context_memory(struct bs_py_context *context)
{
	return context->memory ? bs_py_memory(context->memory) : NULL;
}

const struct bs_text_provider *bs_py_context_texts(struct bs_py_context *context)
{
	return context->texts ? &context->provider : NULL;
}

const struct bs_analyzer *bs_py_context_analyzer(struct bs_py_context *context)
{
	return context->analyzer ? bs_py_analyzer(context->analyzer) : NULL;
}

const struct bs_log *bs_py_context_log(struct bs_py_context *context)
{
	return context->logger ? &context->log : NULL;
}

void bs_py_context_failed(struct bs_py_context *context)
{
	if (context->analyzer)
		bs_py_analyzer_failed(context->analyzer);
}
