/* py_handle.c: see py_handle.h. */
#include "py_handle.h"

#include <string.h>

#include <bitsift/index_open.h>

#include "../base/py_messages.h"

struct handle {
	PyObject_HEAD struct bs_index *index;
	struct bs_py_context context;
	PyObject *notices; /* messages of the opening: a list of str */
};

struct bs_index *bs_py_handle(PyObject *object)
{
	return ((struct handle *)object)->index;
}

struct bs_py_context *bs_py_handle_context(PyObject *object)
{
	return &((struct handle *)object)->context;
}

PyObject *bs_py_handle_of(PyObject *object)
{
	PyObject *handle = PyObject_TypeCheck(object, bs_py_types.handle)
	                           ? Py_NewRef(object)
	                           : PyObject_GetAttrString(object, "_handle");
	if (handle && !PyObject_TypeCheck(handle, bs_py_types.handle)) {
		PyErr_SetString(PyExc_TypeError, "not an Index");
		Py_CLEAR(handle);
	}
	return handle;
}

struct opening {
	struct bs_open_request request;
	struct bs_py_context context;
	struct bs_py_deadline deadline;
};

static const struct bs_py_option open_options[] = {
	{"dir", BS_PY_CHARS, offsetof(struct opening, request.dir), 0, NULL, NULL},
	{"kernel", BS_PY_CHARS, offsetof(struct opening, request.kernel), 0, NULL, NULL},
	{"fresh", BS_PY_BOOL, offsetof(struct opening, request.fresh), 0, NULL, NULL},
	BS_PY_CONTEXT_OPTIONS(struct opening, context),
	BS_PY_DEADLINE_OPTIONS(struct opening, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

static bool open_handle(struct handle *self, struct opening *opening)
{
	struct bs_open_request *request = &opening->request;
	struct bs_py_bytes notices = {.data = NULL};
	struct bs_error err;
	enum bs_status status;
	self->context = opening->context;
	if (!bs_py_context_begin(&self->context))
		return false;
	BS_PY_FILL_REQUEST(request, &self->context, &opening->deadline);
	request->notice = bs_py_record_line;
	request->context = &notices;
	bs_py_deadline_begin(&opening->deadline);
	BS_PY_WITHOUT_GIL(status = bs_index_open_with(request, &self->index, &err));
	if (status)
		(void)bs_py_raise(status, &err);
	self->notices = PyErr_Occurred() ? NULL : bs_py_lines(&notices);
	bs_py_bytes_free(&notices);
	return self->notices != NULL;
}

static PyObject *handle_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct opening opening = {.request = {.dir = NULL}};
	struct bs_py_keep keep = {.objects = NULL};
	struct handle *self = NULL;
	bs_py_deadline_init(&opening.deadline);
	bool ok = PyArg_ParseTuple(arguments, "") &&
	          bs_py_read_options(&keep, keywords, open_options, &opening);
	if (ok && !opening.request.dir && !opening.context.memory) {
		PyErr_SetString(PyExc_ValueError, "a path or a Memory is needed");
		ok = false;
	}
	if (ok)
		self = (struct handle *)PyType_GenericAlloc(type, 0);
	if (self && !open_handle(self, &opening))
		Py_CLEAR(self);
	bs_py_keep_free(&keep);
	return (PyObject *)self;
}

static int handle_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	return bs_py_context_traverse(&((struct handle *)object)->context, visit, arg);
}

static void handle_dealloc(PyObject *object)
{
	struct handle *self = (struct handle *)object;
	PyObject_GC_UnTrack(object);
	if (self->index)
		BS_PY_WITHOUT_GIL(bs_index_close(self->index));
	bs_py_context_clear(&self->context);
	Py_XDECREF(self->notices);
	bs_py_free(object);
}

static PyObject *handle_describe(PyObject *self, PyObject *unused)
{
	struct bs_index_info info;
	(void)unused;
	bs_index_describe(bs_py_handle(self), &info);
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:O,s:s,s:s,s:s,s:K,s:K}", "docs",
	                     (unsigned long long)info.n_docs, "deleted",
	                     (unsigned long long)info.n_deleted, "segments",
	                     (unsigned long long)info.n_segments, "generation",
	                     (unsigned long long)info.generation, "is_other_unicode",
	                     info.is_other_unicode ? Py_True : Py_False, "icu_version",
	                     info.icu_version, "unicode_version", info.unicode_version, "kernel",
	                     info.kernel, "unread", (unsigned long long)info.n_unread, "unfollowed",
	                     (unsigned long long)info.n_unfollowed);
}

static PyObject *handle_sources(PyObject *self, PyObject *unused)
{
	PyObject *list = PyList_New(0);
	struct bs_source_info info;
	(void)unused;
	for (size_t i = 0; list && bs_index_source(bs_py_handle(self), i, &info); i++) {
		PyObject *source = bs_py_result(
			"Source",
			Py_BuildValue("{s:s,s:N,s:N}", "kind", info.kind, "label",
		                      bs_py_string(info.label, strlen(info.label)), "path",
		                      bs_py_string(info.path, strlen(info.path))));
		if (!source || PyList_Append(list, source) < 0)
			Py_CLEAR(list);
		Py_XDECREF(source);
	}
	return list;
}

static PyMethodDef handle_methods[] = {
	BS_PY_METHOD("describe", handle_describe, METH_NOARGS),
	BS_PY_METHOD("sources", handle_sources, METH_NOARGS),
	{NULL, NULL, 0, NULL},
};

static PyMemberDef handle_members[] = {
	{"notices", T_OBJECT_EX, offsetof(struct handle, notices), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot handle_slots[] = {
	{Py_tp_new, handle_new},           {Py_tp_dealloc, handle_dealloc},
	{Py_tp_traverse, handle_traverse}, {Py_tp_members, handle_members},
	{Py_tp_methods, handle_methods},   {0, NULL},
};

static PyType_Spec handle_spec = {"bitsift._bitsift.Handle", sizeof(struct handle), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, handle_slots};

bool bs_py_add_handle(PyObject *module)
{
	bs_py_types.handle = bs_py_add_type(module, &handle_spec);
	return bs_py_types.handle != NULL;
}
