/*
 * bitsift_py.h: what the files of the extension share. The module is bitsift._bitsift: what people use of it, bitsift/__init__.py
 * says; docstrings of what has classes or functions there stand there.
 *
 * Whatever calls the library and may take long does so without the GIL (BS_PY_WITHOUT_GIL). Callbacks of the library run without it,
 * too: they collect what they hear (struct bs_py_bytes), and objects are made afterwards, once for all. Those that ask a function of
 * Python are in context.c, limits.c and analyzer.c.
 */
#ifndef BITSIFT_PY_H
#define BITSIFT_PY_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <structmember.h>

#include <pthread.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/query.h>
#include <bitsift/writer.h>

#include "core/program/options.h"

/* Of the process: the module is refused to any interpreter but the main one. */
struct bs_py_types {
	PyObject *errors[BS_DEADLINE + 1]; /* by enum bs_status; [BS_OK]: of what is none of them */
	PyTypeObject *analyzer, *cancel, *finder, *grep, *handle, *hit, *line, *match, *memory, *passage, *place,
		*query, *statistics, *view, *writer;
};
extern struct bs_py_types bs_py_types;

#define BS_PY_WITHOUT_GIL(...)                               \
	do {                                                 \
		PyThreadState *saved_ = PyEval_SaveThread(); \
		__VA_ARGS__;                                 \
		PyEval_RestoreThread(saved_);                \
	} while (0)

/* Raises what a status stands for, unless a callback has raised something itself, which goes first. query: the one that was asked, or
 * NULL; error_byte: SIZE_MAX, or where in it: `position`, in characters, and `caret`. NULL. */
PyObject *bs_py_raise(enum bs_status status, const struct bs_error *err);
PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query, size_t query_bytes,
                         size_t error_byte);

/* Bytes that grow. Zero-initialise; no GIL is needed. */
struct bs_py_bytes {
	char *data;
	size_t n_bytes, room;
};
bool bs_py_append(struct bs_py_bytes *bytes, const void *from, size_t n_bytes);
void bs_py_bytes_free(struct bs_py_bytes *bytes);
/* Lines, NUL-ended each: a callback of the library, of which context is bytes, or begins with them; and a list of them. */
void bs_py_hear_line(void *context, const char *line);
PyObject *bs_py_lines(const struct bs_py_bytes *lines);

/* Ids and paths may be any bytes, which Python spells as os.fsdecode does. */
PyObject *bs_py_string(const char *bytes, size_t n_bytes);
/* For what is text: what is no UTF-8 becomes U+FFFD. */
PyObject *bs_py_text(const char *bytes, size_t n_bytes);
/* The same of a message of the library, which names this package's options, not those of the command. */
PyObject *bs_py_message(const char *text);

/*
 * What arguments are borrowed from until a call is done. Zero-initialise; release with bs_py_keep_free. bs_py_keep_object takes the
 * reference, NULL too (then it is false). bs_py_bytes_of: the bytes of a str, bytes or path, which are also NUL-ended; NULL with an
 * exception. bs_py_chars: the same for what may have no NUL inside; None gives NULL, and *ok false is an exception. bs_py_strings: a
 * NULL-ended list of those of an iterable, or of one string or path; likewise.
 */
struct bs_py_keep {
	PyObject **objects;
	void **blocks;
	size_t n_objects, n_blocks;
};
bool bs_py_keep_object(struct bs_py_keep *keep, PyObject *object);
const char *bs_py_bytes_of(struct bs_py_keep *keep, PyObject *object, size_t *n_bytes_out);
const char *bs_py_chars(struct bs_py_keep *keep, PyObject *object, bool *ok);
const char *const *bs_py_strings(struct bs_py_keep *keep, PyObject *object, size_t *n_out, bool *ok);
void *bs_py_block(struct bs_py_keep *keep, size_t n_bytes);
int bs_py_keep_traverse(struct bs_py_keep *keep, visitproc visit, void *arg);
void bs_py_keep_free(struct bs_py_keep *keep);

/* The texts of a document as Python has it: a str is one without a name; of a mapping each str and number, those of a list one after the
 * other, those of a mapping inside with a dot between the names. Appended to texts (struct bs_text each), which borrow from keep. */
bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_bytes *texts);
/* ... and back: {field: text}, or {field: [text, ...]} where it comes again. */
PyObject *bs_py_texts(const struct bs_text *texts, size_t n);

/* Options: a row for each keyword says what is stored, and where in a struct. None leaves what is there. */
enum bs_py_kind {
	BS_PY_BOOL,     /* bool: what Python takes for true */
	BS_PY_NOT,      /* bool: the opposite */
	BS_PY_U32,      /* uint32_t; negative ones are a ValueError, larger ones an OverflowError */
	BS_PY_U64,      /* uint64_t, or size_t; likewise */
	BS_PY_SECONDS,  /* uint64_t of nanoseconds; what is over already is 1, what is for ever 0 */
	BS_PY_DOUBLE,   /* double */
	BS_PY_CHARS,    /* const char *: as bs_py_chars */
	BS_PY_BYTES,    /* const char *, and beside it the size_t of its length */
	BS_PY_STRINGS,  /* const char *const *, and beside it (0: nowhere) the size_t of how many */
	BS_PY_WEIGHTS,  /* the same of {"title": 3}, too */
	BS_PY_PAIR,     /* const char *, and another one beside it: a pair of strings */
	BS_PY_OBJECT,   /* PyObject *, of that type, if there is one; kept */
	BS_PY_FUNCTION, /* PyObject *, which can be called; kept */
	BS_PY_CHOICE,   /* unsigned: which of the names */
};
struct bs_py_option {
	const char *name;
	enum bs_py_kind kind;
	size_t at, beside;
	PyTypeObject *const *type;
	const char *const *names; /* NULL-ended */
};
/* keywords: a dict, or NULL. False with an exception: TypeError for one that no row names. */
bool bs_py_read_options(struct bs_py_keep *keep, PyObject *keywords, const struct bs_py_option *options, void *into);

/* What ends a call: deadlines, a Cancel, and Ctrl-C, for which the thread that began it looks now and then. limits is to be handed to the
 * library. */
struct bs_py_watch {
	struct bs_limits limits;
	PyObject *cancel;
	unsigned long thread;
	uint64_t next_ns;
	bool is_interrupted; /* the exception is set */
};
#define BS_PY_WATCH_OPTIONS(type, member)                                                           \
	{"deadline", BS_PY_SECONDS, offsetof(type, member.limits.deadline_ns), 0, NULL, NULL},      \
	{                                                                                           \
		"cancel", BS_PY_OBJECT, offsetof(type, member.cancel), 0, &bs_py_types.cancel, NULL \
	}
/* The first before options are read, the second behind. */
void bs_py_watch_init(struct bs_py_watch *watch);
void bs_py_watch_begin(struct bs_py_watch *watch);

/* Around each call of a function of Python by a callback of the library, with the GIL: analyzers, text providers, loggers, progress,
 * confirm, handlers of signals. Such a function may use the library itself, which may call it again: false with RecursionError where
 * that would be too deep on this thread, and bs_py_callback_end is not due then. served: the analyzer or the context that has the
 * function; bs_py_is_served: is a function of it being called on this thread? */
bool bs_py_callback_begin(const void *served);
void bs_py_callback_end(void);
bool bs_py_is_served(const void *served);

/* What is handed to the library for as long as something is open, or a call takes, and holds objects of Python. */
struct bs_py_context {
	PyObject *memory, *texts, *analyzer, *logger;
	struct bs_consent consent;
	struct bs_text_provider provider;
	struct bs_log log;
};
#define BS_PY_CONTEXT_OPTIONS(type, member)                                                                  \
	{"memory", BS_PY_OBJECT, offsetof(type, member.memory), 0, &bs_py_types.memory, NULL},               \
		{"texts", BS_PY_FUNCTION, offsetof(type, member.texts), 0, NULL, NULL},                      \
		{"analyzer", BS_PY_OBJECT, offsetof(type, member.analyzer), 0, &bs_py_types.analyzer, NULL}, \
		{"log", BS_PY_OBJECT, offsetof(type, member.logger), 0, NULL, NULL},                         \
		{"slow", BS_PY_SECONDS, offsetof(type, member.log.slow_ns), 0, NULL, NULL},                  \
	{                                                                                                    \
		"trust", BS_PY_BOOL, offsetof(type, member.consent.all), 0, NULL, NULL                       \
	}
/* Of what options have put into it: it takes references of its own. False with an exception. */
bool bs_py_context_begin(struct bs_py_context *context);
int bs_py_context_traverse(struct bs_py_context *context, visitproc visit, void *arg);
void bs_py_context_clear(struct bs_py_context *context);
/* What is in it for a request; NULL: nothing. */
struct bs_memory *bs_py_context_memory(struct bs_py_context *context);
const struct bs_text_provider *bs_py_context_texts(struct bs_py_context *context);
const struct bs_analyzer *bs_py_context_analyzer(struct bs_py_context *context);
const struct bs_log *bs_py_context_log(struct bs_py_context *context);
/* All of it, and what ends the call, to a request. */
#define BS_PY_HAND_OVER(request, from, watch)                       \
	do {                                                        \
		(request)->memory = bs_py_context_memory(from);     \
		(request)->texts = bs_py_context_texts(from);       \
		(request)->analyzer = bs_py_context_analyzer(from); \
		(request)->log = bs_py_context_log(from);           \
		(request)->consent = &(from)->consent;              \
		(request)->limits = &(watch)->limits;               \
	} while (0)
/* An exception that the analyzer's function raised on another thread becomes this one's. */
void bs_py_context_failed(struct bs_py_context *context);

/* For objects that one thread at a time may use. The lock is waited for without the GIL: the thread that has it may be waiting for that.
 * False with an exception: this thread has it; or it is a thread of the library that calls a function of the object's context (or NULL),
 * and the thread that has the lock may be waiting for this one. */
void bs_py_lock_init(pthread_mutex_t *lock);
bool bs_py_lock(pthread_mutex_t *lock, const char *what, const struct bs_py_context *context);

/* A struct bs_index, for bs_py_types.handle, or for what has such a thing as `_handle`: NULL with an exception. */
PyObject *bs_py_handle_of(PyObject *object);
struct bs_index *bs_py_handle(PyObject *object);
struct bs_py_context *bs_py_handle_context(PyObject *object);
struct bs_memory *bs_py_memory(PyObject *object);
const struct bs_statistics *bs_py_statistics(PyObject *object);
PyObject *bs_py_statistics_object(struct bs_statistics *statistics); /* takes them */

const struct bs_analyzer *bs_py_analyzer(PyObject *object);
void bs_py_analyzer_failed(PyObject *object);

/* Hits as they are heard, without the GIL, and objects of them. */
struct bs_py_hits {
	struct bs_py_bytes notices, bytes;
	size_t n;
	bool is_short_of_memory, only_ids, has_details;
};
int bs_py_hear_hit(void *context, const struct bs_find_hit *hit);
/* owner: who says later what is shown of them, or None. */
PyObject *bs_py_make_hits(const struct bs_py_hits *hits, PyObject *owner);

/* Lines of grep as they are heard, likewise; or names of files. */
bool bs_py_put_line(struct bs_py_bytes *found, const struct bs_grep_line *line);
bool bs_py_put_name(struct bs_py_bytes *found, const char *name, size_t n_bytes);
/* The one at *at, which moves behind it. */
PyObject *bs_py_make_line(const char **at);

/* The finder, for who has the GIL, until bs_py_finder_done; NULL with an exception: another thread is at it. */
struct bs_finder *bs_py_finder_begin(PyObject *object);
void bs_py_finder_done(PyObject *object);
/* Reads a query and options of a search into *search_out, which then borrows from keep. */
struct bs_py_search {
	struct bs_find_request request;
	struct bs_find_program program;
	struct bs_py_watch watch;
	PyObject *statistics;
	bool explains;
};
bool bs_py_read_search(struct bs_py_keep *keep, PyObject *query, PyObject *options, struct bs_py_search *search_out);

/* Numbers, by their names, into a dict, which may be NULL: taken on failure. */
struct bs_py_number {
	const char *name;
	uint64_t value;
};
PyObject *bs_py_put_numbers(PyObject *dict, const struct bs_py_number *numbers, size_t n);
#define BS_PY_PUT_NUMBERS(dict, numbers) bs_py_put_numbers(dict, numbers, sizeof(numbers) / sizeof(*(numbers)))

PyObject *bs_py_report(const struct bs_build_report *report, const struct bs_py_bytes *notices);

/* Each adds its types and functions to the module; false with an exception. */
bool bs_py_add_analyzer(PyObject *module);
bool bs_py_add_limits(PyObject *module);
bool bs_py_add_handle(PyObject *module);
bool bs_py_add_hits(PyObject *module);
bool bs_py_add_search(PyObject *module);
bool bs_py_add_query(PyObject *module);
bool bs_py_add_statistics(PyObject *module);
bool bs_py_add_writer(PyObject *module);
bool bs_py_add_files(PyObject *module);
bool bs_py_add_grep(PyObject *module);
bool bs_py_add_lines(PyObject *module);
bool bs_py_add_matrix(PyObject *module);
PyTypeObject *bs_py_add_type(PyObject *module, PyType_Spec *spec);
PyTypeObject *bs_py_add_sequence(PyObject *module, const char *name, PyStructSequence_Desc *desc);
/* The end of each dealloc. */
void bs_py_free(PyObject *self);

/* clang-format off */
#define BS_PY_METHOD(name, function, flags) BS_PY_DOCUMENTED(name, function, flags, NULL)
#define BS_PY_DOCUMENTED(name, function, flags, doc) {name, (PyCFunction)(void (*)(void))(function), flags, doc}
/* clang-format on */

#endif
