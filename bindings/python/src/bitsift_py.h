/*
 * bitsift_py.h: what the files of the extension share. The module is bitsift._bitsift: handles for bitsift/__init__.py, which is
 * what people use; docstrings stand there.
 *
 * Whatever calls the library and may take long does so without the GIL. Callbacks of the library run without it, too: they
 * collect what they hear (struct bs_py_bytes), and objects are made afterwards, once for all.
 */
#ifndef BITSIFT_PY_H
#define BITSIFT_PY_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <structmember.h>

#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/writer.h>

/* Of the module, for as long as it lives: the extension has one instance. */
struct bs_py_types {
	PyObject *errors[BS_DEADLINE + 1]; /* by enum bs_status; [BS_OK]: of what is none of them */
	PyTypeObject *hit, *passage, *line, *view, *memory, *index;
};
extern struct bs_py_types bs_py_types;

/* Raises what a status stands for. An exception that a callback left behind goes first. error_byte: SIZE_MAX, or where in the query;
 * it becomes `position`, in characters. */
PyObject *bs_py_raise(enum bs_status status, const struct bs_error *err);
PyObject *bs_py_raise_at(enum bs_status status, const struct bs_error *err, const char *query, size_t error_byte);

/* Bytes that grow. Zero-initialise; no GIL is needed. */
struct bs_py_bytes {
	char *data;
	size_t n_bytes, room;
};
bool bs_py_append(struct bs_py_bytes *bytes, const void *from, size_t n_bytes);
void bs_py_bytes_free(struct bs_py_bytes *bytes);

/* Ids and paths may be any bytes, which Python spells as os.fsdecode does. */
PyObject *bs_py_string(const char *bytes, size_t n_bytes);
/* For what is text: what is no UTF-8 becomes U+FFFD. */
PyObject *bs_py_text(const char *bytes, size_t n_bytes);

/*
 * What arguments are borrowed from until a call is done. Zero-initialise; release with bs_py_keep_free. bs_py_bytes_of: the
 * bytes of a str, bytes or path, which are also NUL-ended; NULL with an exception. bs_py_chars: the same for what may have no NUL inside; None gives
 * NULL, *ok false an exception. bs_py_strings: a NULL-ended list of those of a sequence; likewise.
 */
struct bs_py_keep {
	PyObject **objects;
	void **blocks;
	size_t n_objects, n_blocks;
};
const char *bs_py_bytes_of(struct bs_py_keep *keep, PyObject *object, size_t *n_bytes_out);
const char *bs_py_chars(struct bs_py_keep *keep, PyObject *object, bool *ok);
const char *const *bs_py_strings(struct bs_py_keep *keep, PyObject *object, size_t *n_out, bool *ok);
void *bs_py_block(struct bs_py_keep *keep, size_t n_bytes);
void bs_py_keep_free(struct bs_py_keep *keep);

/* The texts of a document as Python has it: a str is one without a name; of a mapping each str and number, those of a list one after the
 * other, those of a mapping inside with a dot between the names. Appended to texts (struct bs_text each), which borrow from keep. */
bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_bytes *texts);

/* Documents that the index does not store come from a callable of Python: id -> a document, or None. */
struct bs_py_provider {
	struct bs_text_provider provider;
	PyObject *callable;
};
void bs_py_provider_init(struct bs_py_provider *provider, PyObject *callable);

/* Looks now and then whether Ctrl-C was pressed, which ends the call. limits is to be handed to the library. */
struct bs_py_watch {
	struct bs_limits limits;
	unsigned long thread;
	uint64_t next_ns;
	bool is_interrupted; /* the exception is set */
};
void bs_py_watch_init(struct bs_py_watch *watch, double deadline_seconds, bool partial);

/* A struct bs_index, for bs_py_types.index. */
struct bs_index;
struct bs_index *bs_py_index(PyObject *object);
struct bs_memory *bs_py_memory(PyObject *object);
/* The finder, for who has the GIL, until bs_py_finder_done; NULL with an exception: another thread is at it. */
struct bs_finder *bs_py_finder_begin(PyObject *object);
void bs_py_finder_done(PyObject *object);
/* Reads the arguments of a search into *request, which then borrows from keep. */
struct bs_py_search {
	struct bs_find_request request;
	struct bs_py_watch watch;
	PyObject *owner;
};
bool bs_py_read_search(struct bs_py_keep *keep, PyObject *arguments, PyObject *keywords,
                       struct bs_py_search *search_out);

PyObject *bs_py_report(const struct bs_build_report *report);

/* Each adds its types and functions to the module; false with an exception. */
bool bs_py_add_searching(PyObject *module);
bool bs_py_add_writing(PyObject *module);
bool bs_py_add_grep(PyObject *module);
bool bs_py_add_matrix(PyObject *module);
PyTypeObject *bs_py_add_type(PyObject *module, PyType_Spec *spec);

/* Names of arguments, which Python does not write to. */
#define BS_PY_NAMES(names) ((char **)(uintptr_t)(names))

/* clang-format off */
#define BS_PY_METHOD(name, function, flags) BS_PY_DOCUMENTED(name, function, flags, NULL)
#define BS_PY_DOCUMENTED(name, function, flags, doc) {name, (PyCFunction)(void (*)(void))(function), flags, doc}
/* clang-format on */

#endif
