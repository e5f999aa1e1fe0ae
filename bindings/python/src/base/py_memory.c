/* py_memory.c: see py_memory.h. */
#include "py_memory.h"

#include <bitsift/memory_index.h>

#include "py_messages.h"

struct memory {
	PyObject_HEAD struct bs_memory_index *memory;
};

static PyObject *memory_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct bs_error err;
	if (PyTuple_Size(arguments) > 0 || (keywords && PyDict_Size(keywords) > 0))
		return PyErr_Format(PyExc_TypeError, "Memory() takes no arguments");
	struct memory *self = (struct memory *)PyType_GenericAlloc(type, 0);
	enum bs_status status = self ? bs_memory_index_new(&self->memory, &err) : BS_OK;
	if (status) {
		Py_DECREF(self);
		return bs_py_raise(status, &err);
	}
	return (PyObject *)self;
}

static void memory_dealloc(PyObject *self)
{
	bs_memory_index_free(((struct memory *)self)->memory);
	bs_py_free(self);
}

struct bs_memory_index *bs_py_memory(PyObject *object)
{
	return ((struct memory *)object)->memory;
}

/* Reads the files of a copy, because a writer may be active. */
static PyObject *memory_files(PyObject *self, PyObject *unused)
{
	struct bs_memory_index *memory;
	struct bs_error err;
	enum bs_status status = bs_memory_index_copy(bs_py_memory(self), &memory, &err);
	PyObject *files = status ? bs_py_raise(status, &err) : PyDict_New();
	(void)unused;
	for (size_t i = 0; files && i < bs_memory_index_n_files(memory); i++) {
		struct bs_memory_index_file file;
		status = bs_memory_index_file_at(memory, i, &file, &err);
		PyObject *bytes =
			status ? bs_py_raise(status, &err)
			       : PyBytes_FromStringAndSize(file.bytes, (Py_ssize_t)file.n_bytes);
		if (!bytes || PyDict_SetItemString(files, file.name, bytes) < 0)
			Py_CLEAR(files);
		Py_XDECREF(bytes);
	}
	bs_memory_index_free(memory);
	return files;
}

static PyObject *memory_copy(PyObject *self, PyObject *unused)
{
	struct memory *copy = (struct memory *)PyType_GenericAlloc(bs_py_types.memory, 0);
	struct bs_error err;
	enum bs_status status =
		copy ? bs_memory_index_copy(bs_py_memory(self), &copy->memory, &err) : BS_OK;
	(void)unused;
	if (status) {
		Py_DECREF(copy);
		return bs_py_raise(status, &err);
	}
	return (PyObject *)copy;
}

static PyObject *memory_remove(PyObject *self, PyObject *arguments)
{
	const char *name;
	if (!PyArg_ParseTuple(arguments, "s", &name))
		return NULL;
	bs_memory_index_remove(bs_py_memory(self), name);
	Py_RETURN_NONE;
}

static PyObject *memory_put(PyObject *self, PyObject *arguments)
{
	const char *name, *bytes;
	Py_ssize_t n_bytes;
	struct bs_error err;
	if (!PyArg_ParseTuple(arguments, "sy#", &name, &bytes, &n_bytes))
		return NULL;
	enum bs_status status =
		bs_memory_index_put(bs_py_memory(self), name, bytes, (size_t)n_bytes, &err);
	if (status)
		return bs_py_raise(status, &err);
	Py_RETURN_NONE;
}

static PyMethodDef memory_methods[] = {
	BS_PY_DOCUMENTED("files", memory_files, METH_NOARGS,
                         "files($self, /)\n--\n\nReturns the files of the index as {name: bytes}."),
	BS_PY_DOCUMENTED(
		"put", memory_put, METH_VARARGS,
		"put($self, name, bytes, /)\n--\n\nAdds a file, for example one that files() "
		"returned earlier."),
	BS_PY_DOCUMENTED(
		"copy", memory_copy, METH_NOARGS,
		"copy($self, /)\n--\n\nReturns a second index with the same files. The bytes "
		"are shared, but later changes of one index do not affect the other."),
	BS_PY_DOCUMENTED(
		"remove", memory_remove, METH_VARARGS,
		"remove($self, name, /)\n--\n\nRemoves a file; does nothing if it is missing."),
	{NULL, NULL, 0, NULL},
};

static char memory_doc[] =
	"Memory()\n--\n\nAn index whose files are in memory instead of in a directory. "
	"Index.open(memory=...) opens it.";

static PyType_Slot memory_slots[] = {
	{Py_tp_doc, memory_doc},
	{Py_tp_new, memory_new},
	{Py_tp_dealloc, memory_dealloc},
	{Py_tp_methods, memory_methods},
	{0, NULL},
};

static PyType_Spec memory_spec = {"bitsift.Memory", sizeof(struct memory), 0, Py_TPFLAGS_DEFAULT,
                                  memory_slots};

bool bs_py_add_memory(PyObject *module)
{
	bs_py_types.memory = bs_py_add_type(module, &memory_spec);
	return bs_py_types.memory != NULL;
}
